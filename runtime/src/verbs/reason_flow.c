/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a flow could not be made. */

#include <errno.h>

#include <verbsx/enums.h>

#include "explain.h"
#include "reach/provider.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LARGEST_TAG_OF_MLX5 0xffffffu

/* Whether the function that refused is of a library; that of libibverbs stands for providers that have none. */
static bool is_call_of(const struct ibv_context *context, const char *library)
{
	const struct verbs_context *provider = verbs_get_ctx_op((struct ibv_context *)context, ibv_create_flow);

	return provider && vx_function_is_of((uintptr_t)provider->ibv_create_flow, library);
}

static const char *header_of(const struct ibv_flow_spec *spec)
{
	return vx_ibv_flow_spec_type_name((int)((uint32_t)spec->hdr.type & ~(uint32_t)IBV_FLOW_SPEC_INNER));
}

/* Behind the attributes, each where the one before it ends. */
static const struct ibv_flow_spec *first_of(const struct ibv_flow_attr *attr)
{
	return (const void *)(attr + 1);
}

static const struct ibv_flow_spec *next_of(const struct ibv_flow_spec *spec)
{
	return (const void *)((const char *)spec + spec->hdr.size);
}

/* Libibverbs knows no tunnel in a tunnel. */
static void check_spec(struct vx_failure *failure, const struct ibv_flow_spec *spec, unsigned int index, bool is_mlx5)
{
	uint32_t type = spec->hdr.type;

	if (type == (IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_VXLAN_TUNNEL) || type == (IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_GRE))
		vx_reason_add(failure, "specs[%u].type: IBV_FLOW_SPEC_INNER does not go with %s", index, header_of(spec));
	if (type == IBV_FLOW_SPEC_ACTION_TAG && spec->flow_tag.tag_id > LARGEST_TAG_OF_MLX5 && is_mlx5)
		vx_reason_add(failure, "specs[%u].tag_id = 0x%x, but mlx5 has 24 bits for it", index, spec->flow_tag.tag_id);
}

/* "specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_UDP (inner)", among what else may not be supported. */
static void add_specs(struct vx_failure *failure, const struct ibv_flow_attr *attr)
{
	const struct ibv_flow_spec *spec = first_of(attr);
	unsigned int i;

	for (i = 0; i < attr->num_of_specs; i++, spec = next_of(spec)) {
		if (vx_reason_is_found(failure))
			vx_put_literal(&failure->out, ", specs[");
		else
			vx_reason_add(failure, "the device or its provider may not support specs[");
		vx_put_unsigned(&failure->out, i);
		vx_put_literal(&failure->out, "] ");
		vx_put_string(&failure->out, header_of(spec));
		if ((uint32_t)spec->hdr.type & IBV_FLOW_SPEC_INNER)
			vx_put_literal(&failure->out, " (inner)");
	}
	/* Each may be known, then. */
	if (failure->code == -EINVAL && i)
		vx_put_string(&failure->out, i == 1 ? " with these values" : " with these values and in this order");
}

void vx_explain_flow(struct vx_failure *failure)
{
	const struct ibv_flow_attr *attr = (const void *)(uintptr_t)vx_argument(failure, "flow");
	const struct ibv_context *context = failure->bounds.context;
	const struct ibv_flow_spec *spec = first_of(attr);
	unsigned int i;

	if (vx_reason_is_found(failure) || (failure->code != -EINVAL && failure->code != -EOPNOTSUPP))
		return;
	if (is_call_of(context, "libibverbs")) {
		vx_reason_add(failure, "the provider does not support this call");
		return;
	}
	for (i = 0; i < attr->num_of_specs; i++, spec = next_of(spec))
		check_spec(failure, spec, i, is_call_of(context, "libmlx5"));
	if (vx_reason_is_found(failure))
		return;
	vx_reason_of_suspects(failure);
	add_specs(failure, attr);
	if (failure->code == -EOPNOTSUPP && !vx_reason_is_found(failure))
		vx_reason_add(failure, "the provider has this call, but the device or its port may have no flows");
}
