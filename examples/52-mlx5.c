/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that only mlx5 has are handles as all others: a QP of its DC transport, an mkey, memory that commands may name, what libmlx5 has of a CQ. */

#include "example.h"

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>
#include <verbsx/mlx5_var.h>

static char page[4096] __attribute__((aligned(4096)));

/* A DCI has a peer for each request, not one for all. */
static struct vx_qp *new_dci(struct vx_pd *pd, struct vx_cq *cq)
{
	struct mlx5dv_qp_init_attr dci = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_qp *qp;

	must(vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .send_cq = cq, .recv_cq = cq, .mlx5dv_qp_init_attr = &dci }, &qp));
	return qp;
}

/* What the device is told in its own words: a command has a mailbox, whose fields go by their names, and so has its answer. */
static void send_command(struct vx_ctx *ctx)
{
	uint32_t in[4], out[4];
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) };
	struct vx_mlx5_devx_obj *pd;
	char text[256];

	must(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD));
	must(vx_mlx5_devx_obj_create(ctx, &init, &pd));
	vx_mlx5_cmd_snprint(text, sizeof(text), in, sizeof(in), out, sizeof(out));
	printf("%s\n", text);

	/* This is meant to be refused, to show what is said then: a command on an object, such as a CQ, goes by that, vx_mlx5_devx_obj_query(). */
	must(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_QUERY_CQ));
	if (vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)) < 0)
		printf("%s\n", vx_error_text());
}

/* Completions of 128 bytes, and what libmlx5 has of their queue: for who reads it without libibverbs. */
static void look_into_a_cq(struct vx_ctx *ctx)
{
	struct mlx5dv_cq_init_attr wide = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = 128 };
	struct mlx5dv_cq view;
	struct vx_cq *cq;

	must(vx_mlx5_cq_create(ctx, &(struct vx_mlx5_cq_init){ .cqe = 100, .mlx5dv_cq_init_attr = &wide }, &cq));
	must(vx_mlx5_cq_view(cq, &view));
	printf("a CQ of %u completions of %u bytes\n", view.cqe_cnt, view.cqe_size);
}

/* Pages of doorbells, for this program and for devices that it emulates, and a rate at which packets go. */
static void make_pages(struct vx_ctx *ctx)
{
	uint32_t rate[12] = { 0 };	/* of the manual's set_pp_rate_limit_context */
	struct vx_mlx5_devx_uar *uar;
	struct vx_mlx5_var *var;
	struct vx_mlx5_pp *pp;
	void *doorbells;

	must(vx_mlx5_devx_uar_create(ctx, &(struct vx_mlx5_devx_uar_init){ .flags = MLX5DV_UAR_ALLOC_TYPE_NC }, &uar));
	must(vx_mlx5_var_create(ctx, NULL, &var));
	must(vx_mlx5_var_map(var, &doorbells));	/* until the VAR is closed */
	must(vx_mlx5_pp_create(ctx, &(struct vx_mlx5_pp_init){ .pp_context = rate, .pp_context_sz = sizeof(rate) }, &pp));
	printf("a VAR of %u bytes, rate %u\n", vx_mlx5_var_raw(var)->length, vx_mlx5_pp_raw(pp)->index);
}

static void ask(struct vx_ctx *ctx)
{
	struct mlx5dv_context device = VX_DEFAULT(mlx5dv_context);	/* all that is known */

	must(vx_mlx5_ctx_query_device(ctx, &device));
	printf("ports that can be bonded: %u\n", device.num_lag_ports);
}

/* vx_ctx_open_device() asks for DEVX, and does without it; who cannot asks with flags of libmlx5. */
static void open_for_devx(struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct vx_ctx *ctx;

	must(vx_mlx5_ctx_open_device(device, &attr, &ctx));
	printf("opened for DEVX\n");
	must(vx_close(ctx));
}

int main(void)
{
	struct vx_mlx5_devx_umem *umem;
	struct vx_mlx5_mkey *mkey;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	int rc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	rc = vx_mlx5_mkey_create(pd, &(struct vx_mlx5_mkey_init){ .max_entries = 4 }, &mkey);
	may_lack(ctx, rc); /* that of another vendor, which the error says */
	must(vx_mlx5_devx_umem_create(ctx, &(struct vx_mlx5_devx_umem_init){ .addr = page, .size = sizeof(page) }, &umem));
	vx_print(stdout, new_dci(pd, cq));
	printf("mkey of %s keys\n", vx_mlx5_mkey_raw(mkey)->lkey == vx_mlx5_mkey_raw(mkey)->rkey ? "equal" : "two");
	send_command(ctx);
	look_into_a_cq(ctx);
	make_pages(ctx);
	ask(ctx);
	open_for_devx(vx_ctx_raw(ctx)->device);
	must(vx_close(ctx)); /* with all of them, the newest first */
	return 0;
}
