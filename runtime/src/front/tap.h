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

/**
 * Make one by what makes those of a kind of objects, if the data path is to be shown.
 *
 * @param raw   what it is to show as
 * @param next  what it is to go on to: raw, or what stands before that
 * @param tap   NULL where nothing is to be shown; else vx_fronts_free() ends it until it is put there
 * @return 0, or -ENOMEM recorded
 */
int vx_tap_new(void *(*make)(void *raw, const void *next, const char *call), void *raw, const void *next, const char *call, void **tap);

/* NULL with vx_error() filled. */
void *vx_tap_new_cq(void *raw, const void *next, const char *call);
void *vx_tap_new_qp(void *raw, const void *next, const char *call);
void *vx_tap_new_srq(void *raw, const void *next, const char *call);
void *vx_tap_new_wq(void *raw, const void *next, const char *call);

/* ---- for the functions that are generated ---- */

/* A part of a list of requests; where it goes on to. */
struct ibv_qp_ex *vx_tap_step(struct ibv_qp_ex *front, uint16_t traced, uint64_t *args);

/* All builders and setters that the next has. Generated. */
void vx_tap_steps(struct ibv_qp_ex *front, const struct ibv_qp_ex *next);

struct mlx5dv_qp_ex;

/* Bytes that mlx5's builders take behind a tap, whose address is given; those of the tap that go on to the next. Generated. */
extern const size_t vx_tap_mlx5_size;
void *vx_tap_mlx5_room(struct ibv_qp_ex *front);
struct mlx5dv_qp_ex *vx_tap_mlx5(struct ibv_qp_ex *front, struct mlx5dv_qp_ex *next);

#else

static inline bool vx_tapping(void)
{
	return false;
}

#define vx_tap_new(make, raw, next, call, tap) vx_no_tap(tap)

static inline int vx_no_tap(void **tap)
{
	*tap = NULL;
	return 0;
}

#define vx_tap_mlx5(front, next) ((void)(front), (next))

#endif

#endif
