/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Dynamically connected: DCI and DCT. */
#include "selftest.h"

TestSuite(dc, .init = open_mlx5, .fini = close_bed);

static struct ibv_qp *make_dci(void)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
	};
	struct ibv_qp *q = make_mlx5_qp(IBV_QPT_DRIVER, IBV_QP_EX_WITH_RDMA_WRITE, &dv);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT));
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_4096;
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PATH_MTU));
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 14;
	a.retry_cnt = 1;
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
	return q;
}

static struct ibv_qp *make_dct_in_init(struct ibv_srq *srq)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = DC_KEY },
	};
	struct ibv_qp_init_attr_ex init = { .send_cq = bed.cq,
					    .recv_cq = bed.cq,
					    .srq = srq,
					    .qp_type = IBV_QPT_DRIVER,
					    .pd = bed.pd,
					    .comp_mask = IBV_QP_INIT_ATTR_PD };
	struct ibv_qp *q = mlx5dv_create_qp(bed.ctx, &init, &dv);

	CHECK(q);
	to_init(q, IBV_ACCESS_REMOTE_WRITE);
	return q;
}

static struct ibv_qp *make_dct(struct ibv_srq *srq)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR,
				 .path_mtu = IBV_MTU_4096,
				 .min_rnr_timer = 12,
				 .ah_attr = path_to_self(0) };
	struct ibv_qp *q = make_dct_in_init(srq);

	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV));
	return q;
}

static void write_to(struct ibv_qp *dci, struct ibv_ah *ah, uint32_t dct, uint64_t key)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(dci);

	start(x, 20, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(x, bed.mr->rkey, address(40960));
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), 16);
	mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(x), ah, dct, key);
	CHECK(!ibv_wr_complete(x));
}

Test(dc, a_dct_wants_the_right_key)
{
	struct ibv_srq_init_attr init = { .attr = { 16, 1, 0 } };
	struct ibv_ah_attr path = path_to_self(0);
	struct ibv_srq *srq = ibv_create_srq(bed.pd, &init);
	struct ibv_ah *ah = ibv_create_ah(bed.pd, &path);
	struct ibv_qp *dci = make_dci(), *dct = make_dct(srq);

	CHECK(srq && ah);
	write_to(dci, ah, dct->qp_num, DC_KEY);
	expect_wc(20, 0, IBV_WC_RDMA_WRITE);
	CHECK(!strcmp(bed.buf + 40960, bed.buf));
	write_to(dci, ah, dct->qp_num, DC_KEY + 1);
	expect_error(20, IBV_WC_RETRY_EXC_ERR);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(dct) && !ibv_destroy_qp(dci));
	CHECK(!ibv_destroy_srq(srq));
}

/* As much as the kernel asks of a DCI, which is less than of an RC QP */
Test(dc, an_initiator_needs_its_attributes)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
	};
	struct ibv_qp *q = make_mlx5_qp(IBV_QPT_DRIVER, IBV_QP_EX_WITH_RDMA_WRITE, &dv);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .path_mtu = IBV_MTU_1024 };

	CHECK(ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PORT) == EINVAL);
	CHECK(ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS) ==
	      EINVAL);
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX));
	a.qp_state = IBV_QPS_RTR;
	CHECK(ibv_modify_qp(q, &a, IBV_QP_STATE) == EINVAL);
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PATH_MTU));
	a.qp_state = IBV_QPS_RTS;
	CHECK(ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_SQ_PSN) == EINVAL);
	CHECK(!ibv_destroy_qp(q));
}

Test(dc, the_path_of_a_dct_leads_nowhere)
{
	struct ibv_srq_init_attr init = { .attr = { 16, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(bed.pd, &init);
	struct ibv_qp *dct = make_dct_in_init(srq);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR,
				 .path_mtu = IBV_MTU_256,
				 .ah_attr = { .port_num = 1, .is_global = 1, .grh = { .hop_limit = 1 } } };

	CHECK(!ibv_modify_qp(dct, &a, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV));
	CHECK(!ibv_destroy_qp(dct) && !ibv_destroy_srq(srq));
}
