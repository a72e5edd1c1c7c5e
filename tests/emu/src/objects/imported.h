/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A context that another process has opened, and what of its objects was imported here: of a PD or region of there this process
 * has one that stands for it. Data of such a region are copied from and to the memory of that process.
 */
#ifndef EMU_IMPORTED_H
#define EMU_IMPORTED_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/object.h"

struct import;
struct mkey;

/**
 * See whether a descriptor is of a context of another process.
 *
 * @param device  which of the devices it is of
 * @return NULL where it is none, or cannot be imported, which is told then
 */
struct import *import_open(int fd, uint8_t *device);
void import_close(struct import *i);

/* Whether that descriptor is still the one that was imported. */
bool import_is(const struct import *i, int fd);

/* A PD or region of there, by its handle: the one that stands for it; NULL where there is none. */
void *import_object(struct context *ctx, enum kind kind, uint32_t handle);

/* The region of a device that stands for the one with this key, but for its lowest byte; NULL for none. */
struct mkey *import_of_key(uint8_t device, uint32_t key);

/* Whether the one that it stands for is there no more. */
bool import_is_gone(const struct mkey *m);

/* Copy from or to its memory: 0, or -1 where that cannot be. */
int import_copy(const struct mkey *m, bool to_memory, uint64_t host, uint64_t len, void *buffer);

void import_release(struct mkey *m);

#endif
