/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the programs of this folder share: the device, and messages back and forth. */

#include "pingpong.h"

#include <errno.h>

/* ---- the device ---- */

struct end open_end(struct options options, uint32_t headroom, int access)
{
	struct end end = { .options = options };
	struct vx_comp_channel *channel = NULL;

	must(vx_ctx_open_index(0, &end.ctx));
	must(vx_pd_create(end.ctx, NULL, &end.pd));
	if (options.events)
		must(vx_comp_channel_create(end.ctx, NULL, &channel));
	must(vx_cq_create(end.ctx, &(struct vx_cq_init){ .cqe = 4 * DEPTH, .channel = channel }, &end.cq));
	must(vx_poller_create(end.cq, &(struct vx_poller_init){ .mode = options.events ? VX_POLLER_SLEEP : VX_POLLER_SPIN }, &end.poller));
	must(vx_pool_create(end.pd, &(struct vx_pool_init){ .count = 2 * DEPTH, .size = options.size, .headroom = headroom,
							    .access = access }, &end.pool));
	end.fd = open_socket(&options);
	return end;
}

void connect_end(struct end *end, struct vx_qp *const *qps, uint32_t count, struct told mine, int access)
{
	const struct vx_path path = { .qkey = QKEY, .access = access };
	const struct vx_connect_init init = { .path = &path, .private_data = &mine, .private_data_len = sizeof(mine), .timeout_ms = TIMEOUT_MS };
	struct vx_peer peer = { .paths = end->paths, .private_data = &end->peer, .private_data_room = sizeof(end->peer) };

	if (end->options.host)
		must(vx_connect_many(qps, count, end->fd, &init, &peer));
	else
		must(vx_accept_many(qps, count, end->fd, &init, &peer));
}

int take_some(struct end *end, struct ibv_wc *wc)
{
	int i, count = vx_poller_poll(end->poller, BATCH, wc, TIMEOUT_MS);

	if (count == -EAGAIN) {
		fprintf(stderr, "nothing has come for 10 s\n");
		exit(1);
	}
	must(count);
	for (i = 0; i < count; i++)
		must_complete(&wc[i], NULL);
	return count;
}

/* ---- messages ---- */

static char byte_of(uint32_t number, uint32_t place)
{
	return (char)(number * 31 + place * 7 + (place >> 8));
}

void fill_message(const struct end *end, char *message, uint32_t number)
{
	uint32_t i;

	for (i = 0; end->options.check && i < end->options.size; i++)
		message[i] = byte_of(number, i);
}

void check_message(const struct end *end, const char *message, uint32_t number)
{
	uint32_t i;

	for (i = 0; end->options.check && i < end->options.size; i++)
		if (message[i] != byte_of(number, i)) {
			fprintf(stderr, "message %u: byte %u is wrong\n", number, i);
			exit(1);
		}
}

static void send_one(struct end *end, uint32_t number, prepare_function prepare)
{
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge;
	uint32_t index;

	must(vx_pool_get(end->pool, &index));
	fill_message(end, vx_pool_at(end->pool, index), number);
	must(vx_pool_sge(end->pool, index, end->options.size, &sge));
	wr.wr_id = vx_pool_wr_id(end->pool, index);
	wr.sg_list = &sge;
	must(vx_qp_post_send(prepare(end, number, &wr), &wr, NULL));
}

/* The completions that were taken last, some of which brought a message. */
struct turn {
	struct ibv_wc wc[BATCH];
	int count;
	uint32_t messages;
};

/* Whose buffers are free again; those of receives are posted once more. */
static void give_back(struct end *end, struct vx_qp *receiver, const struct turn *turn)
{
	must(vx_pool_done(end->pool, receiver, turn->wc, turn->count));
	if (!receiver && turn->messages)
		must(vx_pool_post_srq_recv(end->pool, end->srq, turn->messages));
}

/* Until a message has come; that of a send may come as well. What was taken before is given back by now, as the peer has its answer. */
static void receive_one(struct end *end, struct vx_qp *receiver, uint32_t grh, uint32_t number, struct turn *turn)
{
	const struct ibv_wc *wc;

	do {
		give_back(end, receiver, turn);
		turn->messages = 0;
		turn->count = take_some(end, turn->wc);
		for (wc = turn->wc; wc < turn->wc + turn->count; wc++) {
			if (!(wc->opcode & IBV_WC_RECV))
				continue;
			turn->messages++;
			check_message(end, vx_pool_at(end->pool, wc->wr_id), number);
			if (wc->byte_len != end->options.size + grh)
				fail("a message of another size");
		}
	} while (!turn->messages);
}

void play(struct end *end, struct vx_qp *receiver, uint32_t grh, prepare_function prepare, const char *name)
{
	const uint32_t count = end->options.count;
	int64_t *times = calloc(count, sizeof(*times)), start = now_ns(), begun;
	struct turn turn = { 0 };
	uint32_t i;

	for (i = 0; i < count; i++) {
		begun = now_ns();
		if (end->options.host)
			send_one(end, i, prepare);
		receive_one(end, receiver, grh, i, &turn);
		if (!end->options.host)
			send_one(end, i, prepare);
		times[i] = now_ns() - begun;
	}
	if (end->options.host)
		report(end, name, times, 2 * (uint64_t)count * end->options.size, now_ns() - start);
	free(times);
	meet(end); /* an answer that got lost is sent again as long as this side is there */
}
