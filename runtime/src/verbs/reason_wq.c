/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why ibv_modify_wq(3) failed. */

#include <verbsx/enums.h>

#include "error/fail.h"
#include "reason/reason.h"
#include "reason/reason_method.h"

#define LONGEST_NAME 128

/* "RDY"; NULL where there is no such state. */
static const char *name_of(enum ibv_wq_state state)
{
	const char *name = state < IBV_WQS_UNKNOWN ? vx_ibv_wq_state_name(state) : NULL;

	return name ? name + sizeof("IBV_WQS_") - 1 : NULL;
}

/* As libibverbs remembers it: a WQ cannot be asked. */
static void check_current(struct vx_reason *reason, enum ibv_wq_state is, const struct ibv_wq_attr *attr)
{
	const char *said = name_of(attr->curr_wq_state);

	if (attr->attr_mask & IBV_WQ_ATTR_CURR_STATE && said && attr->curr_wq_state != is)
		vx_reason_add(reason, "curr_wq_state = %s, but the WQ is in %s", said, name_of(is));
}

/* "a WQ goes from RDY to RESET or ERR, not to ...": of three states there are never more than two to go to. */
static void check_way(struct vx_reason *reason, enum ibv_wq_state from, const struct ibv_wq_attr *attr)
{
	const char *to = name_of(attr->wq_state), *before = "";
	enum ibv_wq_state way;

	if (!(attr->attr_mask & IBV_WQ_ATTR_STATE) || !to || attr->wq_state == from ||
	    vx_wq_ways[from] & 1u << attr->wq_state)
		return;
	vx_reason_add(reason, "a WQ goes from %s to ", name_of(from));
	for (way = IBV_WQS_RESET; way < IBV_WQS_UNKNOWN; way++) {
		if (!(vx_wq_ways[from] & 1u << way))
			continue;
		vx_put_string(&reason->out, before);
		vx_put_string(&reason->out, name_of(way));
		before = " or ";
	}
	vx_put_literal(&reason->out, ", not to ");
	vx_put_string(&reason->out, to);
}

int vx_modify_wq_fail(int code, const struct vx_wq *wq, const struct ibv_wq_attr *wq_attr)
{
	enum ibv_wq_state now = vx_wq_raw(wq)->state;
	char name[LONGEST_NAME], text[VX_LONGEST_REASON];
	struct vx_reason reason;

	vx_reason_start(&reason, text, sizeof(text));
	if (now < IBV_WQS_UNKNOWN) {
		check_current(&reason, now, wq_attr);
		check_way(&reason, now, wq_attr);
	}
	if (!vx_reason_finish(&reason))
		return vx_method_attr_fail(code, "ibv_modify_wq", wq, VX_STRUCT(ibv_wq_attr), wq_attr);
	vx_object_name(name, sizeof(name), wq);
	return vx_call_fail(code, "ibv_modify_wq", name, "%s", text);
}
