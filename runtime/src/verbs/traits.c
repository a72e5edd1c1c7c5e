/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Of what form an object is: its link layer, whether it is extended; whether it is of a provider. */

#include <errno.h>

#include <verbsx/extended.h>

#include "error/fail.h"
#include "reason/reason.h"
#include "steps.h"

#define VX_TRACE_ASIDE
#include "traced.h"

bool vx_is_infiniband(const void *object, uint32_t port_num)
{
	struct ibv_port_attr port;

	return !ibv_query_port(vx_context_of(object), port_num ? (uint8_t)port_num : 1, &port) && port.link_layer == IBV_LINK_LAYER_INFINIBAND;
}

int vx_needs_provider(const char *call, const void *object, const char *library)
{
	if (!object || vx_is_provided_by(object, library))
		return 0;
	return vx_fail(-EOPNOTSUPP, call, VX_NAME(object), "this call is of %s, and the device is of another vendor", library);
}

/* ---- the extended form ---- */

struct ibv_qp_ex *vx_qp_ex(const struct vx_qp *qp)
{
	return qp && !vx_wrong(qp, VX_OBJECT_QP, "vx_qp_ex", "qp") ? ibv_qp_to_qp_ex(vx_qp_raw(qp)) : NULL;
}

/* All that are extended have wc_flags, be they given or the default. */
struct ibv_cq_ex *vx_cq_ex(const struct vx_cq *cq)
{
	const struct vx_kept_cq *kept;

	if (!cq || vx_wrong(cq, VX_OBJECT_CQ, "vx_cq_ex", "cq"))
		return NULL;
	kept = vx_node_extra((const struct vx_node *)cq);
	return kept->wc_flags ? (struct ibv_cq_ex *)vx_cq_raw(cq) : NULL;
}
