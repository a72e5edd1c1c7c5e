/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests between two RC QPs. */
#include <arpa/inet.h>
#include <unistd.h>

#include "selftest.h"

static void a_send_completes_at_both_ends(void)
{
	post_recv(bed.b, 77, 4096, 256);
	post_send(bed.a, 1, 0, 16);
	expect_wc(77, 0, IBV_WC_RECV);
	expect_wc(1, 0, IBV_WC_SEND);
	CHECK(!strcmp(bed.buf + 4096, "hello mlx5"));
}

static void a_read_sees_the_write_before_it(void)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	start(x, 2, 0); /* not signaled */
	ibv_wr_rdma_write(x, bed.mr->rkey, address(8192));
	ibv_wr_set_inline_data(x, "inline!", 8);
	x->wr_id = 3;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_read(x, bed.mr->rkey, address(8192));
	ibv_wr_set_sge(x, bed.mr->lkey, address(12288), 8);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_RDMA_READ);
	CHECK(!strcmp(bed.buf + 12288, "inline!"));
}

static void fetch_and_add_returns_the_old_value(void)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	uint64_t v[2] = { 40, 0 };

	memcpy(bed.buf + 16384, v, sizeof(v));
	start(x, 4, IBV_SEND_SIGNALED);
	ibv_wr_atomic_fetch_add(x, bed.mr->rkey, address(16384), 2);
	ibv_wr_set_sge(x, bed.mr->lkey, address(16392), 8);
	CHECK(!ibv_wr_complete(x));
	expect_wc(4, 0, IBV_WC_FETCH_ADD);
	memcpy(v, bed.buf + 16384, sizeof(v));
	CHECK(v[0] == 42 && v[1] == 40);
}

static void immediate_data_waits_for_the_receiver(void)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct ibv_wc wc;

	start(x, 9, IBV_SEND_SIGNALED);
	ibv_wr_send_imm(x, htonl(0xabcd));
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), 0);
	CHECK(!ibv_wr_complete(x));
	usleep(2000);
	CHECK(!ibv_poll_cq(bed.cq, 1, &wc));
	post_recv(bed.b, 10, 4096, 64);
	wc = wait_wc(bed.cq);
	CHECK(wc.wr_id == 10 && wc.wc_flags & IBV_WC_WITH_IMM && wc.imm_data == htonl(0xabcd) &&
	      wc.byte_len == 0);
	expect_wc(9, 0, IBV_WC_SEND);
}

/* The data segments of a memcpy are those of mlx5 */
static void memcpy_copies(void)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	start(x, 7, IBV_SEND_SIGNALED);
	mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(x), bed.mr->lkey, address(32768), bed.mr->lkey,
			 address(0), 16);
	CHECK(!ibv_wr_complete(x));
	expect_wc(7, 0, MLX5DV_WC_MEMCPY);
	CHECK(!strcmp(bed.buf + 32768, "hello mlx5"));
}

/* WQEs that the program built itself: nothing to do, and nothing known */
static void post_raw(uint64_t wr_id, uint8_t opcode)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct mlx5_wqe_ctrl_seg wqe = { 0 };

	mlx5dv_set_ctrl_seg(&wqe, 0, opcode, 0, 0, MLX5_WQE_CTRL_CQ_UPDATE, 1, 0, 0);
	start(x, wr_id, IBV_SEND_SIGNALED);
	mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(x), &wqe);
	CHECK(!ibv_wr_complete(x));
}

static void a_raw_nop_completes(void)
{
	post_raw(1, MLX5_OPCODE_NOP);
	expect_wc(1, 0, MLX5DV_WC_RAW_WQE);
}

static void an_unknown_opcode_is_a_local_error(void)
{
	post_raw(1, 0xee);
	expect_error(1, IBV_WC_LOC_QP_OP_ERR);
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
}

static void a_full_send_queue_refuses(void)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	ibv_wr_start(x);
	for (int i = 0; i < 200; i++) {
		x->wr_flags = 0;
		ibv_wr_rdma_write(x, bed.mr->rkey, address(0));
		ibv_wr_set_inline_data(x, "z", 1);
	}
	CHECK(ibv_wr_complete(x) == ENOMEM);
}

const struct test connected_tests[] = {
	{ "a_send_completes_at_both_ends", a_send_completes_at_both_ends },
	{ "a_read_sees_the_write_before_it", a_read_sees_the_write_before_it },
	{ "fetch_and_add_returns_the_old_value", fetch_and_add_returns_the_old_value },
	{ "immediate_data_waits_for_the_receiver", immediate_data_waits_for_the_receiver },
	{ "memcpy_copies", memcpy_copies },
	{ "a_raw_nop_completes", a_raw_nop_completes },
	{ "an_unknown_opcode_is_a_local_error", an_unknown_opcode_is_a_local_error },
	{ "a_full_send_queue_refuses", a_full_send_queue_refuses },
	{ 0 },
};
