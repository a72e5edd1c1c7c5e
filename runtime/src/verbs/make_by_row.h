/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MAKE_BY_ROW_H
#define VERBSX_SRC_MAKE_BY_ROW_H

/*
 * Making objects of kinds of which programs make few: a row says what all of them have to be asked for, and in what order what a
 * program gives is looked at. Code of their own is only what fills the structure that rdma-core takes, and the call.
 */

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

/* What is looked at, one thing a step; the field of the init structure at .at is meant. */
enum vx_step_op {
	VX_STEP_END,
	VX_STEP_PARENT,		/* the parent, and the place of the result */
	VX_STEP_BITS,		/* a mask without other than .bits; .other: 1 + the place of its enum */
	VX_STEP_LATER,		/* what means nothing yet is zero */
	VX_STEP_LOOK,		/* what the kind's own code looks at */
	VX_STEP_NULL,		/* a pointer is not NULL */
	VX_STEP_ZERO,		/* nor a number 0: .text is all of the sentence */
	VX_STEP_NONE,		/* nor VX_NONE */
	VX_STEP_MASKED,		/* no NULL where the mask has .bits, whose name is at .other */
	VX_STEP_BLOB,		/* no NULL with a length, at .other */
	VX_STEP_HANDLE,		/* NULL, or a handle of the kind .other; .bits: on which the object will depend */
};

struct vx_step {
	uint16_t op;
	uint16_t at, size;
	uint16_t text;		/* for messages, of vx_making_text() */
	uint16_t other;
	uint32_t bits;
};

/* How objects of a kind are made; its steps follow, the last of them VX_STEP_END. */
struct vx_made {
	alignas(struct vx_step) uint16_t kind;
	uint16_t parent_kind;		/* 0: it has none */
	uint16_t call, last, provider;	/* texts: the function, the last field of the init structure, the library; 0: any */
	uint16_t size;			/* of the init structure */
	uint16_t extra;			/* bytes that the handle keeps */
	bool after;			/* there is something to do with a new one */
};

/* What the kind's own code is called for. */
enum vx_asking {
	VX_ASK_LOOK,	/* VX_STEP_LOOK: whether something is to be refused is in .rc */
	VX_ASK,		/* fill the structure and make the call: the raw object; NULL with .rc where it was not made, else with errno */
	VX_ASK_WHY,	/* fill it anew, as providers write into it even where they fail, and vx_made_refused() */
	VX_ASK_AFTER,	/* .rc: what became of what is done with a new one */
};

/* Of the largest structures, and of handles that one object depends on, with its parent. */
#define VX_MOST_INIT 512
#define VX_MOST_ATTR 256
#define VX_MOST_USED 8

/* Room for a structure that is read where it is. */
#define VX_ROOM(name, most) union { max_align_t aligned; unsigned char bytes[most]; } name

#define VX_FITS(kind, type, most) \
	_Static_assert(sizeof(type) <= (most) && _Alignof(type) <= _Alignof(max_align_t), "vx_" #kind "_create: " #most " is too small")

struct vx_making {
	enum vx_asking asking;
	int rc;			/* a negative errno, recorded; where it was made for, the node is gone */
	int code;		/* with which the call failed */
	void *parent;
	const void *init;
	struct vx_node *node;
	void *kept;		/* of the node */
	void *out;
	VX_ROOM(attr, VX_MOST_ATTR);
};

typedef void *(*vx_asked)(struct vx_making *making);

int vx_make_by_row(const struct vx_made *row, vx_asked ask, int (*destroy)(struct vx_node *), void *parent, const void *init, size_t size,
		   void *out) VX_SELDOM_CALLED;

/* For VX_ASK_LOOK: refuse it with -EINVAL. @return NULL */
void *vx_made_wrong(struct vx_making *making, const char *call, const char *why) VX_COLD;

/* For VX_ASK_WHY: as vx_create_refused(), with its arguments. @return NULL */
void *vx_made_refused(struct vx_making *making, const char *call, unsigned int row, const uint64_t *args) VX_COLD;

/* The text at an offset. Generated. */
const char *vx_making_text(unsigned int at) VX_SELDOM_CALLED;

#endif
