/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* VERBSX_CHECKED in the environment: all that a program makes is checked, or nothing. */

#include <stdlib.h>
#include <string.h>

#include <verbsx/guard.h>

#include "unit/device.h"

TestSuite(checked_all, .init = open_device, .fini = close_device);

static bool is_asked_for(void)
{
	return !strcmp(getenv("VERBSX_CHECKED"), "1");
}

Test(checked_all, has_qps_checked_that_did_not_ask)
{
	struct vx_qp_init init = { .send_ops_flags = IBV_QP_EX_WITH_SEND };
	struct vx_wr *wr;
	struct vx_cq *cq;
	struct vx_qp *qp;
	uint32_t room;

	made(vx_cq_create(ctx, NULL, &cq));
	init.send_cq = init.recv_cq = cq;
	made(vx_qp_create(pd, &init, &qp));
	cr_expect_eq(vx_qp_room(qp, &room) == 0, is_asked_for());
	wr = vx_wr_start(qp);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	cr_expect_eq(!strcmp(vx_error()->call, "vx_wr_complete"), is_asked_for());
}

Test(checked_all, has_every_kind_of_qp)
{
	const struct vx_srq_init shared = { .attr.max_wr = 8 };
	struct vx_xrcd *xrcd;
	struct vx_srq *srq;
	struct vx_mr *mr;
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_STANDARD_FLAGS }, &cq));
	made(vx_srq_create(pd, &shared, &srq));
	made(vx_xrcd_create(ctx, NULL, &xrcd));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &qp));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = cq }, &qp));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .srq = srq }, &qp));
	made(vx_close(qp));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
	cr_expect_eq(vx_srq_post_recv_one(srq, 1, &(struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 65, vx_mr_lkey(mr) }, 1) < 0, is_asked_for());
}
