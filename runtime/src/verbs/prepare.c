/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the defaults of one kind of object depend on, and what must be there before rdma-core is asked. */

#include <errno.h>

#include <verbsx/objects.h>

#include "error/fail.h"
#include "object/make.h"
#include "reach/provider.h"

static void clear_receive(struct ibv_qp_cap *cap)
{
	cap->max_recv_wr = 0;
	cap->max_recv_sge = 0;
}

static void clear_send(struct ibv_qp_cap *cap)
{
	cap->max_send_wr = 0;
	cap->max_send_sge = 0;
}

int vx_prepare_qp(struct ibv_qp_init_attr_ex *attr, const struct vx_qp_init *init)
{
	bool sends, receives;

	sends = init->qp_type != IBV_QPT_XRC_RECV && (!init->rwq_ind_tbl || init->send_cq || init->cap.max_send_wr);
	receives = init->qp_type != IBV_QPT_XRC_SEND && init->qp_type != IBV_QPT_XRC_RECV && !init->rwq_ind_tbl;
	if (!sends)
		clear_send(&attr->cap);
	if (!receives || init->srq)
		clear_receive(&attr->cap);
	if (!init->send_cq && sends)
		return vx_null_fail("vx_qp_create", "send_cq");
	if (!init->recv_cq && receives)
		return vx_null_fail("vx_qp_create", "recv_cq");
	return 0;
}

/* Flags that somebody gives ask for an extended CQ, even those that are the default of one. */
int vx_prepare_cq(struct ibv_cq_init_attr_ex *attr, const struct vx_cq_init *init)
{
	if (!init->wc_flags)
		attr->wc_flags = 0;
	return 0;
}

int vx_prepare_wq(struct ibv_wq_init_attr *attr, const struct vx_wq_init *init)
{
	(void)attr;
	return init->cq ? 0 : vx_null_fail("vx_wq_create", "cq");
}

/* libmlx5 frees a doorbell record with each QP, and crashes as an opened one has none; 65 still does. */
static bool crashes_on_close(struct ibv_context *context)
{
	const struct verbs_context *provider = verbs_get_ctx_op(context, open_qp);

	return provider && vx_function_is_of((uintptr_t)provider->open_qp, "libmlx5");
}

int vx_prepare_opened_qp(struct ibv_qp_open_attr *attr, const struct vx_opened_qp_init *init)
{
	(void)attr;
	if (!init->xrcd)
		return vx_null_fail("vx_opened_qp_create", "xrcd");
	if (crashes_on_close(vx_xrcd_raw(init->xrcd)->context))
		return vx_fail(-EOPNOTSUPP, "vx_opened_qp_create", NULL, "libmlx5 crashes when a QP that was opened is closed");
	return 0;
}
