/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "guard_mlx5_bed.h"

struct vx_mlx5_wr mlx5;
struct vx_mlx5_mkey *mkey;

struct vx_qp *adopt_checked(enum ibv_qp_type type, struct mlx5dv_qp_init_attr *of_mlx5)
{
	struct ibv_qp_init_attr_ex attr = { .send_cq = vx_cq_raw(done), .recv_cq = vx_cq_raw(done), .qp_type = type, .pd = vx_pd_raw(pd),
					    .cap = { .max_send_wr = 16, .max_send_sge = 1, .max_inline_data = 256 },
					    .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
					    .send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE };
	struct ibv_qp *raw = mlx5dv_create_qp(vx_ctx_raw(ctx), &attr, of_mlx5);
	struct vx_qp *out;

	cr_assert_not_null(raw);
	made(vx_qp_adopt(pd, raw, &out));
	made(vx_qp_check(out));
	made(vx_mlx5_qp_wr(out, &mlx5));
	return out;
}

void open_mlx5(void)
{
	struct mlx5dv_qp_init_attr of_mlx5 = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					       .send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED };

	open_device();
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 100 }, &done));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));
	made(vx_mlx5_mkey_create(pd, NULL, &mkey));
	qp = adopt_checked(IBV_QPT_RC, &of_mlx5);
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
}

void configure(uint8_t setters)
{
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mkey_configure(&mlx5, 7, IBV_SEND_SIGNALED, mkey, setters, &(struct mlx5dv_mkey_conf_attr){ .conf_flags = 0, .comp_mask = 0 });
}

void set_layout(void)
{
	vx_mlx5_wr_set_mkey_layout_list(&mlx5, 1, &(struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 64, vx_mr_lkey(mr) });
}

void set_access(void)
{
	vx_mlx5_wr_set_mkey_access_flags(&mlx5, IBV_ACCESS_LOCAL_WRITE);
}

void expect_mlx5_refused(int code, const char *words)
{
	const uint32_t before = room();

	cr_expect_eq(vx_wr_complete(wr), code);
	expect_reason(words);
	cr_expect_geq(room(), before);
}
