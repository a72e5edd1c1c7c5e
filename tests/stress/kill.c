/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A process that talks to others, one after the other, each of which is killed at random: while it connects, or later. It tells of
 * each what became of it, and goes on with the next, by the same QP.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define SENDS 4			/* under way */
#define SLOTS (RECEIVES + SENDS)
#define RECEIVING 1000		/* wr_id of a receive, plus its slot */
#define LONGEST_CHILDHOOD_MS 20	/* of one that may be killed while it connects */
#define LONGEST_LIFE_MS 100	/* of one that is connected */
#define PATIENCE_MS 20000	/* until the death of a peer has been seen */

/* ---- either side ---- */

struct talker {
	struct vx_ctx *ctx;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_poller *poller;
	uint64_t sent, received;
	bool survives;
};

static void open_talker(struct talker *t, bool survives)
{
	struct vx_comp_channel *channel;
	struct vx_pd *pd;

	*t = (struct talker){ .survives = survives };
	made(vx_ctx_open_index(0, &t->ctx));
	made(vx_pd_create(t->ctx, NULL, &pd));
	made(vx_comp_channel_create(t->ctx, NULL, &channel));
	made(vx_cq_create(t->ctx, &(struct vx_cq_init){ .channel = channel }, &t->cq));
	made(vx_poller_create(t->cq, NULL, &t->poller));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = SLOTS * LARGEST, .access = IBV_ACCESS_LOCAL_WRITE }, &t->mr));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = t->cq, .recv_cq = t->cq,
						    .cap = { .max_send_wr = SENDS, .max_recv_wr = RECEIVES } }, &t->qp));
}

static void *slot(const struct talker *t, uint64_t number)
{
	return (char *)vx_mr_addr(t->mr) + number * LARGEST;
}

/* Of the n-th message of either side. */
static uint64_t stamp_of(uint64_t n, bool survivor)
{
	struct chance chance = { 2 * n + survivor };

	return draw(&chance);
}

static uint32_t length_of(uint64_t stamp)
{
	return (uint32_t)(1 + stamp % LARGEST);
}

static void receive(const struct talker *t, uint64_t number)
{
	struct ibv_sge sge = { (uintptr_t)slot(t, number), LARGEST, vx_mr_lkey(t->mr) };

	made(vx_qp_post_recv_one(t->qp, RECEIVING + number, &sge, 1));
}

static void send_next(struct talker *t)
{
	uint64_t number = RECEIVES + t->sent % SENDS, stamp = stamp_of(t->sent, t->survives);
	struct ibv_sge sge = { (uintptr_t)slot(t, number), length_of(stamp), vx_mr_lkey(t->mr) };

	write_data(slot(t, number), sge.length, stamp);
	t->sent++;
	made(vx_qp_post_send_one(t->qp, number, IBV_SEND_SIGNALED, &sge, 1));
}

/* ---- talking ---- */

static void take_message(struct talker *t, const struct ibv_wc *wc)
{
	uint64_t stamp = stamp_of(t->received++, !t->survives);

	must(wc->byte_len == length_of(stamp));
	must(is_data(slot(t, wc->wr_id - RECEIVING), wc->byte_len, stamp));
	receive(t, wc->wr_id - RECEIVING);
}

/* @return whether it went well */
static bool go_on(struct talker *t, const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS)
		return false;
	if (wc->wr_id >= RECEIVING)
		take_message(t, wc);
	else
		send_next(t);
	return true;
}

/* Until a completion fails, which is returned. */
static struct ibv_wc talk(struct talker *t)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < SENDS; i++)
		send_next(t);
	do
		must(vx_poller_poll(t->poller, 1, &wc, PATIENCE_MS) == 1);
	while (go_on(t, &wc));
	return wc;
}

static const struct vx_path patient = { .timeout = 14 };

static void get_ready(struct talker *t)
{
	uint64_t i;

	made(vx_qp_to_init(t->qp, NULL));
	for (i = 0; i < RECEIVES; i++)
		receive(t, i);
	t->sent = t->received = 0;
}

/* ---- the one that goes on ---- */

static uint32_t gone_early, gone_late;

static void see(const struct ibv_wc *wc, void *data)
{
	(void)wc, (void)data;
}

/* A sentence about it, and all as it was before. */
static void tell_and_tidy(struct talker *t, const struct ibv_wc *wc)
{
	char text[1536];

	must(vx_wc_error(text, sizeof(text), wc, t->qp, wc->wr_id < RECEIVING ? IBV_WC_SEND : IBV_WC_RECV) > 0);
	if (!gone_late++)
		printf("%s\n", text);
	must(strstr(text, "IBV_WC_RETRY_EXC_ERR") || strstr(text, "IBV_WC_WR_FLUSH_ERR"));
	made(vx_qp_drain(t->qp, PATIENCE_MS, see, NULL));
	made(vx_qp_reset(t->qp));
}

static void tell_of_early_end(struct talker *t, int rc)
{
	must(rc == -ECONNRESET);
	must(strstr(vx_error_text(), "the peer was gone while "));
	if (!gone_early++)
		printf("%s\n", vx_error_text());
	made(vx_qp_reset(t->qp));
}

static void serve(struct talker *t, int fd)
{
	struct vx_connect_init init = { .path = &patient, .timeout_ms = PATIENCE_MS };
	struct ibv_wc wc;
	int rc;

	get_ready(t);
	rc = vx_accept(t->qp, fd, &init, NULL);
	if (rc == 0) {
		wc = talk(t);
		tell_and_tidy(t, &wc);
	} else {
		tell_of_early_end(t, rc);
	}
	close(fd);
}

static int survive(int listening, int64_t end)
{
	struct talker t;

	alarm((unsigned int)((end - now_ms() + 3 * PATIENCE_MS) / 1000));
	open_talker(&t, true);
	while (poll(&(struct pollfd){ .fd = listening, .events = POLLIN }, 1, 100) > 0 || now_ms() < end)
		if (poll(&(struct pollfd){ .fd = listening, .events = POLLIN }, 1, 0) > 0)
			serve(&t, accept(listening, NULL, NULL));
	made(vx_close(t.ctx));
	printf("%u were gone before they were connected, %u later\n", gone_early, gone_late);
	must(gone_late);
	fflush(stdout);
	return 0;
}

/* ---- those that are killed ---- */

static void live_until_killed(const struct sockaddr_un *address, socklen_t size, int tells)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct talker t;

	open_talker(&t, false);
	get_ready(&t);
	must(!connect(fd, (const struct sockaddr *)address, size));
	made(vx_connect(t.qp, fd, &(struct vx_connect_init){ .path = &patient, .timeout_ms = -1 }, NULL));
	must(write(tells, "!", 1) == 1);
	talk(&t);
	pause();
}

static void kill_one(struct chance *chance, const struct sockaddr_un *address, socklen_t size)
{
	bool early = draw_below(chance, 2);
	int status, told[2];
	pid_t child;

	must(!pipe(told));
	child = fork();
	must(child >= 0);
	if (!child) {
		live_until_killed(address, size, told[1]);
		_exit(1);
	}
	if (!early)
		must(poll(&(struct pollfd){ .fd = told[0], .events = POLLIN }, 1, PATIENCE_MS) == 1);
	usleep(1000 * draw_below(chance, early ? LONGEST_CHILDHOOD_MS : LONGEST_LIFE_MS));
	close(told[0]);
	close(told[1]);
	must(!kill(child, SIGKILL));
	must(waitpid(child, &status, 0) == child);
	must(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

int kill_peers(int64_t end)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size;
	struct chance chance = { seed };
	int listening = socket(AF_UNIX, SOCK_STREAM, 0), status;
	pid_t survivor;

	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "verbsx-stress-%d", (int)getpid()));
	must(!bind(listening, (const struct sockaddr *)&address, size));
	must(!listen(listening, 64));
	survivor = fork();
	must(survivor >= 0);
	if (!survivor)
		_exit(survive(listening, end));
	while (now_ms() < end)
		kill_one(&chance, &address, size);
	must(waitpid(survivor, &status, 0) == survivor);
	must(WIFEXITED(status) && !WEXITSTATUS(status));
	return 0;
}
