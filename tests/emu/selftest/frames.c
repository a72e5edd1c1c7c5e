/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "frames.h"

#include <arpa/inet.h>
#include <stdlib.h>

enum {
	RECVS = 4
};

struct receiver one, two;
uint32_t frame_len;

static struct ibv_qp *sender;

void open_alone(void)
{
	CHECK(!setenv("VERBSX_EMU_FABRIC", "none", 1));
	open_mlx5();
}

static struct ibv_qp *make_raw(struct ibv_cq *recv_cq)
{
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RAW_PACKET, .send_cq = bed.cq, .recv_cq = recv_cq, .cap = { 8, 8, 1, 1, 0 }
	};
	struct ibv_qp_attr m = { .port_num = 1 };
	struct ibv_qp *q = ibv_create_qp(bed.pd, &a);

	CHECK(q);
	for (int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		m.qp_state = state;
		CHECK(!ibv_modify_qp(q, &m, IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PORT : 0)));
	}
	return q;
}

static void open_receiver(struct receiver *r)
{
	struct ibv_cq_init_attr_ex a = { .cqe = 15,
					 .wc_flags = IBV_WC_EX_WITH_FLOW_TAG | IBV_WC_EX_WITH_BYTE_LEN };

	r->cq = ibv_create_cq_ex(bed.ctx, &a);
	CHECK(r->cq);
	r->qp = make_raw(ibv_cq_ex_to_cq(r->cq));
	for (int i = 0; i < RECVS; i++)
		post_recv(r->qp, i, FRAMES_AT + i * FRAME_ROOM, FRAME_ROOM);
}

void open_raw(void)
{
	if (!bed.ethernet)
		skip("frames are of Ethernet");
	sender = make_raw(bed.cq);
	open_receiver(&one);
	open_receiver(&two);
}

static void close_receiver(struct receiver *r)
{
	CHECK(!ibv_destroy_qp(r->qp) && !ibv_destroy_cq(ibv_cq_ex_to_cq(r->cq)));
}

void close_raw(void)
{
	close_receiver(&one);
	close_receiver(&two);
	CHECK(!ibv_destroy_qp(sender));
}

/* Frames are put together header by header, at the start of bed.buf */
static void append(const void *header, size_t size)
{
	memcpy(bed.buf + frame_len, header, size);
	frame_len += size;
}

void eth(uint16_t type)
{
	const uint8_t h[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, type >> 8, type };

	append(h, sizeof(h));
}

void begin_frame(uint16_t type)
{
	frame_len = 0;
	eth(type);
}

void ipv4(uint8_t protocol)
{
	const uint8_t h[20] = { 0x45, 0x20, 0, 46, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	append(h, sizeof(h));
}

void ipv6(uint8_t next)
{
	const uint8_t h[40] = { 0x62, 0x01, 0x23, 0x45,	    0,		 20,   next,
				64,   0xfe, 0x80, [23] = 1, [24] = 0xfe, 0x80, [39] = 2 };

	append(h, sizeof(h));
}

void ports(uint16_t from, uint16_t to, size_t size)
{
	const uint8_t h[20] = { from >> 8, from, to >> 8, to };

	append(h, size);
}

void word(uint32_t w)
{
	w = htonl(w);
	append(&w, sizeof(w));
}

void send_it(void)
{
	struct ibv_sge sge = { address(0), 0, bed.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 99,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	word(0);
	sge.length = frame_len;
	CHECK(!ibv_post_send(sender, &wr, &bad));
}

void send_frame(void)
{
	send_it();
	expect_wc(99, IBV_WC_SUCCESS, IBV_WC_SEND);
}

void send_udp(void)
{
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	ports(1000, 2000, 8);
	send_frame();
}

/* How many came, all of them whole; a frame is there before its sender hears of it */
int arrived(struct receiver *r, uint32_t *tag)
{
	struct ibv_poll_cq_attr a = { 0 };
	int n = 0;

	while (!ibv_start_poll(r->cq, &a)) {
		CHECK(!r->cq->status && ibv_wc_read_byte_len(r->cq) == frame_len);
		CHECK(!memcmp(bed.buf, bed.buf + FRAMES_AT + r->cq->wr_id * FRAME_ROOM, frame_len));
		*tag = ibv_wc_read_flow_tag(r->cq);
		post_recv(r->qp, r->cq->wr_id, FRAMES_AT + r->cq->wr_id * FRAME_ROOM, FRAME_ROOM);
		ibv_end_poll(r->cq);
		n++;
	}
	return n;
}

int got(struct receiver *r)
{
	uint32_t tag;

	return arrived(r, &tag);
}

struct rule rule_of(uint16_t priority)
{
	return (struct rule){
		.attr = { .size = sizeof(struct ibv_flow_attr), .port = 1, .priority = priority }
	};
}

void add(struct rule *r, const void *spec, size_t size)
{
	memcpy((uint8_t *)r + r->attr.size, spec, size);
	r->attr.size += size;
	r->attr.num_of_specs++;
}

struct ibv_flow *steer(struct rule *r, struct receiver *to)
{
	struct ibv_flow *f = ibv_create_flow(to->qp, &r->attr);

	CHECK(f);
	return f;
}
