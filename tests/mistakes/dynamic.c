/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* QPs of mlx5's own types, which go through fewer states than others. */

#include <verbsx/mlx5.h>

#include "mistakes.h"

#define DCI_TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define DCT_TO_RTR (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER)

static struct vx_qp *create(struct bench *b, enum mlx5dv_dc_type type)
{
	struct mlx5dv_qp_init_attr dc = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = type };
	struct ibv_qp_init_attr_ex init = VX_DEFAULT(ibv_qp_init_attr_ex);
	struct vx_srq *srq;
	struct vx_qp *qp;
	struct ibv_qp *raw;

	init.qp_type = IBV_QPT_DRIVER;
	init.pd = vx_pd_raw(b->pd);
	init.send_cq = init.recv_cq = vx_cq_raw(b->cq);
	if (type == MLX5DV_DCTYPE_DCT) {
		must(vx_srq_create(b->pd, NULL, &srq));
		init.srq = vx_srq_raw(srq);
	}
	raw = mlx5dv_create_qp(vx_ctx_raw(b->ctx), &init, &dc);
	must(raw ? vx_qp_adopt(b->pd, raw, &qp) : -errno);
	return qp;
}

static int change(struct bench *b, struct vx_qp *qp, enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr attr = usual_attr(b, to);

	return vx_qp_modify(qp, &attr, mask);
}

/* Where a DCT receives; it goes no further. */
static struct vx_qp *ready_dct(struct bench *b)
{
	struct vx_qp *qp = create(b, MLX5DV_DCTYPE_DCT);

	must(change(b, qp, IBV_QPS_INIT, TO_INIT));
	must(change(b, qp, IBV_QPS_RTR, DCT_TO_RTR));
	return qp;
}

static int dci_with_access(struct bench *b)
{
	return change(b, create(b, MLX5DV_DCTYPE_DCI), IBV_QPS_INIT, TO_INIT);
}

static int dci_connected(struct bench *b)
{
	struct vx_qp *qp = create(b, MLX5DV_DCTYPE_DCI);

	must(change(b, qp, IBV_QPS_INIT, DCI_TO_INIT));
	return change(b, qp, IBV_QPS_RTR, TO_RTR);
}

static int dci_without_state(struct bench *b)
{
	struct vx_qp *qp = create(b, MLX5DV_DCTYPE_DCI);

	must(change(b, qp, IBV_QPS_INIT, DCI_TO_INIT));
	return change(b, qp, IBV_QPS_INIT, IBV_QP_PKEY_INDEX);
}

static int failed_dci_without_state(struct bench *b)
{
	struct vx_qp *qp = create(b, MLX5DV_DCTYPE_DCI);

	must(change(b, qp, IBV_QPS_INIT, DCI_TO_INIT));
	must(change(b, qp, IBV_QPS_ERR, IBV_QP_STATE));
	return change(b, qp, IBV_QPS_ERR, IBV_QP_PKEY_INDEX);
}

static int dct_without_access(struct bench *b)
{
	return change(b, create(b, MLX5DV_DCTYPE_DCT), IBV_QPS_INIT, DCI_TO_INIT);
}

static int dct_to_rts(struct bench *b)
{
	return change(b, ready_dct(b), IBV_QPS_RTS, TO_RTS);
}

static int dct_reset(struct bench *b)
{
	return change(b, ready_dct(b), IBV_QPS_RESET, IBV_QP_STATE);
}

static int queues_of_a_dct(struct bench *b)
{
	return vx_mlx5_qp_view(create(b, MLX5DV_DCTYPE_DCT), &(struct mlx5dv_qp){ .comp_mask = 0 });
}

static const struct mistake mistakes[] = {
	{ "remote access to a DCI, which only sends", dci_with_access, -EINVAL, "IBV_QP_ACCESS_FLAGS is not allowed for a DCI" },
	{ "a DCI connected as RC is, to one peer", dci_connected, -EINVAL, "IBV_QP_MAX_DEST_RD_ATOMIC|IBV_QP_DEST_QPN are not allowed" },
	{ "a DCI's P_Key changed, and no state given", dci_without_state, -EINVAL, "a DCI needs IBV_QP_STATE" },
	{ "no state given for a DCI that has failed", failed_dci_without_state, -EINVAL, "a DCI needs IBV_QP_STATE" },
	{ "a DCT that nobody may reach", dct_without_access, -EINVAL, "a DCT needs IBV_QP_ACCESS_FLAGS" },
	{ "a DCT made ready to send", dct_to_rts, -EINVAL, "a DCT stays in RTR until it is destroyed" },
	{ "where the queues of a DCT lie", queues_of_a_dct, -EINVAL, "a DCT has no queues of its own: it receives by its SRQ, vx_mlx5_srq_view()" },
	{ "a DCT used once more", dct_reset, -EINVAL, "a DCT stays in RTR until it is destroyed" },
};

CHAPTER(dynamic, "States of a DCI and a DCT");
