/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Tag matching: messages of bed.a find the tags that an SRQ waits for. */
#include <endian.h>
#include <unistd.h>
#include <infiniband/tm_types.h>

#include "selftest.h"

static void open_tags(void);
static void close_tags(void);
TestSuite(tags, .init = open_tags, .fini = close_tags);

enum {
	TAG = 0x1234,
	ANY_LOW_BYTE = 0xff00,
	CONTEXT = 0xabcd, /* what a sender has put into the header for itself */
	SENT = 0, /* where a message is in bed.buf, the data of one that tells where they are, */
	DATA = 16384,
	TAKEN = 32768, /* and where things go: to a tag, to a WQE, what comes back to the sender */
	SPARE = 49152,
	BACK = 57344,
	ROOM = 4096,
	LONG = 10000, /* more than a packet */
	MAX_TAGS = 8
};

static struct ibv_cq_ex *cq;
static struct ibv_srq *srq;
static struct ibv_qp *qp; /* connected with bed.a */
static uint32_t unexpected; /* messages so far */

static bool is_there(void)
{
	struct ibv_device_attr_ex a;

	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &a));
	CHECK(!(a.tm_caps.flags & IBV_TM_CAP_RC) == !a.tm_caps.max_num_tags);
	return a.tm_caps.flags & IBV_TM_CAP_RC;
}

static struct ibv_srq *try_srq(uint32_t max_tags)
{
	struct ibv_srq_init_attr_ex a = {
		.attr = { .max_wr = 16, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM,
		.srq_type = IBV_SRQT_TM,
		.pd = bed.pd,
		.cq = ibv_cq_ex_to_cq(cq),
		.tm_cap = { .max_num_tags = max_tags, .max_ops = 16 },
	};

	return ibv_create_srq_ex(bed.ctx, &a);
}

static void make_cq(void)
{
	struct ibv_cq_init_attr_ex a = { .cqe = 64, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_TM_INFO };

	cq = ibv_create_cq_ex(bed.ctx, &a);
	CHECK(cq);
}

static void open_tags(void)
{
	open_mlx5();
	unexpected = 0;
	if (!is_there())
		return;
	make_cq();
	srq = try_srq(MAX_TAGS);
	CHECK(srq);
	qp = make_rc(bed.cq, srq);
	reconnect(bed.a, qp, 0);
}

static void close_tags(void)
{
	CHECK(!qp || !ibv_destroy_qp(qp));
	CHECK(!srq || !ibv_destroy_srq(srq));
	CHECK(!cq || !ibv_destroy_cq(ibv_cq_ex_to_cq(cq)));
	close_bed();
}

static void need_tags(void)
{
	if (!srq)
		skip("a device without tag matching");
}

static struct ibv_sge piece(size_t at, uint32_t len)
{
	return (struct ibv_sge){ address(at), len, bed.mr->lkey };
}

static void operate(struct ibv_ops_wr *wr)
{
	struct ibv_ops_wr *bad;

	wr->wr_id = 100 + wr->opcode;
	wr->flags |= IBV_OPS_SIGNALED;
	CHECK(!ibv_post_srq_ops(srq, wr, &bad));
}

/* A completion of the SRQ: wr_id, status, opcode and flags; with the tag of a match */
static struct ibv_wc_tm_info expect(uint64_t wr_id, enum ibv_wc_status status, int opcode, unsigned int flags)
{
	struct ibv_poll_cq_attr a = { 0 };
	struct ibv_wc_tm_info info;
	double end = now_ms() + PATIENCE;
	int rc;

	while ((rc = ibv_start_poll(cq, &a)) == ENOENT && now_ms() < end)
		usleep(100);
	CHECK(!rc);
	cr_expect(cq->wr_id == wr_id && cq->status == status, "wr_id %d, status %d", (int)cq->wr_id, cq->status);
	if (!status)
		cr_expect((int)ibv_wc_read_opcode(cq) == opcode && ibv_wc_read_wc_flags(cq) == flags, "opcode %d, flags %x",
			  ibv_wc_read_opcode(cq), ibv_wc_read_wc_flags(cq));
	ibv_wc_read_tm_info(cq, &info);
	ibv_end_poll(cq);
	return info;
}

/* Wait for a tag, for which there is so much room; the program knows of all unexpected messages, or of none */
static uint32_t add(uint64_t recv_wr_id, uint64_t tag, uint64_t mask, uint32_t room, bool knows)
{
	struct ibv_sge sge = piece(TAKEN, room);
	struct ibv_ops_wr wr = { .opcode = IBV_WR_TAG_ADD, .flags = knows ? IBV_OPS_TM_SYNC : 0 };

	wr.tm.unexpected_cnt = unexpected;
	wr.tm.add.recv_wr_id = recv_wr_id;
	wr.tm.add.sg_list = &sge;
	wr.tm.add.num_sge = 1;
	wr.tm.add.tag = tag;
	wr.tm.add.mask = mask;
	operate(&wr);
	return wr.tm.handle;
}

static uint32_t add_and_see(uint64_t recv_wr_id, uint64_t tag, uint64_t mask, uint32_t room)
{
	uint32_t handle = add(recv_wr_id, tag, mask, room, true);

	expect(100 + IBV_WR_TAG_ADD, 0, IBV_WC_TM_ADD, 0);
	return handle;
}

static void add_wqe(uint64_t wr_id)
{
	struct ibv_sge sge = piece(SPARE, ROOM);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_srq_recv(srq, &wr, &bad));
}

static struct ibv_tmh *header(uint8_t opcode, uint64_t tag)
{
	struct ibv_tmh *h = (void *)(bed.buf + SENT);

	*h = (struct ibv_tmh){ .opcode = opcode, .app_ctx = htobe32(CONTEXT), .tag = htobe64(tag) };
	return h;
}

static void send_tagged(uint8_t opcode, uint64_t tag, uint32_t len)
{
	for (uint32_t i = sizeof(struct ibv_tmh); i < len; i++)
		bed.buf[SENT + i] = i * 7;
	header(opcode, tag);
	post_send(bed.a, 1, 0, len);
}

static void send_eager(uint64_t tag, uint32_t len)
{
	send_tagged(IBV_TMH_EAGER, tag, len);
	expect_wc(1, 0, IBV_WC_SEND);
}

static void expect_unexpected(uint64_t wr_id, uint32_t len)
{
	expect(wr_id, 0, IBV_WC_TM_RECV, 0);
	unexpected++;
	CHECK(!memcmp(bed.buf + SPARE, bed.buf + SENT, len)); /* header and all */
}

static void expect_match(uint64_t wr_id, uint64_t tag, uint32_t len)
{
	struct ibv_wc_tm_info info = expect(wr_id, 0, IBV_WC_TM_RECV, IBV_WC_TM_MATCH | IBV_WC_TM_DATA_VALID);
	const size_t header_size = sizeof(struct ibv_tmh);

	CHECK(info.tag == tag && info.priv == CONTEXT);
	CHECK(!memcmp(bed.buf + TAKEN, bed.buf + SENT + header_size, len - header_size));
}

Test(tags, a_message_goes_to_the_first_tag_that_matches)
{
	need_tags();
	add_and_see(1, 0x5678, UINT64_MAX, ROOM);
	add_and_see(2, TAG, ANY_LOW_BYTE, ROOM);
	add_and_see(3, TAG, UINT64_MAX, ROOM);
	send_eager(0x12ff, 200);
	expect_match(2, 0x12ff, 200);
	send_eager(TAG, sizeof(struct ibv_tmh));
	expect_match(3, TAG, sizeof(struct ibv_tmh));
	send_eager(0x5678, 16 + ROOM);
	expect_match(1, 0x5678, 16 + ROOM);
}

Test(tags, a_message_of_many_packets_is_put_together)
{
	need_tags();
	add_and_see(1, TAG, UINT64_MAX, LONG);
	send_eager(TAG, LONG);
	expect_match(1, TAG, LONG);
}

/* It might be for a message that the program does not know of */
Test(tags, a_new_tag_waits_until_the_program_knows_of_all_messages)
{
	struct ibv_ops_wr sync = { .opcode = IBV_WR_TAG_SYNC, .flags = IBV_OPS_TM_SYNC };

	need_tags();
	for (int i = 0; i < 3; i++)
		add_wqe(10 + i);
	send_eager(TAG, 100);
	expect_unexpected(10, 100);
	unexpected = 0; /* as if it did not */
	add(1, TAG, UINT64_MAX, ROOM, true);
	expect(100 + IBV_WR_TAG_ADD, 0, IBV_WC_TM_ADD, IBV_WC_TM_SYNC_REQ);
	unexpected = 1;
	send_eager(TAG, 100);
	expect_unexpected(11, 100);
	sync.tm.unexpected_cnt = unexpected;
	operate(&sync);
	expect(100 + IBV_WR_TAG_SYNC, 0, IBV_WC_TM_SYNC, 0);
	send_eager(TAG, 100);
	expect_match(1, TAG, 100);
	send_tagged(IBV_TMH_NO_TAG, TAG, 100);
	expect_wc(1, 0, IBV_WC_SEND);
	expect(12, 0, IBV_WC_TM_NO_TAG, 0);
}

Test(tags, a_tag_can_be_taken_back_once)
{
	struct ibv_ops_wr remove = { .opcode = IBV_WR_TAG_DEL };
	uint32_t other;

	need_tags();
	add_wqe(10);
	remove.tm.handle = add_and_see(1, TAG, UINT64_MAX, ROOM);
	other = add_and_see(2, 7, UINT64_MAX, ROOM);
	operate(&remove);
	expect(100 + IBV_WR_TAG_DEL, 0, IBV_WC_TM_DEL, 0);
	send_eager(TAG, 100);
	expect_unexpected(10, 100);
	send_eager(7, 100);
	remove.tm.handle = other; /* a message has been faster */
	operate(&remove);
	expect_match(2, 7, 100);
	expect(100 + IBV_WR_TAG_DEL, IBV_WC_TM_ERR, 0, 0);
}

Test(tags, without_a_wqe_the_sender_has_to_wait)
{
	need_tags();
	send_tagged(IBV_TMH_EAGER, TAG, 100);
	expect_error(1, IBV_WC_RNR_RETRY_EXC_ERR);
	reconnect(bed.a, qp, 0);
	add_and_see(1, TAG, UINT64_MAX, ROOM); /* nothing has come that was not expected */
	send_eager(TAG, 100);
	expect_match(1, TAG, 100);
}

/* Where the data are, and how many */
static void send_rendezvous(uint64_t tag, uint32_t len)
{
	struct ibv_tmh *h = header(IBV_TMH_RNDV, tag);
	struct ibv_rvh where = { htobe64(address(DATA)), htobe32(bed.mr->rkey), htobe32(len) };

	memcpy(h + 1, &where, sizeof(where));
	for (uint32_t i = 0; i < len; i++)
		bed.buf[DATA + i] = i * 5;
	post_recv(bed.a, 20, BACK, 64);
	post_send(bed.a, 1, 0, 64);
}

static void expect_fetched(uint64_t wr_id, uint64_t tag, uint32_t len)
{
	const struct ibv_tmh *fin = (void *)(bed.buf + BACK);

	CHECK(expect(wr_id, 0, IBV_WC_TM_RECV, IBV_WC_TM_MATCH).tag == tag);
	expect(wr_id, 0, IBV_WC_TM_RECV, IBV_WC_TM_DATA_VALID);
	CHECK(!memcmp(bed.buf + TAKEN, bed.buf + DATA, len));
	expect_wc(20, 0, IBV_WC_RECV);
	CHECK(fin->opcode == IBV_TMH_FIN && be32toh(fin->app_ctx) == CONTEXT);
}

Test(tags, the_device_fetches_data_by_itself)
{
	need_tags();
	add_and_see(1, TAG, UINT64_MAX, LONG);
	add_and_see(2, TAG + 1, UINT64_MAX, ROOM);
	send_rendezvous(TAG, LONG);
	expect_wc(1, 0, IBV_WC_SEND);
	expect_fetched(1, TAG, LONG);
	send_rendezvous(TAG + 1, 100);
	expect_wc(1, 0, IBV_WC_SEND);
	expect_fetched(2, TAG + 1, 100);
}

Test(tags, what_a_tag_has_no_room_for_is_left_to_the_program)
{
	struct ibv_rvh where;

	need_tags();
	add_and_see(1, TAG, UINT64_MAX, 100);
	send_rendezvous(TAG, 101);
	expect_wc(1, 0, IBV_WC_SEND);
	expect(1, IBV_WC_TM_RNDV_INCOMPLETE, 0, 0);
	memcpy(&where, bed.buf + TAKEN, sizeof(where));
	CHECK(be64toh(where.va) == address(DATA) && be32toh(where.len) == 101);
	reconnect(bed.a, qp, 0); /* the receive request is still there */
}

Test(tags, data_that_cannot_be_read_are_told)
{
	struct ibv_qp_attr none = { .qp_access_flags = 0 };

	need_tags();
	CHECK(!ibv_modify_qp(bed.a, &none, IBV_QP_ACCESS_FLAGS));
	add_and_see(1, TAG, UINT64_MAX, ROOM);
	send_rendezvous(TAG, 100);
	expect_wc(1, 0, IBV_WC_SEND);
	CHECK(expect(1, 0, IBV_WC_TM_RECV, IBV_WC_TM_MATCH).tag == TAG);
	expect(1, IBV_WC_TM_RNDV_INCOMPLETE, 0, 0);
	CHECK(state_of(qp) == IBV_QPS_ERR);
	expect_error(20, IBV_WC_WR_FLUSH_ERR);
	expect_qp_event(IBV_EVENT_QP_REQ_ERR, bed.a);
}

Test(tags, only_what_is_advertised_can_be_made)
{
	struct ibv_qp_init_attr ud = { .send_cq = bed.cq, .recv_cq = bed.cq, .srq = srq, .qp_type = IBV_QPT_UD };

	if (!cq) {
		make_cq();
		CHECK(!try_srq(MAX_TAGS) && errno == EOPNOTSUPP);
		return;
	}
	CHECK(!try_srq(0) && errno == EINVAL);
	CHECK(!try_srq(1 << 16) && errno == EINVAL);
	CHECK(!ibv_create_qp(bed.pd, &ud) && errno == EINVAL);
}
