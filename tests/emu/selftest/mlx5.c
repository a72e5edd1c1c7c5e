/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <rdma/rdma_user_ioctl.h>
#include <sys/ioctl.h>

#include "selftest.h"

__typeof__(&vx_emu_fault) emu_fault;
__typeof__(&vx_emu_fail) emu_fail;
__typeof__(&vx_emu_live) emu_live;

static void find_functions(void)
{
	*(void **)&emu_fault = dlsym(RTLD_DEFAULT, "vx_emu_fault");
	*(void **)&emu_fail = dlsym(RTLD_DEFAULT, "vx_emu_fail");
	*(void **)&emu_live = dlsym(RTLD_DEFAULT, "vx_emu_live");
	cr_assert(emu_fault && emu_fail && emu_live, "libverbsx-emu.so is not preloaded");
}

int call_kernel(const struct ibv_context *ctx, uint16_t object, uint16_t method, struct ib_uverbs_attr a, struct ib_uverbs_attr b)
{
	const struct ib_uverbs_attr attrs[] = { a, b };
	uint64_t call[(sizeof(struct ib_uverbs_ioctl_hdr) + sizeof(attrs)) / sizeof(uint64_t)];
	struct ib_uverbs_ioctl_hdr *h = (void *)call;

	*h = (struct ib_uverbs_ioctl_hdr){ .length = sizeof(call), .object_id = object, .method_id = method, .num_attrs = SIZE(attrs) };
	memcpy(h->attrs, attrs, sizeof(attrs));
	return ioctl(ctx->cmd_fd, RDMA_VERBS_IOCTL, call) ? errno : 0;
}

struct ibv_qp *make_mlx5_qp(enum ibv_qp_type type, uint64_t ops, struct mlx5dv_qp_init_attr *dv)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = bed.cq,
		.recv_cq = bed.cq,
		.qp_type = type,
		.cap = { 16, 16, 4, 2, 256 },
		.pd = bed.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
	};
	struct ibv_qp *q = mlx5dv_create_qp(bed.ctx, &attr, dv);

	CHECK(q);
	return q;
}

static struct ibv_qp *make_mlx5_rc(void)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED |
				  MLX5DV_QP_EX_WITH_MEMCPY | MLX5DV_QP_EX_WITH_RAW_WQE,
	};

	return make_mlx5_qp(IBV_QPT_RC, OPS_RC, &dv);
}

void open_mlx5(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	find_functions();
	CHECK(mlx5dv_is_supported(first_device()));
	furnish(mlx5dv_open_device(first_device(), &attr));
	bed.a = make_mlx5_rc();
	bed.b = make_mlx5_rc();
	connect_bed();
}
