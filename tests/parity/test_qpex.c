/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that are refused, and a window that allows nothing. */

#include "traffic.h"

#define QpEx(name) Twin(test_qpex, QpExTestCase, name)

static struct end ends[2];

static void open_datagrams(void)
{
	static const struct traffic row = { .op = IBV_WR_SEND, .type = IBV_QPT_UD, .posted = BY_BUILDER, .qps = 1 };

	open_ends(&row, ends);
}

static void expect_reason(const char *words)
{
	cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text());
}

QpEx(test_post_receive_qp_state_bad_flow)
{
	open_datagrams();
	made(vx_qp_reset(ends[1].qps[0]));
	cr_expect_eq(post_receive(&ends[1], 0, 0), -EINVAL);
	expect_reason("RESET");
}

QpEx(test_post_send_qp_state_bad_flow)
{
	open_datagrams();
	made(vx_qp_reset(ends[0].qps[0]));
	cr_expect_eq(post(&(struct message){ &ends[0], &ends[1], 0, 0, 64 }), -EINVAL);
}

QpEx(test_full_rq_bad_flow)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	uint32_t posted = 0;

	open_datagrams();
	made(vx_qp_query(ends[1].qps[0], &attr, IBV_QP_CAP, &init));
	while (posted < attr.cap.max_recv_wr)
		made(post_receive(&ends[1], 0, posted++));
	cr_expect_eq(post_receive(&ends[1], 0, posted), -EAGAIN, "of every provider the same");
	expect_reason("full");
}

QpEx(test_rq_with_larger_sgl_bad_flow)
{
	struct ibv_qp_init_attr init;
	struct ibv_sge entries[64];
	struct ibv_qp_attr attr;
	uint32_t i;

	open_datagrams();
	made(vx_qp_query(ends[1].qps[0], &attr, IBV_QP_CAP, &init));
	cr_assert_lt(attr.cap.max_recv_sge, 64);
	for (i = 0; i <= attr.cap.max_recv_sge; i++)
		entries[i] = (struct ibv_sge){ ends[1].in.addr + 16 * i, 16, vx_mr_lkey(ends[1].in.mr) };
	cr_expect_eq(vx_qp_post_recv_one(ends[1].qps[0], 0, entries, (int)i), -EINVAL);
	expect_reason("max_recv_sge");
}

/* A window by whose key nothing can be written. */
static struct vx_mw *bind_window(struct end *end, struct vx_mr *mr, uint32_t *rkey)
{
	struct ibv_mw_bind_info info = { .mr = vx_mr_raw(mr), .addr = end->in.addr, .length = ROOM_OF_END,
					 .mw_access_flags = IBV_ACCESS_LOCAL_WRITE };
	struct vx_wr *wr;
	struct vx_mw *mw;

	made(vx_mw_create(end->pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &mw));
	*rkey = ibv_inc_rkey(vx_mw_raw(mw)->rkey);
	wr = vx_wr_start(end->qps[0]);
	vx_wr_bind_mw(wr, 0x123, IBV_SEND_SIGNALED, mw, *rkey, &info);
	made(vx_wr_complete(wr));
	cr_assert_eq(take(end).status, IBV_WC_SUCCESS);
	return mw;
}

/* The same message, to the window rather than the region. */
QpEx(test_qp_ex_rc_bind_mw)
{
	static const struct traffic row = { .op = IBV_WR_RDMA_WRITE, .type = IBV_QPT_RC, .posted = BY_BUILDER, .qps = 1,
					    .access = IBV_ACCESS_MW_BIND, .ops = IBV_QP_EX_WITH_BIND_MW };
	struct vx_wr *wr;
	struct vx_mw *mw;
	uint32_t rkey;

	open_ends(&row, ends);
	mw = bind_window(&ends[1], ends[1].in.mr, &rkey);
	wr = vx_wr_start(ends[0].qps[0]);
	vx_wr_rdma_write(wr, 0x124, IBV_SEND_SIGNALED, rkey, ends[1].in.addr);
	vx_wr_set_sge(wr, vx_mr_lkey(ends[0].out.mr), ends[0].out.addr, 64);
	made(vx_wr_complete(wr));
	cr_expect_eq(take(&ends[0]).status, IBV_WC_REM_ACCESS_ERR);
	closed(mw); /* soft-RoCE destroys a QP that a window is bound to after 50 s */
}

#if VX_RDMA_CORE >= 44

/* Eight bytes at once. Kernels before 6.2 refuse it only when it is to be done. */
QpEx(test_qp_ex_rc_atomic_write)
{
	static const struct traffic row = { .op = IBV_WR_RDMA_WRITE, .type = IBV_QPT_RC, .posted = BY_BUILDER, .qps = 1,
					    .ops = IBV_QP_EX_WITH_ATOMIC_WRITE };
	struct vx_wr *wr;

	open_ends(&row, ends);
	wr = vx_wr_start(ends[0].qps[0]);
	vx_wr_atomic_write(wr, 1, IBV_SEND_SIGNALED, vx_mr_rkey(ends[1].in.mr), ends[1].in.addr, "8 bytes");
	made(vx_wr_complete(wr));
	if (take(&ends[0]).status == IBV_WC_LOC_QP_OP_ERR)
		cr_skip_test("the kernel is older than 6.2");
	cr_expect_str_eq(ends[1].in.memory, "8 bytes");
}

#endif
