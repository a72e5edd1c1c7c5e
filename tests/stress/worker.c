/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A thread: it has some pairs of QPs, chooses what is done with them, and takes what completes in any way there is. */

#include <errno.h>
#include <time.h>

#include "stress.h"

#define BATCH 16

int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- completions ---- */

static struct side *side_of(struct worker *worker, uint32_t qp_num)
{
	uint32_t i;

	for (i = 0; i < 2 * worker->count; i++)
		if (vx_qp_raw(worker->pairs[i / 2].sides[i % 2].qp)->qp_num == qp_num)
			return &worker->pairs[i / 2].sides[i % 2];
	return NULL;
}

void take_of_any(const struct ibv_wc *wc, void *worker)
{
	struct side *side = side_of(worker, wc->qp_num);

	must(side);
	take_completion(side, wc);
}

static int take_all(struct worker *worker, const struct ibv_wc *wc, int count)
{
	int i;

	for (i = 0; i < count; i++)
		take_of_any(&wc[i], worker);
	return count;
}

static int poll_cq(struct worker *worker, struct vx_cq *cq)
{
	struct ibv_wc wc[BATCH];
	int count = vx_cq_poll(cq, 1 + (int)draw_below(&worker->chance, BATCH), wc);

	made(count);
	return take_all(worker, wc, count);
}

static int wait_a_little(struct worker *worker)
{
	struct ibv_wc wc[BATCH];
	int count = vx_poller_poll(worker->poller, BATCH, wc, (int)draw_below(&worker->chance, 3));

	if (count == -EAGAIN || count == -ECANCELED)
		return 0;
	made(count);
	return take_all(worker, wc, count);
}

/* As the CQ has it: only what holds of all completions, and what is good of those that went well. */
static void read_completion(struct vx_wc *at, struct ibv_wc *wc)
{
	*wc = (struct ibv_wc){ .wr_id = vx_wc_wr_id(at), .status = vx_wc_status(at), .qp_num = vx_wc_read_qp_num(at) };
	if (wc->status != IBV_WC_SUCCESS)
		return;
	wc->opcode = vx_wc_read_opcode(at);
	wc->byte_len = vx_wc_read_byte_len(at);
	wc->wc_flags = vx_wc_read_wc_flags(at);
	if (wc->wc_flags & IBV_WC_WITH_IMM)
		wc->imm_data = vx_wc_read_imm_data(at);
}

static int walk_cq(struct worker *worker)
{
	struct ibv_wc wc[BATCH];
	struct vx_wc *at;
	int rc, count = 0;

	rc = vx_cq_start_poll(worker->cq_ex, &at);
	while (rc > 0) {
		read_completion(at, &wc[count++]);
		if (count == BATCH)
			break; /* the next one would be taken as well */
		rc = vx_wc_next(at);
	}
	if (rc > 0)
		vx_wc_end(at);
	made(rc);
	return take_all(worker, wc, count);
}

int collect(struct worker *worker)
{
	switch (draw_below(&worker->chance, 5)) {
	case 0: return poll_cq(worker, worker->cq);
	case 1: return poll_cq(worker, worker->cq_ex);
	case 2: return walk_cq(worker);
	case 3: return wait_a_little(worker);
	default: break;
	}
	int count = vx_dispatcher_poll(worker->dispatcher, BATCH);

	made(count);
	return count;
}

/* ---- pairs ---- */

static void new_pair(struct worker *worker, struct pair *pair)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_XRC_SEND };
	enum ibv_qp_type type = types[draw_below(&worker->chance, shared.xrcd ? 5 : 4)];
	struct vx_cq *cq = draw_below(&worker->chance, 2) && type != IBV_QPT_XRC_SEND ? worker->cq : worker->cq_ex;
	bool shares = type == IBV_QPT_RC && worker->srq.srq && draw_below(&worker->chance, 2);

	open_pair(pair, worker, type, type == IBV_QPT_XRC_SEND ? &worker->xrc : shares ? &worker->srq : NULL, cq);
}

static void change_pair(struct worker *worker, struct pair *pair)
{
	drain_pair(pair);
	if (draw_below(&worker->chance, 2)) {
		reset_pair(pair);
	} else {
		close_pair(pair);
		new_pair(worker, pair);
	}
	join_pair(pair);
}

void open_worker(struct worker *worker, uint64_t number, uint32_t pairs)
{
	struct vx_comp_channel *channel;

	*worker = (struct worker){ .chance = { seed * 1000 + number } };
	made(vx_comp_channel_create(shared.ctx, NULL, &channel));
	made(vx_cq_create(shared.ctx, &(struct vx_cq_init){ .channel = channel, .cqe = 8192 }, &worker->cq));
	made(vx_cq_create(shared.ctx, &(struct vx_cq_init){ .cqe = 8192, .wc_flags = IBV_WC_STANDARD_FLAGS }, &worker->cq_ex));
	made(vx_poller_create(worker->cq, NULL, &worker->poller));
	made(vx_dispatcher_create(worker->cq, NULL, &worker->dispatcher));
	open_sharing(worker);
	worker->vendor = open_vendor();
	for (; worker->count < pairs; worker->count++)
		new_pair(worker, &worker->pairs[worker->count]);
}

void work_until(struct worker *worker, int64_t end)
{
	uint32_t i;

	for (i = 0; i < worker->count; i++)
		join_pair(&worker->pairs[i]);
	while (now_ms() < end) {
		for (i = draw_below(&worker->chance, 32); i; i--)
			post_something(&worker->pairs[draw_below(&worker->chance, worker->count)]);
		collect(worker);
		if (!draw_below(&worker->chance, 200))
			change_pair(worker, &worker->pairs[draw_below(&worker->chance, worker->count)]);
		if (!draw_below(&worker->chance, 32))
			use_vendor(worker->vendor, &worker->chance);
	}
}

void close_worker(struct worker *worker)
{
	uint32_t i;

	for (i = 0; i < worker->count; i++)
		drain_pair(&worker->pairs[i]);
	for (i = 0; i < worker->count; i++)
		close_pair(&worker->pairs[i]);
	worker->lost = close_sharing(worker);
	made(vx_close(worker->cq));
	made(vx_close(worker->cq_ex));
}
