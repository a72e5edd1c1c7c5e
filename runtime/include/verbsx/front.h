/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_FRONT_H
#define VERBSX_FRONT_H

/**
 * @file
 * What the inline functions of verbsx/post.h, wr.h and poll.h are made of; nothing here is for programs.
 *
 * They are what rdma-core's are: a call of a function that the object points to. They go through the front of a handle, which is the raw
 * object, or what libverbsx has put before it; vx_KIND_raw() always gives the raw object, so rdma-core's own calls pass by what stands
 * before it. Where a call fails, one function that compilers keep out of the way makes a negative errno of it, with vx_error() filled.
 */

#include <stdint.h>

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibv_qp_ex;
struct mlx5dv_qp_ex;

/** A QP for the builders of verbsx/mlx5_wr.h, for as long as it is open. */
struct vx_mlx5_wr {
	struct ibv_qp_ex *ex;		/**< its send queue, as wr_id and wr_flags are set in */
	struct mlx5dv_qp_ex *mlx5;	/**< the same, as builders of libmlx5 are called by */
};

#if defined(__GNUC__)
#define VX_RARE __attribute__((cold))
#define VX_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define VX_RARE
#define VX_LIKELY(condition) (condition)
#endif

struct vx_wc;
struct vx_wr;

/** What the data path of an object goes through. */
static inline void *vx_front(const void *object)
{
	return ((const struct vx_object *)object)->front;
}

/** The raw object of a handle that may be NULL: of a checked QP that is refused. */
static inline void *vx_raw_or_null(const void *object)
{
	return object ? ((const struct vx_object *)object)->raw : NULL;
}

/** What a window is to be bound to; where that is NULL, something that is refused as such. */
static inline struct ibv_mw_bind_info vx_bind_info_given(const struct ibv_mw_bind_info *bind_info)
{
	struct ibv_mw_bind_info none = { NULL, UINT64_MAX, UINT64_MAX, 0 };

	return bind_info ? *bind_info : none;
}

/** Tell compilers what the functions below promise. */
static inline int vx_negative(int rc)
{
#if defined(__GNUC__)
	if (rc >= 0)
		__builtin_unreachable();
#endif
	return rc;
}

/* What has failed: they return a negative errno, recorded, and are for the inline functions alone. */

/** Why a list of requests was not posted as a whole. @p bad_wr is the first that was not, also where a provider does not say. */
VX_EXPORT VX_RARE int vx_post_send_fail(const struct vx_qp *qp, int rc, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);

/** The same of requests to receive, of a QP, an SRQ or a WQ. */
VX_EXPORT VX_RARE int vx_post_recv_fail(const void *object, int rc, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/** The same of operations of an SRQ. */
VX_EXPORT VX_RARE int vx_post_srq_ops_fail(const struct vx_srq *srq, int rc, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op);

/** Why nothing was posted of what is between vx_wr_start() and vx_wr_complete(). */
VX_EXPORT VX_RARE int vx_wr_fail(const struct vx_wr *wr, int rc);

/** Why vx_cq_poll() could not say what has completed. */
VX_EXPORT VX_RARE int vx_poll_fail(const struct vx_cq *cq, int rc);

/** The same of vx_cq_start_poll() and vx_wc_next(). */
VX_EXPORT VX_RARE int vx_wc_fail(const struct vx_wc *wc, int rc);

/** Why a CQ could not be armed. */
VX_EXPORT VX_RARE int vx_notify_fail(const struct vx_cq *cq, int rc);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_FRONT_H */
