/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_POOL_H
#define VERBSX_POOL_H

/**
 * @file
 * Buffer pools: memory for messages, which goes out with requests and comes back with their completions.
 *
 *	vx_pool_create(pd, &(struct vx_pool_init){ .count = 256, .size = 4096 }, &pool);
 *	vx_pool_post_recv(pool, qp, 128);
 *	...
 *	while ((n = vx_cq_poll(cq, 16, wc)) > 0) {
 *		for (i = 0; i < n; i++)
 *			if (wc[i].status == IBV_WC_SUCCESS && wc[i].opcode & IBV_WC_RECV)
 *				use(vx_pool_at(pool, wc[i].wr_id), wc[i].byte_len);
 *		rc = vx_pool_done(pool, qp, wc, n);
 *	}
 *
 * A buffer is in the pool, out, or posted. vx_pool_get() takes one out, for a send whose wr_id is vx_pool_wr_id() of it;
 * vx_pool_done() puts it back when that has completed, so each send with a buffer must be signaled. What a pool posts for
 * receives, vx_pool_done() counts and posts again. Buffers do not get lost where posting fails; but those stay posted whose requests
 * never complete, as of a QP that is reset or closed: vx_qp_drain() it before, with a function that calls vx_pool_done(pool, NULL, wc, 1);
 * or vx_pool_take_back() when it was reset.
 *
 * The buffer that came back last goes out first, as caches still have it. A pool is for one thread at a time, unless it is
 * made with VX_POOL_SHARED. Posting takes the locks that the QP or SRQ has.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For vx_pool_init.flags. */
enum vx_pool_flags {
	VX_POOL_SHARED = 1 << 0,	/**< many threads may use the pool at once; no lock is taken */
	VX_POOL_HUGE = 1 << 1,		/**< the memory is in huge pages: -ENOMEM where there are not enough */
};

/** What a new pool is to be like. */
struct vx_pool_init {
	uint32_t comp_mask;	/**< no bits yet, so 0 */
	uint32_t count;		/**< of buffers, at most 0x7fffffff */
	uint32_t size;		/**< of a message in bytes */
	uint32_t headroom;	/**< bytes that come before a message that is received: 40 of a UD QP, for the GRH */
	int access;		/**< of enum ibv_access_flags; 0 is IBV_ACCESS_LOCAL_WRITE */
	uint32_t flags;		/**< of enum vx_pool_flags */
};

VX_EXPORT int vx_pool_create_sized(struct vx_pd *parent, const struct vx_pool_init *init, size_t size, struct vx_pool **out);

/**
 * Make a pool of buffers, all of them in one region.
 *
 * @param parent  the PD of the QPs and SRQs that they are for
 * @param init    without count and size there is none
 * @return 0, or a negative errno with vx_error() filled: that of vx_mr_create(); -EINVAL where count or size is 0, or flags
 *         has an unknown bit; -ENOMEM
 *
 * Messages begin at a multiple of 64 bytes, and all of the memory is zero at first. vx_close() of the pool, or of what it is
 * made under, ends the region: requests with its buffers have to be done before. Thread-safe.
 */
static inline int vx_pool_create(struct vx_pd *parent, const struct vx_pool_init *init, struct vx_pool **out)
{
	return vx_pool_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Take a buffer out.
 *
 * @param index  which one, below count
 * @return 0, -ENOBUFS when all are out, which is no error: vx_error() stays as it was; or -EINVAL with vx_error() filled
 */
VX_EXPORT int vx_pool_get(struct vx_pool *pool, uint32_t *index);

/**
 * Put a buffer back that vx_pool_get() gave.
 *
 * @return 0, or -EINVAL with vx_error() filled, and nothing done: there is no such buffer, or it is not out
 */
VX_EXPORT int vx_pool_put(struct vx_pool *pool, uint32_t index);

/** How many buffers are in the pool. With VX_POOL_SHARED it may be another number by the time that this returns. */
VX_EXPORT uint32_t vx_pool_left(const struct vx_pool *pool);

/** The wr_id for a send of a buffer, by which vx_pool_done() knows it; 0 where there is no such buffer. */
VX_EXPORT uint64_t vx_pool_wr_id(const struct vx_pool *pool, uint32_t index);

/**
 * Where the message in a buffer begins: past the headroom.
 *
 * @param index_or_wr_id  of a buffer, or of a completion
 * @return NULL where it is none of this pool's, as the wr_id of another request of the program
 */
VX_EXPORT void *vx_pool_at(const struct vx_pool *pool, uint64_t index_or_wr_id);

/**
 * The entry by which a request names the message in a buffer.
 *
 * @param length  of the message in bytes, at most vx_pool_init.size; a receive by hand of headroom and all begins so much before
 *                out->addr
 * @return 0, or -EINVAL with vx_error() filled: no such buffer, or a length above its size
 */
VX_EXPORT int vx_pool_sge(const struct vx_pool *pool, uint32_t index, uint32_t length, struct ibv_sge *out);

/** The region of all buffers, for its rkey; it ends with the pool, and not before: vx_close() leaves it as it is. */
VX_EXPORT const struct vx_mr *vx_pool_mr(const struct vx_pool *pool);

/**
 * Post receives, each with a buffer of its own.
 *
 * @param qp     in any state but RESET, without an SRQ
 * @param count  of receives; 0 does nothing
 * @return 0, or a negative errno with vx_error() filled: -ENOBUFS where the pool has fewer buffers, of which none is taken
 *         then; -EAGAIN where the queue is full; -EINVAL of a checked UD QP where vx_pool_init.headroom is below 40; or another
 *         one of ibv_post_recv(3)
 *
 * Where the QP takes some of them only, those are posted, and all other buffers are in the pool again.
 * Stands for ibv_post_recv(3).
 */
VX_EXPORT int vx_pool_post_recv(struct vx_pool *pool, struct vx_qp *qp, uint32_t count);

/** The same for an SRQ. Stands for ibv_post_srq_recv(3). */
VX_EXPORT int vx_pool_post_srq_recv(struct vx_pool *pool, struct vx_srq *srq, uint32_t count);

/**
 * Take back the buffers of requests that have completed, well or not, and post as many receives again as there were.
 *
 * @param qp     whose completions count, and which gets the receives; with an SRQ it is that one which gets them, and those of
 *               all its QPs count. NULL: all completions count, and nothing is posted
 * @param wc     some completions; what was posted without the pool is left alone
 * @param count  of these
 * @return 0, or a negative errno with vx_error() filled once all buffers are back: -EIO for a completion that failed, which
 *         vx_error_text() tells of as vx_wc_error() does, the first that was not just flushed; -EINVAL for one whose buffer is
 *         not out, or not posted any more as the receive that completed, as it was given before, and for a count below 0; else of
 *         vx_pool_post_recv()
 *
 * Nothing is posted to a QP of which one of the completions failed: it would be flushed for ever. An SRQ, which others go on
 * with, gets all. A QP of XRC has no SRQ of its own: give NULL, and post by vx_pool_post_srq_recv(). Programs are done with what they
 * received when they call this. A send whose completion is given twice is not told where its buffer has gone out again in between.
 */
VX_EXPORT int vx_pool_done(struct vx_pool *pool, struct vx_qp *qp, const struct ibv_wc *wc, int count);

/**
 * Take back the buffers of receives that a QP had when it was reset: these never complete.
 *
 * @param qp  in RESET, by vx_qp_reset() or ibv_modify_qp(3); what it received before was polled, as some providers leave that in the CQ
 * @return how many there were, also 0, or a negative errno with vx_error() filled: -EBUSY where the QP is in another state, so that it
 *         may write to them
 *
 * Receives of an SRQ stay there. Buffers of sends are out as before, for vx_pool_put(). Looks at all buffers of the pool.
 */
VX_EXPORT int vx_pool_take_back(struct vx_pool *pool, const struct vx_qp *qp);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_POOL_H */
