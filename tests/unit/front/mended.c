/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which objects something is put before, as their provider is wrong: by its name, its release, and what the object has. */

#include <dlfcn.h>
#include <errno.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#include "front/front.h"
#include "reach/loader.h"

static struct ibv_device device = { .name = "rxe0" };
static struct ibv_context context = { .device = &device };
static struct ibv_pd pd = { .context = &context };
static struct ibv_qp_ex qp = { .qp_base = { .context = &context, .pd = &pd } };
static struct ibv_cq_ex cq = { .context = &context };
static struct vx_ctx *ctx;
static struct vx_pd *pd_handle;

static int tell_cap(struct ibv_qp *of, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)attr, (void)mask;
	cr_expect_eq(of, &qp.qp_base);
	init->cap = (struct ibv_qp_cap){ .max_send_wr = 4, .max_send_sge = 1 };
	return 0;
}

static void set_sge_list(struct ibv_qp_ex *of, size_t num_sge, const struct ibv_sge *sg_list)
{
	(void)of, (void)num_sge, (void)sg_list;
}

static void end_poll(struct ibv_cq_ex *of)
{
	(void)of;
}

static void begin(void)
{
	void *library = dlopen(LIBRXE, RTLD_NOW);

	cr_assert_not_null(library, "%s", dlerror());
	context.ops.poll_cq = (int (*)(struct ibv_cq *, int, struct ibv_wc *))dlsym(library, "poll_cq_of_librxe");
	cr_assert_not_null((void *)(uintptr_t)context.ops.poll_cq);
	qp.wr_set_sge_list = set_sge_list;
	cq.end_poll = end_poll;
	cr_assert_eq(vx_loader_replace("ibv_query_qp", (vx_function)tell_cap), 0);
	cr_assert_eq(vx_ctx_borrow(&context, &ctx), 0);
	cr_assert_eq(vx_pd_borrow(ctx, &pd, &pd_handle), 0);
}

TestSuite(mended, .init = begin);

static bool runs_before(unsigned int release)
{
	unsigned int running = vx_release_running();

	return (running ? running : vx_release_built()) < release;
}

static bool is_qp_mended(void)
{
	void *front;

	cr_expect_eq(vx_mend_qp(&qp.qp_base, "is_qp_mended", &front), 0);
	vx_fronts_free(front, NULL);
	return front;
}

static bool is_cq_mended(void)
{
	void *front;

	cr_expect_eq(vx_mend_cq((struct ibv_cq *)&cq, "is_cq_mended", &front), 0);
	vx_fronts_free(front, NULL);
	return front;
}

Test(mended, are_extended_objects_of_releases_that_are_wrong)
{
	cr_expect_eq(is_qp_mended(), runs_before(64));
	cr_expect_eq(is_cq_mended(), runs_before(59));
}

Test(mended, are_not_those_of_other_providers)
{
	context.ops.poll_cq = (int (*)(struct ibv_cq *, int, struct ibv_wc *))begin;
	cr_expect_not(is_qp_mended());
	cr_expect_not(is_cq_mended());
}

Test(mended, are_not_plain_objects)
{
	qp.wr_set_sge_list = NULL;
	cq.end_poll = NULL;
	cr_expect_not(is_qp_mended());
	cr_expect_not(is_cq_mended());
}

Test(mended, are_objects_that_were_adopted_once_each)
{
	struct vx_qp *first, *again;
	void *front;

	cr_assert_eq(vx_qp_borrow(pd_handle, &qp.qp_base, &first), 0, "%s", vx_error_text());
	front = ((struct vx_object *)first)->front;
	cr_expect_eq(front != &qp, runs_before(64));
	cr_assert_eq(vx_qp_borrow(pd_handle, &qp.qp_base, &again), 0);
	cr_expect_eq(again, first);
	cr_expect_eq(((struct vx_object *)first)->front, front);
	if (front != &qp)
		cr_expect_eq(vx_front_next(front), &qp);
	cr_expect_eq(vx_close(ctx), 0);
}

/* What was made to stand before it ends, and nobody sees it. */
Test(mended, are_not_what_cannot_be_adopted)
{
	struct vx_qp *handle;
	struct vx_pd *other;
	static struct ibv_pd another = { .context = &context };

	cr_assert_eq(vx_pd_borrow(ctx, &another, &other), 0);
	cr_expect_eq(vx_qp_borrow(other, &qp.qp_base, &handle), -EINVAL);
	cr_expect_eq(vx_close(ctx), 0);
}
