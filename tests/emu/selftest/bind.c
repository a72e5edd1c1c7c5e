/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Windows of type 1, whose keys the library keeps. */
#include "selftest.h"

TestSuite(bind, .init = open_mlx5, .fini = close_bed);

/* A window and what it is bound to */
struct target {
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_mw_bind bind;
};

static struct target open_target(void)
{
	struct target t = { .mr = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND),
			    .mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_1) };

	CHECK(t.mr && t.mw);
	t.bind = (struct ibv_mw_bind){
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { t.mr, address(4096), 64, IBV_ACCESS_REMOTE_WRITE },
	};
	return t;
}

static void close_target(struct target *t)
{
	CHECK(!ibv_dealloc_mw(t->mw) && !ibv_dereg_mr(t->mr));
}

/* There is a next key as soon as a binding is posted */
Test(bind, a_window_is_bound_again_and_again_without_waiting)
{
	enum {
		TIMES = 300 /* more than a key has variants */
	};
	struct target t = open_target();
	uint64_t done = 0;
	int rc;

	for (t.bind.wr_id = 1; t.bind.wr_id <= TIMES; t.bind.wr_id++) {
		while ((rc = ibv_bind_mw(bed.b, t.mw, &t.bind)) == ENOMEM)
			expect_wc(++done, IBV_WC_SUCCESS, IBV_WC_BIND_MW);
		CHECK(!rc);
	}
	while (done < TIMES)
		expect_wc(++done, IBV_WC_SUCCESS, IBV_WC_BIND_MW);
	post_write(bed.a, TIMES + 1, t.mw->rkey, address(4096), "window");
	expect_wc(TIMES + 1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
	close_target(&t);
}

/* libmlx5 makes the queue for the operations that it is told of, and counts requests: it overwrites its own */
Test(bind, a_qp_that_was_not_made_for_it_is_overrun)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = bed.cq,
		.recv_cq = bed.cq,
		.qp_type = IBV_QPT_RC,
		.cap = { 16, 1, 1, 1, 0 },
		.pd = bed.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct target t = open_target();
	struct ibv_qp_attr stop = { .qp_state = IBV_QPS_SQD }, go = { .qp_state = IBV_QPS_RTS };
	struct ibv_qp *q = ibv_create_qp_ex(bed.ctx, &init);
	struct ibv_async_event e;

	CHECK(q);
	start_rc(q, path_to(bed.b->qp_num));
	CHECK(!ibv_modify_qp(q, &stop, IBV_QP_STATE)); /* or the device takes some while others are written over them */
	for (int i = 0; i < 16; i++)
		CHECK(!ibv_bind_mw(q, t.mw, &t.bind));
	CHECK(!ibv_modify_qp(q, &go, IBV_QP_STATE));
	cr_assert_eq(wait_wc(bed.cq).status, IBV_WC_LOC_QP_OP_ERR);
	e = wait_async(IBV_EVENT_QP_FATAL);
	CHECK(e.element.qp == q && state_of(q) == IBV_QPS_ERR);
	CHECK(!ibv_destroy_qp(q));
	close_target(&t);
}
