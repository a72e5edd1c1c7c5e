/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "qp.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5-abi.h>

#include "async.h"
#include "call.h"
#include "config.h"
#include "limits.h"
#include "mcast.h"
#include "port.h"
#include "transfer.h"

#define LOG_WQEBB 6
#define SEGMENT 16
#define DCT_NUMBER_UNKNOWN 0xffffff

struct qp_list qp_list = LIST_HEAD_INITIALIZER(qp_list);

struct qp *qp_by_number(uint32_t qpn)
{
	return qpn < QPN_BASE ? NULL : object_get(QP, qpn - QPN_BASE);
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

static bool type_supported(uint32_t type, uint32_t driver_flags)
{
	const uint32_t ethernet = port_get(1)->ethernet;
	const struct {
		uint8_t type;
		const uint32_t *has; /* NULL: always */
	} types[] = {
		{ IBV_QPT_RC, NULL },
		{ IBV_QPT_UC, NULL },
		{ IBV_QPT_UD, NULL },
		{ IBV_QPT_XRC_SEND, &config.xrc },
		{ IBV_QPT_XRC_RECV, &config.xrc },
		{ IBV_QPT_DRIVER, &config.dc },
		{ IBV_QPT_RAW_PACKET, &ethernet },
	};

	if (type == IBV_QPT_DRIVER && !(driver_flags & (MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_TYPE_DCT)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return !types[i].has || *types[i].has;
	return false;
}

static int check_caps(const struct ib_uverbs_qp_cap *cap, const struct mlx5_ib_create_qp *driver)
{
	bool has_queue = driver->sq_wqe_count || driver->rq_wqe_count;

	if (!cap || cap->max_send_wr > config.max_qp_wr || cap->max_recv_wr > config.max_qp_wr ||
	    cap->max_send_sge > config.max_sge || cap->max_recv_sge > config.max_sge ||
	    cap->max_inline_data > config.max_inline_data)
		return EINVAL;
	if (driver->sq_wqe_count > MAX_QP_WR || driver->rq_wqe_count > MAX_QP_WR)
		return EINVAL;
	return has_queue && (!driver->buf_addr || !driver->db_addr) ? EINVAL : 0;
}

/* Both are in one buffer, the receive queue first; but for raw packets */
static void set_queues(struct qp *q, const struct mlx5_ib_create_qp *d)
{
	uint8_t *buf = (void *)(uintptr_t)d->buf_addr, *raw_sq = (void *)(uintptr_t)d->sq_buf_addr;
	__be32 *db = (void *)(uintptr_t)d->db_addr;
	size_t rq_size = d->rq_wqe_count ? (size_t)d->rq_wqe_count << d->rq_wqe_shift : 0;

	/* What only receives by an SRQ, or only sends, has no queue for it, whatever is asked for */
	if (q->dct || q->type == IBV_QPT_XRC_RECV)
		return;
	q->sq = (struct work_queue){ q->type == IBV_QPT_RAW_PACKET ? raw_sq : buf + rq_size, db + 1,
				     d->sq_wqe_count, LOG_WQEBB, 0 };
	if (!q->dci && q->type != IBV_QPT_XRC_SEND)
		q->rq = (struct work_queue){ buf, db, d->rq_wqe_count, d->rq_wqe_shift, 0 };
}

static void set_driver_part(struct qp *q, const struct mlx5_ib_create_qp *d)
{
	q->dci = d->flags & MLX5_QP_FLAG_TYPE_DCI;
	q->dct = d->flags & MLX5_QP_FLAG_TYPE_DCT;
	q->dc_key = q->dct ? d->access_key : 0;
	q->uidx = d->uidx;
	if (d->flags & MLX5_QP_FLAG_DCI_STREAM) {
		q->streams.count = 1u << d->dci_streams.log_num_concurent;
		q->streams.max_errors = 1u << d->dci_streams.log_num_errored;
	}
	set_queues(q, d);
}

static void set_users(struct qp *q, struct call *c)
{
	q->send_cq = call_object(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, CQ);
	q->recv_cq = call_object(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, CQ);
	q->srq = call_object(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, SRQ);
	q->xrcd = call_object(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, XRCD);
	object_hold((struct object *)q->send_cq);
	object_hold((struct object *)q->recv_cq);
	object_hold((struct object *)q->srq);
	object_hold(q->xrcd);
}

void qp_release(struct object *o)
{
	struct qp *q = (struct qp *)o;

	mcast_leave_all(q);
	transfer_drop(q);
	LIST_REMOVE(q, link);
	object_drop((struct object *)q->send_cq);
	object_drop((struct object *)q->recv_cq);
	object_drop((struct object *)q->srq);
	object_drop(q->xrcd);
}

static struct qp *new_qp(struct call *c, const struct mlx5_ib_create_qp *driver, struct object *pd)
{
	struct qp *q = object_new(c->ctx, QP, sizeof(*q), pd);

	if (!q)
		return NULL;
	LIST_INSERT_HEAD(&qp_list, q, link);
	q->o.user_handle = call_value(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE);
	q->type = call_value(c, UVERBS_ATTR_CREATE_QP_TYPE);
	q->qpn = QPN_BASE + q->o.handle;
	q->sig_all = call_value(c, UVERBS_ATTR_CREATE_QP_FLAGS) & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	set_driver_part(q, driver);
	set_users(q, c);
	return q;
}

static int create_qp(struct call *c)
{
	struct ib_uverbs_qp_cap *cap = attr_data(call_attr(c, UVERBS_ATTR_CREATE_QP_CAP));
	struct object *pd = call_object(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, PD);
	uint32_t type = call_value(c, UVERBS_ATTR_CREATE_QP_TYPE);
	struct mlx5_ib_create_qp_resp resp = { 0 };
	struct mlx5_ib_create_qp driver;
	struct qp *q;

	call_driver_in(c, &driver, sizeof(driver));
	if (!type_supported(type, driver.flags) || call_attr(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE))
		return EOPNOTSUPP;
	if (check_caps(cap, &driver))
		return EINVAL;
	if (!pd && type != IBV_QPT_XRC_RECV)
		return ENOENT;
	q = new_qp(c, &driver, pd);
	if (!q)
		return ENOMEM;
	if ((q->sq.count && !q->send_cq) || (q->rq.count && !q->recv_cq)) {
		object_free(&q->o);
		return ENOENT;
	}
	resp.bfreg_index = driver.bfreg_index;
	call_driver_out(c, &resp, sizeof(resp));
	call_put(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, cap, sizeof(*cap));
	/* A DCT gets its number when it is made ready to receive */
	call_put_u32(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, q->dct ? DCT_NUMBER_UNKNOWN : q->qpn);
	call_put_handle(c, UVERBS_ATTR_CREATE_QP_HANDLE, q->o.handle);
	return 0;
}

static int destroy_qp(struct call *c)
{
	struct qp *q = call_object(c, UVERBS_ATTR_DESTROY_QP_HANDLE, QP);
	struct ib_uverbs_destroy_qp_resp r;

	if (!q)
		return ENOENT;
	if (mcast_is_member(q))
		return EBUSY;
	r.events_reported = async_events_reported(&q->o);
	call_put(c, UVERBS_ATTR_DESTROY_QP_RESP, &r, sizeof(r));
	return object_destroy(&q->o);
}

static int modify_qp(struct call *c)
{
	const struct ib_uverbs_modify_qp *in = c->in;
	struct mlx5_ib_modify_qp_resp driver = { .response_length = sizeof(driver) };
	struct ib_uverbs_ex_modify_qp_resp r = { .response_length = sizeof(r) + sizeof(driver) };
	struct qp *q = object_get(QP, in->qp_handle);
	int rc;

	if (!q)
		return ENOENT;
	rc = qp_modify(q, in);
	if (rc)
		return rc;
	if (q->dct && q->attr.qp_state == IBV_QPS_RTR)
		driver.dctn = q->qpn;
	call_driver_out(c, &driver, sizeof(driver));
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int query_qp(struct call *c)
{
	const struct ib_uverbs_query_qp *in = c->in;
	struct qp *q = object_get(QP, in->qp_handle);
	const struct ib_uverbs_modify_qp *a;

	if (!q)
		return ENOENT;
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
		.qp_access_flags = a->qp_access_flags,
		.pkey_index = a->pkey_index,
		.alt_pkey_index = a->alt_pkey_index,
		.qp_state = a->qp_state,
		.cur_qp_state = a->qp_state,
		.path_mtu = a->path_mtu,
		.path_mig_state = a->path_mig_state,
		.max_rd_atomic = a->max_rd_atomic,
		.max_dest_rd_atomic = a->max_dest_rd_atomic,
		.min_rnr_timer = a->min_rnr_timer,
		.port_num = a->port_num,
		.timeout = a->timeout,
		.retry_cnt = a->retry_cnt,
		.rnr_retry = a->rnr_retry,
		.alt_port_num = a->alt_port_num,
		.alt_timeout = a->alt_timeout,
		.sq_sig_all = q->sig_all,
	};
	call_reply(c, &r, sizeof(r));
	return 0;
}

const struct method qp_methods[] = {
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, "create_qp", create_qp),
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, "destroy_qp", destroy_qp),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_QP, "modify_qp", modify_qp),
	COMMAND(IB_USER_VERBS_CMD_QUERY_QP, "query_qp", query_qp),
	{ 0 },
};
