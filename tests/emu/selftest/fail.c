/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Calls that fail on request. */
#include "selftest.h"

TestSuite(fail, .init = open_mlx5, .fini = close_bed);

struct setup {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static void set_up(struct setup *s)
{
	struct ibv_qp_init_attr a = { .cap = { 4, 4, 1, 1, 0 }, .qp_type = IBV_QPT_RC };

	if (!(s->ctx = ibv_open_device(bed.dev)) || !(s->pd = ibv_alloc_pd(s->ctx)) ||
	    !(s->mr = ibv_reg_mr(s->pd, bed.buf, 64, IBV_ACCESS_LOCAL_WRITE)) ||
	    !(s->channel = ibv_create_comp_channel(s->ctx)) ||
	    !(s->cq = ibv_create_cq(s->ctx, 8, NULL, s->channel, 0)))
		return;
	a.send_cq = a.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &a);
}

static void tear_down(const struct setup *s)
{
	CHECK(!s->qp || !ibv_destroy_qp(s->qp));
	CHECK(!s->cq || !ibv_destroy_cq(s->cq));
	CHECK(!s->channel || !ibv_destroy_comp_channel(s->channel));
	CHECK(!s->mr || !ibv_dereg_mr(s->mr));
	CHECK(!s->pd || !ibv_dealloc_pd(s->pd));
	CHECK(!s->ctx || !ibv_close_device(s->ctx));
}

/* libmlx5 lives with the failure of some calls */
Test(fail, every_call_can_fail_and_nothing_is_left)
{
	int before = emu_live(NULL), failed = 0;

	for (int n = 1; n < 100; n++) {
		struct setup s = { 0 };
		char spec[32];

		snprintf(spec, sizeof(spec), "call#%d:ENOMEM", n);
		emu_fail(spec);
		set_up(&s);
		emu_fail(NULL);
		failed += !s.qp;
		tear_down(&s);
		CHECK(emu_live(NULL) == before);
	}
	CHECK(failed >= 6);
}

Test(fail, a_call_can_fail_by_name)
{
	struct ibv_cq *cq;

	emu_fail("create_cq#2:EPERM");
	cq = ibv_create_cq(bed.ctx, 8, NULL, NULL, 0);
	CHECK(cq);
	CHECK(!ibv_create_cq(bed.ctx, 8, NULL, NULL, 0) && errno == EPERM);
	emu_fail(NULL);
	CHECK(!ibv_destroy_cq(cq));
}
