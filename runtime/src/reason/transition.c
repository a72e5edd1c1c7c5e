/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdio.h>

#include <verbsx/enums.h>

#include "reach/release.h"
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
	return qp->qp_type < VX_QPT_DCI ? qp->qp_type : 0;
}

const char *vx_transition_type_name(unsigned int type)
{
	static const char others[][6] = { [VX_QPT_DCI] = "a DCI", [VX_QPT_DCT] = "a DCT", [VX_QPT_WQ] = "a WQ" };
	const char *name = vx_ibv_qp_type_name(type);

	if (type >= VX_QPT_DCI && type <= VX_QPT_WQ)
		return others[type];
	return name ? name + sizeof("IBV_QPT_") - 1 : "this type";
}

const char *vx_state_name(unsigned int type, unsigned int state, char *buf, size_t len)
{
	const char *name = type == VX_QPT_WQ ? vx_ibv_wq_state_name(state) : vx_ibv_qp_state_name(state);

	if (name)
		return name + sizeof("IBV_QPS_") - 1;
	snprintf(buf, len, "ibv_qp_state(%u)", state);
	return buf;
}

/* What every type can do with no attribute at all, but a DCT: it is as it is until it is destroyed. */
static bool can_end(unsigned int type, unsigned int from, unsigned int to)
{
	return type != VX_QPT_DCT && type != VX_QPT_WQ && (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET));
}

const struct vx_transition *vx_transition_find(unsigned int type, unsigned int from, unsigned int to)
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

static void put_state(struct vx_out *out, unsigned int type, unsigned int state)
{
	char buf[LONGEST_STATE];

	vx_put_string(out, vx_state_name(type, state, buf, sizeof(buf)));
}

/* The states that a QP can go to; the two that all can reach come last. */
static size_t ways_from(unsigned int type, unsigned int from, unsigned int ways[IBV_QPS_UNKNOWN])
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
static void add_ways(struct vx_failure *failure, unsigned int type, unsigned int from, unsigned int to)
{
	unsigned int ways[IBV_QPS_UNKNOWN];
	size_t i, count = ways_from(type, from, ways);
	const char *name = vx_transition_type_name(type);
	char is[LONGEST_STATE];
	struct vx_out *out;

	if (!count) {
		vx_reason_add(failure, "%s stays in %s until it is destroyed", name, vx_state_name(type, from, is, sizeof(is)));
		return;
	}
	vx_reason_add(failure, "%s goes from ", name);
	out = &failure->out;
	put_state(out, type, from);
	vx_put_literal(out, " to ");
	for (i = 0; i < count; i++) {
		vx_put_string(out, i == 0 ? "" : i + 1 < count ? ", " : " or ");
		put_state(out, type, ways[i]);
	}
	vx_put_literal(out, ", not to ");
	put_state(out, type, to);
}

static void check_masks(struct vx_failure *failure, unsigned int type, const struct vx_transition *row, uint32_t mask)
{
	const uint32_t known = IBV_QP_STATE | row->required | row->optional | vx_transition_ignored(type);
	const uint32_t lacks = row->required & ~mask, extra = mask & ~known;
	const char *name = vx_transition_type_name(type);
	char bits[LONGEST_BITS];

	if (lacks) {
		vx_ibv_qp_attr_mask_snprint(bits, sizeof(bits), lacks);
		vx_reason_add(failure, "%s needs %s, which attr_mask lacks", name, bits);
	}
	if (extra) {
		vx_ibv_qp_attr_mask_snprint(bits, sizeof(bits), extra);
		vx_reason_add(failure, "%s %s not allowed for %s here", bits, strchr(bits, '|') ? "are" : "is", name);
	}
}

void vx_reason_of_state(struct vx_failure *failure, unsigned int type, const char *field, unsigned int said, unsigned int is)
{
	struct vx_out *out;

	if (said == is)
		return;
	vx_reason_add(failure, "%s = ", field);
	out = &failure->out;
	put_state(out, type, said);
	vx_put_literal(out, ", but the ");
	vx_put_string(out, type == VX_QPT_WQ ? "WQ" : "QP");
	vx_put_literal(out, " is in ");
	put_state(out, type, is);
}

void vx_reason_of_transition(struct vx_failure *failure, unsigned int type, unsigned int from, unsigned int to, int attr_mask)
{
	const struct vx_transition *row = vx_transition_find(type, from, to);

	if (!type)
		return;
	if (row)
		check_masks(failure, type, row, (uint32_t)attr_mask);
	else
		add_ways(failure, type, from, to);
}
