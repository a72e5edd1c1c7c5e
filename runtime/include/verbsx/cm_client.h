/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CM_CLIENT_H
#define VERBSX_CM_CLIENT_H

/**
 * @file
 * Clients: from an address to a connected QP.
 *
 *	vx_cm_client_connect(&(struct vx_cm_client_init){ .node = "10.1.0.1", .service = "7471" }, &client);
 *	qp = vx_cm_client_qp(client);
 *	...
 *	vx_close(client);
 *
 * or, in an event loop, step by step and without waiting:
 *
 *	vx_cm_client_create(&init, &client);
 *	while ((rc = vx_cm_client_step(client)) == -EAGAIN)
 *		poll(&(struct pollfd){ vx_cm_client_fd(client), POLLIN }, 1, vx_cm_client_left_ms(client));
 *
 * A client is for one thread at a time; several may be in as many threads. There where rdma_cma.h is.
 */

#include <verbsx/cm.h>

#if VX_HAS_RDMA_CMA

#ifdef __cplusplus
extern "C" {
#endif

struct vx_cm_client;

/** What a new client is to be like. Of all that it points to it has a copy. */
struct vx_cm_client_init {
	uint32_t comp_mask;		/**< no bits yet, so 0 */
	int timeout_ms;			/**< for all of it, from now on; 0 is 5000, negative for ever */
	const char *node;		/**< the peer's address, or its name */
	const char *service;		/**< its port */
	const struct vx_cm_qp_init *qp;	/**< what the QP is to be like, with a PD, CQs or an SRQ of a context that librdmacm has, which
					     vx_cm_contexts() lends; NULL: all defaults */
	uint32_t retries;		/**< how often it begins again when a try has failed that may go well later, as nobody listens yet */
	uint32_t pause_ms;		/**< before the first of these, and twice as long before each other, up to a second; 0 is 20 */
	const void *private_data;	/**< for the peer */
	size_t private_data_len;	/**< its length in bytes, at most 56 */
	int (*prepare)(struct vx_cm_client *client, void *data); /**< called before each try asks for the connection, when the QP is in
					     INIT: the time to post receives. Return 0 to go on. A negative errno makes the client fail with
					     it (-EAGAIN becomes -EBUSY), any other value with -ECANCELED. NULL: nothing is called */
	void *data;			/**< for prepare */
};

VX_EXPORT int vx_cm_client_create_sized(const struct vx_cm_client_init *init, size_t size, size_t qp_size, struct vx_cm_client **out);

/**
 * Begin to connect. What node and service are is looked up, for which name servers may be waited for; all else is for
 * vx_cm_client_step().
 *
 * @return 0, or a negative errno with vx_error() filled: -ENOENT for a name that nobody knows, -EINVAL without one
 *
 * Closing it ends the connection, its id and its QP; from init->prepare it is -EBUSY, as is closing its id or QP there, and no other thread
 * may be in a step of it. Closing a PD, CQ or SRQ of init->qp closes the client first. Thread-safe. Stands for
 * rdma_create_event_channel() and rdma_getaddrinfo(3).
 */
static inline int vx_cm_client_create(const struct vx_cm_client_init *init, struct vx_cm_client **out)
{
	return vx_cm_client_create_sized(init, sizeof(*init), sizeof(struct vx_cm_qp_init), out);
}

VX_EXPORT int vx_cm_client_connect_sized(const struct vx_cm_client_init *init, size_t size, size_t qp_size, struct vx_cm_client **out);

/**
 * Connect to what listens at an address: vx_cm_client_create(), and all steps.
 *
 * @return 0, or a negative errno with vx_error() filled, as vx_cm_client_step(); then there is no client
 *
 * Where its thread is cancelled there is none either. Thread-safe.
 */
static inline int vx_cm_client_connect(const struct vx_cm_client_init *init, struct vx_cm_client **out)
{
	return vx_cm_client_connect_sized(init, sizeof(*init), sizeof(struct vx_cm_qp_init), out);
}

/**
 * Do all that can be done without waiting.
 *
 * @return 0: it is connected, and its QP can send; -EAGAIN, which is no error: wait for vx_cm_client_fd(), vx_cm_client_left_ms() at most,
 *         and come again, vx_error() stays as it was; or another negative errno with vx_error() filled, which says what of it failed, and
 *         why: -ETIMEDOUT when the time is up; -ECONNREFUSED with the peer's reason, such as that nobody listens there (8);
 *         -EHOSTUNREACH; -ECANCELED when its id or QP was closed before the peer's answer; -ENOTCONN once the connection has ended; what
 *         init->prepare returned; -EBUSY for what would be -EAGAIN; -EDEADLK where a try has failed within this thread's loop over a checked
 *         CQ of its QP, which has to be closed for the next. One that has failed fails again
 *
 * Of an address that is a list each is tried in turn. Stands for rdma_resolve_addr(3), rdma_resolve_route(3), rdma_create_qp(3),
 * rdma_connect(3), and rdma_get_cm_event(3) for each.
 */
VX_EXPORT int vx_cm_client_step(struct vx_cm_client *client);

/** The descriptor to watch for EPOLLIN, which the client keeps. It can be read as well when the connection has ended. */
VX_EXPORT int vx_cm_client_fd(const struct vx_cm_client *client);

/** How long to wait, in milliseconds, for poll(2): 0 when there is something to do, or it is no client; negative: for ever, as of what is over. */
VX_EXPORT int vx_cm_client_left_ms(const struct vx_cm_client *client);

/** Its id, which it keeps: of the try that is under way; NULL before the first step, between two, and where the program
 * has closed it, which ends the connection. Where the program moves it by vx_cm_id_migrate() its events are that channel's, which is told of the
 * end in the place of the client; it still goes with that. */
VX_EXPORT struct vx_cm_id *vx_cm_client_id(const struct vx_cm_client *client);

/** Its QP, which it keeps; NULL as long as there is none. */
VX_EXPORT struct vx_qp *vx_cm_client_qp(const struct vx_cm_client *client);

/**
 * What the peer has told last: as it accepted, or, with nothing but private data, as it rejected.
 *
 * @return it, there as long as the client; private_data is as long as its message has room for, so with zeros behind what the peer gave.
 *         NULL: nothing so far
 */
VX_EXPORT const struct rdma_conn_param *vx_cm_client_answer(const struct vx_cm_client *client);

#ifdef __cplusplus
}
#endif

#endif /* VX_HAS_RDMA_CMA */

#endif /* VERBSX_CM_CLIENT_H */
