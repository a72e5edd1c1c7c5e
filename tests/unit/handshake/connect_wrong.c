/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is wrong with QPs, paths and descriptors before anything is sent. */

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/path/device.h"

TestSuite(connect_wrong, .timeout = 60);

static int ends[2];

/* A peer that waits hears of a mistake that was made before anything was sent. */
static void expect_the_peer_told(bool connects, int code, const char *why)
{
	struct vx_connect_init init = { .timeout_ms = 20000 };
	struct vx_qp *qp = new_qp(IBV_QPT_RC);

	vx_error_clear();
	cr_expect_eq(connects ? vx_connect(qp, ends[1], &init, NULL) : vx_accept(qp, ends[1], &init, NULL), code);
	expect_reason("the other side refused: ");
	expect_reason(why);
}

Test(connect_wrong, wants_qps_that_are_not_connected)
{
	struct vx_qp *qp, *qps[3];
	char byte;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_UD);
	made(vx_qp_to_rts(qp, NULL));
	cr_expect_eq(vx_connect(qp, ends[0], NULL, NULL), -EINVAL);
	expect_reason("it is in IBV_QPS_RTS, and has to be in RESET or INIT: vx_qp_reset() it first");
	expect_the_peer_told(false, -EINVAL, "it is in IBV_QPS_RTS, and has to be in RESET or INIT");
	qp = qps[0] = qps[2] = new_qp(IBV_QPT_RC);
	qps[1] = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_connect_many(qps, 3, ends[0], NULL, NULL), -EINVAL);
	expect_reason("it is one of the QPs twice");
	expect_the_peer_told(false, -EINVAL, "it is one of the QPs twice");
	cr_expect_eq(vx_connect(NULL, ends[0], NULL, NULL), -EINVAL);
	expect_the_peer_told(false, -EINVAL, "a QP is NULL");
	cr_expect_eq(vx_connect_many(NULL, 1, ends[0], NULL, NULL), -EINVAL);
	cr_expect_eq(vx_connect_many(qps, UINT32_MAX, ends[0], NULL, NULL), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_connect_many");
	expect_reason("count is 4294967295");
	expect_the_peer_told(false, -EINVAL, "count is 4294967295");
	cr_expect_eq(vx_accept_many(qps, UINT32_MAX, ends[0], NULL, NULL), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_accept_many");
	expect_the_peer_told(true, -EINVAL, "count is 4294967295");
	cr_expect_eq(close(ends[0]) | close(ends[1]), 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	cr_expect_eq(vx_connect(qp, ends[0], NULL, &(struct vx_peer){ .private_data_room = 1 }), -EINVAL);
	expect_reason("peer.private_data is NULL");
	cr_expect_eq(read(ends[1], &byte, 1), -1, "nothing is said of what the peer does not mind");
	cr_expect_eq(vx_accept(new_qp(IBV_QPT_RC), -1, NULL, NULL), -EBADF);
	close_device();
}

/* Each would take the QP to its own peer, and back if that fails. One that has failed does nothing with it any more. */
Test(connect_wrong, is_of_a_qp_that_a_handshake_has)
{
	struct vx_handshake *one, *other;
	struct vx_qp *qps[2];
	size_t used;

	open_device();
	qps[0] = new_qp(IBV_QPT_RC);
	qps[1] = new_qp(IBV_QPT_RC);
	made(vx_handshake_create(qps[0], &(struct vx_handshake_init){ .qps = qps, .count = 2 }, &one));
	cr_expect_eq(vx_handshake_create(qps[1], NULL, &other), -EBUSY);
	expect_reason(" handshake #1 connects it as well, and has not ended");
	cr_expect_eq(vx_connect(qps[0], -1, NULL, NULL), -EBUSY);
	expect_reason(" connects it as well, and has not ended");
	cr_expect_eq(vx_handshake_create(qps[1], &(struct vx_handshake_init){ .accepts = true }, &other), -EBUSY);
	cr_expect_eq(vx_accept(qps[1], -1, NULL, NULL), -EBUSY);
	cr_expect_eq(vx_handshake_feed(one, "no handshake, sir", 17, &used), -EPROTO);
	made(vx_handshake_create(qps[1], NULL, &other));
	close_device();
}

static void *accept_itself(void *qp)
{
	made(vx_accept(qp, ends[1], NULL, NULL));
	return NULL;
}

/* One that did not begin to send with the number that it expects would lose all, and say that it is sent. */
Test(connect_wrong, is_not_of_a_qp_with_itself)
{
	struct ibv_qp_attr attr;
	pthread_t thread;
	struct vx_qp *qp;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_assert_eq(pthread_create(&thread, NULL, accept_itself, qp), 0);
	made(vx_connect(qp, ends[0], NULL, NULL));
	pthread_join(thread, NULL);
	attr = queried(qp, IBV_QP_SQ_PSN | IBV_QP_RQ_PSN);
	cr_expect_eq(attr.sq_psn, attr.rq_psn);
	close_device();
}

Test(connect_wrong, looks_at_its_own_path_before_it_waits_for_anybody)
{
	struct vx_path path = { .port_num = 9 };
	struct vx_connect_init init = { .timeout_ms = 20, .path = &path };
	struct vx_qp *qp;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_connect(qp, ends[0], &init, NULL), -EINVAL);
	expect_reason("port_num = 9, but the device allows phys_port_cnt = 2");
	expect_the_peer_told(false, -EINVAL, "port_num = 9, but the device allows phys_port_cnt = 2");
	path = (struct vx_path){ .sl = 16 };
	cr_expect_eq(vx_connect(qp, ends[0], &init, NULL), -EINVAL);
	expect_reason("sl = 16, but the most is 15");
	expect_the_peer_told(false, -EINVAL, "sl = 16");
	path = (struct vx_path){ .pkey = 0x1234 };
	cr_expect_eq(vx_connect(qp, ends[0], &init, NULL), -ENOENT);
	expect_reason("0x1234");
	expect_the_peer_told(false, -ENOENT, "0x1234");
	path = (struct vx_path){ .sgid.raw = { 0x20, 1 } };
	cr_expect_eq(vx_accept(qp, ends[0], &init, NULL), -EADDRNOTAVAIL);
	expect_the_peer_told(true, -EADDRNOTAVAIL, "has no GID 2001::");
	close_device();
}

/* The peer would connect all of its QPs to the one whose number it is told. */
Test(connect_wrong, is_not_of_several_qps_at_once_that_a_path_was_filled_for_one_of)
{
	struct vx_path path = { 0 };
	struct vx_connect_init init = { .timeout_ms = 20, .path = &path };
	struct vx_qp *qps[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	open_device();
	qps[0] = new_qp(IBV_QPT_RC);
	qps[1] = new_qp(IBV_QPT_RC);
	made(vx_path_fill(&path, qps[0]));
	cr_expect_eq(vx_connect_many(qps, 2, ends[0], &init, NULL), -EINVAL);
	expect_reason(" is another QP's: each has its own path");
	expect_the_peer_told(false, -EINVAL, " is another QP's: each has its own path");
	cr_expect_eq(vx_path_fill(&path, qps[1]), -EINVAL);
	expect_reason(" is another QP's: each has its own path");
	cr_expect_eq(vx_connect(new_qp(IBV_QPT_UD), ends[0], &init, NULL), -EINVAL);
	expect_reason(" is another QP's: each has its own path");
	if (path.slid) {
		path = (struct vx_path){ .slid = (uint16_t)(path.slid ^ 0x80) };
		cr_expect_eq(vx_connect(qps[1], ends[0], &init, NULL), -EINVAL);
		expect_reason(" is none of port 1, which has LID ");
	}
	close_device();
}

Test(connect_wrong, tells_of_a_socket_that_listens)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_geq(fd, 0);
	cr_assert_eq(listen(fd, 1), 0);
	open_device();
	cr_expect_eq(vx_accept(new_qp(IBV_QPT_RC), fd, NULL, NULL), -ENOTCONN);
	expect_reason("the socket has no peer (of one that listens accept(2) gives that of each) while waiting for an offer");
	cr_expect_eq(vx_connect(new_qp(IBV_QPT_RC), fd, NULL, NULL), -ENOTCONN);
	expect_reason("the socket has no peer");
	close_device();
	close(fd);
}

/* Of a message that is read in parts the rest is gone. */
Test(connect_wrong, wants_a_stream)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_DGRAM };
	struct vx_connect_init init = { .timeout_ms = 20 };
	struct vx_qp *qp;
	char byte;
	size_t i;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		cr_assert_eq(socketpair(AF_UNIX, types[i], 0, ends), 0);
		cr_expect_eq(vx_connect(qp, ends[0], &init, NULL), -EPROTOTYPE);
		expect_reason("the socket is of another type than SOCK_STREAM");
		cr_expect_eq(vx_accept(qp, ends[1], &init, NULL), -EPROTOTYPE);
		cr_expect_eq(recv(ends[1], &byte, 1, MSG_DONTWAIT), -1, "nothing was sent");
	}
	close_device();
}

/* ---- who would wait for nothing ---- */

/* Each side of a pipe goes one way, and a handshake both. */
Test(connect_wrong, does_not_wait_for_what_a_pipe_cannot_do)
{
	struct vx_connect_init init = { .timeout_ms = -1 };
	struct vx_qp *qp;
	char byte;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_assert_eq(pipe(ends), 0);
	cr_expect_eq(vx_connect(qp, ends[1], &init, NULL), -EPROTOTYPE);
	expect_reason("the descriptor can only be written, and both sides have something to say");
	cr_expect_eq(vx_connect(qp, ends[0], &init, NULL), -EPROTOTYPE);
	expect_reason("the descriptor can only be read, and both sides have something to say");
	cr_expect_eq(vx_accept(qp, ends[0], &init, NULL), -EPROTOTYPE);
	cr_assert_eq(close(ends[1]), 0);
	cr_expect_eq(read(ends[0], &byte, 1), 0, "nothing was sent");
	cr_expect_eq(vx_accept(qp, ends[1], &init, NULL), -EBADF);
	close_device();
}


Test(connect_wrong, tells_the_peer_that_something_else_came_first)
{
	struct vx_handshake *handshake;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	open_device();
	cr_assert_eq(write(ends[0], "hello\n", 6), 6);
	made(vx_handshake_create(new_qp(IBV_QPT_RC), NULL, &handshake));
	cr_expect_eq(vx_handshake_step(handshake, ends[0]), -EAGAIN);
	cr_expect_eq(vx_accept(new_qp(IBV_QPT_RC), ends[1], NULL, NULL), -EPROTO);
	expect_reason("byte 0 is 0x68, and each message begins with \"VXQP\": somebody else speaks there, or has said something before");
	cr_expect_eq(vx_handshake_step(handshake, ends[0]), -EPROTO);
	expect_reason("the other side refused: byte 0 is 0x68");
	close_device();
}

Test(connect_wrong, fails_at_once_where_nothing_can_be_sent)
{
	struct vx_connect_init init = { .timeout_ms = 20 };
	struct vx_handshake *handshake;
	struct vx_qp *qp;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	shutdown(ends[1], SHUT_RD);
	cr_expect_eq(vx_connect(qp, ends[0], &init, NULL), -EPIPE);
	expect_reason("the descriptor could not be used while waiting for the answer");
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	made(vx_handshake_create(new_qp(IBV_QPT_RC), NULL, &handshake));
	cr_expect_eq(vx_handshake_step(handshake, ends[1]), -EAGAIN);
	shutdown(ends[0], SHUT_WR);
	cr_expect_eq(vx_accept(qp, ends[0], &init, NULL), -EPIPE);
	expect_reason("while waiting for the peer's READY; the QPs are in RESET");
	cr_expect_eq(vx_handshake_step(handshake, ends[1]), -ECONNRESET);
	close_device();
}

/* ---- threads that are cancelled ---- */

static void *connect_and_wait(void *qp)
{
	vx_connect(qp, ends[0], &(struct vx_connect_init){ .timeout_ms = -1 }, NULL);
	return NULL;
}

static void *accept_and_wait(void *qp)
{
	vx_accept(qp, ends[0], &(struct vx_connect_init){ .timeout_ms = -1 }, NULL);
	return NULL;
}

static void cancel(pthread_t thread)
{
	void *left;

	cr_assert_eq(pthread_cancel(thread), 0);
	pthread_join(thread, &left);
	cr_expect_eq(left, PTHREAD_CANCELED);
}

static void wait_for_bytes(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	cr_assert_eq(poll(&one, 1, -1), 1);
}

Test(connect_wrong, tells_the_peer_that_its_thread_was_cancelled)
{
	struct vx_qp *qp, *peer;
	pthread_t thread;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	peer = new_qp(IBV_QPT_RC);
	cr_assert_eq(pthread_create(&thread, NULL, connect_and_wait, qp), 0);
	wait_for_bytes(ends[1]); /* the offer */
	cancel(thread);
	cr_expect_eq(vx_accept(peer, ends[1], &(struct vx_connect_init){ .timeout_ms = 20000 }, NULL), -ECANCELED);
	expect_reason("the other side refused: its thread was cancelled while waiting for the answer");
	cr_expect_eq(state_of(peer), IBV_QPS_RESET);

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	cr_assert_eq(pthread_create(&thread, NULL, accept_and_wait, qp), 0);
	cancel(thread);
	cr_expect_eq(vx_connect(peer, ends[1], &(struct vx_connect_init){ .timeout_ms = 20000 }, NULL), -ECANCELED);
	expect_reason("the other side refused: its thread was cancelled while waiting for an offer");
	close_device();
}

/* Who waits for the answer takes what comes behind it for the program's. */
Test(connect_wrong, puts_back_what_a_cancelled_thread_has_moved)
{
	char byte[1024];
	struct vx_handshake *handshake;
	struct vx_qp *qp;
	pthread_t thread;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	made(vx_handshake_create(new_qp(IBV_QPT_RC), NULL, &handshake));
	cr_expect_eq(vx_handshake_step(handshake, ends[1]), -EAGAIN);
	cr_assert_eq(pthread_create(&thread, NULL, accept_and_wait, qp), 0);
	wait_for_bytes(ends[1]); /* the answer */
	cr_expect_eq(state_of(qp), IBV_QPS_RTS);
	cancel(thread);
	cr_expect_eq(state_of(qp), IBV_QPS_RESET);
	made(vx_handshake_step(handshake, ends[1]));
	cr_expect_eq(recv(ends[1], byte, sizeof(byte), MSG_DONTWAIT), -1, "nothing came behind it");
	close_device();
}
