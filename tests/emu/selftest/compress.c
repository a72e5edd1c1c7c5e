/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completions that are compressed, as a driver of its own takes them apart: libmlx5 cannot. */
#include <endian.h>

#include "selftest.h"

enum {
	ENTRIES = 64,
	MESSAGES = 13,
	SHORTEST = 16,
	COMPRESSED = 3,
	FORMAT_SHIFT = 2,
	MINIS = 8,
	RECEIVED = 16384 /* in bed.buf */
};

struct mini {
	__be32 hash, byte_count;
};

/* A CQ that the test reads by itself, with the receiving end of a connection */
static struct {
	struct ibv_cq *cq;
	struct mlx5dv_cq raw;
	struct ibv_qp *qp;
	uint32_t ci, begun; /* where it was when the QP began */
	int sessions;
} rx;

static struct ibv_cq *compressing(uint8_t format, uint16_t entry_size)
{
	struct ibv_cq_init_attr_ex a = { .cqe = ENTRIES - 1 };
	struct mlx5dv_cq_init_attr dv = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE |
						       MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
					  .cqe_comp_res_format = format,
					  .cqe_size = entry_size };
	struct ibv_cq_ex *cq = mlx5dv_create_cq(bed.ctx, &a, &dv);

	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

/* Whose entries libmlx5 does not see has no room for more receives, until it is reset */
static void begin_anew(void)
{
	reconnect(bed.a, rx.qp, NO_RNR_LIMIT);
	rx.begun = rx.ci;
}

static void open_rx(void)
{
	struct mlx5dv_obj obj = { .cq = { .in = NULL, .out = &rx.raw } };

	open_mlx5();
	rx.cq = compressing(MLX5DV_CQE_RES_FORMAT_HASH, 64);
	CHECK(rx.cq);
	obj.cq.in = rx.cq;
	CHECK(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
	CHECK(rx.raw.cqe_cnt == ENTRIES && rx.raw.cqe_size == 64);
	rx.qp = make_rc(rx.cq, NULL);
	rx.ci = 0;
	rx.sessions = 0;
	begin_anew();
}

static void close_rx(void)
{
	CHECK(!ibv_destroy_qp(rx.qp) && !ibv_destroy_cq(rx.cq));
	close_bed();
}

TestSuite(compress, .init = open_rx, .fini = close_rx);

static struct mlx5_cqe64 *entry(uint32_t index)
{
	return (struct mlx5_cqe64 *)rx.raw.buf + index % ENTRIES;
}

static bool is_there(uint32_t index)
{
	uint8_t op_own = *(volatile uint8_t *)&entry(index)->op_own;

	__sync_synchronize();
	return op_own >> 4 != MLX5_CQE_INVALID && (op_own & 1) == !!(index & ENTRIES);
}

/* What a driver does with the entries of a session, in which arrays have lain: they are of this lap, and to be written */
static void give_back(uint32_t index)
{
	entry(index)->op_own = MLX5_CQE_INVALID << 4 | !!(index & ENTRIES);
}

static void take_one(uint32_t wqe, uint32_t byte_count)
{
	uint32_t number = rx.ci - rx.begun;

	cr_assert_eq(wqe, number, "receive %u rather than %u", wqe, number);
	cr_assert_eq(byte_count, SHORTEST + number);
	give_back(rx.ci++);
}

/* The arrays are copied before the entries below them are given back */
static void take_session(const struct mlx5_cqe64 *title)
{
	uint32_t count = be32toh(title->byte_cnt), wqe = be16toh(title->wqe_counter), first = rx.ci;
	struct mini minis[MINIS];

	CHECK(count > 1 && count <= MESSAGES);
	rx.sessions++;
	for (uint32_t i = 0; i < count; i++) {
		if (i % MINIS == 0)
			memcpy(minis, entry(first + (i ? i : 1)), sizeof(minis));
		take_one(wqe + i, be32toh(minis[i % MINIS].byte_count));
	}
}

static void take_next(void)
{
	struct mlx5_cqe64 e;
	double begun = now_ms();

	while (!is_there(rx.ci))
		cr_assert(now_ms() - begun < PATIENCE, "no entry %u", rx.ci);
	e = *entry(rx.ci);
	CHECK(e.op_own >> 4 == MLX5_CQE_RESP_SEND);
	if ((e.op_own >> FORMAT_SHIFT & 3) == COMPRESSED)
		take_session(&e);
	else
		take_one(be16toh(e.wqe_counter), be32toh(e.byte_cnt));
	rx.raw.dbrec[0] = htobe32(rx.ci);
}

/* All at once, each one byte longer than the one before */
static void send_all(unsigned int flags)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	for (int i = 0; i < MESSAGES; i++)
		post_recv(rx.qp, i, RECEIVED, 64);
	ibv_wr_start(x);
	for (int i = 0; i < MESSAGES; i++) {
		x->wr_id = 1;
		x->wr_flags = i == MESSAGES - 1 ? flags | IBV_SEND_SIGNALED : flags;
		ibv_wr_send(x);
		ibv_wr_set_sge(x, bed.mr->lkey, address(0), SHORTEST + i);
	}
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, IBV_WC_SUCCESS, IBV_WC_SEND);
}

/* Often enough that the queue goes round */
Test(compress, what_comes_at_once_is_one_entry_with_arrays)
{
	for (uint32_t round = 1; round <= 8; round++) {
		begin_anew();
		send_all(0);
		while (rx.ci < round * MESSAGES)
			take_next();
	}
	CHECK(!is_there(rx.ci));
	CHECK(rx.sessions > 0);
}

Test(compress, what_comes_alone_is_whole)
{
	for (int i = 0; i < 3; i++) {
		post_recv(rx.qp, i, RECEIVED, 64);
		post_send(bed.a, 1, IBV_SEND_SIGNALED, SHORTEST + i);
		expect_wc(1, IBV_WC_SUCCESS, IBV_WC_SEND);
		take_next();
	}
	cr_assert_eq(rx.sessions, 0);
}

Test(compress, what_says_more_than_a_length_is_whole)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct ibv_wc wc;

	for (int i = 0; i < 2; i++)
		post_recv(rx.qp, i, RECEIVED, 64);
	ibv_wr_start(x);
	for (int i = 0; i < 2; i++) {
		x->wr_id = 1;
		x->wr_flags = i ? IBV_SEND_SIGNALED : 0;
		ibv_wr_send_imm(x, htobe32(i));
		ibv_wr_set_sge(x, bed.mr->lkey, address(0), SHORTEST);
	}
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, IBV_WC_SUCCESS, IBV_WC_SEND);
	for (int i = 0; i < 2; i++) {
		wc = wait_wc(rx.cq); /* so libmlx5 can tell of them */
		CHECK(!wc.status && be32toh(wc.imm_data) == (uint32_t)i);
	}
}

Test(compress, only_known_formats_of_entries_of_64_bytes_are_taken)
{
	struct ibv_cq *checksums = compressing(MLX5DV_CQE_RES_FORMAT_CSUM, 64);

	CHECK(checksums && !ibv_destroy_cq(checksums));
	CHECK(!compressing(MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX, 64));
	CHECK(!compressing(MLX5DV_CQE_RES_FORMAT_HASH, 128));
}
