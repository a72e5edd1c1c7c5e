/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Receive queues, tables of them and TIRs by mailbox, and flows that lead to them. */
#include "frames.h"
#include "queues.h"

TestSuite(tir, .init = open_alone, .fini = close_bed);

enum {
	CREATE_TIR = 0x900,
	CREATE_RQT = 0x916,
};

/* By the UDP ports: a key with one bit makes the last bit of the destination the hash */
static struct mailbox spread(uint32_t table)
{
	struct mailbox m = mailbox_of(CREATE_TIR);

	mailbox_set(&m, 288, 4, 1); /* indirect */
	mailbox_set(&m, 520, 24, table);
	mailbox_set(&m, 544, 4, 2); /* Toeplitz */
	mailbox_set(&m, 552, 24, domain_number);
	mailbox_set(&m, 576 + 31 + 31, 1, 1);
	mailbox_set(&m, 897, 1, 1); /* UDP */
	mailbox_set(&m, 898, 30, 0xc); /* both ports */
	return m;
}

static struct mailbox table_of(const uint32_t *numbers, uint32_t n)
{
	struct mailbox m = mailbox_of(CREATE_RQT);

	mailbox_set(&m, 432, 16, n);
	mailbox_set(&m, 464, 16, n);
	for (uint32_t i = 0; i < n; i++)
		mailbox_set(&m, 2176 + 32 * i, 32, numbers[i]);
	return m;
}

static int64_t table_length(uint32_t n)
{
	return CREATE_LENGTH + 4 * n;
}

Test(tir, a_frame_goes_to_its_queue)
{
	struct mlx5dv_devx_obj *o;
	struct mailbox m;
	struct lead l;

	open_rqs();
	m = direct(rqs[1].number);
	o = mailbox_create(&m, TIR_LENGTH);
	CHECK(o);
	l = lead_to(o);
	CHECK(l.flow);
	send_to_port(2000);
	CHECK(!received(0) && received(1) == 1);
	CHECK(!memcmp(bed.buf, bed.buf + 32768, frame_len));
	CHECK(mlx5dv_devx_obj_destroy(rqs[1].o) == EBUSY && mlx5dv_devx_obj_destroy(o) == EBUSY);
	end_lead(l);
	CHECK(!mlx5dv_devx_obj_destroy(o));
	close_rqs();
}

Test(tir, frames_are_spread_over_a_table)
{
	struct mlx5dv_devx_obj *table, *o;
	struct mailbox m;
	struct lead l;

	open_rqs();
	m = table_of((uint32_t[]){ rqs[0].number, rqs[1].number }, 2);
	table = mailbox_create(&m, table_length(2));
	CHECK(table);
	m = spread(mailbox_get(&m, 72, 24));
	o = mailbox_create(&m, TIR_LENGTH);
	CHECK(o);
	l = lead_to(o);
	CHECK(l.flow);
	for (uint16_t port = 2000; port < 2003; port++)
		send_to_port(port);
	CHECK(received(0) == 2 && received(1) == 1);
	CHECK(mlx5dv_devx_obj_destroy(table) == EBUSY);
	end_lead(l);
	CHECK(!mlx5dv_devx_obj_destroy(o) && !mlx5dv_devx_obj_destroy(table));
	close_rqs();
}

/* Queues of verbs and by mailbox have numbers from one space */
Test(tir, the_queue_may_be_of_verbs)
{
	struct ibv_wq_init_attr a = {
		.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1, .pd = bed.pd, .cq = bed.cq
	};
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct ibv_sge sge = { address(32768), ROOM, bed.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 }, *bad;
	struct mlx5dv_devx_obj *o;
	struct ibv_wq *wq;
	struct mailbox m;
	struct lead l;

	open_rqs();
	wq = ibv_create_wq(bed.ctx, &a);
	CHECK(wq && !ibv_modify_wq(wq, &ready) && !ibv_post_wq_recv(wq, &wr, &bad));
	m = direct(wq->wq_num);
	o = mailbox_create(&m, TIR_LENGTH);
	CHECK(o);
	l = lead_to(o);
	begin_frame(0x0800);
	ipv4(17);
	ports(1000, 2000, 8);
	send_it();
	expect_wc(5, IBV_WC_SUCCESS, IBV_WC_RECV);
	expect_wc(99, IBV_WC_SUCCESS, IBV_WC_SEND);
	CHECK(ibv_destroy_wq(wq) == EBUSY);
	end_lead(l);
	CHECK(!mlx5dv_devx_obj_destroy(o) && !ibv_destroy_wq(wq));
	close_rqs();
}

Test(tir, a_queue_that_is_not_ready_takes_nothing)
{
	struct mlx5dv_devx_obj *o;
	struct mailbox m;
	struct lead l;

	open_rqs();
	CHECK(move_rq(&rqs[0], RST, RDY) && !move_rq(&rqs[0], RDY, RST));
	m = direct(rqs[0].number);
	o = mailbox_create(&m, TIR_LENGTH);
	l = lead_to(o);
	send_to_port(2000);
	CHECK(!received(0));
	end_lead(l);
	CHECK(!mlx5dv_devx_obj_destroy(o));
	close_rqs();
}

struct change {
	int offset, width;
	uint64_t value;
};

static void expect_refused(struct mailbox m, size_t length, struct change c)
{
	mailbox_set(&m, c.offset, c.width, c.value);
	cr_expect(!mailbox_create(&m, length) && mailbox_status(&m) == STATUS_BAD_PARAM, "bit %d", c.offset);
}

Test(tir, what_cannot_be_is_refused)
{
	static const struct change of_rq[] = {
		{ 259, 1, 0 }, /* VLAN tags taken off */
		{ 260, 4, 1 }, /* an RMP's */
		{ 264, 4, RDY }, { 270, 1, 1 }, /* of a hairpin */
		{ 328, 24, 0xffff }, { 640, 4, 3 }, /* striding */
		{ 712, 24, 0xffff }, { 908, 4, 3 }, { 923, 5, 20 }, { 960, 32, 0xffff }, { 1024, 64, MEMORY },
	}, of_table[] = {
		{ 421, 3, 1 }, { 464, 16, 3 }, { 464, 16, 0 }, { 432, 16, 1 }, { 2176, 32, 0xffff },
	}, of_tir[] = {
		{ 288, 4, 2 }, { 388, 16, 1 }, /* LRO */
		{ 520, 24, 0xffff }, { 544, 4, 1 }, { 552, 24, 0xffff }, { 898, 30, 0x10 }, { 930, 30, 1 },
	};
	struct mlx5dv_devx_obj *table;
	struct mailbox m;

	open_rqs();
	for (size_t i = 0; i < SIZE(of_rq); i++)
		expect_refused(rq_mailbox(2, rqs[0].cq), CREATE_LENGTH, of_rq[i]);
	m = table_of((uint32_t[]){ rqs[0].number, rqs[1].number }, 2);
	for (size_t i = 0; i < SIZE(of_table); i++)
		expect_refused(m, table_length(2), of_table[i]);
	expect_refused(m, table_length(1), (struct change){ 464, 16, 2 });
	table = mailbox_create(&m, table_length(2));
	CHECK(table);
	m = spread(mailbox_get(&m, 72, 24));
	for (size_t i = 0; i < SIZE(of_tir); i++)
		expect_refused(m, TIR_LENGTH, of_tir[i]);
	expect_refused(direct(rqs[0].number), TIR_LENGTH, (struct change){ 488, 24, 0xffff });
	CHECK(!mlx5dv_devx_obj_destroy(table));
	close_rqs();
}

Test(tir, a_flow_leads_to_no_other_object)
{
	struct lead l;

	open_rqs();
	l = lead_to(rqs[0].o);
	CHECK(!l.flow && errno == EINVAL);
	end_lead(l);
	close_rqs();
}
