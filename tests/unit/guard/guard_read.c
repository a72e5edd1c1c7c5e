/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is read of completions of a checked CQ: what is not there is 0, and told, where others crash or give what was there before. */

#include <errno.h>

#include "unit/post/bed.h"

static struct vx_cq *done;
static struct vx_wc *wc;

static void complete_in(uint64_t wc_flags)
{
	struct vx_cq_init init = { .cqe = 16, .wc_flags = wc_flags, .checked = true };

	open_device();
	made(vx_cq_create(ctx, &init, &done));
	qp = new_qp_in_init(done, IBV_QPT_RC, NULL);
	connect_to(qp, qp);
}

static void begin_read(void)
{
	complete_in(IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_BYTE_LEN);
}

TestSuite(guard_read, .init = begin_read, .fini = close_device);

static void post_write(uint64_t wr_id)
{
	made(vx_qp_post_rdma_write(qp, wr_id, IBV_SEND_SIGNALED, NULL, 0, 0, 0));
}

static void go_to_one(void)
{
	int rc;

	do
		rc = vx_cq_start_poll(done, &wc);
	while (!rc);
	cr_assert_eq(rc, 1, "%s", vx_error_text());
}

Test(guard_read, gives_what_is_there)
{
	post_write(7);
	go_to_one();
	cr_expect_eq(vx_wc_read_qp_num(wc), vx_qp_raw(qp)->qp_num);
	cr_expect_eq(vx_wc_read_opcode(wc), IBV_WC_RDMA_WRITE);
	cr_expect_eq(vx_wc_next(wc), 0);
}

Test(guard_read, tells_of_what_the_cq_was_not_made_for)
{
	struct ibv_wc_tm_info tm = { .tag = 5 };

	post_write(7);
	post_write(8);
	go_to_one();
	cr_expect_eq(vx_wc_read_completion_ts(wc), 0);
	cr_expect_eq(vx_wc_read_imm_data(wc), 0);
	vx_wc_read_tm_info(wc, &tm);
	cr_expect_eq(tm.tag, 0);
	cr_expect_eq(vx_wc_next(wc), -EINVAL);
	expect_reason("vx_wc_next on mlx5_0 cq ");
	expect_reason("vx_wc_read_completion_ts() gave 0: the CQ was made without IBV_WC_EX_WITH_COMPLETION_TIMESTAMP in .wc_flags");
	go_to_one();
	cr_expect_eq(vx_wc_wr_id(wc), 8, "the next is there still");
	cr_expect_eq(vx_wc_next(wc), 0);
}

Test(guard_read, tells_of_it_at_the_next_poll_where_the_loop_is_left)
{
	post_write(7);
	go_to_one();
	cr_expect_eq(vx_wc_read_slid(wc), 0);
	vx_wc_end(wc);
	cr_expect_eq(vx_cq_start_poll(done, &wc), -EINVAL);
	expect_reason("vx_cq_start_poll on mlx5_0 cq ");
	expect_reason("vx_wc_read_slid() gave 0: the CQ was made without IBV_WC_EX_WITH_SLID in .wc_flags");
	cr_expect_eq(vx_cq_start_poll(done, &wc), 0, "once");
}

Test(guard_read, tells_of_what_a_completion_that_failed_does_not_have)
{
	post_write(7);
	go_to_one();
	cr_expect_eq(vx_wc_next(wc), 0);
	break_qp(qp);
	post_write(8);
	go_to_one();
	cr_expect_eq(vx_wc_status(wc), IBV_WC_WR_FLUSH_ERR);
	cr_expect_eq(vx_wc_read_qp_num(wc), vx_qp_raw(qp)->qp_num);
	vx_wc_read_vendor_err(wc);
	cr_expect_eq(vx_wc_read_byte_len(wc), 0);
	cr_expect_eq(vx_wc_next(wc), -EINVAL);
	expect_reason("vx_wc_read_byte_len() gave 0 of the completion with wr_id = 0x8, which failed");
}

Test(guard_read, asks_the_provider_of_a_cq_that_was_adopted)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_QP_NUM };
	struct ibv_cq_ex *raw = ibv_create_cq_ex(vx_ctx_raw(ctx), &attr);

	made(vx_cq_adopt(ctx, ibv_cq_ex_to_cq(raw), &done));
	made(vx_cq_check(done));
	qp = new_qp_in_init(done, IBV_QPT_RC, NULL);
	connect_to(qp, qp);
	post_write(7);
	go_to_one();
	cr_expect_eq(vx_wc_read_qp_num(wc), vx_qp_raw(qp)->qp_num);
	cr_expect_eq(vx_wc_read_byte_len(wc), 0);
	cr_expect_eq(vx_wc_next(wc), -EINVAL);
	expect_reason("vx_wc_read_byte_len() gave 0: the CQ was made without IBV_WC_EX_WITH_BYTE_LEN in .wc_flags");
}

Test(guard_read, tells_of_room_for_less_than_none)
{
	struct ibv_wc one;

	cr_expect_eq(vx_cq_poll(done, -1, &one), -EINVAL);
	expect_reason("vx_cq_poll on mlx5_0 cq ");
	expect_reason("num_entries is -1");
	cr_expect_eq(vx_cq_poll(done, 0, &one), 0);
}
