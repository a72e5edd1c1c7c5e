/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* User memory for DEVX: pages that mailboxes name by a number. */
#ifndef EMU_UMEM_H
#define EMU_UMEM_H

#include <stdint.h>

#include "objects/object.h"

struct umem {
	struct object o;
	uint8_t *memory;
	uint64_t len;
};

/* @size bytes of it, held in @user from then on; NULL where there are not so many. */
void *umem_use(uint32_t id, uint64_t offset, uint64_t size, struct object **user);

#endif
