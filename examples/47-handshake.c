/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connecting in an event loop: one thread, a handshake for each connection, and nobody waits for a peer that is slow. */

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "example.h"

#define PAIRS 3
#define ENDS (2 * PAIRS)

/* One end of a connection. Of a server's, fd comes of accept4(2), of a client's of connect(2); here both are in one process. */
struct end {
	struct vx_qp *qp;
	struct vx_handshake *handshake; /* NULL once it is over */
	struct vx_path path;		/* the way to the peer's QP */
	char heard[32];			/* what the peer has told beside it */
	int fd;
};

static void begin(struct end *end, struct vx_pd *pd, struct vx_cq *cq, int number)
{
	struct vx_handshake_init init = { .accepts = number % 2 == 0, .timeout_ms = 2000 };
	char name[32];

	snprintf(name, sizeof(name), "%s %d", init.accepts ? "server" : "client", number / 2);
	init.private_data = name; /* it is copied */
	init.private_data_len = sizeof(name);
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &end->qp));
	must(vx_qp_to_init(end->qp, NULL)); /* here receives would be posted */
	must(vx_handshake_create(end->qp, &init, &end->handshake));
}

static void watch(int loop, int operation, struct end *end)
{
	struct epoll_event event = { .events = (uint32_t)vx_handshake_events(end->handshake), .data.ptr = end };

	must_raw(epoll_ctl(loop, operation, end->fd, &event) ? errno : 0, "epoll_ctl");
}

/* One that is done leaves its QPs connected; one that failed has put those back to RESET that it had moved. The stream is the program's again. */
static void finish(int loop, struct end *end, int rc)
{
	struct vx_peer peer = { .paths = &end->path, .private_data = end->heard, .private_data_room = sizeof(end->heard) };

	if (rc == 0)
		must(vx_handshake_peer(end->handshake, &peer));
	else
		printf("%s\n", vx_error_text());
	must_raw(epoll_ctl(loop, EPOLL_CTL_DEL, end->fd, NULL) ? errno : 0, "epoll_ctl");
	must(vx_close(end->handshake));
	end->handshake = NULL;
}

/* Do what can be done now; -EAGAIN is no failure, but what to wait for may be another thing by then. */
static void step(int loop, struct end *end)
{
	int rc = vx_handshake_step(end->handshake, end->fd);

	if (rc == -EAGAIN)
		watch(loop, EPOLL_CTL_MOD, end);
	else
		finish(loop, end, rc);
}

/* How long the loop may sleep: until the first of them has no more time. @return -1 once all are over */
static int left_ms(const struct end *ends)
{
	int i, left, least = -1;

	for (i = 0; i < ENDS; i++) {
		left = ends[i].handshake ? vx_handshake_left_ms(ends[i].handshake) : -1;
		if (left >= 0 && (least < 0 || left < least))
			least = left;
	}
	return least;
}

static void step_late(int loop, struct end *ends)
{
	int i;

	for (i = 0; i < ENDS; i++)
		if (ends[i].handshake && vx_handshake_left_ms(ends[i].handshake) == 0)
			step(loop, &ends[i]);
}

static void run(int loop, struct end *ends)
{
	struct epoll_event events[ENDS];
	int i, count, ms;

	while ((ms = left_ms(ends)) >= 0) {
		count = epoll_wait(loop, events, ENDS, ms);
		for (i = 0; i < count; i++)
			step(loop, events[i].data.ptr);
		step_late(loop, ends);
	}
}

int main(void)
{
	static const char stranger[] = "GET / HTTP/1.1\r\n";
	struct end ends[ENDS] = { 0 };
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	int i, pair[2], loop = epoll_create1(0);

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	for (i = 0; i < ENDS; i++) {
		if (i % 2 == 0)
			must_raw(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) ? errno : 0, "socketpair");
		ends[i].fd = pair[i % 2];
		if (i == ENDS - 1)
			break; /* the last is somebody else, who knows nothing of all this */
		begin(&ends[i], pd, cq, i);
		watch(loop, EPOLL_CTL_ADD, &ends[i]);
	}
	must_raw(write(ends[ENDS - 1].fd, stranger, sizeof(stranger) - 1) < 0 ? errno : 0, "write");

	run(loop, ends);
	for (i = 0; i < ENDS - 1; i++)
		printf("QP %u: %s, %s\n", vx_qp_raw(ends[i].qp)->qp_num, vx_ibv_qp_state_name(vx_qp_state(ends[i].qp)),
		       ends[i].heard[0] ? ends[i].heard : "alone");
	must(vx_close(ctx));
	return 0;
}
