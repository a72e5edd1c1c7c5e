/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A server that sleeps until a message comes, and answers it: a poller waits, and a pool has the buffers. */

#include <ctype.h>
#include <errno.h>
#include <pthread.h>

#include "connect.h"
#include "example.h"

#define MESSAGES 5

#define BATCH 16

/* One end of the connection. */
struct end {
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_pool *pool;
	struct vx_poller *poller;
};

/* A buffer of the pool goes out with the message, and comes back by vx_pool_done(). */
static void send_text(struct end *end, const char *text)
{
	struct ibv_sge sge;
	uint32_t index;

	must(vx_pool_get(end->pool, &index));
	must(vx_pool_sge(end->pool, index, (uint32_t)strlen(text) + 1, &sge));
	strcpy(vx_pool_at(end->pool, index), text);
	must(vx_qp_post_send_one(end->qp, vx_pool_wr_id(end->pool, index), IBV_SEND_SIGNALED, &sge, 1));
}

/* Look at the messages of a batch; receives are posted again for as many. @return how many there were, -EAGAIN: nothing came */
static int take(struct end *end, void (*use)(struct end *end, char *text), int timeout_ms)
{
	struct ibv_wc wc[BATCH];
	int i, count, messages = 0;

	count = vx_poller_poll(end->poller, BATCH, wc, timeout_ms);
	if (count == -EAGAIN || count == -ECANCELED || count == -EINTR)
		return count; /* the time is up, vx_poller_wake() was called, or a signal was handled */
	must(count);
	for (i = 0; i < count; i++) {
		if (wc[i].status == IBV_WC_SUCCESS && wc[i].opcode & IBV_WC_RECV) {
			use(end, vx_pool_at(end->pool, wc[i].wr_id));
			messages++;
		}
	}
	must(vx_pool_done(end->pool, end->qp, wc, count)); /* tells of completions that failed */
	return messages;
}

static struct end make_end(struct vx_ctx *ctx, struct vx_pd *pd)
{
	struct vx_comp_channel *channel;
	struct end end;

	must(vx_comp_channel_create(ctx, NULL, &channel));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &end.cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = end.cq, .recv_cq = end.cq }, &end.qp));
	must(vx_pool_create(pd, &(struct vx_pool_init){ .count = 32, .size = 256 }, &end.pool));
	must(vx_poller_create(end.cq, NULL, &end.poller));
	return end;
}

static void answer(struct end *end, char *text)
{
	char *c;

	for (c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	send_text(end, text);
}

static void show(struct end *end, char *text)
{
	(void)end;
	printf("answer: %s\n", text);
}

/* A batch may have no more in it than that a message has gone. */
static void wait_for_answer(struct end *client)
{
	int answers;

	do
		answers = take(client, show, 5000);
	while (!answers || answers == -EINTR);
	must(answers);
}

static void *serve(void *server)
{
	while (take(server, answer, -1) != -ECANCELED)
		;
	return NULL;
}

int main(void)
{
	struct end client, server;
	char text[32];
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	pthread_t thread;
	int i;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	client = make_end(ctx, pd);
	server = make_end(ctx, pd);
	connect_to(client.qp, server.qp, 0);
	connect_to(server.qp, client.qp, 0);
	must(vx_pool_post_recv(client.pool, client.qp, 16));
	must(vx_pool_post_recv(server.pool, server.qp, 16));

	if (take(&client, show, 0) == -EAGAIN)
		printf("nothing has come yet\n");
	if (pthread_create(&thread, NULL, serve, &server))
		return 1;
	for (i = 0; i < MESSAGES; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		send_text(&client, text);
		wait_for_answer(&client);
	}
	vx_poller_wake(server.poller);
	pthread_join(thread, NULL);
	must(vx_close(ctx));
	return 0;
}
