/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Making and ending flows. */

#include <errno.h>
#include <string.h>

#include "object/adopt.h"
#include "error/border.h"
#include "error/fail.h"
#include "flow_spec.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

/* A flow as rdma-core wants it, specs behind the attributes without a gap; and what it uses: QP, actions, counters. */
struct draft {
	struct ibv_flow_attr attr;
	unsigned char specs[VX_FLOW_MAX_SPECS * sizeof(struct ibv_flow_spec)];
	void *uses[1 + 2 * VX_FLOW_MAX_SPECS];
	size_t used;
};

_Static_assert(offsetof(struct draft, specs) == sizeof(struct ibv_flow_attr), "no gap");

static int destroy_flow(struct vx_node *node)
{
	int rc;

	errno = 0;
	rc = ibv_destroy_flow(node->object.raw);
	return rc ? vx_destroy_fail(vx_code_returned(rc), "ibv_destroy_flow", node) : 0;
}

/* The attributes' own size is there already. */
static int add_spec(struct draft *draft, const struct vx_flow_spec *spec, size_t index)
{
	struct ibv_flow_spec raw;
	int rc;

	rc = vx_flow_spec_fill(&raw, spec, index);
	if (rc < 0)
		return rc;
	memcpy(draft->specs + draft->attr.size - sizeof(draft->attr), &raw, raw.hdr.size);
	draft->attr.size = (uint16_t)(draft->attr.size + raw.hdr.size);
	draft->attr.num_of_specs++;
	if (spec->type == IBV_FLOW_SPEC_ACTION_HANDLE)
		draft->uses[draft->used++] = spec->action;
	if (spec->type == IBV_FLOW_SPEC_ACTION_COUNT)
		draft->uses[draft->used++] = spec->counters;
	return 0;
}

static int fill(struct draft *draft, struct vx_qp *parent, const struct vx_flow_init *init, size_t spec_size)
{
	struct vx_flow_spec spec;
	size_t i;
	int rc = 0;

	draft->attr = (struct ibv_flow_attr){
		.type = init->type, .size = sizeof(draft->attr), .priority = init->priority,
		.port = init->port_num ? init->port_num : 1, .flags = init->flags,
	};
	draft->uses[0] = parent;
	draft->used = 1;
	if (init->count > VX_FLOW_MAX_SPECS)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "count = %zu, which is more than %d", init->count,
			       VX_FLOW_MAX_SPECS);
	if (init->count && !init->specs)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs is NULL, but count = %zu", init->count);
	for (i = 0; i < init->count && rc == 0; i++) {
		rc = vx_take_in(&spec, sizeof(spec), (const char *)init->specs + i * spec_size, spec_size, "vx_flow_create",
				"an element of specs");
		rc = rc ? rc : add_spec(draft, &spec, i);
	}
	return rc;
}

int vx_flow_create_sized(struct vx_qp *parent, const struct vx_flow_init *init, size_t size, size_t spec_size,
			 struct vx_flow **out)
{
	struct vx_flow_init own;
	struct vx_node *node;
	struct ibv_flow *raw;
	struct draft draft;

	if (vx_take_in(&own, sizeof(own), init, size, "vx_flow_create", "init") < 0 || fill(&draft, parent, &own, spec_size) < 0)
		return vx_error()->code;
	node = vx_node_new(VX_OBJECT_FLOW, destroy_flow, draft.uses, draft.used, "vx_flow_create");
	if (!node)
		return vx_error()->code;
	VX_CHECK(parent, VX_OBJECT_QP);
	errno = 0;
	raw = ibv_create_flow(vx_qp_raw(parent), &draft.attr);
	if (!raw)
		return vx_create_refused(vx_code_of_refusal(), NULL, SIGNATURE_ibv_create_flow, node,
					 VX_ARGS(VX_ARG(vx_qp_raw(parent)), VX_ARG(&draft.attr)));
	vx_node_link(node, raw);
	*out = (struct vx_flow *)node;
	return 0;
}

int vx_flow_adopt(struct vx_qp *parent, struct ibv_flow *raw, struct vx_flow **out)
{
	struct vx_adopting it = {
		.kind = VX_OBJECT_FLOW, .destroy = destroy_flow,
		.call = "vx_flow_adopt", .parent = parent, .raw = raw,
	};
	struct vx_node *node;

	if (parent && raw) {
		VX_CHECK(parent, VX_OBJECT_QP);
		it.context = raw->context;
	}
	node = vx_adopt(&it);
	if (!node)
		return vx_error()->code;
	*out = (struct vx_flow *)node;
	return 0;
}
