/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OBJECT_PRINT_H
#define VERBSX_SRC_OBJECT_PRINT_H

/* How handles print: the generated tables of what is read, and what is asked for. */

#include "kind.h"
#include "object.h"
#include "text/place.h"

/* The description of a field that is read for a handle, by its place in vx_shown_fields. */
static inline const struct vx_field *vx_shown_field(uint32_t index)
{
	return vx_field_of(&vx_structs[vx_shown_fields[index].desc], vx_shown_fields[index].field);
}

/* Where a handle keeps the value of such a field. */
static inline struct vx_place vx_kept_place(const struct vx_node *node, uint32_t index)
{
	const unsigned char *kept = vx_node_extra(node);

	return (struct vx_place){ vx_shown_field(index), kept + vx_shown_fields[index].at };
}

/* Print what a query tells of an object, for kinds that have one. */
void vx_put_queried(struct vx_printer *p, const struct vx_node *node);

/*
 * A structure as a block of its own, or the reason why there is none.
 *
 * @param code  0 or a negative errno, of @p call
 */
void vx_put_answer(struct vx_printer *p, const char *label, const char *call, int code, struct vx_type type,
		   const void *answer);

#endif
