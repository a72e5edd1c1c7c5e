/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_DISPATCHER_H
#define VERBSX_DISPATCHER_H

/**
 * @file
 * Completions as calls of functions: of each request its own, or one for each QP.
 *
 *	struct request {
 *		struct vx_done done;
 *		...
 *	};
 *	request->done.done = sent;
 *	wr.wr_id = vx_done_id(&request->done);
 *	...
 *	while ((rc = vx_cq_dispatch(cq, 64)) > 0)
 *		;
 *
 * What these return tells of the CQ. A request that failed is a completion as others: its function looks at wc->status.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- by request ---- */

/** Inside of a request of the program, of which it says what is to be called when that has completed. */
struct vx_done {
	void (*done)(struct vx_done *self, const struct ibv_wc *wc); /**< may free the request */
};

/** The wr_id of a request by which vx_cq_dispatch() finds it. */
static inline uint64_t vx_done_id(struct vx_done *done)
{
	return (uintptr_t)done;
}

/**
 * Take completions and call done() of each.
 *
 * @param num_entries  how many at most
 * @return how many there were, 0 where there was none, or a negative errno with vx_error() filled: -EIO where the CQ cannot be read
 *
 * What has a wr_id of 0 is counted and skipped; all else on the CQ must have a wr_id of vx_done_id(). A function may use, make and
 * close anything but the CQ and what that depends on: vx_close() and vx_give_back() of these are -EBUSY meanwhile. What has
 * completed of a QP that it closes is not called where the provider takes it off the CQ then, as libmlx5 does, so its requests may
 * be freed. Others, such as that of soft-RoCE, leave it there and it is called: free a request only once that has happened, or have
 * vx_qp_drain() take all of it before. Stands for ibv_poll_cq(3).
 */
VX_EXPORT int vx_cq_dispatch(struct vx_cq *cq, int num_entries);

/* ---- by QP ---- */

/** Is told of a completion. */
typedef void (*vx_dispatch_function)(const struct ibv_wc *wc, void *data);

/** What a new dispatcher is to be like. */
struct vx_dispatcher_init {
	uint32_t comp_mask;	/**< no bits yet, so 0 */
	void (*other)(const struct ibv_wc *wc, void *data); /**< told of completions of QPs that were not added, or are closed, and of
					     receives of IBV_QPT_RAW_PACKET; NULL: these are dropped */
	void *data;		/**< for other */
};

VX_EXPORT int vx_dispatcher_create_sized(struct vx_cq *parent, const struct vx_dispatcher_init *init, size_t size,
					 struct vx_dispatcher **out);

/**
 * Make a dispatcher of a CQ's completions by QP.
 *
 * @param parent  the CQ of some QPs
 * @param init    NULL for all defaults
 * @return 0, or a negative errno with vx_error() filled
 *
 * Closing the CQ closes the dispatcher first. Thread-safe.
 */
static inline int vx_dispatcher_create(struct vx_cq *parent, const struct vx_dispatcher_init *init, struct vx_dispatcher **out)
{
	return vx_dispatcher_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Have a function told of the completions of a QP, until that is closed.
 *
 * @param qp  that has its number, as all have but a DCT before RTR
 * @return 0, or a negative errno with vx_error() filled: -EEXIST where the QP was added before; -EINVAL where it completes on other
 *         CQs; -EOPNOTSUPP where it is of IBV_QPT_RAW_PACKET and receives by this CQ
 *
 * mlx5 devices tell of what such a QP receives with the tag of the flow in wc->qp_num, or 0, so its function would not be called. Give
 * it a CQ of its own, with a dispatcher that has .other, or poll that: on a CQ of others a tag may be the number of one of these.
 *
 * Once vx_close() of the QP has returned, the function is not running and will not be called: where another thread is in it, closing
 * waits for that. It may close the QP itself; while another thread does, vx_close() of what the QP depends on is -EDEADLK in it. Of two
 * functions that close each other's QP one gets -EDEADLK, and that QP is as it was: close it again once its function has returned.
 * Thread-safe.
 */
VX_EXPORT int vx_dispatcher_add(struct vx_dispatcher *dispatcher, struct vx_qp *qp, vx_dispatch_function function, void *data);

/**
 * Take completions and call the functions of their QPs.
 *
 * @param num_entries  how many at most
 * @return how many there were, 0 where there was none, or a negative errno with vx_error() filled: -EIO where the CQ cannot be read;
 *         -EDEADLK in one of these functions
 *
 * For one thread at a time. The functions may use, add, make and close anything but the dispatcher, the CQ and
 * what that depends on: vx_close() of these is -EBUSY meanwhile. Stands for ibv_poll_cq(3).
 */
VX_EXPORT int vx_dispatcher_poll(struct vx_dispatcher *dispatcher, int num_entries);

/**
 * Call the function of a completion's QP, as vx_dispatcher_poll() does: of a completion that something else has taken from the CQ, such as
 *
 *	vx_qp_drain(qp, 1000, vx_dispatcher_tell, dispatcher);
 *
 * @param dispatcher  of that CQ; another handle does nothing but fill vx_error()
 *
 * For one thread at a time, together with vx_dispatcher_poll(). Called from within a function of the dispatcher it does nothing but fill vx_error(),
 * with -EDEADLK. The functions may do here what they may do there, but must not post to a QP that is drained: its vx_qp_state() is
 * IBV_QPS_ERR.
 */
VX_EXPORT void vx_dispatcher_tell(const struct ibv_wc *wc, void *dispatcher);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_DISPATCHER_H */
