/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "devx_queues.h"

#include <endian.h>
#include <stdlib.h>

struct devx_queues queues;

struct mailbox cq_mailbox(void)
{
	struct mailbox m = mailbox_of(CREATE_CQ);

	mailbox_set(&m, 160, 32, queues.umem->umem_id);
	mailbox_set(&m, 227, 5, LOG_ENTRIES);
	mailbox_set(&m, 576, 64, CQ_DOORBELL);
	mailbox_set(&m, 640, 64, CQES);
	mailbox_set(&m, 704, 32, queues.umem->umem_id);
	return m;
}

void make_cq(struct mailbox m)
{
	queues.cq = mailbox_create(&m, LENGTH);
	CHECK(queues.cq);
	queues.cqn = mailbox_get(&m, 72, 24);
}

void open_queues(void)
{
	open_mlx5();
	queues.consumed = 0;
	queues.memory = aligned_alloc(4096, MEMORY);
	memset(queues.memory, 0, MEMORY);
	memset(queues.memory + CQES, 0xff, 64 * 64);
	queues.umem = mlx5dv_devx_umem_reg(bed.ctx, queues.memory, MEMORY, IBV_ACCESS_LOCAL_WRITE);
	CHECK(queues.umem);
	make_cq(cq_mailbox());
}

void close_queues(void)
{
	CHECK(!mlx5dv_devx_obj_destroy(queues.cq));
	CHECK(!mlx5dv_devx_umem_dereg(queues.umem));
	free(queues.memory);
	close_bed();
}

struct mailbox qp_mailbox(int place, uint32_t rmp)
{
	struct mailbox m = mailbox_of(CREATE_QP);

	mailbox_set(&m, QPC + 40, 24, pd_number(bed.pd));
	mailbox_set(&m, QPC + 73, 4, LOG_ENTRIES);
	mailbox_set(&m, QPC + 81, 4, LOG_ENTRIES);
	mailbox_set(&m, QPC + 1000, 24, queues.cqn);
	mailbox_set(&m, QPC + 1256, 24, queues.cqn);
	mailbox_set(&m, QPC + 1280, 64, DOORBELLS + 64 * place);
	mailbox_set(&m, QPC + 1381, 3, rmp ? 1 : 0);
	mailbox_set(&m, QPC + 1384, 24, rmp);
	mailbox_set(&m, QPC + 1824, 32, queues.umem->umem_id);
	mailbox_set(&m, 2048, 64, WORK + (uint64_t)place * WORK_SIZE);
	mailbox_set(&m, 2112, 32, queues.umem->umem_id);
	return m;
}

struct queue_pair make_pair_end(int place, uint32_t rmp)
{
	struct mailbox m = qp_mailbox(place, rmp);
	struct queue_pair q = { .o = mailbox_create(&m, LENGTH),
				.place = place,
				.send_queue = WORK + place * WORK_SIZE + (rmp ? 0 : RQ_BYTES) };

	CHECK(q.o);
	q.number = mailbox_get(&m, 72, 24);
	return q;
}

int transit(const struct queue_pair *q, struct mailbox *m)
{
	mailbox_set(m, 72, 24, q->number);
	return mailbox_modify(q->o, m, LENGTH);
}

static int to_rtr(const struct queue_pair *q, uint32_t peer)
{
	struct mailbox m = mailbox_of(INIT2RTR);
	union ibv_gid gid;

	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &gid));
	mailbox_set(&m, 128, 32, 1 << 1 | 1 << 2 | 1 << 3); /* access flags are given */
	mailbox_set(&m, QPC + 64, 3, IBV_MTU_1024);
	mailbox_set(&m, QPC + 168, 24, peer);
	mailbox_set(&m, QPC + 232, 1, bed.ethernet);
	mailbox_set(&m, QPC + 240, 16, bed.lid);
	mailbox_set(&m, QPC + 488, 8, 1);
	for (int i = 0; i < 16; i++)
		mailbox_set(&m, QPC + 320 + 8 * i, 8, gid.raw[i]);
	mailbox_set(&m, QPC + 1168, 3, 7); /* reads, writes, atomics */
	mailbox_set(&m, QPC + 1187, 5, 12);
	return transit(q, &m);
}

void start_end(const struct queue_pair *q, uint32_t peer)
{
	struct mailbox init = mailbox_of(RST2INIT), rts = mailbox_of(RTR2RTS);

	mailbox_set(&init, QPC + 488, 8, 1);
	CHECK(!transit(q, &init));
	CHECK(!to_rtr(q, peer));
	mailbox_set(&rts, QPC + 256, 5, 14);
	mailbox_set(&rts, QPC + 909, 3, 3);
	mailbox_set(&rts, QPC + 912, 3, NO_RNR_LIMIT);
	CHECK(!transit(q, &rts));
}

volatile __be32 *doorbell(size_t at)
{
	return (volatile __be32 *)(queues.memory + at);
}

void data_segment(struct mlx5_wqe_data_seg *s, size_t offset, uint32_t len)
{
	*s = (struct mlx5_wqe_data_seg){ htobe32(len), htobe32(bed.mr->lkey), htobe64(address(offset)) };
}

void put_wqe(struct queue_pair *q, uint8_t opcode, uint8_t flags, size_t offset, uint32_t len)
{
	struct {
		struct mlx5_wqe_ctrl_seg ctrl;
		struct mlx5_wqe_data_seg data;
	} *wqe = (void *)(queues.memory + q->send_queue + q->sent * 64);

	wqe->ctrl = (struct mlx5_wqe_ctrl_seg){ .opmod_idx_opcode = htobe32((uint32_t)q->sent << 8 | opcode),
						.qpn_ds = htobe32(q->number << 8 | 2),
						.fm_ce_se = flags };
	data_segment(&wqe->data, offset, len);
	q->sent++;
}

void ring(const struct queue_pair *q)
{
	*doorbell(DOORBELLS + 64 * q->place + 4) = htobe32(q->sent);
}

void post_wqe(struct queue_pair *q, uint8_t opcode, size_t offset, uint32_t len)
{
	put_wqe(q, opcode, MLX5_WQE_CTRL_CQ_UPDATE, offset, len);
	ring(q);
}

void post_receive(struct queue_pair *q, size_t offset, uint32_t len)
{
	data_segment((void *)(queues.memory + WORK + q->place * WORK_SIZE + q->posted * 16), offset, len);
	*doorbell(DOORBELLS + 64 * q->place) = htobe32(++q->posted);
}

struct mlx5_cqe64 next_cqe(void)
{
	struct mlx5_cqe64 *e = (void *)(queues.memory + CQES + queues.consumed % 64 * 64), copy;
	double end = now_ms() + PATIENCE;

	while ((e->op_own & 1) != (queues.consumed >> LOG_ENTRIES & 1) || e->op_own >> 4 == MLX5_CQE_INVALID)
		CHECK(now_ms() < end);
	__sync_synchronize();
	copy = *e;
	*doorbell(CQ_DOORBELL) = htobe32(++queues.consumed);
	return copy;
}

void expect_two(uint8_t opcode, uint8_t other)
{
	uint8_t first = next_cqe().op_own >> 4, second = next_cqe().op_own >> 4;

	cr_expect((first == opcode && second == other) || (first == other && second == opcode), "%u %u",
		  first, second);
}
