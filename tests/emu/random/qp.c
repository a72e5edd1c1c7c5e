/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* QPs of each type: making, connecting and moving them. */
#include "random.h"

#include <stdlib.h>

enum {
	CONNECTED_TO_INIT = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	CONNECTED_TO_RTR = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
	RESPONDER_TO_RTR = CONNECTED_TO_RTR | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	REQUESTER_TO_RTS = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			   IBV_QP_MAX_QP_RD_ATOMIC
};

#define RC_OPS                                                                               \
	(MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MEMCPY | \
	 MLX5DV_QP_EX_WITH_RAW_WQE)
#define DCI_OPS                                                                              \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |    \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

struct qp_type {
	enum ibv_qp_type type;
	enum mlx5dv_dc_type dc;
	bool sends, receives; /* has such a queue */
	bool by_xrcd, by_srq; /* needs one */
	uint32_t peer; /* the row of what it can be connected with */
	int to_init, to_rtr, to_rts; /* attributes that these transitions want */
	uint64_t ops, mlx5_ops;
};

enum {
	RC,
	UC,
	UD,
	XRC_SEND,
	XRC_RECV,
	DCI,
	DCT,
	TYPES
};

static const struct qp_type types[TYPES] = {
	[RC] = { IBV_QPT_RC, 0, true, true, false, false, RC, CONNECTED_TO_INIT, RESPONDER_TO_RTR,
		 REQUESTER_TO_RTS, 0, RC_OPS },
	[UC] = { IBV_QPT_UC, 0, true, true, false, false, UC, CONNECTED_TO_INIT, CONNECTED_TO_RTR,
		 IBV_QP_SQ_PSN, 0, 0 },
	[UD] = { IBV_QPT_UD, 0, true, true, false, false, UD,
		 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0, IBV_QP_SQ_PSN, 0, 0 },
	[XRC_SEND] = { IBV_QPT_XRC_SEND, 0, true, false, false, false, XRC_RECV, CONNECTED_TO_INIT,
		       CONNECTED_TO_RTR, REQUESTER_TO_RTS, 0, 0 },
	[XRC_RECV] = { IBV_QPT_XRC_RECV, 0, false, false, true, false, XRC_SEND, CONNECTED_TO_INIT,
		       RESPONDER_TO_RTR, IBV_QP_SQ_PSN | IBV_QP_TIMEOUT, 0, 0 },
	[DCI] = { IBV_QPT_DRIVER, MLX5DV_DCTYPE_DCI, true, false, false, false, DCI,
		  IBV_QP_PKEY_INDEX | IBV_QP_PORT, IBV_QP_PATH_MTU, REQUESTER_TO_RTS, DCI_OPS, 0 },
	[DCT] = { IBV_QPT_DRIVER, MLX5DV_DCTYPE_DCT, false, false, false, true, DCT, CONNECTED_TO_INIT,
		  IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV, 0, 0, 0 },
};

bool is_dci(const struct test_qp *t)
{
	return t->type == &types[DCI];
}

/* ---- making ---- */

static struct ibv_srq *basic_srq(void)
{
	struct ibv_srq *srq = any(SRQ);

	return srq && is_xrc(srq) ? NULL : srq;
}

static struct mlx5dv_qp_init_attr mlx5_attr(const struct qp_type *type)
{
	struct mlx5dv_qp_init_attr dv = { 0 };

	if (type->mlx5_ops) {
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
		dv.send_ops_flags = type->mlx5_ops;
	}
	if (!type->dc)
		return dv;
	dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DC;
	dv.dc_init_attr.dc_type = type->dc;
	if (type->dc == MLX5DV_DCTYPE_DCT) {
		dv.dc_init_attr.dct_access_key = DC_KEY;
	} else if (one_in(2)) {
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		dv.dc_init_attr.dci_streams.log_num_concurent = 2;
		dv.dc_init_attr.dci_streams.log_num_errored = 1;
	}
	return dv;
}

static bool fill_attr(struct ibv_qp_init_attr_ex *attr, const struct qp_type *type)
{
	*attr = (struct ibv_qp_init_attr_ex){
		.cap = { MAX_WR, 0, 1 + below(4), 0, one_in(2) ? 0 : MAX_INLINE },
		.qp_type = type->type,
		.sq_sig_all = 1,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = usual(PD),
		.send_cq = any(CQ),
	};
	if (type->by_xrcd) {
		*attr = (struct ibv_qp_init_attr_ex){ .qp_type = type->type,
						      .comp_mask = IBV_QP_INIT_ATTR_XRCD,
						      .xrcd = usual(XRCD) };
		return attr->xrcd;
	}
	/* libibverbs looks at it also for what receives nothing */
	if (type->receives || type->dc) {
		attr->recv_cq = any(CQ);
		attr->srq = type->by_srq || (type->receives && one_in(3)) ? basic_srq() : NULL;
	}
	if (type->receives && !attr->srq) {
		attr->cap.max_recv_wr = MAX_WR;
		attr->cap.max_recv_sge = 1 + below(4);
	}
	if (type->ops || type->mlx5_ops) {
		attr->comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr->send_ops_flags = type->ops;
	}
	if (type->by_srq) /* it sends nothing */
		attr->cap = (struct ibv_qp_cap){ 0 };
	return attr->pd && attr->send_cq && (attr->srq || !type->by_srq);
}

static struct ibv_qp *make_qp(const struct qp_type *type, struct ibv_qp_init_attr_ex *attr)
{
	struct mlx5dv_qp_init_attr dv = mlx5_attr(type);

	return dv.comp_mask ? mlx5dv_create_qp(world.ctx, attr, &dv) : ibv_create_qp_ex(world.ctx, attr);
}

void *create_qp(void)
{
	const struct qp_type *type = &types[one_in(3) ? RC : below(TYPES)];
	struct test_qp *t = calloc(1, sizeof(*t));
	struct ibv_qp_init_attr_ex attr;

	if (t && fill_attr(&attr, type))
		t->qp = make_qp(type, &attr);
	if (t && t->qp) {
		t->type = type;
		t->sends = type->sends;
		t->receives = type->receives && !attr.srq;
		return t;
	}
	free(t);
	return NULL;
}

/* The kernel wants a member to leave first */
int destroy_qp(void *o)
{
	struct test_qp *t = o;
	int rc = ibv_destroy_qp(t->qp);

	if (!rc)
		free(t);
	return rc;
}

/* ---- moving ---- */

struct test_qp *find_qp(uint32_t qpn)
{
	for (int i = 0; i < MAX_EACH; i++) {
		struct test_qp *t = world.object[QP][i];

		if (t && t->qp->qp_num == qpn)
			return t;
	}
	return NULL;
}

/* The attributes that the next state wants; a wrong transition is refused */
static struct ibv_qp_attr any_attr(enum ibv_qp_state to, uint32_t peer)
{
	return (struct ibv_qp_attr){ .qp_state = to,
				     .port_num = 1,
				     .qkey = QKEY,
				     .qp_access_flags = one_in(16) ? 0 : ACCESS_ALL,
				     .path_mtu = one_in(16) ? IBV_MTU_256 : IBV_MTU_1024,
				     .dest_qp_num = peer,
				     .ah_attr = world.path,
				     .max_rd_atomic = 4,
				     .max_dest_rd_atomic = 4,
				     .min_rnr_timer = 1 + below(8),
				     .timeout = below(10),
				     .retry_cnt = below(4),
				     .rnr_retry = below(7) };
}

static int mask_of(const struct qp_type *type, enum ibv_qp_state to)
{
	switch (to) {
	case IBV_QPS_INIT:
		return IBV_QP_STATE | type->to_init;
	case IBV_QPS_RTR:
		return IBV_QP_STATE | type->to_rtr;
	case IBV_QPS_RTS:
		return IBV_QP_STATE | type->to_rts;
	default:
		return IBV_QP_STATE;
	}
}

/* What was posted before a reset never completes */
bool change_state(struct test_qp *t, enum ibv_qp_state to)
{
	struct ibv_qp_attr a = any_attr(to, t->peer);

	if (ibv_modify_qp(t->qp, &a, mask_of(t->type, to)))
		return false;
	if (to == IBV_QPS_RESET) {
		t->sq = (struct counted_queue){ 0 };
		t->rq = (struct counted_queue){ 0 };
	}
	return true;
}

static void bring_up(struct test_qp *t, const struct test_qp *peer)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };

	t->peer = peer->qp->qp_num;
	for (size_t i = 0; i < ARRAY_SIZE(way); i++)
		change_state(t, way[i]);
}

/* Another that it can be connected with, or itself */
static struct test_qp *find_peer(struct test_qp *t)
{
	const struct qp_type *wanted = &types[t->type->peer];
	uint32_t first = below(MAX_EACH);

	for (uint32_t i = 0; i < MAX_EACH; i++) {
		struct test_qp *peer = world.object[QP][(first + i) % MAX_EACH];

		if (peer && peer != t && peer->type == wanted)
			return peer;
	}
	return t;
}

void random_modify(void)
{
	struct test_qp *t = any(QP), *peer;

	if (!t)
		return;
	if (one_in(6)) {
		change_state(t, below(IBV_QPS_UNKNOWN));
		return;
	}
	peer = one_in(8) ? any(QP) : find_peer(t);
	bring_up(t, peer);
	if (peer != t)
		bring_up(peer, t);
}
