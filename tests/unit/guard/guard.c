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
	expect_refused(-EINVAL, "request 2 (vx_wr_rdma_write, wr_id = 0x7) has no data: vx_wr_set_sge() or another must follow");
}

Test(guard, tells_of_it_as_well_when_another_request_follows)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	write_one(8, 0);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7) has no data");
}

Test(guard, tells_of_data_given_twice)
{
	wr = vx_wr_start(qp);
	write_one(7, 0);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7) has that already which vx_wr_set_sge() would give it");
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
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_read, wr_id = 0x7) takes no data inline");
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
	expect_refused(-EINVAL, "request 1 (vx_wr_atomic_fetch_add, wr_id = 0x7) has 4 bytes, and an atomic operation has 8");
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

/* ---- UD ---- */

static struct vx_qp *new_datagram(void)
{
	struct vx_qp *out = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);

	made(vx_qp_to_rts(out, &(struct vx_path){ .qkey = 0x1234 }));
	return out;
}

Test(guard, of_datagrams_needs_an_address_of_its_pd)
{
	struct vx_ah *ah = way_back(), *foreign;
	struct vx_pd *own = pd, *other;

	made(vx_pd_create(ctx, NULL, &other));
	pd = other;
	foreign = way_back();
	pd = own;
	qp = new_datagram();
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 1 (vx_wr_send, wr_id = 0x7) has no address: vx_wr_set_ud_addr() must follow");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, foreign, 1, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("has an AH of another PD");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, ah, vx_qp_raw(qp)->qp_num, 0x1234);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("has no data");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, IBV_SEND_SIGNALED);
	vx_wr_set_ud_addr(wr, ah, vx_qp_raw(qp)->qp_num, 0x1234);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	made(vx_wr_complete(wr));
	poll_all(1);
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, foreign, 1, 2), -EINVAL);
	expect_reason("wr.ud.ah is of another PD");
}

/* By builder and by list, both with what had the handle: that may be gone as well. */
static void expect_no_peer(struct ibv_ah *ah, const char *of_builder, const char *of_list)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_SEND, .wr.ud.ah = ah };

	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	ibv_wr_set_ud_addr(vx_wr_ex(wr), ah, 1, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason(of_builder);
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason(of_list);
}

static void send_to(struct ibv_ah *ah)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
				       .wr.ud = { ah, vx_qp_raw(qp)->qp_num, 0x1234 } };

	made(vx_qp_post_send(qp, &request, NULL));
	poll_all(1);
}

/* They are looked up, as their memory is somebody else's. */
Test(guard, of_datagrams_follows_no_address_that_was_closed)
{
	struct vx_ah *ah = way_back();
	struct ibv_ah *raw = vx_ah_raw(ah);

	qp = new_datagram();
	send_to(raw);
	send_to(raw);
	made(vx_close(ah));
	expect_no_peer(raw, "has an AH that was closed, or is none", "wr.ud.ah is one that was closed, or is none");
	expect_no_peer((void *)0x123450, "has an AH that was closed, or is none", "wr.ud.ah is one that was closed, or is none");
	send_to(vx_ah_raw(way_back()));
}

/* What has no handle is known by its context and its PD, as far as these are. */
Test(guard, of_datagrams_lets_pass_addresses_without_a_handle)
{
	struct ibv_ah *stranger = vx_give_back(way_back()), *foreign;
	struct vx_pd *own = pd, *other;

	made(vx_pd_create(ctx, NULL, &other));
	pd = other;
	foreign = vx_give_back(way_back());
	pd = own;
	cr_assert(stranger && foreign);
	qp = new_datagram();
	send_to(stranger);
	expect_no_peer(foreign, "has an AH of another PD", "wr.ud.ah is of another PD");
	ibv_destroy_ah(foreign);
	ibv_destroy_ah(stranger);
}

/* A device fails what comes, and nobody sees why. */
Test(guard, of_datagrams_receives_behind_forty_bytes)
{
	struct ibv_sge entry = { at(0), 39, lkey };
	struct vx_pool_init init = { .count = 2, .size = 64, .headroom = 39 };
	struct vx_pool *pool;

	qp = new_datagram();
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, &entry, 1), -EINVAL);
	expect_reason("it has 39 bytes, and a datagram comes behind 40 for a GRH");
	entry.length = 40;
	made(vx_qp_post_recv_one(qp, 7, &entry, 1));
	made(vx_pool_create(pd, &init, &pool));
	cr_expect_eq(vx_pool_post_recv(pool, qp, 1), -EINVAL);
	expect_reason("it was made with headroom = 39, and datagrams come behind 40 bytes for a GRH");
	cr_expect_eq(vx_pool_left(pool), 2);
	init.headroom = 40;
	made(vx_pool_create(pd, &init, &pool));
	made(vx_pool_post_recv(pool, qp, 1));
}

/* Kernels count the handles of each context anew. */
Test(guard, of_datagrams_knows_an_address_of_another_context_by_that)
{
	struct vx_ctx *own_ctx = ctx, *other_ctx;
	struct vx_pd *own = pd, *other;
	struct ibv_ah *foreign;
	struct vx_ah *ah;
	uint32_t handle;

	made(vx_ctx_open_index(0, &other_ctx));
	made(vx_pd_create(other_ctx, NULL, &other));
	handle = vx_pd_raw(other)->handle;
	vx_pd_raw(other)->handle = vx_pd_raw(pd)->handle;
	ctx = other_ctx;
	pd = other;
	ah = way_back();
	foreign = vx_ah_raw(ah);
	ctx = own_ctx;
	pd = own;
	qp = new_datagram();
	expect_no_peer(foreign, "has an AH of another context", "wr.ud.ah is of another context");
	vx_pd_raw(other)->handle = handle;
	cr_assert_eq(vx_give_back(ah), foreign);
	expect_no_peer(foreign, "has an AH of another context", "wr.ud.ah is of another context");
	ibv_destroy_ah(foreign);
	made(vx_close(other_ctx));
}

/* Which has the same objects. */
Test(guard, of_datagrams_lets_pass_an_address_of_the_context_that_was_imported)
{
	struct vx_pd *own = pd, *shared;
	struct vx_ctx *imported;

	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &shared));
	made(vx_cq_create(imported, NULL, &done));
	pd = shared;
	qp = new_datagram();
	pd = own;
	send_to(vx_ah_raw(way_back()));
	made(vx_close(imported));
}

/* Providers cut it to 24 bits, and the datagram goes to somebody else. */
Test(guard, of_datagrams_takes_no_number_that_no_qp_has)
{
	struct vx_ah *ah = way_back();

	qp = new_datagram();
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, ah, 0x1000000, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 1 (vx_wr_send, wr_id = 0x7) has 0x1000000 as the number of its peer, and the most is 0xffffff");
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, ah, 0x1000000, 2), -EINVAL);
	expect_reason("remote_qpn = 0x1000000, and the most is 0xffffff");
}

Test(guard, of_datagrams_keeps_to_the_mtu)
{
	struct vx_mr *large;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 8192 }, &large));
	qp = new_datagram();
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, way_back(), 1, 2);
	vx_wr_set_sge(wr, vx_mr_lkey(large), (uintptr_t)vx_mr_addr(large), 4097);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("has 4097 bytes, and what a UD QP sends must fit into the port's MTU, 4096");
}

/* libmlx5 refuses it here, as it does of a QP that is not checked. */
Test(guard, of_datagrams_leaves_what_is_cut_to_the_device)
{
	struct ibv_sge entry = { at(0), ROOM, lkey };
	struct ibv_send_wr one = { .sg_list = (struct ibv_sge[]){ entry, entry }, .num_sge = 2, .opcode = IBV_WR_TSO, .tso.mss = 1024 };

	qp = new_datagram();
	one.wr.ud.ah = vx_ah_raw(way_back());
	cr_expect_eq(vx_qp_post_send(qp, &one, NULL), -EINVAL);
	cr_expect_null(strstr(vx_error_text(), "MTU"), "%s", vx_error_text());
}

/* ---- what is not there ---- */

Test(guard, of_a_ud_qp_tells_of_no_ah)
{
	qp = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = 0x1234 }));
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, IBV_SEND_SIGNALED);
	vx_wr_set_ud_addr(wr, NULL, 1, 2);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 1 (vx_wr_send, wr_id = 0x7) has no AH");
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, NULL, 1, 2), -EINVAL);
	expect_reason("wr.ud.ah is NULL");
}

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
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7) has 2 entries, and the list of them is NULL");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data(wr, none, 8);
	expect_refused(-EINVAL, "has 8 bytes inline, and where they are is NULL");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_inline_data_list(wr, 2, NULL);
	expect_refused(-EINVAL, "has 2 pieces inline, and the list of them is NULL");
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, NULL, 2, vx_mr_rkey(mr), at(0)), -EINVAL);
	expect_reason("sg_list is NULL, and num_sge = 2");
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, NULL, 1), -EINVAL);
	expect_reason("sg_list is NULL, and num_sge = 1");
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
