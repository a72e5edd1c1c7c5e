/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/qp.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5-abi.h>

#include "bounds.h"
#include "calls/async.h"
#include "calls/call.h"
#include "calls/devx_event.h"
#include "config.h"
#include "engine/requester.h"
#include "objects/mcast.h"
#include "objects/port.h"
#include "objects/qp_open.h"
#include "packets/fabric.h"

#define SEGMENT 16
#define KNOWN_ATTRIBUTES (((IBV_QP_DEST_QPN << 1) - 1u) | IBV_QP_RATE_LIMIT)

struct qp_list qp_list = LIST_HEAD_INITIALIZER(qp_list);

static uint32_t first_number(void)
{
	return config.one_host ? fabric_place() << QPN_PLACE_SHIFT : 0;
}

struct qp *qp_by_number(uint32_t qpn)
{
	qpn -= first_number();
	return qpn < QPN_BASE ? NULL : object_get(QP, qpn - QPN_BASE);
}

unsigned int qp_number_place(uint32_t qpn)
{
	return config.one_host ? qpn >> QPN_PLACE_SHIFT : fabric_place();
}

bool qp_number_is_ours(uint32_t qpn)
{
	return qp_number_place(qpn) == fabric_place();
}

bool qp_is_reliable(const struct qp *q)
{
	return q->type == IBV_QPT_RC || q->type == IBV_QPT_XRC_SEND || q->dci;
}

bool qp_is_receiving(const struct qp *q)
{
	return q->attr.qp_state >= IBV_QPS_RTR && q->attr.qp_state != IBV_QPS_ERR;
}

uint8_t *work_queue_next(const struct work_queue *q)
{
	uint16_t pi;

	if (!q->count)
		return NULL;
	pi = be32toh(*(volatile __be32 *)q->db);
	return pi == q->ci ? NULL : q->buf + ((size_t)(q->ci & (q->count - 1)) << q->shift);
}

bool qp_stream_stopped(const struct qp *q, uint16_t stream)
{
	return q->streams.count && stream < MAX_STREAMS && q->streams.stopped & 1u << stream;
}

bool qp_stream_error(struct qp *q, uint16_t stream)
{
	struct streams *s = &q->streams;

	if (!s->count || stream >= MAX_STREAMS)
		return true;
	s->stopped |= 1u << stream;
	return (uint32_t)__builtin_popcount(s->stopped) >= s->max_errors;
}

int qp_stream_reset(struct qp *q, uint16_t stream)
{
	if (!qp_stream_stopped(q, stream))
		return -1;
	q->streams.stopped &= ~(1u << stream);
	return 0;
}

struct qp *qp_new(struct context *ctx, struct object *pd)
{
	struct qp *q = object_new(ctx, QP, sizeof(*q), pd);

	if (!q)
		return NULL;
	q->qpn = first_number() + QPN_BASE + q->o.number;
	q->lag_port = config.lag ? 1 + q->o.serial % LAG_PORTS : 0;
	LIST_INSERT_HEAD(&qp_list, q, link);
	window_init(q);
	STAILQ_INIT(&q->rendezvous);
	return q;
}

void qp_release(struct object *o)
{
	struct qp *q = (struct qp *)o;

	requester_drain(q);
	devx_event_release(o);
	mcast_leave_all(q);
	window_clear(q);
	responder_reset(q);
	LIST_REMOVE(q, link);
	object_drop((struct object *)q->send_cq);
	object_drop((struct object *)q->recv_cq);
	object_drop((struct object *)q->srq);
	object_drop((struct object *)q->xrcd);
	object_drop(q->rwq_table);
	object_drop(q->sched_leaf);
	object_drop(q->umem[0]);
	object_drop(q->umem[1]);
}

static int destroy_qp(struct call *c)
{
	uint64_t handle = call_value(c, UVERBS_ATTR_DESTROY_QP_HANDLE);
	struct object *o = qp_handle(c, handle);
	struct ib_uverbs_destroy_qp_resp r;

	if (!o)
		return ENOENT;
	if (o->users || mcast_is_member(qp_of_handle(c, handle)))
		return EBUSY;
	/* A device has seen the doorbells long before the program gets here, and told what came of them */
	requester_drain(qp_of_handle(c, handle));
	r.events_reported = async_events_reported(o);
	call_put(c, UVERBS_ATTR_DESTROY_QP_RESP, &r, sizeof(r));
	return object_destroy(o);
}

/* Bursts and enhanced connection establishment are capabilities that this device lacks */
static int check_modify(struct call *c)
{
	const struct ib_uverbs_modify_qp *in = c->in;
	struct mlx5_ib_modify_qp driver;

	call_driver_in(c, &driver, sizeof(driver));
	if (driver.comp_mask || driver.ece_options || driver.burst_info.max_burst_sz ||
	    driver.burst_info.typical_pkt_sz)
		return EOPNOTSUPP;
	return in->attr_mask & ~KNOWN_ATTRIBUTES ? EOPNOTSUPP : 0;
}

/* From here on, ports are counted through all devices */
static struct ib_uverbs_modify_qp with_ports(const struct call *c, const struct ib_uverbs_modify_qp *in)
{
	struct ib_uverbs_modify_qp m = *in;

	m.port_num = call_port(c, in->port_num);
	m.alt_port_num = call_port(c, in->alt_port_num);
	m.dest.port_num = call_port(c, in->dest.port_num);
	m.alt_dest.port_num = call_port(c, in->alt_dest.port_num);
	return m;
}

static int modify_qp(struct call *c)
{
	const struct ib_uverbs_modify_qp *in = c->in;
	struct mlx5_ib_modify_qp_resp driver = { .response_length = sizeof(driver) };
	struct ib_uverbs_ex_modify_qp_resp r = { .response_length = sizeof(r) + sizeof(driver) };
	struct qp *q = qp_of_handle(c, in->qp_handle);
	int rc;

	if (!q)
		return ENOENT;
	rc = q->rwq_table ? ENOSYS : check_modify(c); /* as the real driver */
	if (!rc) {
		struct ib_uverbs_modify_qp known = with_ports(c, in);

		rc = qp_modify(q, &known);
	}
	if (rc)
		return rc;
	if (q->dct && q->attr.qp_state == IBV_QPS_RTR)
		driver.dctn = q->qpn;
	call_driver_out(c, &driver, sizeof(driver));
	call_reply(c, &r, sizeof(r));
	return 0;
}

/* The context has bits for what comes from afar; mlx5 sets those of reads and atomics where some may be under way */
static uint32_t told_access(const struct qp *q)
{
	uint32_t told = IBV_ACCESS_REMOTE_WRITE;

	if (q->dct || q->attr.max_dest_rd_atomic)
		told |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	return q->attr.qp_access_flags & told;
}

/* The context has a logarithm, and none of none */
static uint8_t told_reads(const struct qp *q, uint8_t most)
{
	bool has_context = !q->dct && q->type != IBV_QPT_RAW_PACKET;

	return has_context && !most ? 1 : most;
}

static int query_qp(struct call *c)
{
	const struct ib_uverbs_query_qp *in = c->in;
	struct qp *q = qp_of_handle(c, in->qp_handle);
	const struct ib_uverbs_modify_qp *a;

	if (!q)
		return ENOENT;
	if (q->rwq_table)
		return ENOSYS;
	a = &q->attr;
	/* libmlx5 knows the send side better and fills it in */
	struct ib_uverbs_query_qp_resp r = {
		.dest = a->dest,
		.alt_dest = a->alt_dest,
		.max_recv_wr = q->rq.count,
		.max_recv_sge = q->rq.count ? (1u << q->rq.shift) / SEGMENT : 0,
		.qkey = a->qkey,
		.rq_psn = a->rq_psn,
		.sq_psn = a->sq_psn,
		.dest_qp_num = a->dest_qp_num,
		.qp_access_flags = told_access(q),
		.pkey_index = a->pkey_index,
		.alt_pkey_index = a->alt_pkey_index,
		.qp_state = a->qp_state,
		.cur_qp_state = a->qp_state,
		.path_mtu = a->path_mtu,
		.path_mig_state = a->path_mig_state,
		.max_rd_atomic = told_reads(q, a->max_rd_atomic),
		.max_dest_rd_atomic = told_reads(q, a->max_dest_rd_atomic),
		.min_rnr_timer = a->min_rnr_timer,
		.port_num = port_local(a->port_num),
		.timeout = a->timeout,
		.retry_cnt = a->retry_cnt,
		.rnr_retry = a->rnr_retry,
		.alt_port_num = port_local(a->alt_port_num),
		.alt_timeout = a->alt_timeout,
		.sq_sig_all = q->sig_all,
	};
	r.dest.port_num = port_local(a->dest.port_num);
	r.alt_dest.port_num = port_local(a->alt_dest.port_num);
	call_reply(c, &r, sizeof(r));
	return 0;
}

const struct method qp_methods[] = {
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, "destroy_qp", destroy_qp),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_QP, ib_uverbs_modify_qp, "modify_qp", modify_qp),
	COMMAND(IB_USER_VERBS_CMD_QUERY_QP, ib_uverbs_query_qp, "query_qp", query_qp),
	{ 0 },
};
