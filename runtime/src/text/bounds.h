/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_BOUNDS_H
#define VERBSX_SRC_BOUNDS_H

/* What a context, its device and one of its ports allow: asked for once a call has failed. */

#include <infiniband/verbs.h>

#include "place.h"
#include "reason/reason_tables.h"

struct vx_bounds {
	struct ibv_context *context;
	uint8_t port;
	const void *known[VX_SOURCES];	/* NULL: would not tell */
	struct ibv_device_attr_ex device;
	struct ibv_port_attr attr;	/* of the port */
};

/** Ask. */
void vx_bounds_ask(struct vx_bounds *bounds, struct ibv_context *context, uint8_t port);

/** The structure of a source; false where it is not known. */
bool vx_bounds_view(const struct vx_bounds *bounds, unsigned int source, struct vx_view *out);

/** A field of a source by its path; false where it is not known. */
bool vx_bounds_find(const struct vx_bounds *bounds, unsigned int source, const char *path, struct vx_place *out);

#endif
