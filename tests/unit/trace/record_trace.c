/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Flows and their actions as the trace shows them: what stands behind a structure, and what nobody is to see. */

#include <stdio.h>

#include "unit/trace/last_line.h"
#include "unit/record.h"
#include "unit/verbs/record_flow.h"

static struct last_line line = { .call = "ibv_create_flow" };

static void begin(void)
{
	record_flows();
	made(vx_trace_callback(keep_line, &line));
}

static void end(void)
{
	made(vx_trace_callback(NULL, NULL));
	close_device();
}

TestSuite(traced_flow, .init = begin, .fini = end);

static void make(const struct vx_flow_spec *specs, size_t count)
{
	struct vx_flow *flow;

	made(vx_flow_create(flow_qp, &(struct vx_flow_init){ .specs = specs, .count = count }, &flow));
}

Test(traced_flow, without_specs)
{
	make(NULL, 0);
	expect_line_part(&line, " num_of_specs=0 port=1 flags=0 specs=[]}) = mlx5_0 flow 3 <");
}

Test(traced_flow, of_many_specs_shows_each)
{
	const struct vx_flow_spec specs[] = {
		{ .type = IBV_FLOW_SPEC_ETH, .val.eth = { .dst_mac = "02:00:0a:00:00:01" } },
		{ .type = IBV_FLOW_SPEC_ACTION_TAG, .tag_id = 42 },
		{ .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 4791 } },
	};

	make(specs, 3);
	expect_line_part(&line, " num_of_specs=3 ");
	expect_line_part(&line, " specs=[{eth={type=IBV_FLOW_SPEC_ETH(32) size=40 val={dst_mac=02:00:0a:00:00:01 ");
	expect_line_part(&line, "},{flow_tag={type=IBV_FLOW_SPEC_ACTION_TAG(4096) size=12 tag_id=42}},{tcp_udp={");
	expect_line_part(&line, " val={dst_port=4791 src_port=0} mask={dst_port=65535 src_port=0}}}]}) = ");
}

Test(traced_flow, with_a_spec_behind_a_tunnel)
{
	make(&(struct vx_flow_spec){ .type = IBV_FLOW_SPEC_IPV4 | IBV_FLOW_SPEC_INNER, .val.ipv4 = { .dst_ip = "10.0.0.1" } }, 1);
	expect_line_part(&line, "specs=[{ipv4={type=IBV_FLOW_SPEC_IPV4|IBV_FLOW_SPEC_INNER(304) size=24 ");
}

Test(traced_flow, actions_keep_their_keys_to_themselves)
{
	struct ibv_flow_action_esp esp = { .spi = 1 };
	struct ibv_flow_action_esp_keymat_aes_gcm keymat = { .iv = 0x11, .key_len = 16 };
	struct vx_flow_action *action;

	memset(keymat.aes_key, 0x5a, sizeof(keymat.aes_key));
	line.call = "ibv_create_flow_action_esp";
	made(vx_flow_action_create(ctx, &(struct vx_flow_action_init){
		.esp_attr = &esp, .keymat_len = sizeof(keymat), .keymat_ptr = &keymat }, &action));
	expect_line_part(&line, "esp={esp_attr={spi=0x1 ");
	expect_line_part(&line, " keymat_len=56 keymat_ptr=\"<56 bytes>\" ");
	cr_expect_null(strstr(line.text, "5a5a"), "%s", line.text);
}
