/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* What the defaults of one kind of object depend on, and what must be there before rdma-core is asked. */

#include <errno.h>

#include <verbsx/objects.h>

#include "fail.h"
#include "make.h"

static int missing(const char *call, const char *field)
{
	return vx_fail(-EINVAL, call, NULL, "%s is NULL", field);
}

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
	static const struct vx_qp_init nothing;
	bool sends, receives;

	init = init ? init : &nothing;
	sends = init->qp_type != IBV_QPT_XRC_RECV && (!init->rwq_ind_tbl || init->send_cq || init->cap.max_send_wr);
	receives = init->qp_type != IBV_QPT_XRC_SEND && init->qp_type != IBV_QPT_XRC_RECV && !init->rwq_ind_tbl;
	if (!sends)
		clear_send(&attr->cap);
	if (!receives || init->srq)
		clear_receive(&attr->cap);
	if (!init->send_cq && sends)
		return missing("vx_qp_create", "send_cq");
	if (!init->recv_cq && receives)
		return missing("vx_qp_create", "recv_cq");
	return 0;
}

int vx_prepare_wq(struct ibv_wq_init_attr *attr, const struct vx_wq_init *init)
{
	(void)attr;
	return init && init->cq ? 0 : missing("vx_wq_create", "cq");
}

int vx_prepare_opened_qp(struct ibv_qp_open_attr *attr, const struct vx_opened_qp_init *init)
{
	(void)attr;
	return init && init->xrcd ? 0 : missing("vx_opened_qp_create", "xrcd");
}
