/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handles that close themselves. */

#include <errno.h>

#include "unit/device.h"

/* auto.cpp: make a PD and an MR of it, and leave by an exception or without. */
void leave_in_cpp(struct vx_ctx *context, int by_exception, int *alive);

TestSuite(auto, .init = open_device, .fini = close_device);

static int alive(void)
{
	return live("pd") + live("cq") + live("qp") + live("mr");
}

static int make_qp(bool fail, struct vx_qp **out)
{
	VX_AUTO struct vx_cq *cq = NULL;
	VX_AUTO struct vx_qp *qp = NULL;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	if (fail)
		return -ECANCELED;
	VX_TAKE(cq);
	*out = VX_TAKE(qp);
	cr_expect_null(qp);
	return 0;
}

Test(auto, closes_what_a_function_leaves_behind)
{
	struct vx_qp *qp = NULL;
	const int before = alive();

	cr_expect_eq(make_qp(true, &qp), -ECANCELED);
	cr_expect_null(qp);
	cr_expect_eq(alive(), before);
}

Test(auto, closes_nothing_that_was_taken)
{
	struct vx_qp *qp = NULL;

	cr_expect_eq(make_qp(false, &qp), 0);
	cr_expect_eq(live("qp"), 1);
	cr_expect_eq(vx_close(qp), 0);
}

Test(auto, closes_each_turn_of_a_loop)
{
	const int before = alive();
	int i;

	for (i = 0; i < 3; i++) {
		VX_AUTO struct vx_mr *mr = NULL;

		made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
		cr_expect_eq(alive(), before + 1);
		if (i == 1)
			continue;
	}
	cr_expect_eq(alive(), before);
}

Test(auto, closes_children_before_a_parent_declared_before_them)
{
	const int before = alive();

	{
		VX_AUTO struct vx_pd *own = NULL;
		VX_AUTO struct vx_mr *mr = NULL;

		made(vx_pd_create(ctx, NULL, &own));
		made(vx_mr_create(own, &(struct vx_mr_init){ .length = 64 }, &mr));
	}
	cr_expect_eq(alive(), before);
}

Test(auto, is_closed_earlier_by_hand_once_it_is_taken)
{
	VX_AUTO struct vx_mr *mr = NULL;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
	cr_expect_eq(vx_close(VX_TAKE(mr)), 0);
	cr_expect_null(mr);
}

Test(auto, keeps_the_error_that_made_the_scope_end)
{
	{
		VX_AUTO struct vx_mr *mr = NULL;

		made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
		cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_REMOTE_WRITE }, &mr), -EINVAL);
	}
	expect_reason("IBV_ACCESS_REMOTE_WRITE needs IBV_ACCESS_LOCAL_WRITE");
}

Test(auto, closes_in_cpp)
{
	const int before = alive();
	int within = 0;

	leave_in_cpp(ctx, 0, &within);
	cr_expect_eq(within, before + 3);
	cr_expect_eq(alive(), before);
}

Test(auto, closes_as_an_exception_passes)
{
	const int before = alive();
	int within = 0;

	leave_in_cpp(ctx, 1, &within);
	cr_expect_eq(within, before + 3);
	cr_expect_eq(alive(), before);
}
