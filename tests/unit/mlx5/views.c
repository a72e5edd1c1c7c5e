/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Views: each has what mlx5dv_init_obj(3) gives of the raw object, and prints all that it has. */

#include <errno.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wqe.h>
#include <verbsx/verbsx.h>

#include "unit/device.h"

TestSuite(mlx5_views, .init = open_device, .fini = close_device);

static char text[2048];

/* The view by the library, that of the raw object, both printed, and the library's kept for what follows. */
#define same_view(kind, handle, member, flag, mask)                                                         \
	static struct mlx5dv_##kind view_##member, raw_##member;                                            \
	struct vx_##member *const viewed = (handle);                                                        \
	view_##member.comp_mask = raw_##member.comp_mask = (mask);                                          \
	made(vx_mlx5_##member##_view(viewed, &view_##member));                                              \
	cr_assert_eq(mlx5dv_init_obj(&(struct mlx5dv_obj){ .kind = { vx_##member##_raw(viewed), &raw_##member } }, flag), 0); \
	cr_expect_arr_eq(&view_##member, &raw_##member, sizeof(view_##member));                             \
	vx_snprint(text, sizeof(text), VX_TYPEOF(&view_##member), &view_##member, VX_FOLLOW)

#define expect_printed(words) cr_expect_not_null(strstr(text, words), "%s", text)

static struct vx_cq *new_cq(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

static struct vx_qp *new_qp(void)
{
	struct vx_cq *cq = new_cq();
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .checked = true }, &qp));
	return qp;
}

Test(mlx5_views, that_of_a_qp_has_its_queues_its_doorbell_and_what_is_asked_for)
{
	const uint64_t all = MLX5DV_QP_MASK_UAR_MMAP_OFFSET | MLX5DV_QP_MASK_RAW_QP_HANDLES | MLX5DV_QP_MASK_RAW_QP_TIR_ADDR;

	same_view(qp, new_qp(), qp, MLX5DV_OBJ_QP, all);
	cr_expect_eq(view_qp.comp_mask, all);
	expect_printed("sq:\n  buf     : 0x");
	expect_printed("  wqe_cnt : ");
	expect_printed("rq:\n");
	expect_printed("  reg  : 0x");
	expect_printed("dbrec");
	expect_printed("uar_mmap_offset");
	expect_printed("tisn");
	expect_printed("tir_icm_addr");
}

Test(mlx5_views, of_a_qp_what_is_not_asked_for_is_not_there)
{
	same_view(qp, new_qp(), qp, MLX5DV_OBJ_QP, 0);
	cr_expect_eq(view_qp.comp_mask, 0);
	expect_printed("  wqe_cnt : ");
	cr_expect_null(strstr(text, "uar_mmap_offset"), "%s", text);
}

/* What newer releases may have is asked for without a place for it. */
Test(mlx5_views, what_nobody_knows_is_not_asked_for)
{
	struct mlx5dv_qp view = { .comp_mask = UINT64_MAX };

	made(vx_mlx5_qp_view(new_qp(), &view));
	cr_expect_eq(view.comp_mask & ~0x7ull, 0);
	view.comp_mask = MLX5DV_QP_MASK_UAR_MMAP_OFFSET;
	made(vx_mlx5_qp_view_sized(new_qp(), &view, offsetof(struct mlx5dv_qp, comp_mask)));
	cr_expect_eq(view.comp_mask, MLX5DV_QP_MASK_UAR_MMAP_OFFSET, "a structure that ends before is left alone from there");
}

Test(mlx5_views, that_of_a_cq_has_its_number_and_where_it_lies)
{
	same_view(cq, new_cq(), cq, MLX5DV_OBJ_CQ, 0);
	cr_expect_neq(view_cq.cqn, 0);
	expect_printed("cqe_cnt");
	expect_printed("cqn");
	expect_printed("cq_uar");
}

/* A write to itself, by a QP that completes in this CQ. */
static void write_once(struct vx_cq *cq)
{
	struct vx_path path = { .mask = VX_PATH_SPSN, .access = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_sge data;
	struct vx_mr *mr;
	struct vx_qp *qp;
	struct ibv_wc wc;
	int rc;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_path_fill(&path, qp));
	vx_path_reverse(&path);
	made(vx_qp_to_rts(qp, &path));
	data = (struct ibv_sge){ .addr = (uintptr_t)vx_mr_addr(mr), .length = 24, .lkey = vx_mr_lkey(mr) };
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &data, 1, vx_mr_rkey(mr), data.addr + 32));
	while ((rc = vx_cq_poll(cq, 1, &wc)) == 0)
		;
	cr_assert_eq(rc, 1, "%s", vx_error_text());
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
}

/* Of 128 bytes, padded or not, the second half is the completion. */
static void expect_completion(uint32_t cqe_size, uint32_t flags)
{
	struct mlx5dv_cq_init_attr attr = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE | MLX5DV_CQ_INIT_ATTR_MASK_FLAGS,
					    .cqe_size = (uint16_t)cqe_size, .flags = flags };
	struct mlx5dv_cq view = { .comp_mask = 0 };
	struct vx_cq *cq;

	made(vx_mlx5_cq_create(ctx, &(struct vx_mlx5_cq_init){ .cqe = 16, .mlx5dv_cq_init_attr = &attr }, &cq));
	made(vx_mlx5_cq_view(cq, &view));
	cr_assert_eq(view.cqe_size, cqe_size);
	write_once(cq);
	vx_mlx5_cqe_snprint(text, sizeof(text), view.buf, view.cqe_size);
	cr_expect_eq(strncmp(text, "REQ, 24 bytes, qpn 0x", strlen("REQ, 24 bytes, qpn 0x")), 0, "%s", text);
	expect_printed("wqe_counter 0, owner 0");
}

Test(mlx5_views, completions_of_each_size_are_told_from_where_they_lie)
{
	expect_completion(64, 0);
	expect_completion(128, 0);
	expect_completion(128, MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD);
}

Test(mlx5_views, that_of_an_srq_has_its_number)
{
	struct vx_srq *srq;

	made(vx_srq_create(pd, NULL, &srq));
	same_view(srq, srq, srq, MLX5DV_OBJ_SRQ, MLX5DV_SRQ_MASK_SRQN);
	cr_expect_neq(view_srq.srqn, 0);
	expect_printed("srqn");
	expect_printed("tail");
}

Test(mlx5_views, that_of_a_dm_has_its_address)
{
	struct vx_dm *dm;

	made(vx_mlx5_dm_create(ctx, &(struct vx_mlx5_dm_init){ .length = 64 }, &dm));
	same_view(dm, dm, dm, MLX5DV_OBJ_DM, MLX5DV_DM_MASK_REMOTE_VA);
	cr_expect_eq(view_dm.comp_mask, MLX5DV_DM_MASK_REMOTE_VA);
	expect_printed("length    : 64 B");
	expect_printed("remote_va");
}

Test(mlx5_views, that_of_an_ah_shows_what_stands_in_a_request)
{
	struct vx_ah *ah;

	made(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7, .sl = 3, .port_num = 1 }, &ah));
	same_view(ah, ah, ah, MLX5DV_OBJ_AH, 0);
	expect_printed("rlid");
	expect_printed("stat_rate_sl");
}

Test(mlx5_views, that_of_a_pd_has_its_number)
{
	same_view(pd, pd, pd, MLX5DV_OBJ_PD, 0);
	cr_expect_neq(view_pd.pdn, 0);
	expect_printed("pdn");
}

Test(mlx5_views, a_view_of_nothing_or_to_nowhere_is_refused)
{
	cr_expect_eq(vx_mlx5_pd_view(pd, NULL), -EINVAL);
	expect_reason("view is NULL");
	cr_expect_eq(vx_mlx5_pd_view(NULL, &(struct mlx5dv_pd){ 0 }), -EINVAL);
}
