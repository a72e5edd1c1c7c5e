/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Descriptors of the device, under programs that make system calls of their own or close what they did not open. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest.h"

TestSuite(descriptor, .init = open_mlx5, .fini = close_bed);

#define PAGE 4096
#define CORE_CLOCK_OFFSET ((off_t)(5 << 8) * PAGE)

/* UCX maps what libmlx5 maps without the C library */
static void *raw_mmap(int prot, off_t offset)
{
	return (void *)syscall(SYS_mmap, NULL, PAGE, prot, MAP_SHARED, bed.ctx->cmd_fd, offset);
}

static uint64_t clock_of(const volatile uint32_t *page)
{
	return (uint64_t)be32toh(page[0]) << 32 | be32toh(page[1]);
}

Test(descriptor, a_raw_system_call_maps_the_clock)
{
	const volatile uint32_t *page = raw_mmap(PROT_READ, CORE_CLOCK_OFFSET);
	uint64_t first;

	cr_assert_neq(page, MAP_FAILED, "%s", strerror(errno));
	first = clock_of(page);
	for (int i = 0; i < PATIENCE && clock_of(page) == first; i++)
		usleep(1000);
	cr_expect_gt(clock_of(page), first);
	munmap((void *)page, PAGE);
}

Test(descriptor, it_is_the_device_that_sysfs_names)
{
	struct stat st;

	CHECK(!fstat(bed.ctx->cmd_fd, &st));
	cr_expect(S_ISCHR(st.st_mode));
	cr_expect_eq(st.st_rdev, makedev(231, 192));
}

static int status_of_child(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(run());
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

/* As a program that becomes a daemon; in a child, as the bed is closed afterwards */
static int daemonise(void)
{
	struct ibv_context *ctx = ibv_open_device(bed.dev);
	const char *page;
	char name[] = "/tmp/verbsx-emu-test.XXXXXX";
	int fd;

	if (!ctx || syscall(SYS_close_range, 3, ~0u, 0))
		return 1;
	fd = mkstemp(name);
	unlink(name);
	if (syscall(SYS_dup3, fd, ctx->cmd_fd, 0) < 0 || write(fd, "mine", 4) != 4)
		return 2;
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ctx->cmd_fd, 0);
	return page == MAP_FAILED || strncmp(page, "mine", 4) ? 3 : 0;
}

Test(descriptor, a_file_of_the_same_number_is_no_device)
{
	cr_expect_eq(status_of_child(daemonise), 0);
}

static int daemonise_and_go_on(void)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;

	ctx = ibv_open_device(bed.dev);
	if (!ctx || close_range(3, ~0u, 0))
		return 1;
	if (fcntl(ctx->cmd_fd, F_GETFD) >= 0)
		return 2;
	ctx = ibv_open_device(bed.dev);
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	return !pd || ibv_dealloc_pd(pd) || ibv_close_device(ctx);
}

Test(descriptor, after_close_range_the_device_can_be_opened_anew)
{
	cr_expect_eq(status_of_child(daemonise_and_go_on), 0);
}

/* Each takes four descriptors */
Test(descriptor, there_are_as_many_contexts_as_descriptors)
{
	struct rlimit most;
	struct ibv_context *all[300] = { NULL };
	int n = 0;

	CHECK(!getrlimit(RLIMIT_NOFILE, &most));
	if (most.rlim_max < 8 * SIZE(all))
		skip("the limit of descriptors is low");
	most.rlim_cur = most.rlim_max;
	CHECK(!setrlimit(RLIMIT_NOFILE, &most));
	for (; n < (int)SIZE(all) && (all[n] = ibv_open_device(bed.dev)); n++)
		;
	cr_expect_eq(n, SIZE(all), "only %d could be opened: %s", n, strerror(errno));
	while (n)
		CHECK(!ibv_close_device(all[--n]));
}

/* Equal ones of two contexts mean different things; what differs is by what the device knows them */
Test(descriptor, handles_are_counted_in_each_context)
{
	struct ibv_context *ctx[2];
	struct ibv_pd *pd[2], *more;
	struct ibv_mr *mr[2];

	for (int i = 0; i < 2; i++) {
		ctx[i] = ibv_open_device(bed.dev);
		CHECK(ctx[i]);
		pd[i] = ibv_alloc_pd(ctx[i]);
		CHECK(pd[i]);
		mr[i] = ibv_reg_mr(pd[i], bed.buf, sizeof(bed.buf), IBV_ACCESS_LOCAL_WRITE);
		CHECK(mr[i]);
	}
	cr_expect_eq(pd[0]->handle, pd[1]->handle);
	cr_expect_eq(mr[0]->handle, mr[1]->handle);
	cr_expect_neq(mr[0]->lkey, mr[1]->lkey);
	more = ibv_alloc_pd(ctx[0]);
	CHECK(more);
	errno = 0;
	cr_expect(!ibv_import_pd(ctx[1], more->handle) && errno == ENOENT, "errno %d", errno);
	for (int i = 0; i < 2; i++)
		CHECK(!ibv_dereg_mr(mr[i]) && !ibv_dealloc_pd(pd[i]));
	CHECK(!ibv_dealloc_pd(more) && !ibv_close_device(ctx[0]) && !ibv_close_device(ctx[1]));
}

Test(descriptor, a_handle_that_is_free_is_the_next_objects)
{
	struct ibv_pd *first = ibv_alloc_pd(bed.ctx), *second = ibv_alloc_pd(bed.ctx);
	uint32_t handle;

	CHECK(first && second);
	cr_expect_eq(second->handle, first->handle + 1);
	handle = first->handle;
	CHECK(!ibv_dealloc_pd(first));
	first = ibv_alloc_pd(bed.ctx);
	CHECK(first);
	cr_expect_eq(first->handle, handle);
	CHECK(!ibv_dealloc_pd(first) && !ibv_dealloc_pd(second));
}

/* In a child, of what its parent has made: its context, its PD, and its region, in whose place it has memory of its own */
static struct ibv_mr *theirs;

static void import_all(void)
{
	const uint32_t pd = bed.pd->handle, mr = bed.mr->handle, rkey = bed.mr->rkey;

	furnish(ibv_import_device(bed.ctx->cmd_fd));
	CHECK(!ibv_dereg_mr(bed.mr) && !ibv_dealloc_pd(bed.pd));
	bed.pd = ibv_import_pd(bed.ctx, pd);
	CHECK(bed.pd);
	theirs = ibv_import_mr(bed.pd, mr);
	CHECK(theirs);
	cr_assert_eq(theirs->rkey, rkey);
	cr_assert_eq(theirs->length, sizeof(bed.buf));
	errno = 0;
	CHECK(!ibv_import_mr(bed.pd, mr + 1000) && errno == ENOENT);
	bed.mr = ibv_reg_mr(bed.pd, bed.buf, sizeof(bed.buf), ACCESS_ALL);
	CHECK(bed.mr);
	bed.a = make_rc(bed.cq, NULL);
	bed.b = make_rc(bed.cq, NULL);
	connect_bed();
}

static void send_theirs(uint64_t wr_id)
{
	struct ibv_sge sge = { address(0), 16, theirs->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	CHECK(!ibv_post_send(bed.a, &wr, &bad));
}

static int use_what_was_imported(void)
{
	struct ibv_send_wr wr = { .wr_id = 3, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .num_sge = 1 }, *bad;
	struct ibv_sge sge;

	import_all();
	post_recv(bed.b, 1, 200, 16);
	send_theirs(2);
	expect_wc(1, 0, IBV_WC_RECV);
	expect_wc(2, 0, IBV_WC_SEND);
	cr_assert_str_eq(bed.buf + 200, "of the parent");
	strcpy(bed.buf + 300, "of the child");
	sge = (struct ibv_sge){ address(300), 16, bed.mr->lkey };
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = address(400);
	wr.wr.rdma.rkey = theirs->rkey;
	CHECK(!ibv_post_send(bed.a, &wr, &bad));
	expect_wc(3, 0, IBV_WC_RDMA_WRITE);
	cr_assert_str_eq(bed.buf + 400, "");
	CHECK(ibv_dereg_mr(theirs) == EOPNOTSUPP);
	return 0;
}

/* As whoever else has been given its descriptor */
Test(descriptor, a_child_can_import_what_its_parent_has_made)
{
	strcpy(bed.buf, "of the parent");
	cr_expect_eq(status_of_child(use_what_was_imported), 0);
	cr_expect_str_eq(bed.buf + 400, "of the child");
}

static int importer[2], owner[2];

static int use_what_is_gone(void)
{
	char byte = 0;

	CHECK(!close(importer[1]));
	import_all();
	CHECK(write(owner[1], &byte, 1) == 1 && read(importer[0], &byte, 1) == 1);
	send_theirs(2);
	expect_error(2, IBV_WC_LOC_PROT_ERR);
	return 0;
}

Test(descriptor, what_was_imported_goes_with_what_it_stands_for)
{
	char byte = 0;
	int status;
	pid_t pid;

	CHECK(!pipe(importer) && !pipe(owner));
	pid = fork();
	if (!pid)
		_exit(use_what_is_gone());
	CHECK(!close(owner[1]));
	CHECK(read(owner[0], &byte, 1) == 1 && !ibv_dereg_mr(bed.mr));
	bed.mr = ibv_reg_mr(bed.pd, bed.buf, sizeof(bed.buf), ACCESS_ALL);
	CHECK(bed.mr && write(importer[1], &byte, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid);
	cr_expect_eq(status, 0);
}

static int import_own(void)
{
	struct ibv_context *ctx = ibv_open_device(bed.dev);
	struct ibv_context *imported = ctx ? ibv_import_device(ctx->cmd_fd) : NULL;

	return !imported;
}

Test(descriptor, a_child_can_import_what_it_has_opened_itself)
{
	cr_expect_eq(status_of_child(import_own), 0);
}
