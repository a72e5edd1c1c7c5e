/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Why ibv_modify_qp(3) failed. */

#include <errno.h>
#include <string.h>

#include <verbsx/enums.h>
#include <verbsx/version.h>

#include "make.h"
#include "outcome.h"
#include "reason_method.h"
#include "transition.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_NAME 128
#define LONGEST_STATE 32
#define LONGEST_GID 48

struct change {
	int code;
	struct ibv_qp *qp;
	const struct ibv_qp_attr *attr;
	int mask;
	struct ibv_qp_attr now;
	enum ibv_qp_state from, to;
	struct vx_bounds bounds;
};

static void look(struct change *change)
{
	struct ibv_qp_init_attr init;

	if (ibv_query_qp(change->qp, &change->now, IBV_QP_STATE | IBV_QP_PORT, &init))
		change->now = (struct ibv_qp_attr){ .qp_state = change->qp->state };
	change->from = change->now.qp_state;
	change->to = change->mask & IBV_QP_STATE ? change->attr->qp_state : change->from;
}

/* The port that the QP has, or is to have. */
static uint8_t port_of(const struct change *change)
{
	uint8_t port = change->mask & IBV_QP_PORT ? change->attr->port_num : change->now.port_num;

	return port ? port : 1;
}

static struct vx_request request_of(const struct change *change)
{
	return (struct vx_request){
		.code = change->code, .type = VX_TYPE(ibv_qp_attr), .attr = change->attr, .mask = (uint64_t)change->mask,
	};
}

/* ---- states ---- */

static void check_known_state(struct vx_reason *reason, const struct change *change)
{
	if (!vx_ibv_qp_state_name(change->to))
		vx_reason_add(reason, "qp_state = %d is none of enum ibv_qp_state", (int)change->to);
}

static void check_current_state(struct vx_reason *reason, const struct change *change)
{
	char said[LONGEST_STATE], is[LONGEST_STATE];

	if (change->mask & IBV_QP_CUR_STATE && change->attr->cur_qp_state != change->from)
		vx_reason_add(reason, "cur_qp_state = %s, but the QP is in %s",
			      vx_state_name(change->attr->cur_qp_state, said, sizeof(said)),
			      vx_state_name(change->from, is, sizeof(is)));
}

static void check_reset(struct vx_reason *reason, const struct change *change)
{
	if (change->from != IBV_QPS_RESET || change->to != IBV_QPS_RESET)
		return;
	if (change->mask & IBV_QP_STATE)
		vx_reason_add(reason, "the QP is in RESET already");
	else
		vx_reason_add(reason, "attr_mask lacks IBV_QP_STATE, so the QP stays in RESET, where nothing can be changed");
}

/* ---- values ---- */

static bool is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

static void check_gid_kind(struct vx_reason *reason, const struct ibv_global_route *grh,
			   const struct ibv_gid_entry *entry)
{
	char own[LONGEST_GID], peer[LONGEST_GID];

	if (entry->gid_type == IBV_GID_TYPE_IB || is_ipv4(&entry->gid) == is_ipv4(&grh->dgid))
		return;
	vx_snprint(own, sizeof(own), VX_TYPE(ibv_gid), &entry->gid, VX_COMPACT);
	vx_snprint(peer, sizeof(peer), VX_TYPE(ibv_gid), &grh->dgid, VX_COMPACT);
	vx_reason_add(reason, "ah_attr.grh.sgid_index = %u is %s, of another kind than dgid = %s", grh->sgid_index, own,
		      peer);
}

static void check_gid(struct vx_reason *reason, const struct change *change)
{
	const struct ibv_global_route *grh = &change->attr->ah_attr.grh;
	struct ibv_gid_entry entry;
	int rc;

	if (!(change->mask & IBV_QP_AV) || !change->attr->ah_attr.is_global)
		return;
	rc = ibv_query_gid_ex(change->qp->context, change->bounds.port, grh->sgid_index, &entry, 0);
	if (rc == ENODATA)
		vx_reason_add(reason, "ah_attr.grh.sgid_index = %u is an empty entry of the GID table of port %u",
			      grh->sgid_index, change->bounds.port);
	else if (!rc)
		check_gid_kind(reason, grh, &entry);
}

static void check_pkey(struct vx_reason *reason, const struct change *change)
{
	__be16 pkey;

	if (change->mask & IBV_QP_PKEY_INDEX &&
	    !ibv_query_pkey(change->qp->context, change->bounds.port, change->attr->pkey_index, &pkey) && !pkey)
		vx_reason_add(reason, "pkey_index = %u is an empty entry of the P_Key table of port %u",
			      change->attr->pkey_index, change->bounds.port);
}

static void check_port(struct vx_reason *reason, const struct change *change)
{
	const char *state;

	if (!change->bounds.known[VX_SOURCE_PORT] || change->bounds.attr.state == IBV_PORT_ACTIVE)
		return;
	state = vx_ibv_port_state_name(change->bounds.attr.state);
	vx_reason_add(reason, "port %u is %s", change->bounds.port, state ? state : "not active");
}

/* ---- all of it ---- */

static void check_state(struct vx_reason *reason, const struct change *change)
{
	check_known_state(reason, change);
	if (!vx_reason_is_found(reason))
		check_current_state(reason, change);
	if (!vx_reason_is_found(reason))
		check_reset(reason, change);
	if (!vx_reason_is_found(reason))
		vx_reason_of_transition(reason, change->qp, change->from, change->to, change->mask);
}

static void explain(struct vx_reason *reason, const struct change *change)
{
	const struct vx_request request = request_of(change);

	/* Values make sense only where the change does. */
	check_state(reason, change);
	if (vx_reason_is_found(reason))
		return;
	vx_reason_of_values(reason, &request, vx_release_running());
	vx_reason_of_request(reason, &request, &change->bounds);
	check_gid(reason, change);
	check_pkey(reason, change);
	check_port(reason, change);
	vx_reason_of_code(reason, &request, &change->bounds);
}

/* "mlx5_0 qp 17, INIT -> RTR". */
static void name_change(const struct vx_qp *qp, const struct change *change, char *buf, size_t len)
{
	char from[LONGEST_STATE], to[LONGEST_STATE];
	size_t used = vx_object_name(qp, buf, len);

	if (used < len)
		snprintf(buf + used, len - used, ", %s -> %s", vx_state_name(change->from, from, sizeof(from)),
			 vx_state_name(change->to, to, sizeof(to)));
}

int vx_modify_qp_fail(int code, const struct vx_qp *qp, const struct ibv_qp_attr *attr, int attr_mask)
{
	struct change change = { .code = code, .qp = vx_qp_raw(qp), .attr = attr, .mask = attr_mask };
	char name[LONGEST_NAME], text[VX_LONGEST_REASON];
	struct vx_reason reason;

	look(&change);
	vx_bounds_ask(&change.bounds, change.qp->context, port_of(&change));
	vx_reason_start(&reason, text, sizeof(text));
	explain(&reason, &change);
	name_change(qp, &change, name, sizeof(name));
	return vx_call_fail(code, "ibv_modify_qp", name, vx_reason_finish(&reason) ? "%s" : NULL, text);
}
