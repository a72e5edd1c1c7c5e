/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Builders that only mlx5 has, of checked QPs: what follows them, and how many slots they take. */

#include <errno.h>
#include <string.h>

#include <verbsx/version.h>

#include "guard_mlx5_bed.h"

TestSuite(guard_mlx5, .init = open_mlx5, .fini = close_device);

Test(guard_mlx5, lets_pass_a_key_with_all_of_its_setters)
{
	const uint32_t depth = room();
	struct ibv_wc wc;

	configure(2);
	set_access();
	set_layout();
	cr_expect_eq(room(), depth - 3);
	made(vx_wr_complete(wr));
	while (!vx_cq_poll(done, 1, &wc))
		;
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_eq(wc.wr_id, 7);
	cr_expect_eq(wc.opcode, (enum ibv_wc_opcode)MLX5DV_WC_UMR);
	cr_expect_eq(room(), depth);
	configure(0);
	made(vx_wr_complete(wr));
}

/* With a signature a key takes three WQEs: where fewer are free nobody has to find out which of them are lost. */
Test(guard_mlx5, a_key_is_refused_where_fewer_than_three_slots_are_free)
{
	const uint32_t depth = room();
	char text[128];
	uint32_t i;

	wr = vx_wr_start(qp);
	for (i = 0; i < depth - 2; i++) {
		vx_wr_rdma_write(wr, i, i + 1 == depth - 2 ? IBV_SEND_SIGNALED : 0, vx_mr_rkey(mr), (uintptr_t)vx_mr_addr(mr));
		vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8);
	}
	made(vx_wr_complete(wr));
	cr_expect_eq(room(), 2);
	snprintf(text, sizeof(text), "the send queue is full (max_send_wr = %u): %u requests are posted, the list takes 3 more, and vx_", depth, depth - 2);
	configure(0);
	expect_mlx5_refused(-EAGAIN, text);
}

Test(guard_mlx5, tells_of_too_few_setters)
{
	configure(2);
	set_access();
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mkey_configure, wr_id = 0x7): it lacks 1 of its setters");
	configure(1);
	vx_wr_rdma_write(wr, 8, 0, 0, 0);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mkey_configure, wr_id = 0x7): it lacks 1 of its setters");
}

Test(guard_mlx5, tells_of_setters_without_a_key)
{
	wr = vx_wr_start(qp);
	set_access();
	expect_mlx5_refused(-EINVAL, "vx_mlx5_wr_set_mkey_access_flags() before the first request of the list");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 8, 0, 0, 0);
	set_access();
	expect_mlx5_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x8): it takes no vx_mlx5_wr_set_mkey_access_flags()");
	configure(2);
	set_access();
	set_access();
	expect_mlx5_refused(-EINVAL, "has vx_mlx5_wr_set_mkey_access_flags() twice");
}

/* ---- copies ---- */

static void copy(const struct vx_mr *to, size_t to_offset, const struct vx_mr *from, size_t from_offset, size_t length)
{
	wr = vx_wr_start(qp);
	vx_mlx5_wr_memcpy(&mlx5, 7, IBV_SEND_SIGNALED, vx_mr_lkey(to), (uintptr_t)vx_mr_addr(to) + to_offset, vx_mr_lkey(from),
			  (uintptr_t)vx_mr_addr(from) + from_offset, length);
}

/* Of which a device tells by a completion, and the QP is in error. */
Test(guard_mlx5, refuses_copies_that_do_not_lie_in_their_regions)
{
	struct mlx5dv_qp_init_attr copies = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY };
	struct vx_mr *foreign, *read_only;
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	made(vx_mr_create(other, &(struct vx_mr_init){ .length = 64 }, &foreign));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_REMOTE_READ }, &read_only));
	qp = adopt_checked(IBV_QPT_RC, &copies);
	made(vx_qp_to_init(qp, NULL));
	connect_to(qp, qp);
	copy(mr, 4090, mr, 0, 12);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_memcpy, wr_id = 0x7): the destination ends at byte 4102 of mlx5_0 mr ");
	copy(mr, 0, mr, 4090, 12);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_memcpy, wr_id = 0x7): the source ends at byte 4102 of mlx5_0 mr ");
	copy(mr, 0, foreign, 0, 12);
	expect_mlx5_refused(-EINVAL, ": the source is of mlx5_0 mr ");
	expect_reason(", which is of another PD");
	copy(read_only, 0, mr, 0, 12);
	expect_mlx5_refused(-EINVAL, ": the destination is of mlx5_0 mr ");
	expect_reason(", which lacks IBV_ACCESS_LOCAL_WRITE, and it is written to");
	copy(mr, 0, read_only, 52, 12);
	made(vx_wr_complete(wr));
}

/* ---- what entries have no room for ---- */

static void interleave(uint32_t bytes, uint32_t skipped)
{
	struct mlx5dv_mr_interleaved pieces[] = { { .bytes_count = 8, .lkey = vx_mr_lkey(mr) },
						  { .bytes_count = bytes, .bytes_skip = skipped, .lkey = vx_mr_lkey(mr) } };

	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_interleaved(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 1, 2, pieces);
}

Test(guard_mlx5, tells_of_pieces_whose_length_has_no_room)
{
	const struct mlx5dv_mr_interleaved piece = { .bytes_count = 1, .bytes_skip = UINT32_MAX, .lkey = vx_mr_lkey(mr) };

	interleave(65535, 0);
	made(vx_wr_complete(wr));
	interleave(70000, 0);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mr_interleaved, wr_id = 0x7): bytes_count + bytes_skip of data[1] is 70000, "
				"which goes into 16 bits: at most 65535");
	interleave(65535, 1);
	expect_mlx5_refused(-EINVAL, "bytes_count + bytes_skip of data[1] is 65536");
	configure(1);
	vx_mlx5_wr_set_mkey_layout_interleaved(&mlx5, 1, 1, &piece);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mkey_configure, wr_id = 0x7): it has vx_mlx5_wr_set_mkey_layout_interleaved(), of which "
				"bytes_count + bytes_skip of data[0] is 4294967296");
}

/* libmlx5 before 61 adds them up as an int. */
static void expect_total(const char *words)
{
	if (vx_release_running() >= 61)
		cr_expect_eq(vx_wr_complete(wr), 0);
	else
		expect_mlx5_refused(-EINVAL, words);
}

Test(guard_mlx5, tells_of_lists_that_are_longer_than_the_provider_can_count)
{
	struct ibv_sge list[] = { { 0, 1u << 31, vx_mr_lkey(mr) }, { 0, 1u << 30, vx_mr_lkey(mr) } };

	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 2, list);
	expect_total("request 1 (vx_mlx5_wr_mr_list, wr_id = 0x7): all of sge[].length are 3221225472, which goes into 31 bits before release 61");
	configure(1);
	vx_mlx5_wr_set_mkey_layout_list(&mlx5, 2, list);
	expect_total("has vx_mlx5_wr_set_mkey_layout_list(), of which all of sge[].length are 3221225472");
	list[0].length = 1u << 30;
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 2, list);
	expect_total("all of sge[].length are 2147483648, which goes into 31 bits before release 61");
	list[0].length--;
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 2, list);
	made(vx_wr_complete(wr));
}

Test(guard_mlx5, tells_of_a_configuration_that_is_not_there)
{
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mkey_configure(&mlx5, 7, IBV_SEND_SIGNALED, mkey, 1, NULL);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mkey_configure, wr_id = 0x7): attr is NULL");
}

Test(guard_mlx5, tells_of_a_list_of_entries_that_is_not_there)
{
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 2, NULL);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mr_list, wr_id = 0x7): sge is NULL");
}

/* libmlx5 says that it has no memory, as of a full queue. */
Test(guard_mlx5, tells_of_a_list_that_is_longer_than_its_key_has_room_for)
{
	struct ibv_sge list[8] = { 0 };

	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 8, list);
	expect_mlx5_refused(-ENOMEM, "a key was given more entries than the max_entries that it was made with, or than max_inline_data = 316 bytes of the QP hold, 16 each");
}

/* Which libmlx5 would take what stands before the QP for its own. */
Test(guard_mlx5, takes_requests_back_in_sqd)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD };
	const uint32_t depth = room();
	size_t count = 7;
	struct ibv_wc wc;

	cr_expect_eq(vx_mlx5_qp_cancel_posted_send_wrs(qp, 5, &count), -EINVAL);
	expect_reason("vx_mlx5_qp_cancel_posted_send_wrs on mlx5_0 qp ");
	expect_reason("the device may not have the QP in IBV_QPS_SQD");
	cr_expect_eq(vx_mlx5_qp_cancel_posted_send_wrs(qp, 5, NULL), -EINVAL);
	expect_reason("out is NULL");
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 5, IBV_SEND_SIGNALED); /* which nobody receives */
	vx_wr_set_sge_list(wr, 0, NULL);
	made(vx_wr_complete(wr));
	made(vx_mlx5_qp_cancel_posted_send_wrs(qp, 6, &count));
	cr_expect_eq(count, 0);
	made(vx_mlx5_qp_cancel_posted_send_wrs(qp, 5, &count));
	cr_expect_eq(count, 1);
	attr.qp_state = IBV_QPS_RTS;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	while (!vx_cq_poll(done, 1, &wc))
		;
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_eq(wc.wr_id, 5);
	cr_expect_eq(room(), depth);
}

/* libmlx5 asks it by DEVX, and goes by nothing else. */
Test(guard_mlx5, takes_back_what_the_device_says_can_be)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD };
	size_t count = 7;

	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	fail_calls("devx_query:EPERM");
	cr_expect_eq(vx_mlx5_qp_cancel_posted_send_wrs(qp, 5, &count), -EPERM);
	cr_expect_null(strstr(vx_error_text(), "IBV_QPS_"), "%s", vx_error_text());
	fail_calls("");
	vx_qp_raw(qp)->state = IBV_QPS_RTS; /* as where it has stopped the QP itself */
	made(vx_mlx5_qp_cancel_posted_send_wrs(qp, 5, &count));
	cr_expect_eq(count, 0);
}

Test(guard_mlx5, takes_nothing_back_within_a_list)
{
	size_t count = 7;

	wr = vx_wr_start(qp);
	cr_expect_eq(vx_mlx5_qp_cancel_posted_send_wrs(qp, 5, &count), -EDEADLK);
	expect_reason("it was called between vx_wr_start() and vx_wr_complete()");
	cr_expect_eq(count, 7);
	made(vx_wr_complete(wr));
}

static struct vx_mlx5_mkey *signing;

static int sign_with(uint32_t inline_bytes, bool checked)
{
	const struct mlx5dv_sig_crc crc = { .type = MLX5DV_SIG_CRC_TYPE_CRC32 };
	const struct mlx5dv_sig_block_domain domain = { .sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc, .block_size = MLX5DV_BLOCK_SIZE_512 };
	const struct mlx5dv_sig_block_attr block = { .mem = &domain, .check_mask = MLX5DV_SIG_MASK_CRC32 };
	struct mlx5dv_qp_init_attr of_mlx5 = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE };
	struct vx_mlx5_qp_init init = { .mlx5dv_qp_init_attr = &of_mlx5, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE, .send_cq = done,
					.recv_cq = done, .cap.max_inline_data = inline_bytes,
					.checked = checked };

	made(vx_mlx5_qp_create(pd, &init, &qp));
	made(vx_mlx5_qp_wr(qp, &mlx5));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mkey_configure(&mlx5, 7, IBV_SEND_SIGNALED, signing, 2, &(struct mlx5dv_mkey_conf_attr){ 0 });
	set_layout();
	vx_mlx5_wr_set_mkey_sig_block(&mlx5, &block);
	return vx_wr_complete(wr);
}

/* What the sentence says to make it is enough, and what libmlx5 makes unasked is not. */
Test(guard_mlx5, tells_how_much_a_key_that_signs_needs_inline)
{
	const char *raise = ": cap.max_inline_data is 124 for 4 with a signature or encryption, 188 with both";

	made(vx_mlx5_mkey_create(pd, &(struct vx_mlx5_mkey_init){ .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				 MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, .max_entries = 4 }, &signing));
	cr_expect_eq(sign_with(0, true), -ENOMEM);
	expect_reason(raise);
	cr_expect_eq(sign_with(0, false), -ENOMEM);
	expect_reason(raise);
	made(sign_with(124, true));
}

/* libmlx5 says that something is invalid, as of much else. */
Test(guard_mlx5, names_the_request_whose_access_no_key_has)
{
	struct ibv_sge list = { (uintptr_t)vx_mr_addr(mr), 64, vx_mr_lkey(mr) };

	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, 1, &list);
	expect_mlx5_refused(-EINVAL, "request 1 (vx_mlx5_wr_mr_list, wr_id = 0x7): access_flags has more than IBV_ACCESS_LOCAL_WRITE, ");
}

Test(guard_mlx5, tells_what_may_be_wrong_where_only_libmlx5_knows)
{
	configure(1);
	vx_mlx5_wr_set_mkey_sig_block(&mlx5, &(struct mlx5dv_sig_block_attr){ .check_mask = 1 });
	expect_mlx5_refused(-EINVAL, "its signature or encryption is what create_flags made it for");
}

Test(guard_mlx5, tells_of_it_among_other_reasons_where_nobody_counts)
{
	struct ibv_qp_init_attr_ex attr = { .send_cq = vx_cq_raw(done), .recv_cq = vx_cq_raw(done), .qp_type = IBV_QPT_RC, .pd = vx_pd_raw(pd),
					    .cap = { .max_send_wr = 16, .max_send_sge = 1, .max_inline_data = 256 },
					    .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = IBV_QP_EX_WITH_SEND };
	struct mlx5dv_qp_init_attr of_mlx5 = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST };
	struct ibv_sge list[8] = { 0 };

	made(vx_qp_adopt(pd, mlx5dv_create_qp(vx_ctx_raw(ctx), &attr, &of_mlx5), &qp));
	made(vx_mlx5_qp_wr(qp, &mlx5));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 8, list);
	cr_expect_eq(vx_wr_complete(wr), -ENOMEM);
	expect_reason("bytes inline, or a key more than its max_entries");
}
