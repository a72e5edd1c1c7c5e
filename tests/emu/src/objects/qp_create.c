/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Creating QPs: what can be asked for, and where the queues lie. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>

#include "bounds.h"
#include "calls/call.h"
#include "config.h"
#include "engine/wqe.h"
#include "objects/qp.h"
#include "packets/rss.h"

#define DCT_NUMBER_UNKNOWN 0xffffff
#define KNOWN_FLAGS IB_UVERBS_QP_CREATE_SQ_SIG_ALL

/* Signatures of WQEs, tunnels and credits by packet are capabilities that this device lacks */
#define KNOWN_DRIVER_FLAGS                                                                      \
	(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE | MLX5_QP_FLAG_BFREG_INDEX | \
	 MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI |          \
	 MLX5_QP_FLAG_DCI_STREAM)

static bool type_supported(const struct call *c, uint32_t type, uint32_t driver_flags)
{
	const uint32_t ethernet = call_is_ethernet(c);
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
	    (int32_t)cap->max_inline_data > (int32_t)config.max_inline_data) /* libmlx5 says -4 where there is no SGE */
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
				     d->sq_wqe_count, LOG_WQEBB, 0, false, 0 };
	if (!q->dci && q->type != IBV_QPT_XRC_SEND)
		q->rq = (struct work_queue){ buf, db, d->rq_wqe_count, d->rq_wqe_shift, 0, false, 0 };
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
	q->rwq_table = call_object(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, RWQ_TABLE);
	object_hold((struct object *)q->xrcd);
	object_hold(q->rwq_table);
}

static struct qp *new_by_verbs(struct call *c, const struct mlx5_ib_create_qp *driver, struct object *pd)
{
	struct qp *q = qp_new(c->ctx, pd);

	if (!q)
		return NULL;
	q->o.user_handle = call_value(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE);
	q->type = call_value(c, UVERBS_ATTR_CREATE_QP_TYPE);
	q->sig_all = call_value(c, UVERBS_ATTR_CREATE_QP_FLAGS) & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	set_driver_part(q, driver);
	set_users(q, c);
	if (q->rwq_table)
		rss_set_up(&q->rss, c);
	return q;
}

/* Each flag that is not known asks for what there is not */
static int check_flags(struct call *c, const struct mlx5_ib_create_qp *driver)
{
	if (call_value(c, UVERBS_ATTR_CREATE_QP_FLAGS) & ~(uint64_t)KNOWN_FLAGS ||
	    call_attr(c, UVERBS_ATTR_CREATE_QP_SOURCE_QPN) || driver->ece_options)
		return EOPNOTSUPP;
	if (driver->flags & ~(uint32_t)KNOWN_DRIVER_FLAGS)
		return EINVAL;
	if (!(driver->flags & MLX5_QP_FLAG_DCI_STREAM))
		return 0;
	return config.dci_streams && driver->dci_streams.log_num_concurent <= LOG_MAX_STREAMS &&
			       driver->dci_streams.log_num_errored <= LOG_MAX_STREAMS ?
		       0 :
		       EINVAL;
}

static int check_create(struct call *c, const struct ib_uverbs_qp_cap *cap,
			const struct mlx5_ib_create_qp *driver)
{
	int rc;

	if (call_attr(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE))
		return call_object(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, RWQ_TABLE) ? rss_check(c) :
											   ENOENT;
	if (!type_supported(c, call_value(c, UVERBS_ATTR_CREATE_QP_TYPE), driver->flags))
		return EOPNOTSUPP;
	rc = check_flags(c, driver);
	return rc ? rc : check_caps(cap, driver);
}

/* What was found after all else: a queue has to complete somewhere, and only XRC names an XRC SRQ, and only RC one with tags */
static int check_users(const struct qp *q)
{
	if ((q->sq.count && !q->send_cq) || (q->rq.count && !q->recv_cq))
		return ENOENT;
	if (q->srq && q->srq->tags && q->type != IBV_QPT_RC)
		return EINVAL;
	return q->srq && q->srq->xrcd ? EINVAL : 0;
}

static uint32_t number(const struct qp *q)
{
	/* A DCT gets its number when it is made ready to receive */
	if (q->dct)
		return DCT_NUMBER_UNKNOWN;
	return q->rwq_table ? 0 : q->qpn;
}

static int create_qp(struct call *c)
{
	struct ib_uverbs_qp_cap *cap = attr_data(call_attr(c, UVERBS_ATTR_CREATE_QP_CAP));
	bool rss = call_attr(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	struct object *pd = call_object(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, PD);
	struct mlx5_ib_create_qp_resp resp = { 0 };
	struct mlx5_ib_create_qp driver = { 0 };
	struct qp *q;
	int rc;

	if (!rss)
		call_driver_in(c, &driver, sizeof(driver));
	rc = check_create(c, cap, &driver);
	if (rc)
		return rc;
	if (!pd && call_value(c, UVERBS_ATTR_CREATE_QP_TYPE) != IBV_QPT_XRC_RECV)
		return ENOENT;
	q = new_by_verbs(c, &driver, pd);
	if (!q)
		return ENOMEM;
	rc = check_users(q);
	if (rc) {
		object_free(&q->o);
		return rc;
	}
	resp.bfreg_index = driver.bfreg_index;
	if (q->type == IBV_QPT_RAW_PACKET) {
		resp.comp_mask = MLX5_IB_CREATE_QP_RESP_MASK_TISN | MLX5_IB_CREATE_QP_RESP_MASK_SQN;
		resp.tisn = resp.sqn = q->qpn;
	}
	call_driver_out(c, &resp, sizeof(resp));
	call_put(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, cap, cap ? sizeof(*cap) : 0);
	call_put_u32(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, number(q));
	call_put_handle(c, UVERBS_ATTR_CREATE_QP_HANDLE, q->o.handle);
	return 0;
}

const struct method qp_create_methods[] = {
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, "create_qp", create_qp),
	{ 0 },
};
