/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Two QPs that are connected, what goes from one to the other, and whether it arrives. */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "stress.h"

#define QKEY 0x5eed
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

static void open_side(struct pair *pair, struct side *side)
{
	const struct vx_qp_init init = {
		.qp_type = pair->type,
		.send_cq = pair->cq,
		.recv_cq = pair->cq,
		.cap = { .max_send_wr = 64, .max_recv_wr = RECEIVES, .max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = INLINE_MOST },
		.send_ops_flags = pair->type != IBV_QPT_RC ? IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM :
							     IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |
								     IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
								     IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	};

	*side = (struct side){ .pair = pair, .peer = &pair->sides[side == pair->sides] };
	made(vx_qp_create(shared.pd, &init, &side->qp));
}

static void dispatched(const struct ibv_wc *wc, void *side)
{
	take_completion(side, wc);
}

void open_pair(struct pair *pair, struct worker *worker, enum ibv_qp_type type, struct vx_cq *cq)
{
	int i;

	*pair = (struct pair){ .worker = worker, .cq = cq, .type = type, .store = type == IBV_QPT_UD ? &shared.datagrams : &shared.plain };
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
		.access = side->pair->type == IBV_QPT_RC ? IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC :
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
	for (i = 0; i < 2; i++) {
		made(vx_pool_post_recv(pair->store->pool, pair->sides[i].qp, RECEIVES));
		pair->sides[i].posted = RECEIVES;
	}
	pair->worker->joined++;
}

/* ---- requests ---- */

/* A request on its way to the queue. */
struct posting {
	struct side *side;
	struct request request;
	uint64_t wr_id;
	struct ibv_sge sge;
	uint32_t rkey;
	uint64_t remote;
	__be32 imm;
	bool has_imm;
	unsigned int flags;
};

static enum ibv_wr_opcode opcode_of(const struct posting *p)
{
	static const enum ibv_wr_opcode opcodes[KINDS] = {
		[SENDING] = IBV_WR_SEND, [WRITING] = IBV_WR_RDMA_WRITE, [WRITING_WITH_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[READING] = IBV_WR_RDMA_READ, [ADDING] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	return p->request.kind == SENDING && p->has_imm ? IBV_WR_SEND_WITH_IMM : opcodes[p->request.kind];
}

static uint32_t number_of_peer(const struct posting *p)
{
	return vx_qp_raw(p->side->peer->qp)->qp_num;
}

/* As a structure. */
static int post_as_list(struct posting *p)
{
	struct ibv_send_wr wr = { .wr_id = p->wr_id, .sg_list = &p->sge, .num_sge = 1, .opcode = opcode_of(p), .send_flags = p->flags,
				  .imm_data = p->imm }, *bad;

	if (p->side->ah) {
		wr.wr.ud.ah = vx_ah_raw(p->side->ah);
		wr.wr.ud.remote_qpn = number_of_peer(p);
		wr.wr.ud.remote_qkey = QKEY;
	} else if (p->request.kind == ADDING) {
		wr.wr.atomic.remote_addr = p->remote;
		wr.wr.atomic.rkey = p->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = p->remote;
		wr.wr.rdma.rkey = p->rkey;
	}
	return vx_qp_post_send(p->side->qp, &wr, &bad);
}

/* By a function of its own. */
static int post_as_one(struct posting *p)
{
	struct vx_qp *qp = p->side->qp;

	switch (opcode_of(p)) {
	case IBV_WR_SEND:
		return p->side->ah ? vx_qp_post_send_to(qp, p->wr_id, p->flags, &p->sge, 1, p->side->ah, number_of_peer(p), QKEY) :
				     vx_qp_post_send_one(qp, p->wr_id, p->flags, &p->sge, 1);
	case IBV_WR_SEND_WITH_IMM:
		return p->side->ah ? vx_qp_post_send_imm_to(qp, p->wr_id, p->flags, &p->sge, 1, p->imm, p->side->ah, number_of_peer(p), QKEY) :
				     vx_qp_post_send_imm(qp, p->wr_id, p->flags, &p->sge, 1, p->imm);
	case IBV_WR_RDMA_WRITE:
		return vx_qp_post_rdma_write(qp, p->wr_id, p->flags, &p->sge, 1, p->rkey, p->remote);
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return vx_qp_post_rdma_write_imm(qp, p->wr_id, p->flags, &p->sge, 1, p->rkey, p->remote, p->imm);
	case IBV_WR_RDMA_READ:
		return vx_qp_post_rdma_read(qp, p->wr_id, p->flags, &p->sge, 1, p->rkey, p->remote);
	default:
		return post_as_list(p);
	}
}

/* By builders; one that is given up before posts nothing. */
static int post_as_built(struct posting *p)
{
	struct vx_wr *wr = vx_wr_start(p->side->qp);
	unsigned int flags = p->flags; /* librxe wants IBV_SEND_INLINE among them, beside the data */

	if (!draw_below(&p->side->pair->worker->chance, 8)) {
		vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
		vx_wr_abort(wr);
		wr = vx_wr_start(p->side->qp);
	}
	switch (opcode_of(p)) {
	case IBV_WR_SEND: vx_wr_send(wr, p->wr_id, flags); break;
	case IBV_WR_SEND_WITH_IMM: vx_wr_send_imm(wr, p->wr_id, flags, p->imm); break;
	case IBV_WR_RDMA_WRITE: vx_wr_rdma_write(wr, p->wr_id, flags, p->rkey, p->remote); break;
	case IBV_WR_RDMA_WRITE_WITH_IMM: vx_wr_rdma_write_imm(wr, p->wr_id, flags, p->rkey, p->remote, p->imm); break;
	case IBV_WR_RDMA_READ: vx_wr_rdma_read(wr, p->wr_id, flags, p->rkey, p->remote); break;
	default: vx_wr_atomic_fetch_add(wr, p->wr_id, flags, p->rkey, p->remote, 1); break;
	}
	if (p->side->ah)
		vx_wr_set_ud_addr(wr, p->side->ah, number_of_peer(p), QKEY);
	if (p->flags & IBV_SEND_INLINE)
		vx_wr_set_inline_data(wr, (void *)(uintptr_t)p->sge.addr, p->sge.length);
	else
		vx_wr_set_sge(wr, p->sge.lkey, p->sge.addr, p->sge.length);
	return vx_wr_complete(wr);
}

/* Without acknowledgements nobody knows when a write is there. */
static enum kind draw_kind(const struct pair *pair)
{
	return pair->type == IBV_QPT_RC ? (enum kind)(1 + draw_below(&pair->worker->chance, KINDS - 1)) : SENDING;
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

static void post(struct posting *p)
{
	switch (draw_below(&p->side->pair->worker->chance, 3)) {
	case 0: made(post_as_list(p)); break;
	case 1: made(post_as_one(p)); break;
	default: made(post_as_built(p)); break;
	}
}

void post_something(struct pair *pair)
{
	struct chance *chance = &pair->worker->chance;
	struct posting p = { .side = &pair->sides[draw_below(chance, 2)], .flags = IBV_SEND_SIGNALED };
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
	post(&p);
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

static void end_receive(struct side *side, const struct ibv_wc *wc)
{
	const struct expected *expected = &side->expected[side->from];
	uint32_t header = side->pair->type == IBV_QPT_UD ? 40 : 0;

	side->posted--;
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

void take_completion(struct side *side, const struct ibv_wc *wc)
{
	struct pair *pair = side->pair;
	struct request *request = &pair->store->requests[wc->wr_id & 0x7fffffff];
	bool receives = !request->kind, again = receives && wc->status == IBV_WC_SUCCESS && !pair->ending;
	int rc;

	look_at_status(side, request, wc);
	must(vx_pool_at(pair->store->pool, wc->wr_id));
	if (receives)
		end_receive(side, wc);
	else
		end_request(side, request, wc);
	rc = vx_pool_done(pair->store->pool, again ? side->qp : NULL, wc, 1);
	must(rc == 0 || (rc == -EIO && wc->status != IBV_WC_SUCCESS));
	side->posted += again;
	pair->worker->moved++;
}

/* ---- ending ---- */

static bool is_soft_roce(void)
{
	return !strncmp(vx_ctx_name(shared.ctx), "rxe", 3);
}

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
