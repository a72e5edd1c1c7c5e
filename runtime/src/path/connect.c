/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connecting QPs through a descriptor: the handshake's bytes there and back, and what it does with QPs. */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbsx/calls.h>

#include "error/fail.h"
#include "handshake.h"
#include "kinds.h"
#include "object/make.h"
#include "path.h"

#define USUAL_TIMEOUT_MS 5000
#define AT_ONCE 4096 /* bytes */

/* ---- QPs ---- */

static int fill_from_qp(struct vx_shake *shake, uint32_t index, struct vx_path *path, struct vx_wire_entry *entry)
{
	struct ibv_port_attr port;
	int rc;

	rc = vx_path_fill(path, shake->qps[index]);
	if (rc == 0)
		rc = vx_ctx_query_port(path->ctx, path->port_num, &port);
	if (rc < 0)
		return rc;
	entry->qp_type = (uint8_t)vx_qp_raw(shake->qps[index])->qp_type;
	entry->link_layer = port.link_layer ? port.link_layer : IBV_LINK_LAYER_INFINIBAND;
	return 0;
}

static int move_qp(struct vx_shake *shake, uint32_t index, const struct vx_path *path)
{
	return vx_qp_to_rts(shake->qps[index], path);
}

static void reset_qp(struct vx_shake *shake, uint32_t index)
{
	vx_qp_reset(shake->qps[index]);
}

/* One that sends already, or has failed, is not to be connected. */
static int check_qp(struct vx_qp *qp, uint32_t index, const char *call)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int rc;

	if (vx_wrong(qp, VX_OBJECT_QP, call, "a QP"))
		return -EINVAL;
	rc = vx_qp_query(qp, &attr, IBV_QP_STATE, &init);
	if (rc < 0 || attr.qp_state == IBV_QPS_RESET || attr.qp_state == IBV_QPS_INIT)
		return rc;
	return vx_fail(-EINVAL, call, VX_NAME(qp), "QP %u is neither in RESET nor in INIT: vx_qp_reset() it first", index + 1);
}

/* ---- bytes ---- */

/* Whether a descriptor can be read, or written, now. */
static bool is_ready(int fd, short events)
{
	struct pollfd one = { .fd = fd, .events = events };

	return poll(&one, 1, 0) > 0;
}

/* Never waits, and raises no signal, of a socket; of anything else no more than it has room for when it says so. */
static ssize_t write_some(int fd, const void *bytes, size_t size)
{
	ssize_t count = send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (count >= 0 || errno != ENOTSOCK)
		return count;
	errno = EAGAIN;
	return is_ready(fd, POLLOUT) ? write(fd, bytes, size < PIPE_BUF ? size : PIPE_BUF) : -1;
}

static ssize_t read_some(int fd, void *bytes, size_t size)
{
	ssize_t count = recv(fd, bytes, size, MSG_DONTWAIT);

	if (count >= 0 || errno != ENOTSOCK)
		return count;
	errno = EAGAIN;
	return is_ready(fd, POLLIN) ? read(fd, bytes, size) : -1;
}

static bool comes_later(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* A peer that has gone may have said why before. @return whether something has changed, or a negative errno */
static int send_what_is_ready(struct vx_shake *shake, int fd)
{
	size_t size;
	const unsigned char *bytes = vx_shake_ready(shake, &size);
	ssize_t count = size ? write_some(fd, bytes, size) : 0;

	if (count < 0 && comes_later())
		return 0;
	vx_shake_sent(shake, count < 0 ? size : (size_t)count);
	if (count < 0 && shake->state == VX_SHAKEN)
		return vx_shake_fail(shake, -ECONNRESET, "the peer was gone");
	return size > 0;
}

/* The same of what comes, and never more than belongs to the handshake. */
static int take_what_comes(struct vx_shake *shake, int fd)
{
	size_t wanted = vx_shake_wants(shake), used;
	unsigned char bytes[AT_ONCE];
	ssize_t count;
	int rc;

	if (!wanted)
		return 0;
	count = read_some(fd, bytes, wanted < sizeof(bytes) ? wanted : sizeof(bytes));
	if (count < 0 && comes_later())
		return 0;
	if (count < 0 && errno != ECONNRESET)
		return vx_shake_fail(shake, vx_code_in_errno(), "the descriptor could not be read");
	if (count <= 0)
		return vx_shake_fail(shake, -ECONNRESET, "the peer was gone");
	rc = vx_shake_feed(shake, bytes, (size_t)count, &used);
	return rc < 0 ? rc : 1;
}

/* ---- time ---- */

/* For poll(2); 0 when the time is up. */
static int left_until(int64_t end)
{
	int64_t left = end - vx_now_ms();

	return left < 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
}

static short events_of(const struct vx_shake *shake)
{
	size_t size;

	vx_shake_ready(shake, &size);
	return (short)((size ? POLLOUT : 0) | (vx_shake_wants(shake) ? POLLIN : 0));
}

/* A failed one only has its refusal to send: when that takes too long, the peer will find out by itself. */
static int out_of_patience(struct vx_shake *shake)
{
	size_t size;

	if (shake->state != VX_NOT_SHAKEN)
		return vx_shake_fail(shake, -ETIMEDOUT, "the time was up");
	vx_shake_ready(shake, &size);
	vx_shake_sent(shake, size);
	return 0;
}

static void shake_hands(struct vx_shake *shake, int fd, int64_t end)
{
	struct pollfd one = { .fd = fd };
	int changed;

	while (!vx_shake_is_over(shake)) {
		changed = send_what_is_ready(shake, fd);
		if (changed >= 0)
			changed |= take_what_comes(shake, fd);
		if (changed)
			continue;
		one.events = events_of(shake);
		if (!left_until(end))
			out_of_patience(shake);
		else
			poll(&one, 1, left_until(end));
	}
}

/* ---- from here to there ---- */

static int64_t end_of_time(int timeout_ms)
{
	if (timeout_ms < 0)
		return INT64_MAX;
	return vx_now_ms() + (timeout_ms ? timeout_ms : USUAL_TIMEOUT_MS);
}

static void tell_peer(const struct vx_shake *shake, struct vx_peer *peer)
{
	peer->size = shake->size;
	if (peer->data)
		memcpy(peer->data, shake->data, shake->size < peer->room ? shake->size : peer->room);
	if (peer->paths)
		memcpy(peer->paths, shake->paths, shake->count * sizeof(*peer->paths));
}

static int shake_all(struct vx_shake *shake, bool connects, int fd, struct vx_peer *peer)
{
	int64_t end = end_of_time(shake->init->timeout_ms);
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < shake->count; i++)
		rc = check_qp(shake->qps[i], i, shake->call);
	if (rc == 0)
		rc = vx_shake_begin(shake, connects);
	if (rc == 0) {
		shake_hands(shake, fd, end);
		rc = shake->rc;
	}
	if (rc == 0)
		tell_peer(shake, peer);
	vx_shake_end(shake);
	return rc;
}

/* What crosses the border, and what both sides do alike. */
static int meet(const char *call, bool connects, struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
		size_t init_size, struct vx_peer *peer, size_t peer_size)
{
	const struct vx_shake_ops qp_ops = { fill_from_qp, move_qp, reset_qp }; /* no table that would need relocations */
	struct vx_connect_init own;
	struct vx_shake shake = { .ops = &qp_ops, .call = call, .qps = qps, .count = count, .init = &own };
	struct vx_peer own_peer;
	int rc;

	if (!qps)
		return vx_null_fail(call, "qps");
	rc = vx_take_in(&own, sizeof(own), init, init_size, call, "init", "size");
	if (rc == 0)
		rc = vx_take_in(&own_peer, sizeof(own_peer), peer, peer_size, call, "peer", "size");
	if (rc < 0)
		return rc;
	if (own.comp_mask)
		return vx_unknown_bits(call, "comp_mask", own.comp_mask, 0);
	rc = shake_all(&shake, connects, fd, &own_peer);
	if (rc == 0)
		vx_give_out(peer, peer_size, &own_peer, sizeof(own_peer));
	return rc;
}

int vx_connect_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init, size_t init_size,
			  struct vx_peer *peer, size_t peer_size)
{
	return meet("vx_connect", true, qps, count, fd, init, init_size, peer, peer_size);
}

int vx_accept_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init, size_t init_size,
			 struct vx_peer *peer, size_t peer_size)
{
	return meet("vx_accept", false, qps, count, fd, init, init_size, peer, peer_size);
}
