/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_HANDSHAKE_H
#define VERBSX_HANDSHAKE_H

/**
 * @file
 * Connecting QPs as vx_connect() does, without waiting: for event loops, where one thread has many peers, and for programs that
 * carry the bytes themselves.
 *
 *	vx_handshake_create(qp, &(struct vx_handshake_init){ .accepts = true }, &handshake);
 *	while ((rc = vx_handshake_step(handshake, fd)) == -EAGAIN)
 *		poll(&(struct pollfd){ fd, vx_handshake_events(handshake) }, 1, vx_handshake_left_ms(handshake));
 *	if (rc == 0)
 *		rc = vx_handshake_peer(handshake, &peer);
 *	vx_close(handshake);
 *
 * The other side may as well use vx_connect() or vx_accept(): it is the same on the wire. A handshake is for one thread at a time;
 * several, of other QPs, may be in as many threads.
 */

#include <stdbool.h>

#include <verbsx/connect.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a new handshake is to be like. Of all that it points to it has a copy. */
struct vx_handshake_init {
	uint32_t comp_mask;		/**< no bits yet, so 0 */
	bool accepts;			/**< it waits for the offer of one that connects; false: it connects */
	struct vx_qp *const *qps;	/**< all QPs, of which the parent is the first; NULL: the parent alone */
	uint32_t count;			/**< of these */
	int timeout_ms;			/**< for all of it, from now on; 0 is 5000, negative for ever */
	const struct vx_path *path;	/**< as in struct vx_connect_init */
	const void *private_data;	/**< for the peer, such as an address and an rkey */
	size_t private_data_len;	/**< its length in bytes, at most 65536 */
	const uint32_t *srqns;		/**< as in struct vx_connect_init */
};

VX_EXPORT int vx_handshake_create_sized(struct vx_qp *parent, const struct vx_handshake_init *init, size_t size,
					struct vx_handshake **out);

/**
 * Begin a handshake. Nothing is said yet, and no QP moved.
 *
 * @param parent  a QP, in RESET, or in INIT with receives posted; as all others
 * @param init    NULL for all defaults
 * @return 0, or a negative errno with vx_error() filled: -EINVAL of QPs in other states, of several contexts, or there twice; -EBUSY where
 *         another handshake that has not ended has one of them as well. The peer is not told, and waits until
 *         its time is up or the stream is closed
 *
 * Closing it, or any of the QPs, before it is done puts those that it has moved back to RESET; the peer finds out when it is told, such
 * as by close(2) of the stream, or by its time. Closing it when it is done leaves them connected. Thread-safe.
 */
static inline int vx_handshake_create(struct vx_qp *parent, const struct vx_handshake_init *init, struct vx_handshake **out)
{
	return vx_handshake_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Do all that can be done without waiting: send what is ready, take what has come, and move the QPs when it is time for that.
 *
 * @param fd  a stream to the peer, blocking or not: a socket, or what poll(2) can wait for; the same each time. Nothing is read behind
 *            the handshake. -1: vx_handshake_feed() and vx_handshake_take() carry the bytes, and only the time is looked at
 * @return 0: it is done, and so it stays; -EAGAIN, which is no error: wait for vx_handshake_events() on fd, vx_handshake_left_ms() at
 *         most, and come again, vx_error() stays as it was; or another negative errno with vx_error() filled, as vx_connect_many().
 *         Then the QPs are not moved, or back in RESET, and the sentence for the peer was sent as far as there was room
 *
 * Moving takes some calls into the kernel a QP. One that has failed fails again, and sends what is left of that sentence.
 */
VX_EXPORT int vx_handshake_step(struct vx_handshake *handshake, int fd);

/**
 * What to wait for.
 *
 * @return POLLIN and POLLOUT, of poll(2) and epoll_ctl(2): there is something to be fed, and to be taken; 0: it is over, well or not
 */
VX_EXPORT int vx_handshake_events(const struct vx_handshake *handshake);

/** How long to wait, in milliseconds, for poll(2): 0 when the time is up; negative: for ever. */
VX_EXPORT int vx_handshake_left_ms(const struct vx_handshake *handshake);

/**
 * Hand it bytes that have come from the peer, without a descriptor.
 *
 * @param bytes  of any number
 * @param used   how many it took: those behind them are not of the handshake
 * @return 0, done or not, which vx_handshake_step() tells; or a negative errno with vx_error() filled, as that does. What is ready to
 *         be taken then is to tell the peer
 */
VX_EXPORT int vx_handshake_feed(struct vx_handshake *handshake, const void *bytes, size_t size, size_t *used);

/**
 * Take bytes that are to go to the peer, in order: until there are none, after it was made and each time when it was fed.
 *
 * @param bytes  room for some
 * @param size   how many there is room for
 * @return how many there are now; 0: none
 */
VX_EXPORT size_t vx_handshake_take(struct vx_handshake *handshake, void *bytes, size_t size);

VX_EXPORT int vx_handshake_peer_sized(const struct vx_handshake *handshake, struct vx_peer *peer, size_t size);

/**
 * What the peer has told, once it is done.
 *
 * @param peer  with the places for it
 * @return 0, or a negative errno with vx_error() filled: -EAGAIN where it is not done yet; what it failed with
 */
static inline int vx_handshake_peer(const struct vx_handshake *handshake, struct vx_peer *peer)
{
	return vx_handshake_peer_sized(handshake, peer, sizeof(*peer));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_HANDSHAKE_H */
