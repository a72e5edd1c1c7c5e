/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdio.h>

#include <verbsx/enums.h>

#include "reach/reach.h"
#include "reason.h"

#define LONGEST_BITS 256

/* Each provider has types of its own behind IBV_QPT_DRIVER, mlx5 two, of which only one has an SRQ. */
unsigned int vx_transition_type(const struct ibv_qp *qp)
{
	if (qp->qp_type != IBV_QPT_DRIVER)
		return qp->qp_type < VX_QPT_DCI ? qp->qp_type : 0;
	if (!vx_context_is_of(qp->context, "libmlx5"))
		return 0;
	return qp->srq ? VX_QPT_DCT : VX_QPT_DCI;
}

uint32_t vx_transition_mask(const struct ibv_qp *qp)
{
	const unsigned int type = vx_transition_type(qp);
	uint32_t mask = 0;
	uint16_t i;

	for (i = 0; i < vx_transition_count; i++)
		if (vx_transitions[i].types >> type & 1)
			mask |= vx_transitions[i].required | vx_transitions[i].optional;
	return mask ? mask | IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_CAP : UINT32_MAX;
}

const char *vx_transition_type_name(unsigned int type)
{
	static const char others[][6] = { "a DCI", "a DCT", "a WQ" };
	const char *name = vx_ibv_qp_type_name(type);

	if (type >= VX_QPT_DCI && type <= VX_QPT_WQ)
		return others[type - VX_QPT_DCI];
	return name ? name + sizeof("IBV_QPT_") - 1 : "this type";
}

const char *vx_state_in(char *buf, unsigned int type, unsigned int state)
{
	const char *name = type == VX_QPT_WQ ? vx_ibv_wq_state_name(state) : vx_ibv_qp_state_name(state);

	if (name)
		return name + sizeof("IBV_QPS_") - 1;
	snprintf(buf, VX_LONGEST_STATE, "ibv_qp_state(%u)", state);
	return buf;
}

/* From a row on the first of those by which a QP can leave a state; NULL where there is no more. */
static const struct vx_transition *way_from(const struct vx_transition *row, unsigned int type, unsigned int from)
{
	for (; row < vx_transitions + vx_transition_count; row++)
		if (row->types & 1u << type && row->from == from)
			return row;
	return NULL;
}

const struct vx_transition *vx_transition_find(unsigned int type, unsigned int from, unsigned int to)
{
	const struct vx_transition *row = way_from(vx_transitions, type, from);

	while (row && row->to != to)
		row = way_from(row + 1, type, from);
	return row;
}

/* "RC goes from INIT to INIT, RTR, RESET or ERR, not to RTS". */
static void add_ways(struct vx_failure *failure, unsigned int type, unsigned int from, unsigned int to)
{
	const struct vx_transition *way = way_from(vx_transitions, type, from), *next;
	const char *name = vx_transition_type_name(type);

	if (!way) {
		vx_reason_add(failure, "%s stays in %s until it is destroyed", name, VX_STATE(type, from));
		return;
	}
	vx_reason_add(failure, "%s goes from %s to ", name, VX_STATE(type, from));
	for (; way; way = next) {
		next = way_from(way + 1, type, from);
		vx_put_format(&failure->out, "%s%s", VX_STATE(type, way->to),
			      !next ? ", not to " : way_from(next + 1, type, from) ? ", " : " or ");
	}
	vx_put_string(&failure->out, VX_STATE(type, to));
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
	if (said != is)
		vx_reason_add(failure, "%s = %s, but the %s is in %s", field, VX_STATE(type, said),
			      type == VX_QPT_WQ ? "WQ" : "QP", VX_STATE(type, is));
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
