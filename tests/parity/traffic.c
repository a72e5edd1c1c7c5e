/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The ends between which messages go, and what has to come of each. */

#include <sys/mman.h>

#include "traffic.h"

#define ROUNDS 12	/* each size by each form; half of them go back */
#define OF_DEVICE_MEMORY 256
#define INLINE 64

static int remote_access(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_ACCESS_REMOTE_WRITE;
	case IBV_WR_RDMA_READ: return IBV_ACCESS_REMOTE_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD: return IBV_ACCESS_REMOTE_ATOMIC;
	default: return 0;
	}
}

static bool is_atomic(enum ibv_wr_opcode op)
{
	return remote_access(op) == IBV_ACCESS_REMOTE_ATOMIC;
}

/* ---- memory ---- */

static void put(const struct region *region, size_t offset, const void *bytes, size_t size)
{
	if (region->dm)
		made(vx_dm_memcpy_to(region->dm, offset, bytes, size));
	else
		memcpy(region->memory + offset, bytes, size);
}

static void get(const struct region *region, size_t offset, void *bytes, size_t size)
{
	if (region->dm)
		made(vx_dm_memcpy_from(region->dm, bytes, offset, size));
	else
		memcpy(bytes, region->memory + offset, size);
}

static void open_device_memory(struct vx_pd *of, struct region *region, int access)
{
	struct vx_mr_init init = { .length = OF_DEVICE_MEMORY, .access = access };

	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = OF_DEVICE_MEMORY }, &region->dm));
	init.dm = region->dm;
	made(vx_mr_create(of, &init, &region->mr));
	region->addr = 0;
}

static void open_region(const struct end *end, struct region *region, int access)
{
	struct vx_mr_init init = { .length = ROOM_OF_END, .access = IBV_ACCESS_LOCAL_WRITE | access, .flags = end->row->flags };

	if (end->row->memory == OF_DEVICE) {
		open_device_memory(end->pd, region, init.access);
		return;
	}
	if (end->row->memory != OF_REGION) {
		region->memory = mmap(NULL, ROOM_OF_END, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cr_assert_neq(region->memory, MAP_FAILED);
		init.addr = region->memory;
	}
	if (end->row->memory == OF_PROCESS) {
		init.addr = NULL;
		init.length = 0;
		init.flags |= VX_MR_IMPLICIT;
	}
	made(vx_mr_create(end->pd, &init, &region->mr));
	if (!region->memory)
		region->memory = vx_mr_addr(region->mr);
	region->addr = (uintptr_t)region->memory;
}

static void advise(const struct end *end, const struct region *region)
{
	struct ibv_sge all = { region->addr, ROOM_OF_END, vx_mr_lkey(region->mr) };
	uint32_t flags = end->row->in_background ? 0 : IBV_ADVISE_MR_FLAG_FLUSH;

	if (end->row->advice)
		made(vx_pd_advise_mr(end->pd, (enum ibv_advise_mr_advice)(end->row->advice & ~ADVISED), flags, &all, 1));
}

/* Datagrams cannot be received in memory on demand. */
static void open_memory(struct end *end)
{
	const struct traffic *row = end->row;
	int there = row->closed_mr ? 0 : remote_access(row->op), here = row->access;

	open_region(end, &end->out, here);
	open_region(end, &end->in, there | (row->type == IBV_QPT_UD ? here & ~IBV_ACCESS_ON_DEMAND : here));
	advise(end, &end->out);
	advise(end, &end->in);
}

/* ---- queues ---- */

static void open_cq(struct end *end)
{
	enum how_taken taken = end->row->taken;
	struct vx_cq_init init = { .wc_flags = taken == ONE_BY_ONE ? IBV_WC_STANDARD_FLAGS : 0, .parent_domain = end->row->domain };

	if (taken == BY_EVENTS || taken == BY_POLLER)
		made(vx_comp_channel_create(ctx, NULL, &end->channel));
	init.channel = end->channel;
	made(vx_cq_create(ctx, &init, &end->cq));
	if (taken == BY_POLLER)
		made(vx_poller_create(end->cq, &(struct vx_poller_init){ .mode = VX_POLLER_SLEEP }, &end->poller));
}

static void open_srq(struct end *end)
{
	struct vx_srq_init init = { 0 };

	if (end->row->type == IBV_QPT_XRC_SEND) {
		made(vx_xrcd_create(ctx, NULL, &end->xrcd));
		init = (struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = end->xrcd, .cq = end->cq };
	} else if (!end->row->srq) {
		return;
	}
	made(vx_srq_create(end->pd, &init, &end->srq));
	if (end->xrcd)
		made(vx_srq_get_num(end->srq, &end->srqn));
}

static void open_qp(struct end *end, int i)
{
	const struct traffic *row = end->row;
	struct vx_qp_init init = { .qp_type = row->type, .send_cq = end->cq, .recv_cq = end->cq, .srq = end->srq };

	init.cap.max_send_sge = 2;
	if (row->posted == BY_BUILDER) {
		init.send_ops_flags = bit_of(row->op) | row->ops;
		init.cap.max_inline_data = INLINE;
		end->inline_room = INLINE;
	}
	if (end->xrcd) {
		init.recv_cq = NULL;
		init.srq = NULL;
		made(vx_qp_create(end->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = end->xrcd }, &end->receivers[i]));
	}
	made(vx_qp_create(end->pd, &init, &end->qps[i]));
	if (!end->xrcd)
		end->receivers[i] = end->qps[i];
}

static void open_end(const struct traffic *row, struct end *end)
{
	int i;

	*end = (struct end){ .row = row, .pd = row->domain };
	if (!end->pd)
		made(vx_pd_create(ctx, NULL, &end->pd));
	open_cq(end);
	open_srq(end);
	open_memory(end);
	for (i = 0; i < row->qps; i++)
		open_qp(end, i);
}

/* ---- the way from one end to the other ---- */

static struct vx_path way_to(struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	made(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	return path;
}

static void join(struct vx_qp *qp, struct vx_qp *peer, int access)
{
	struct vx_path path = way_to(peer);

	path.access = access;
	path.qkey = QKEY;
	made(vx_qp_to_rts(qp, &path));
}

static void join_end(struct end *end, struct end *peer)
{
	const struct traffic *row = end->row;
	int i, access = row->closed_qp ? 0 : remote_access(row->op);
	struct vx_path path;

	for (i = 0; i < row->qps; i++) {
		join(end->receivers[i], peer->qps[i], access);
		if (end->xrcd)
			join(end->qps[i], peer->receivers[i], 0);
	}
	if (row->type == IBV_QPT_UD) {
		path = way_to(peer->qps[0]);
		made(vx_pd_ah(end->pd, &path, &end->way));
	}
}

void open_ends(const struct traffic *row, struct end ends[2])
{
	open_end(row, &ends[0]);
	open_end(row, &ends[1]);
	join_end(&ends[0], &ends[1]);
	join_end(&ends[1], &ends[0]);
}

/* ---- messages ---- */

static void fill(uint32_t number, char *bytes, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (char)(number * 31 + i * 7 + (i >> 8));
}

/* What a request is to move lies where it begins, and something else where it ends. */
static void prepare(const struct message *m)
{
	char bytes[ROOM_OF_END], others[ROOM_OF_END];
	bool reads = m->from->row->op == IBV_WR_RDMA_READ;

	fill(m->number, bytes, m->size);
	memset(others, (int)~(m->number * 31), sizeof(others));
	put(reads ? &m->to->in : &m->from->out, 0, bytes, m->size);
	put(reads ? &m->from->out : &m->to->in, 0, others, m->size + GRH_OF(m->to));
}

static void expect_moved(const struct message *m)
{
	const struct region *end = m->from->row->op == IBV_WR_RDMA_READ ? &m->from->out : &m->to->in;
	char expected[ROOM_OF_END], bytes[ROOM_OF_END];

	fill(m->number, expected, m->size);
	get(end, GRH_OF(m->to), bytes, m->size);
	cr_assert_eq(memcmp(bytes, expected, m->size), 0, "message %u of %u bytes is not what was sent", m->number, m->size);
}

static void prepare_number(const struct message *m)
{
	const uint64_t there = operand_of(m->number) + m->number % 2, none = 0;

	put(&m->to->in, 0, &there, sizeof(there));
	put(&m->from->out, 0, &none, sizeof(none));
}

/* Of every second swap what is compared is not there. */
static void expect_number(const struct message *m)
{
	uint64_t before = operand_of(m->number) + m->number % 2, now, back;
	uint64_t after = m->number % 2 ? before : swap_of(m->number);

	if (m->from->row->op == IBV_WR_ATOMIC_FETCH_AND_ADD)
		after = before + operand_of(m->number);
	get(&m->to->in, 0, &now, sizeof(now));
	get(&m->from->out, 0, &back, sizeof(back));
	cr_assert_eq(back, before);
	cr_assert_eq(now, after);
}

static enum ibv_wc_opcode opcode_of(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ: return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP: return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD: return IBV_WC_FETCH_ADD;
	default: return IBV_WC_SEND;
	}
}

static bool has_imm(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool is_received(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND || has_imm(op);
}

static void expect_sent(const struct message *m)
{
	struct ibv_wc wc = take(m->from);

	cr_assert_eq(wc.wr_id, m->number);
	cr_assert_eq(wc.status, IBV_WC_SUCCESS, "%s", vx_ibv_wc_status_name(wc.status));
	cr_assert_eq(wc.opcode, opcode_of(m->from->row->op), "%s", vx_ibv_wc_opcode_name(wc.opcode));
	cr_assert_eq(wc.qp_num, vx_qp_raw(m->from->qps[m->qp])->qp_num);
}

static void expect_received(const struct message *m)
{
	enum ibv_wr_opcode op = m->from->row->op;
	struct ibv_wc wc = take(m->to);

	cr_assert_eq(wc.wr_id, m->number);
	cr_assert_eq(wc.status, IBV_WC_SUCCESS, "%s", vx_ibv_wc_status_name(wc.status));
	cr_assert_eq(wc.opcode, op == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV);
	cr_assert_eq(wc.byte_len, m->size + GRH_OF(m->to));
	cr_assert_eq(wc.qp_num, vx_qp_raw(m->to->receivers[m->qp])->qp_num);
	cr_assert_eq(!(wc.wc_flags & IBV_WC_WITH_IMM), !has_imm(op));
	if (has_imm(op))
		cr_assert_eq(wc.imm_data, imm_of(m->number));
	if (m->to->row->type == IBV_QPT_UD)
		cr_assert_eq(wc.src_qp, vx_qp_raw(m->from->qps[m->qp])->qp_num);
}

static uint32_t size_of(const struct traffic *row, uint32_t number)
{
	static const uint32_t sizes[] = { 1, 64, 1000, 13 };

	if (row->empty)
		return 0;
	if (is_atomic(row->op))
		return 8;
	return row->memory == OF_DEVICE ? 64 : sizes[number % 4];
}

static void pass(struct end *from, struct end *to, int qp, uint32_t number)
{
	const struct traffic *row = from->row;
	const struct message m = { from, to, qp, number, size_of(row, number) };

	(is_atomic(row->op) ? prepare_number : prepare)(&m);
	if (is_received(row->op))
		made(post_receive(to, qp, number));
	made(post(&m));
	expect_sent(&m);
	if (is_received(row->op))
		expect_received(&m);
	(is_atomic(row->op) ? expect_number : expect_moved)(&m);
}

/*
 * The one request completes, with whatever status the device has for what is wrong, or the provider refuses it. Nothing was changed
 * there, but where it is this side that cannot take the answer.
 */
static void pass_wrongly(struct end *from, struct end *to)
{
	const struct message m = { from, to, 0, 0, size_of(from->row, 0) };
	uint64_t before, after;
	int rc;

	prepare_number(&m);
	get(&to->in, 0, &before, sizeof(before));
	rc = post(&m);
	if (rc < 0)
		cr_expect_eq(rc, -EINVAL, "%s", vx_error_text());
	else
		cr_expect_neq(take(from).status, IBV_WC_SUCCESS);
	get(&to->in, 0, &after, sizeof(after));
	cr_expect(after == before || from->row->wrong_lkey);
}

/* ---- what a device must have ---- */

static uint32_t on_demand_of(const struct traffic *row)
{
	struct ibv_device_attr_ex attr;

	made(vx_ctx_query_device_ex(ctx, &attr));
	if (row->memory == OF_PROCESS && !(attr.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT))
		return 0;
	if (row->type == IBV_QPT_XRC_SEND)
		return attr.xrc_odp_caps;
	return row->type == IBV_QPT_UD ? attr.odp_caps.per_transport_caps.ud_odp_caps : attr.odp_caps.per_transport_caps.rc_odp_caps;
}

static void need(const struct traffic *row)
{
	if (is_atomic(row->op) && limits.atomic_cap == IBV_ATOMIC_NONE)
		cr_skip_test("the device has no atomics");
	if (row->on_demand & ~on_demand_of(row))
		cr_skip_test("the device has no such memory on demand");
}

void run(struct traffic row)
{
	struct end ends[2];
	uint32_t round;
	int qp;

	row.type = row.type ? row.type : IBV_QPT_RC;
	row.qps = row.qps ? row.qps : 1;
	need(&row);
	open_ends(&row, ends);
	if (row.fails) {
		pass_wrongly(&ends[0], &ends[1]);
		return;
	}
	for (round = 0; round < ROUNDS; round++) {
		for (qp = 0; qp < row.qps; qp++)
			pass(&ends[round >= ROUNDS / 2], &ends[round < ROUNDS / 2], qp, round);
	}
}
