/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Queues by mailbox: CQ, QP, RMP and DCT, with WQEs and CQEs that are built and read by hand. */
#include <endian.h>
#include <stdlib.h>
#include <unistd.h>

#include "mailbox.h"

static void open_queues(void);
static void close_queues(void);
TestSuite(devx_qp, .init = open_queues, .fini = close_queues);

enum {
	CREATE_CQ = 0x400,
	CREATE_QP = 0x500,
	RST2INIT = 0x502,
	INIT2RTR = 0x503,
	RTR2RTS = 0x504,
	TO_ERR = 0x507,
	TO_RST = 0x50a,
	QUERY_QP = 0x50b,
	CREATE_DCT = 0x710,
	DRAIN_DCT = 0x712,
	CREATE_XRQ = 0x717,
	CREATE_RMP = 0x90c,
	EVENT_LAST_WQE = 0x13
};

/* Bytes of mailboxes; the QPC is at bit 192 of those that have it */
enum {
	LENGTH = 272,
	SHORT_LENGTH = 16,
	DCT_LENGTH = 128,
	XRQ_LENGTH = 336,
	XRQ_WQ = 512, /* so much further on, its queue has the fields of an RMP's */
	QPC = 192
};

/* Where the queues lie in the memory of the test */
enum {
	DOORBELLS = 0, /* of QP i at 64 * i, of the CQ and the RMP as below */
	CQ_DOORBELL = 1024,
	RMP_DOORBELL = 1088,
	CQES = 4096,
	RMP_WQES = 8192,
	WORK = 16384, /* of QP i, 8192 bytes each: 64 receive WQEs of 16 bytes, then 64 WQEBBs */
	WORK_SIZE = 8192,
	RQ_BYTES = 1024,
	MEMORY = 65536,
	LOG_ENTRIES = 6,
	RMP_STRIDE = 32,
	RMP_ENTRIES = 8
};

static struct {
	uint8_t *memory;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *cq;
	uint32_t cqn, consumed;
} queues;

struct queue_pair {
	struct mlx5dv_devx_obj *o;
	uint32_t number;
	int place;
	size_t send_queue; /* in the memory: after a receive queue of its own, if it has one */
	uint16_t sent, posted;
};

static struct mailbox cq_mailbox(void)
{
	struct mailbox m = mailbox_of(CREATE_CQ);

	mailbox_set(&m, 160, 32, queues.umem->umem_id);
	mailbox_set(&m, 227, 5, LOG_ENTRIES);
	mailbox_set(&m, 576, 64, CQ_DOORBELL);
	mailbox_set(&m, 640, 64, CQES);
	mailbox_set(&m, 704, 32, queues.umem->umem_id);
	return m;
}

static void make_cq(struct mailbox m)
{
	queues.cq = mailbox_create(&m, LENGTH);
	CHECK(queues.cq);
	queues.cqn = mailbox_get(&m, 72, 24);
}

static void open_queues(void)
{
	open_mlx5();
	queues.consumed = 0;
	queues.memory = aligned_alloc(4096, MEMORY);
	memset(queues.memory, 0, MEMORY);
	memset(queues.memory + CQES, 0xff, 64 * 64);
	queues.umem = mlx5dv_devx_umem_reg(bed.ctx, queues.memory, MEMORY, IBV_ACCESS_LOCAL_WRITE);
	CHECK(queues.umem);
	make_cq(cq_mailbox());
}

static void close_queues(void)
{
	CHECK(!mlx5dv_devx_obj_destroy(queues.cq));
	CHECK(!mlx5dv_devx_umem_dereg(queues.umem));
	free(queues.memory);
	close_bed();
}

static struct mailbox qp_mailbox(int place, uint32_t rmp)
{
	struct mailbox m = mailbox_of(CREATE_QP);

	mailbox_set(&m, QPC + 40, 24, pd_number(bed.pd));
	mailbox_set(&m, QPC + 73, 4, LOG_ENTRIES);
	mailbox_set(&m, QPC + 81, 4, LOG_ENTRIES);
	mailbox_set(&m, QPC + 1000, 24, queues.cqn);
	mailbox_set(&m, QPC + 1256, 24, queues.cqn);
	mailbox_set(&m, QPC + 1280, 64, DOORBELLS + 64 * place);
	mailbox_set(&m, QPC + 1381, 3, rmp ? 1 : 0);
	mailbox_set(&m, QPC + 1384, 24, rmp);
	mailbox_set(&m, QPC + 1824, 32, queues.umem->umem_id);
	mailbox_set(&m, 2048, 64, WORK + (uint64_t)place * WORK_SIZE);
	mailbox_set(&m, 2112, 32, queues.umem->umem_id);
	return m;
}

static struct queue_pair make_pair_end(int place, uint32_t rmp)
{
	struct mailbox m = qp_mailbox(place, rmp);
	struct queue_pair q = { .o = mailbox_create(&m, LENGTH),
				.place = place,
				.send_queue = WORK + place * WORK_SIZE + (rmp ? 0 : RQ_BYTES) };

	CHECK(q.o);
	q.number = mailbox_get(&m, 72, 24);
	return q;
}

static int transit(const struct queue_pair *q, struct mailbox *m)
{
	mailbox_set(m, 72, 24, q->number);
	return mailbox_modify(q->o, m, LENGTH);
}

static int to_rtr(const struct queue_pair *q, uint32_t peer)
{
	struct mailbox m = mailbox_of(INIT2RTR);
	union ibv_gid gid;

	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &gid));
	mailbox_set(&m, 128, 32, 1 << 1 | 1 << 2 | 1 << 3); /* access flags are given */
	mailbox_set(&m, QPC + 64, 3, IBV_MTU_1024);
	mailbox_set(&m, QPC + 168, 24, peer);
	mailbox_set(&m, QPC + 232, 1, bed.ethernet);
	mailbox_set(&m, QPC + 240, 16, bed.lid);
	mailbox_set(&m, QPC + 488, 8, 1);
	for (int i = 0; i < 16; i++)
		mailbox_set(&m, QPC + 320 + 8 * i, 8, gid.raw[i]);
	mailbox_set(&m, QPC + 1168, 3, 7); /* reads, writes, atomics */
	mailbox_set(&m, QPC + 1187, 5, 12);
	return transit(q, &m);
}

static void start_end(const struct queue_pair *q, uint32_t peer)
{
	struct mailbox init = mailbox_of(RST2INIT), rts = mailbox_of(RTR2RTS);

	mailbox_set(&init, QPC + 488, 8, 1);
	CHECK(!transit(q, &init));
	CHECK(!to_rtr(q, peer));
	mailbox_set(&rts, QPC + 256, 5, 14);
	mailbox_set(&rts, QPC + 909, 3, 3);
	mailbox_set(&rts, QPC + 912, 3, NO_RNR_LIMIT);
	CHECK(!transit(q, &rts));
}

static volatile __be32 *doorbell(size_t at)
{
	return (volatile __be32 *)(queues.memory + at);
}

static void data_segment(struct mlx5_wqe_data_seg *s, size_t offset, uint32_t len)
{
	*s = (struct mlx5_wqe_data_seg){ htobe32(len), htobe32(bed.mr->lkey), htobe64(address(offset)) };
}

static void put_wqe(struct queue_pair *q, uint8_t opcode, uint8_t flags, size_t offset, uint32_t len)
{
	struct {
		struct mlx5_wqe_ctrl_seg ctrl;
		struct mlx5_wqe_data_seg data;
	} *wqe = (void *)(queues.memory + q->send_queue + q->sent * 64);

	wqe->ctrl = (struct mlx5_wqe_ctrl_seg){ .opmod_idx_opcode = htobe32((uint32_t)q->sent << 8 | opcode),
						.qpn_ds = htobe32(q->number << 8 | 2),
						.fm_ce_se = flags };
	data_segment(&wqe->data, offset, len);
	q->sent++;
}

static void ring(const struct queue_pair *q)
{
	*doorbell(DOORBELLS + 64 * q->place + 4) = htobe32(q->sent);
}

static void post_wqe(struct queue_pair *q, uint8_t opcode, size_t offset, uint32_t len)
{
	put_wqe(q, opcode, MLX5_WQE_CTRL_CQ_UPDATE, offset, len);
	ring(q);
}

static void post_receive(struct queue_pair *q, size_t offset, uint32_t len)
{
	data_segment((void *)(queues.memory + WORK + q->place * WORK_SIZE + q->posted * 16), offset, len);
	*doorbell(DOORBELLS + 64 * q->place) = htobe32(++q->posted);
}

static struct mlx5_cqe64 next_cqe(void)
{
	struct mlx5_cqe64 *e = (void *)(queues.memory + CQES + queues.consumed % 64 * 64), copy;
	double end = now_ms() + PATIENCE;

	while ((e->op_own & 1) != (queues.consumed >> LOG_ENTRIES & 1) || e->op_own >> 4 == MLX5_CQE_INVALID)
		CHECK(now_ms() < end);
	__sync_synchronize();
	copy = *e;
	*doorbell(CQ_DOORBELL) = htobe32(++queues.consumed);
	return copy;
}

static void expect_two(uint8_t opcode, uint8_t other)
{
	uint8_t first = next_cqe().op_own >> 4, second = next_cqe().op_own >> 4;

	cr_expect((first == opcode && second == other) || (first == other && second == opcode), "%u %u",
		  first, second);
}

static uint64_t query(const struct queue_pair *q, int offset, int width)
{
	struct mailbox m = mailbox_of(QUERY_QP);

	mailbox_set(&m, 72, 24, q->number);
	CHECK(!mailbox_query(q->o, &m, SHORT_LENGTH));
	return mailbox_get(&m, QPC + offset, width);
}

Test(devx_qp, two_exchange_a_message)
{
	struct queue_pair a = make_pair_end(0, 0), b = make_pair_end(1, 0);

	start_end(&a, b.number);
	start_end(&b, a.number);
	strcpy(bed.buf, "by mailbox");
	post_receive(&b, 8192, 64);
	post_wqe(&a, MLX5_OPCODE_SEND, 0, 11);
	expect_two(MLX5_CQE_REQ, MLX5_CQE_RESP_SEND);
	CHECK(!strcmp(bed.buf + 8192, "by mailbox"));
	CHECK(!mlx5dv_devx_obj_destroy(a.o) && !mlx5dv_devx_obj_destroy(b.o));
}

static struct mailbox compressing_cq(int format)
{
	struct mailbox m = cq_mailbox();

	mailbox_set(&m, 128 + 17, 1, 1);
	mailbox_set(&m, 128 + 18, 2, format);
	return m;
}

/* The lengths are in an array where the second entry would be */
Test(devx_qp, a_cq_compresses_what_comes_at_once)
{
	struct queue_pair a, b;
	struct mlx5_cqe64 title, array;
	__be32 minis[4];

	CHECK(!mlx5dv_devx_obj_destroy(queues.cq));
	make_cq(compressing_cq(0));
	a = make_pair_end(0, 0);
	b = make_pair_end(1, 0);
	start_end(&a, b.number);
	start_end(&b, a.number);
	for (int i = 0; i < 2; i++) {
		post_receive(&b, 8192 + 64 * i, 64);
		put_wqe(&a, MLX5_OPCODE_SEND, 0, 0, 11 + i);
	}
	ring(&a);
	title = next_cqe();
	CHECK(title.op_own >> 4 == MLX5_CQE_RESP_SEND && (title.op_own >> 2 & 3) == 3 && be32toh(title.byte_cnt) == 2);
	array = *(struct mlx5_cqe64 *)(queues.memory + CQES + 64);
	memcpy(minis, &array, sizeof(minis));
	CHECK(be32toh(minis[1]) == 11 && be32toh(minis[3]) == 12);
	CHECK(!mlx5dv_devx_obj_destroy(a.o) && !mlx5dv_devx_obj_destroy(b.o));
}

Test(devx_qp, a_cq_compresses_by_hash_or_checksum_and_64_bytes)
{
	struct mailbox strides = compressing_cq(3), large = compressing_cq(1);

	mailbox_set(&large, 128 + 8, 3, 1);
	CHECK(!mailbox_create(&strides, LENGTH) && mailbox_status(&strides) == STATUS_BAD_PARAM);
	CHECK(!mailbox_create(&large, LENGTH) && mailbox_status(&large) == STATUS_BAD_PARAM);
}

/* UCX clears the queue and leaves the doorbell record as it was */
Test(devx_qp, a_reset_forgets_what_the_doorbell_record_said)
{
	struct queue_pair q = make_pair_end(0, 0);

	for (int i = 0; i < 2; i++) {
		struct mailbox rst = mailbox_of(TO_RST);

		start_end(&q, q.number);
		usleep(20000);
		post_receive(&q, 8192, 64);
		post_wqe(&q, MLX5_OPCODE_SEND, 0, 8);
		expect_two(MLX5_CQE_REQ, MLX5_CQE_RESP_SEND);
		CHECK(!transit(&q, &rst));
		memset(queues.memory + q.send_queue, 0, WORK_SIZE - RQ_BYTES);
		*doorbell(DOORBELLS) = 0; /* of the receive queue */
		q.sent = q.posted = 0;
	}
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, a_query_tells_state_peer_and_access)
{
	struct queue_pair q = make_pair_end(0, 0);

	CHECK(query(&q, 0, 4) == 0);
	start_end(&q, q.number);
	CHECK(query(&q, 0, 4) == 3 && query(&q, 168, 24) == q.number && query(&q, 64, 3) == IBV_MTU_1024);
	CHECK(query(&q, 1168, 3) == 7 && query(&q, 912, 3) == NO_RNR_LIMIT && query(&q, 488, 8) == 1);
	CHECK(query(&q, 1000, 24) == queues.cqn);
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, a_transition_from_another_state_has_a_status)
{
	struct queue_pair q = make_pair_end(0, 0);
	struct mailbox rts = mailbox_of(RTR2RTS), err = mailbox_of(TO_ERR), rst = mailbox_of(TO_RST);

	CHECK(transit(&q, &rts) == EREMOTEIO && mailbox_status(&rts) == STATUS_BAD_RES_STATE);
	CHECK(transit(&q, &err) == EREMOTEIO);
	start_end(&q, q.number);
	err = mailbox_of(TO_ERR);
	CHECK(!transit(&q, &err) && query(&q, 0, 4) == 6);
	CHECK(!transit(&q, &rst) && query(&q, 0, 4) == 0);
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, what_it_needs_has_to_be_there)
{
	static const struct {
		int offset, width;
		uint32_t wrong;
	} wrong[] = {
		{ QPC + 40, 24, 0xffff }, /* PD */
		{ QPC + 8, 8, 7 }, /* service: QP0 */
		{ QPC + 1000, 24, 0xffff }, /* CQ of the send queue */
		{ QPC + 1824, 32, 0xffff }, /* umem of the doorbell record */
		{ 2112, 32, 0xffff }, /* umem of the queues */
		{ 2048, 32, 1 }, /* beyond its end */
		{ QPC + 1381, 3, 1 }, /* an RMP, but none is given */
	};

	for (size_t i = 0; i < SIZE(wrong); i++) {
		struct mailbox m = qp_mailbox(0, 0);

		mailbox_set(&m, wrong[i].offset, wrong[i].width, wrong[i].wrong);
		cr_expect(!mailbox_create(&m, LENGTH) && mailbox_status(&m) == STATUS_BAD_PARAM, "%zu", i);
	}
}

Test(devx_qp, memory_that_a_queue_uses_stays)
{
	struct queue_pair q = make_pair_end(0, 0);

	CHECK(mlx5dv_devx_umem_dereg(queues.umem) == EBUSY);
	CHECK(mlx5dv_devx_obj_destroy(queues.cq) == EBUSY);
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

static struct mlx5dv_devx_obj *make_rmp(bool cyclic, uint32_t *number)
{
	struct mailbox m = mailbox_of(CREATE_RMP);
	struct mlx5dv_devx_obj *o;

	mailbox_set(&m, 264, 4, 1);
	mailbox_set(&m, 640, 4, cyclic);
	mailbox_set(&m, 712, 24, pd_number(bed.pd));
	mailbox_set(&m, 768, 64, RMP_DOORBELL);
	mailbox_set(&m, 908, 4, 5);
	mailbox_set(&m, 923, 5, 3);
	mailbox_set(&m, 960, 32, queues.umem->umem_id);
	mailbox_set(&m, 992, 32, queues.umem->umem_id);
	mailbox_set(&m, 1024, 64, RMP_WQES);
	o = mailbox_create(&m, LENGTH);
	CHECK(o);
	*number = mailbox_get(&m, 72, 24);
	return o;
}

/* WQE i receives at 8192 + 64 * i, and is followed by @next */
static void fill_rmp(int i, uint16_t next)
{
	uint8_t *wqe = queues.memory + RMP_WQES + i * RMP_STRIDE;

	memset(wqe, 0, 16);
	((struct mlx5_wqe_srq_next_seg *)wqe)->next_wqe_index = htobe16(next);
	data_segment((void *)(wqe + 16), 8192 + 64 * i, 64);
}

/* Two messages, to the WQEs that come first and next */
static void receive_by_rmp(bool cyclic, int second)
{
	uint32_t rmp;
	struct mlx5dv_devx_obj *o = make_rmp(cyclic, &rmp);
	struct queue_pair a = make_pair_end(0, 0), b = make_pair_end(1, rmp);

	start_end(&a, b.number);
	start_end(&b, a.number);
	for (int i = 0; i < RMP_ENTRIES; i++)
		fill_rmp(i, 5);
	*doorbell(RMP_DOORBELL) = htobe32(2);
	strcpy(bed.buf, "pool");
	for (int i = 0; i < 2; i++) {
		post_wqe(&a, MLX5_OPCODE_SEND, 0, 5);
		expect_two(MLX5_CQE_REQ, MLX5_CQE_RESP_SEND);
	}
	CHECK(!strcmp(bed.buf + 8192, "pool") && !strcmp(bed.buf + 8192 + 64 * second, "pool"));
	CHECK(mlx5dv_devx_obj_destroy(o) == EBUSY);
	CHECK(!mlx5dv_devx_obj_destroy(a.o) && !mlx5dv_devx_obj_destroy(b.o) && !mlx5dv_devx_obj_destroy(o));
}

Test(devx_qp, an_rmp_is_a_list_of_wqes)
{
	receive_by_rmp(false, 5);
}

Test(devx_qp, an_rmp_may_be_cyclic)
{
	receive_by_rmp(true, 1);
}

Test(devx_qp, the_last_wqe_of_a_shared_queue_is_an_event)
{
	struct mlx5dv_devx_event_channel *channel = mlx5dv_devx_create_event_channel(
		bed.ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	struct mlx5dv_devx_async_event_hdr event;
	uint16_t type = EVENT_LAST_WQE;
	uint32_t rmp;
	struct mlx5dv_devx_obj *o = make_rmp(true, &rmp);
	struct queue_pair q = make_pair_end(0, rmp);
	struct mailbox err = mailbox_of(TO_ERR);

	CHECK(channel);
	CHECK(!mlx5dv_devx_subscribe_devx_event(channel, q.o, sizeof(type), &type, 42));
	start_end(&q, q.number);
	CHECK(!transit(&q, &err));
	wait_readable(channel->fd);
	CHECK(mlx5dv_devx_get_event(channel, &event, sizeof(event)) > 0 && event.cookie == 42);
	CHECK(!mlx5dv_devx_obj_destroy(q.o) && !mlx5dv_devx_obj_destroy(o));
	mlx5dv_devx_destroy_event_channel(channel);
}

Test(devx_qp, a_dct_is_made_ready_and_drained)
{
	struct mailbox m = mailbox_of(CREATE_DCT), drain = mailbox_of(DRAIN_DCT);
	struct mlx5dv_devx_obj *dct, *o;
	uint32_t rmp;

	o = make_rmp(true, &rmp);
	mailbox_set(&m, 200, 24, queues.cqn);
	mailbox_set(&m, 296, 24, rmp);
	mailbox_set(&m, 328, 24, pd_number(bed.pd));
	mailbox_set(&m, 384, 64, DC_KEY);
	mailbox_set(&m, 453, 3, IBV_MTU_1024);
	mailbox_set(&m, 456, 8, 9);
	CHECK(!mailbox_create(&m, DCT_LENGTH) && mailbox_status(&m) == STATUS_BAD_PARAM);
	mailbox_set(&m, 456, 8, 1);
	dct = mailbox_create(&m, DCT_LENGTH);
	CHECK(dct);
	CHECK(mailbox_modify(dct, &drain, SHORT_LENGTH));
	mailbox_set(&drain, 72, 24, mailbox_get(&m, 72, 24));
	CHECK(!mailbox_modify(dct, &drain, SHORT_LENGTH));
	CHECK(!mlx5dv_devx_obj_destroy(dct) && !mlx5dv_devx_obj_destroy(o));
}

static struct mailbox xrq_mailbox(void)
{
	struct mailbox m = mailbox_of(CREATE_XRQ);

	mailbox_set(&m, 148, 4, 1); /* tag matching */
	mailbox_set(&m, 156, 4, 1); /* with rendezvous */
	mailbox_set(&m, 200, 24, queues.cqn);
	mailbox_set(&m, 384, 4, 4); /* up to 15 tags */
	mailbox_set(&m, XRQ_WQ + 712, 24, pd_number(bed.pd));
	mailbox_set(&m, XRQ_WQ + 768, 64, RMP_DOORBELL);
	mailbox_set(&m, XRQ_WQ + 908, 4, 5);
	mailbox_set(&m, XRQ_WQ + 923, 5, 3);
	mailbox_set(&m, XRQ_WQ + 960, 32, queues.umem->umem_id);
	mailbox_set(&m, XRQ_WQ + 992, 32, queues.umem->umem_id);
	mailbox_set(&m, XRQ_WQ + 1024, 64, RMP_WQES);
	return m;
}

Test(devx_qp, a_queue_with_tags_is_as_an_rmp_but_for_its_tags)
{
	static const struct {
		int offset, width;
		uint64_t value;
	} wrong[] = { { 148, 4, 0 }, { 156, 4, 0 }, { 200, 24, 4711 }, { 255, 1, 1 }, { 384, 4, 0 }, { 384, 4, 15 },
		      { XRQ_WQ + 712, 24, 4711 }, { XRQ_WQ + 908, 4, 3 }, { XRQ_WQ + 992, 32, 4711 } };
	struct mailbox m = xrq_mailbox();
	struct mlx5dv_devx_obj *xrq = mailbox_create(&m, XRQ_LENGTH);

	CHECK(xrq && !mlx5dv_devx_obj_destroy(xrq));
	for (size_t i = 0; i < SIZE(wrong); i++) {
		m = xrq_mailbox();
		mailbox_set(&m, wrong[i].offset, wrong[i].width, wrong[i].value);
		CHECK(!mailbox_create(&m, XRQ_LENGTH) && errno == EREMOTEIO && mailbox_status(&m) == STATUS_BAD_PARAM);
	}
}

Test(devx_qp, one_of_verbs_is_queried_and_stopped_by_mailbox)
{
	struct mailbox m = mailbox_of(QUERY_QP), err = mailbox_of(TO_ERR);

	mailbox_set(&m, 72, 24, bed.a->qp_num);
	CHECK(!mlx5dv_devx_qp_query(bed.a, m.in, SHORT_LENGTH, m.out, sizeof(m.out)));
	CHECK(mailbox_get(&m, QPC, 4) == 3 && mailbox_get(&m, QPC + 168, 24) == bed.b->qp_num);
	mailbox_set(&err, 72, 24, bed.a->qp_num);
	CHECK(!mlx5dv_devx_qp_modify(bed.a, err.in, SHORT_LENGTH, err.out, sizeof(err.out)));
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
}

Test(devx_qp, packets_of_roce_come_from_the_port_that_is_asked_for)
{
	struct mailbox m = mailbox_of(QUERY_QP);

	if (!bed.ethernet) {
		CHECK(mlx5dv_modify_qp_udp_sport(bed.a, 0xdead) == EOPNOTSUPP);
		return;
	}
	CHECK(!mlx5dv_modify_qp_udp_sport(bed.a, 0xdead));
	mailbox_set(&m, 72, 24, bed.a->qp_num);
	CHECK(!mlx5dv_devx_qp_query(bed.a, m.in, SHORT_LENGTH, m.out, sizeof(m.out)));
	CHECK(mailbox_get(&m, QPC + 464, 16) == 0xdead);
}
