/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Messages of more than one packet, and what is done about those that are lost. */
#include <unistd.h>

#include "selftest.h"

enum {
	MTU = 1024, /* of the paths of the bed */
	LENGTH = 4 * MTU,
	THERE = 16384 /* where in the buffer it goes */
};

static void open_packets(void)
{
	open_mlx5();
	for (int i = 0; i < LENGTH; i++)
		bed.buf[i] = (char)(i / MTU * 16 + i % 13 + 1);
}

TestSuite(packet, .init = open_packets, .fini = close_bed);

static void ask(const char *fault, const struct ibv_qp *q)
{
	char spec[64], why[128];

	snprintf(spec, sizeof(spec), fault, q->qp_num);
	cr_assert(!emu_fault(spec, why, sizeof(why)), "%s", why);
}

/* From the start of the buffer, or for a read to there */
static void post(struct ibv_qp *q, uint64_t wr_id, enum ibv_wr_opcode opcode, uint64_t there, uint32_t len)
{
	struct ibv_sge s = { address(0), len, bed.mr->lkey };
	struct ibv_send_wr w = { .wr_id = wr_id, .sg_list = &s, .num_sge = 1, .opcode = opcode,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = { address(there), bed.mr->rkey } }, *bad;

	CHECK(!ibv_post_send(q, &w, &bad));
}

static bool has_arrived(size_t from, size_t len)
{
	return !memcmp(bed.buf + from, bed.buf + THERE + from, len);
}

/* Which never is: without an answer that tells of the gap nothing would go again */
Test(packet, a_gap_is_noticed_before_the_time_is_over)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);

	to_b.timeout = 0;
	start_rc(bed.a, to_b);
	ask("drop#3:0x%x", bed.a);
	post(bed.a, 1, IBV_WR_RDMA_WRITE, THERE, LENGTH);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(has_arrived(0, LENGTH));
}

Test(packet, without_a_packet_after_it_the_lost_one_takes_its_time)
{
	double before = now_ms();

	ask("drop#4:0x%x", bed.a);
	post(bed.a, 1, IBV_WR_RDMA_WRITE, THERE, LENGTH);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(now_ms() - before >= ACK_TIMEOUT_MS);
	CHECK(has_arrived(0, LENGTH));
}

/* Each of these is of four packets, and each is sent again once */
Test(packet, those_after_a_lost_one_are_taken_when_it_has_come)
{
	ask("drop#2:0x%x", bed.a);
	ask("drop#9:0x%x", bed.a);
	for (int i = 0; i < 3; i++)
		post_recv(bed.b, 10 + i, THERE + i * LENGTH, LENGTH);
	for (int i = 0; i < 3; i++)
		post(bed.a, i, IBV_WR_SEND, 0, LENGTH);
	for (int i = 0; i < 3; i++) {
		struct ibv_wc first = wait_wc(bed.cq), second = wait_wc(bed.cq);

		CHECK(!first.status && !second.status);
		CHECK(!memcmp(bed.buf, bed.buf + THERE + i * LENGTH, LENGTH));
	}
}

Test(packet, a_packet_is_corrupt_not_its_message)
{
	ask("corrupt#2:0x%x", bed.a);
	post(bed.a, 1, IBV_WR_RDMA_WRITE, THERE, LENGTH);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(bed.buf[THERE + MTU] == (bed.buf[MTU] ^ 1));
	CHECK(has_arrived(0, MTU) && has_arrived(MTU + 1, LENGTH - MTU - 1));
}

/* What arrives corrupt after a gap is not taken, and not corrupt when it is sent again */
Test(packet, what_is_sent_again_is_what_it_was)
{
	ask("drop#1:0x%x", bed.a);
	ask("corrupt#2:0x%x", bed.a);
	post(bed.a, 1, IBV_WR_RDMA_WRITE, THERE, LENGTH);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(has_arrived(0, LENGTH));
}

Test(packet, over_uc_a_gap_loses_the_rest_of_the_message)
{
	struct ibv_qp *q = make_uc_loop();

	ask("drop#2:0x%x", q);
	post(q, 1, IBV_WR_RDMA_WRITE, THERE, LENGTH);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(has_arrived(0, MTU));
	for (int i = MTU; i < LENGTH; i++)
		CHECK(!bed.buf[THERE + i]);
	post(q, 2, IBV_WR_RDMA_WRITE, THERE, LENGTH);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(has_arrived(0, LENGTH));
	CHECK(!ibv_destroy_qp(q));
}

/* The receive request that it had taken is for the next one */
Test(packet, over_uc_a_broken_message_takes_no_receive_request)
{
	struct ibv_qp *q = make_uc_loop();

	ask("drop#3:0x%x", q);
	post_recv(q, 1, THERE, LENGTH);
	post(q, 2, IBV_WR_SEND, 0, LENGTH);
	expect_wc(2, 0, IBV_WC_SEND);
	post(q, 3, IBV_WR_SEND, 0, LENGTH);
	expect_wc(1, 0, IBV_WC_RECV);
	expect_wc(3, 0, IBV_WC_SEND);
	CHECK(has_arrived(0, LENGTH));
	CHECK(!ibv_destroy_qp(q));
}

Test(packet, a_read_goes_on_where_its_response_broke_off)
{
	double before = now_ms();

	memcpy(bed.buf + THERE, bed.buf, LENGTH);
	memset(bed.buf, 0, LENGTH);
	ask("drop_answer#3:0x%x", bed.a);
	post(bed.a, 1, IBV_WR_RDMA_READ, THERE, LENGTH);
	expect_wc(1, 0, IBV_WC_RDMA_READ);
	CHECK(now_ms() - before >= ACK_TIMEOUT_MS);
	CHECK(bed.buf[0] && has_arrived(0, LENGTH));
}

Test(packet, no_atomic_is_done_twice)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	uint64_t *counter = (uint64_t *)(bed.buf + THERE);

	ask("drop_answer#1-4:0x%x", bed.a);
	for (int i = 0; i < 4; i++) {
		start(x, i, IBV_SEND_SIGNALED);
		ibv_wr_atomic_fetch_add(x, bed.mr->rkey, address(THERE), 1);
		ibv_wr_set_sge(x, bed.mr->lkey, address(THERE + 8 * (i + 1)), 8);
		CHECK(!ibv_wr_complete(x));
	}
	for (uint64_t i = 0; i < 4; i++) {
		expect_wc(i, 0, IBV_WC_FETCH_ADD);
		CHECK(counter[i + 1] == i);
	}
	CHECK(*counter == 4);
}

/* The data are there before somebody is ready for the immediate */
Test(packet, only_the_last_packet_of_a_write_needs_a_receiver)
{
	post(bed.a, 1, IBV_WR_RDMA_WRITE_WITH_IMM, THERE, LENGTH);
	for (int i = 0; i < 1000 && !bed.buf[THERE]; i++)
		usleep(1000);
	post_recv(bed.b, 2, 0, 0);
	expect_wc(2, 0, IBV_WC_RECV_RDMA_WITH_IMM);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(has_arrived(0, LENGTH));
}

Test(packet, a_write_that_is_too_long_writes_nothing)
{
	post(bed.a, 1, IBV_WR_RDMA_WRITE, BUF_SIZE - 2 * MTU, LENGTH);
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	for (int i = BUF_SIZE - 2 * MTU; i < BUF_SIZE; i++)
		CHECK(!bed.buf[i]);
}

Test(packet, a_response_of_another_mtu_is_no_response)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);

	to_b.path_mtu = IBV_MTU_256;
	start_rc(bed.a, to_b);
	post(bed.a, 1, IBV_WR_RDMA_READ, THERE, LENGTH);
	expect_error(1, IBV_WC_BAD_RESP_ERR);
}

Test(packet, without_a_timeout_nothing_is_sent_again)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);
	struct ibv_wc wc;

	to_b.timeout = 0;
	start_rc(bed.a, to_b);
	ask("drop:0x%x", bed.a);
	post(bed.a, 1, IBV_WR_RDMA_WRITE, THERE, MTU);
	usleep(100000);
	CHECK(!ibv_poll_cq(bed.cq, 1, &wc) && !bed.buf[THERE]);
	post(bed.a, 2, IBV_WR_RDMA_WRITE, THERE, MTU); /* the gap shows */
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

Test(packet, a_wrong_qkey_is_counted_by_the_port)
{
	struct ibv_qp *q = make_ud();
	struct ibv_ah_attr path = path_to_self(0);
	struct ibv_ah *ah = ibv_create_ah(bed.pd, &path);
	uint32_t before = first_port().qkey_viol_cntr;

	CHECK(ah);
	for (uint32_t wrong = 0; wrong < 2; wrong++) {
		send_datagram(q, ah, q->qp_num, QKEY + wrong);
		expect_wc(2, 0, IBV_WC_SEND);
		CHECK(first_port().qkey_viol_cntr == before + wrong);
	}
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(q));
}

/* The first entry of the table is the only one that is a P_Key; Ethernet has no other */
Test(packet, a_wrong_pkey_is_counted_by_the_port)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = 1 };
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);
	uint32_t before = first_port().bad_pkey_cntr;

	if (bed.ethernet)
		skip("Ethernet has one P_Key");
	to_b.timeout = 8;
	to_b.retry_cnt = 1;
	to_reset(bed.a);
	CHECK(!ibv_modify_qp(bed.a, &init,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	connect_rc(bed.a, to_b);
	post(bed.a, 1, IBV_WR_RDMA_WRITE, THERE, 8);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
	CHECK(first_port().bad_pkey_cntr == before + 2);
}

Test(packet, the_clock_never_stands_at_zero)
{
	struct ibv_values_ex v = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	CHECK(!ibv_query_rt_values_ex(bed.ctx, &v));
	CHECK(v.raw_clock.tv_sec || v.raw_clock.tv_nsec);
}
