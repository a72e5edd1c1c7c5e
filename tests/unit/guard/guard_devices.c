/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs and SRQs of two devices, each of which counts its keys and PDs by itself: what has the same number is not the same. */

#include <errno.h>

#include "guard_bed.h"

#define OPS (ALL | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV)

static struct vx_ctx *there;
static struct vx_pd *pd_there;

static void open_two(void)
{
	open_checked();
	made(vx_ctx_open_index(1, &there));
	made(vx_pd_create(there, NULL, &pd_there));
	cr_assert_eq(vx_pd_raw(pd_there)->handle, vx_pd_raw(pd)->handle);
}

static void close_two(void)
{
	made(vx_close(there));
	close_device();
}

TestSuite(guard_devices, .init = open_two, .fini = close_two);

/* A region there of the same key as the one here, which has another length. */
static struct vx_mr *twin_of_region(size_t length)
{
	struct vx_mr *twin;

	do
		made(vx_mr_create(pd_there, &(struct vx_mr_init){ .addr = memory, .length = length, .access = IBV_ACCESS_LOCAL_WRITE }, &twin));
	while (vx_mr_lkey(twin) < lkey);
	cr_assert_eq(vx_mr_lkey(twin), lkey);
	return twin;
}

static int post_at(struct vx_qp *of, size_t offset)
{
	return vx_qp_post_rdma_write(of, 7, IBV_SEND_SIGNALED, &(struct ibv_sge){ at(offset), 8, lkey }, 1, vx_mr_rkey(mr), at(1024));
}

/* The one made first, and then the one made last, has the longer region. */
Test(guard_devices, keep_each_to_its_own_region_of_a_key)
{
	struct ibv_sge entry = { at(16), 8, lkey };
	struct vx_srq *srq;

	twin_of_region(16);
	made(post_at(qp, 16));
	poll_all(1);
	made(vx_srq_create(pd_there, &(struct vx_srq_init){ .checked = true }, &srq));
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &entry, 1), -EINVAL);
	expect_reason("entry 1 ends at byte 24 of mlx5_1 mr");
	entry.addr = at(8);
	made(vx_srq_post_recv_one(srq, 7, &entry, 1));
}

Test(guard_devices, keep_none_to_a_longer_region_of_the_other)
{
	struct vx_xrcd *xrcd;
	struct vx_srq *srq;
	struct vx_cq *done_there;

	twin_of_region(2 * ROOM);
	cr_expect_eq(post_at(qp, ROOM), -EINVAL);
	expect_reason("entry 1 ends at byte 4104 of mlx5_0 mr");
	made(vx_xrcd_create(there, NULL, &xrcd));
	made(vx_cq_create(there, NULL, &done_there));
	made(vx_srq_create(pd_there, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = xrcd, .cq = done_there, .checked = true }, &srq));
	made(vx_srq_post_recv_one(srq, 7, &(struct ibv_sge){ at(ROOM), 8, lkey }, 1));
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &(struct ibv_sge){ at(2 * ROOM), 8, lkey }, 1), -EINVAL);
	expect_reason("entry 1 ends at byte 8200 of mlx5_1 mr");
}

Test(guard_devices, take_no_address_of_the_other)
{
	struct vx_ah *way = way_back(), *foreign;
	struct ibv_gid_entry gid;

	made(vx_ctx_query_gid(there, 1, 0, &gid));
	made(vx_ah_create(pd_there, &(struct vx_ah_init){ .port_num = 1, .dlid = 1, .grh.dgid = gid.gid }, &foreign));
	qp = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = 0x1234 }));
	made(vx_qp_post_send_to(qp, 1, 0, NULL, 0, way, 1, 2));
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, foreign, 1, 2), -EINVAL);
	expect_reason("ah is of another context");
}

Test(guard_devices, bind_no_window_of_the_other_nor_to_its_region)
{
	struct vx_mw *foreign, *own;
	struct vx_mr *region;

	made(vx_mw_create(pd_there, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &foreign));
	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &own));
	made(vx_mr_create(pd_there, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &region));
	qp = new_checked(IBV_QPT_RC, OPS);
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_wr_bind_mw(wr, 7, 0, foreign, 1, &(struct ibv_mw_bind_info){ 0 });
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("mw is of another context");
	wr = vx_wr_start(qp);
	vx_wr_bind_mw(wr, 7, 0, own, 1, &(struct ibv_mw_bind_info){ vx_mr_raw(region), (uintptr_t)vx_mr_addr(region), 64, 0 });
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("mr is of another context");
}

/* Which is a window's here, as far as anybody knows. */
Test(guard_devices, take_no_key_for_that_of_a_region_of_the_other)
{
	struct vx_mr *region;

	do
		made(vx_mr_create(pd_there, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE }, &region));
	while (vx_mr_rkey(region) <= lkey);
	qp = new_checked(IBV_QPT_RC, OPS);
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_wr_local_inv(wr, 7, 0, lkey);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("is of mlx5_0 mr");
	wr = vx_wr_start(qp);
	vx_wr_local_inv(wr, 7, 0, vx_mr_rkey(region));
	made(vx_wr_complete(wr));
}
