/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Frames are spread over work queues by their hash: the example hashes that Toeplitz is defined by. */
#include <arpa/inet.h>

#include "frames.h"

TestSuite(rss, .init = open_alone, .fini = close_bed);

enum {
	LOG_QUEUES = 3,
	QUEUES = 1 << LOG_QUEUES,
	ROOM = 256
};

static uint8_t key[] = { 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
			 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
			 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };

static const struct sample {
	uint32_t src, dst;
	uint16_t from, to;
	uint32_t of_addresses, of_all;
} samples[] = {
	{ 0x420995bb, 0xa18e6450, 2794, 1766, 0x323e8fc2, 0x51ccc178 },
	{ 0xc75c6f02, 0x41458c53, 14230, 4739, 0xd718262a, 0xc626b0ea },
	{ 0x1813c65f, 0x0c16cfb8, 12898, 38024, 0xd2d0a5de, 0x5c2b394a },
	{ 0x261bcd1e, 0xd18ea306, 48228, 2217, 0x82989176, 0xafc7327f },
};

static struct ibv_wq *wqs[QUEUES];
static struct ibv_rwq_ind_table *table;
static struct ibv_qp *spread;
static struct ibv_flow *flow;

/* A request's number is that of its queue */
static struct ibv_wq *make_wq(uint64_t number)
{
	struct ibv_wq_init_attr a = {
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1, .pd = bed.pd, .cq = bed.cq
	};
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct ibv_sge sge = { address(32768 + number * ROOM), ROOM, bed.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_wq *w = ibv_create_wq(bed.ctx, &a);

	CHECK(w && !ibv_modify_wq(w, &ready));
	for (size_t i = 0; i < SIZE(samples); i++)
		CHECK(!ibv_post_wq_recv(w, &wr, &bad));
	return w;
}

static void open_spread(uint64_t fields)
{
	struct ibv_rwq_ind_table_init_attr t = { .log_ind_tbl_size = LOG_QUEUES, .ind_tbl = wqs };
	struct ibv_qp_init_attr_ex a = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = bed.pd,
		.rx_hash_conf = { IBV_RX_HASH_FUNC_TOEPLITZ, sizeof(key), key, fields },
	};
	struct rule r = rule_of(0);

	open_raw();
	for (int i = 0; i < QUEUES; i++)
		wqs[i] = make_wq(i);
	table = ibv_create_rwq_ind_table(bed.ctx, &t);
	CHECK(table);
	a.rwq_ind_tbl = table;
	spread = ibv_create_qp_ex(bed.ctx, &a);
	CHECK(spread);
	flow = ibv_create_flow(spread, &r.attr);
	CHECK(flow);
}

static void close_spread(void)
{
	CHECK(!ibv_destroy_flow(flow) && !ibv_destroy_qp(spread) && !ibv_destroy_rwq_ind_table(table));
	for (int i = 0; i < QUEUES; i++)
		CHECK(!ibv_destroy_wq(wqs[i]));
	close_raw();
}

static void put(size_t offset, uint32_t value)
{
	value = htonl(value);
	memcpy(bed.buf + offset, &value, sizeof(value));
}

/* The frame is in the queue of that hash before its sender hears of it */
static void expect_queue(const struct sample *s, uint32_t hash)
{
	struct ibv_wc wc;

	begin_frame(0x0800);
	ipv4(IPPROTO_TCP);
	put(26, s->src);
	put(30, s->dst);
	ports(s->from, s->to, 20);
	send_it();
	wc = wait_wc(bed.cq);
	cr_assert(!wc.status && wc.wr_id == hash % QUEUES, "queue %d, not %u", (int)wc.wr_id, hash % QUEUES);
	CHECK(wc.byte_len == frame_len);
	CHECK(!memcmp(bed.buf, bed.buf + 32768 + wc.wr_id * ROOM, frame_len));
	expect_wc(99, IBV_WC_SUCCESS, IBV_WC_SEND);
}

Test(rss, by_addresses)
{
	open_spread(IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4);
	for (size_t i = 0; i < SIZE(samples); i++)
		expect_queue(&samples[i], samples[i].of_addresses);
	close_spread();
}

Test(rss, by_addresses_and_ports)
{
	open_spread(IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_PORT_TCP |
		    IBV_RX_HASH_DST_PORT_TCP);
	for (size_t i = 0; i < SIZE(samples); i++)
		expect_queue(&samples[i], samples[i].of_all);
	close_spread();
}
