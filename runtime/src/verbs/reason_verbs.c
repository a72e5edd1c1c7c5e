/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What no table can say of calls of libibverbs that have failed: where paths begin, which changes QPs and WQs can take, flows. */

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/enums.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "header.h"
#include "kinds.h"
#include "object/object.h"
#include "reach/reach.h"
#include "reason_by_hand.h"
#include "steps.h"
#include "text/form.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LARGEST_TAG_OF_MLX5 0xffffffu

/* ---- paths ---- */

static bool is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid);
}

static void check_kind(struct vx_failure *failure, const char *path, const struct ibv_global_route *grh,
		       const struct ibv_gid_entry *entry)
{
	if (entry->gid_type == IBV_GID_TYPE_IB || IN6_IS_ADDR_MULTICAST(&grh->dgid) || is_ipv4(&entry->gid) == is_ipv4(&grh->dgid))
		return;
	vx_reason_add(failure, "%sgrh.sgid_index = %u is %s, of another kind than dgid = %s", path, grh->sgid_index, VX_GID_TEXT(&entry->gid),
		      VX_GID_TEXT(&grh->dgid));
}

static void check_gid(struct vx_failure *failure, uint8_t port, const char *path, const struct ibv_ah_attr *attr)
{
	struct ibv_gid_entry entry;
	int rc;

	if (!attr->is_global)
		return;
	rc = ibv_query_gid_ex(failure->bounds.context, port, attr->grh.sgid_index, &entry, 0);
	if (rc == ENODATA)
		vx_reason_add(failure, "%sgrh.sgid_index = %u is an empty entry of the GID table of port %u", path,
			      attr->grh.sgid_index, port);
	else if (!rc)
		check_kind(failure, path, &attr->grh, &entry);
}

void vx_explain_ah_path(struct vx_failure *failure)
{
	check_gid(failure, failure->bounds.port, "", (const void *)(uintptr_t)vx_argument(failure, "attr"));
}

/* ---- answers ---- */

struct ibv_ah_attr vx_answer_of(const void *parent, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh)
{
	struct ibv_ah_attr attr = { 0 };

	ibv_init_ah_from_wc(vx_context_of(parent), port_num, wc, grh, &attr);
	return attr;
}

/*
 * Turns the header round once more: the call may have failed for something else, and then nobody knows what errno was about.
 * Where the GID is not found, rdma-core leaves errno as the look behind the end of the table left it, or alone.
 */
void vx_explain_answer(struct vx_failure *failure)
{
	struct ibv_grh *grh = (void *)(uintptr_t)vx_argument(failure, "grh");
	struct ibv_wc *wc = (void *)(uintptr_t)vx_argument(failure, "wc");
	struct ibv_context *context = failure->bounds.context;
	uint8_t port = failure->bounds.port;
	struct vx_header header;
	struct ibv_port_attr there;
	struct ibv_ah_attr attr;

	if (!(wc->wc_flags & IBV_WC_GRH) || ibv_query_port(context, port, &there))
		return;
	errno = 0;
	if (!ibv_init_ah_from_wc(context, port, wc, grh, &attr))
		return;
	if (errno == EPROTONOSUPPORT) {
		vx_reason_add(failure, "the 40 bytes are no GRH and no IPv4 header");
	} else if (!errno || errno == EINVAL || errno == ENOENT || errno == ENODATA) {
		failure->code = -ENOENT;
		if (!vx_header_read(grh, &header))
			header.dgid = grh->dgid;
		vx_reason_add(failure, "port %u has no GID %s, to which the message was sent", port, VX_GID_TEXT(header.dgid.raw));
	}
}

/* ---- QPs and WQs ---- */

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

/* An entry is a file, which a thread that is cancelled in the midst of reading it leaves open. */
static void check_pkey(struct vx_failure *failure, uint16_t index)
{
	__be16 pkey;
	int rc;

	VX_NOT_CANCELLED(rc = ibv_query_pkey(failure->bounds.context, failure->bounds.port, index, &pkey));
	if (rc == 0 && !pkey)
		vx_reason_add(failure, "pkey_index = %u is an empty entry of the P_Key table of port %u", index,
			      failure->bounds.port);
}

void vx_explain_qp_path(struct vx_failure *failure)
{
	const struct change change = change_of(failure);
	const struct ibv_qp_attr *attr = change.attr;
	uint8_t port = failure->bounds.port;

	if (change.mask & IBV_QP_AV)
		check_gid(failure, port, "ah_attr.", &attr->ah_attr);
	if (change.mask & IBV_QP_ALT_PATH && attr->alt_port_num)
		check_gid(failure, attr->alt_port_num, "alt_ah_attr.", &attr->alt_ah_attr);
	if (change.mask & IBV_QP_PKEY_INDEX)
		check_pkey(failure, attr->pkey_index);
}

/* Its raw object does not tell what an SRQ is for; the handle does, unless it was adopted. */
void vx_explain_qp_srq(struct vx_failure *failure)
{
	const struct vx_node *srq = failure->node ? vx_node_used_as(failure->node, VX_OBJECT_SRQ, NULL) : NULL;
	const struct vx_kept_srq *kept = srq && srq->kind == VX_OBJECT_SRQ ? vx_node_extra(srq) : NULL;

	if (kept && kept->known && kept->srq_type == IBV_SRQT_XRC)
		vx_reason_add(failure, "srq is of type IBV_SRQT_XRC, whose messages come by QPs of type IBV_QPT_XRC_RECV, without srq");
}

/* ---- windows ---- */

void vx_explain_window(struct vx_failure *failure)
{
	const struct ibv_mw *mw = (const void *)(uintptr_t)vx_argument(failure, "mw");
	const struct ibv_mw_bind *bind = (const void *)(uintptr_t)vx_argument(failure, "mw_bind");

	if (bind->bind_info.mr && bind->bind_info.mr->pd != mw->pd)
		vx_reason_add(failure, "bind_info.mr belongs to another PD than the window");
}

/* ---- flows ---- */

/* Whether the function that refused is of a library; that of libibverbs stands for providers that have none. */
static bool is_call_of(struct ibv_context *context, const char *library)
{
	return vx_function_is_of(VX_PROVIDED(context, ibv_create_flow), library);
}

/* What all specs have, and the tag of one that has it: they are aligned for nothing. */
static struct ibv_flow_spec_action_tag spec_at(const unsigned char *at)
{
	struct ibv_flow_spec_action_tag spec = { 0 };

	memcpy(&spec, at, offsetof(struct ibv_flow_spec_action_tag, tag_id));
	if (spec.type == IBV_FLOW_SPEC_ACTION_TAG)
		memcpy(&spec, at, sizeof(spec));
	return spec;
}

/* The specs lie behind the attributes, each where the one before it ends. */
static void check_tags(struct vx_failure *failure, const struct ibv_flow_attr *attr)
{
	const unsigned char *at = (const unsigned char *)(attr + 1);
	unsigned int i;

	for (i = 0; i < attr->num_of_specs; i++, at += spec_at(at).size)
		if (spec_at(at).tag_id > LARGEST_TAG_OF_MLX5)
			vx_reason_add(failure, "specs[%u].tag_id = 0x%x, but mlx5 has 24 bits for it", i, spec_at(at).tag_id);
}

/* "specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_UDP (inner)", among what else may not be supported. */
static void add_specs(struct vx_failure *failure, const struct ibv_flow_attr *attr)
{
	const unsigned char *at = (const unsigned char *)(attr + 1);
	unsigned int i;

	for (i = 0; i < attr->num_of_specs; i++, at += spec_at(at).size) {
		const uint32_t type = (uint32_t)spec_at(at).type, outer = type & ~(uint32_t)IBV_FLOW_SPEC_INNER;

		vx_put_string(&failure->out, vx_reason_is_found(failure) ? "," : "the device or its provider may not support");
		vx_put_format(&failure->out, " specs[%u] %s%s", i, vx_ibv_flow_spec_type_name(outer),
			      type == outer ? "" : " (inner)");
	}
	/* Each may be known, then. */
	if (failure->code == -EINVAL && i)
		vx_put_string(&failure->out, i == 1 ? " with these values" : " with these values and in this order");
}

void vx_explain_flow(struct vx_failure *failure)
{
	const struct ibv_flow_attr *attr = (const void *)(uintptr_t)vx_argument(failure, "flow");
	struct ibv_context *context = failure->bounds.context;

	if (vx_reason_is_found(failure) || (failure->code != -EINVAL && failure->code != -EOPNOTSUPP))
		return;
	if (is_call_of(context, "libibverbs")) {
		vx_reason_add(failure, "the provider does not support this call");
		return;
	}
	if (is_call_of(context, "libmlx5"))
		check_tags(failure, attr);
	if (vx_reason_is_found(failure))
		return;
	vx_reason_of_suspects(failure);
	add_specs(failure, attr);
	if (failure->code == -EOPNOTSUPP && !vx_reason_is_found(failure))
		vx_reason_add(failure, "the provider has this call, but the device or its port may have no flows");
}
