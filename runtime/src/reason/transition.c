/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <verbsx/enums.h>

#include "reach/provider.h"
#include "transition.h"

#define LONGEST_BITS 256
#define LONGEST_STATE 32

/* Each provider has types of its own behind this one, mlx5 two, of which only one has an SRQ. */
static unsigned int driver_type(const struct ibv_qp *qp)
{
	if (!vx_function_is_of((uintptr_t)qp->context->ops.poll_cq, "libmlx5"))
		return 0;
	return qp->srq ? VX_QPT_DCT : VX_QPT_DCI;
}

unsigned int vx_transition_type(const struct ibv_qp *qp)
{
	if (qp->qp_type == IBV_QPT_DRIVER)
		return driver_type(qp);
	return qp->qp_type < 32 ? qp->qp_type : 0;
}

const char *vx_transition_type_name(unsigned int type)
{
	const char *name;

	if (type == VX_QPT_DCI || type == VX_QPT_DCT)
		return type == VX_QPT_DCI ? "a DCI" : "a DCT";
	name = vx_ibv_qp_type_name(type);
	return name ? name + sizeof("IBV_QPT_") - 1 : "this type";
}

const char *vx_state_name(enum ibv_qp_state state, char *buf, size_t len)
{
	const char *name = vx_ibv_qp_state_name(state);

	if (name)
		return name + sizeof("IBV_QPS_") - 1;
	vx_ibv_qp_state_snprint(buf, len, state);
	return buf;
}

/* What every type can do with no attribute at all, but a DCT: it is as it is until it is destroyed. */
static bool can_end(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	return type != VX_QPT_DCT && (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET));
}

const struct vx_transition *vx_transition_find(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	/* A DCI that has failed is not told so again without the state: kernels want it in every change of one. */
	static const struct vx_transition end, end_of_dci = { .required = IBV_QP_STATE };
	size_t i;

	for (i = 0; i < vx_transition_count; i++) {
		const struct vx_transition *row = &vx_transitions[i];

		if (row->types & 1u << type && row->from == from && row->to == to)
			return row;
	}
	if (!can_end(type, from, to))
		return NULL;
	return type == VX_QPT_DCI ? &end_of_dci : &end;
}

static void put_state(struct vx_out *out, enum ibv_qp_state state)
{
	char buf[LONGEST_STATE];

	vx_put_string(out, vx_state_name(state, buf, sizeof(buf)));
}

/* The states that a QP can go to; the two that all can reach come last. */
static size_t ways_from(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state ways[IBV_QPS_UNKNOWN])
{
	size_t i, count = 0;

	for (i = 0; i < vx_transition_count; i++)
		if (vx_transitions[i].types & 1u << type && vx_transitions[i].from == from)
			ways[count++] = vx_transitions[i].to;
	if (can_end(type, from, IBV_QPS_RESET))
		ways[count++] = IBV_QPS_RESET;
	if (can_end(type, from, IBV_QPS_ERR))
		ways[count++] = IBV_QPS_ERR;
	return count;
}

/* "RC goes from INIT to INIT, RTR, RESET or ERR, not to RTS". */
static void add_ways(struct vx_reason *reason, unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	enum ibv_qp_state ways[IBV_QPS_UNKNOWN];
	size_t i, count = ways_from(type, from, ways);
	const char *name = vx_transition_type_name(type);
	char is[LONGEST_STATE];
	struct vx_out *out;

	if (!count) {
		vx_reason_add(reason, "%s stays in %s until it is destroyed", name, vx_state_name(from, is, sizeof(is)));
		return;
	}
	vx_reason_add(reason, "%s goes from ", name);
	out = &reason->out;
	put_state(out, from);
	vx_put_literal(out, " to ");
	for (i = 0; i < count; i++) {
		vx_put_string(out, i == 0 ? "" : i + 1 < count ? ", " : " or ");
		put_state(out, ways[i]);
	}
	vx_put_literal(out, ", not to ");
	put_state(out, to);
}

static void check_masks(struct vx_reason *reason, unsigned int type, const struct vx_transition *row, uint32_t mask)
{
	const uint32_t known = IBV_QP_STATE | row->required | row->optional;
	const uint32_t lacks = row->required & ~mask, extra = mask & ~known;
	const char *name = vx_transition_type_name(type);
	char bits[LONGEST_BITS];

	if (lacks) {
		vx_ibv_qp_attr_mask_snprint(bits, sizeof(bits), lacks);
		vx_reason_add(reason, "%s needs %s, which attr_mask lacks", name, bits);
	}
	if (extra) {
		vx_ibv_qp_attr_mask_snprint(bits, sizeof(bits), extra);
		vx_reason_add(reason, "%s %s not allowed for %s here", bits, strchr(bits, '|') ? "are" : "is", name);
	}
}

void vx_reason_of_transition(struct vx_reason *reason, const struct ibv_qp *qp, enum ibv_qp_state from,
			     enum ibv_qp_state to, int attr_mask)
{
	unsigned int type = vx_transition_type(qp);
	const struct vx_transition *row = vx_transition_find(type, from, to);

	if (!type)
		return;
	if (row)
		check_masks(reason, type, row, (uint32_t)attr_mask);
	else
		add_ways(reason, type, from, to);
}
