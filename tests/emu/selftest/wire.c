/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Many requests on their way to another process. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../scenarios/peer.h"
#include "selftest.h"

TestSuite(wire, .init = open_mlx5, .fini = close_bed);

enum {
	MANY = 12, /* requests, in a queue of 16 */
	LONG = 3000 /* bytes: three packets */
};

static void ask(const char *fault)
{
	char spec[64], why[128];

	snprintf(spec, sizeof(spec), "%s:0x%x", fault, bed.a->qp_num);
	cr_assert(!emu_fault(spec, why, sizeof(why)), "%s", why);
}

static void post_one(enum ibv_wr_opcode opcode, uint64_t wr_id, uint64_t at, uint32_t len, uint32_t lkey)
{
	struct ibv_sge s = { at, len, lkey };
	struct ibv_send_wr w = { .wr_id = wr_id, .sg_list = &s, .num_sge = 1, .opcode = opcode,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = { child.peer.buf, child.peer.rkey } }, *bad;

	CHECK(!ibv_post_send(bed.a, &w, &bad));
}

/* One after the other, to or from one place: the Nth has to do with byte N of the buffer */
static void post_many(enum ibv_wr_opcode opcode, uint32_t len, uint64_t step)
{
	for (int i = 0; i < MANY; i++)
		post_one(opcode, i, address(i * step), len, bed.mr->lkey);
}

static void expect_many(int opcode)
{
	for (int i = 0; i < MANY; i++)
		expect_wc(i, 0, opcode);
}

static void fill(void)
{
	for (int i = 0; i < MANY * LONG; i++)
		bed.buf[i] = (char)(i / LONG + 1);
}

static void expect_at_peer(char value)
{
	const size_t here = BUF_SIZE - LONG;

	transfer(true, here, 0, LONG);
	for (int i = 0; i < LONG; i++)
		CHECK(bed.buf[here + i] == value);
}

Test(wire, requests_are_done_in_their_order)
{
	begin(NO_RNR_LIMIT);
	fill();
	post_many(IBV_WR_RDMA_WRITE, LONG, LONG);
	expect_many(IBV_WC_RDMA_WRITE);
	expect_at_peer(MANY);
	end(0);
}

/* A packet of the second, the last one of the third, and answers */
Test(wire, what_is_lost_changes_nothing)
{
	static const char *const faults[] = { "drop#5", "drop#12", "drop_answer#2-3", "drop_answer#6" };

	begin(NO_RNR_LIMIT);
	fill();
	for (size_t i = 0; i < SIZE(faults); i++)
		ask(faults[i]);
	post_many(IBV_WR_RDMA_WRITE, LONG, LONG);
	expect_many(IBV_WC_RDMA_WRITE);
	expect_at_peer(MANY);
	end(0);
}

Test(wire, reads_lose_no_part_of_their_responses)
{
	begin(NO_RNR_LIMIT);
	fill();
	transfer(false, (MANY - 1) * LONG, 0, LONG);
	memset(bed.buf, 0, sizeof(bed.buf));
	ask("drop_answer#4");
	ask("drop#7");
	post_many(IBV_WR_RDMA_READ, LONG, LONG);
	expect_many(IBV_WC_RDMA_READ);
	for (int i = 0; i < MANY * LONG; i++)
		CHECK(bed.buf[i] == MANY);
	end(0);
}

/* It dies with them half way, none acknowledged: one is told, the others are flushed */
Test(wire, requests_to_one_that_dies_end_in_order)
{
	int stopped;

	begin(NO_RNR_LIMIT);
	CHECK(!kill(child.pid, SIGSTOP));
	/* Until all its threads have stopped, its device answers */
	CHECK(waitpid(child.pid, &stopped, WUNTRACED) == child.pid && WIFSTOPPED(stopped));
	post_many(IBV_WR_RDMA_WRITE, BUF_SIZE, 0);
	usleep(20000);
	CHECK(!kill(child.pid, SIGKILL));
	end(SIGKILL);
	expect_error(0, IBV_WC_RETRY_EXC_ERR);
	for (int i = 1; i < MANY; i++)
		expect_error(i, IBV_WC_WR_FLUSH_ERR);
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
}

/* While both are held back, to go again for the second that was lost */
Test(wire, an_acknowledgement_counts_though_the_packet_is_to_go_again)
{
	char why[128];
	int stopped;

	begin(NO_RNR_LIMIT);
	ask("drop#2");
	cr_assert(!emu_fault("delay#3@60000", why, sizeof(why)), "%s", why);
	CHECK(!kill(child.pid, SIGSTOP));
	CHECK(waitpid(child.pid, &stopped, WUNTRACED) == child.pid && WIFSTOPPED(stopped));
	for (int i = 1; i <= 2; i++)
		post_write(bed.a, i, child.peer.rkey, child.peer.buf, "x");
	usleep(2 * ACK_TIMEOUT_MS * 1000);
	CHECK(!kill(child.pid, SIGCONT));
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!kill(child.pid, SIGKILL));
	end(SIGKILL);
}

/* Data go from where they are, when they can: the process has to read what was sent before */
Test(wire, what_is_gone_when_it_is_to_be_sent_is_an_error)
{
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, bed.buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	int stopped;

	CHECK(mr);
	begin(NO_RNR_LIMIT);
	CHECK(!kill(child.pid, SIGSTOP));
	CHECK(waitpid(child.pid, &stopped, WUNTRACED) == child.pid && WIFSTOPPED(stopped));
	post_many(IBV_WR_RDMA_WRITE, BUF_SIZE, 0);
	post_one(IBV_WR_RDMA_WRITE, MANY, address(0), 16, mr->lkey);
	usleep(20000);
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!kill(child.pid, SIGCONT));
	expect_many(IBV_WC_RDMA_WRITE);
	expect_error(MANY, IBV_WC_LOC_PROT_ERR);
	end(0);
}

/* What a process finds in one look it acknowledges at once, as a device may */
Test(wire, one_acknowledgement_is_enough_for_many)
{
	struct ibv_wc wc;
	int stopped;

	begin(NO_RNR_LIMIT);
	CHECK(!kill(child.pid, SIGSTOP));
	CHECK(waitpid(child.pid, &stopped, WUNTRACED) == child.pid && WIFSTOPPED(stopped));
	ask("drop_answer#2-");
	post_many(IBV_WR_RDMA_WRITE, 16, 0);
	/* Until all of them are on their way */
	for (int i = 0; i < 50; i++) {
		CHECK(!ibv_poll_cq(bed.cq, 1, &wc));
		usleep(1000);
	}
	CHECK(!kill(child.pid, SIGCONT));
	expect_many(IBV_WC_RDMA_WRITE);
	end(0);
}

/* As it has come before. Where the acknowledgement is here before this process has stopped, that is nothing new */
Test(wire, a_request_has_ended_before_what_the_peer_sends_for_it_is_received)
{
	struct ibv_sge s = { address(0), 16, bed.mr->lkey };
	struct ibv_send_wr w = { .wr_id = 1, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	begin_with_reply(NO_RNR_LIMIT);
	post_recv(bed.a, 4, 4096, 16);
	CHECK(!ibv_post_send(bed.a, &w, &bad)); /* it is on its way */
	CHECK(!raise(SIGSTOP));
	expect_wc(1, 0, IBV_WC_SEND);
	expect_wc(4, 0, IBV_WC_RECV);
	end(0);
}
