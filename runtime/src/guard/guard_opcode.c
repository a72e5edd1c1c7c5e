/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What was asked for by a request of a checked QP that failed, which its completion does not tell: looked for among those under way then. */

#include <verbsx/wc_error.h>

#include "guard.h"

/* Only who asks for something gets these. */
static bool is_of_a_requester(enum ibv_wc_status status)
{
	const uint32_t those = 1u << IBV_WC_RETRY_EXC_ERR | 1u << IBV_WC_RNR_RETRY_EXC_ERR | 1u << IBV_WC_REM_INV_REQ_ERR | 1u << IBV_WC_REM_ACCESS_ERR |
			       1u << IBV_WC_REM_OP_ERR | 1u << IBV_WC_MW_BIND_ERR;

	return status < 32 && those >> status & 1;
}

/* The identities of what an SRQ has are those of all its QPs. */
static bool may_be_a_receive(const struct vx_guard_qp *guard, const struct ibv_wc *wc)
{
	if (is_of_a_requester(wc->status))
		return false;
	return guard->raw->srq || (wc->wr_id >= guard->first_receive && wc->wr_id <= guard->last_receive);
}

static enum ibv_wc_opcode completed_by(const struct vx_guard_request *request)
{
	const struct vx_guard_step *step;

	if (!(request->opcode & VX_GUARD_POSTED))
		return (enum ibv_wc_opcode)request->opcode;
	step = vx_step_of((enum ibv_wr_opcode)(request->opcode & ~VX_GUARD_POSTED));
	return step ? (enum ibv_wc_opcode)step->done : VX_WC_UNKNOWN;
}

/* Where those begin that had not completed when the first failed; all that are remembered, where nobody counts. */
static uint32_t first_under_way(const struct vx_guard_qp *guard)
{
	const uint32_t kept = guard->posted < guard->mask ? guard->posted : guard->mask;
	const uint32_t failed = guard->count ? __atomic_load_n(&guard->count->failed, __ATOMIC_RELAXED) : 0, well = failed - guard->done_before - 1;
	const uint32_t first = guard->mark[(well - 1) & guard->mask];

	if (!failed || guard->marks - well > guard->mask || guard->posted - first > kept)
		return guard->posted - kept;
	return first;
}

enum ibv_wc_opcode vx_guard_opcode_of(const struct vx_guard_qp *guard, const struct ibv_wc *wc)
{
	enum ibv_wc_opcode found = VX_WC_UNKNOWN, opcode;
	const struct vx_guard_request *request;
	uint32_t at;

	if (may_be_a_receive(guard, wc))
		return VX_WC_UNKNOWN;
	for (at = first_under_way(guard); at != guard->posted; at++) {
		request = &guard->request[at & guard->mask];
		if (request->wr_id != wc->wr_id)
			continue;
		opcode = completed_by(request);
		if (found != VX_WC_UNKNOWN && opcode != found)
			return VX_WC_UNKNOWN;
		found = opcode;
	}
	return found;
}
