/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that are taken back before a device of mlx5 does them. */

#include <errno.h>

#include <verbsx/mlx5_wr.h>

#include "error/fail.h"
#include "guard/guard.h"
#include "mlx5.h"
#include "steps.h"
#include "traced.h"

#define CANCEL "vx_mlx5_qp_cancel_posted_send_wrs"

#if VX_RDMA_CORE >= 36
/* libmlx5 casts what it is given to its own, which what stands before a QP is not: it gets that of the QP itself. */
static int cancel_requests(struct vx_qp *qp, uint64_t wr_id)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(vx_qp_raw(qp));
	const char *why = "it was made without .send_ops_flags";
	int rc = -EINVAL;

	if (ex && vx_guard_is_in_list_of(qp)) {
		why = "it was called between vx_wr_start() and vx_wr_complete(), where it would wait for ever";
		rc = -EDEADLK;
	} else if (ex) {
		rc = mlx5dv_qp_cancel_posted_send_wrs(mlx5dv_qp_ex_from_ibv_qp_ex(ex), wr_id);
		why = rc == -EINVAL ? "the device may not have the QP in IBV_QPS_SQD, or libmlx5 not take back such a request" : NULL;
	}
	return rc < 0 ? vx_fail(rc, CANCEL, VX_NAME(qp), why ? "%s" : NULL, why) : rc;
}
#endif

int vx_mlx5_qp_cancel_posted_send_wrs(struct vx_qp *qp, uint64_t wr_id, size_t *out)
{
	int rc = vx_wrong_or_foreign(qp, VX_OBJECT_QP, CANCEL, "qp", "libmlx5");

	if (rc < 0)
		return rc;
	if (!out)
		return vx_null_fail(CANCEL, "out");
#if VX_RDMA_CORE >= 36
	rc = cancel_requests(qp, wr_id);
	if (rc >= 0)
		*out = (size_t)rc;
	return rc < 0 ? rc : 0;
#else
	(void)wr_id;
	return vx_needs_release("mlx5dv_qp_cancel_posted_send_wrs", 36, 0);
#endif
}
