/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CM_SERVER_H
#define VERBSX_CM_SERVER_H

/**
 * @file
 * Servers: they listen at an address, make the QP of each connection that they are asked for, and call the program.
 *
 *	vx_cm_server_create(&(struct vx_cm_server_init){ .service = "7471", .request = post_receives, .established = begin,
 *							 .disconnected = forget }, &server);
 *	vx_cm_server_run(server, -1);
 *	vx_cm_server_stop(server, 1000);
 *	vx_close(server);
 *
 * A program with an event loop watches vx_cm_server_fd(), and calls vx_cm_server_step() when that can be read. A server has no thread: its
 * functions are called by whoever takes a step, one after another. It is for one thread at a time, but for vx_cm_server_wake(); several
 * servers may be in as many threads.
 *
 * There where rdma_cma.h is.
 */

#include <verbsx/cm.h>

#if VX_HAS_RDMA_CMA

#ifdef __cplusplus
extern "C" {
#endif

struct vx_cm_server;

/** One of a server's connections. */
struct vx_cm_connection {
	struct vx_cm_server *server;	/**< whose it is */
	struct vx_cm_id *id;		/**< its id: vx_cm_id_disconnect() ends the connection, from any thread; the server closes it */
	struct vx_qp *qp;		/**< its QP, which the server closes as well */
	void *data;			/**< the program's own, NULL at first */
	const struct rdma_conn_param *offer; /**< while request runs: what the peer asks for, and its private data; else NULL */
	struct rdma_conn_param *answer;	/**< while request runs: what it is accepted with, as deep as both can, or of a rejection the private
					     data; else NULL */
};

/** What a new server is to be like. */
struct vx_cm_server_init {
	uint32_t comp_mask;		/**< no bits yet, so 0 */
	int backlog;			/**< how many requests the kernel keeps until a step takes them; 0 is 128 */
	const char *node;		/**< the address of this host, or its name; NULL: any, of any device */
	const char *service;		/**< the port; NULL: one that is free, vx_cm_server_port() */
	const struct vx_cm_qp_init *qp;	/**< what the QP of each is to be like, with a PD, CQs or an SRQ where all share them, made on a
					     context that librdmacm has, which vx_cm_contexts() lends: a PD of one that the program opened
					     is -EINVAL, as is one of another device than the address has; where it listens on any address,
					     requests by another device are rejected, with -EINVAL for failed. NULL: all defaults. It is copied */
	uint32_t most;			/**< connections at a time, those that are not established yet among them; 0: any number */
	uint32_t waiting;		/**< how many more wait until one of these has ended; what comes then is rejected. Who gives up waiting
					     leaves a place */
	int (*request)(struct vx_cm_connection *connection, void *data); /**< told of a request, whose QP is in INIT: the time to post
					     receives. 0: it is accepted; else rejected. NULL: all are accepted */
	void (*established)(struct vx_cm_connection *connection, void *data); /**< told that the QP can send */
	void (*disconnected)(struct vx_cm_connection *connection, int status, void *data); /**< told, once, of each that was accepted,
					     that it has ended, and its QP is in ERR: 0, or a negative errno where it was never
					     established or its device is gone; -ECANCELED: something of it, or the server, is being
					     closed. What it had to do is flushed into the CQ within moments, so a first poll may find nothing yet:
					     vx_qp_drain() of its QP, called here, waits for all of it, and takes what is of others as well
					     where they share the CQ. What is posted to the QP is flushed, too. It is gone when this returns,
					     with its id and QP */
	void (*failed)(int code, void *data); /**< told, with vx_error() filled, that one request could not be served, and was rejected; the
					     server goes on. NULL: nobody is */
	void *data;			/**< for all of these */
	int waiting_ms;			/**< how long one waits at most, then it is rejected: of who gave up without a word nothing is heard. A step
					     does that, for which the descriptor can be read then; 0 is 140,000, by when the kernel of whoever asks
					     has given up; negative: for ever */
	uint32_t reserved_;		/**< 0, else -E2BIG */
};

VX_EXPORT int vx_cm_server_create_sized(const struct vx_cm_server_init *init, size_t size, size_t qp_size, struct vx_cm_server **out);

/**
 * Make a server, which listens from then on.
 *
 * @param init  NULL for all defaults, which accepts whoever comes
 * @return 0, or a negative errno with vx_error() filled: -EADDRINUSE where the port is another's; -EADDRNOTAVAIL where the address is
 *         none of an RDMA device of this host
 *
 * Closing it rejects those that wait, and ends all connections at once; it is -EBUSY while a thread is in vx_cm_server_step(), _run() or
 * _stop() of it, this one too, and -EDEADLK between vx_cq_start_poll() and vx_wc_end() of a checked CQ of its QPs: vx_cm_server_wake() has
 * another thread return first. Closing a PD, CQ or SRQ of init.qp closes the server first. Its
 * connections are made under ids of a channel of its own, which are gone with it. Thread-safe. Stands for rdma_create_event_channel(),
 * rdma_create_id(), rdma_getaddrinfo(3), rdma_bind_addr(3) and rdma_listen(3).
 */
static inline int vx_cm_server_create(const struct vx_cm_server_init *init, struct vx_cm_server **out)
{
	return vx_cm_server_create_sized(init, sizeof(*init), sizeof(struct vx_cm_qp_init), out);
}

/** The descriptor to watch for EPOLLIN, which the server keeps: it can be read when there is something for vx_cm_server_step(). */
VX_EXPORT int vx_cm_server_fd(const struct vx_cm_server *server);

/** The port that it listens at, in the byte order of the host; 0 once it is stopped. */
VX_EXPORT uint16_t vx_cm_server_port(const struct vx_cm_server *server);

/** How many connections it has: being made, established, or not yet closed; without those that wait. */
VX_EXPORT uint32_t vx_cm_server_count(const struct vx_cm_server *server);

/**
 * Do what is to be done, without waiting, and call the program's functions.
 *
 * @param num_events  how many events at most
 * @return how many there were, 0 where there was none, or a negative errno with vx_error() filled: -EIO where the channel cannot be read
 *
 * What a request fails with is for init.failed, and no failure of this. The functions may use, make and close anything but the connection
 * that they are told of, what that depends on, and the server, which are -EBUSY. They may also call this, of their server: what is there
 * is dealt with before it returns, and they are called within themselves, so that what they keep has to be in order before. A thread that
 * is cancelled here is so in init.established, or when all has been done. Stands for rdma_get_cm_event(3), rdma_create_qp(3),
 * rdma_accept(3), rdma_reject(3) and rdma_ack_cm_event(3).
 */
VX_EXPORT int vx_cm_server_step(struct vx_cm_server *server, int num_events);

/**
 * Take steps until the time is up, or somebody calls vx_cm_server_wake().
 *
 * @param timeout_ms  how long; negative: for ever
 * @return 0 when it was woken; -EAGAIN when the time is up, which is no error: vx_error() stays as it was; or another negative errno with
 *         vx_error() filled, as vx_cm_server_step(): -EINTR after a signal
 *
 * In a function of the server it is vx_cm_server_step() that goes on: vx_cm_server_wake() ends the innermost, and that alone.
 */
VX_EXPORT int vx_cm_server_run(struct vx_cm_server *server, int timeout_ms);

/** Have vx_cm_server_run() return 0: that which is running, or the next. From any thread, a function of the server, or a handler of a
 * signal; errno stays as it was. */
VX_EXPORT void vx_cm_server_wake(struct vx_cm_server *server);

/**
 * Drain: listen no more, reject those that wait, disconnect all connections, and take steps until they have ended.
 *
 * @param timeout_ms  how long at most; 0: not at all, and the program takes the steps until vx_cm_server_count() is 0; negative: for ever
 * @return 0 when there are no connections any more; -EAGAIN where there still are some, which is no error; or another negative errno with
 *         vx_error() filled, as vx_cm_server_step()
 *
 * Not from a function of the server but with a timeout of 0. The one that init.request is told of meanwhile does not count: it is rejected
 * when that returns, whatever it says. It may be called again. vx_close() ends what is left.
 */
VX_EXPORT int vx_cm_server_stop(struct vx_cm_server *server, int timeout_ms);

#ifdef __cplusplus
}
#endif

#endif /* VX_HAS_RDMA_CMA */

#endif /* VERBSX_CM_SERVER_H */
