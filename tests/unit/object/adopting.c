/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of other code: taken over, borrowed, and given back. */

#include <errno.h>

#include "unit/device.h"
#include "object/object.h"

TestSuite(adopting, .init = open_device, .fini = close_device, .timeout = 20);

static struct vx_cq *make_cq(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

Test(adopting, is_destroyed_by_closing_its_parent)
{
	struct ibv_context *raw = vx_ctx_raw(ctx);
	struct vx_pd *domain;
	struct vx_cq *cq;
	struct vx_mw *mw;

	made(vx_pd_adopt(ctx, ibv_alloc_pd(raw), &domain));
	made(vx_cq_adopt(ctx, ibv_create_cq(raw, 1, NULL, NULL, 0), &cq));
	made(vx_mw_adopt(domain, ibv_alloc_mw(vx_pd_raw(domain), IBV_MW_TYPE_1), &mw));
	cr_expect_eq(live("pd") + live("cq") + live("mw"), 4);
	cr_expect_eq(vx_close(domain), 0);
	cr_expect_eq(live("pd") + live("cq") + live("mw"), 2);
}

static struct ibv_qp *make_raw_qp(struct vx_cq *cq)
{
	struct ibv_qp_init_attr attr = VX_DEFAULT(ibv_qp_init_attr);

	attr.send_cq = attr.recv_cq = vx_cq_raw(cq);
	return ibv_create_qp(vx_pd_raw(pd), &attr);
}

Test(adopting, depends_on_what_it_was_made_with)
{
	struct vx_cq *cq = make_cq(), *other = make_cq();
	struct ibv_qp *raw = make_raw_qp(cq);
	struct vx_qp *qp;

	made(vx_qp_adopt(pd, raw, &qp));
	cr_expect_eq(((const struct vx_node *)qp)->uses, 2);
	made(vx_close(other));
	cr_expect_eq(live("qp"), 1);
	made(vx_close(cq));
	cr_expect_eq(live("qp") + live("cq"), 0, "the QP went first");
}

Test(adopting, under_what_it_was_not_made_under_is_refused)
{
	struct vx_cq *cq = make_cq();
	struct ibv_qp *raw = make_raw_qp(cq);
	struct vx_ctx *again;
	struct vx_pd *other, *elsewhere;
	struct vx_qp *qp;

	made(vx_pd_create(ctx, NULL, &other));
	cr_expect_eq(vx_qp_adopt(other, raw, &qp), -EINVAL);
	expect_reason("the object does not belong to mlx5_0 pd");
	made(vx_ctx_open_index(0, &again));
	made(vx_pd_create(again, NULL, &elsewhere));
	cr_expect_eq(vx_qp_adopt(elsewhere, raw, &qp), -EINVAL);
	expect_reason("the object does not belong to mlx5_0");
	cr_expect_eq(vx_qp_adopt(pd, NULL, &qp), -EINVAL);
	expect_reason("the object is NULL");
	cr_expect_eq(vx_qp_adopt(NULL, raw, &qp), -EINVAL);
	expect_reason("the parent is NULL");
	cr_expect_eq(live("qp"), 1, "it is the caller's still");
	made(vx_close(again));
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

Test(adopting, given_back_is_the_callers_to_destroy)
{
	struct vx_cq *cq = make_cq();
	void *raw = NULL;

	raw = vx_give_back(cq);
	cr_expect_eq(live("cq"), 1);
	cr_expect_eq(ibv_destroy_cq(raw), 0);
}

/* ---- borrowed ---- */

Test(adopting, borrowed_is_left_alone)
{
	struct vx_cq *cq = make_cq();
	struct ibv_qp *raw = make_raw_qp(cq);
	struct vx_pd *domain;
	struct vx_qp *qp;
	struct vx_mr *mr;

	made(vx_pd_borrow(ctx, vx_pd_raw(pd), &domain));
	made(vx_qp_borrow(domain, raw, &qp));
	made(vx_mr_create(domain, &(struct vx_mr_init){ .length = 64 }, &mr));
	made(vx_close(domain));
	cr_expect_eq(live("mr"), 0, "the region was made here");
	cr_expect_eq(live("qp") + live("pd"), 2);
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

Test(adopting, disowned_stays_when_its_handle_goes)
{
	struct vx_cq *cq = make_cq();
	struct ibv_cq *raw = vx_cq_raw(cq);

	vx_disown(cq);
	made(vx_close(cq));
	cr_expect_eq(live("cq"), 1);
	cr_expect_eq(ibv_destroy_cq(raw), 0);
}

/* ---- contexts ---- */

static struct ibv_context *open_raw(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *raw = ibv_open_device(list[0]);

	ibv_free_device_list(list);
	cr_assert_not_null(raw);
	return raw;
}

Test(adopting, of_a_context_closes_it_with_what_was_made_from_it)
{
	struct vx_ctx *other;
	struct vx_pd *domain;
	int before = live(NULL);

	made(vx_ctx_adopt(open_raw(), &other));
	made(vx_pd_create(other, NULL, &domain));
	made(vx_close(other));
	cr_expect_eq(live(NULL), before);
	cr_expect_eq(vx_ctx_adopt(NULL, &other), -EINVAL);
	expect_reason("the object is NULL");
}

Test(adopting, of_a_context_that_is_given_back)
{
	struct ibv_context *raw = open_raw();
	struct vx_ctx *other;
	struct vx_pd *domain;
	void *released = NULL;

	made(vx_ctx_adopt(raw, &other));
	made(vx_pd_create(other, NULL, &domain));
	released = vx_give_back(other);
	cr_expect_eq(vx_error()->code, -EBUSY);
	expect_reason("vx_give_back on mlx5_0: Device or resource busy: mlx5_0 pd");
	cr_expect_null(released);
	made(vx_close(domain));
	released = vx_give_back(other);
	cr_assert_not_null(released, "%s", vx_error_text());
	cr_expect_eq(released, raw);
	cr_expect_eq(ibv_close_device(raw), 0);
}

/* The owner would wait in ibv_destroy_qp() for an event that we took; a test that blocks ends by its timeout. */
Test(adopting, borrowed_context_has_its_events_acknowledged)
{
	struct vx_cq *cq = make_cq();
	struct ibv_qp *raw = make_raw_qp(cq);
	struct vx_async_event event;
	struct vx_ctx *same;

	made(vx_ctx_borrow(vx_ctx_raw(ctx), &same));
	send_event("COMM_EST", raw->qp_num);
	made(vx_ctx_get_async_event(same, SOON, &event));
	made(vx_close(same));
	cr_expect_eq(ibv_destroy_qp(raw), 0);
	cr_expect_eq(live("cq") + live("pd"), 2, "all is as it was");
}
