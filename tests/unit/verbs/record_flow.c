/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Flows and flow actions: what rdma-core is asked for, byte for byte. */

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit/record.h"
#include "unit/verbs/record_flow.h"

struct flow_request flow_request;
struct vx_qp *flow_qp;

static struct ibv_flow flow_raw;
static struct ibv_flow_action action_raw;
static struct ibv_flow_action_esp_attr esp_attr;
static struct ibv_counters counters_raw;
static char order[16]; /* of what ended: f, a, c */

static void note(char what)
{
	order[strlen(order)] = what;
}

static struct ibv_flow *create_no_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	(void)qp, (void)attr;
	errno = EEXIST;
	return NULL;
}

static int destroy_no_flow(struct ibv_flow *flow)
{
	(void)flow;
	return EBUSY;
}

static struct ibv_flow *create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	cr_expect_eq(qp, vx_qp_raw(flow_qp));
	memcpy(&flow_request, attr, attr->size);
	flow_raw = (struct ibv_flow){ .context = qp->context, .handle = 3 };
	return &flow_raw;
}

static int destroy_flow(struct ibv_flow *flow)
{
	cr_expect_eq(flow, &flow_raw);
	note('f');
	return 0;
}

static struct ibv_flow_action *create_action(struct ibv_context *context, struct ibv_flow_action_esp_attr *attr)
{
	esp_attr = *attr;
	action_raw.context = context;
	return &action_raw;
}

static int modify_action(struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *attr)
{
	cr_expect_eq(action, &action_raw);
	esp_attr = *attr;
	return attr->esn == 1 ? EINVAL : 0;
}

static int destroy_action(struct ibv_flow_action *action)
{
	cr_expect_eq(action, &action_raw);
	note('a');
	return 0;
}

static struct ibv_counters *create_counters(struct ibv_context *context, struct ibv_counters_init_attr *attr)
{
	(void)attr;
	counters_raw.context = context;
	return &counters_raw;
}

static int attach_counters(struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)
{
	cr_expect_eq(counters, &counters_raw);
	cr_expect_eq(attr->index, 4);
	cr_expect_null(flow, "there is none yet");
	note('+');
	return 0;
}

static int destroy_counters(struct ibv_counters *counters)
{
	cr_expect_eq(counters, &counters_raw);
	note('c');
	return 0;
}

void record_flows(void)
{
	struct vx_cq *cq;

	open_device();
	provider()->ibv_create_flow = create_flow;
	provider()->ibv_destroy_flow = destroy_flow;
	provider()->create_flow_action_esp = create_action;
	provider()->modify_flow_action_esp = modify_action;
	provider()->destroy_flow_action = destroy_action;
	provider()->create_counters = create_counters;
	provider()->attach_counters_point_flow = attach_counters;
	provider()->destroy_counters = destroy_counters;
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &flow_qp));
}

static struct vx_flow *make(struct vx_flow_init init)
{
	struct vx_flow *flow;

	made(vx_flow_create(flow_qp, &init, &flow));
	return flow;
}

/* A flow with this one spec has to come out as these bytes behind its attributes. */
static void expect_spec(struct vx_flow_spec spec, const void *expected, size_t size)
{
	make((struct vx_flow_init){ .specs = &spec, .count = 1 });
	cr_expect_eq(flow_request.attr.num_of_specs, 1);
	cr_assert_eq(flow_request.attr.size, sizeof(struct ibv_flow_attr) + size);
	cr_expect_arr_eq(flow_request.specs, expected, size);
}

#define EXPECT_SPEC(spec, member, ...) \
	do { \
		struct ibv_flow_spec_##member expected; \
\
		memset(&expected, 0, sizeof(expected)); \
		expected = (struct ibv_flow_spec_##member){ .size = sizeof(expected), __VA_ARGS__ }; \
		expect_spec(spec, &expected, sizeof(expected)); \
	} while (0)
#define SPEC(...) ((struct vx_flow_spec){ __VA_ARGS__ })

TestSuite(flow, .init = record_flows, .fini = close_device);

Test(flow, shows_the_headers_that_it_matches)
{
	const struct vx_flow_spec specs[] = {
		{ .type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { .dst_ip = "10.0.0.1" } },
		{ .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 4791 } },
	};
	struct vx_flow *flow = make((struct vx_flow_init){ .specs = specs, .count = 2, .priority = 5 });
	char text[2048];

	vx_snprint(text, sizeof(text), VX_TYPEOF(flow), flow, VX_TEXT);
	cr_expect_not_null(strstr(text, "\nattr:\n  type         : IBV_FLOW_ATTR_NORMAL (0)\n  size         : 60\n  priority     : 5\n"), "%s", text);
	cr_expect_not_null(strstr(text, "\n  specs[1]:\n    tcp_udp:\n      type : IBV_FLOW_SPEC_UDP (65)\n"), "%s", text);
	vx_snprint(text, sizeof(text), VX_TYPEOF(flow), flow, VX_JSON);
	cr_expect_not_null(strstr(text, ", \"specs\": [{\"ipv4\": {\"type\": {\"value\": 48, \"name\": \"IBV_FLOW_SPEC_IPV4\"}, "), "%s", text);
	cr_expect_str_eq(text + strlen(text) - strlen("}]}}"), "}]}}");
}

Test(flow, of_others_shows_no_headers)
{
	struct vx_flow *flow = make((struct vx_flow_init){ 0 });
	char text[256];

	made(vx_flow_adopt(flow_qp, vx_give_back(flow), &flow));
	vx_snprint(text, sizeof(text), VX_TYPEOF(flow), flow, VX_COMPACT);
	cr_expect_not_null(strstr(text, " handle=3}"), "%s", text);
}

/* ---- attributes ---- */

Test(flow, by_default_is_of_port_1_and_has_no_specs)
{
	const struct ibv_flow_attr expected = { .size = sizeof(expected), .port = 1 };

	make((struct vx_flow_init){ 0 });
	cr_expect_arr_eq(&flow_request.attr, &expected, sizeof(expected));
}

Test(flow, with_every_attribute)
{
	const struct ibv_flow_attr expected = { .type = IBV_FLOW_ATTR_SNIFFER, .size = sizeof(expected), .priority = 5,
						.port = 2, .flags = IBV_FLOW_ATTR_FLAGS_EGRESS };

	make((struct vx_flow_init){ .type = IBV_FLOW_ATTR_SNIFFER, .priority = 5, .port_num = 2,
				    .flags = IBV_FLOW_ATTR_FLAGS_EGRESS });
	cr_expect_arr_eq(&flow_request.attr, &expected, sizeof(expected));
}

/* ---- each spec ---- */

Test(flow, eth)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_ETH, .val.eth = { .dst_mac = "02:00:0a:00:00:01", .src_mac = "AA-bb-Cc-dD-0e-f0",
								 .ether_type = 0x0800, .vlan_tag = 0x2005 },
			 .mask.eth = { .src_mac = "ff:ff:ff:00:00:00", .vlan_tag = 0xfff }),
		    eth, .type = IBV_FLOW_SPEC_ETH,
		    .val = { { 2, 0, 10, 0, 0, 1 }, { 0xaa, 0xbb, 0xcc }, htobe16(0x0800), htobe16(5) },
		    .mask = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, { 0xff, 0xff, 0xff }, 0xffff, htobe16(0xfff) });
}

Test(flow, ipv4)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { .src_ip = "10.1.2.3/20", .dst_ip = "10.0.0.1" }), ipv4,
		    .type = IBV_FLOW_SPEC_IPV4, .val = { htobe32(0x0a010000), htobe32(0x0a000001) },
		    .mask = { htobe32(0xfffff000), 0xffffffff });
}

Test(flow, ipv4_behind_a_tunnel)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_IPV4 | IBV_FLOW_SPEC_INNER, .val.ipv4 = { .dst_ip = "10.0.0.1" },
			 .mask.ipv4 = { .dst_ip = "255.0.0.255" }), ipv4,
		    .type = (enum ibv_flow_spec_type)(IBV_FLOW_SPEC_IPV4 | IBV_FLOW_SPEC_INNER),
		    .val = { .dst_ip = htobe32(0x0a000001) }, .mask = { .dst_ip = htobe32(0xff0000ff) });
}

Test(flow, ipv4_ext)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_IPV4_EXT, .val.ipv4 = { .src_ip = "1.2.3.4/0", .proto = 17, .tos = 3, .ttl = 4,
								       .flags = 2 }, .mask.ipv4 = { .tos = 0xf }), ipv4_ext,
		    .type = IBV_FLOW_SPEC_IPV4_EXT, .val = { 0, 0, 17, 3, 4, 2 },
		    .mask = { 0, 0, 0xff, 0xf, 0xff, 0xff });
}

Test(flow, ipv6)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_IPV6, .val.ipv6 = { .src_ip = "fe80::/10", .dst_ip = "::1", .flow_label = 0x12345,
								   .next_hdr = 6, .traffic_class = 7, .hop_limit = 8 }), ipv6,
		    .type = IBV_FLOW_SPEC_IPV6,
		    .val = { { 0xfe, 0x80 }, { [15] = 1 }, htobe32(0x12345), 6, 7, 8 },
		    .mask = { { 0xff, 0xc0 }, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
						0xff, 0xff, 0xff }, htobe32(0xfffff), 0xff, 0xff, 0xff });
}

Test(flow, ipv6_with_a_mask_as_text)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_IPV6, .val.ipv6 = { .dst_ip = "fe80::1" }, .mask.ipv6 = { .dst_ip = "ffff::f" }),
		    ipv6, .type = IBV_FLOW_SPEC_IPV6, .val = { .dst_ip = { 0xfe, 0x80, [15] = 1 } },
		    .mask = { .dst_ip = { 0xff, 0xff, [15] = 0xf } });
}

Test(flow, tcp_and_udp)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_TCP, .val.tcp_udp = { .dst_port = 80, .src_port = 0x1234 }), tcp_udp,
		    .type = IBV_FLOW_SPEC_TCP, .val = { htobe16(80), htobe16(0x1234) }, .mask = { 0xffff, 0xffff });
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 4791 }, .mask.tcp_udp = { .src_port = 0xf }),
		    tcp_udp, .type = IBV_FLOW_SPEC_UDP, .val = { htobe16(4791), 0 }, .mask = { 0xffff, htobe16(0xf) });
}

Test(flow, esp)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_ESP, .val.esp = { .spi = 0x01020304, .seq = 5 }, .mask.esp = { .seq = 0xff }),
		    esp, .type = IBV_FLOW_SPEC_ESP, .val = { htobe32(0x01020304), htobe32(5) },
		    .mask = { 0xffffffff, htobe32(0xff) });
}

Test(flow, gre)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_GRE, .val.gre = { .c_ks_res0_ver = 0x2000, .protocol = 0x6558, .key = 9 }), gre,
		    .type = IBV_FLOW_SPEC_GRE, .val = { htobe16(0x2000), htobe16(0x6558), htobe32(9) },
		    .mask = { 0xffff, 0xffff, 0xffffffff });
}

Test(flow, mpls)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_MPLS, .val.mpls = { .label = 100 << 12 }, .mask.mpls = { .label = 0xfffff000 }),
		    mpls, .type = IBV_FLOW_SPEC_MPLS, .val = { htobe32(100 << 12) }, .mask = { htobe32(0xfffff000) });
}

Test(flow, vxlan_tunnel)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_VXLAN_TUNNEL, .val.tunnel = { .tunnel_id = 77 }), tunnel,
		    .type = IBV_FLOW_SPEC_VXLAN_TUNNEL, .val = { htobe32(77) }, .mask = { htobe32(0xffffff) });
}

Test(flow, tag_and_drop)
{
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_ACTION_TAG, .tag_id = 42), action_tag, .type = IBV_FLOW_SPEC_ACTION_TAG,
		    .tag_id = 42);
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_ACTION_DROP), action_drop, .type = IBV_FLOW_SPEC_ACTION_DROP);
}

/* ---- what a flow uses ---- */

Test(flow, handle_of_an_action)
{
	struct vx_flow_action *action;

	made(vx_flow_action_create(ctx, NULL, &action));
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_ACTION_HANDLE, .action = action), action_handle,
		    .type = IBV_FLOW_SPEC_ACTION_HANDLE, .action = &action_raw);
	cr_expect_eq(vx_close(action), 0);
	cr_expect_str_eq(order, "fa", "the flow first");
}

Test(flow, count_by_counters)
{
	struct ibv_counter_attach_attr attr = { .counter_desc = IBV_COUNTER_PACKETS, .index = 4 };
	struct vx_counters *counters;

	made(vx_counters_create(ctx, NULL, &counters));
	made(vx_counters_attach_point_flow(counters, &attr, NULL));
	EXPECT_SPEC(SPEC(.type = IBV_FLOW_SPEC_ACTION_COUNT, .counters = counters), counter_action,
		    .type = IBV_FLOW_SPEC_ACTION_COUNT, .counters = &counters_raw);
	cr_expect_eq(vx_close(counters), 0);
	cr_expect_str_eq(order, "+fc", "the flow first");
}

Test(flow, goes_before_its_qp)
{
	make((struct vx_flow_init){ 0 });
	cr_expect_eq(vx_close(flow_qp), 0);
	cr_expect_str_eq(order, "f");
}

Test(flow, of_many_specs_has_them_one_behind_the_other)
{
	const struct vx_flow_spec specs[] = {
		{ .type = IBV_FLOW_SPEC_ETH },
		{ .type = IBV_FLOW_SPEC_IPV6 },
		{ .type = IBV_FLOW_SPEC_ACTION_DROP },
		{ .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 1 } },
	};
	struct __attribute__((packed)) {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_ipv6 ipv6;
		struct ibv_flow_spec_action_drop drop;
		struct ibv_flow_spec_tcp_udp udp;
	} expected = {
		.attr = { .size = sizeof(expected), .num_of_specs = 4, .port = 1 },
		.eth = { .type = IBV_FLOW_SPEC_ETH, .size = sizeof(expected.eth) },
		.ipv6 = { .type = IBV_FLOW_SPEC_IPV6, .size = sizeof(expected.ipv6) },
		.drop = { .type = IBV_FLOW_SPEC_ACTION_DROP, .size = sizeof(expected.drop) },
		.udp = { .type = IBV_FLOW_SPEC_UDP, .size = sizeof(expected.udp), .val.dst_port = htobe16(1),
			 .mask.dst_port = 0xffff },
	};

	make((struct vx_flow_init){ .specs = specs, .count = 4 });
	cr_expect_arr_eq(&flow_request, &expected, sizeof(expected));
}

Test(flow, that_the_device_refuses_leaves_nothing)
{
	struct vx_flow *flow;

	provider()->ibv_create_flow = create_no_flow;
	cr_expect_eq(vx_flow_create(flow_qp, NULL, &flow), -EEXIST);
	expect_reason("ibv_create_flow on mlx5_0");
	cr_expect_eq(vx_close(flow_qp), 0);
	cr_expect_str_eq(order, "");
}

Test(flow, that_the_device_keeps_stands_in_the_way_of_its_qp)
{
	make((struct vx_flow_init){ 0 });
	provider()->ibv_destroy_flow = destroy_no_flow;
	cr_expect_eq(vx_close(flow_qp), -EBUSY);
	expect_reason("ibv_destroy_flow on mlx5_0 flow 3");
	cr_expect_eq(live("qp"), 1);
	provider()->ibv_destroy_flow = destroy_flow;
	cr_expect_eq(vx_close(flow_qp), 0);
}

Test(flow, that_is_adopted)
{
	struct vx_flow *flow;
	char name[64];

	flow_raw = (struct ibv_flow){ .context = vx_ctx_raw(ctx), .handle = 3 };
	made(vx_flow_adopt(flow_qp, &flow_raw, &flow));
	vx_object_name(name, sizeof(name), flow);
	cr_expect_str_eq(name, "mlx5_0 flow 3");
	cr_expect_eq(vx_close(flow), 0);
	cr_expect_str_eq(order, "f");
	made(vx_flow_borrow(flow_qp, &flow_raw, &flow));
	cr_expect_eq(vx_close(flow), 0);
	cr_expect_str_eq(order, "f", "left to its owner");
}

/* ---- actions ---- */

Test(flow, action_with_every_field)
{
	struct ibv_flow_action_esp esp = { .spi = 1 };
	struct ibv_flow_action_esp_encap encap = { 0 };
	struct vx_flow_action *action;
	char key[8], replay[4];

	made(vx_flow_action_create(ctx, &(struct vx_flow_action_init){
		.esp_attr = &esp, .keymat_len = sizeof(key), .keymat_ptr = key, .replay_proto = IBV_FLOW_ACTION_ESP_REPLAY_BMP,
		.replay_len = sizeof(replay), .replay_ptr = replay, .esp_encap = &encap, .esn = 9 }, &action));
	cr_expect_eq(esp_attr.esp_attr, &esp);
	cr_expect_eq(esp_attr.keymat_proto, IBV_FLOW_ACTION_ESP_KEYMAT_AES_GCM);
	cr_expect_eq(esp_attr.keymat_len, sizeof(key));
	cr_expect_eq(esp_attr.keymat_ptr, key);
	cr_expect_eq(esp_attr.replay_proto, IBV_FLOW_ACTION_ESP_REPLAY_BMP);
	cr_expect_eq(esp_attr.replay_len, sizeof(replay));
	cr_expect_eq(esp_attr.replay_ptr, replay);
	cr_expect_eq(esp_attr.esp_encap, &encap);
	cr_expect_eq(esp_attr.esn, 9);
	cr_expect_eq(esp_attr.comp_mask, IBV_FLOW_ACTION_ESP_MASK_ESN);
}

Test(flow, action_whose_esn_is_zero)
{
	struct vx_flow_action *action;

	made(vx_flow_action_create(ctx, &(struct vx_flow_action_init){ .comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN }, &action));
	cr_expect_eq(esp_attr.esn, 0);
	cr_expect_eq(esp_attr.comp_mask, IBV_FLOW_ACTION_ESP_MASK_ESN);
}

Test(flow, action_that_is_modified)
{
	struct ibv_flow_action_esp_attr attr = { .esn = 2, .comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN };
	struct vx_flow_action *action;

	made(vx_flow_action_create(ctx, NULL, &action));
	cr_expect_eq(esp_attr.comp_mask, 0);
	made(vx_flow_action_modify_esp(action, &attr));
	cr_expect_eq(esp_attr.esn, 2);
	attr.esn = 1;
	cr_expect_eq(vx_flow_action_modify_esp(action, &attr), -EINVAL);
	expect_reason("ibv_modify_flow_action_esp on mlx5_0 flow_action");
}
