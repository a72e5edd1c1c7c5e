/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs of datagrams: whose address may be wrong, gone or of something else, and which have their own lengths. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "guard_bed.h"

TestSuite(guard_datagram, .init = open_checked, .fini = close_device);

static struct vx_qp *new_datagram(void)
{
	struct vx_qp *out = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);

	made(vx_qp_to_rts(out, &(struct vx_path){ .qkey = 0x1234 }));
	return out;
}

Test(guard_datagram, needs_an_address_of_its_pd)
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
	expect_reason("request 1 (vx_wr_send, wr_id = 0x7): it has no address: vx_wr_set_ud_addr() must follow");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, foreign, 1, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("ah is of another PD");
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
	expect_reason("ah is of another PD");
}

/* Its raw object is there still, so nothing but the handle can tell. */
Test(guard_datagram, sends_nothing_by_a_handle_that_was_closed)
{
	struct vx_ah *own = way_back(), *borrowed;

	made(vx_ah_borrow(pd, vx_give_back(own), &borrowed));
	qp = new_datagram();
	made(vx_close(borrowed));
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, borrowed, 1, 2), -EINVAL);
	expect_reason("ah is one that was closed, or is none");
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, borrowed, 1, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("ah is one that was closed, or is none");
}

/* By builder and by list, both with what had the handle: that may be gone as well. */
static void expect_no_peer(struct ibv_ah *ah, const char *why)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_SEND, .wr.ud.ah = ah };

	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	ibv_wr_set_ud_addr(vx_wr_ex(wr), ah, 1, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason(why);
	cr_expect_eq(vx_qp_post_send(qp, &request, NULL), -EINVAL);
	expect_reason(why);
}

static void send_to(struct ibv_ah *ah)
{
	struct ibv_send_wr request = { .wr_id = 7, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
				       .wr.ud = { ah, vx_qp_raw(qp)->qp_num, 0x1234 } };

	made(vx_qp_post_send(qp, &request, NULL));
	poll_all(1);
}

/* They are looked up, as their memory is somebody else's. */
Test(guard_datagram, follows_no_address_that_was_closed)
{
	struct vx_ah *ah = way_back();
	struct ibv_ah *raw = vx_ah_raw(ah);

	qp = new_datagram();
	send_to(raw);
	send_to(raw);
	made(vx_close(ah));
	expect_no_peer(raw, "ah is one that was closed, or is none");
	expect_no_peer((void *)0x123450, "ah is one that was closed, or is none");
	send_to(vx_ah_raw(way_back()));
}

/* What has no handle is known by its context and its PD, as far as these are. */
Test(guard_datagram, lets_pass_addresses_without_a_handle)
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
	expect_no_peer(foreign, "ah is of another PD");
	ibv_destroy_ah(foreign);
	ibv_destroy_ah(stranger);
}

/* Nobody tells when it is gone, so it is looked at each time. */
Test(guard_datagram, remembers_no_address_without_a_handle)
{
	struct ibv_ah *stranger = vx_give_back(way_back()), other = *stranger;

	qp = new_datagram();
	send_to(stranger);
	stranger->context = NULL; /* as of memory that was freed */
	expect_no_peer(stranger, "ah is one that was closed, or is none");
	*stranger = other;
	ibv_destroy_ah(stranger);
}

/* A device fails what comes, and nobody sees why. */
Test(guard_datagram, receives_behind_forty_bytes)
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

/* As containers do: of this process only, which is the test's own. */
static void forbid(unsigned int call)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { 4, rows };

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/* Kernels count the handles of each context anew. */
static void meet_another_context(void)
{
	struct vx_ctx *own_ctx = ctx, *other_ctx;
	struct vx_pd *own = pd, *other;
	struct ibv_ah *foreign;
	struct ibv_sge sge;
	struct vx_mr *region;
	struct vx_ah *ah;
	uint32_t handle;

	made(vx_ctx_open_index(0, &other_ctx));
	made(vx_pd_create(other_ctx, NULL, &other));
	made(vx_mr_create(other, &(struct vx_mr_init){ .length = 64 }, &region));
	sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(region), 8, vx_mr_lkey(region) };
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, &sge, 1, vx_mr_rkey(mr), at(0)), -EINVAL);
	expect_reason("entry 1 is of mlx5_0#2 mr");
	expect_reason("which is of another context");
	handle = vx_pd_raw(other)->handle;
	vx_pd_raw(other)->handle = vx_pd_raw(pd)->handle;
	ctx = other_ctx;
	pd = other;
	ah = way_back();
	foreign = vx_ah_raw(ah);
	ctx = own_ctx;
	pd = own;
	qp = new_datagram();
	expect_no_peer(foreign, "ah is of another context");
	vx_pd_raw(other)->handle = handle;
	cr_assert_eq(vx_give_back(ah), foreign);
	expect_no_peer(foreign, "ah is of another context");
	ibv_destroy_ah(foreign);
	made(vx_close(other_ctx));
}

Test(guard_datagram, knows_what_is_of_another_context_by_that)
{
	meet_another_context();
}

/* What was opened shares with nobody. */
Test(guard_datagram, knows_what_is_of_another_context_where_nobody_may_compare_files)
{
	forbid(SYS_kcmp);
	meet_another_context();
}

/* Which has the same objects. */
Test(guard_datagram, lets_pass_an_address_of_the_context_that_was_imported)
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

/* What the PD has that was imported is what the PD has; so of a region, and of an address with a handle and without. */
static void use_what_was_imported(void)
{
	struct vx_pd *own = pd, *shared, *other;
	struct vx_ctx *imported;
	struct ibv_ah *stranger;
	struct ibv_pd *unknown;
	struct ibv_sge sge;
	struct vx_mr *theirs;

	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &shared));
	made(vx_mr_create(shared, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE }, &theirs));
	sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(theirs), 8, vx_mr_lkey(theirs) };
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(mr), at(0)));
	poll_all(1);
	sge.length = 65;
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, &sge, 1, vx_mr_rkey(mr), at(0)), -EINVAL);
	expect_reason("entry 1 ends at byte 65 of mlx5_0#2 mr");
	made(vx_pd_create(ctx, NULL, &other));
	qp = new_datagram();
	pd = shared;
	send_to(vx_ah_raw(way_back()));
	stranger = vx_give_back(way_back());
	send_to(stranger);
	pd = own;
	ibv_destroy_ah(stranger);
	unknown = ibv_import_pd(vx_ctx_raw(imported), vx_pd_raw(pd)->handle);
	stranger = ibv_create_ah(unknown, &(struct ibv_ah_attr){ .dlid = 1, .port_num = 1 });
	cr_assert_not_null(stranger);
	made(vx_qp_post_send(qp, &(struct ibv_send_wr){ .opcode = IBV_WR_SEND, .wr.ud = { stranger, 1, 2 } }, NULL));
	ibv_destroy_ah(stranger);
	ibv_unimport_pd(unknown);
	pd = other;
	expect_no_peer(vx_ah_raw(way_back()), "ah is of another PD");
	pd = own;
	made(vx_close(imported));
}

Test(guard_datagram, lets_pass_what_was_imported)
{
	use_what_was_imported();
}

/* Then nobody can tell, and what may be right is let pass. */
Test(guard_datagram, lets_pass_what_was_imported_where_nobody_may_compare_files)
{
	forbid(SYS_kcmp);
	use_what_was_imported();
}

Test(guard_datagram, lets_pass_what_was_imported_where_nobody_may_read_processes)
{
	forbid(SYS_process_vm_readv);
	use_what_was_imported();
}

/* Providers cut it to 24 bits, and the datagram goes to somebody else. */
Test(guard_datagram, takes_no_number_that_no_qp_has)
{
	struct vx_ah *ah = way_back();

	qp = new_datagram();
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, 0);
	vx_wr_set_ud_addr(wr, ah, 0x1000000, 2);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 1 (vx_wr_send, wr_id = 0x7): it has 0x1000000 as the number of its peer, and the most is 0xffffff");
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, ah, 0x1000000, 2), -EINVAL);
	expect_reason("it has 0x1000000 as the number of its peer, and the most is 0xffffff");
}

Test(guard_datagram, keeps_to_the_mtu)
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
Test(guard_datagram, leaves_what_is_cut_to_the_device)
{
	struct ibv_sge entry = { at(0), ROOM, lkey };
	struct ibv_send_wr one = { .sg_list = (struct ibv_sge[]){ entry, entry }, .num_sge = 2, .opcode = IBV_WR_TSO, .tso.mss = 1024 };

	qp = new_datagram();
	one.wr.ud.ah = vx_ah_raw(way_back());
	cr_expect_eq(vx_qp_post_send(qp, &one, NULL), -EINVAL);
	cr_expect_null(strstr(vx_error_text(), "MTU"), "%s", vx_error_text());
}

Test(guard_datagram, is_told_of_no_ah)
{
	qp = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = 0x1234 }));
	wr = vx_wr_start(qp);
	vx_wr_send(wr, 7, IBV_SEND_SIGNALED);
	vx_wr_set_ud_addr(wr, NULL, 1, 2);
	vx_wr_set_sge(wr, lkey, at(0), 8);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("request 1 (vx_wr_send, wr_id = 0x7): ah is NULL, and the QP has no address of its own");
	cr_expect_eq(vx_qp_post_send_to(qp, 7, 0, NULL, 0, NULL, 1, 2), -EINVAL);
	expect_reason("ah is NULL");
}
