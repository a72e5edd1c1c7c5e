/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* General objects of DEVX, for those who make something of one. */
#ifndef EMU_DEVX_OBJECT_H
#define EMU_DEVX_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct object;

/* What followed the header when it was created; NULL for none of that type. */
const uint8_t *general_body(uint32_t id, uint16_t type);

/* Until when what it has let out takes its time, of an element that something goes through. */
uint64_t *general_busy_until(uint32_t id);

/* Whether a context has one of that type. */
bool general_exists(const struct context *ctx, uint16_t type);

void general_release(struct object *o);

#endif
