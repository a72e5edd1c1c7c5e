/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OBJECT_PRINT_H
#define VERBSX_SRC_OBJECT_PRINT_H

/* How handles print: the generated tables of what is read, and what is asked for. */

#include "object.h"
#include "text/printer.h"

/* A field of the object behind a handle. */
struct vx_shown {
	uint16_t kind;		/* enum vx_object_kind */
	uint16_t desc;		/* of vx_structs */
	uint16_t field;		/* index in it */
};

extern const struct vx_shown vx_shown_fields[];
extern const uint16_t vx_shown_count;
extern const struct vx_shown vx_number_fields[];
extern const uint16_t vx_number_count;
extern const struct vx_shown vx_kept_fields[];
extern const uint16_t vx_kept_count;

/* Print what a query tells of an object, for kinds that have one. */
void vx_put_queried(struct vx_printer *p, const struct vx_object *object);

/*
 * A structure as a block of its own, or the reason why there is none.
 *
 * @param code  0 or a negative errno, of @p call
 */
void vx_put_answer(struct vx_printer *p, const char *label, const char *call, int code, struct vx_type type,
		   const void *answer);

#endif
