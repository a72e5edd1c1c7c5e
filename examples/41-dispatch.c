/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Dispatching by request: each says what is to be called when it has completed. */

#include "connect.h"
#include "example.h"

#define WRITES 3

/* What the program keeps of a request, with what libverbsx is told of it inside. */
struct request {
	int number;
	int *open;
	struct vx_done done;
};

static void written(struct vx_done *done, const struct ibv_wc *wc)
{
	struct request *request = (struct request *)((char *)done - offsetof(struct request, done));

	printf("write %d: %s\n", request->number, vx_ibv_wc_status_name(wc->status));
	--*request->open;
}

int main(void)
{
	struct request requests[WRITES];
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct ibv_sge sge;
	uint32_t rkey;
	int i, open = WRITES;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);

	for (i = 0; i < WRITES; i++) {
		requests[i] = (struct request){ .number = i, .open = &open, .done.done = written };
		sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 64, vx_mr_lkey(mr) };
		rkey = i < 2 ? vx_mr_rkey(mr) : vx_mr_rkey(mr) + 1; /* the last one fails, and its function is told */
		must(vx_qp_post_rdma_write(qp, vx_done_id(&requests[i].done), IBV_SEND_SIGNALED, &sge, 1, rkey, sge.addr + 1024));
	}
	while (open)
		must(vx_cq_dispatch(cq, 16));
	must(vx_close(ctx));
	return 0;
}
