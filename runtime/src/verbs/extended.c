/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <verbsx/extended.h>

#include "kinds.h"
#include "object/object.h"
#include "traced.h"

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
