/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "queues.h"

#include "frames.h"

enum {
	ALLOC_TRANSPORT_DOMAIN = 0x816,
	CREATE_TIR = 0x900,
	CREATE_RQ = 0x908,
	MODIFY_RQ = 0x909,
};

enum {
	MODIFY_LENGTH = 272,
	ENTRIES = 8,
	LOG_ENTRIES = 3,
	PARAMETERS = 192
};

struct rq rqs[RQS];

struct mlx5dv_devx_umem *umem;
static struct mlx5dv_devx_obj *domain;
uint32_t domain_number;
static _Alignas(4096) uint8_t memory[MEMORY];

static uint32_t cq_number(struct ibv_cq *cq)
{
	struct mlx5dv_cq out = { 0 };
	struct mlx5dv_obj o = { .cq = { cq, &out } };

	CHECK(!mlx5dv_init_obj(&o, MLX5DV_OBJ_CQ));
	return out.cqn;
}

struct mailbox rq_mailbox(int i, struct ibv_cq *cq)
{
	struct mailbox m = mailbox_of(CREATE_RQ);

	mailbox_set(&m, 259, 1, 1); /* VLAN tags stay */
	mailbox_set(&m, 296, 24, i); /* user index */
	mailbox_set(&m, 328, 24, cq_number(cq));
	mailbox_set(&m, 640, 4, 1); /* cyclic */
	mailbox_set(&m, 712, 24, pd_number(bed.pd));
	mailbox_set(&m, 768, 64, 64 * i);
	mailbox_set(&m, 908, 4, 4);
	mailbox_set(&m, 923, 5, LOG_ENTRIES);
	mailbox_set(&m, 960, 32, umem->umem_id);
	mailbox_set(&m, 992, 32, umem->umem_id);
	mailbox_set(&m, 1024, 64, 1024 * (i + 1));
	return m;
}

int move_rq(const struct rq *rq, int from, int to)
{
	struct mailbox m = mailbox_of(MODIFY_RQ);

	mailbox_set(&m, 64, 4, from);
	mailbox_set(&m, 72, 24, rq->number);
	mailbox_set(&m, 264, 4, to);
	return mailbox_modify(rq->o, &m, MODIFY_LENGTH);
}

static void fill(int i)
{
	struct mlx5_wqe_data_seg *entries = (void *)(memory + 1024 * (i + 1));

	for (int e = 0; e < ENTRIES; e++)
		mlx5dv_set_data_seg(&entries[e], ROOM, bed.mr->lkey, address(32768 + ROOM * e));
	*(__be32 *)(memory + 64 * i) = htobe32(ENTRIES);
}

static void open_rq(int i)
{
	struct mailbox m;

	rqs[i].cq = ibv_create_cq(bed.ctx, 16, NULL, NULL, 0);
	CHECK(rqs[i].cq);
	m = rq_mailbox(i, rqs[i].cq);
	rqs[i].o = mailbox_create(&m, CREATE_LENGTH);
	CHECK(rqs[i].o);
	rqs[i].number = mailbox_get(&m, 72, 24);
	fill(i);
	CHECK(!move_rq(&rqs[i], RST, RDY));
}

void open_rqs(void)
{
	struct mailbox m = mailbox_of(ALLOC_TRANSPORT_DOMAIN);

	open_raw();
	memset(memory, 0, sizeof(memory));
	umem = mlx5dv_devx_umem_reg(bed.ctx, memory, MEMORY, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	domain = mailbox_create(&m, 16);
	CHECK(domain);
	domain_number = mailbox_get(&m, 72, 24);
	for (int i = 0; i < RQS; i++)
		open_rq(i);
}

void close_rqs(void)
{
	CHECK(mlx5dv_devx_umem_dereg(umem) == EBUSY);
	for (int i = 0; i < RQS; i++) {
		CHECK(ibv_destroy_cq(rqs[i].cq) == EBUSY);
		CHECK(!mlx5dv_devx_obj_destroy(rqs[i].o) && !ibv_destroy_cq(rqs[i].cq));
	}
	CHECK(!mlx5dv_devx_obj_destroy(domain) && !mlx5dv_devx_umem_dereg(umem));
	close_raw();
}

struct mailbox direct(uint32_t rq)
{
	struct mailbox m = mailbox_of(CREATE_TIR);

	mailbox_set(&m, 488, 24, rq);
	mailbox_set(&m, 552, 24, domain_number);
	return m;
}

struct lead lead_by(uint32_t flags, struct mlx5dv_flow_action_attr *to)
{
	struct {
		size_t size;
		uint64_t bytes[PARAMETERS / 8];
	} none = { .size = PARAMETERS };
	struct mlx5dv_flow_matcher_attr a = { .type = IBV_FLOW_ATTR_NORMAL, .flags = flags, .match_mask = (void *)&none };
	struct lead l = { .matcher = mlx5dv_create_flow_matcher(bed.ctx, &a) };

	CHECK(l.matcher);
	l.flow = mlx5dv_create_flow(l.matcher, (void *)&none, 1, to);
	return l;
}

struct lead lead_to(struct mlx5dv_devx_obj *o)
{
	return lead_by(0, &(struct mlx5dv_flow_action_attr){ .type = MLX5DV_FLOW_ACTION_DEST_DEVX, .obj = o });
}

void end_lead(struct lead l)
{
	CHECK((!l.flow || !ibv_destroy_flow(l.flow)) && !mlx5dv_destroy_flow_matcher(l.matcher));
}

/* libibverbs knows no QP or WQ of that CQ: its entries are read as they are */
static struct mlx5_cqe64 *entry_of(struct ibv_cq *of, uint32_t i)
{
	struct mlx5dv_cq cq = { 0 };
	struct mlx5dv_obj o = { .cq = { of, &cq } };

	CHECK(!mlx5dv_init_obj(&o, MLX5DV_OBJ_CQ));
	return i < cq.cqe_cnt ? (void *)((uint8_t *)cq.buf + i * cq.cqe_size + cq.cqe_size - 64) : NULL;
}

int received(int i)
{
	struct mlx5_cqe64 *cqe, *last = NULL;
	int n = 0;

	for (uint32_t e = 0; (cqe = entry_of(rqs[i].cq, e)); e++)
		if (mlx5dv_get_cqe_opcode(cqe) == MLX5_CQE_RESP_SEND) {
			CHECK(be32toh(cqe->srqn_uidx) == (uint32_t)i);
			last = cqe;
			n++;
		}
	CHECK(!last || be32toh(last->byte_cnt) == frame_len);
	return n;
}

uint32_t tag_received(int i)
{
	return be32toh(entry_of(rqs[i].cq, received(i) - 1)->sop_drop_qpn) & 0xffffff;
}

void send_to_port(uint16_t port)
{
	begin_frame(0x0800);
	ipv4(17);
	ports(1000, port, 8);
	send_frame();
}
