/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs: what is let pass, and what is refused, with nothing posted. */

#include <errno.h>
#include <pthread.h>

#include "bed.h"

#define ROOM 4096
#define ALL (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

static char memory[2 * ROOM] __attribute__((aligned(4096)));
static struct vx_mr *mr;
static uint32_t lkey;
static struct vx_cq *done;
static struct vx_wr *wr;

static struct vx_qp *new_checked(enum ibv_qp_type type, uint64_t ops)
{
	struct vx_qp_init init = { .send_cq = done, .recv_cq = done, .qp_type = type, .send_ops_flags = ops, .checked = true,
				   .cap = { .max_send_wr = 16, .max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = 64 } };
	struct vx_qp *out;

	made(vx_qp_create(pd, &init, &out));
	made(vx_qp_to_init(out, &(struct vx_path){ .qkey = 0x1234, .access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC }));
	return out;
}

static void open_checked(void)
{
	open_device();
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1000, .wc_flags = IBV_WC_STANDARD_FLAGS }, &done));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = ROOM, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC }, &mr));
	lkey = vx_mr_lkey(mr);
	qp = new_checked(IBV_QPT_RC, ALL);
	connect_to(qp, qp);
}

TestSuite(guard, .init = open_checked, .fini = close_device);

static uint64_t at(size_t offset)
{
	return (uintptr_t)memory + offset;
}

static void write_one(uint64_t wr_id, unsigned int flags)
{
	vx_wr_rdma_write(wr, wr_id, flags, vx_mr_rkey(mr), at(1024));
	vx_wr_set_sge(wr, lkey, at(0), 8);
}

static uint32_t room(void)
{
	uint32_t out = 0;

	made(vx_qp_room(qp, &out));
	return out;
}

/* Polls until so many have completed, all of them well. */
static void poll_all(int count)
{
	struct ibv_wc wc;
	int rc;

	while (count > 0) {
		rc = vx_cq_poll(done, 1, &wc);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
		if (rc)
			cr_expect_eq(wc.status, IBV_WC_SUCCESS, "%d", wc.status);
		count -= rc;
	}
}

/* The list is refused, says why, and posts nothing: the next goes through. */
static void expect_refused(int code, const char *words)
{
	const uint32_t before = room();

	cr_expect_eq(vx_wr_complete(wr), code, "%s", words);
	expect_reason(words);
	cr_expect_str_eq(vx_error()->call, "vx_wr_complete");
	cr_expect_geq(room(), before);
	if (!room())
		return;
	wr = vx_wr_start(qp);
	write_one(1, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	poll_all(1);
}

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

/* ---- slots ---- */

static uint32_t fill_queue(unsigned int flags)
{
	const uint32_t depth = room();
	uint32_t i;

	wr = vx_wr_start(qp);
	for (i = 0; i < depth; i++)
		write_one(i, i + 1 == depth ? flags : 0);
	made(vx_wr_complete(wr));
	cr_expect_eq(room(), 0);
	return depth;
}

Test(guard, tells_of_a_full_queue)
{
	uint32_t depth;
	char text[96];

	depth = fill_queue(IBV_SEND_SIGNALED);
	snprintf(text, sizeof(text), "the send queue is full (max_send_wr = %u): %u requests are posted", depth, depth);
	wr = vx_wr_start(qp);
	write_one(7, 0);
	expect_refused(-EAGAIN, text);
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, NULL, 0, 0, 0), -EAGAIN);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_RDMA_WRITE): the send queue is full (max_send_wr = ");
	poll_all(1);
	cr_expect_eq(room(), depth);
	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	poll_all(1);
}

Test(guard, counts_what_is_polled_one_by_one)
{
	const uint32_t depth = fill_queue(IBV_SEND_SIGNALED);
	struct vx_wc *wc;
	int rc;

	do
		rc = vx_cq_start_poll(done, &wc);
	while (!rc);
	cr_assert_eq(rc, 1);
	cr_expect_eq(vx_wc_wr_id(wc), depth - 1);
	cr_expect_eq(vx_wc_status(wc), IBV_WC_SUCCESS);
	cr_expect_eq(vx_wc_next(wc), 0);
	cr_expect_eq(room(), depth);
}

/* Without them nobody knows whose a completion is, and a list goes on where libmlx5 crashes. */
Test(guard, counts_by_the_numbers_of_qps_in_a_checked_cq)
{
	struct vx_qp_init init = { .send_ops_flags = ALL, .checked = true, .cap = { .max_send_wr = 16, .max_send_sge = 1 } };
	uint32_t depth;
	struct vx_wc *wc;
	int rc;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_BYTE_LEN, .checked = true }, &done));
	init.send_cq = init.recv_cq = done;
	made(vx_qp_create(pd, &init, &qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	depth = fill_queue(IBV_SEND_SIGNALED);
	do
		rc = vx_cq_start_poll(done, &wc);
	while (!rc);
	cr_assert_eq(rc, 1);
	vx_wc_end(wc);
	cr_expect_eq(room(), depth);
	fill_queue(0);
	wr = vx_wr_start(qp);
	write_one(7, 0);
	cr_expect_eq(vx_wr_complete(wr), -EAGAIN);
}

Test(guard, is_not_made_where_completions_do_not_tell_whose_they_are)
{
	struct vx_qp_init init = { .checked = true };
	struct vx_qp *out;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_BYTE_LEN }, &done));
	init.send_cq = init.recv_cq = done;
	cr_expect_eq(vx_qp_create(pd, &init, &out), -EINVAL);
	expect_reason("vx_qp_create on mlx5_0 cq ");
	expect_reason("send_cq was made with .wc_flags without IBV_WC_EX_WITH_QP_NUM");
	init.checked = false;
	made(vx_qp_create(pd, &init, &out));
	cr_expect_eq(vx_qp_check(out), -EINVAL);
}

/* Of an adopted CQ it is not known until it is polled. */
/* A window is bound by a request in the same queue. */
Test(guard, counts_windows_that_are_bound)
{
	struct vx_mw *mw;
	struct vx_mr *bindable;
	struct ibv_mw_bind bind = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED };
	const uint32_t depth = room();

	made(vx_mw_create(pd, NULL, &mw));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &bindable));
	bind.bind_info = (struct ibv_mw_bind_info){ .mr = vx_mr_raw(bindable), .addr = (uintptr_t)vx_mr_addr(bindable), .length = 64,
						    .mw_access_flags = IBV_ACCESS_REMOTE_READ };
	made(vx_qp_bind_mw(qp, mw, &bind));
	cr_expect_eq(room(), depth - 1);
	poll_all(1);
	cr_expect_eq(room(), depth);
	fill_queue(IBV_SEND_SIGNALED);
	cr_expect_eq(vx_qp_bind_mw(qp, mw, &bind), -EAGAIN);
	expect_reason("vx_qp_bind_mw on mlx5_0 qp ");
	expect_reason("the send queue is full (max_send_wr = ");
	poll_all(1);
	wr = vx_wr_start(qp);
	cr_expect_eq(vx_qp_bind_mw(qp, mw, &bind), -EDEADLK);
	vx_wr_abort(wr);
	made(vx_qp_reset(qp));
	cr_expect_eq(vx_qp_bind_mw(qp, mw, &bind), -EINVAL);
	expect_reason("the QP is in RESET, and sends from RTS on");
}

Test(guard, tells_of_a_cq_whose_completions_do_not_tell_whose_they_are)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };
	struct ibv_cq_ex *raw = ibv_create_cq_ex(vx_ctx_raw(ctx), &attr);
	struct vx_wc *wc;

	made(vx_cq_adopt(ctx, ibv_cq_ex_to_cq(raw), &done));
	made(vx_cq_check(done));
	cr_expect_eq(vx_cq_start_poll(done, &wc), 0, "nobody is to be counted");
	new_checked(IBV_QPT_RC, 0);
	cr_expect_eq(vx_cq_start_poll(done, &wc), -EOPNOTSUPP);
	expect_reason("vx_cq_start_poll on mlx5_0 cq ");
	expect_reason("the CQ was made without IBV_WC_EX_WITH_QP_NUM in .wc_flags");
}

Test(guard, tells_of_a_cq_whose_completions_are_no_more_than_structures)
{
	struct vx_wc *wc;

	made(vx_cq_create(ctx, NULL, &done));
	new_checked(IBV_QPT_RC, 0);
	cr_expect_eq(vx_cq_start_poll(done, &wc), -EOPNOTSUPP);
	expect_reason("vx_cq_start_poll on mlx5_0 cq ");
	expect_reason("the CQ was made without .wc_flags: vx_cq_poll()");
}

Test(guard, has_all_slots_again_after_reset)
{
	const uint32_t depth = fill_queue(0);

	made(vx_qp_reset(qp));
	cr_expect_eq(room(), depth);
}

Test(guard, has_slots_again_as_requests_fail)
{
	const uint32_t depth = fill_queue(0);
	struct ibv_wc wc;
	uint32_t posted = 0, flushed = 0;

	made(vx_qp_reset(qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	break_qp(qp);
	while (!vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, NULL, 0, 0, 0))
		posted++;
	cr_expect_eq(posted, depth);
	cr_expect_eq(room(), 0);
	while (flushed < posted)
		flushed += vx_cq_poll(done, 1, &wc) == 1;
	cr_expect_eq(wc.status, IBV_WC_WR_FLUSH_ERR);
	cr_expect_eq(room(), depth);
}

static void see(const struct ibv_wc *wc, void *data)
{
	(void)wc;
	(void)data;
}

Test(guard, has_slots_again_as_another_qp_is_drained)
{
	struct vx_qp *other = new_checked(IBV_QPT_RC, ALL);
	const uint32_t depth = fill_queue(IBV_SEND_SIGNALED);

	connect_to(other, other);
	while (!room())
		made(vx_qp_drain(other, 5000, see, NULL));
	cr_expect_eq(room(), depth);
}

Test(guard, not_asked_for_tells_no_room)
{
	uint32_t out;

	qp = new_qp_in_init(done, IBV_QPT_RC, NULL);
	cr_expect_eq(vx_qp_room(qp, &out), -EINVAL);
	expect_reason("it is not checked");
	made(vx_qp_check(qp));
	made(vx_qp_check(qp));
	cr_expect_geq(room(), 128);
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

Test(guard, tells_of_no_window)
{
	const struct ibv_mw_bind_info info = { .mr = vx_mr_raw(mr), .addr = at(0), .length = 8 };

	qp = new_checked(IBV_QPT_RC, ALL | IBV_QP_EX_WITH_BIND_MW);
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_wr_bind_mw(wr, 7, 0, NULL, 1, &info);
	expect_refused(-EINVAL, "request 1 (vx_wr_bind_mw, wr_id = 0x7): mw is NULL");
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

/* ---- regions ---- */

Test(guard, keeps_to_regions)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(ROOM - 7), 8);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7) has an entry, number 1, that ends at byte 4097 of mlx5_0 mr ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(0) - 1, 8);
	expect_refused(-EINVAL, "begins 1 bytes before mlx5_0 mr ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(ROOM - 8), 8);
	made(vx_wr_complete(wr));
	poll_all(1);
}

Test(guard, keeps_to_regions_of_its_pd_that_it_may_write_to)
{
	struct vx_mr *foreign, *only_read;
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	made(vx_mr_create(other, &(struct vx_mr_init){ .length = 64 }, &foreign));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .flags = VX_MR_READ_ONLY }, &only_read));
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, vx_mr_lkey(foreign), (uintptr_t)vx_mr_addr(foreign), 8);
	expect_refused(-EINVAL, "which is of another PD");
	wr = vx_wr_start(qp);
	vx_wr_rdma_read(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, vx_mr_lkey(only_read), (uintptr_t)vx_mr_addr(only_read), 8);
	expect_refused(-EINVAL, "which lacks IBV_ACCESS_LOCAL_WRITE");
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, &(struct ibv_sge){ (uintptr_t)vx_mr_addr(only_read), 8, vx_mr_lkey(only_read) }, 1), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7): entry 1 is of mlx5_0 mr");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, vx_mr_lkey(only_read), (uintptr_t)vx_mr_addr(only_read), 8);
	made(vx_wr_complete(wr));
	poll_all(1);
}

Test(guard, knows_what_has_become_of_a_region)
{
	enum vx_mr_state state;
	uint32_t old = lkey;

	wr = vx_wr_start(qp);
	write_one(1, 0);
	made(vx_wr_complete(wr));
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = memory, .length = 16 }, &state));
	lkey = vx_mr_lkey(mr);
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(0), 17);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("ends at byte 17 of mlx5_0 mr");
	made(vx_close(mr));
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, 0, at(0));
	vx_wr_set_sge(wr, old, at(0), 17); /* nobody knows */
	vx_wr_abort(wr);
}

/* ---- ibv_post_send(3) and ibv_post_recv(3) ---- */

Test(guard, posts_what_is_before_the_one_that_is_wrong)
{
	struct ibv_sge good = { at(0), 8, lkey }, bad = { at(ROOM), 8, lkey };
	struct ibv_send_wr second = { .wr_id = 8, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &bad, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr first = { .wr_id = 7, .next = &second, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &good, .num_sge = 1,
				     .send_flags = IBV_SEND_SIGNALED, .wr.rdma = { at(1024), vx_mr_rkey(mr) } };
	struct ibv_send_wr *which = NULL;
	const uint32_t before = room();

	cr_expect_eq(vx_qp_post_send(qp, &first, &which), -EINVAL);
	cr_expect_eq(which, &second);
	expect_reason("request 2 of 2 (wr_id = 0x8, IBV_WR_RDMA_WRITE): entry 1 ends at byte 4104 of mlx5_0 mr");
	cr_expect_eq(room(), before - 1);
	poll_all(1);
	cr_expect_eq(room(), before);
}

Test(guard, posts_receives_before_the_one_that_is_wrong)
{
	struct ibv_sge good = { at(0), 8, lkey }, bad = { at(ROOM), 8, lkey };
	struct ibv_recv_wr second = { .wr_id = 8, .sg_list = &bad, .num_sge = 1 };
	struct ibv_recv_wr first = { .wr_id = 7, .next = &second, .sg_list = &good, .num_sge = 1 }, *which = NULL;

	cr_expect_eq(vx_qp_post_recv(qp, &first, &which), -EINVAL);
	cr_expect_eq(which, &second);
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 9, IBV_SEND_SIGNALED);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	made(vx_wr_complete(wr));
	poll_all(2);
	second.sg_list = &good;
	second.num_sge = 100;
	cr_expect_eq(vx_qp_post_recv(qp, &second, &which), -EINVAL);
	expect_reason("num_sge = 100, and it was made with max_recv_sge = ");
}

Test(guard, of_an_srq_looks_at_receives)
{
	struct ibv_sge bad = { at(ROOM), 8, lkey };
	struct vx_srq *srq;

	made(vx_srq_create(pd, &(struct vx_srq_init){ .checked = true }, &srq));
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &bad, 1), -EINVAL);
	expect_reason("ibv_post_srq_recv on mlx5_0 srq");
	expect_reason("request 1 of 1 (wr_id = 0x7): entry 1 ends at byte 4104");
	bad.addr = at(0);
	made(vx_srq_post_recv_one(srq, 7, &bad, 1));
	made(vx_srq_create(pd, NULL, &srq));
	made(vx_srq_check(srq));
	bad.addr = at(ROOM);
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &bad, 1), -EINVAL);
}

/* Null regions of all PDs have one key with libmlx5, as it gives that of the device. */
Test(guard, takes_a_key_for_that_of_its_own_pd)
{
	struct ibv_mr same = *vx_mr_raw(mr);
	struct ibv_sge entry = { at(0), 8, lkey };
	struct vx_mr *foreign;
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	same.pd = vx_pd_raw(other);
	made(vx_mr_borrow(other, &same, &foreign));
	made(vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), at(1024)));
	poll_all(1);
	entry.addr = at(ROOM);
	cr_expect_eq(vx_qp_post_rdma_write(qp, 1, 0, &entry, 1, vx_mr_rkey(mr), at(1024)), -EINVAL);
	expect_reason("entry 1 ends at byte 4104");
	made(vx_close(foreign));
}

/* libmlx5 does not tell the PD of such an SRQ. */
Test(guard, of_an_xrc_srq_looks_at_receives)
{
	struct ibv_sge entry = { at(0), 8, lkey };
	struct vx_xrcd *xrcd;
	struct vx_srq *srq;

	made(vx_xrcd_create(ctx, NULL, &xrcd));
	made(vx_srq_create(pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = xrcd, .cq = done, .checked = true }, &srq));
	made(vx_srq_post_recv_one(srq, 7, &entry, 1));
	entry.addr = at(ROOM);
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &entry, 1), -EINVAL);
	expect_reason("entry 1 ends at byte 4104");
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
