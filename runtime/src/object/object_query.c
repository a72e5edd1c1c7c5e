/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What objects are asked for when they are printed. The calls are rdma-core's own: printing after a failure must not
 * change vx_error().
 */

#include <errno.h>

#include <verbsx/objects.h>

#include "object_print.h"
#include "error/fail.h"
#include "traced.h"

/* All that a query knows of; the kernel refuses those that came with ibv_modify_qp_rate_limit(). */
#define ALL_OF_QP ((IBV_QP_DEST_QPN << 1) - 1)

static void put_context(struct vx_printer *p, struct ibv_context *context)
{
	struct ibv_device_attr attr;
	int code;

	errno = 0;
	code = vx_code_returned(ibv_query_device(context, &attr));
	vx_put_answer(p, "device_attr", "ibv_query_device", code, VX_STRUCT(ibv_device_attr), &attr);
}

/* What means something in a state: before RTR there is no peer, and in RESET only what the QP was made with. */
static uint64_t known_in(enum ibv_qp_state state)
{
	const uint64_t made = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_CAP;

	if (state == IBV_QPS_RESET)
		return made;
	return state == IBV_QPS_INIT ? made | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY : ALL_OF_QP;
}

static void put_qp(struct vx_printer *p, struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr attr = { 0 };
	int code;

	errno = 0;
	code = vx_code_returned(ibv_query_qp(qp, &attr, ALL_OF_QP, &init));
	p->mask = p->all ? ALL_OF_QP : known_in(attr.qp_state);
	vx_put_answer(p, "attr", "ibv_query_qp", code, VX_STRUCT(ibv_qp_attr), &attr);
	if (code == 0)
		vx_put_answer(p, "init_attr", "ibv_query_qp", code, VX_STRUCT(ibv_qp_init_attr), &init);
}

static void put_srq(struct vx_printer *p, struct ibv_srq *srq)
{
	struct ibv_srq_attr attr;
	int code;

	errno = 0;
	code = vx_code_returned(ibv_query_srq(srq, &attr));
	vx_put_answer(p, "attr", "ibv_query_srq", code, VX_STRUCT(ibv_srq_attr), &attr);
}

void vx_put_queried(struct vx_printer *p, const struct vx_node *node)
{
	switch (node->kind) {
	case VX_OBJECT_CTX:
		put_context(p, node->object.raw);
		break;
	case VX_OBJECT_QP:
	case VX_OBJECT_OPENED_QP:
		put_qp(p, node->object.raw);
		break;
	case VX_OBJECT_SRQ:
		put_srq(p, node->object.raw);
		break;
	default:
		break;
	}
}
