/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs of XRC: who sends says to which SRQ, and neither side has receives of its own. */

#include <errno.h>

#include "guard_bed.h"

static uint32_t all;	/* requests that it takes */

static void open_xrc(void)
{
	open_checked();
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = done, .qp_type = IBV_QPT_XRC_SEND, .send_ops_flags = IBV_QP_EX_WITH_SEND, .checked = true }, &qp));
	connect_to(qp, qp);
	all = room();
}

TestSuite(guard_xrc, .init = open_xrc, .fini = close_device);

/* Nothing of it goes anywhere. */
static void expect_wrong(const char *words)
{
	cr_expect_eq(vx_wr_complete(wr), -EINVAL, "%s", words);
	expect_reason(words);
	cr_expect_eq(room(), all);
}

static void send_to(uint32_t number)
{
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	vx_wr_set_xrc_srqn(wr, number);
}

Test(guard_xrc, needs_an_srq_once)
{
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	expect_wrong("request 1 (vx_wr_send, wr_id = 0x7): it has no address: vx_wr_set_xrc_srqn() must follow");
	send_to(5);
	vx_wr_set_xrc_srqn(wr, 6);
	expect_wrong("has that already which vx_wr_set_xrc_srqn() would give it");
}

Test(guard_xrc, takes_no_number_that_no_srq_has)
{
	struct ibv_send_wr one = { .wr_id = 7, .opcode = IBV_WR_SEND, .qp_type.xrc.remote_srqn = 0x1000000 };

	send_to(0x1000000);
	expect_wrong("has 0x1000000 as the number of its peer, and the most is 0xffffff");
	cr_expect_eq(vx_qp_post_send(qp, &one, NULL), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_SEND): it has 0x1000000 as the number of its peer, and the most is 0xffffff");
	send_to(0xffffff);
	made(vx_wr_complete(wr));
}

/* They have no place for the number. */
Test(guard_xrc, posts_nothing_in_one_line_that_goes_somewhere)
{
	cr_expect_eq(vx_qp_post_send_one(qp, 7, 0, NULL, 0), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_SEND): it has 0 as the number of the peer's SRQ, which vx_srq_get_num() tells there: "
		      "vx_wr_set_xrc_srqn(), or qp_type.xrc.remote_srqn of vx_qp_post_send()");
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, NULL, 0, 1, 0), -EINVAL);
	expect_reason("has 0 as the number of the peer's SRQ");
	made(vx_qp_post_local_inv(qp, 7, 0, 0x123400));
	cr_expect_eq(room(), all - 1);
}

/* Of which libmlx5 would follow the queue. */
Test(guard_xrc, has_no_receives)
{
	struct vx_xrcd *xrcd;

	cr_expect_eq(vx_qp_post_recv_one(qp, 7, NULL, 0), -EINVAL);
	expect_reason("vx_qp_post_recv on mlx5_0 qp ");
	expect_reason("request 1 of 1 (wr_id = 0x7): the receive queue was made for no requests (max_recv_wr = 0)");
	made(vx_xrcd_create(ctx, NULL, &xrcd));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd, .checked = true }, &qp));
	made(vx_qp_to_init(qp, NULL));
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, NULL, 0), -EINVAL);
	expect_reason("the receive queue was made for no requests (max_recv_wr = 0)");
}
