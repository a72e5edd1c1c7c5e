/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Making QPs, and moving them from state to state. */
#include "bed.h"

uint64_t address(size_t offset)
{
	return (uintptr_t)bed.buf + offset;
}

static struct ibv_qp *make(struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *q;

	attr->pd = bed.pd;
	attr->cap = (struct ibv_qp_cap){ 16, 16, 4, 2, 64 };
	attr->comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	q = ibv_create_qp_ex(bed.ctx, attr);
	CHECK(q);
	return q;
}

struct ibv_qp *make_qp(enum ibv_qp_type type, uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = bed.cq, .recv_cq = bed.cq, .qp_type = type, .send_ops_flags = ops
	};

	return make(&attr);
}

struct ibv_qp *make_rc(struct ibv_cq *cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = IBV_QPT_RC, .send_ops_flags = OPS_RC
	};

	return make(&attr);
}

struct ibv_ah_attr path_to_self(int gid_index)
{
	struct ibv_ah_attr a = { .dlid = bed.lid, .port_num = 1 };

	if (!bed.ethernet)
		return a;
	a.is_global = 1;
	a.grh.sgid_index = gid_index;
	a.grh.hop_limit = 64;
	CHECK(!ibv_query_gid(bed.ctx, 1, gid_index, &a.grh.dgid));
	return a;
}

struct ibv_qp *make_ud(void)
{
	struct ibv_qp *q = make_qp(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR };

	to_init(q, 0);
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE));
	a.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_SQ_PSN));
	return q;
}

void to_reset(struct ibv_qp *q)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE));
}

void to_init(struct ibv_qp *q, int access)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY, .qp_access_flags = access
	};
	int own = q->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;

	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | own));
}

struct ibv_qp_attr path_to(uint32_t dest)
{
	return (struct ibv_qp_attr){ .qp_access_flags = ACCESS_ALL,
				     .path_mtu = IBV_MTU_1024,
				     .dest_qp_num = dest,
				     .rq_psn = FIRST_PSN,
				     .sq_psn = FIRST_PSN,
				     .ah_attr = path_to_self(0),
				     .max_rd_atomic = 4,
				     .max_dest_rd_atomic = 3,
				     .min_rnr_timer = 12,
				     .timeout = ACK_TIMEOUT,
				     .retry_cnt = RETRY_CNT,
				     .rnr_retry = NO_RNR_LIMIT };
}

void connect_rc(struct ibv_qp *q, struct ibv_qp_attr a)
{
	a.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	a.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

void start_rc(struct ibv_qp *q, struct ibv_qp_attr a)
{
	to_reset(q);
	to_init(q, a.qp_access_flags);
	connect_rc(q, a);
}

void reconnect(struct ibv_qp *a, struct ibv_qp *b, int rnr_retry)
{
	struct ibv_qp_attr to_b = path_to(b->qp_num), to_a = path_to(a->qp_num);

	to_a.rnr_retry = to_b.rnr_retry = rnr_retry;
	to_reset(a);
	start_rc(b, to_a);
	start_rc(a, to_b);
}

struct ibv_qp *make_uc_loop(void)
{
	struct ibv_qp *q = make_qp(IBV_QPT_UC, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = q->qp_num,
				 .ah_attr = path_to_self(0) };

	to_init(q, IBV_ACCESS_REMOTE_WRITE);
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV));
	a.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_SQ_PSN));
	return q;
}

int state_of(struct ibv_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK(!ibv_query_qp(q, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}
