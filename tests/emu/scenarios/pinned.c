/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Programs that unmap memory which is still registered: a device has its pages as long as the region is there. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "peer.h"

enum {
	PAGE = 4096,
	AREA = 4 * PAGE
};

static char *area;
static struct ibv_mr *mr; /* of it */

static void open_area(void)
{
	open_bed();
	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED);
	memset(area, 'x', AREA);
	mr = ibv_reg_mr(bed.pd, area, AREA, ACCESS_ALL);
	CHECK(mr);
}

static void close_area(void)
{
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!munmap(area, AREA));
	close_bed();
}

TestSuite(pinned, .init = open_area, .fini = close_area);

static void unmap(size_t offset, size_t len)
{
	CHECK(!munmap(area + offset, len));
}

/* From or to the area, between bed.a and its peer */
static void move(enum ibv_wr_opcode opcode, size_t offset, uint32_t len, uint32_t rkey, uint64_t remote)
{
	struct ibv_sge s = { (uintptr_t)area + offset, len, mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1,
				  .sg_list = &s,
				  .num_sge = 1,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { remote, rkey } };
	struct ibv_send_wr *bad;

	CHECK(!ibv_post_send(bed.a, &wr, &bad));
	expect_wc(1, 0, opcode == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ : IBV_WC_RDMA_WRITE);
}

static void write_works(size_t offset)
{
	post_write(bed.a, 2, mr->rkey, (uintptr_t)area + offset, "alive");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

Test(pinned, what_is_written_to_an_unmapped_page_is_for_nobody)
{
	unmap(0, AREA);
	write_works(0);
	move(IBV_WR_RDMA_READ, 0, AREA, bed.mr->rkey, address(0));
}

Test(pinned, pages_that_are_left_have_what_was_written)
{
	unmap(PAGE, PAGE);
	memset(bed.buf, 'y', AREA);
	move(IBV_WR_RDMA_READ, 0, 3 * PAGE, bed.mr->rkey, address(0));
	CHECK(area[0] == 'y' && area[PAGE - 1] == 'y' && area[2 * PAGE] == 'y' && area[3 * PAGE - 1] == 'y');
	CHECK(area[3 * PAGE] == 'x');
}

Test(pinned, an_unmapped_page_can_be_read_and_sent)
{
	unmap(PAGE, PAGE);
	move(IBV_WR_RDMA_WRITE, 0, AREA, bed.mr->rkey, address(0));
	CHECK(bed.buf[PAGE - 1] == 'x' && bed.buf[2 * PAGE] == 'x');
	/* A real device still has the page */
	CHECK(bed.buf[PAGE] == (bed.soft_roce ? 'x' : 0) && bed.buf[2 * PAGE - 1] == bed.buf[PAGE]);
}

Test(pinned, atomics_find_the_page_too)
{
	struct ibv_sge s = { address(0), 8, bed.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1,
				  .sg_list = &s,
				  .num_sge = 1,
				  .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.atomic = { (uintptr_t)area, 1, 0, mr->rkey } };
	struct ibv_send_wr *bad;

	unmap(0, PAGE);
	CHECK(!ibv_post_send(bed.a, &wr, &bad));
	expect_wc(1, 0, IBV_WC_FETCH_ADD);
}

Test(pinned, memory_is_written_whatever_mprotect_says_since)
{
	CHECK(!mprotect(area, PAGE, PROT_NONE));
	CHECK(!mprotect(area + PAGE, PAGE, PROT_READ));
	write_works(PAGE - 3);
	move(IBV_WR_RDMA_WRITE, 0, AREA, bed.mr->rkey, address(0));
	CHECK(!memcmp(bed.buf + PAGE - 3, "alivex", 6));
	CHECK(!mprotect(area, PAGE, PROT_READ));
	CHECK(!memcmp(area + PAGE - 3, "alivex", 6));
}

Test(pinned, another_process_reads_and_writes_such_memory)
{
	begin(NO_RNR_LIMIT);
	unmap(PAGE, PAGE);
	move(IBV_WR_RDMA_WRITE, 0, AREA, child.peer.rkey, child.peer.buf);
	memset(area, 'z', PAGE);
	move(IBV_WR_RDMA_READ, 0, AREA, child.peer.rkey, child.peer.buf);
	CHECK(area[0] == 'x' && area[AREA - 1] == 'x');
	end(0);
}

static void *poll_without_signals(void *arg)
{
	sigset_t all;

	(void)arg;
	sigfillset(&all);
	CHECK(!pthread_sigmask(SIG_SETMASK, &all, NULL));
	write_works(0);
	return NULL;
}

Test(pinned, a_thread_that_blocks_all_signals_lives_on)
{
	pthread_t t;

	unmap(0, AREA);
	CHECK(!pthread_create(&t, NULL, poll_without_signals, NULL));
	CHECK(!pthread_join(t, NULL));
}

static sigjmp_buf after_fault;
static void *volatile fault_at;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	fault_at = sig == SIGSEGV ? info->si_addr : NULL;
	siglongjmp(after_fault, 1);
}

static void fault(volatile char *at)
{
	fault_at = NULL;
	if (!sigsetjmp(after_fault, 1))
		*at = 1;
	CHECK(fault_at == at);
}

/* It sees its own faults, and none of the device's */
Test(pinned, the_handler_of_a_program_is_its_own)
{
	struct sigaction mine = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, before, now;

	sigaddset(&mine.sa_mask, SIGUSR1);
	unmap(0, PAGE);
	CHECK(!sigaction(SIGSEGV, &mine, &before));
	CHECK(!sigaction(SIGSEGV, NULL, &now));
	CHECK(now.sa_sigaction == on_fault && now.sa_flags & SA_SIGINFO && sigismember(&now.sa_mask, SIGUSR1) == 1);
	fault(area);
	fault_at = NULL;
	write_works(0);
	CHECK(!fault_at);
	fault(area + 1);
	CHECK(!sigaction(SIGSEGV, &before, &now));
	CHECK(now.sa_sigaction == on_fault);
	write_works(0);
}

Test(pinned, a_handler_for_once_is_there_once)
{
	struct sigaction mine = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESETHAND }, now;

	unmap(0, PAGE);
	CHECK(!sigaction(SIGSEGV, &mine, NULL));
	write_works(0);
	fault(area);
	CHECK(!sigaction(SIGSEGV, NULL, &now));
	CHECK(now.sa_handler == SIG_DFL);
	write_works(0);
}
