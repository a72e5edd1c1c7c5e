/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_KIND_H
#define VERBSX_SRC_KIND_H

/* What is different about each kind of objects, as generated rows. */

#include <stdint.h>

#include "object.h"
#include "text/printer.h"

#define VX_LONGEST_KIND 24

/* A field that is read of an object, or of what its handle keeps, without asking the device. */
struct vx_shown {
	uint16_t desc;		/* of vx_structs */
	uint16_t field;		/* index in it */
	uint16_t at;		/* where it lies in what the handle keeps */
	vx_name label;		/* see vx_struct_text(); 0: the field's own name */
};

/* Neighbours in vx_shown_fields. */
struct vx_shown_run {
	uint16_t first, count;
};

struct vx_kind_row {
	char name[VX_LONGEST_KIND + 1];	/* the word for it, such as "qp"; "" where there is no such kind */
	uint16_t busy;			/* for vx_kind_busy() */
	struct vx_shown_run number;	/* what tells one from others: one field of the raw object or none */
	struct vx_shown_run names;	/* what the handle keeps that messages tell as well; one field or none */
	struct vx_shown_run shown;	/* what is printed of the raw object */
	struct vx_shown_run kept;	/* and of what the handle keeps */
	uint16_t width;			/* of the longest of their names */
	uint16_t told_at;		/* where the raw object has what tells it from one of the kind that it is used as; 0: nowhere */
	bool early;			/* closed before all else that is closed together with it */
	bool ours;			/* of libverbsx itself: there is no object of rdma-core to be given back */
	int32_t told;			/* what is there, of an enum */
};

/* By kind, what is looked at for each object that is made. */
extern struct vx_kind_made {
	uint32_t count;			/* of those that ever were; under the lock */
	uint16_t used_as;		/* the kind that it is for all that takes one: an opened QP is a QP */
} vx_kind_made[];

extern const struct vx_shown vx_shown_fields[];
extern const struct vx_kind_row vx_kinds[];	/* by kind */

/* The row of a kind; that of no kind for any other number. */
const struct vx_kind_row *vx_kind_of(uint32_t kind);

/* What libverbsx may have made and not know to keep an object of a kind alive; NULL if there is no such thing. */
const char *vx_kind_busy(uint32_t kind);

static inline const char *vx_kind_name(uint32_t kind)
{
	return vx_kind_of(kind)->name;
}

/* ---- how handles print (object_print.c) ---- */

/* The description of a field that is read for a handle, by its place in vx_shown_fields. */
static inline const struct vx_field *vx_shown_field(uint32_t index)
{
	return vx_field_of(vx_struct_row(vx_shown_fields[index].desc), vx_shown_fields[index].field);
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
