/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_EVENT_H
#define VERBSX_EVENT_H

/**
 * @file
 * What a device and its completion queues report.
 *
 * rdma-core wants every event acknowledged, and destroys no object before. Here that is no duty: closing an object
 * acknowledges those of its events that these functions have given, completion events many at a time. Do not mix them
 * with ibv_get_cq_event(3) and ibv_get_async_event(3) on the same channel or context: the events that those give have to
 * be acknowledged by the program, or vx_close() waits for ever; and they do not wait for one any more, as these functions
 * set O_NONBLOCK of the descriptor, of what is borrowed as well, and leave it so when the handle is closed.
 *
 * All are thread-safe, and QPs, CQs, SRQs and WQs may be closed while another thread waits for events: those about an
 * object that is being closed are acknowledged, and not given. The channel or context that is waited on may not be closed:
 * wait with a timeout, and close it when the thread has come back; or cancel the thread (pthread_cancel(3)) and join it.
 *
 * An event loop of poll(2) or epoll(7) watches vx_comp_channel_raw(channel)->fd and vx_ctx_raw(ctx)->async_fd. When
 * one of them can be read, call its function with a timeout of 0 until that returns -EAGAIN.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Something that happened to an object, a port or the device. */
struct vx_async_event {
	enum ibv_event_type type;	/**< one that this libverbsx does not know is given as it came, and acknowledged */
	uint32_t port_num;		/**< from 1; 0 where it is not about a port */
	void *object;			/**< the handle of the QP, CQ, SRQ or WQ that it is about; else NULL, as for one
					     that libverbsx does not know */
	struct vx_ctx *ctx;		/**< where it came from */
	uint64_t number;		/**< for vx_async_event_ack(); 0 where no acknowledgement is needed */
	struct ibv_async_event raw;	/**< as rdma-core gave it; to be acknowledged by vx_async_event_ack() only, as
					     closing the object would wait for ever after a second time */
};

VX_EXPORT int vx_ctx_get_async_event_sized(struct vx_ctx *ctx, int timeout_ms, struct vx_async_event *event, size_t size);

/**
 * Wait for something to happen to a device, one of its ports or one of its objects.
 *
 * @param timeout_ms  how long at most; 0: not at all; negative: for ever
 * @return 0; -EAGAIN when nothing came in time, which is no error: vx_error() stays as it was; or another negative errno
 *         with vx_error() filled: -EINTR after a signal
 *
 * Stands for poll(2) and ibv_get_async_event(3).
 */
static inline int vx_ctx_get_async_event(struct vx_ctx *ctx, int timeout_ms, struct vx_async_event *event)
{
	return vx_ctx_get_async_event_sized(ctx, timeout_ms, event, sizeof(*event));
}

/**
 * Say that an event has been dealt with.
 *
 * Until then, or until its object is closed, an event takes a little memory. Nothing is done for one that was acknowledged
 * before, whose object was closed, or that is about a port or the device. An object that libverbsx does not know is not
 * destroyed before its events are acknowledged. The context must still be open. Stands for ibv_ack_async_event(3).
 */
VX_EXPORT void vx_async_event_ack(const struct vx_async_event *event);

/** A CQ has completions. */
struct vx_comp_event {
	struct vx_cq *cq;		/**< the handle; NULL for a CQ that libverbsx neither made nor adopted */
	struct ibv_cq *raw;		/**< the CQ of rdma-core, in either case; not to be acknowledged */
	void *cq_context;		/**< what it was made with */
};

VX_EXPORT int vx_comp_channel_get_event_sized(struct vx_comp_channel *channel, int timeout_ms, struct vx_comp_event *event,
					      size_t size);

/**
 * Wait for a CQ that was armed by vx_cq_req_notify() or ibv_req_notify_cq(3) to have completions.
 *
 * @param timeout_ms  how long at most; 0: not at all; negative: for ever
 * @param event       whose completions they are
 * @return 0; -EAGAIN when nothing came in time, which is no error: vx_error() stays as it was; or another negative errno
 *         with vx_error() filled: -EINTR after a signal
 *
 * The event is acknowledged with all others when the CQ is closed; that of a CQ without a handle has been acknowledged, and
 * keeps nobody from destroying it. Stands for poll(2) and ibv_get_cq_event(3).
 */
static inline int vx_comp_channel_get_event(struct vx_comp_channel *channel, int timeout_ms, struct vx_comp_event *event)
{
	return vx_comp_channel_get_event_sized(channel, timeout_ms, event, sizeof(*event));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_EVENT_H */
