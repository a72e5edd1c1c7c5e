/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Frames of raw packet QPs: which rules of mlx5 they match, headers that these put on, and when their completions came. */

#include <time.h>

#include <verbsx/mlx5.h>

#include "device.h"

enum { FRAME = 64, MOST_FRAME = 192, TYPE_AT = 12, SOURCE_AT = 6, OUTER_HEADERS = 1, LONGEST_WAIT = 20, FRAMES = 4 };

/* A mask or a value of headers; the source's address is what their fields begin with, and a type follows. */
struct bits {
	size_t match_sz;
	uint8_t match_buf[192];
};

static const uint8_t source[6] = { 2, 0, 0, 0, 0, 0x21 };

static struct {
	struct vx_cq *sent, *received;
	struct vx_qp *qp;
	struct vx_mr *mr;
	uint8_t *out, *in;
	struct ibv_sge place;
} raw;

static void open_raw(uint64_t wc_flags)
{
	struct vx_cq_init cq = { .wc_flags = wc_flags };

	need_ethernet();
	made(vx_cq_create(ctx, &cq, &raw.sent));
	made(vx_cq_create(ctx, &cq, &raw.received));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = raw.sent, .recv_cq = raw.received }, &raw.qp));
	made(vx_qp_to_rts(raw.qp, NULL));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 2 * MOST_FRAME, .access = IBV_ACCESS_LOCAL_WRITE }, &raw.mr));
	raw.out = vx_mr_addr(raw.mr);
	raw.in = raw.out + MOST_FRAME;
	raw.place = (struct ibv_sge){ (uintptr_t)raw.in, MOST_FRAME, vx_mr_lkey(raw.mr) };
	memset(raw.out, 'f', FRAME);
	memcpy(raw.out, "\2\0\0\0\0\x22", 6);
	memcpy(raw.out + SOURCE_AT, source, sizeof(source));
	memcpy(raw.out + TYPE_AT, "\x88\xb5", 2);
}

static struct vx_mlx5_flow_matcher *matcher_of(const struct bits *mask, uint32_t flags)
{
	struct vx_mlx5_flow_matcher_init init = { .match_criteria_enable = OUTER_HEADERS, .match_mask = (struct mlx5dv_flow_match_parameters *)mask,
						  .flags = flags };
	struct vx_mlx5_flow_matcher *matcher;

	made(vx_mlx5_flow_matcher_create(ctx, &init, &matcher));
	return matcher;
}

static void make_rule(struct vx_mlx5_flow_matcher *matcher, const struct bits *value, const struct vx_mlx5_flow_action *action)
{
	struct vx_mlx5_flow_init init = { .match_value = (struct mlx5dv_flow_match_parameters *)value, .actions = action, .num_actions = 1 };
	struct vx_flow *flow;

	made(vx_mlx5_flow_create(matcher, &init, &flow));
}

/* What is from an address comes to the QP, and nothing else. */
static void receive_from(const uint8_t address[6])
{
	const struct vx_mlx5_flow_action to_qp = { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = raw.qp };
	struct bits mask = { .match_sz = sizeof(mask.match_buf) }, value = mask;

	memset(mask.match_buf, 0xff, 6);
	memcpy(value.match_buf, address, 6);
	make_rule(matcher_of(&mask, 0), &value, &to_qp);
}

static void send_frame(void)
{
	struct ibv_sge sge = { (uintptr_t)raw.out, FRAME, vx_mr_lkey(raw.mr) };

	made(vx_qp_post_send_one(raw.qp, 0, IBV_SEND_SIGNALED, &sge, 1));
}

static void wait_for(struct vx_cq *cq, struct vx_wc **wc)
{
	const time_t end = time(NULL) + LONGEST_WAIT;
	int rc;

	do {
		rc = vx_cq_start_poll(cq, wc);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
	} while (!rc && time(NULL) < end);
	cr_assert_eq(rc, 1, "no completion");
	cr_assert_eq(vx_wc_status(*wc), IBV_WC_SUCCESS);
}

static uint32_t bytes_of_next(void)
{
	struct vx_wc *wc = NULL;
	uint32_t bytes;

	wait_for(raw.received, &wc);
	bytes = vx_wc_read_byte_len(wc);
	cr_expect_eq(vx_wc_next(wc), 0);
	return bytes;
}

/* ---- rules ---- */

#define Matcher(name) Twin(test_mlx5_flow, Mlx5MatcherTest, name)

Matcher(test_smac_matcher_to_qp_flow)
{
	open_raw(IBV_WC_EX_WITH_BYTE_LEN);
	receive_from(source);
	made(vx_qp_post_recv_one(raw.qp, 1, &raw.place, 1));
	raw.out[SOURCE_AT] ^= 4; /* of somebody else */
	send_frame();
	memcpy(raw.out + FRAME - 4, "last", 4);
	raw.out[SOURCE_AT] ^= 4;
	send_frame();
	cr_expect_eq(bytes_of_next(), FRAME);
	cr_expect_eq(memcmp(raw.in, raw.out, FRAME), 0);
}

/* A header of VXLAN, so that a frame is another's data; its source is one that no frame of this test has. */
enum { TUNNEL = 14 + 20 + 8 + 8 };

static void make_tunnel(uint8_t header[TUNNEL])
{
	static const uint8_t ip[] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	memset(header, 0, TUNNEL);
	memcpy(header, "\2\0\0\0\0\x23\2\0\0\0\0\x24\x08", 13);
	memcpy(header + 14, ip, sizeof(ip));
	memcpy(header + 34, "\x13\x88\x12\xb5", 4);
	header[42] = 8;
	header[48] = 7;
}

Matcher(test_tx_packet_reformat)
{
	struct bits none = { .match_sz = sizeof(none.match_buf) };
	uint8_t header[TUNNEL];
	struct vx_mlx5_packet_reformat_init init = { .data = header, .data_sz = sizeof(header),
						     .reformat_type = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
						     .ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_TX };
	struct vx_mlx5_flow_action on = { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION };

	open_raw(IBV_WC_EX_WITH_BYTE_LEN);
	make_tunnel(header);
	made(vx_mlx5_packet_reformat_create(ctx, &init, &on.action));
	make_rule(matcher_of(&none, IBV_FLOW_ATTR_FLAGS_EGRESS), &none, &on);
	receive_from(header + SOURCE_AT);
	made(vx_qp_post_recv_one(raw.qp, 1, &raw.place, 1));
	send_frame();
	cr_expect_eq(bytes_of_next(), TUNNEL + FRAME);
	cr_expect_eq(memcmp(raw.in, header, TYPE_AT), 0, "it has the header before it");
	cr_expect_eq(memcmp(raw.in + TUNNEL, raw.out, FRAME), 0);
}

/* ---- when ---- */

#define TimeStamp(name) Twin(test_mlx5_timestamp, TimeStampTest, name)

/* Whichever clock the completions of a CQ tell, it goes on from one frame to the next. */
static void expect_times(struct vx_cq *const *cq, uint64_t (*read)(struct vx_wc *wc))
{
	uint64_t before = 0, now;
	struct vx_wc *wc = NULL;
	int i;

	receive_from(source);
	for (i = 0; i < FRAMES; i++) {
		made(vx_qp_post_recv_one(raw.qp, 1, &raw.place, 1));
		send_frame();
		wait_for(*cq, &wc);
		now = read(wc);
		cr_expect_eq(vx_wc_next(wc), 0);
		cr_expect_gt(now, before);
		before = now;
	}
}

static uint64_t free_running(struct vx_wc *wc)
{
	return vx_wc_read_completion_ts(wc);
}

static uint64_t real_time(struct vx_wc *wc)
{
	return vx_wc_read_completion_wallclock_ns(wc);
}

TimeStamp(test_timestamp_free_running_send_raw_traffic)
{
	open_raw(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
	expect_times(&raw.sent, free_running);
}

TimeStamp(test_timestamp_free_running_recv_raw_traffic)
{
	open_raw(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
	expect_times(&raw.received, free_running);
}

TimeStamp(test_timestamp_real_time_raw_traffic)
{
	open_raw(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
	expect_times(&raw.sent, real_time);
}
