/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "selftest.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#define OPS_RC                                                                                       \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |            \
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | \
	 IBV_QP_EX_WITH_BIND_MW)
#define OPS_MLX5                                                                                   \
	(MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MEMCPY | \
	 MLX5DV_QP_EX_WITH_RAW_WQE)

uint64_t address(size_t offset)
{
	return (uintptr_t)bed.buf + offset;
}

static struct ibv_qp *make(struct ibv_qp_init_attr_ex *attr, struct mlx5dv_qp_init_attr *dv)
{
	struct ibv_qp *q;

	attr->pd = bed.pd;
	attr->cap = (struct ibv_qp_cap){ 16, 16, 4, 2, dv ? 256 : 64 };
	attr->comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	q = mlx5dv_create_qp(bed.ctx, attr, dv);
	CHECK(q);
	return q;
}

struct ibv_qp *make_qp(enum ibv_qp_type type, uint64_t ops, struct mlx5dv_qp_init_attr *dv)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = bed.cq, .recv_cq = bed.cq, .qp_type = type, .send_ops_flags = ops
	};

	return make(&attr, dv);
}

/* With an SRQ it has no operations of mlx5's own */
struct ibv_qp *make_rc(struct ibv_cq *cq, struct ibv_srq *srq)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = OPS_MLX5,
	};
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = IBV_QPT_RC, .send_ops_flags = OPS_RC
	};

	return make(&attr, srq ? NULL : &dv);
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
	struct ibv_qp *q = make_qp(IBV_QPT_UD, IBV_QP_EX_WITH_SEND, NULL);
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
	struct ibv_qp *q = make_qp(IBV_QPT_UC, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE, NULL);
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

void start(struct ibv_qp_ex *x, uint64_t wr_id, unsigned int flags)
{
	ibv_wr_start(x);
	x->wr_id = wr_id;
	x->wr_flags = flags;
}

void post_recv(struct ibv_qp *q, uint64_t wr_id, size_t offset, uint32_t len)
{
	struct ibv_sge s = { address(offset), len, bed.mr->lkey };
	struct ibv_recv_wr w = { .wr_id = wr_id, .sg_list = &s, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_recv(q, &w, &bad));
}

void post_send(struct ibv_qp *q, uint64_t wr_id, unsigned int flags, uint32_t len)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, wr_id, IBV_SEND_SIGNALED | flags);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), len);
	CHECK(!ibv_wr_complete(x));
}

void send_datagram(struct ibv_qp *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, 2, IBV_SEND_SIGNALED);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), 16);
	ibv_wr_set_ud_addr(x, ah, qpn, qkey);
	CHECK(!ibv_wr_complete(x));
}

void post_write(struct ibv_qp *q, uint64_t wr_id, uint32_t rkey, uint64_t to, const char *text)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, wr_id, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(x, rkey, to);
	ibv_wr_set_inline_data(x, (void *)text, strlen(text));
	CHECK(!ibv_wr_complete(x));
}

struct ibv_wc wait_wc(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	for (int i = 0; i < 20000; i++) {
		int n = ibv_poll_cq(cq, 1, &wc);

		CHECK(n >= 0);
		if (n)
			return wc;
		usleep(100);
	}
	CHECK(!"a completion");
	return wc;
}

void expect_wc(uint64_t wr_id, enum ibv_wc_status status, int opcode)
{
	struct ibv_wc wc = wait_wc(bed.cq);

	if (wc.wr_id == wr_id && wc.status == status && (status || (int)wc.opcode == opcode))
		return;
	fprintf(stderr, "completion: wr_id %d status %s opcode %d\n", (int)wc.wr_id,
		ibv_wc_status_str(wc.status), wc.opcode);
	CHECK(!"the expected completion");
}

void expect_error(uint64_t wr_id, enum ibv_wc_status status)
{
	expect_wc(wr_id, status, -1);
}

int readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

struct ibv_async_event wait_async(enum ibv_event_type type)
{
	struct ibv_async_event e;

	CHECK(readable(bed.ctx->async_fd, 20000));
	CHECK(!ibv_get_async_event(bed.ctx, &e));
	if (e.event_type != type)
		fprintf(stderr, "event: %s\n", ibv_event_type_str(e.event_type));
	CHECK(e.event_type == type);
	ibv_ack_async_event(&e);
	return e;
}

double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
