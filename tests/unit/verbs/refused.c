/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Calls that are not made, as libmlx5 would crash on them or do what nobody meant: gen/lore/verbs.toml has them. */

#include <errno.h>
#include <stdio.h>

#include "unit/device.h"

TestSuite(refused, .init = open_device, .fini = close_device);

static struct vx_qp *qp_of(enum ibv_qp_type type)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = type, .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

Test(refused, is_a_window_on_a_qp_that_has_none)
{
	struct ibv_mw_bind what = { .bind_info.mw_access_flags = IBV_ACCESS_REMOTE_READ };
	char memory[64];
	struct vx_mr *mr;
	struct vx_mw *mw;

	made(vx_mw_create(pd, NULL, &mw));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = sizeof(memory),
						    .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &mr));
	what.bind_info.mr = vx_mr_raw(mr);
	what.bind_info.addr = (uintptr_t)memory;
	what.bind_info.length = sizeof(memory);
	cr_expect_eq(vx_qp_bind_mw(qp_of(IBV_QPT_UD), mw, &what), -EINVAL);
	expect_reason("only connected QPs bind windows");
	cr_expect_eq(vx_close(mw), 0);
}

Test(refused, is_a_copy_whose_end_is_before_its_start)
{
	struct vx_dm *dm;
	char bytes[8] = "";

	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = 64 }, &dm));
	cr_expect_eq(vx_dm_memcpy_to(dm, UINT64_MAX - 3, bytes, 8), -EINVAL);
	expect_reason("dm_offset + length is beyond 2^64");
	cr_expect_eq(vx_dm_memcpy_from(dm, bytes, UINT64_MAX - 3, 8), -EINVAL);
	expect_reason("dm_offset + length is beyond 2^64");
	cr_expect_eq(vx_dm_memcpy_from(dm, NULL, 0, 8), -EINVAL);
	expect_reason("host_addr is NULL");
}

Test(refused, is_a_qp_that_libmlx5_would_crash_on_when_it_is_closed)
{
	struct vx_xrcd *xrcd;
	struct vx_qp *qp;

	made(vx_xrcd_create(ctx, NULL, &xrcd));
	cr_expect_eq(vx_opened_qp_create(ctx, &(struct vx_opened_qp_init){ .qp_num = 1, .xrcd = xrcd }, &qp), -EOPNOTSUPP);
	expect_reason("libmlx5 crashes when a QP that was opened is closed");
}

/* As ibv_open_qp() leaves them: without a PD, in a state that nobody knows. */
static struct ibv_qp *like_an_opened_qp(struct vx_qp *qp)
{
	struct ibv_qp *raw = vx_give_back(qp);

	raw->state = IBV_QPS_UNKNOWN;
	raw->pd = NULL;
	return raw;
}

Test(refused, is_the_end_of_an_opened_qp_that_others_made)
{
	struct ibv_qp *raw = like_an_opened_qp(qp_of(IBV_QPT_RC));
	char name[64], expected[64];
	struct vx_qp *qp;

	cr_expect_eq(vx_qp_adopt(pd, raw, &qp), -EOPNOTSUPP);
	expect_reason("vx_qp_adopt: Operation not supported: libmlx5 crashes when a QP that was opened is closed");
	made(vx_qp_borrow(pd, raw, &qp));
	cr_expect_eq(vx_object_kind_of(qp), VX_OBJECT_OPENED_QP);
	vx_object_name(name, sizeof(name), qp);
	snprintf(expected, sizeof(expected), "mlx5_0 opened_qp %u#", raw->qp_num);
	cr_expect(!strncmp(name, expected, strlen(expected)), "%s", name);
	made(vx_close(qp));
	raw->pd = vx_pd_raw(pd);
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

/* Reading its state, which printing does, and moving it, have rdma-core note the new one in the raw object. */
Test(refused, is_the_end_of_an_opened_qp_whose_state_was_read)
{
	struct ibv_qp *raw = like_an_opened_qp(qp_of(IBV_QPT_RC));
	struct vx_qp *qp, *again;
	char text[4096];
	int i;

	for (i = 0; i < 2; i++) {
		made(vx_qp_borrow(pd, raw, &qp));
		cr_expect_eq(vx_object_kind_of(qp), VX_OBJECT_OPENED_QP);
		vx_snprint(text, sizeof(text), VX_TYPEOF(qp), qp, VX_TEXT);
		cr_expect_eq(raw->state, IBV_QPS_RESET);
		cr_expect_eq(vx_qp_adopt(pd, raw, &again), -EOPNOTSUPP);
		made(vx_close(qp));
	}
	cr_expect_eq(vx_qp_adopt(pd, raw, &qp), -EOPNOTSUPP);
	raw->pd = vx_pd_raw(pd);
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

#define UNKNOWN 0x40000000

/* A bit that nobody knows is named, whatever else the change lacks. */
Test(refused, is_an_srq_that_is_to_tell_of_more_receives_than_any_has)
{
	struct vx_srq *srq;

	cr_expect_eq(vx_srq_create(pd, &(struct vx_srq_init){ .attr.srq_limit = UINT32_MAX }, &srq), -EINVAL);
	expect_reason("attr.srq_limit = 4294967295, but the device allows max_srq_wr =");
}

Test(refused, is_a_change_of_what_nobody_knows)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_modify_cq_attr moderate = { .attr_mask = UNKNOWN };
	struct vx_qp *qp = qp_of(IBV_QPT_RC);
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	cr_expect_lt(vx_qp_modify(qp, &init, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | UNKNOWN), 0);
	expect_reason("0x40000000");
	cr_expect_lt(vx_qp_modify(qp, &init, IBV_QP_STATE | UNKNOWN), 0);
	expect_reason("0x40000000");
	cr_expect_lt(vx_qp_modify(qp, &init, UNKNOWN), 0);
	expect_reason("0x40000000");
	cr_expect_lt(vx_cq_modify(cq, &moderate), 0);
	expect_reason("attr.attr_mask has 0x40000000, which is none of enum ibv_cq_attr_mask");
}
