/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Changing a memory region, and what has become of it when that failed. */

#include <errno.h>

#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "mr.h"
#include "reason/reason.h"
#include "traced.h"

#define LONGEST_NAME 128

/* Whatever a newer rdma-core may return is taken for the worst. */
static enum vx_mr_state state_after(int rc)
{
	switch (rc) {
	case 0:
	case IBV_REREG_MR_ERR_DO_FORK_OLD:
		return VX_MR_CHANGED;
	case IBV_REREG_MR_ERR_INPUT:
	case IBV_REREG_MR_ERR_DONT_FORK_NEW:
		return VX_MR_AS_BEFORE;
	default:
		return VX_MR_BROKEN;
	}
}

static const char *outcome_of(int rc)
{
	switch (rc) {
	case IBV_REREG_MR_ERR_INPUT:
		return "refused; the region is as before";
	case IBV_REREG_MR_ERR_DONT_FORK_NEW:
		return "the new memory could not be kept from forked children; the region is as before";
	case IBV_REREG_MR_ERR_DO_FORK_OLD:
		return "the region has changed, but the old memory could not be shared with forked children again";
	case IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW:
		return "the region is good for nothing but vx_close(), and the new memory stays kept from forked children";
	default:
		return "the region is good for nothing but vx_close()";
	}
}

static int flags_of(const struct vx_mr_change *change)
{
	int flags = 0;

	if (change->pd)
		flags |= IBV_REREG_MR_CHANGE_PD;
	if (change->addr || change->length)
		flags |= IBV_REREG_MR_CHANGE_TRANSLATION;
	if (change->access || change->flags & VX_MR_READ_ONLY)
		flags |= IBV_REREG_MR_CHANGE_ACCESS;
	return flags;
}

/* Why a change cannot even be tried, or NULL. */
static const char *senseless(const struct vx_mr *mr, const struct vx_mr_change *change)
{
	if (change->flags & ~(uint32_t)VX_MR_READ_ONLY)
		return "flags may only be VX_MR_READ_ONLY";
	if (!flags_of(change))
		return "nothing is to change";
	if (change->access && change->flags)
		return "access and VX_MR_READ_ONLY exclude each other";
	if (!change->addr != !change->length)
		return change->addr ? "addr is given, but length is 0" : "length is given, but addr is NULL";
	if (change->pd && vx_context_of(mr) != vx_context_of(change->pd))
		return "pd belongs to another context";
	return NULL;
}

static int rereg(struct vx_mr *mr, const struct vx_mr_change *change)
{
	errno = 0;
	return ibv_rereg_mr(vx_mr_raw(mr), flags_of(change), change->pd ? vx_pd_raw(change->pd) : NULL, change->addr,
			    change->length, change->access);
}

/* Why, as for a new region, and what has become of this one. */
static int fail_to_rereg(int code, const struct vx_mr *mr, const struct vx_mr_change *change, int rc, const char *name)
{
	const uint64_t *args = VX_ARGS(VX_ARG(vx_mr_raw(mr)), (uint64_t)flags_of(change),
				       change->pd ? VX_ARG(vx_pd_raw(change->pd)) : 0, VX_ARG(change->addr), change->length,
				       (uint64_t)change->access);
	struct vx_failure failure = { .code = code, .call = &vx_signatures[SIGNATURE_ibv_rereg_mr], .args = args };
	char reason[VX_LONGEST_REASON] = "";

	/* Where the region has changed, there was nothing wrong with what it was to be. */
	if (state_after(rc) != VX_MR_CHANGED)
		vx_explain(&failure, reason, sizeof(reason));
	return vx_call_fail(code, "ibv_rereg_mr", name, "%s%s%s", reason, reason[0] ? "; " : "", outcome_of(rc));
}

int vx_mr_rereg_sized(struct vx_mr *mr, const struct vx_mr_change *change, size_t size, enum vx_mr_state *state)
{
	struct vx_mr_change own;
	enum vx_mr_state ignored;
	char name[LONGEST_NAME];
	const char *reason;
	int rc, code;

	if (vx_wrong(mr, VX_OBJECT_MR, "vx_mr_rereg", "mr"))
		return -EINVAL;
	if (vx_take_in(&own, sizeof(own), change, size, "vx_mr_rereg", "change", "flags") < 0)
		return vx_error()->code;
	change = &own;
	if (vx_wrong_field(change->pd, VX_OBJECT_PD, "vx_mr_rereg, pd"))
		return -EINVAL;
	reason = senseless(mr, change);
	state = state ? state : &ignored;
	*state = VX_MR_AS_BEFORE;
	vx_object_name(name, sizeof(name), mr);
	if (reason)
		return vx_fail(-EINVAL, "vx_mr_rereg", name, "%s", reason);

	rc = rereg(mr, change);
	code = vx_code_of_refusal();
	if (rc && code == -EOPNOTSUPP)
		rc = IBV_REREG_MR_ERR_INPUT; /* no provider was asked, though libibverbs says that one failed */
	*state = state_after(rc);
	if (change->pd && *state == VX_MR_CHANGED)
		vx_node_move((struct vx_node *)mr, (struct vx_node *)change->pd);
	return rc ? fail_to_rereg(code, mr, change, rc, name) : 0;
}
