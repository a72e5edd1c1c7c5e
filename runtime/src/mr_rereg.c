/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Changing a memory region, and what has become of it when that failed. */

#include <errno.h>

#include "fail.h"
#include "make.h"
#include "mr.h"
#include "outcome.h"

#define LONGEST_NAME 128

static const char call[] = "ibv_rereg_mr";

/* By the code negated; 0 is success. */
static const struct {
	enum vx_mr_state state;
	const char *reason;
} outcomes[] = {
	[0] = { VX_MR_CHANGED, NULL },
	[-IBV_REREG_MR_ERR_INPUT] = { VX_MR_AS_BEFORE, "refused; the region is as before" },
	[-IBV_REREG_MR_ERR_DONT_FORK_NEW] = { VX_MR_AS_BEFORE, "the new memory could not be kept from forked children; "
							       "the region is as before" },
	[-IBV_REREG_MR_ERR_DO_FORK_OLD] = { VX_MR_CHANGED, "the region has changed, but the old memory could not be "
							   "shared with forked children again" },
	[-IBV_REREG_MR_ERR_CMD] = { VX_MR_BROKEN, "the region is good for nothing but vx_close()" },
	[-IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW] = { VX_MR_BROKEN, "the region is good for nothing but vx_close(), and the "
								  "new memory stays kept from forked children" },
};

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
	if (change && change->flags & ~(uint32_t)VX_MR_READ_ONLY)
		return "flags may only be VX_MR_READ_ONLY";
	if (!change || !flags_of(change))
		return "nothing is to change";
	if (change->access && change->flags)
		return "access and VX_MR_READ_ONLY exclude each other";
	if (!change->addr != !change->length)
		return change->addr ? "addr is given, but length is 0" : "length is given, but addr is NULL";
	if (change->pd && vx_node_root((const struct vx_node *)mr) != vx_node_root((const struct vx_node *)change->pd))
		return "pd belongs to another context";
	return NULL;
}

/* Whatever a newer rdma-core may return is taken for the worst. */
static int outcome_of(int rc)
{
	const int worst = IBV_REREG_MR_ERR_CMD;

	return -(rc > 0 || rc < IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW ? worst : rc);
}

int vx_mr_rereg(struct vx_mr *mr, const struct vx_mr_change *change, enum vx_mr_state *state)
{
	const char *reason = senseless(mr, change);
	char name[LONGEST_NAME];
	int outcome, code;

	if (state)
		*state = VX_MR_AS_BEFORE;
	vx_object_name(mr, name, sizeof(name));
	if (reason)
		return vx_fail(-EINVAL, "vx_mr_rereg", name, "%s", reason);

	errno = 0;
	outcome = outcome_of(ibv_rereg_mr(vx_mr_raw(mr), flags_of(change), change->pd ? vx_pd_raw(change->pd) : NULL,
					  change->addr, change->length, change->access));
	code = vx_code_in_errno();
	if (state)
		*state = outcomes[outcome].state;
	if (change->pd && outcomes[outcome].state == VX_MR_CHANGED)
		vx_node_move((struct vx_node *)mr, (struct vx_node *)change->pd);
	return outcome ? vx_call_fail(code, call, name, "%s", outcomes[outcome].reason) : 0;
}
