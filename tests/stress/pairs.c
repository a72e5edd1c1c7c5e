/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Two QPs that are connected, what goes from one to the other, and whether it arrives. */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "stress.h"

#define INLINE_MOST 32
#define WORD 8 /* bytes, of an atomic operation */

/* ---- data ---- */

void write_data(void *at, uint32_t length, uint64_t stamp)
{
	struct chance chance = { stamp };
	unsigned char *bytes = at;
	uint64_t word = 0;
	uint32_t i;

	for (i = 0; i < length; i++, word >>= 8) {
		if (i % WORD == 0)
			word = draw(&chance);
		bytes[i] = (unsigned char)word;
	}
}

bool is_data(const void *at, uint32_t length, uint64_t stamp)
{
	unsigned char should[LARGEST];

	write_data(should, length, stamp);
	return !memcmp(at, should, length);
}

static uint32_t take_buffer(const struct pair *pair)
{
	uint32_t index;

	made(vx_pool_get(pair->store->pool, &index));
	return index;
}

static void *buffer(const struct pair *pair, uint32_t index)
{
	return vx_pool_at(pair->store->pool, index);
}

/* ---- connecting ---- */

/* Whoever asks knows what has become of it: all can be done. */
static bool is_reliable(const struct pair *pair)
{
	return pair->type == IBV_QPT_RC || pair->type == IBV_QPT_XRC_SEND;
}

static void open_side(struct pair *pair, struct side *side)
{
	struct vx_qp_init init = {
		.qp_type = pair->type,
		.send_cq = pair->cq,
		.recv_cq = pair->cq,
		.srq = pair->sharing ? pair->sharing->srq : NULL,
		.cap = { .max_send_wr = 64, .max_recv_wr = RECEIVES, .max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = INLINE_MOST },
		.send_ops_flags = !is_reliable(pair) ? IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM :
							     IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |
								     IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
								     IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	};

	*side = (struct side){ .pair = pair, .peer = &pair->sides[side == pair->sides] };
	if (pair->type != IBV_QPT_XRC_SEND) {
		made(vx_qp_create(shared.pd, &init, &side->qp));
	} else if (side == pair->sides) {
		init.srq = NULL;
		open_sender(side, init);
	} else {
		open_receiver(side);
	}
}

static void dispatched(const struct ibv_wc *wc, void *side)
{
	take_completion(side, wc);
}

void open_pair(struct pair *pair, struct worker *worker, enum ibv_qp_type type, struct sharing *sharing, struct vx_cq *cq)
{
	int i;

	*pair = (struct pair){ .worker = worker, .cq = cq, .type = type, .sharing = sharing, .store = type == IBV_QPT_UD ? &shared.datagrams : &shared.plain };
	for (i = 0; i < 2; i++) {
		open_side(pair, &pair->sides[i]);
		if (cq == worker->cq)
			made(vx_dispatcher_add(worker->dispatcher, pair->sides[i].qp, dispatched, &pair->sides[i]));
	}
}

static struct vx_handshake *shake_side(struct side *side, bool accepts)
{
	const struct vx_path path = {
		.qkey = QKEY,
		.access = is_reliable(side->pair) ? IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC :
							   IBV_ACCESS_REMOTE_WRITE,
	};
	struct vx_handshake *handshake;

	made(vx_handshake_create(side->qp, &(struct vx_handshake_init){ .accepts = accepts, .path = &path, .timeout_ms = -1 }, &handshake));
	return handshake;
}

/* Some bytes, if there are. @return whether there were */
static bool carry(struct chance *chance, struct vx_handshake *from, struct vx_handshake *to)
{
	unsigned char bytes[96];
	size_t size = vx_handshake_take(from, bytes, 1 + draw_below(chance, sizeof(bytes))), used;

	made(vx_handshake_feed(to, bytes, size, &used));
	must(used == size);
	return size;
}

static void find_peer(struct side *side, struct vx_handshake *handshake)
{
	struct vx_path path;

	made(vx_handshake_step(handshake, -1));
	made(vx_handshake_peer(handshake, &(struct vx_peer){ .paths = &path }));
	must(path.dqpn == vx_qp_raw(side->peer->qp)->qp_num);
	must(vx_qp_state(side->qp) == IBV_QPS_RTS);
	if (side->pair->type == IBV_QPT_UD)
		made(vx_pd_ah(shared.pd, &path, &side->ah));
}

/* Sometimes one hangs up, and both are as before. @return whether it was held to its end */
static bool hold_dialogue(struct pair *pair)
{
	struct chance *chance = &pair->worker->chance;
	struct vx_handshake *one = shake_side(&pair->sides[0], false), *other = shake_side(&pair->sides[1], true);
	uint32_t left = draw_below(chance, 4) ? UINT32_MAX : draw_below(chance, 4);
	bool held;

	while (left && (carry(chance, one, other) | carry(chance, other, one)))
		left--;
	held = !vx_handshake_events(one) && !vx_handshake_events(other);
	if (held) {
		find_peer(&pair->sides[0], one);
		find_peer(&pair->sides[1], other);
	}
	made(vx_close(one));
	made(vx_close(other));
	must(held || (vx_qp_state(pair->sides[0].qp) == IBV_QPS_RESET && vx_qp_state(pair->sides[1].qp) == IBV_QPS_RESET));
	return held;
}

void join_pair(struct pair *pair)
{
	int i;

	while (!hold_dialogue(pair))
		;
	for (i = 0; i < 2 && !pair->sharing; i++) {
		made(vx_pool_post_recv(pair->store->pool, pair->sides[i].qp, RECEIVES));
		pair->sides[i].posted = RECEIVES;
	}
	if (pair->sharing)
		fill_sharing(pair->sharing);
	pair->worker->joined++;
}

/* ---- requests ---- */

/* Without acknowledgements nobody knows when a write is there. */
static enum kind draw_kind(const struct pair *pair)
{
	return is_reliable(pair) ? (enum kind)(1 + draw_below(&pair->worker->chance, KINDS - 1)) : SENDING;
}

static uint32_t draw_length(struct chance *chance, const struct request *request, uint32_t most)
{
	if (request->kind == ADDING)
		return WORD;
	return 1 + draw_below(chance, draw_below(chance, 2) ? most : INLINE_MOST);
}

/* Another buffer, that is written to or read from. */
static void choose_other(struct posting *p)
{
	struct request *request = &p->request;
	const struct pair *pair = p->side->pair;

	request->other = take_buffer(pair);
	p->remote = (uintptr_t)buffer(pair, request->other);
	p->rkey = vx_mr_rkey(vx_pool_mr(pair->store->pool));
	if (request->kind == READING)
		write_data(buffer(pair, request->other), request->length, request->stamp);
	else if (request->kind == ADDING)
		memcpy(buffer(pair, request->other), &request->stamp, WORD);
	else
		memset(buffer(pair, request->other), 0, request->length);
}

static void expect(struct side *side, const struct posting *p)
{
	must(side->count < UNDER_WAY);
	side->expected[(side->from + side->count++) % UNDER_WAY] = (struct expected){
		.stamp = p->request.stamp, .length = p->request.kind == SENDING ? p->request.length : 0, .imm = p->imm, .has_imm = p->has_imm,
	};
}

void post_something(struct pair *pair)
{
	struct chance *chance = &pair->worker->chance;
	struct posting p = { .side = &pair->sides[draw_below(chance, pair->type == IBV_QPT_XRC_SEND ? 1 : 2)], .flags = IBV_SEND_SIGNALED };
	struct side *peer = p.side->peer;
	uint32_t index;

	if (p.side->sent == UNDER_WAY || peer->count == UNDER_WAY)
		return;
	index = take_buffer(pair);
	p.request.kind = draw_kind(pair);
	p.request.stamp = draw(chance);
	p.request.length = draw_length(chance, &p.request, pair->type == IBV_QPT_UD ? 1024 : LARGEST);
	p.wr_id = vx_pool_wr_id(pair->store->pool, index);
	made(vx_pool_sge(pair->store->pool, index, p.request.length, &p.sge));
	p.has_imm = p.request.kind == WRITING_WITH_IMM || (p.request.kind == SENDING && draw_below(chance, 2));
	p.imm = p.has_imm ? htonl((uint32_t)draw(chance)) : 0;
	if (p.request.kind < READING && p.request.length <= INLINE_MOST && draw_below(chance, 2))
		p.flags |= IBV_SEND_INLINE;
	if (p.request.kind < READING)
		write_data(buffer(pair, index), p.request.length, p.request.stamp);
	if (p.request.kind != SENDING)
		choose_other(&p);
	pair->store->requests[index] = p.request;
	if (p.request.kind == SENDING || p.has_imm)
		expect(peer, &p);
	p.side->sent++;
	post_in_some_way(&p);
}

/* ---- completions ---- */

/* What it has moved is there. */
static void look_at_result(const struct pair *pair, const struct request *request, const void *own)
{
	const void *other = request->kind == SENDING ? NULL : buffer(pair, request->other);
	uint64_t sum = request->stamp + 1;

	if (request->kind == WRITING || request->kind == WRITING_WITH_IMM)
		must(is_data(other, request->length, request->stamp));
	if (request->kind == READING)
		must(is_data(own, request->length, request->stamp));
	if (request->kind == ADDING)
		must(!memcmp(own, &request->stamp, WORD) && !memcmp(other, &sum, WORD));
}

static void end_request(struct side *side, struct request *request, const struct ibv_wc *wc)
{
	struct pair *pair = side->pair;

	if (wc->status == IBV_WC_SUCCESS)
		look_at_result(pair, request, vx_pool_at(pair->store->pool, wc->wr_id));
	if (request->kind != SENDING && wc->status != IBV_WC_SUCCESS)
		pair->kept[pair->keeps++] = request->other;
	else if (request->kind != SENDING)
		made(vx_pool_put(pair->store->pool, request->other));
	request->kind = 0;
	side->sent--;
}

static uint32_t *posted_for(struct side *side)
{
	return side->pair->sharing ? &side->pair->sharing->posted : &side->posted;
}

static void end_receive(struct side *side, const struct ibv_wc *wc)
{
	const struct expected *expected = &side->expected[side->from];
	uint32_t header = side->pair->type == IBV_QPT_UD ? 40 : 0;

	*posted_for(side) -= 1;
	if (wc->status != IBV_WC_SUCCESS)
		return;
	must(side->count);
	must(!!(wc->wc_flags & IBV_WC_WITH_IMM) == expected->has_imm);
	must(!expected->has_imm || wc->imm_data == expected->imm);
	if (expected->length) {
		must(wc->byte_len == expected->length + header);
		must(is_data(vx_pool_at(side->pair->store->pool, wc->wr_id), expected->length, expected->stamp));
	}
	side->from = (side->from + 1) % UNDER_WAY;
	side->count--;
}

static void look_at_status(const struct side *side, const struct request *request, const struct ibv_wc *wc)
{
	char text[1536];

	if (wc->status == IBV_WC_SUCCESS || side->pair->ending)
		return;
	vx_wc_error(text, sizeof(text), wc, side->qp, VX_WC_UNKNOWN);
	fprintf(stderr, "stress: kind %d, %u bytes: %s\n", (int)request->kind, request->length, text);
	must(wc->status == IBV_WC_SUCCESS);
}

/* Which buffer a completion is of: they lie in a row. */
static size_t index_of(const struct vx_pool *pool, uint64_t wr_id)
{
	const char *first = vx_pool_at(pool, 0), *second = vx_pool_at(pool, 1), *at = vx_pool_at(pool, wr_id);

	must(at);
	return (size_t)(at - first) / (size_t)(second - first);
}

void take_completion(struct side *side, const struct ibv_wc *wc)
{
	struct pair *pair = side->pair;
	struct request *request = &pair->store->requests[index_of(pair->store->pool, wc->wr_id)];
	bool receives = !request->kind, again = receives && wc->status == IBV_WC_SUCCESS && !pair->ending && pair->type != IBV_QPT_XRC_SEND;
	int rc;

	look_at_status(side, request, wc);
	if (receives)
		end_receive(side, wc);
	else
		end_request(side, request, wc);
	rc = vx_pool_done(pair->store->pool, again ? side->qp : NULL, wc, 1);
	must(rc == 0 || (rc == -EIO && wc->status != IBV_WC_SUCCESS));
	*posted_for(side) += again;
	if (receives && pair->type == IBV_QPT_XRC_SEND)
		fill_sharing(pair->sharing);
	pair->worker->moved++;
}

/* ---- ending ---- */

/* The end of datagrams is only taken from a while in which nothing completed, which may come of a busy machine. */
static void wait_for_stragglers(struct side *side)
{
	int64_t end = now_ms() + 10000;

	while ((side->sent || (side->posted && is_soft_roce())) && now_ms() < end)
		collect(side->pair->worker);
}

/* Whatever was under way has completed when it is drained, or draining is wrong. */
void drain_pair(struct pair *pair)
{
	int i;

	pair->ending = true;
	if (!draw_below(&pair->worker->chance, 3))
		made(vx_qp_to_err(pair->sides[0].qp));
	for (i = 0; i < 2; i++) {
		made(vx_qp_drain(pair->sides[i].qp, 20000, take_of_any, pair->worker));
		if (pair->type == IBV_QPT_UD || is_soft_roce())
			wait_for_stragglers(&pair->sides[i]);
		if (pair->type == IBV_QPT_XRC_SEND)
			wait_for_quiet(pair->worker);
		must(pair->sides[i].sent == 0);
		must(pair->sides[i].posted == 0);
	}
	while (pair->keeps)
		made(vx_pool_put(pair->store->pool, pair->kept[--pair->keeps]));
	pair->worker->drained++;
}

void reset_pair(struct pair *pair)
{
	int i;

	for (i = 0; i < 2; i++) {
		made(vx_qp_reset(pair->sides[i].qp));
		pair->sides[i].from = pair->sides[i].count = 0;
	}
	pair->ending = false;
}

void close_pair(struct pair *pair)
{
	made(vx_close(pair->sides[0].qp));
	made(vx_close(pair->sides[1].qp));
}
