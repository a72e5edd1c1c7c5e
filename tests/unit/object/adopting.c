/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of other code: taken over, borrowed, and given back. */

#include <errno.h>

#include "unit/device.h"
#include "object/object.h"

TestSuite(adopting, .init = open_device, .fini = close_device, .timeout = 20);

static char memory[64];

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
	struct vx_ah *ah;

	made(vx_pd_create(ctx, NULL, &other));
	cr_expect_eq(vx_qp_adopt(other, raw, &qp), -EINVAL);
	expect_reason("the object does not belong to mlx5_0 pd");
	made(vx_ctx_open_index(0, &again));
	made(vx_pd_create(again, NULL, &elsewhere));
	cr_expect_eq(vx_qp_adopt(elsewhere, raw, &qp), -EINVAL);
	expect_reason("the object does not belong to mlx5_0");
	cr_expect_eq(vx_qp_adopt(pd, NULL, &qp), -EINVAL);
	expect_reason("the object is NULL");
	cr_expect_eq(vx_qp_adopt(pd, &(struct ibv_qp){ .state = IBV_QPS_RESET }, &qp), -EINVAL);
	expect_reason("vx_qp_adopt: Invalid argument: the object has no context, so it is none that rdma-core has made");
	cr_expect_eq(vx_ah_borrow(pd, &(struct ibv_ah){ .handle = 1 }, &ah), -EINVAL);
	expect_reason("vx_ah_borrow: Invalid argument: the object has no context");
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
	struct ibv_pd *raw = ibv_alloc_pd(vx_ctx_raw(ctx));
	struct ibv_mw *window = ibv_alloc_mw(raw, IBV_MW_TYPE_1);
	struct vx_pd *domain;
	struct vx_mr *mr;
	struct vx_mw *mw;

	made(vx_pd_borrow(ctx, raw, &domain));
	made(vx_mw_borrow(domain, window, &mw));
	made(vx_mr_create(domain, &(struct vx_mr_init){ .length = 64 }, &mr));
	made(vx_close(domain));
	cr_expect_eq(live("mr"), 0, "the region was made here");
	cr_expect_eq(live("pd"), 2);
	cr_expect_eq(ibv_dealloc_mw(window) + ibv_dealloc_pd(raw), 0);
}

Test(adopting, borrowing_and_nothing_else_is_what_failed)
{
	struct vx_pd *domain;

	cr_expect_eq(vx_pd_borrow(ctx, NULL, &domain), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_pd_borrow");
	cr_expect_eq(vx_ctx_borrow(NULL, NULL), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_ctx_borrow");
}

/* The memory of a buffer is told by whoever brings it first. */
Test(adopting, again_leaves_what_was_told_before)
{
	struct ibv_buf *raw = (struct ibv_buf *)(void *)memory;
	struct vx_buf *buf, *same;

	if (vx_buf_borrow(pd, raw, memory, 64, &buf) == -EOPNOTSUPP)
		cr_skip_test("rdma-core has no buffers");
	made(vx_buf_borrow(pd, raw, memory + 1, 32, &same));
	cr_expect_eq(same, buf);
	cr_expect_eq(vx_buf_addr(buf), memory);
	cr_expect_eq(vx_buf_length(buf), 64);
	made(vx_close(buf));
	made(vx_close(same));
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
	expect_reason("vx_give_back on mlx5_0#2: Device or resource busy: mlx5_0#2 pd");
	cr_expect_null(released);
	made(vx_close(domain));
	released = vx_give_back(other);
	cr_assert_not_null(released, "%s", vx_error_text());
	cr_expect_eq(released, raw);
	cr_expect_eq(ibv_close_device(raw), 0);
}

static struct ibv_pd *strange_pd;
static struct ibv_cq *strange_cq;

static struct ibv_qp *make_strange_qp(struct ibv_context *raw)
{
	struct ibv_qp_init_attr attr = VX_DEFAULT(ibv_qp_init_attr);

	strange_pd = ibv_alloc_pd(raw);
	strange_cq = ibv_create_cq(raw, 1, NULL, NULL, 0);
	attr.send_cq = attr.recv_cq = strange_cq;
	return ibv_create_qp(strange_pd, &attr);
}

static void end_strangers(struct ibv_context *raw)
{
	cr_expect_eq(ibv_destroy_cq(strange_cq) + ibv_dealloc_pd(strange_pd) + ibv_close_device(raw), 0);
}

/* The owner would wait in ibv_destroy_qp() for an event that we took; a test that blocks ends by its timeout. */
Test(adopting, borrowed_context_has_its_events_acknowledged)
{
	struct ibv_context *other = open_raw();
	struct ibv_qp *raw = make_strange_qp(other);
	struct vx_async_event event;
	struct vx_ctx *same;

	made(vx_ctx_borrow(other, &same));
	send_event("COMM_EST", raw->qp_num);
	made(vx_ctx_get_async_event(same, SOON, &event));
	made(vx_close(same));
	cr_expect_eq(ibv_destroy_qp(raw), 0);
	end_strangers(other);
}

/* ---- what has a handle already ---- */

Test(adopting, twice_gives_one_handle_and_closing_both_is_no_crash)
{
	struct ibv_mr *raw = ibv_reg_mr(vx_pd_raw(pd), memory, sizeof(memory), 0);
	struct vx_mr *one, *two;

	made(vx_mr_adopt(pd, raw, &one));
	made(vx_mr_adopt(pd, raw, &two));
	cr_expect_eq(one, two);
	made(vx_close(one));
	cr_expect_eq(live("mr"), 1, "somebody has it still");
	made(vx_close(two));
	cr_expect_eq(live("mr"), 0);
}

Test(adopting, of_what_libverbsx_made_gives_its_handle)
{
	struct vx_cq *cq = make_cq(), *same;

	made(vx_cq_adopt(ctx, vx_cq_raw(cq), &same));
	cr_expect_eq(same, cq);
	cr_expect_null(vx_give_back(cq));
	expect_reason("vx_give_back on mlx5_0 cq");
	expect_reason("its handle was given 2 times");
	made(vx_close(same));
	cr_expect_eq(live("cq"), 1);
	made(vx_close(cq));
	cr_expect_eq(live("cq"), 0);
}

Test(adopting, and_borrowing_leave_it_to_the_last_who_closes)
{
	struct ibv_cq *raw = ibv_create_cq(vx_ctx_raw(ctx), 1, NULL, NULL, 0);
	struct vx_cq *borrowed, *owned;

	made(vx_cq_borrow(ctx, raw, &borrowed));
	made(vx_cq_adopt(ctx, raw, &owned));
	made(vx_close(owned));
	cr_expect_eq(live("cq"), 1, "it is in use");
	made(vx_close(borrowed));
	cr_expect_eq(live("cq"), 0, "and was given away");
}

/* As two ids of librdmacm give it; then all belongs together. */
Test(adopting, two_borrows_of_a_context_are_one_root)
{
	struct ibv_context *raw = open_raw();
	struct vx_ctx *one, *two;
	struct vx_pd *of_one;
	struct vx_cq *of_two;
	struct vx_qp *qp;
	struct vx_async_event event;

	made(vx_ctx_borrow(raw, &one));
	made(vx_ctx_borrow(raw, &two));
	cr_expect_eq(one, two);
	made(vx_pd_create(one, NULL, &of_one));
	made(vx_cq_create(two, NULL, &of_two));
	made(vx_qp_create(of_one, &(struct vx_qp_init){ .send_cq = of_two, .recv_cq = of_two }, &qp));
	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	made(vx_ctx_get_async_event(two, SOON, &event));
	cr_expect_eq(event.object, qp);
	made(vx_close(one));
	cr_expect_eq(live("qp"), 1, "the other borrower may use it");
	made(vx_close(two));
	cr_expect_eq(live("qp") + live("cq"), 0);
	cr_expect_eq(ibv_close_device(raw), 0);
}

Test(adopting, finds_what_it_was_made_with_however_deep)
{
	struct vx_cq *cq = make_cq();
	struct vx_srq *srq;
	struct ibv_qp_init_attr attr = VX_DEFAULT(ibv_qp_init_attr);
	struct vx_pd *other;
	struct vx_qp *qp;

	made(vx_pd_create(ctx, NULL, &other));
	made(vx_srq_create(other, NULL, &srq));
	attr.send_cq = attr.recv_cq = vx_cq_raw(cq);
	attr.srq = vx_srq_raw(srq);
	made(vx_qp_adopt(pd, ibv_create_qp(vx_pd_raw(pd), &attr), &qp));
	made(vx_close(other));
	cr_expect_eq(live("qp"), 0, "it used the SRQ, of another PD");
}
