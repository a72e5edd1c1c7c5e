/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why the short data path of an id has failed. */

#include <errno.h>
#include <string.h>

#include <rdma/rdma_verbs.h>

#include <verbsx/cm.h>

#include "error/fail.h"
#include "object/make.h"
#include "text/out.h"

/* Providers give codes of either sign. */
static int code_left(void)
{
	return errno < 0 ? errno : vx_code_in_errno();
}

static const char *lacking(const struct rdma_cm_id *id, const char *call)
{
	if (!strncmp(call, "rdma_get_", 9) && !(strstr(call, "send") ? id->send_cq_channel : id->recv_cq_channel))
		return "librdmacm has made no CQ for it: poll the one that its QP was made with";
	if (strncmp(call, "rdma_post_", 10) != 0)
		return NULL;
	if (!id->qp && !(id->srq && strstr(call, "recv")))
		return "the id has no QP: vx_cm_qp_create() makes one";
	if (id->qp_type == IBV_QPT_UD && !strstr(call, "recv") && !strstr(call, "ud"))
		return "it is an id of datagrams, which goes nowhere by itself: vx_cm_id_post_ud_send() says where to";
	if (!strstr(call, "recv") && id->qp->state < IBV_QPS_RTS)
		return "the QP cannot send yet: ESTABLISHED, or the end of a synchronous vx_cm_id_connect() or vx_cm_id_accept(), comes before";
	return NULL;
}

int vx_cm_wait_recv(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	return rdma_get_recv_comp(id, wc);
}

int vx_cm_wait_send(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	return rdma_get_send_comp(id, wc);
}

int vx_cm_post_fail(const struct vx_cm_id *cm_id, const char *call)
{
	const char *lacks = lacking(vx_cm_id_raw(cm_id), call);
	const int code = code_left();

	if (lacks)
		return vx_fail(-EINVAL, call, VX_NAME(cm_id), "%s", lacks);
	if (code == -ENOMEM && !strncmp(call, "rdma_post_", 10)) /* as the posts of QPs say it */
		return vx_fail(-EAGAIN, call, VX_NAME(cm_id), "the %s queue is full: poll its completions first", strstr(call, "recv") ? "receive" : "send");
	return vx_call_fail(code, call, VX_NAME(cm_id), NULL);
}
