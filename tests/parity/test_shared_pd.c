/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A PD and a region of it that another context made: peers write into the region through a QP of the imported PD. */

#include "pair.h"

Twin(test_shared_pd, SharedPDTestCase, test_imported_rc_ex_rdma_write)
{
	struct vx_mr_init init = { .length = ROOM, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };
	struct vx_ctx *guest;
	struct vx_mr *mr, *mr_here;
	struct vx_pd *pd_here;
	struct vx_cq *cq_here;
	struct pair p;

	made(vx_mr_create(pd, &init, &mr));
	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &guest));
	made(vx_pd_import(guest, vx_pd_raw(pd)->handle, &pd_here));
	made(vx_mr_import(pd_here, vx_mr_raw(mr)->handle, &mr_here));
	made(vx_cq_create(guest, NULL, &cq_here));
	p = connected_to(pd_here, cq_here);

	cr_expect_eq(write_to(&p, vx_mr_addr(mr), vx_mr_rkey(mr_here)), IBV_WC_SUCCESS);
	closed(guest);
	closed(mr);
}
