/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What builds that do not check handles make of those that were closed, or are of another kind: an error, and no crash. */

#include <errno.h>

#include "unit/device.h"

TestSuite(wrong, .init = open_device, .fini = close_device);

#if !VERBSX_CHECKS

static struct vx_cq *cq;
static struct vx_mr *mr;

static void make_more(void)
{
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
}

#define expect_refused(call, words)         \
	do {                                \
		cr_expect_eq(call, -EINVAL); \
		expect_reason(words);       \
	} while (0)

Test(wrong, kind_of_a_methods_object)
{
	make_more();
	expect_refused(vx_cq_resize((struct vx_cq *)mr, 10), "vx_cq_resize: Invalid argument: mlx5_0 mr");
	expect_reason("is no cq");
	expect_refused(vx_comp_channel_get_event((struct vx_comp_channel *)mr, 0, &(struct vx_comp_event){ NULL }), "is no comp_channel");
}

Test(wrong, kind_of_a_parent_and_of_a_field)
{
	struct vx_cq_init with_channel = { .channel = (struct vx_comp_channel *)(void *)pd };
	struct vx_srq *srq;

	make_more();
	expect_refused(vx_srq_create((struct vx_pd *)ctx, NULL, &srq), "vx_srq_create: Invalid argument: mlx5_0 is no pd");
	expect_refused(vx_cq_create(ctx, &with_channel, &cq), "vx_cq_create: Invalid argument: channel: mlx5_0 pd");
}

Test(wrong, length_of_more_than_31_bits_is_more_than_the_device_allows)
{
	make_more();
	expect_refused(vx_cq_resize(cq, 1u << 31), "cqe = 2147483648, but the device allows max_cqe");
}

Test(wrong, kind_of_what_may_be_extended)
{
	cr_expect_null(vx_qp_ex((struct vx_qp *)(void *)pd));
	expect_reason("vx_qp_ex: Invalid argument: mlx5_0 pd");
	cr_expect_null(vx_cq_ex((struct vx_cq *)(void *)pd));
	expect_reason("vx_cq_ex: Invalid argument: mlx5_0 pd");
}

Test(wrong, null_for_a_completion_and_for_a_count)
{
	char text[64];

	vx_wc_error(text, sizeof(text), NULL, NULL, VX_WC_UNKNOWN);
	cr_expect_str_eq(text, "wc is NULL");
	expect_refused(vx_trace_count(NULL, NULL), "count is NULL");
}

Test(wrong, kind_of_what_a_flow_does)
{
	const struct vx_flow_spec handle = { .type = IBV_FLOW_SPEC_ACTION_HANDLE, .action = (struct vx_flow_action *)(void *)pd };
	const struct vx_flow_spec count = { .type = IBV_FLOW_SPEC_ACTION_COUNT, .counters = (struct vx_counters *)(void *)pd };
	struct vx_flow_init init = { .specs = &handle, .count = 1 };
	struct vx_flow *flow;
	struct vx_qp *qp;

	make_more();
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD }, &qp));
	expect_refused(vx_flow_create(qp, &init, &flow), "specs[0].action is wrong: mlx5_0 pd");
	init.specs = &count;
	expect_refused(vx_flow_create(qp, &init, &flow), "specs[0].counters is wrong: mlx5_0 pd");
}

Test(wrong, context_of_what_a_call_takes_beside_its_object)
{
	const struct ibv_mw_bind none = { .wr_id = 1 };
	struct vx_pd *pd_of_other;
	struct vx_ctx *other;
	struct vx_mw *mw;
	struct vx_qp *qp;

	make_more();
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	expect_refused(vx_qp_bind_mw(qp, (struct vx_mw *)(void *)pd, &none), "vx_qp_bind_mw: Invalid argument: mlx5_0 pd");
	made(vx_ctx_open_index(0, &other));
	made(vx_pd_create(other, NULL, &pd_of_other));
	made(vx_mw_create(pd_of_other, NULL, &mw));
	expect_refused(vx_qp_bind_mw(qp, mw, &none), "mw is mlx5_0#2 mw ");
	expect_reason(", which belongs to another context");
	made(vx_close(other));
}

/* Where it has a handle, and where it could have one. */
Test(wrong, object_of_rdma_core)
{
	struct ibv_cq *raw;
	struct vx_qp *qp;

	make_more();
	expect_refused(vx_close((void *)vx_cq_raw(cq)), "vx_close: Invalid argument: the object is the raw object of mlx5_0 cq");
	expect_reason(": give that handle");
	expect_refused(vx_pd_create((struct vx_ctx *)vx_ctx_raw(ctx), NULL, &pd), "the parent is the raw object of mlx5_0: give that handle");
	raw = ibv_create_cq(vx_ctx_raw(ctx), 1, NULL, NULL, 0);
	expect_refused(vx_cq_resize((struct vx_cq *)(void *)raw, 10),
		       "vx_cq_resize: Invalid argument: cq is a raw object, no handle: vx_cq_adopt() or vx_cq_borrow() gives one");
	expect_refused(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = (struct vx_cq *)(void *)raw, .recv_cq = cq }, &qp),
		       "vx_qp_create: Invalid argument: send_cq: it is a raw object, no handle: vx_cq_adopt() or");
	expect_refused(vx_close((void *)raw), "the object is a raw object, no handle: vx_KIND_adopt() or vx_KIND_borrow() gives one");
	expect_refused(vx_td_create((struct vx_ctx *)(void *)raw, NULL, (struct vx_td **)&qp), "vx_KIND_adopt()");
	made(ibv_destroy_cq(raw));
}

/* As long as nothing else took the memory. */
Test(wrong, closed)
{
	struct vx_qp_init init = { 0 };
	char name[8] = "before";
	struct vx_qp *qp;

	make_more();
	init.send_cq = init.recv_cq = cq;
	made(vx_close(cq));
	expect_refused(vx_close(cq), "vx_close: Invalid argument: the object was closed, or is no handle");
	expect_refused(vx_cq_resize(cq, 10), "vx_cq_resize: Invalid argument: cq was closed");
	expect_refused(vx_qp_create(pd, &init, &qp), "vx_qp_create: Invalid argument: send_cq: it was closed");
	cr_expect_null(vx_give_back(cq));
	cr_expect_eq(vx_object_kind_of(cq), 0);
	cr_expect_eq(vx_object_name(NULL, 0, cq), 0);
	cr_expect_eq(vx_object_name(name, sizeof(name), cq), 0);
	cr_expect_str_eq(name, "", "nobody prints what was there before");
}

#endif

Test(wrong, null_is_refused_in_every_build)
{
	struct vx_pd *other;
	struct ibv_device_attr device;
	struct vx_cq *cqs[1];
	size_t count;

	cr_expect_eq(vx_cq_resize(NULL, 10), -EINVAL);
	expect_reason("vx_cq_resize: Invalid argument: cq is NULL");
	cr_expect_eq(vx_pd_create(ctx, NULL, NULL), -EINVAL);
	expect_reason("vx_pd_create: Invalid argument: out is NULL");
	cr_expect_eq(vx_pd_create(NULL, NULL, &other), -EINVAL);
	expect_reason("the parent is NULL");
	cr_expect_eq(vx_cq_adopt(ctx, NULL, cqs), -EINVAL);
	expect_reason("the object is NULL");
	cr_expect_eq(vx_ctx_open_index(0, NULL), -EINVAL);
	cr_expect_eq(vx_ctx_query_device(NULL, &device), -EINVAL);
	expect_reason("vx_ctx_query_device: Invalid argument: ctx is NULL");
	cr_expect_eq(vx_ctx_query_pkey(ctx, 1, 0, NULL), -EINVAL);
	expect_reason("vx_ctx_query_pkey: Invalid argument: pkey is NULL");
	cr_expect_eq(vx_ctx_query_gid_table(ctx, NULL, 1, &count), -EINVAL);
	expect_reason("vx_ctx_query_gid_table: Invalid argument: entries is NULL");
	cr_expect_eq(vx_dm_memcpy_from(NULL, &device, 0, 1), -EINVAL);
	expect_reason("dm is NULL");
	cr_expect_eq(vx_object_kind_of(NULL), 0);
}
