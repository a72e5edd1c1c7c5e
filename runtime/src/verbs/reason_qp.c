/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a QP or WQ could not be changed, or a window not be bound by one. */

#include <stdio.h>

#include <verbsx/enums.h>
#include <verbsx/objects.h>

#include "kinds.h"
#include "object/object.h"
#include "reason/reason.h"
#include "reason_by_hand.h"

#define VX_TRACE_ASIDE
#include "traced.h"

struct change {
	struct ibv_qp *qp;
	const struct ibv_qp_attr *attr;
	int mask;
	unsigned int type;
	enum ibv_qp_state from, to;
};

/* As the QP tells, else as libibverbs remembers. */
static struct change change_of(struct vx_failure *failure)
{
	const struct ibv_qp_attr *now = vx_bounds_ask(&failure->bounds, VX_SOURCE_ibv_qp_attr);
	struct change change = {
		.qp = failure->bounds.object, .attr = (const void *)(uintptr_t)vx_argument(failure, "attr"),
		.mask = (int)vx_argument(failure, "attr_mask"),
	};

	change.type = vx_transition_type(change.qp);
	change.from = now ? now->qp_state : change.qp->state;
	change.to = change.mask & IBV_QP_STATE ? change.attr->qp_state : change.from;
	return change;
}

/* ---- states ---- */

void vx_explain_qp_change(struct vx_failure *failure)
{
	const struct ibv_qp_attr *now = vx_bounds_ask(&failure->bounds, VX_SOURCE_ibv_qp_attr);
	const struct change change = change_of(failure);
	const uint8_t port = change.mask & IBV_QP_PORT ? change.attr->port_num : now ? now->port_num : 1;

	failure->bounds.port = port ? port : 1; /* that the QP has, or is to have */
	snprintf(failure->change, sizeof(failure->change), ", %s -> %s", VX_STATE(change.type, change.from), VX_STATE(change.type, change.to));
	if (vx_reason_is_found(failure) || !vx_ibv_qp_state_name(change.to))
		return;
	if (change.mask & IBV_QP_CUR_STATE)
		vx_reason_of_state(failure, change.type, "cur_qp_state", change.attr->cur_qp_state, change.from);
	if (!vx_reason_is_found(failure))
		vx_reason_of_transition(failure, change.type, change.from, change.to, change.mask);
}

/* libibverbs remembers the state: a WQ cannot be asked. */
void vx_explain_wq_change(struct vx_failure *failure)
{
	const struct ibv_wq_attr *attr = (const void *)(uintptr_t)vx_argument(failure, "wq_attr");
	const struct ibv_wq *wq = failure->bounds.object;

	if (wq->state >= IBV_WQS_UNKNOWN)
		return;
	if (attr->attr_mask & IBV_WQ_ATTR_CURR_STATE && attr->curr_wq_state < IBV_WQS_UNKNOWN)
		vx_reason_of_state(failure, VX_QPT_WQ, "curr_wq_state", attr->curr_wq_state, wq->state);
	if (attr->attr_mask & IBV_WQ_ATTR_STATE && attr->wq_state < IBV_WQS_UNKNOWN && attr->wq_state != wq->state)
		vx_reason_of_transition(failure, VX_QPT_WQ, wq->state, attr->wq_state, 0);
}

/* ---- values ---- */

static void check_pkey(struct vx_failure *failure, uint16_t index)
{
	__be16 pkey;

	if (!ibv_query_pkey(failure->bounds.context, failure->bounds.port, index, &pkey) && !pkey)
		vx_reason_add(failure, "pkey_index = %u is an empty entry of the P_Key table of port %u", index,
			      failure->bounds.port);
}

void vx_explain_qp_path(struct vx_failure *failure)
{
	const struct change change = change_of(failure);
	const struct ibv_qp_attr *attr = change.attr;
	uint8_t port = failure->bounds.port;

	if (change.mask & IBV_QP_AV)
		vx_reason_of_gid(failure, port, "ah_attr.", &attr->ah_attr);
	if (change.mask & IBV_QP_ALT_PATH && attr->alt_port_num)
		vx_reason_of_gid(failure, attr->alt_port_num, "alt_ah_attr.", &attr->alt_ah_attr);
	if (change.mask & IBV_QP_PKEY_INDEX)
		check_pkey(failure, attr->pkey_index);
}

/* ---- what a QP is made of ---- */

/* Its raw object does not tell what an SRQ is for; the handle does, unless it was adopted. */
void vx_explain_qp_srq(struct vx_failure *failure)
{
	uint32_t i;

	for (i = 0; failure->node && i < failure->node->uses; i++) {
		const struct vx_node *used = vx_node_used(failure->node, i);
		const struct vx_kept_srq *kept = vx_node_extra(used);

		if (used->kind != VX_OBJECT_SRQ || !kept->known)
			continue;
		if (kept->srq_type == IBV_SRQT_XRC)
			vx_reason_add(failure, "srq is of type IBV_SRQT_XRC, whose messages come by QPs of type IBV_QPT_XRC_RECV, without srq");
	}
}

/* ---- windows ---- */

void vx_explain_window(struct vx_failure *failure)
{
	const struct ibv_mw *mw = (const void *)(uintptr_t)vx_argument(failure, "mw");
	const struct ibv_mw_bind *bind = (const void *)(uintptr_t)vx_argument(failure, "mw_bind");

	if (bind->bind_info.mr && bind->bind_info.mr->pd != mw->pd)
		vx_reason_add(failure, "bind_info.mr belongs to another PD than the window");
}
