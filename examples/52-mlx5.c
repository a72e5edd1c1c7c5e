/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that only mlx5 has are handles as all others: a QP of its DC transport, an mkey, memory that commands may name. */

#include "example.h"

#include <infiniband/mlx5dv.h>
#include <verbsx/mlx5_cmd.h>

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
	must(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_QUERY_CQ));
	if (vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)) < 0)
		printf("%s\n", vx_error_text());
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
	must(vx_close(ctx)); /* with all of them, the newest first */
	return 0;
}
