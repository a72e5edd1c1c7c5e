/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handshakes as programs have them: in an event loop, many at once in one thread, and with bytes that are carried by hand. */

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "handshake/handshake_wire.h"
#include "unit/path/device.h"

TestSuite(handshake_handle, .init = open_device, .fini = close_device, .timeout = 60);

static struct vx_handshake *new_handshake(struct vx_qp *qp, bool accepts, int timeout_ms)
{
	struct vx_handshake *handshake;

	made(vx_handshake_create(qp, &(struct vx_handshake_init){ .accepts = accepts, .timeout_ms = timeout_ms }, &handshake));
	return handshake;
}

/* ---- an event loop ---- */

#define PAIRS 25
#define ENDS (2 * PAIRS)

static struct end {
	int fd;
	struct vx_qp *qp;
	struct vx_handshake *handshake;
	int rc;
} ends[ENDS];

static void watch(int loop, struct end *end, int operation)
{
	struct epoll_event event = { .events = (uint32_t)vx_handshake_events(end->handshake), .data.ptr = end };

	cr_assert_eq(epoll_ctl(loop, operation, end->fd, &event), 0);
}

static void open_pair(int loop, size_t i, unsigned int type)
{
	int fds[2], side;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (side = 0; side < 2; side++) {
		struct end *end = &ends[2 * i + (size_t)side];

		*end = (struct end){ .fd = fds[side], .qp = new_qp(type), .rc = -EAGAIN };
		end->handshake = new_handshake(end->qp, side, 0);
		watch(loop, end, EPOLL_CTL_ADD);
	}
}

/* @return whether it is over */
static bool take_step(int loop, struct end *end)
{
	end->rc = vx_handshake_step(end->handshake, end->fd);
	watch(loop, end, end->rc == -EAGAIN ? EPOLL_CTL_MOD : EPOLL_CTL_DEL);
	return end->rc != -EAGAIN;
}

static void run_loop(int loop, size_t open)
{
	struct epoll_event events[8];
	int i, count;

	while (open) {
		count = epoll_wait(loop, events, 8, 5000);
		cr_assert_gt(count, 0, "nothing happens any more");
		for (i = 0; i < count; i++)
			open -= take_step(loop, events[i].data.ptr);
	}
}

Test(handshake_handle, connects_many_in_one_thread)
{
	int loop = epoll_create1(0);
	struct vx_path path;
	size_t i;

	for (i = 0; i < PAIRS; i++)
		open_pair(loop, i, i % 2 ? IBV_QPT_UC : IBV_QPT_RC);
	run_loop(loop, ENDS);
	for (i = 0; i < ENDS; i++) {
		cr_expect_eq(ends[i].rc, 0);
		cr_expect_eq(vx_handshake_step(ends[i].handshake, ends[i].fd), 0, "so it stays");
		made(vx_handshake_peer(ends[i].handshake, &(struct vx_peer){ .paths = &path }));
		cr_expect_eq(path.dqpn, vx_qp_raw(ends[i ^ 1].qp)->qp_num);
		made(vx_close(ends[i].handshake));
		cr_expect_eq(state_of(ends[i].qp), IBV_QPS_RTS, "it stays connected");
	}
	close(loop);
}

/* One that nobody answers is no other's concern. */
Test(handshake_handle, fails_alone)
{
	int loop = epoll_create1(0);
	size_t i;

	for (i = 0; i < 4; i++)
		open_pair(loop, i, i == 2 ? IBV_QPT_UD : IBV_QPT_RC);
	close(ends[1].fd); /* while its handshake is under way: the other side sees the end of the stream */
	made(vx_close(ends[1].handshake));
	made(vx_close(ends[3].qp));
	close(ends[3].fd);
	run_loop(loop, 6);
	for (i = 0; i < 8; i++)
		if (i != 1 && i != 3)
			cr_expect_eq(ends[i].rc, i < 4 ? -ECONNRESET : 0, "%zu: %d", i, ends[i].rc);
	close(loop);
}

/* ---- bytes that are carried by hand ---- */

static struct vx_qp *here, *there;
static struct vx_handshake *one, *other;

static void begin_both(unsigned int type)
{
	here = new_qp(type);
	there = new_qp(type);
	one = new_handshake(here, false, 0);
	other = new_handshake(there, true, 0);
}

/* All that is ready, so many bytes at a time. */
static int carry(struct vx_handshake *from, struct vx_handshake *to, size_t step)
{
	unsigned char bytes[256];
	size_t size, used;
	int rc = 0;

	while (rc == 0 && (size = vx_handshake_take(from, bytes, step))) {
		rc = vx_handshake_feed(to, bytes, size, &used);
		cr_expect(rc < 0 || used == size);
	}
	return rc;
}

static void succeed(size_t step)
{
	cr_expect_eq(vx_handshake_events(one), POLLIN | POLLOUT);
	cr_expect_eq(vx_handshake_events(other), POLLIN);
	made(carry(one, other, step));
	cr_expect_eq(vx_handshake_step(other, -1), -EAGAIN);
	made(carry(other, one, step));
	made(carry(one, other, step));
	cr_expect_eq(vx_handshake_events(one) | vx_handshake_events(other), 0);
	made(vx_handshake_step(one, -1));
	made(vx_handshake_step(other, -1));
}

Test(handshake_handle, needs_no_descriptor)
{
	begin_both(IBV_QPT_RC);
	cr_expect_eq(vx_handshake_peer(one, &(struct vx_peer){ 0 }), -EAGAIN);
	expect_reason("it is not done yet");
	succeed(7);
	cr_expect_eq(vx_qp_state(here), IBV_QPS_RTS);
	cr_expect_eq(vx_qp_state(there), IBV_QPS_RTS);
}

Test(handshake_handle, keeps_what_it_was_given)
{
	uint32_t srqn = 0x77;
	struct vx_path path = { .access = IBV_ACCESS_REMOTE_READ };
	char data[] = "where", room[3] = "";
	struct vx_qp *qps[2] = { new_qp(IBV_QPT_RC), new_qp(IBV_QPT_RC) }, *peers[2] = { new_qp(IBV_QPT_RC), new_qp(IBV_QPT_RC) };
	struct vx_handshake_init init = { .qps = qps, .count = 2, .path = &path, .private_data = data, .private_data_len = sizeof(data) };
	struct vx_peer peer = { .private_data = room, .private_data_room = sizeof(room) };
	uint32_t srqns[2] = { srqn, 0 }, srqns_there[2];

	init.srqns = srqns;
	made(vx_handshake_create(qps[0], &init, &one));
	made(vx_handshake_create(peers[0], &(struct vx_handshake_init){ .accepts = true, .qps = peers, .count = 2 }, &other));
	memset(&path, 0xff, sizeof(path));
	memset(srqns, 0xff, sizeof(srqns));
	memset(data, 'x', sizeof(data));
	qps[1] = NULL;
	succeed(200);
	peer.srqns = srqns_there;
	made(vx_handshake_peer(other, &peer));
	cr_expect_eq(srqns_there[0], srqn);
	cr_expect_eq(peer.private_data_len, sizeof(data));
	cr_expect(!memcmp(room, "whe", 3));
	cr_expect_eq(vx_handshake_peer(other, &(struct vx_peer){ .private_data_room = 1 }), -EINVAL);
	cr_expect_eq(queried(qps[0], IBV_QP_ACCESS_FLAGS).qp_access_flags & IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_READ);
}

/* ---- ended before it is done ---- */

Test(handshake_handle, puts_back_what_it_has_moved_when_it_is_closed)
{
	begin_both(IBV_QPT_RC);
	made(carry(one, other, 200));
	cr_expect_eq(vx_qp_state(there), IBV_QPS_RTS);
	made(vx_close(other));
	cr_expect_eq(state_of(there), IBV_QPS_RESET);
	cr_expect_eq(vx_error()->code, 0);
	made(vx_qp_to_init(here, NULL));
	made(vx_close(one));
	cr_expect_eq(state_of(here), IBV_QPS_INIT, "it was not moved by this");
}

/* READY is made, but never goes. */
Test(handshake_handle, is_not_done_before_the_last_byte_is_taken)
{
	begin_both(IBV_QPT_RC);
	made(carry(one, other, 200));
	made(carry(other, one, 200));
	cr_expect_eq(vx_qp_state(here), IBV_QPS_RTS);
	cr_expect_eq(vx_handshake_step(one, -1), -EAGAIN);
	cr_expect_eq(vx_handshake_peer(one, &(struct vx_peer){ 0 }), -EAGAIN);
	made(vx_close(one));
	cr_expect_eq(state_of(here), IBV_QPS_RESET);
}

/* One that is left can still connect. */
static void succeed_with(struct vx_handshake *left)
{
	one = left;
	other = new_handshake(new_qp(IBV_QPT_RC), true, 0);
	succeed(100);
}

Test(handshake_handle, ends_with_any_of_its_qps)
{
	struct vx_qp *qps[2] = { new_qp(IBV_QPT_RC), new_qp(IBV_QPT_RC) };

	made(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .qps = qps, .count = 2 }, &one));
	made(vx_close(qps[1]));
	made(vx_handshake_create(qps[0], NULL, &other));
	succeed_with(other);
}

/* ---- the rows of what can go wrong ---- */

static int step_of(struct vx_handshake *handshake, int fd)
{
	int rc;

	while ((rc = vx_handshake_step(handshake, fd)) == -EAGAIN)
		poll(&(struct pollfd){ .fd = fd, .events = (short)vx_handshake_events(handshake) }, 1, vx_handshake_left_ms(handshake));
	return rc;
}

static int fds[2];

/* A handshake whose peer sends these bytes and goes. */
static int step_with(bool accepts, struct vx_qp **qp, const void *bytes, size_t size)
{
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	cr_assert_eq(write(fds[1], bytes, size), (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
	*qp = new_qp(IBV_QPT_RC);
	one = new_handshake(*qp, accepts, 2000);
	return step_of(one, fds[0]);
}

static void expect_over(int rc, struct vx_qp *qp)
{
	cr_expect_eq(vx_handshake_events(one), 0);
	cr_expect_eq(vx_handshake_step(one, fds[0]), rc);
	expect_reason("the handshake had failed before");
	cr_expect_eq(vx_handshake_peer(one, &(struct vx_peer){ 0 }), rc);
	cr_expect_eq(state_of(qp), IBV_QPS_RESET);
	made(vx_close(one));
	close(fds[0]);
	close(fds[1]);
}

Test(handshake_handle, fails_where_garbage_comes)
{
	struct vx_qp *qp;
	int accepts;

	for (accepts = 0; accepts < 2; accepts++) {
		cr_expect_eq(step_with(accepts, &qp, "SSH-2.0-OpenSSH_9.2", 19), -EPROTO);
		expect_reason("vx_handshake_step on ");
		expect_reason("byte 0 is 0x53");
		expect_over(-EPROTO, qp);
	}
}

Test(handshake_handle, fails_where_the_version_is_another)
{
	unsigned char bytes[VX_WIRE_HEADER], said[200];
	struct vx_wire_header header;
	struct vx_qp *qp;
	char why[200];

	vx_wire_put_header(bytes, &(struct vx_wire_header){ .version = 2, .type = VX_WIRE_OFFER });
	cr_expect_eq(step_with(true, &qp, bytes, sizeof(bytes)), -EPROTONOSUPPORT);
	cr_expect_gt(read(fds[1], said, sizeof(said)), VX_WIRE_HEADER);
	cr_expect_eq(vx_wire_get_header(said, &header, why, sizeof(why)), 0);
	cr_expect_eq(header.type, VX_WIRE_REFUSE, "both sides know why");
	expect_over(-EPROTONOSUPPORT, qp);
}

/* After each byte of the whole dialogue the peer goes, in both roles. Whatever was moved is back. */
static void die_at(bool accepts, size_t at)
{
	struct vx_handshake *mine, *peer;
	unsigned char byte;
	struct vx_qp *qp;
	size_t count = 0, used;
	int rc = 0;

	begin_both(IBV_QPT_RC);
	mine = accepts ? other : one;
	peer = accepts ? one : other;
	qp = accepts ? there : here;
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (;;) {
		rc = vx_handshake_step(mine, fds[0]);
		while (recv(fds[1], &byte, 1, MSG_DONTWAIT) == 1)
			made(vx_handshake_feed(peer, &byte, 1, &used));
		if (rc != -EAGAIN || count == at || !vx_handshake_take(peer, &byte, 1))
			break;
		cr_assert_eq(write(fds[1], &byte, 1), 1);
		count++;
	}
	close(fds[1]);
	if (rc == -EAGAIN) {
		cr_expect_eq(step_of(mine, fds[0]), -ECONNRESET, "after %zu bytes: %s", count, vx_error_text());
		expect_reason("the peer was gone while waiting for ");
		cr_expect_eq(state_of(qp), IBV_QPS_RESET);
	} else {
		cr_expect_eq(rc, 0);
		cr_expect_eq(count, at);
		cr_expect_eq(state_of(qp), IBV_QPS_RTS);
	}
	close(fds[0]);
	made(vx_close(here));
	made(vx_close(there));
}

Test(handshake_handle, fails_where_the_peer_dies_at_any_byte)
{
	size_t at;

	for (at = 0; at <= VX_WIRE_HEADER + VX_WIRE_ENTRY; at += at < 18 || at > 76 ? 1 : 29)
		die_at(false, at);
	for (at = 0; at <= 2 * VX_WIRE_HEADER + VX_WIRE_ENTRY; at += at < 18 || at > 76 ? 1 : 29)
		die_at(true, at);
}

Test(handshake_handle, fails_when_its_time_is_up)
{
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	here = new_qp(IBV_QPT_RC);
	one = new_handshake(here, true, 30);
	cr_expect_leq(vx_handshake_left_ms(one), 30);
	cr_expect_eq(vx_handshake_step(one, fds[0]), -EAGAIN);
	cr_expect_eq(vx_error()->code, 0, "that is no error");
	cr_expect_eq(step_of(one, fds[0]), -ETIMEDOUT);
	expect_reason("the time was up while waiting for an offer; do both sides accept?");
	cr_expect_eq(vx_handshake_left_ms(one), 0);
	made(vx_close(one));
	one = new_handshake(here, false, -1);
	cr_expect_lt(vx_handshake_left_ms(one), 0);
	made(vx_close(one));
	one = new_handshake(here, false, 1);
	usleep(2000);
	cr_expect_eq(vx_handshake_step(one, -1), -ETIMEDOUT);
}

/* What could not be sent yet of the last message counts as not said. */
Test(handshake_handle, fails_where_its_ready_is_lost)
{
	begin_both(IBV_QPT_RC);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	made(carry(one, other, 200));
	made(carry(other, one, 200)); /* one is connected, and its READY goes into a stream that is closed */
	close(fds[1]);
	cr_expect_eq(vx_handshake_step(one, fds[0]), -ECONNRESET);
	expect_reason("the peer was gone while sending the last message");
	cr_expect_eq(state_of(here), IBV_QPS_RESET);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	close(fds[1]);
	cr_expect_eq(vx_handshake_step(other, fds[0]), -ECONNRESET);
	expect_reason("while waiting for the peer's READY; the QPs are in RESET");
	cr_expect_eq(state_of(there), IBV_QPS_RESET);
}

Test(handshake_handle, tells_the_peer_what_could_not_be_moved)
{
	struct vx_path path = { .access = IBV_ACCESS_MW_BIND };

	here = new_qp(IBV_QPT_RC);
	there = new_qp(IBV_QPT_RC);
	one = new_handshake(here, false, 0);
	made(vx_handshake_create(there, &(struct vx_handshake_init){ .accepts = true, .path = &path }, &other));
	let_fail("modify_qp:EINVAL");
	cr_expect_eq(carry(one, other, 200), -EINVAL);
	let_fail("");
	expect_reason("qp_access_flags");
	cr_expect_eq(state_of(there), IBV_QPS_RESET);
	cr_expect_eq(carry(other, one, 200), -EINVAL);
	expect_reason("the other side refused: ibv_modify_qp on ");
}

Test(handshake_handle, wants_qps_that_are_not_connected)
{
	struct vx_qp *qps[2];

	here = new_qp(IBV_QPT_UD);
	made(vx_qp_to_rts(here, NULL));
	cr_expect_eq(vx_handshake_create(here, NULL, &one), -EINVAL);
	expect_reason("it is in IBV_QPS_RTS, and has to be in RESET or INIT");
	qps[0] = qps[1] = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .qps = qps, .count = 2 }, &one), -EINVAL);
	expect_reason("it is one of the QPs twice");
	cr_expect_eq(vx_handshake_create(here, &(struct vx_handshake_init){ .qps = qps, .count = 2 }, &one), -EINVAL);
	expect_reason("the parent is to be the first of qps");
	qps[1] = NULL;
	cr_expect_eq(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .qps = qps, .count = 2 }, &one), -EINVAL);
	expect_reason("a QP is NULL");
	cr_expect_eq(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .qps = qps, .count = UINT32_MAX }, &one), -EINVAL);
	expect_reason("count is 4294967295: there may be 1 to ");
	cr_expect_eq(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .count = 2 }, &one), -EINVAL);
	expect_reason("qps is NULL");
	cr_expect_eq(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .private_data_len = 70000, .private_data = "" }, &one), -EINVAL);
	cr_expect_eq(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .private_data_len = 7 }, &one), -EINVAL);
	cr_expect_eq(vx_handshake_create(qps[0], NULL, NULL), -EINVAL);
	cr_expect_eq(vx_handshake_create(NULL, NULL, &one), -EINVAL);
}

Test(handshake_handle, minds_what_it_is_given)
{
	unsigned char bytes[4];
	size_t used = 7;

	cr_expect_eq(vx_handshake_step(NULL, 0), -EINVAL);
	cr_expect_eq(vx_handshake_events(NULL) | vx_handshake_left_ms(NULL), 0);
	begin_both(IBV_QPT_RC);
	cr_expect_eq(vx_handshake_feed(one, NULL, 4, &used), -EINVAL);
	cr_expect_eq(vx_handshake_feed(one, bytes, 4, NULL), -EINVAL);
	made(vx_handshake_feed(one, NULL, 0, &used));
	cr_expect_eq(used, 0);
	cr_expect_eq(vx_handshake_take(one, NULL, 4), 0);
	cr_expect_eq(vx_handshake_take(NULL, bytes, 4), 0);
	cr_expect_eq(vx_handshake_feed(NULL, bytes, 4, &used), -EINVAL);
	cr_expect_eq(vx_handshake_peer(one, NULL), -EINVAL);
	cr_expect_eq(vx_handshake_step(one, 9999), -EBADF);
}
