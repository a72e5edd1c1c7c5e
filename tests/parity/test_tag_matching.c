/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Messages that find their buffer by a tag; what has none, or an unexpected one, goes to an ordinary receive of the SRQ. */

#include <sched.h>
#include <time.h>

#include <infiniband/tm_types.h>

#include "device.h"

#define TAGS 9
#define STRANGE_TAG 0x1234
#define MESSAGE 512
#define RECEIVES 33	/* devices match only while so many are posted */
#define SYNC 27		/* wr_id */
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define LONGEST_WAIT 20 /* seconds */

#define TMTest(name) Twin(test_tag_matching, TMTest, name)

struct side {
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	char *memory;
};

struct completion {
	uint64_t wr_id;
	enum ibv_wc_opcode opcode;
	unsigned int flags;
	uint64_t tag;
};

static struct side client, server;
static struct vx_srq *srq;
static uint32_t unexpected;	/* messages that the SRQ was told of */

/* ---- the two sides ---- */

static void open_side(struct side *side)
{
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_TM_INFO }, &side->cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = MESSAGE, .access = ACCESS }, &side->mr));
	side->memory = vx_mr_addr(side->mr);
}

static void open_qp(struct side *side, struct vx_srq *of)
{
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = side->cq, .recv_cq = side->cq, .srq = of }, &side->qp));
}

static void join(struct side *side, const struct side *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	made(vx_path_fill(&path, peer->qp));
	vx_path_reverse(&path);
	path.access = IBV_ACCESS_REMOTE_READ;
	made(vx_qp_to_rts(side->qp, &path));
}

static struct ibv_sge all_of(const struct side *side)
{
	return (struct ibv_sge){ (uintptr_t)side->memory, MESSAGE, vx_mr_lkey(side->mr) };
}

static void open_sides(void)
{
	struct vx_srq_init init = { .srq_type = IBV_SRQT_TM, .tm_cap = { .max_num_tags = 32, .max_ops = 10 } };
	struct ibv_device_attr_ex attr;
	struct ibv_sge entry;
	int i;

	made(vx_ctx_query_device_ex(ctx, &attr));
	if (!(attr.tm_caps.flags & IBV_TM_CAP_RC))
		cr_skip_test("the device matches no tags");
	open_side(&client);
	open_side(&server);
	init.cq = server.cq;
	made(vx_srq_create(pd, &init, &srq));
	open_qp(&client, NULL);
	open_qp(&server, srq);
	join(&client, &server);
	join(&server, &client);
	entry = all_of(&server);
	for (i = 0; i < RECEIVES; i++)
		made(vx_srq_post_recv_one(srq, 0, &entry, 1));
}

static struct completion next_of(const struct side *side)
{
	time_t until = time(NULL) + LONGEST_WAIT;
	struct completion out = { 0 };
	struct ibv_wc_tm_info info;
	struct vx_wc *wc;
	int rc;

	while (!(rc = vx_cq_start_poll(side->cq, &wc)) && time(NULL) < until)
		sched_yield();
	cr_assert_eq(rc, 1, "nothing has completed");
	cr_assert_eq(vx_wc_status(wc), IBV_WC_SUCCESS);
	out = (struct completion){ vx_wc_wr_id(wc), vx_wc_read_opcode(wc), vx_wc_read_wc_flags(wc), 0 };
	if (out.opcode == IBV_WC_TM_RECV) {
		vx_wc_read_tm_info(wc, &info);
		out.tag = info.tag;
	}
	vx_wc_end(wc);
	return out;
}

static void expect(struct completion is, enum ibv_wc_opcode opcode, uint64_t wr_id, unsigned int flags)
{
	cr_assert_eq(is.opcode, opcode, "%s", vx_ibv_wc_opcode_name(is.opcode));
	cr_assert_eq(is.wr_id, wr_id);
	cr_assert_eq(is.flags, flags, "%#x", is.flags);
}

/* ---- operations on the list of tags ---- */

static void add_tag(uint64_t tag)
{
	struct ibv_sge entry = all_of(&server);
	struct ibv_ops_wr op = { .wr_id = tag, .opcode = IBV_WR_TAG_ADD, .flags = IBV_OPS_SIGNALED, .tm.unexpected_cnt = unexpected };

	op.tm.add.recv_wr_id = tag;
	op.tm.add.sg_list = &entry;
	op.tm.add.num_sge = 1;
	op.tm.add.tag = tag;
	op.tm.add.mask = 0xffff;
	made(vx_srq_post_ops(srq, &op, NULL));
	expect(next_of(&server), IBV_WC_TM_ADD, tag, 0);
}

/* No tag is matched until the device knows that an unexpected message was seen. */
static void sync_tags(void)
{
	struct ibv_ops_wr op = { .wr_id = SYNC, .opcode = IBV_WR_TAG_SYNC, .flags = IBV_OPS_SIGNALED | IBV_OPS_TM_SYNC };

	op.tm.unexpected_cnt = ++unexpected;
	made(vx_srq_post_ops(srq, &op, NULL));
	expect(next_of(&server), IBV_WC_TM_SYNC, SYNC, 0);
}

/* ---- messages ---- */

static void send_header(enum ibv_tmh_op opcode, uint64_t tag, uint32_t length)
{
	struct ibv_tmh header = { .opcode = (uint8_t)opcode, .tag = htobe64(tag) };
	struct ibv_sge entry = all_of(&client);

	memcpy(client.memory, &header, sizeof(header));
	memset(server.memory, 's', MESSAGE);
	entry.length = length;
	made(vx_qp_post_send_one(client.qp, 0, IBV_SEND_SIGNALED, &entry, 1));
	cr_assert_eq(next_of(&client).opcode, IBV_WC_SEND);
}

static void send_message(enum ibv_tmh_op opcode, uint64_t tag)
{
	memset(client.memory, (int)tag, MESSAGE);
	send_header(opcode, tag, MESSAGE);
}

static void post_again(void)
{
	struct ibv_sge entry = all_of(&server);

	made(vx_srq_post_recv_one(srq, 0, &entry, 1));
}

/* The last added first. */
static void each_tag(void (*take)(uint64_t tag))
{
	uint64_t tag;

	open_sides();
	for (tag = 1; tag <= TAGS; tag++)
		add_tag(tag);
	for (tag = TAGS; tag; tag--)
		take(tag);
}

/* Of what is matched the header has gone. */
static void take_matched(uint64_t tag)
{
	struct completion is;

	send_message(IBV_TMH_EAGER, tag);
	is = next_of(&server);
	expect(is, IBV_WC_TM_RECV, tag, IBV_WC_TM_MATCH | IBV_WC_TM_DATA_VALID);
	cr_expect_eq(is.tag, tag);
	cr_expect_eq(memcmp(server.memory, client.memory + sizeof(struct ibv_tmh), MESSAGE - sizeof(struct ibv_tmh)), 0);
}

static void take_unexpected(uint64_t tag)
{
	(void)tag;
	send_message(IBV_TMH_EAGER, STRANGE_TAG);
	expect(next_of(&server), IBV_WC_TM_RECV, 0, 0);
	cr_expect_eq(memcmp(server.memory, client.memory, MESSAGE), 0);
	sync_tags();
	post_again();
}

static void take_without_tag(uint64_t tag)
{
	(void)tag;
	send_message(IBV_TMH_NO_TAG, STRANGE_TAG);
	expect(next_of(&server), IBV_WC_TM_NO_TAG, 0, 0);
	cr_expect_eq(memcmp(server.memory, client.memory, MESSAGE), 0);
	post_again();
}

/* The device reads the message by itself, and tells the client when it has. */
static void take_by_rendezvous(uint64_t tag)
{
	struct ibv_rvh way = { htobe64((uintptr_t)client.memory), htobe32(vx_mr_rkey(client.mr)), htobe32(MESSAGE) };
	struct ibv_sge end = all_of(&client);

	made(vx_qp_post_recv_one(client.qp, tag, &end, 1));
	memset(client.memory, (int)tag, MESSAGE);
	memcpy(client.memory + sizeof(struct ibv_tmh), &way, sizeof(way));
	send_header(IBV_TMH_RNDV, tag, sizeof(struct ibv_tmh) + sizeof(way));
	expect(next_of(&server), IBV_WC_TM_RECV, tag, IBV_WC_TM_MATCH);
	cr_assert_eq(next_of(&client).opcode, IBV_WC_RECV);
	expect(next_of(&server), IBV_WC_TM_RECV, tag, IBV_WC_TM_DATA_VALID);
	cr_expect_eq(server.memory[MESSAGE - 1], (char)tag);
}

TMTest(test_tm_traffic)
{
	each_tag(take_matched);
}

TMTest(test_tm_unexpected_tag)
{
	each_tag(take_unexpected);
	cr_expect_eq(unexpected, TAGS);
}

TMTest(test_tm_no_tag)
{
	each_tag(take_without_tag);
}

TMTest(test_tm_rndv)
{
	each_tag(take_by_rendezvous);
}
