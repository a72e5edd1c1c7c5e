/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Many objects together: the order of closing, and what is left when the kernel refuses. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "unit/device.h"

#define THREADS 8
#define ROUNDS 50

struct whole {
	struct vx_cq *cq;
	struct vx_srq *srq;
	struct vx_mr *mr;
	struct vx_mw *mw;
	struct vx_qp *qp;
};

static char memory[4096];

/* One of each, in an order that is the worst for closing in turn of age alone. */
static struct whole build(void)
{
	struct whole all;

	made(vx_mw_create(pd, NULL, &all.mw));
	made(vx_cq_create(ctx, NULL, &all.cq));
	made(vx_srq_create(pd, NULL, &all.srq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = all.cq, .recv_cq = all.cq, .srq = all.srq }, &all.qp));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = sizeof(memory) }, &all.mr));
	return all;
}

/* However often it is tried: as QPs stand in the way of several parents, that is more than once a pass. */
static void keep_refusing_qps(void)
{
	char list[1024] = "destroy_qp:EBUSY";
	int i;

	for (i = 2; i < 30; i++)
		sprintf(list + strlen(list), ",destroy_qp#%d:EBUSY", i);
	fail_calls(list);
}

TestSuite(whole, .init = open_device, .fini = close_device);

static char ended[256]; /* the calls that destroyed something, in turn */

static void keep_ends(const struct vx_trace_call *call, void *data)
{
	(void)data;
	if (!strncmp(call->call, "ibv_de", strlen("ibv_de")))
		snprintf(ended + strlen(ended), sizeof(ended) - strlen(ended), "%s ", call->call);
}

/* soft-RoCE waits 50 s in ibv_destroy_qp(3) for a window of type 2 that is bound. */
Test(whole, loses_its_windows_first)
{
	made(vx_trace_callback(keep_ends, NULL));
	build();
	made(vx_close(pd));
	made(vx_trace_callback(NULL, NULL));
	cr_expect_str_eq(ended, "ibv_dealloc_mw ibv_dereg_mr ibv_destroy_qp ibv_destroy_srq ibv_dealloc_pd ");
	made(vx_pd_create(ctx, NULL, &pd));
}

Test(whole, refused_without_an_attribute_structure_has_no_field_to_suspect)
{
	struct vx_pd *other;

	fail_calls("alloc_pd:EINVAL");
	cr_expect_eq(vx_pd_create(ctx, NULL, &other), -EINVAL);
	expect_reason("ibv_alloc_pd on mlx5_0");
}

Test(whole, goes_with_the_context)
{
	build();
	cr_expect_eq(live(NULL), 6);
}

Test(whole, goes_with_its_pd_but_for_what_is_not_of_it)
{
	uint64_t calls;

	build();
	made(vx_trace_counting(true));
	cr_expect_eq(vx_close(pd), 0, "%s", vx_error_text());
	made(vx_trace_count(NULL, &calls));
	cr_expect_eq(calls, 5, "one for each object");
	cr_expect_eq(live(NULL), 1);
	cr_expect_eq(live("cq"), 1);
}

Test(whole, closed_in_any_order_leaves_nothing)
{
	struct whole all = build();

	cr_expect_eq(vx_close(all.srq), 0, "the QP with it");
	cr_expect_eq(live("qp"), 0);
	cr_expect_eq(vx_close(all.mr), 0);
	cr_expect_eq(vx_close(all.cq), 0);
	cr_expect_eq(vx_close(all.mw), 0);
	cr_expect_eq(vx_close(pd), 0);
	cr_expect_eq(live(NULL), 0);
}

Test(whole, refused_in_the_middle_is_named_and_still_usable)
{
	struct whole all = build();
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	char name[64];

	fail_calls("destroy_qp:EBUSY");
	vx_object_name(name, sizeof(name), all.qp);
	cr_expect_eq(vx_close(all.cq), -EBUSY);
	cr_expect_str_eq(vx_error()->object, name);
	cr_expect_eq(live(NULL), 6, "nothing is half gone");
	made(vx_qp_query(all.qp, &attr, IBV_QP_STATE, &init));
	made(vx_cq_resize(all.cq, 1000));
	cr_expect_eq(vx_close(all.cq), 0, "the second attempt works");
	cr_expect_eq(live(NULL), 4);
}

Test(whole, refused_in_the_middle_of_a_context_keeps_what_is_needed)
{
	struct whole all = build();

	keep_refusing_qps();
	cr_assert_eq(vx_close(ctx), -EBUSY);
	cr_expect_eq(live("qp") + live("cq") + live("srq") + live("pd"), 4);
	cr_expect_eq(vx_qp_raw(all.qp)->srq, vx_srq_raw(all.srq));
	made(vx_cq_resize(all.cq, 1000));
	fail_calls(NULL);
}

Test(whole, refused_goes_after_something_older_that_nobody_knew_to_keep_it)
{
	struct vx_mr *mr;
	struct vx_srq *srq;

	/* The kernel refuses the region, the younger one, until the SRQ has gone. */
	made(vx_srq_create(pd, NULL, &srq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 1 }, &mr));
	fail_calls("dereg_mr:EBUSY");
	cr_expect_eq(vx_close(pd), 0, "%s", vx_error_text());
	cr_expect_eq(live(NULL), 0);
}

Test(whole, refused_only_at_first_is_no_failure)
{
	struct vx_ctx *other;
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 1 }, &mr));
	made(vx_srq_create(pd, NULL, &(struct vx_srq *){ NULL }));
	cr_assert_eq(vx_ctx_open("nothing", &other), -ENODEV);
	fail_calls("dereg_mr:EBUSY");
	made(vx_close(pd));
	cr_expect_eq(vx_error()->code, -ENODEV, "what failed last is told still, not %s", vx_error_text());
}

Test(whole, refused_with_a_device_that_was_removed_tells_the_way_out)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 1 }, &mr));
	fail_calls("dereg_mr:EIO");
	cr_expect_eq(vx_close(ctx), -EIO);
	expect_reason("RDMAV_ALLOW_DISASSOC_DESTROY=1");
}

/* Of a window that is bound the graph knows nothing, and kernels differ in their code. */
Test(whole, bound_region_tells_of_its_window)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 1 }, &mr));
	fail_calls("dereg_mr:EBUSY");
	cr_expect_eq(vx_close(mr), -EBUSY);
	expect_reason("an MW that is bound to it must be closed or bound elsewhere before");
	fail_calls("dereg_mr:EINVAL");
	cr_expect_eq(vx_close(mr), -EINVAL);
	expect_reason("an MW that is bound to it");
	made(vx_close(mr));
}

Test(whole, of_two_contexts_does_not_mix)
{
	struct vx_ctx *other;
	struct vx_cq *cq, *mine;
	struct vx_qp *qp;

	made(vx_ctx_open_index(0, &other));
	made(vx_cq_create(other, NULL, &cq));
	made(vx_cq_create(ctx, NULL, &mine));
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = mine, .recv_cq = cq }, &qp), -EINVAL);
	expect_reason("belongs to another context");
	cr_expect_eq(vx_close(other), 0);
}

static void *make_and_close(void *failed)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct vx_cq *cq;
		struct vx_qp *qp;
		struct vx_mr *mr;

		if (vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 16 }, &cq) ||
		    vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp) ||
		    vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = 64 }, &mr) || vx_close(cq))
			return failed;
	}
	return NULL;
}

Test(whole, made_and_closed_by_many_threads)
{
	pthread_t threads[THREADS];
	void *failed;
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, make_and_close, &ctx);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		cr_expect_null(failed);
	}
	cr_expect_eq(live("qp") + live("cq"), 0);
	cr_expect_eq(live("mr"), THREADS * ROUNDS);
}
