/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a flow could not be made. */

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <verbsx/enums.h>

#include "reach/reach.h"
#include "reason_by_hand.h"
#include "steps.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LARGEST_TAG_OF_MLX5 0xffffffu

/* Whether the function that refused is of a library; that of libibverbs stands for providers that have none. */
static bool is_call_of(struct ibv_context *context, const char *library)
{
	return vx_function_is_of(VX_PROVIDED(context, ibv_create_flow), library);
}

/* What all specs have, and the tag of one that has it: they are aligned for nothing. */
static struct ibv_flow_spec_action_tag spec_at(const unsigned char *at)
{
	struct ibv_flow_spec_action_tag spec = { 0 };

	memcpy(&spec, at, offsetof(struct ibv_flow_spec_action_tag, tag_id));
	if (spec.type == IBV_FLOW_SPEC_ACTION_TAG)
		memcpy(&spec, at, sizeof(spec));
	return spec;
}

/* The specs lie behind the attributes, each where the one before it ends. */
static void check_tags(struct vx_failure *failure, const struct ibv_flow_attr *attr)
{
	const unsigned char *at = (const unsigned char *)(attr + 1);
	unsigned int i;

	for (i = 0; i < attr->num_of_specs; i++, at += spec_at(at).size)
		if (spec_at(at).tag_id > LARGEST_TAG_OF_MLX5)
			vx_reason_add(failure, "specs[%u].tag_id = 0x%x, but mlx5 has 24 bits for it", i, spec_at(at).tag_id);
}

/* "specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_UDP (inner)", among what else may not be supported. */
static void add_specs(struct vx_failure *failure, const struct ibv_flow_attr *attr)
{
	const unsigned char *at = (const unsigned char *)(attr + 1);
	unsigned int i;

	for (i = 0; i < attr->num_of_specs; i++, at += spec_at(at).size) {
		const uint32_t type = (uint32_t)spec_at(at).type, outer = type & ~(uint32_t)IBV_FLOW_SPEC_INNER;

		vx_put_string(&failure->out, vx_reason_is_found(failure) ? "," : "the device or its provider may not support");
		vx_put_format(&failure->out, " specs[%u] %s%s", i, vx_ibv_flow_spec_type_name(outer),
			      type == outer ? "" : " (inner)");
	}
	/* Each may be known, then. */
	if (failure->code == -EINVAL && i)
		vx_put_string(&failure->out, i == 1 ? " with these values" : " with these values and in this order");
}

void vx_explain_flow(struct vx_failure *failure)
{
	const struct ibv_flow_attr *attr = (const void *)(uintptr_t)vx_argument(failure, "flow");
	struct ibv_context *context = failure->bounds.context;

	if (vx_reason_is_found(failure) || (failure->code != -EINVAL && failure->code != -EOPNOTSUPP))
		return;
	if (is_call_of(context, "libibverbs")) {
		vx_reason_add(failure, "the provider does not support this call");
		return;
	}
	if (is_call_of(context, "libmlx5"))
		check_tags(failure, attr);
	if (vx_reason_is_found(failure))
		return;
	vx_reason_of_suspects(failure);
	add_specs(failure, attr);
	if (failure->code == -EOPNOTSUPP && !vx_reason_is_found(failure))
		vx_reason_add(failure, "the provider has this call, but the device or its port may have no flows");
}
