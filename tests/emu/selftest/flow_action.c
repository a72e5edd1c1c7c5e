/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What flows of mlx5dv do to a frame beside where they lead it: count, change headers, put them on and take them off. */
#include <netinet/in.h>

#include "mailbox.h"
#include "matchers.h"

TestSuite(flow_action, .init = open_alone, .fini = close_bed);

enum {
	ALLOC_FLOW_COUNTER = 0x939,
	QUERY_FLOW_COUNTER = 0x93b
};

Test(flow_action, a_counter_counts_packets_and_bytes)
{
	struct mailbox m = mailbox_of(ALLOC_FLOW_COUNTER), query = mailbox_of(QUERY_FLOW_COUNTER);
	struct mlx5dv_flow_action_attr actions[2] = { { .type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX } };
	struct mlx5dv_flow_matcher *matcher;
	struct parameters all = { 0 };
	struct ibv_flow *f;

	open_raw();
	actions[0].obj = mailbox_create(&m, 16);
	CHECK(actions[0].obj);
	actions[1] = to_receiver(&one);
	matcher = make_matcher(&all, 0, 0);
	f = make_flow(matcher, &all, 2, actions);
	send_udp();
	send_udp();
	CHECK(got(&one) == 2);
	mailbox_set(&query, 224, 32, mailbox_get(&m, 64, 32));
	CHECK(!mailbox_query(actions[0].obj, &query, 32));
	CHECK(mailbox_get(&query, 128, 64) == 2 && mailbox_get(&query, 192, 64) == 2 * frame_len);
	CHECK(mlx5dv_devx_obj_destroy(actions[0].obj) == EBUSY);
	end_flow(f, matcher);
	CHECK(!mlx5dv_devx_obj_destroy(actions[0].obj));
	close_raw();
}

/* What receiver one got last: its first receive WQE has it */
static const uint8_t *last(struct receiver *r)
{
	struct ibv_poll_cq_attr a = { 0 };
	const uint8_t *at;

	CHECK(!ibv_start_poll(r->cq, &a) && !r->cq->status);
	at = (const uint8_t *)bed.buf + 8192 + r->cq->wr_id * 256;
	ibv_end_poll(r->cq);
	return at;
}

Test(flow_action, headers_are_modified)
{
	uint64_t changes[] = { change_of(MODIFY_SET, OUT_UDP_DPORT, 4000),
			       change_of(MODIFY_ADD, OUT_IP_TTL, 0xff) };
	struct mlx5dv_flow_action_attr actions[2] = { { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION } };
	struct mlx5dv_flow_matcher *m;
	struct parameters all = { 0 };
	struct ibv_flow *f;
	const uint8_t *frame;
	uint32_t sum = 0;

	open_raw();
	actions[0].action = mlx5dv_create_flow_action_modify_header(bed.ctx, sizeof(changes), changes,
								    MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	CHECK(actions[0].action);
	actions[1] = to_receiver(&one);
	m = make_matcher(&all, 0, 0);
	f = make_flow(m, &all, 2, actions);
	send_udp();
	frame = last(&one);
	CHECK((frame[36] << 8 | frame[37]) == 4000 && frame[14 + 8] == 63);
	for (int i = 14; i < 34; i += 2)
		sum += frame[i] << 8 | frame[i + 1];
	CHECK((sum & 0xffff) + (sum >> 16) == 0xffff);
	CHECK(ibv_destroy_flow_action(actions[0].action) == EBUSY);
	end_flow(f, m);
	CHECK(!ibv_destroy_flow_action(actions[0].action));
	close_raw();
}

/* Headers of VXLAN: Ethernet, IPv4, UDP, VXLAN */
static size_t tunnel(char *headers)
{
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	ports(5000, 4789, 8);
	word(0x08000000);
	word(7 << 8);
	memcpy(headers, bed.buf, frame_len);
	return frame_len;
}

static struct ibv_flow_action *reformat(size_t size, void *headers, enum mlx5dv_flow_action_packet_reformat_type type,
					enum mlx5dv_flow_table_type table)
{
	errno = 0;
	return mlx5dv_create_flow_action_packet_reformat(bed.ctx, size, headers, type, table);
}

/* What becomes of frames there, entries of tables by mailbox show (flow_headers) */
Test(flow_action, a_tunnel_of_layer_3_is_entered_where_frames_leave)
{
	const enum mlx5dv_flow_action_packet_reformat_type in = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL,
							   out = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2;
	char headers[64] = { 0 };
	struct ibv_flow_action *a, *b;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	a = reformat(38, headers, in, MLX5DV_FLOW_TABLE_TYPE_NIC_TX);
	b = reformat(14, headers, out, MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	CHECK(a && b && !ibv_destroy_flow_action(a) && !ibv_destroy_flow_action(b));
	CHECK(!reformat(38, headers, in, MLX5DV_FLOW_TABLE_TYPE_NIC_RX) && errno == EOPNOTSUPP);
	CHECK(!reformat(14, headers, out, MLX5DV_FLOW_TABLE_TYPE_NIC_TX) && errno == EOPNOTSUPP);
	CHECK(!reformat(20, headers, out, MLX5DV_FLOW_TABLE_TYPE_NIC_RX) && errno == EINVAL);
}

Test(flow_action, headers_go_on_and_come_off)
{
	struct mlx5dv_flow_action_attr on = { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION };
	struct mlx5dv_flow_action_attr off[2] = { { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION } };
	struct mlx5dv_flow_action_attr drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *out, *tunnels, *rest;
	struct parameters all = { 0 }, mask = { 0 }, value = { 0 };
	struct ibv_flow *f, *g, *h;
	char headers[128];
	size_t size;

	open_raw();
	size = tunnel(headers);
	on.action = mlx5dv_create_flow_action_packet_reformat(
		bed.ctx, size, headers, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
		MLX5DV_FLOW_TABLE_TYPE_NIC_TX);
	off[0].action = mlx5dv_create_flow_action_packet_reformat(
		bed.ctx, 0, NULL, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	CHECK(on.action && off[0].action);
	off[1] = to_receiver(&one);
	put_bytes(&mask, PART + 20, "\xff\xff\xff", 3);
	put_bytes(&value, PART + 20, "\x00\x00\x07", 3);
	out = try_matcher(&all, 0, 0, IBV_FLOW_ATTR_FLAGS_EGRESS);
	CHECK(out);
	tunnels = make_matcher(&mask, MISC, 0);
	rest = make_matcher(&all, 0, 1);
	f = make_flow(out, &all, 1, &on);
	g = make_flow(tunnels, &value, 2, off);
	h = make_flow(rest, &all, 1, &drop);
	send_udp();
	CHECK(got(&one) == 1); /* and it is what was sent */
	end_flow(h, rest);
	end_flow(g, tunnels);
	end_flow(f, out);
	CHECK(!ibv_destroy_flow_action(on.action) && !ibv_destroy_flow_action(off[0].action));
	close_raw();
}
