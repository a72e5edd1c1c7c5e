/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What programs ask of guards. */

#include <errno.h>

#include <verbsx/guard.h>

#include "error/fail.h"
#include "guard/guard.h"
#include "guard/refused.h"

#define VX_TRACE_ASIDE
#include "traced.h"

int vx_qp_check(struct vx_qp *qp)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr_ex made = { .send_ops_flags = UINT64_MAX };
	int rc;

	if (vx_wrong(qp, VX_OBJECT_QP, "vx_qp_check", "qp"))
		return -EINVAL;
	if (vx_is_checked(qp))
		return 0;
	if (vx_guard_is_foreign(vx_qp_raw(qp)))
		return vx_fail(-EOPNOTSUPP, "vx_qp_check", VX_NAME(qp), "nobody has told libverbsx what the requests of such QPs have to be like");
	rc = vx_spreads_packets(vx_qp_raw(qp)) ? 0 : ibv_query_qp(vx_qp_raw(qp), &attr, IBV_QP_CAP, &init); /* it has no sizes, and nobody tells any */
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_qp", VX_NAME(qp), NULL);
	/* init.sq_sig_all is not believed: siw, EFA and others leave there what they found. Completions that are too many let all pass. */
	made.cap = init.cap;
	rc = vx_id_goes_through(vx_qp_raw(qp), "vx_qp_check"); /* before it is checked, as another try ends at that */
	return rc < 0 ? rc : vx_guard_put_qp((struct vx_node *)qp, &made, "vx_qp_check");
}

int vx_cq_check(struct vx_cq *cq)
{
	if (vx_wrong(cq, VX_OBJECT_CQ, "vx_cq_check", "cq"))
		return -EINVAL;
	return vx_guard_put_cq((struct vx_node *)cq, "vx_cq_check") ? 0 : -ENOMEM;
}

int vx_srq_check(struct vx_srq *srq)
{
	struct ibv_srq_attr attr;
	int rc;

	if (vx_wrong(srq, VX_OBJECT_SRQ, "vx_srq_check", "srq"))
		return -EINVAL;
	if (vx_is_checked(srq))
		return 0;
	rc = ibv_query_srq(vx_srq_raw(srq), &attr);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_srq", VX_NAME(srq), NULL);
	rc = vx_id_goes_through(vx_srq_raw(srq), "vx_srq_check");
	return rc < 0 ? rc : vx_guard_put_srq((struct vx_node *)srq, attr.max_sge, "vx_srq_check");
}

int vx_qp_room(const struct vx_qp *qp, uint32_t *out)
{
	struct vx_guard_qp *guard;
	bool locked;

	if (vx_wrong(qp, VX_OBJECT_QP, "vx_qp_room", "qp"))
		return -EINVAL;
	if (!out)
		return vx_null_fail("vx_qp_room", "out");
	guard = vx_guard_before_qp((const struct vx_node *)qp);
	if (!guard)
		return vx_fail(-EINVAL, "vx_qp_room", VX_NAME(qp), "it is not checked, so nobody counts: .checked of struct vx_qp_init, or vx_qp_check()");
	locked = vx_guard_lock(guard);
	if (locked)
		vx_guard_begin_posts(guard);
	vx_guard_refill(guard);
	*out = guard->limit - guard->posted;
	if (locked)
		vx_guard_unlock(guard);
	return 0;
}
