/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CONNECT_H
#define VERBSX_CONNECT_H

/**
 * @file
 * Connecting QPs through a socket, or whatever two programs have between them, without a connection manager.
 *
 *	vx_qp_to_init(qp, NULL);	// and post receives, which the peer may send to as soon as this returns
 *	vx_connect(qp, fd, NULL, NULL);	// vx_accept() on the other side
 *
 * Each side tells the other where its QPs are, with data of the program; both agree on what both can, and bring their QPs to
 * RTS. Nothing is read behind that: the stream is the program's again. RC and UC meet their like, XRC senders receivers, and
 * UD QPs learn of each other. Where it fails on one side it fails on both, with the sentence of the side that knows why.
 */

#include <verbsx/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to connect; all 0 is right for most. */
struct vx_connect_init {
	uint32_t comp_mask;		/**< no bits yet, so 0 */
	int timeout_ms;			/**< for all of it; 0 is 5000, negative for ever */
	const struct vx_path *path;	/**< what is to be other than vx_path_fill() would have it, of all QPs: port_num, sgid,
					     access, qkey. sl, traffic_class, flow_label and hop_limit are those of the peer
					     where that says something and this side does not. One that is filled is of its QP
					     alone. NULL: nothing */
	const void *private_data;	/**< for the peer, such as an address and an rkey */
	size_t private_data_len;	/**< its length in bytes, at most 65536 */
	const uint32_t *srqns;		/**< one a QP: the SRQ that the peer's XRC sender is to send to, by its number, as
					     vx_srq_get_num() gives it; NULL: none */
};

/** What the peer has told. */
struct vx_peer {
	struct vx_path *paths;		/**< room for one a QP, or NULL: the way to the peer's, as it was agreed on. Of datagrams qkey
					     is the peer's */
	void *private_data;		/**< room for its data, or NULL */
	size_t private_data_room;	/**< of these, in bytes; 0 where it is NULL */
	size_t private_data_len;	/**< how many bytes its data have; those that there was no room for are lost */
	uint32_t *srqns;		/**< room for one a QP, or NULL: its SRQs, for requests of XRC; 0 where it has told none */
};

VX_EXPORT int vx_connect_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
				    size_t init_size, struct vx_peer *peer, size_t peer_size);
VX_EXPORT int vx_accept_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
				   size_t init_size, struct vx_peer *peer, size_t peer_size);

/**
 * Connect QPs with those that vx_accept_many() has on the other side, the first with the first, all with one message each way.
 *
 * @param qps    in RESET, or in INIT with receives posted
 * @param count  of qps, 1 to 15360
 * @param fd     a stream to the peer, blocking or not: a socket, or what poll(2) can wait for
 * @param init   NULL is all 0
 * @param peer   may be NULL
 * @return 0, or a negative errno with vx_error() filled: -EPROTO where something else came, such as what the
 *         peer's program had said before and nobody has read, on both sides, unless it came in place of the last message, whose sender has
 *         returned; -EPROTOTYPE of a socket that is no SOCK_STREAM, or an end of a pipe, at once; -EINVAL or -EPROTONOSUPPORT where the two do not fit together, on
 *         both sides, such as of types, link layers, versions of RoCE or partitions; -ECONNRESET where the peer is gone; -EPIPE where fd is
 *         shut down for what is to be sent; -ETIMEDOUT, such as where both sides accept. QPs that had been moved are in RESET then, and receives that were posted in INIT are gone. What is wrong with qps or init the
 *         peer is told as well, in place of the first message, as far as there is room for it without waiting. Nothing is sent where qps
 *         is NULL, peer is wrong, or init has what this library does not know
 *
 * When it returns, the peer can receive. The peer learns of that by a last message: should that get lost with the stream, its
 * vx_accept() fails, and what is sent from here is answered by nobody. A thread that is cancelled (pthread_cancel(3)) is so while
 * it waits for the peer: nothing is left of it, QPs that it had moved are in RESET, and the peer is told, which fails with -ECANCELED, unless
 * this side had answered it. Thread-safe.
 */
static inline int vx_connect_many(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
				  struct vx_peer *peer)
{
	return vx_connect_many_sized(qps, count, fd, init, sizeof(*init), peer, sizeof(*peer));
}

/** The other side of vx_connect_many(); when it returns, the peer can receive as well. Thread-safe. */
static inline int vx_accept_many(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
				 struct vx_peer *peer)
{
	return vx_accept_many_sized(qps, count, fd, init, sizeof(*init), peer, sizeof(*peer));
}

/**
 * Connect a QP with the one that vx_accept() has on the other side: vx_connect_many() of one.
 *
 * @param qp    in RESET, or in INIT with receives posted
 * @param fd    a stream to the peer, blocking or not: a socket, or what poll(2) can wait for
 * @param init  NULL is all 0
 * @param peer  may be NULL
 * @return 0, or a negative errno with vx_error() filled: which there are, and what they leave behind, is told of vx_connect_many()
 *
 * When it returns, the peer can receive. Thread-safe.
 */
static inline int vx_connect(struct vx_qp *qp, int fd, const struct vx_connect_init *init, struct vx_peer *peer)
{
	return vx_connect_many(&qp, 1, fd, init, peer);
}

/**
 * The other side of vx_connect(): vx_accept_many() of one.
 *
 * @param qp    in RESET, or in INIT with receives posted
 * @param fd    a stream to the peer, blocking or not
 * @param init  NULL is all 0
 * @param peer  may be NULL
 * @return 0, or a negative errno with vx_error() filled, as vx_connect_many()
 *
 * When it returns, the peer can receive as well. Thread-safe.
 */
static inline int vx_accept(struct vx_qp *qp, int fd, const struct vx_connect_init *init, struct vx_peer *peer)
{
	return vx_accept_many(&qp, 1, fd, init, peer);
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_CONNECT_H */
