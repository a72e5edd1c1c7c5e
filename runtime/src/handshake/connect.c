/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connecting QPs through a descriptor, and waiting until that is done. */

#include <poll.h>

#include "error/fail.h"
#include "handshake_qps.h"
#include "kinds.h"

static void wait_for_peer(const struct vx_shake *shake, int fd)
{
	struct pollfd one = { .fd = fd, .events = vx_shake_events(shake) };

	poll(&one, 1, vx_shake_left_ms(shake));
}

/* Nobody waits for room for it: of what cannot be sent now the peer will find out by itself. */
static VX_COLD void refuse_at_once(struct vx_shake *shake, int code)
{
	vx_shake_refuse_as_recorded(shake, code);
	shake->end = 0;
}

static int shake_all(struct vx_shake_qps *of, bool connects, int fd, struct vx_peer *peer)
{
	int rc = vx_shake_qps_begin(of, connects);

	if (rc < 0)
		refuse_at_once(&of->shake, rc);
	while ((rc = vx_shake_step(&of->shake, fd)) == -EAGAIN)
		wait_for_peer(&of->shake, fd);
	if (rc == 0)
		vx_shake_tell_peer(&of->shake, peer);
	vx_shake_end(&of->shake);
	return rc;
}

int vx_shake_take_peer(struct vx_peer *own, const struct vx_peer *peer, size_t size, const char *call)
{
	const int rc = vx_take_in(own, sizeof(*own), peer, size, call, "peer", "srqns");

	return rc == 0 && own->private_data_room && !own->private_data ? vx_null_fail(call, "peer.private_data") : rc;
}

/* What crosses the border, and what both sides do alike. */
static int meet(const char *call, bool connects, struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
		size_t init_size, struct vx_peer *peer, size_t peer_size)
{
	struct vx_connect_init own;
	struct vx_shake_qps of = { .shake = { .call = call, .qps = qps, .count = count, .init = &own } };
	struct vx_peer own_peer;
	int rc;

	if (!qps)
		return vx_null_fail(call, "qps");
	rc = vx_take_in(&own, sizeof(own), init, init_size, call, "init", "srqns");
	if (rc == 0)
		rc = vx_shake_take_peer(&own_peer, peer, peer_size, call);
	if (rc < 0)
		return rc;
	if (own.comp_mask)
		return vx_unknown_bits(call, "comp_mask", own.comp_mask, 0);
	rc = shake_all(&of, connects, fd, &own_peer);
	if (rc == 0)
		vx_give_out(peer, peer_size, &own_peer, sizeof(own_peer));
	return rc;
}

int vx_connect_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init, size_t init_size,
			  struct vx_peer *peer, size_t peer_size)
{
	return meet(count == 1 ? "vx_connect" : "vx_connect_many", true, qps, count, fd, init, init_size, peer, peer_size);
}

int vx_accept_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init, size_t init_size,
			 struct vx_peer *peer, size_t peer_size)
{
	return meet(count == 1 ? "vx_accept" : "vx_accept_many", false, qps, count, fd, init, init_size, peer, peer_size);
}
