/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A request that the program builds itself, segment by segment as the device reads it, and what it has built as text before it goes. */

#include "connect.h"

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wqe.h>
#include <verbsx/mlx5_wr.h>

/* An RDMA write: control, where it goes, and what goes. */
struct rdma_write {
	struct mlx5_wqe_ctrl_seg ctrl;
	struct mlx5_wqe_raddr_seg raddr;
	struct mlx5_wqe_data_seg data;
};

static struct rdma_write build(struct vx_qp *qp, struct vx_mr *mr, uint64_t to, uint32_t length)
{
	struct rdma_write w = { .raddr = { .raddr = htobe64(to), .rkey = htobe32(vx_mr_rkey(mr)) } };

	/* Of so many pieces of 16 bytes. libmlx5 numbers it, and signs it where the QP does that; its flags are those of the segment, not of the request. */
	mlx5dv_set_ctrl_seg(&w.ctrl, 0, MLX5_OPCODE_RDMA_WRITE, 0, vx_qp_raw(qp)->qp_num, MLX5_WQE_CTRL_CQ_UPDATE,
			    sizeof(w) / 16, 0, 0);
	mlx5dv_set_data_seg(&w.data, length, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr));
	return w;
}

static void show(const struct rdma_write *w)
{
	char text[512];
	char *place;

	vx_mlx5_wqe_snprint(text, sizeof(text), IBV_QPT_RC, w, sizeof(*w));
	place = strstr(text, "; raddr");
	if (place)
		*place = '\0'; /* addresses follow, of another place each time */
	printf("%s\n", text);
}

int main(void)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE };
	struct vx_mlx5_qp_init init = { .mlx5dv_qp_init_attr = &attr, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE };
	struct vx_mlx5_wr mlx5;
	struct rdma_write write;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_wr *wr;
	struct ibv_wc wc;
	char *memory;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &init.send_cq));
	init.recv_cq = init.send_cq;
	may_lack(ctx, vx_mlx5_qp_create(pd, &init, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	must(vx_mlx5_qp_wr(qp, &mlx5));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);
	memory = vx_mr_addr(mr);
	strcpy(memory, "built by hand");

	write = build(qp, mr, (uintptr_t)memory + 32, 14);
	show(&write);
	wr = vx_wr_start(qp);
	vx_mlx5_wr_raw_wqe(&mlx5, 7, 0, &write);
	must(vx_wr_complete(wr));
	must_poll(init.send_cq, &wc);
	must_complete(&wc, qp);
	printf("request %u, %s: %s\n", (unsigned int)wc.wr_id, vx_ibv_wc_opcode_name(wc.opcode), memory + 32);
	must(vx_close(ctx));
	return 0;
}
