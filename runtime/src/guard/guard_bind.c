/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Binding a window of type 1, which is a request in the queue as others are, but goes by the raw QP: no front has ibv_bind_mw(3). */

#include <errno.h>

#include "error/fail.h"
#include "guard.h"

#include "traced.h"

static int bind_raw(struct ibv_qp *raw, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	errno = 0;
	return ibv_bind_mw(raw, mw, bind);
}

static int bind_counted(struct vx_guard_qp *guard, struct ibv_qp *raw, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	int rc = 0;

	vx_guard_begin_posts(guard);
	if (vx_queue_wrong(guard->why, raw, true) || vx_bind_wrong(guard->why, raw->pd, mw, &bind->bind_info))
		rc = -EINVAL;
	else if (!vx_guard_finds_room(guard, 1))
		rc = vx_guard_full(guard, guard->posted, 1);
	if (rc)
		return vx_fail_text(rc, "vx_qp_bind_mw", VX_NAME(vx_front_head(guard)->node), guard->why);
	rc = bind_raw(raw, mw, bind);
	if (!rc)
		vx_guard_count_request(guard, 1, bind->wr_id, IBV_WR_BIND_MW | VX_GUARD_POSTED, bind->send_flags);
	return vx_guard_passed(rc);
}

int vx_guard_bind_mw(struct vx_qp *qp, struct ibv_qp *raw, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct vx_guard_qp *guard = vx_guard_before_qp((struct vx_node *)qp);
	const char *why;
	int rc;

	if (!guard)
		return vx_guard_passed(bind_raw(raw, mw, bind));
	if (!vx_guard_lock(guard)) {
		rc = vx_guard_locked_out(guard, &why);
		return vx_fail(rc, "vx_qp_bind_mw", VX_NAME(qp), "%s", why);
	}
	rc = bind_counted(guard, raw, mw, bind);
	vx_guard_unlock(guard);
	return rc;
}
