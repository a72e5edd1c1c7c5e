/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_ADOPT_H
#define VERBSX_SRC_ADOPT_H

/* Taking over and borrowing objects that were made without libverbsx. */

#include "object.h"

/* An object to be taken over, and what its own fields say of it; NULL where it has no such field. */
struct vx_adopting {
	uint32_t kind;
	int (*destroy)(struct vx_node *node);
	const char *call;
	size_t extra;			/* bytes that only this kind keeps */
	const void *kept;		/* what they are to be; NULL: zero */
	bool owned;			/* the last who closes it destroys it; else it is borrowed */
	bool is_root;			/* it has no parent */
	void *parent;
	void *raw;
	const void *context;		/* that it is of */
	const void *raw_parent;		/* that it was made under */
	const void *const *uses;	/* what else it depends on */
	size_t count;			/* of these */
};

/*
 * The handle that it has already, given once more; or a new one, which depends on its parent and on what else has a handle.
 *
 * @return NULL with vx_error() filled: there is no such object or parent, it is of another one, no memory
 */
struct vx_node *vx_adopt(const struct vx_adopting *it);

#endif
