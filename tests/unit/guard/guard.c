/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs: what is let pass, and what is refused, with nothing posted. */

#include <errno.h>

#include "guard_bed.h"

TestSuite(guard, .init = open_checked, .fini = close_device);

Test(guard, lets_pass_what_is_right)
{
	const struct ibv_sge list[2] = { { at(0), 8, lkey }, { at(16), 8, lkey } };
	struct ibv_data_buf buffers[2] = { { memory, 8 }, { memory, 8 } };

	memory[0] = 5;
	wr = vx_wr_start(qp);
	write_one(1, 0);
	vx_wr_rdma_write(wr, 2, 0, vx_mr_rkey(mr), at(2048));
	vx_wr_set_sge_list(wr, 2, list);
	vx_wr_rdma_write(wr, 3, 0, vx_mr_rkey(mr), at(3072));
	vx_wr_set_inline_data(wr, memory, 8);
	vx_wr_rdma_write(wr, 4, 0, vx_mr_rkey(mr), at(3096));
	vx_wr_set_inline_data_list(wr, 2, buffers);
	vx_wr_rdma_read(wr, 5, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(512), 8);
	vx_wr_atomic_fetch_add(wr, 6, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at(0), 1);
	vx_wr_set_sge(wr, lkey, at(520), 8);
	made(vx_wr_complete(wr));
	poll_all(1);
	cr_expect_eq(memory[1024], 5);
	cr_expect_eq(memory[2056], 0);
	cr_expect_eq(memory[3072], 5);
	cr_expect_eq(memory[512], 5);
	cr_expect_eq(memory[0], 6);
}

Test(guard, tells_of_a_request_without_data)
{
	wr = vx_wr_start(qp);
	write_one(6, 0);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	expect_refused(-EINVAL, "request 2 (vx_wr_rdma_write, wr_id = 0x7): it has no data: vx_wr_set_sge() or another must follow");
}

Test(guard, tells_of_it_as_well_when_another_request_follows)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	write_one(8, 0);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7): it has no data");
}

Test(guard, tells_of_data_given_twice)
{
	wr = vx_wr_start(qp);
	write_one(7, 0);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7): it has that already which vx_wr_set_sge() would give it");
}

Test(guard, tells_of_a_setter_of_another_type)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_ud_addr(wr, way_back(), 1, 2);
	expect_refused(-EINVAL, "takes no vx_wr_set_ud_addr(), a QP of type IBV_QPT_RC has its address");
}

Test(guard, tells_of_a_setter_before_all_requests)
{
	wr = vx_wr_start(qp);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	expect_refused(-EINVAL, "vx_wr_set_sge() before the first request of the list");
}

Test(guard, tells_of_an_operation_that_the_qp_was_not_made_for)
{
	wr = vx_wr_start(qp);
	vx_wr_send_imm(wr, 7, 0, 0);
	expect_refused(-EOPNOTSUPP, "request 1 (vx_wr_send_imm, wr_id = 0x7): the QP was made without IBV_QP_EX_WITH_SEND_WITH_IMM");
}

Test(guard, tells_of_a_qp_without_builders)
{
	qp = new_checked(IBV_QPT_RC, 0);
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	cr_expect_eq(vx_wr_complete(wr), -EOPNOTSUPP);
	expect_reason("the QP was made without .send_ops_flags");
	made(vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, &(struct ibv_sge){ at(0), 8, lkey }, 1, vx_mr_rkey(mr), at(8)));
	poll_all(1);
}

Test(guard, tells_of_data_inline_of_what_reads)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_read(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data(wr, memory, 8);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_read, wr_id = 0x7): it takes no data inline");
}

Test(guard, tells_of_too_much_data)
{
	const struct ibv_sge list[5] = { { 0 } };
	uint32_t most = vx_qp_raw(qp)->qp_num ? 4096 : 0;

	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data(wr, memory, most);
	expect_refused(-EINVAL, "has 4096 bytes inline, and the QP was made with max_inline_data = ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data_list(wr, 2, (struct ibv_data_buf[]){ { memory, SIZE_MAX / 2 + 1 }, { memory, SIZE_MAX / 2 + 1 } });
	expect_refused(-EINVAL, " bytes inline, and the QP was made with max_inline_data = ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge_list(wr, 100, list);
	expect_refused(-EINVAL, "has 100 entries, and the QP was made with max_send_sge = ");
	wr = vx_wr_start(qp);
	vx_wr_atomic_fetch_add(wr, 7, 0, vx_mr_rkey(mr), at(0), 1);
	vx_wr_set_sge(wr, lkey, at(0), 4);
	expect_refused(-EINVAL, "request 1 (vx_wr_atomic_fetch_add, wr_id = 0x7): it has 4 bytes, and an atomic operation has 8");
}

Test(guard, tells_of_a_qp_that_cannot_send_yet)
{
	struct vx_qp *early = new_checked(IBV_QPT_RC, ALL);

	wr = vx_wr_start(early);
	write_one(7, 0);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("the QP is in INIT, and sends from RTS on");
}

Test(guard, tells_of_what_is_outside_of_a_list)
{
	wr = vx_wr_start(qp);
	vx_wr_abort(wr);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(0), 8);
	wr = vx_wr_start(qp);
	write_one(8, 0);
	expect_refused(-EINVAL, "vx_wr_rdma_write() was called before vx_wr_start() or after vx_wr_complete()");
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("no list was begun");
}

Test(guard, does_not_wait_for_ever)
{
	struct ibv_send_wr *bad;
	struct ibv_send_wr one = { .wr_id = 9, .opcode = IBV_WR_SEND };

	wr = vx_wr_start(qp);
	cr_expect_eq(vx_wr_start(qp), wr);
	expect_refused(-EDEADLK, "vx_wr_start() was called a second time");
	wr = vx_wr_start(qp);
	cr_expect_eq(vx_qp_post_send(qp, &one, &bad), -EDEADLK);
	expect_reason("between vx_wr_start() and vx_wr_complete()");
	cr_expect_eq(bad, &one);
	made(vx_wr_complete(wr));
}

/* Draining would post to it, and libmlx5 would wait for the list to end, however short the time. */
Test(guard, is_not_drained_or_reset_within_a_list)
{
	wr = vx_wr_start(qp);
	write_one(8, 0);
	cr_expect_eq(vx_qp_drain(qp, 100, NULL, NULL), -EINVAL);
	expect_reason("this thread is between vx_wr_start() and vx_wr_complete() of it");
	cr_expect_eq(vx_qp_reset(qp), -EINVAL);
	cr_expect_eq(vx_qp_to_err(qp), -EINVAL);
	vx_wr_abort(wr);
	made(vx_qp_to_err(qp));
}

Test(guard, is_not_closed_within_a_list)
{
	wr = vx_wr_start(qp);
	write_one(8, 0);
	cr_expect_eq(vx_close(qp), -EINVAL);
	expect_reason("vx_close on mlx5_0 qp ");
	expect_reason("this thread is between vx_wr_start() and vx_wr_complete() of it");
	made(vx_wr_complete(wr));
	made(vx_close(qp));
}

/* The provider's list would go on for ever, and libmlx5 hold the lock of the queue that the program posts to then. */
Test(guard, is_not_given_back_within_a_list)
{
	struct ibv_qp *raw;

	wr = vx_wr_start(qp);
	write_one(8, 0);
	cr_expect_null(vx_give_back(qp));
	expect_reason("vx_give_back on mlx5_0 qp ");
	expect_reason("this thread is between vx_wr_start() and vx_wr_complete() of it");
	made(vx_wr_complete(wr));
	raw = vx_give_back(qp);
	cr_assert_not_null(raw, "%s", vx_error_text());
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

/* Nothing of it is posted. */
Test(guard, is_closed_within_a_list_with_its_pd)
{
	wr = vx_wr_start(qp);
	write_one(8, 0);
	made(vx_close(pd));
}

Test(guard, of_an_aborted_list_posts_nothing)
{
	const uint32_t before = room();

	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED);
	vx_wr_abort(wr);
	cr_expect_eq(room(), before);
}

/* ---- what is not there ---- */

Test(guard, tells_of_an_atomic_operation_between_words)
{
	const struct ibv_sge eight = { at(0), 8, lkey };

	wr = vx_wr_start(qp);
	vx_wr_atomic_fetch_add(wr, 7, 0, vx_mr_rkey(mr), at(12), 1);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	expect_refused(-EINVAL, "request 1 (vx_wr_atomic_fetch_add, wr_id = 0x7): remote_addr = 0x");
	cr_expect_eq(vx_qp_post_atomic_fetch_add(qp, 7, 0, &eight, 1, vx_mr_rkey(mr), at(12), 1), -EINVAL);
	expect_reason("is no multiple of 8, as that of an atomic operation is");
}

Test(guard, tells_of_no_data)
{
	const char *none = NULL;

	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge_list(wr, 2, NULL);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7): it has 2 entries, and the list of them is NULL");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data(wr, none, 8);
	expect_refused(-EINVAL, "has 8 bytes inline, and where they are is NULL");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data_list(wr, 2, NULL);
	expect_refused(-EINVAL, "has 2 pieces inline, and the list of them is NULL");
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, NULL, 2, vx_mr_rkey(mr), at(0)), -EINVAL);
	expect_reason("it has 2 entries, and the list of them is NULL");
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, NULL, 1), -EINVAL);
	expect_reason("it has 1 entries, and the list of them is NULL");
}

/* ---- adopted ---- */

Test(guard, before_an_adopted_qp_knows_its_operations)
{
	struct ibv_qp_init_attr_ex attr = { .send_cq = vx_cq_raw(done), .recv_cq = vx_cq_raw(done), .qp_type = IBV_QPT_RC, .pd = vx_pd_raw(pd),
					    .cap = { .max_send_wr = 4, .max_send_sge = 1 }, .sq_sig_all = 1, .send_ops_flags = ALL,
					    .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS };
	struct ibv_qp *raw = ibv_create_qp_ex(vx_ctx_raw(ctx), &attr);
	uint32_t depth;

	made(vx_qp_adopt(pd, raw, &qp));
	made(vx_qp_check(qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	depth = room();
	wr = vx_wr_start(qp);
	write_one(1, 0);
	made(vx_wr_complete(wr));
	cr_expect_eq(room(), depth - 1);
	poll_all(1);
	cr_expect_eq(room(), depth);
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("has no data");
}

Test(guard, tells_of_flags_that_nobody_knows)
{
	struct ibv_sge entry = { at(0), 8, lkey };

	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED | 0x1000);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7): wr_flags has 0x1000, which is none of enum ibv_send_flags");
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED | 0x1000, &entry, 1, vx_mr_rkey(mr), at(1024)), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_RDMA_WRITE): send_flags has 0x1000, which is none of enum ibv_send_flags");
}

Test(guard, tells_of_checksums_that_no_connected_qp_computes)
{
	struct ibv_sge entry = { at(0), 8, lkey };
	struct ibv_send_wr send = { .wr_id = 7, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_IP_CSUM, .sg_list = &entry, .num_sge = 1 }, *bad;

	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_IP_CSUM);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7): wr_flags has IBV_SEND_IP_CSUM, which is for QPs of type IBV_QPT_UD and "
				"IBV_QPT_RAW_PACKET, of devices whose device_cap_flags has IBV_DEVICE_UD_IP_CSUM or IBV_DEVICE_RAW_IP_CSUM");
	cr_expect_eq(vx_qp_post_send(qp, &send, &bad), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_SEND): send_flags has IBV_SEND_IP_CSUM, which is for QPs of type IBV_QPT_UD");
}

Test(guard, tells_of_an_address_that_a_post_in_one_line_gives_a_connected_qp)
{
	const char *words = "a QP of type IBV_QPT_RC has its address, and vx_qp_post_send_to() and its like give one: vx_qp_post_send_one()";
	struct ibv_sge entry = { at(0), 8, lkey };
	struct vx_ah *ah = way_back();

	cr_expect_eq(vx_qp_post_send_to(qp, 7, IBV_SEND_SIGNALED, &entry, 1, ah, 5, 6), -EINVAL);
	expect_reason(words);
	cr_expect_eq(vx_qp_post_send_imm_to(qp, 7, IBV_SEND_SIGNALED, &entry, 1, 8, ah, 5, 6), -EINVAL);
	expect_reason(words);
}

/* What a structure has that was one of a UD QP before. */
Test(guard, minds_no_address_that_nobody_gives)
{
	struct ibv_sge entry = { at(0), 8, lkey };
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = &entry, .num_sge = 1 };

	request.wr.ud.ah = vx_ah_raw(way_back());
	made(vx_qp_post_recv_one(qp, 8, &entry, 1));
	made(vx_qp_post_send(qp, &request, NULL));
	poll_all(1);
}
