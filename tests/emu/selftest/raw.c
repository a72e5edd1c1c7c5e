/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests of mlx5 alone: memcpy, and WQEs that the program built itself. */
#include "selftest.h"

TestSuite(raw, .init = open_mlx5, .fini = close_bed);

/* The data segments of a memcpy are those of mlx5 */
Test(raw, memcpy_copies)
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

Test(raw, a_raw_nop_completes)
{
	post_raw(1, MLX5_OPCODE_NOP);
	expect_wc(1, 0, MLX5DV_WC_RAW_WQE);
}

Test(raw, an_unknown_opcode_is_a_local_error)
{
	post_raw(1, 0xee);
	expect_error(1, IBV_WC_LOC_QP_OP_ERR);
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
}

/* WQEs that no builder makes: too short for what they are */
Test(raw, a_wqe_has_all_its_segments)
{
	static const uint8_t opcodes[] = { MLX5_OPCODE_RDMA_WRITE, MLX5_OPCODE_ATOMIC_CS, MLX5_OPCODE_UMR,
					   0x2f };

	for (size_t i = 0; i < SIZE(opcodes); i++) {
		struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
		struct mlx5_wqe_ctrl_seg wqe = { 0 };

		mlx5dv_set_ctrl_seg(&wqe, 0, opcodes[i], 0, 0, MLX5_WQE_CTRL_CQ_UPDATE, 1, 0, 0);
		start(x, 1, IBV_SEND_SIGNALED);
		mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(x), &wqe);
		CHECK(!ibv_wr_complete(x));
		expect_own_error(IBV_WC_LOC_QP_OP_ERR);
	}
}
