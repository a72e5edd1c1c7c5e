/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The regions and lists of requests to checked QPs and SRQs, by builders, ibv_post_send(3) and ibv_post_recv(3). */

#include <errno.h>
#include <sys/mman.h>

#include "guard_bed.h"

TestSuite(guard_regions, .init = open_checked, .fini = close_device);

Test(guard_regions, keeps_to_regions)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(ROOM - 7), 8);
	expect_refused(-EINVAL, "request 1 (vx_wr_rdma_write, wr_id = 0x7): entry 1 ends at byte 4097 of mlx5_0 mr ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(0) - 1, 8);
	expect_refused(-EINVAL, "begins 1 bytes before mlx5_0 mr ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, 0x1000, 8);
	expect_refused(-EINVAL, "does not lie in mlx5_0 mr ");
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, lkey, at(ROOM - 8), 8);
	made(vx_wr_complete(wr));
	poll_all(1);
}

Test(guard_regions, keeps_to_regions_of_its_pd_that_it_may_write_to)
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

/* Whose handles of PDs may be the same. */
Test(guard_regions, keeps_to_regions_of_its_context)
{
	struct vx_ctx *other;
	struct vx_pd *elsewhere;
	struct vx_mr *foreign;

	made(vx_ctx_open_index(0, &other));
	made(vx_pd_create(other, NULL, &elsewhere));
	made(vx_mr_create(elsewhere, &(struct vx_mr_init){ .length = 64 }, &foreign));
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), at(0));
	vx_wr_set_sge(wr, vx_mr_lkey(foreign), (uintptr_t)vx_mr_addr(foreign), 8);
	expect_refused(-EINVAL, "entry 1 is of mlx5_0#2 mr ");
	expect_reason("which is of another context");
	made(vx_close(other));
}

/* Each device counts its keys by itself, and memory may be registered with both. */
Test(guard_regions, takes_a_key_that_no_handle_has_for_none_of_another_device)
{
	const struct vx_mr_init init = { .addr = memory, .length = ROOM, .access = IBV_ACCESS_LOCAL_WRITE };
	struct ibv_mr *unknown = ibv_reg_mr(vx_pd_raw(pd), memory, ROOM, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge entry = { at(0), 8, unknown->lkey };
	struct vx_pd *elsewhere;
	struct vx_ctx *other;
	struct vx_mr *twin;

	made(vx_ctx_open_index(1, &other));
	made(vx_pd_create(other, NULL, &elsewhere));
	do
		made(vx_mr_create(elsewhere, &init, &twin));
	while (vx_mr_lkey(twin) < unknown->lkey);
	cr_expect_eq(vx_mr_lkey(twin), unknown->lkey);
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), at(1024)));
	poll_all(1);
	ibv_dereg_mr(unknown);
	made(vx_close(other));
}

/* What was imported is the same. */
Test(guard_regions, lets_pass_what_an_imported_context_shares)
{
	struct vx_pd *shared, *own = pd;
	struct vx_ctx *imported;

	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &shared));
	made(vx_cq_create(imported, NULL, &done));
	pd = shared;
	qp = new_checked(IBV_QPT_RC, ALL);
	pd = own;
	connect_to(qp, qp);
	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	poll_all(1);
	made(vx_close(imported));
}

static void expect_past_end(struct vx_qp *of, uint32_t key)
{
	struct ibv_sge entry = { at(ROOM - 8), 8, key };

	made(vx_qp_post_rdma_write(of, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), at(1024)));
	poll_all(1);
	entry.addr = at(ROOM);
	cr_expect_eq(vx_qp_post_rdma_write(of, 8, 0, &entry, 1, vx_mr_rkey(mr), at(1024)), -EINVAL, "0x%x", key);
	expect_reason("entry 1 ends at byte 4104 of mlx5_0");
	cr_expect_eq(vx_qp_post_recv_one(of, 8, &entry, 1), -EINVAL, "0x%x", key);
}

/* Who imports it is not told where it begins; whose it was knows, whichever of both contexts that is. */
Test(guard_regions, keeps_to_an_imported_region_as_to_what_it_was_imported_of)
{
	struct vx_mr *same, *younger, *back;
	struct vx_pd *shared, *own = pd;
	struct vx_qp *first = qp, *second;
	struct vx_ctx *imported;
	struct vx_cq *at_first = done;

	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &shared));
	made(vx_mr_import(shared, vx_mr_raw(mr)->handle, &same));
	made(vx_mr_create(shared, &(struct vx_mr_init){ .addr = memory, .length = ROOM, .access = IBV_ACCESS_LOCAL_WRITE }, &younger));
	made(vx_mr_import(own, vx_mr_raw(younger)->handle, &back));
	expect_past_end(first, lkey);
	expect_past_end(first, vx_mr_lkey(back));
	made(vx_cq_create(imported, NULL, &done));
	pd = shared;
	second = new_checked(IBV_QPT_RC, ALL);
	pd = own;
	connect_to(second, second);
	expect_past_end(second, vx_mr_lkey(same));
	expect_past_end(second, vx_mr_lkey(younger));
	done = at_first;
	made(vx_close(imported));
	expect_past_end(first, lkey);
}

Test(guard_regions, knows_what_has_become_of_a_region)
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

/* As ibv_rereg_mr(3) leaves it where the key stays the same, which mlx5 does by UMR. */
Test(guard_regions, lets_pass_what_its_handle_cannot_know)
{
	struct ibv_mr *raw = vx_mr_raw(mr);
	struct ibv_sge entry = { at(ROOM), 8, lkey };

	cr_expect_eq(vx_qp_post_recv_one(qp, 7, &entry, 1), -EINVAL);
	raw->addr = memory + ROOM;
	made(vx_qp_post_recv_one(qp, 7, &entry, 1));
	raw->addr = memory;
	cr_expect_eq(vx_qp_post_recv_one(qp, 8, &entry, 1), -EINVAL);
	raw->length = 2 * ROOM;
	made(vx_qp_post_recv_one(qp, 8, &entry, 1));
	raw->length = ROOM;
	cr_expect_eq(vx_qp_post_recv_one(qp, 9, &entry, 1), -EINVAL);
	expect_reason("entry 1 ends at byte 4104");
}

/* ---- ibv_post_send(3) and ibv_post_recv(3) ---- */

Test(guard_regions, posts_what_is_before_the_one_that_is_wrong)
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

Test(guard_regions, posts_receives_before_the_one_that_is_wrong)
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
	expect_reason("it has 100 entries, and it was made with max_recv_sge = ");
}

Test(guard_regions, of_an_srq_looks_at_receives)
{
	struct ibv_sge bad = { at(ROOM), 8, lkey };
	struct vx_srq *srq;

	made(vx_srq_create(pd, &(struct vx_srq_init){ .checked = true }, &srq));
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &bad, 1), -EINVAL);
	expect_reason("vx_srq_post_recv on mlx5_0 srq");
	expect_reason("request 1 of 1 (wr_id = 0x7): entry 1 ends at byte 4104");
	bad.addr = at(0);
	made(vx_srq_post_recv_one(srq, 7, &bad, 1));
	made(vx_srq_create(pd, NULL, &srq));
	made(vx_srq_check(srq));
	bad.addr = at(ROOM);
	cr_expect_eq(vx_srq_post_recv_one(srq, 7, &bad, 1), -EINVAL);
}

/* Null regions of all PDs have one key with libmlx5, as it gives that of the device. */
Test(guard_regions, takes_a_key_for_that_of_its_own_pd)
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

/* Its raw object has the address of its memory alone. */
Test(guard_regions, lets_pass_an_adopted_region_that_begins_elsewhere_for_the_device)
{
	const uint64_t iova = 0x10000000 + at(0) % 4096;
	struct ibv_sge entry = { iova + 64, 8, 0 };
	struct vx_mr *adopted;

	made(vx_mr_adopt(pd, ibv_reg_mr_iova(vx_pd_raw(pd), vx_mr_addr(mr), ROOM, iova, IBV_ACCESS_LOCAL_WRITE), &adopted));
	entry.lkey = vx_mr_lkey(adopted);
	made(vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), at(1024)));
	poll_all(1);
}

/* libmlx5 does not tell the PD of such an SRQ. */
Test(guard_regions, of_an_xrc_srq_looks_at_receives)
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

/* ---- messages ---- */

static void expect_too_long(void)
{
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 1 (vx_wr_rdma_write, wr_id = 0x7): it has 1073741825 bytes, and the port's max_msg_sz is 1073741824");
}

static void begin_write(const struct vx_mr *to)
{
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(to), (uintptr_t)vx_mr_addr(to));
}

/* Of 2 GiB and more libmlx5 sends nothing, and the completion says that all is well. */
Test(guard_regions, a_message_is_no_longer_than_the_port_sends)
{
	const size_t size = (size_t)2 << 30;
	struct ibv_sge entry, halves[2];
	struct vx_mr *huge;
	size_t from;
	void *addr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	cr_assert_neq(addr, MAP_FAILED);
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = addr, .length = size, .access = IBV_ACCESS_LOCAL_WRITE }, &huge));
	entry = (struct ibv_sge){ (uintptr_t)addr, (1u << 30) + 1, vx_mr_lkey(huge) };
	halves[0] = (struct ibv_sge){ entry.addr, 1u << 29, entry.lkey };
	halves[1] = (struct ibv_sge){ entry.addr, (1u << 29) + 1, entry.lkey };
	begin_write(huge);
	vx_wr_set_sge(wr, entry.lkey, entry.addr, entry.length);
	expect_too_long();
	begin_write(huge);
	vx_wr_set_sge_list(wr, 2, halves);
	expect_too_long();
	begin_write(huge);
	vx_wr_set_sge(wr, entry.lkey, entry.addr, 8);
	vx_wr_rdma_write(wr, 8, 0, vx_mr_rkey(huge), entry.addr);
	vx_wr_set_sge(wr, entry.lkey, entry.addr, entry.length);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 2 (vx_wr_rdma_write, wr_id = 0x8): it has 1073741825 bytes, ");
	/* wherever in it the one before was */
	for (from = 0; from < size; from += size / 8 - 8) {
		begin_write(huge);
		vx_wr_set_sge(wr, entry.lkey, entry.addr + from, 8);
		vx_wr_rdma_write(wr, 8, 0, vx_mr_rkey(huge), entry.addr);
		vx_wr_set_sge(wr, entry.lkey, entry.addr + size - entry.length, entry.length);
		cr_expect_eq(vx_wr_complete(wr), -EINVAL);
		expect_reason("request 2 (vx_wr_rdma_write, wr_id = 0x8): it has 1073741825 bytes, ");
		begin_write(huge);
		vx_wr_set_sge(wr, entry.lkey, entry.addr + from, 8);
		vx_wr_rdma_write(wr, 8, 0, vx_mr_rkey(huge), entry.addr);
		vx_wr_set_sge(wr, entry.lkey, entry.addr + size - 8, 9);
		cr_expect_eq(vx_wr_complete(wr), -EINVAL);
		expect_reason("request 2 (vx_wr_rdma_write, wr_id = 0x8): entry 1 ends at byte 2147483649 of ");
	}
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, &entry, 1, vx_mr_rkey(huge), entry.addr), -EINVAL);
	expect_reason("it has 1073741825 bytes, and the port's max_msg_sz is 1073741824");
	made(vx_close(huge));
	munmap(addr, size);
}
