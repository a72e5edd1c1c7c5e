/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An address handle made from a completion: the way back to whoever sent a datagram. */

#include "connect.h"
#include "example.h"

#define QKEY 0x1234

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_ah *back;
	struct ibv_sge out, in;
	struct ibv_wc wc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 256 }, &mr));
	must(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = QKEY }));

	in = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 128, vx_mr_lkey(mr) };
	out = (struct ibv_sge){ in.addr + 128, 8, in.lkey };
	must(vx_qp_post_recv_one(qp, 0, &in, 1));
	must(vx_qp_post_send_to(qp, 0, 0, &out, 1, path_to_itself(ctx, pd), vx_qp_raw(qp)->qp_num, QKEY));
	must_poll(cq, &wc);
	must_complete(&wc, qp);

	/* The first 40 bytes of what a UD QP receives are for the GRH. */
	must(vx_ah_create_from_wc(pd, &wc, vx_mr_addr(mr), 1, &back));
	printf("%u bytes from QP %u\n", wc.byte_len - 40, wc.src_qp);
	vx_print(stdout, back);
	must(vx_close(ctx));
	return 0;
}
