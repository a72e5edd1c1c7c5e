/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TAP_H
#define VERBSX_SRC_TAP_H

/* What traces the data path of an object: it stands before all else, shows each call, and goes on to the next. */

#include "front.h"
#include "trace/trace.h"

#if VERBSX_TRACING

/* Whether new objects may have to have one. */
static inline bool vx_tapping(void)
{
	return vx_tracing();
}

/** Put one before a new object, if the data path is to be shown. Returns 0, or -ENOMEM recorded. */
int vx_tap_cq(struct vx_node *node);
int vx_tap_qp(struct vx_node *node);
int vx_tap_srq(struct vx_node *node);

/* ---- for the functions that are generated ---- */

/* A part of a list of requests; where it goes on to. */
struct ibv_qp_ex *vx_tap_step(struct ibv_qp_ex *front, uint16_t traced, uint64_t *args);

/* All builders and setters that the next has. Generated. */
void vx_tap_steps(struct ibv_qp_ex *front, const struct ibv_qp_ex *next);

#else

static inline bool vx_tapping(void)
{
	return false;
}

static inline int vx_tap_cq(struct vx_node *node)
{
	(void)node;
	return 0;
}

static inline int vx_tap_qp(struct vx_node *node)
{
	return vx_tap_cq(node);
}

static inline int vx_tap_srq(struct vx_node *node)
{
	return vx_tap_cq(node);
}

#endif

#endif
