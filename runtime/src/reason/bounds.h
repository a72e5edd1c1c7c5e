/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_BOUNDS_H
#define VERBSX_SRC_BOUNDS_H

/* What a device, a port or the object of a call allows: each asked for when the first row wants to know, after a failure. */

#include "sources.h"
#include "text/place.h"

struct vx_bounds {
	struct ibv_context *context;
	void *object;			/* that the call was made on */
	uint8_t port;
	bool asked[VX_SOURCES];
	const void *known[VX_SOURCES];	/* NULL: would not tell */
	struct vx_answers answers;
};

/** Have a source tell; NULL where it would not. */
const void *vx_bounds_ask(struct vx_bounds *bounds, unsigned int source);

/** Its structure; false where it is not known. */
bool vx_bounds_view(struct vx_bounds *bounds, unsigned int source, struct vx_view *out);

/** A field of it by its path; false where it is not known. */
bool vx_bounds_find(struct vx_bounds *bounds, unsigned int source, const char *path, struct vx_place *out);

/* What asks. Generated. */
const void *vx_source_ask(struct vx_bounds *bounds, unsigned int source);

#endif
