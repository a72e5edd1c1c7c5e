/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a flow could not be made. */

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <verbsx/enums.h>

#include "explain.h"
#include "reach/release.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LARGEST_TAG_OF_MLX5 0xffffffu

/* Whether the function that refused is of a library; that of libibverbs stands for providers that have none. */
static bool is_call_of(const struct ibv_context *context, const char *library)
{
	const struct verbs_context *provider = verbs_get_ctx_op((struct ibv_context *)context, ibv_create_flow);

	return provider && vx_function_is_of((uintptr_t)provider->ibv_create_flow, library);
}

static const char *header_of(const struct ibv_flow_spec_action_tag *spec)
{
	return vx_ibv_flow_spec_type_name((int)((uint32_t)spec->type & ~(uint32_t)IBV_FLOW_SPEC_INNER));
}

/* The specs of a flow, which lie behind its attributes, each where the one before it ends, aligned for nothing. */
struct specs {
	const unsigned char *at;
	unsigned int index, count;
	struct ibv_flow_spec_action_tag spec;	/* the next one: what all have, and the tag of one that has it */
};

static bool next_of(struct specs *specs)
{
	specs->at += specs->spec.size;
	if (specs->index == specs->count)
		return false;
	memcpy(&specs->spec, specs->at, offsetof(struct ibv_flow_spec_action_tag, tag_id));
	if (specs->spec.type == IBV_FLOW_SPEC_ACTION_TAG)
		memcpy(&specs->spec, specs->at, sizeof(specs->spec));
	specs->index++;
	return true;
}

static struct specs specs_of(const struct ibv_flow_attr *attr)
{
	return (struct specs){ .at = (const unsigned char *)(attr + 1), .count = attr->num_of_specs };
}

/* Libibverbs knows no tunnel in a tunnel. */
static void check_spec(struct vx_failure *failure, const struct specs *specs, bool is_mlx5)
{
	const struct ibv_flow_spec_action_tag *spec = &specs->spec;
	uint32_t type = spec->type;

	if (type == (IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_VXLAN_TUNNEL) || type == (IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_GRE))
		vx_reason_add(failure, "specs[%u].type: IBV_FLOW_SPEC_INNER does not go with %s", specs->index - 1,
			      header_of(spec));
	if (type == IBV_FLOW_SPEC_ACTION_TAG && spec->tag_id > LARGEST_TAG_OF_MLX5 && is_mlx5)
		vx_reason_add(failure, "specs[%u].tag_id = 0x%x, but mlx5 has 24 bits for it", specs->index - 1, spec->tag_id);
}

/* "specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_UDP (inner)", among what else may not be supported. */
static void add_specs(struct vx_failure *failure, const struct ibv_flow_attr *attr)
{
	struct specs specs = specs_of(attr);

	while (next_of(&specs)) {
		if (vx_reason_is_found(failure))
			vx_put_literal(&failure->out, ", specs[");
		else
			vx_reason_add(failure, "the device or its provider may not support specs[");
		vx_put_unsigned(&failure->out, specs.index - 1);
		vx_put_literal(&failure->out, "] ");
		vx_put_string(&failure->out, header_of(&specs.spec));
		if ((uint32_t)specs.spec.type & IBV_FLOW_SPEC_INNER)
			vx_put_literal(&failure->out, " (inner)");
	}
	/* Each may be known, then. */
	if (failure->code == -EINVAL && specs.count)
		vx_put_string(&failure->out, specs.count == 1 ? " with these values" : " with these values and in this order");
}

void vx_explain_flow(struct vx_failure *failure)
{
	const struct ibv_flow_attr *attr = (const void *)(uintptr_t)vx_argument(failure, "flow");
	const struct ibv_context *context = failure->bounds.context;
	struct specs specs = specs_of(attr);

	if (vx_reason_is_found(failure) || (failure->code != -EINVAL && failure->code != -EOPNOTSUPP))
		return;
	if (is_call_of(context, "libibverbs")) {
		vx_reason_add(failure, "the provider does not support this call");
		return;
	}
	while (next_of(&specs))
		check_spec(failure, &specs, is_call_of(context, "libmlx5"));
	if (vx_reason_is_found(failure))
		return;
	vx_reason_of_suspects(failure);
	add_specs(failure, attr);
	if (failure->code == -EOPNOTSUPP && !vx_reason_is_found(failure))
		vx_reason_add(failure, "the provider has this call, but the device or its port may have no flows");
}
