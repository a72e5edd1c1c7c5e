/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a flow could not be made. */

#include <errno.h>
#include <stdlib.h>

#include <verbsx/enums.h>
#include <verbsx/version.h>

#include "flow_spec.h"
#include "error/fail.h"
#include "reach/provider.h"
#include "reason/reason.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_NAME 128
#define LARGEST_TAG_OF_MLX5 0xffffffu

/* Whether the function that refused is of a library; that of libibverbs stands for providers that have none. */
static bool is_call_of(const struct ibv_context *context, const char *library)
{
	const struct verbs_context *provider = verbs_get_ctx_op((struct ibv_context *)context, ibv_create_flow);

	return provider && vx_function_is_of((uintptr_t)provider->ibv_create_flow, library);
}

static enum ibv_flow_spec_type header_of(const struct vx_flow_spec *spec)
{
	return (enum ibv_flow_spec_type)(spec->type & ~(uint32_t)IBV_FLOW_SPEC_INNER);
}

/* Libibverbs knows none in a tunnel. */
static bool is_tunnel(enum ibv_flow_spec_type type)
{
	return type == IBV_FLOW_SPEC_VXLAN_TUNNEL || type == IBV_FLOW_SPEC_GRE;
}

static void check_spec(struct vx_reason *reason, const struct vx_flow_spec *spec, size_t index, bool is_mlx5)
{
	enum ibv_flow_spec_type type = header_of(spec);

	if (spec->type & IBV_FLOW_SPEC_INNER && is_tunnel(type))
		vx_reason_add(reason, "specs[%zu].type: IBV_FLOW_SPEC_INNER does not go with %s", index,
			      vx_ibv_flow_spec_type_name(type));
	if (type == IBV_FLOW_SPEC_ACTION_TAG && spec->tag_id > LARGEST_TAG_OF_MLX5 && is_mlx5)
		vx_reason_add(reason, "specs[%zu].tag_id = 0x%x, but mlx5 has 24 bits for it", index, spec->tag_id);
}

/* "specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_UDP (inner)", among what else may not be supported. */
static void add_specs(struct vx_reason *reason, const struct vx_flow_init *init, int code)
{
	size_t i;

	for (i = 0; i < init->count; i++) {
		if (vx_reason_is_found(reason))
			vx_put_literal(&reason->out, ", specs[");
		else
			vx_reason_add(reason, "the device or its provider may not support specs[");
		vx_put_unsigned(&reason->out, i);
		vx_put_literal(&reason->out, "] ");
		vx_put_string(&reason->out, vx_ibv_flow_spec_type_name(header_of(&init->specs[i])));
		if (init->specs[i].type & IBV_FLOW_SPEC_INNER)
			vx_put_literal(&reason->out, " (inner)");
	}
	/* Each may be known, then. */
	if (code == -EINVAL && init->count)
		vx_put_string(&reason->out, init->count == 1 ? " with these values" : " with these values and in this order");
}

static bool can_have_flows(const struct ibv_qp *qp)
{
	return qp->qp_type == IBV_QPT_UD || qp->qp_type == IBV_QPT_RAW_PACKET;
}

static void explain_refusal(struct vx_reason *reason, const struct vx_request *request, const struct ibv_qp *qp,
			    const struct vx_flow_init *init)
{
	bool unsupported = request->code == -EOPNOTSUPP;
	size_t i;

	if (is_call_of(qp->context, "libibverbs")) {
		vx_reason_add(reason, "the provider does not support this call");
		return;
	}
	if (request->code == -EINVAL && !can_have_flows(qp))
		vx_reason_add(reason, "only QPs of type UD and RAW_PACKET have flows");
	for (i = 0; i < init->count; i++)
		check_spec(reason, &init->specs[i], i, is_call_of(qp->context, "libmlx5"));
	if (vx_reason_is_found(reason))
		return;
	vx_reason_of_suspects(reason, request);
	add_specs(reason, init, request->code);
	if (unsupported && !vx_reason_is_found(reason))
		vx_reason_add(reason, "the provider has this call, but the device or its port may have no flows");
}

int vx_create_flow_fail(struct vx_node *node, const struct vx_qp *qp, const struct vx_flow_init *init,
			const struct ibv_flow_attr *attr)
{
	const struct vx_request request = {
		.code = vx_code_of_refusal(), .kind = VX_OBJECT_FLOW, .type = VX_STRUCT(ibv_flow_attr), .attr = attr,
		.mask = VX_MASK_ALL,
	};
	struct ibv_context *context = vx_qp_raw(qp)->context;
	char name[LONGEST_NAME], text[VX_LONGEST_REASON];
	struct vx_reason reason;
	struct vx_bounds bounds;

	free(node);
	vx_reason_start(&reason, text, sizeof(text));
	vx_bounds_ask(&bounds, context, attr->port);
	vx_reason_of_values(&reason, &request, vx_release_running());
	vx_reason_of_request(&reason, &request, &bounds);
	if (!vx_reason_is_found(&reason) && (request.code == -EINVAL || request.code == -EOPNOTSUPP))
		explain_refusal(&reason, &request, vx_qp_raw(qp), init);
	else
		vx_reason_of_code(&reason, &request, &bounds);
	vx_object_name(name, sizeof(name), qp);
	return vx_call_fail(request.code, "ibv_create_flow", name, vx_reason_finish(&reason) ? "%s" : NULL, text);
}
