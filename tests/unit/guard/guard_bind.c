/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Windows that a checked QP is to bind, by builders, ibv_post_send(3) and ibv_bind_mw(3), and other pointers that providers follow. */

#include <errno.h>

#include "guard_bed.h"

static struct vx_mw *mw;
static struct vx_mr *bindable;

static void open_binding(void)
{
	open_checked();
	qp = new_checked(IBV_QPT_RC, ALL | IBV_QP_EX_WITH_BIND_MW);
	connect_to(qp, qp);
	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &mw));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &bindable));
}

TestSuite(guard_bind, .init = open_binding, .fini = close_device);

static struct ibv_mw_bind_info all_of(const struct vx_mr *of)
{
	return (struct ibv_mw_bind_info){ .mr = vx_mr_raw(of), .addr = (uintptr_t)vx_mr_addr(of), .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_READ };
}

/* By the builder, and by a list. */
static void expect_neither(struct vx_mw *window, struct ibv_mw_bind_info info, const char *words)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_BIND_MW, .bind_mw = { .mw = window ? vx_mw_raw(window) : NULL, .rkey = 1, .bind_info = info } };

	wr = vx_wr_start(qp);
	vx_wr_bind_mw(wr, 7, 0, window, 1, &info);
	expect_refused(-EINVAL, words);
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason(words);
}

Test(guard_bind, tells_of_no_window)
{
	expect_neither(NULL, all_of(bindable), "mw is NULL");
}

Test(guard_bind, tells_of_no_region)
{
	expect_neither(mw, (struct ibv_mw_bind_info){ .length = 64 }, "mr is NULL, and length = 64");
	expect_neither(mw, (struct ibv_mw_bind_info){ .addr = 64 }, "mr is NULL, and length = 0, addr = 0x40");
}

Test(guard_bind, tells_of_a_window_that_would_leave_its_region)
{
	struct ibv_mw_bind_info info = all_of(bindable);

	info.length = 65;
	expect_neither(mw, info, "ends at byte 65 of mlx5_0 mr ");
	info.length = 0x100000041;
	expect_neither(mw, info, "ends at byte 4294967361 of mlx5_0 mr ");
	info.addr += 10;
	info.length = UINT64_MAX;
	expect_neither(mw, info, "ends at byte 1844");
	info = all_of(bindable);
	info.addr--;
	expect_neither(mw, info, "begins 1 bytes before mlx5_0 mr ");
}

Test(guard_bind, tells_of_a_region_without_the_right)
{
	expect_neither(mw, all_of(mr), "which lacks IBV_ACCESS_MW_BIND");
}

Test(guard_bind, tells_of_rights_that_the_region_has_not)
{
	static const unsigned int writing[] = { IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_ATOMIC };
	struct ibv_mw_bind_info info;
	struct vx_mr *read_only;
	unsigned int i;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND }, &read_only));
	info = all_of(read_only);
	for (i = 0; i < 2; i++) {
		info.mw_access_flags = writing[i];
		expect_neither(mw, info, "which lacks IBV_ACCESS_LOCAL_WRITE, and by mw_access_flags the peer may write");
	}
}

Test(guard_bind, tells_of_rights_that_no_window_has)
{
	struct ibv_mw_bind_info info = all_of(bindable);

	info.mw_access_flags = 0x12340000 | IBV_ACCESS_REMOTE_READ;
	expect_neither(mw, info, "mw_access_flags has 0x12340000, and a window has IBV_ACCESS_REMOTE_WRITE, ");
	info.mw_access_flags = IBV_ACCESS_MW_BIND;
	expect_neither(mw, info, "mw_access_flags has 0x10, ");
}

Test(guard_bind, tells_of_another_pd)
{
	struct vx_pd *other;
	struct vx_mw *foreign;
	struct vx_mr *elsewhere;

	made(vx_pd_create(ctx, NULL, &other));
	made(vx_mw_create(other, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &foreign));
	made(vx_mr_create(other, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_MW_BIND }, &elsewhere));
	expect_neither(foreign, all_of(bindable), "mw is of another PD");
	expect_neither(mw, all_of(elsewhere), "mr is of another PD");
}

/* Of which nobody knows more: a device fails it, and the QP with it. */
Test(guard_bind, makes_no_ordinary_region_invalid)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = vx_mr_rkey(mr) };
	char words[80];

	snprintf(words, sizeof(words), "invalidate_rkey = 0x%x is of mlx5_0 mr ", vx_mr_rkey(mr));
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason(words);
	qp = new_checked(IBV_QPT_RC, ALL | IBV_QP_EX_WITH_LOCAL_INV);
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	vx_wr_local_inv(wr, 7, 0, vx_mr_rkey(mr));
	expect_refused(-EINVAL, words);
}

Test(guard_bind, sends_no_opcode_that_lists_have_not)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_DRIVER1 };

	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason("IBV_WR_DRIVER1 is nothing that ibv_post_send() can do: it is a provider's own");
	request.opcode = (enum ibv_wr_opcode)15;
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason("IBV_WR_ATOMIC_WRITE is nothing that ibv_post_send() can do: builders alone have it");
}

/* They are looked up, as their memory is somebody else's. */
Test(guard_bind, follows_nothing_that_was_closed)
{
	const struct ibv_mw_bind_info info = all_of(bindable);
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_BIND_MW, .bind_mw = { .mw = vx_mw_raw(mw), .rkey = 1, .bind_info = info } };

	made(vx_close(bindable));
	expect_neither(mw, info, "mr is one that was closed, or is none");
	made(vx_close(mw));
	wr = vx_wr_start(qp);
	ibv_wr_bind_mw(vx_wr_next(wr, 7, 0), request.bind_mw.mw, 1, &info);
	expect_refused(-EINVAL, "mw is one that was closed, or is none");
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason("mw is one that was closed, or is none");
}

Test(guard_bind, looks_at_windows_of_type_1)
{
	struct ibv_mw_bind bind = { .bind_info = all_of(mr) };
	struct vx_mw *first;

	made(vx_mw_create(pd, NULL, &first));
	cr_expect_eq(vx_qp_bind_mw(qp, first, &bind), -EINVAL);
	expect_reason("which lacks IBV_ACCESS_MW_BIND");
	bind.bind_info = all_of(bindable);
	made(vx_qp_bind_mw(qp, first, &bind));
	bind.bind_info = (struct ibv_mw_bind_info){ NULL }; /* taken back */
	made(vx_qp_bind_mw(qp, first, &bind));
}

Test(guard_bind, lets_go_what_fits)
{
	const struct ibv_mw_bind_info info = all_of(bindable);
	uint32_t rkey;
	int i;

	for (i = 0; i < 2; i++) {
		rkey = ibv_inc_rkey(vx_mw_raw(mw)->rkey);
		wr = vx_wr_start(qp);
		vx_wr_bind_mw(wr, 7, IBV_SEND_SIGNALED, mw, rkey, &info);
		made(vx_wr_complete(wr));
		poll_all(1);
		vx_mw_raw(mw)->rkey = rkey;
		made(vx_qp_post_local_inv(qp, 8, IBV_SEND_SIGNALED, rkey));
		poll_all(1);
	}
}

static void use_datagrams(void)
{
	qp = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = 5 }));
}

/* Of which the provider has no setter: it would call NULL. */
Test(guard_bind, tells_of_an_address_of_another_type)
{
	use_datagrams();
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_xrc_srqn(wr, 1);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("takes no vx_wr_set_xrc_srqn(), a QP of type IBV_QPT_UD has another");
}

/* That of segments, which the provider copies. */
Test(guard_bind, tells_of_no_header)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_TSO, .tso = { .hdr_sz = 54, .mss = 1000 } };

	use_datagrams();
	wr = vx_wr_start(qp);
	vx_wr_send_tso(wr, 7, 0, NULL, 54, 1000);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("hdr is NULL");
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason("hdr is NULL");
}
