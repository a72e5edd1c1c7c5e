/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Wrong requests in both forms, posted and built: what one form knows of, the other does as well, and says so in the same words. Each has its
 * own before them, such as the fields of struct ibv_send_wr.
 */

#include <errno.h>

#include "guard_bed.h"

#define OPS (ALL | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV)

static struct ibv_send_wr one;		/* as it is posted */
static struct ibv_sge list[3];
static struct vx_ah *way;
static struct vx_mr *bindable;

static void open_both(void)
{
	open_checked();
	qp = new_checked(IBV_QPT_RC, OPS);
	connect_to(qp, qp);
	way = way_back();
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &bindable));
	list[0] = list[1] = list[2] = (struct ibv_sge){ at(0), 8, lkey };
	one = (struct ibv_send_wr){ .wr_id = 7, .sg_list = list, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .wr.rdma = { at(1024), vx_mr_rkey(mr) } };
}

TestSuite(guard_both, .init = open_both, .fini = close_device);

static void use_datagrams(void)
{
	qp = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = 0x1234 }));
	one.opcode = IBV_WR_SEND;
	one.wr.ud = (__typeof__(one.wr.ud)){ vx_ah_raw(way), 1, 2 };
}

static void build_data(void)
{
	struct ibv_data_buf pieces[3];
	int i;

	if (!(one.send_flags & IBV_SEND_INLINE)) {
		vx_wr_set_sge_list(wr, (size_t)one.num_sge, one.sg_list);
		return;
	}
	for (i = 0; i < one.num_sge; i++)
		pieces[i] = (struct ibv_data_buf){ (void *)(uintptr_t)list[i].addr, list[i].length };
	vx_wr_set_inline_data_list(wr, (size_t)one.num_sge, pieces);
}

/* The request as builders and setters have it. */
static void build(void)
{
	const unsigned int flags = one.send_flags & ~(unsigned int)IBV_SEND_INLINE;
	struct ibv_qp_ex *next = vx_wr_next(wr, one.wr_id, flags);

	switch (one.opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(next);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(next, one.wr.rdma.rkey, one.wr.rdma.remote_addr);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(next, one.wr.atomic.rkey, one.wr.atomic.remote_addr, 1);
		break;
	case IBV_WR_BIND_MW:
		ibv_wr_bind_mw(next, one.bind_mw.mw, one.bind_mw.rkey, &one.bind_mw.bind_info);
		return;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(next, one.invalidate_rkey);
		return;
	default:
		ibv_wr_rdma_write(next, one.wr.rdma.rkey, one.wr.rdma.remote_addr);
	}
	if (vx_qp_raw(qp)->qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(vx_wr_ex(wr), one.wr.ud.ah, one.wr.ud.remote_qpn, one.wr.ud.remote_qkey);
	if (vx_qp_raw(qp)->qp_type == IBV_QPT_XRC_SEND)
		vx_wr_set_xrc_srqn(wr, one.qp_type.xrc.remote_srqn);
	build_data();
}

static void expect_both_refused(const char *words)
{
	cr_expect_eq(vx_qp_post_send(qp, &one, NULL), -EINVAL, "posted: %s", words);
	expect_reason(words);
	cr_expect_str_eq(vx_error()->call, "vx_qp_post_send", "rdma-core was not called");
	wr = vx_wr_start(qp);
	build();
	cr_expect_eq(vx_wr_complete(wr), -EINVAL, "built: %s", words);
	expect_reason(words);
	cr_expect_str_eq(vx_error()->call, "vx_wr_complete");
}

/* ---- data ---- */

Test(guard_both, refuse_inline_data_that_are_nowhere)
{
	one.send_flags = IBV_SEND_INLINE;
	list[0] = (struct ibv_sge){ 0, 64, 0 };
	expect_both_refused("has 64 bytes inline, and where they are is NULL");
	list[0].length = 0;
	list[1] = (struct ibv_sge){ 0, 8, 0 };
	one.num_sge = 2;
	expect_both_refused("has 8 bytes inline, and where they are is NULL");
	list[1].length = 0; /* of none nobody asks where they are */
	made(vx_qp_post_send(qp, &one, NULL));
	wr = vx_wr_start(qp);
	build();
	made(vx_wr_complete(wr));
}

Test(guard_both, refuse_more_inline_data_than_the_qp_has_room_for)
{
	char words[64];
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(qp, &attr, IBV_QP_CAP, &init));
	snprintf(words, sizeof(words), " inline, and the QP was made with max_inline_data = %u", init.cap.max_inline_data);
	one.send_flags = IBV_SEND_INLINE;
	list[0].length = init.cap.max_inline_data + 1;
	expect_both_refused(words);
}

Test(guard_both, refuse_inline_data_of_a_read)
{
	one.opcode = IBV_WR_RDMA_READ;
	one.send_flags = IBV_SEND_INLINE;
	expect_both_refused("takes no data inline");
}

Test(guard_both, refuse_entries)
{
	struct vx_mr *read_only, *foreign;
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	made(vx_mr_create(other, &(struct vx_mr_init){ .length = 64 }, &foreign));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_REMOTE_READ }, &read_only));
	one.num_sge = 3;
	expect_both_refused(", and the QP was made with max_send_sge = 2");
	one.num_sge = 1;
	one.sg_list = NULL;
	expect_both_refused(" is NULL");
	one.sg_list = list;
	list[0].addr = at(ROOM - 7);
	expect_both_refused("ends at byte 4097 of mlx5_0 mr ");
	list[0] = (struct ibv_sge){ (uintptr_t)vx_mr_addr(foreign), 8, vx_mr_lkey(foreign) };
	expect_both_refused(", which is of another PD");
	list[0] = (struct ibv_sge){ (uintptr_t)vx_mr_addr(read_only), 8, vx_mr_lkey(read_only) };
	one.opcode = IBV_WR_RDMA_READ;
	expect_both_refused(", which lacks IBV_ACCESS_LOCAL_WRITE, and it is written to");
}

Test(guard_both, refuse_messages_that_are_too_long)
{
	list[0] = (struct ibv_sge){ 0x1000, 0x80000000u, 0 };
	expect_both_refused("has 2147483648 bytes, and the port's max_msg_sz is 1073741824");
	use_datagrams();
	list[0].length = 4097;
	expect_both_refused("has 4097 bytes, and what a UD QP sends must fit into the port's MTU, 4096");
}

Test(guard_both, refuse_atomic_operations_of_other_sizes)
{
	one.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	one.wr.atomic = (__typeof__(one.wr.atomic)){ .remote_addr = at(1028), .rkey = vx_mr_rkey(mr) };
	expect_both_refused(" is no multiple of 8, as that of an atomic operation is");
	one.wr.atomic.remote_addr = at(1024);
	list[0].length = 4;
	expect_both_refused("has 4 bytes, and an atomic operation has 8");
}

/* ---- addresses ---- */

Test(guard_both, refuse_addresses_of_datagrams)
{
	struct vx_pd *own = pd, *other;

	use_datagrams();
	one.wr.ud.remote_qpn = 0x1000000;
	expect_both_refused(", and the most is 0xffffff");
	one.wr.ud.remote_qpn = 1;
	made(vx_pd_create(ctx, NULL, &other));
	pd = other;
	one.wr.ud.ah = vx_ah_raw(way_back());
	pd = own;
	expect_both_refused("of another PD");
	one.wr.ud.ah = (void *)0x123450;
	expect_both_refused("that was closed, or is none");
	one.wr.ud.ah = (void *)vx_mr_raw(mr); /* which begins as one does */
	expect_both_refused("that was closed, or is none");
}

Test(guard_both, refuse_numbers_that_no_srq_has)
{
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = done, .qp_type = IBV_QPT_XRC_SEND, .send_ops_flags = IBV_QP_EX_WITH_SEND, .checked = true }, &qp));
	connect_to(qp, qp);
	one.opcode = IBV_WR_SEND;
	one.qp_type.xrc.remote_srqn = 0x1000000;
	expect_both_refused(", and the most is 0xffffff");
	one.qp_type.xrc.remote_srqn = 0;
	expect_both_refused("has 0 as the number of the peer's SRQ");
}

/* ---- what a QP can do ---- */

Test(guard_both, refuse_what_is_nothing_for_a_qp)
{
	qp = new_checked(IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_WRITE);
	connect_to(qp, qp);
	one.opcode = IBV_WR_RDMA_READ;
	expect_both_refused("is nothing that a QP of type IBV_QPT_UC can do");
}

Test(guard_both, refuse_flags)
{
	one.send_flags = 0x100;
	expect_both_refused("_flags has 0x100, which is none of enum ibv_send_flags");
	one.send_flags = IBV_SEND_IP_CSUM;
	expect_both_refused("_flags has IBV_SEND_IP_CSUM, which is for QPs of type IBV_QPT_UD");
}

Test(guard_both, refuse_to_send_too_early)
{
	qp = new_checked(IBV_QPT_RC, ALL);
	expect_both_refused("the QP is in INIT, and sends from RTS on");
}

/* ---- windows and keys ---- */

static void use_window(struct vx_mw *mw, const struct vx_mr *to)
{
	one.opcode = IBV_WR_BIND_MW;
	one.bind_mw = (__typeof__(one.bind_mw)){ .mw = vx_raw_or_null(mw), .rkey = 1, .bind_info = { .mr = vx_mr_raw(to),
						 .addr = (uintptr_t)vx_mr_addr(to), .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_READ } };
}

Test(guard_both, refuse_windows)
{
	struct vx_mw *mw;

	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &mw));
	use_window(NULL, bindable);
	expect_both_refused("mw is NULL");
	use_window(mw, mr);
	expect_both_refused("which lacks IBV_ACCESS_MW_BIND");
	made(vx_mw_create(pd, NULL, &mw));
	use_window(mw, bindable);
	expect_both_refused("mw is of type 1, which vx_qp_bind_mw() binds");
}

/* By the functions of one request, which take it by a pointer. */
Test(guard_both, refuse_to_bind_to_nothing)
{
	struct vx_mw *mw;

	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &mw));
	cr_expect_eq(vx_qp_post_bind_mw(qp, 7, 0, mw, 1, NULL), -EINVAL);
	expect_reason("bind_info is NULL");
	wr = vx_wr_start(qp);
	vx_wr_bind_mw(wr, 7, 0, mw, 1, NULL);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("bind_info is NULL");
}

Test(guard_both, refuse_keys_that_stay)
{
	one.opcode = IBV_WR_LOCAL_INV;
	one.num_sge = 0;
	one.invalidate_rkey = vx_mr_rkey(mr);
	expect_both_refused(", and only a window of type 2 or a key that builders configured can be made invalid");
}
