/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why ibv_modify_qp(3) failed. */

#include <string.h>

#include <verbsx/enums.h>
#include <verbsx/version.h>

#include "object/make.h"
#include "error/fail.h"
#include "reason/reason_method.h"
#include "reason_path.h"
#include "reason/transition.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_NAME 128
#define LONGEST_STATE 32

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
		.code = change->code, .type = VX_STRUCT(ibv_qp_attr), .attr = change->attr, .mask = (uint64_t)change->mask,
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

/* A port that is not there is said to be none already. */
static void check_path_port(struct vx_reason *reason, const struct change *change, const char *name, uint8_t port,
			    const char *other, uint8_t own)
{
	if (port && port <= change->bounds.device.orig_attr.phys_port_cnt && port != own)
		vx_reason_add(reason, "%s = %u, but %s %u", name, port, other, own);
}

static void check_ports(struct vx_reason *reason, const struct change *change)
{
	const struct ibv_qp_attr *attr = change->attr;

	if (change->mask & IBV_QP_AV)
		check_path_port(reason, change, "ah_attr.port_num", attr->ah_attr.port_num, "the QP is on port",
				change->bounds.port);
	if (change->mask & IBV_QP_ALT_PATH && attr->alt_port_num)
		check_path_port(reason, change, "alt_ah_attr.port_num", attr->alt_ah_attr.port_num, "alt_port_num =",
				attr->alt_port_num);
}

static void check_gids(struct vx_reason *reason, const struct change *change)
{
	const struct ibv_qp_attr *attr = change->attr;

	if (change->mask & IBV_QP_AV)
		vx_reason_of_gid(reason, change->qp->context, change->bounds.port, "ah_attr.", &attr->ah_attr);
	if (change->mask & IBV_QP_ALT_PATH)
		vx_reason_of_gid(reason, change->qp->context, attr->alt_port_num, "alt_ah_attr.", &attr->alt_ah_attr);
}

static void check_pkey(struct vx_reason *reason, const struct change *change)
{
	__be16 pkey;

	if (change->mask & IBV_QP_PKEY_INDEX &&
	    !ibv_query_pkey(change->qp->context, change->bounds.port, change->attr->pkey_index, &pkey) && !pkey)
		vx_reason_add(reason, "pkey_index = %u is an empty entry of the P_Key table of port %u",
			      change->attr->pkey_index, change->bounds.port);
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
	check_ports(reason, change);
	check_gids(reason, change);
	check_pkey(reason, change);
	vx_reason_of_port(reason, &change->bounds);
	vx_reason_of_code(reason, &request, &change->bounds);
}

/* "mlx5_0 qp 17, INIT -> RTR". */
static void name_change(const struct vx_qp *qp, const struct change *change, char *buf, size_t len)
{
	char from[LONGEST_STATE], to[LONGEST_STATE];
	size_t used = vx_object_name(buf, len, qp);

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
