/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Builders of checked DCIs, which tell each request where it goes. */

#include <errno.h>

#include "guard_mlx5_bed.h"

TestSuite(guard_dc, .init = open_mlx5, .fini = close_device);

Test(guard_dc, of_a_dci_needs_an_address)
{
	struct mlx5dv_qp_init_attr of_mlx5 = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_ah *ah = way_back(), *foreign;
	struct vx_pd *own = pd, *other;
	struct ibv_ah *gone;

	made(vx_pd_create(ctx, NULL, &other));
	pd = other;
	foreign = way_back();
	pd = own;
	qp = adopt_checked(IBV_QPT_DRIVER, &of_mlx5);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .dlid = 1 }));
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_wr_send, wr_id = 0x7): it has no address: vx_mlx5_wr_set_dc_addr() must follow");
	cr_expect_eq(vx_qp_post_send_one(qp, 7, 0, NULL, 0), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_SEND): a DCI has no address of its own, and a post has no place for one: vx_wr_start(), vx_mlx5_wr_set_dc_addr()");
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, NULL, 0, 1, 2), -EINVAL);
	expect_reason("a DCI has no address of its own");
	made(vx_qp_post_local_inv(qp, 7, 0, 0x77777777)); /* which goes nowhere */
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_mlx5_wr_set_dc_addr(&mlx5, foreign, 1, 2);
	expect_mlx5_refused(-EINVAL, "ah is of another PD");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_mlx5_wr_set_dc_addr(&mlx5, ah, 0x1000000, 2);
	expect_mlx5_refused(-EINVAL, "has 0x1000000 as the number of its peer, and the most is 0xffffff");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, ah, 1, 2);
	expect_mlx5_refused(-EINVAL, "takes no vx_wr_set_ud_addr(), a QP of type IBV_QPT_DRIVER has another");
	configure(0);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mkey_configure, wr_id = 0x7): it is nothing that a QP of type IBV_QPT_DRIVER can do");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_mlx5_wr_set_dc_addr(&mlx5, ah, 1, 2);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8);
	made(vx_wr_complete(wr));
	gone = vx_ah_raw(ah);
	made(vx_close(ah));
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	mlx5dv_wr_set_dc_addr(mlx5.mlx5, gone, 1, 2);
	expect_mlx5_refused(-EINVAL, "ah is one that was closed, or is none");
}

static void send_by_stream(struct vx_ah *ah, uint16_t stream)
{
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_mlx5_wr_set_dc_addr_stream(&mlx5, ah, 1, 2, stream);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8);
}

/* The last that there is, and one that is none, if there is such. */
static void expect_streams(struct vx_ah *ah, uint16_t last, uint16_t beyond, const char *why)
{
	made(vx_qp_to_rts(qp, &(struct vx_path){ .dlid = 1 }));
	made(vx_mlx5_qp_wr(qp, &mlx5));
	send_by_stream(ah, last);
	made(vx_wr_complete(wr));
	if (!why)
		return;
	send_by_stream(ah, beyond);
	expect_mlx5_refused(-EINVAL, why);
}

/* A DCI that another made may have any. */
Test(guard_dc, of_a_dci_names_a_stream_that_there_is)
{
	struct mlx5dv_qp_init_attr of_mlx5 = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_mlx5_qp_init init = { .send_ops_flags = IBV_QP_EX_WITH_SEND, .mlx5dv_qp_init_attr = &of_mlx5, .checked = true };
	struct vx_ah *ah = way_back();
	struct vx_cq *own;

	made(vx_cq_create(ctx, NULL, &own));
	init.send_cq = init.recv_cq = own;
	made(vx_mlx5_qp_create(pd, &init, &qp));
	expect_streams(ah, 0, 1, "has stream_id = 1, and the DCI was made without dci_streams: it has one stream, 0");
	of_mlx5.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
	of_mlx5.dc_init_attr.dci_streams = (struct mlx5dv_dci_streams){ 2, 1 };
	made(vx_mlx5_qp_create(pd, &init, &qp));
	expect_streams(ah, 3, 4, "request 1 (vx_wr_send, wr_id = 0x7): it has stream_id = 4, and the DCI was made with 4 streams, from 0 on");
	qp = adopt_checked(IBV_QPT_DRIVER, &of_mlx5);
	expect_streams(ah, UINT16_MAX, 0, NULL);
}
