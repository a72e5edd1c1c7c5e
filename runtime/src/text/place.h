/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PLACE_H
#define VERBSX_SRC_PLACE_H

/* A field of a structure by its path, such as "cap.max_send_wr": its value as a number and as text. */

#include <stdbool.h>

#include "printer.h"

struct vx_place {
	const struct vx_field *field;
	const unsigned char *at;
};

/* A whole structure in memory. */
struct vx_view vx_view_of(struct vx_type type, const void *ptr);

/** A field by the first bytes of a text; NULL where there is none. */
const struct vx_field *vx_field_named(const struct vx_struct *s, const char *name, size_t len);

/**
 * Find a field.
 *
 * @param mask  beside the structure: only what it selects is found; VX_MASK_ALL for all
 * @return whether there is such a field, and it is valid by the masks and selectors around it
 */
bool vx_place_find(const struct vx_view *view, const char *path, uint64_t mask, struct vx_place *out);

/** The number in it, sign-extended; a pointer's is its address. */
uint64_t vx_place_value(const struct vx_place *place);

/** Its value as vx_print() shows it. */
void vx_put_place(struct vx_out *out, const struct vx_place *place);

#endif
