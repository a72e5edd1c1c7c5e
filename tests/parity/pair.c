/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <time.h>

#include "pair.h"

#define LONGEST_WAIT 20 /* seconds */
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND)
#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_RTR \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | \
	 IBV_QP_MIN_RNR_TIMER)
#define TO_RTS \
	(IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

/* The way from the port to itself. */
static void set_address(struct ibv_qp_attr *attr)
{
	struct ibv_gid_entry entry;
	struct ibv_port_attr port;

	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_query_gid(ctx, 1, 0, &entry));
	attr->path_mtu = port.active_mtu;
	attr->ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1, .dlid = port.lid };
	attr->ah_attr.grh = (struct ibv_global_route){ .dgid = entry.gid, .hop_limit = 64 };
}

static void join(struct vx_qp *qp, struct vx_qp *peer)
{
	struct ibv_qp_attr attr = {
		.port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE, .dest_qp_num = vx_qp_raw(peer)->qp_num,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
	};

	set_address(&attr);
	attr.qp_state = IBV_QPS_INIT;
	made(vx_qp_modify(qp, &attr, TO_INIT));
	attr.qp_state = IBV_QPS_RTR;
	made(vx_qp_modify(qp, &attr, TO_RTR));
	attr.qp_state = IBV_QPS_RTS;
	made(vx_qp_modify(qp, &attr, TO_RTS));
}

static struct vx_qp *new_qp(struct vx_pd *parent, struct vx_cq *cq)
{
	struct vx_qp *qp;

	made(vx_qp_create(parent, &(struct vx_qp_init){ .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

struct pair connected_to(struct vx_pd *server_pd, struct vx_cq *server_cq)
{
	struct pair p;

	made(vx_cq_create(ctx, NULL, &p.cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = ROOM, .access = ACCESS }, &p.mr));
	p.client = new_qp(pd, p.cq);
	p.server = new_qp(server_pd, server_cq ? server_cq : p.cq);
	join(p.client, p.server);
	join(p.server, p.client);
	return p;
}

struct pair connected(void)
{
	return connected_to(pd, NULL);
}

enum ibv_wc_status next(const struct pair *p)
{
	time_t end = time(NULL) + LONGEST_WAIT;
	struct ibv_wc wc;
	int got;

	do {
		got = ibv_poll_cq(vx_cq_raw(p->cq), 1, &wc);
	} while (!got && time(NULL) < end);
	cr_assert_eq(got, 1, "no completion");
	return wc.status;
}

void connect_again(const struct pair *p)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };

	made(vx_qp_modify(p->client, &reset, IBV_QP_STATE));
	made(vx_qp_modify(p->server, &reset, IBV_QP_STATE));
	join(p->client, p->server);
	join(p->server, p->client);
}

static void post(struct vx_qp *qp, struct ibv_send_wr wr)
{
	struct ibv_send_wr *bad;

	wr.send_flags = IBV_SEND_SIGNALED;
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &wr, &bad), 0);
}

enum ibv_wc_status done(const struct pair *p, struct vx_qp *qp, struct ibv_send_wr wr)
{
	post(qp, wr);
	return next(p);
}

void post_write(const struct pair *p, void *to, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(p->mr), ROOM / 2, vx_mr_lkey(p->mr) };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1 };

	wr.wr.rdma.remote_addr = (uintptr_t)to;
	wr.wr.rdma.rkey = rkey;
	post(p->client, wr);
}

enum ibv_wc_status write_to(const struct pair *p, void *to, uint32_t rkey)
{
	char *from = vx_mr_addr(p->mr);
	enum ibv_wc_status status;

	memset(from, 'c', ROOM / 2);
	memset(to, 's', ROOM / 2);
	post_write(p, to, rkey);
	status = next(p);
	cr_expect_eq(memcmp(from, to, ROOM / 2) == 0, status == IBV_WC_SUCCESS, "status %d, but the memory tells otherwise",
		     (int)status);
	return status;
}

enum ibv_wc_status write_by(const struct pair *p, uint32_t rkey)
{
	return write_to(p, (char *)vx_mr_addr(p->mr) + ROOM / 2, rkey);
}
