/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Changing a memory region, and what has become of it when that failed. */

#include "error/fail.h"
#include "reason/reason.h"
#include "steps.h"
#include "traced.h"

/* What has become of the region, by what ibv_rereg_mr() returned, negated. */
static const struct outcome {
	enum vx_mr_state state;
	char says[100];
} outcomes[] = {
	[0] = { VX_MR_CHANGED, "" },
	[-IBV_REREG_MR_ERR_INPUT] = { VX_MR_AS_BEFORE, "refused; the region is as before" },
	[-IBV_REREG_MR_ERR_DONT_FORK_NEW] = { VX_MR_AS_BEFORE,
		"the new memory could not be kept from forked children; the region is as before" },
	[-IBV_REREG_MR_ERR_DO_FORK_OLD] = { VX_MR_CHANGED,
		"the region has changed, but the old memory could not be shared with forked children again" },
	[-IBV_REREG_MR_ERR_CMD] = { VX_MR_BROKEN, "the region is good for nothing but vx_close()" },
	[-IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW] = { VX_MR_BROKEN,
		"the region is good for nothing but vx_close(), and the new memory stays kept from forked children" },
};

/* Whatever a newer rdma-core may return is taken for the worst. */
static const struct outcome *outcome_of(int rc)
{
	return &outcomes[rc > 0 || rc < IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW ? -IBV_REREG_MR_ERR_CMD : -rc];
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

static struct vx_kept_mr *kept_region(const struct vx_mr *mr)
{
	return vx_node_extra((const struct vx_node *)mr);
}

/* Why a change cannot even be tried, or NULL. */
static const char *senseless(const struct vx_mr *mr, const struct vx_mr_change *change)
{
	if (kept_region(mr)->broken)
		return outcomes[-IBV_REREG_MR_ERR_CMD].says;
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

/* Why, as for a new region, and what has become of this one. */
static int fail_to_rereg(int code, const struct vx_mr *mr, const struct outcome *outcome, const uint64_t *args)
{
	struct vx_failure failure = { .code = code, .call = &vx_signatures[SIGNATURE_ibv_rereg_mr], .args = args };
	char reason[VX_LONGEST_REASON] = "";

	/* Where the region has changed, there was nothing wrong with what it was to be. */
	if (outcome->state != VX_MR_CHANGED)
		vx_explain(&failure, reason, sizeof(reason));
	return vx_call_fail(code, "ibv_rereg_mr", VX_NAME(mr), "%s%s%s", reason, reason[0] ? "; " : "",
			    outcome->says);
}

/* The kernel looks at these before it changes anything, but of its refusal rdma-core says that the region is lost. */
static bool is_never_granted(int access)
{
	return access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(access & IBV_ACCESS_LOCAL_WRITE);
}

static int refuse_rights(const struct vx_mr *mr, const uint64_t *args)
{
	struct vx_failure failure = { .code = -EINVAL, .call = &vx_signatures[SIGNATURE_ibv_rereg_mr], .args = args };
	char reason[VX_LONGEST_REASON] = "";

	vx_explain(&failure, reason, sizeof(reason));
	return vx_fail(-EINVAL, "vx_mr_rereg", VX_NAME(mr), "%s; %s", reason, outcomes[-IBV_REREG_MR_ERR_INPUT].says);
}

/* What the handle knows of the region. */
static void follow(struct vx_mr *mr, const struct vx_mr_change *change, int flags)
{
	if (flags & IBV_REREG_MR_CHANGE_PD)
		vx_node_move((struct vx_node *)mr, (struct vx_node *)change->pd);
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		kept_region(mr)->access = (unsigned int)change->access;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		kept_region(mr)->start = (uintptr_t)change->addr;
}

static int rereg(struct vx_mr *mr, const struct vx_mr_change *change, enum vx_mr_state *state)
{
	struct ibv_pd *pd = change->pd ? vx_pd_raw(change->pd) : NULL;
	int flags = flags_of(change), rc, code;
	const uint64_t *args = VX_ARGS(VX_ARG(vx_mr_raw(mr)), (uint64_t)flags, VX_ARG(pd), VX_ARG(change->addr), change->length,
				       (uint64_t)change->access);
	const struct outcome *outcome;

	if (is_never_granted(change->access))
		return refuse_rights(mr, args);
	errno = 0;
	rc = ibv_rereg_mr(vx_mr_raw(mr), flags, pd, change->addr, change->length, change->access);
	code = vx_code_of_refusal();
	if (rc && code == -EOPNOTSUPP)
		rc = IBV_REREG_MR_ERR_INPUT; /* no provider was asked, though libibverbs says that one failed */
	outcome = outcome_of(rc);
	*state = outcome->state;
	kept_region(mr)->broken = outcome->state == VX_MR_BROKEN;
	if (outcome->state == VX_MR_CHANGED)
		follow(mr, change, flags);
	vx_registry_changed((const struct vx_node *)mr);
	return rc ? fail_to_rereg(code, mr, outcome, args) : 0;
}

int vx_mr_rereg_sized(struct vx_mr *mr, const struct vx_mr_change *change, size_t size, enum vx_mr_state *state)
{
	enum vx_mr_state ignored;
	struct vx_mr_change own;
	const char *why;

	if (vx_wrong(mr, VX_OBJECT_MR, "vx_mr_rereg", "mr"))
		return -EINVAL;
	if (vx_take_in(&own, sizeof(own), change, size, "vx_mr_rereg", "change", "flags") < 0)
		return vx_error()->code;
	if (vx_wrong_field(own.pd, VX_OBJECT_PD, "vx_mr_rereg, pd"))
		return -EINVAL;
	state = state ? state : &ignored;
	*state = kept_region(mr)->broken ? VX_MR_BROKEN : VX_MR_AS_BEFORE;
	if (own.comp_mask)
		return vx_unknown_bits("vx_mr_rereg", "comp_mask", own.comp_mask, 0);
	why = senseless(mr, &own);
	return why ? vx_fail(-EINVAL, "vx_mr_rereg", VX_NAME(mr), "%s", why) : rereg(mr, &own, state);
}
