/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ending objects. */

#include "mistakes.h"

static int release_what_is_used(struct bench *b)
{
	qp_in(b, IBV_QPT_RC, IBV_QPS_RESET);
	return vx_give_back(b->cq) ? 0 : vx_error()->code;
}

static int close_under_a_stranger(struct bench *b)
{
	struct ibv_qp_init_attr attr = { .send_cq = vx_cq_raw(b->cq), .recv_cq = vx_cq_raw(b->cq), .qp_type = IBV_QPT_RC };
	struct ibv_qp *stranger;
	int rc;

	attr.cap = (struct ibv_qp_cap){ 1, 1, 1, 1, 0 };
	stranger = ibv_create_qp(vx_pd_raw(b->pd), &attr);
	must(stranger ? 0 : -errno);
	rc = vx_close(b->cq);
	ibv_destroy_qp(stranger);
	return rc;
}

static const struct mistake mistakes[] = {
	{ "taking back a CQ that a QP uses", release_what_is_used, -EBUSY, "mlx5_0 qp" },
	{ "closing a CQ under a QP that other code has made", close_under_a_stranger, -EBUSY, "libverbsx did not make, or adopted before it" },
};

CHAPTER(closing, "Ending objects");
