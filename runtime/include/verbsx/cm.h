/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CM_H
#define VERBSX_CM_H

/**
 * @file
 * Connections by librdmacm: its contexts, and what happens to ids, as values.
 *
 * An id is asynchronous, made on a channel by vx_cm_id_create(), and tells of what happens to it by events of that channel; or it is
 * synchronous, vx_cm_sync_id_create() and vx_cm_ep_create(), and its functions wait. vx_close() of an id closes the QP and the SRQ that
 * were made on it, ends its connection, acknowledges its events, and never waits for one that nobody will acknowledge. vx_close() of a
 * channel closes its ids. What another thread is just closing is -EBUSY. Of an endpoint that listens, vx_close() waits for another thread
 * that is in vx_cm_request_create(), which is until somebody asks; a synchronous id whose other functions wait in another thread is not to
 * be closed.
 *
 * What librdmacm lends is a handle as well: vx_cm_id_ctx() and vx_cm_id_pd() are there once the address of an id is resolved or it is
 * bound to one; what is made on them is as any other object. The PD goes with the last id of its device, and what was made on it before:
 * a PD of one's own, vx_pd_create() on the context, stays. Both, and the CQs that librdmacm makes, are of all who have ids: vx_close() of
 * such a handle gives it back, and closes nothing that was made on it; once more than it was given it is -EBUSY as long as it is used.
 *
 * There where rdma_cma.h is. Functions are thread-safe as long as nobody closes what they are given.
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/calls.h>
#include <verbsx/front.h>

#if VX_HAS_RDMA_CMA

#ifdef __cplusplus
extern "C" {
#endif

/** Which of an event's conn, ud and arg counts. */
enum vx_cm_param {
	VX_CM_PARAM_NONE = 0,	/**< none of them */
	VX_CM_PARAM_CONN = 1,	/**< conn, of a connection */
	VX_CM_PARAM_UD = 2,	/**< ud, of a UD id or a multicast group */
	VX_CM_PARAM_ARG = 3,	/**< arg, of an event that the program wrote itself */
};

/** Something that happened to an id. */
struct vx_cm_event {
	enum rdma_cm_event_type type;	/**< as librdmacm gave it, also one that this libverbsx does not know */
	int status;			/**< 0, or a negative errno: why it is an event of failure */
	uint32_t reject;		/**< of REJECTED on InfiniBand and RoCE: the peer's reason; else 0 */
	uint32_t sidr;			/**< of UNREACHABLE of a UD id: what the peer answered; else 0 */
	struct vx_cm_id *id;		/**< which; of CONNECT_REQUEST a new one, the program's to close. NULL: one that
					     libverbsx does not know */
	struct vx_cm_id *listener;	/**< of CONNECT_REQUEST: the id that listens */
	struct vx_cm_group *group;	/**< of MULTICAST_JOIN and MULTICAST_ERROR: which group, if libverbsx knows it */
	struct vx_cm_channel *channel;	/**< where it came from */
	struct rdma_cm_event *raw;	/**< as librdmacm gave it, until it is acknowledged; not by rdma_ack_cm_event(3) */
	enum vx_cm_param param;		/**< which of the next three counts */
	const struct rdma_conn_param *conn; /**< of a connection: what the peer asks for or has accepted, and its private data, until
					     the event is acknowledged; else NULL */
	const struct rdma_ud_param *ud;	/**< of UD: where the peer or the group is, vx_cm_event_ah(), and private data, as long; else
					     NULL */
	uint64_t arg;			/**< what vx_cm_id_write_cm_event() was given */
	uint64_t number;		/**< for vx_cm_event_ack() */
};

VX_EXPORT int vx_cm_channel_get_event_sized(struct vx_cm_channel *channel, int timeout_ms, struct vx_cm_event *event, size_t size);

/**
 * Wait for something to happen to an id of a channel.
 *
 * @param timeout_ms  how long at most; 0: not at all; negative: for ever
 * @return 0, also where the event tells of a failure: its status does. -EAGAIN when nothing came in time, which is no error:
 *         vx_error() stays as it was; or another negative errno with vx_error() filled: -EINTR after a signal
 *
 * An event loop of poll(2) or epoll(7) watches vx_cm_channel_raw(channel)->fd, and calls this with a timeout of 0 until it returns
 * -EAGAIN. The descriptor does not block from then on, and rdma_get_cm_event(3) is not to be mixed with this. Ids may be closed while
 * another thread waits: their events are not given any more. The channel may not: vx_close() does not know of who waits there. A thread
 * waits for a time, and looks whether it is to end; or it is woken by an event that the program writes, vx_cm_id_write_cm_event().
 *
 * Stands for poll(2) and rdma_get_cm_event(3).
 */
static inline int vx_cm_channel_get_event(struct vx_cm_channel *channel, int timeout_ms, struct vx_cm_event *event)
{
	return vx_cm_channel_get_event_sized(channel, timeout_ms, event, sizeof(*event));
}

/**
 * Say that an event has been dealt with: its conn, ud and raw go, and are NULL then.
 *
 * Closing its id does the same, of CONNECT_REQUEST the listener's. Nothing is done for one that was acknowledged before. Stands for
 * rdma_ack_cm_event(3).
 */
VX_EXPORT void vx_cm_event_ack(struct vx_cm_event *event);

/**
 * An event in one line: what happened to which id, and why, such as "RDMA_CM_EVENT_REJECTED (8) of cm_id #2: nobody listens at
 * this port of the peer (8)".
 *
 * @return the length of all of it, as snprintf(3)
 */
VX_EXPORT size_t vx_cm_event_text(char *buf, size_t len, const struct vx_cm_event *event);

/**
 * Make the AH that leads to the peer or the group of an event of UD; sends with it go to event->ud->qp_num, by event->ud->qkey.
 *
 * @param event  whose param is VX_CM_PARAM_UD, of an id with a PD; not acknowledged
 * @return 0, or a negative errno with vx_error() filled: -EINVAL for another event
 *
 * The AH is of the PD that the id has. Stands for ibv_create_ah(3).
 */
VX_EXPORT int vx_cm_event_ah(const struct vx_cm_event *event, struct vx_ah **out);

/**
 * The contexts of all devices that librdmacm has opened, one a device.
 *
 * @param out    room for handles that are borrowed: close each
 * @param room   how many fit
 * @param count  how many there are; more than @p room are not given
 * @return 0, or a negative errno with vx_error() filled: -ENODEV without a device
 *
 * The last vx_close() of one closes what the program has made on it. There is one exception: once vx_cm_id_pd() or its like have lent
 * something of the device, the context is one that librdmacm lends, as vx_cm_id_ctx() gives it. Then vx_close() closes nothing, and a
 * program closes the PDs and CQs that it has made.
 *
 * Stands for rdma_get_devices(3) and rdma_free_devices(3).
 */
VX_EXPORT int vx_cm_contexts(struct vx_ctx **out, size_t room, size_t *count);

/** rdma_get_recv_comp(3), which calls libibverbs; for verbsx/cm_post.h alone. */
VX_EXPORT int vx_cm_wait_recv(struct rdma_cm_id *id, struct ibv_wc *wc);

/** rdma_get_send_comp(3), likewise. */
VX_EXPORT int vx_cm_wait_send(struct rdma_cm_id *id, struct ibv_wc *wc);

/** Why a request of an id was not posted, or nothing could be waited for: a negative errno, recorded; for verbsx/cm_post.h alone. */
VX_EXPORT VX_RARE int vx_cm_post_fail(const struct vx_cm_id *cm_id, const char *call);

/** The same of one of more bytes than an entry of a request has room for; likewise. */
VX_EXPORT VX_RARE int vx_cm_post_long(const struct vx_cm_id *cm_id, const char *call, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* VX_HAS_RDMA_CMA */

#endif /* VERBSX_CM_H */
