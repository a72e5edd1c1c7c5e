/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Send queue and transport interface (SQ, TIS) of a RAW_PACKET QP: mailboxes name them by the number of the QP. */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_qpc.h"
#include "objects/qp.h"
#include "objects/sched.h"

static struct qp *raw_qp(struct call *c, const struct mailboxes *m, int handle_id)
{
	struct qp *q = call_object(c, handle_id, QP);

	return q && q->type == IBV_QPT_RAW_PACKET && prm_get(m->in, QP_QPN) == q->qpn ? q : NULL;
}

/* It attaches the queue to a leaf */
int sq_modify(struct call *c, struct mailboxes *m)
{
	struct qp *q = raw_qp(c, m, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);

	if (!q)
		return EINVAL;
	if (prm_get64(m->in, MODIFY_SQ_BITMASK) != SQ_BITMASK_QOS_QUEUE_GROUP_ID ||
	    sched_attach(q, prm_get(m->in, MODIFY_SQ_QOS_QUEUE_GROUP_ID)))
		return devx_refuse(m, STATUS_BAD_PARAM);
	return 0;
}

/* It changes the bonded port by which frames go out */
int tis_modify(struct call *c, struct mailboxes *m)
{
	struct qp *q = raw_qp(c, m, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
	uint8_t port = prm_get(m->in, MODIFY_TIS_LAG_TX_PORT_AFFINITY);

	if (!q)
		return EINVAL;
	if (!prm_get(m->in, MODIFY_TIS_BITMASK_LAG_TX_PORT_AFFINITY) || !q->lag_port || !port || port > LAG_PORTS)
		return devx_refuse(m, STATUS_BAD_PARAM);
	q->lag_port = port;
	return 0;
}

int tis_query(struct call *c, struct mailboxes *m)
{
	const struct qp *q = raw_qp(c, m, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE);

	if (!q || m->out_len < QUERY_TIS_SIZE)
		return EINVAL;
	prm_set(m->out, QUERY_TIS_LAG_TX_PORT_AFFINITY, q->lag_port);
	return 0;
}
