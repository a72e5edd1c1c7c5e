/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only mlx5 devices have: rules, states of DC queues, answers, and what of another vendor is asked of one. */

#include <endian.h>
#include <string.h>

#include <verbsx/efa.h>
#include <verbsx/hns.h>
#include <verbsx/mlx5.h>

#include "mistakes.h"

/* ---- rules ---- */

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint8_t bits[64];
} match = { .parameters = { .match_sz = sizeof(match.bits) } };

static struct vx_mlx5_flow_matcher *new_matcher(struct bench *b)
{
	const struct vx_mlx5_flow_matcher_init init = { .match_criteria_enable = 1, .match_mask = &match.parameters };
	struct vx_mlx5_flow_matcher *matcher;

	must(vx_mlx5_flow_matcher_create(b->ctx, &init, &matcher));
	return matcher;
}

static int rule_of(struct bench *b, const struct vx_mlx5_flow_action *actions, size_t count)
{
	const struct vx_mlx5_flow_init init = { .match_value = &match.parameters, .actions = actions, .num_actions = count };

	return vx_mlx5_flow_create(new_matcher(b), &init, &(struct vx_flow *){ NULL });
}

static int rule_without_actions(struct bench *b)
{
	return rule_of(b, NULL, 0);
}

static int rule_that_only_tags(struct bench *b)
{
	return rule_of(b, &(struct vx_mlx5_flow_action){ .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 42 }, 1);
}

static int rule_that_counts(struct bench *b)
{
	struct vx_counters *counters;

	must(vx_counters_create(b->ctx, NULL, &counters));
	return rule_of(b, &(struct vx_mlx5_flow_action){ .type = MLX5DV_FLOW_ACTION_IBV_COUNTER, .counter = counters }, 1);
}

static int rule_to_no_qp(struct bench *b)
{
	return rule_of(b, &(struct vx_mlx5_flow_action){ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP }, 1);
}

static int rule_to_two(struct bench *b)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct vx_qp *qp = qp_in(b, IBV_QPT_RAW_PACKET, IBV_QPS_RESET);
	const struct vx_mlx5_flow_action both[] = { { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = qp }, { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = qp } };

	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PORT));
	return rule_of(b, both, 2);
}

/* What is matched, of a size that is none. */
static int rule_of_bytes(struct bench *b, size_t bytes)
{
	static struct {
		struct mlx5dv_flow_match_parameters parameters;
		uint8_t bits[520];
	} value;
	const struct vx_mlx5_flow_action to = { .type = MLX5DV_FLOW_ACTION_DROP };
	const struct vx_mlx5_flow_init init = { .match_value = &value.parameters, .actions = &to, .num_actions = 1 };

	value.parameters.match_sz = bytes;
	return vx_mlx5_flow_create(new_matcher(b), &init, &(struct vx_flow *){ NULL });
}

static int rule_of_no_bytes(struct bench *b)
{
	return rule_of_bytes(b, 0);
}

static int rule_of_too_many_bytes(struct bench *b)
{
	return rule_of_bytes(b, 514);
}

static struct vx_mlx5_dr_domain *domain_of(struct bench *b)
{
	struct vx_mlx5_dr_domain *domain;

	must(vx_mlx5_dr_domain_create(b->ctx, &(struct vx_mlx5_dr_domain_init){ .type = MLX5DV_DR_DOMAIN_TYPE_NIC_RX }, &domain));
	return domain;
}

static struct vx_mlx5_dr_table *table_of(struct bench *b)
{
	struct vx_mlx5_dr_table *table;

	must(vx_mlx5_dr_table_create(domain_of(b), NULL, &table));
	return table;
}

static int direct_rule(struct bench *b, struct vx_mlx5_dr_rule_init rule)
{
	const struct vx_mlx5_dr_matcher_init init = { .match_criteria_enable = 1, .mask = &match.parameters };
	struct vx_mlx5_dr_matcher *matcher;

	must(vx_mlx5_dr_matcher_create(table_of(b), &init, &matcher));
	return vx_mlx5_dr_rule_create(matcher, &rule, &(struct vx_mlx5_dr_rule *){ NULL });
}

static int direct_rule_without_actions(struct bench *b)
{
	return direct_rule(b, (struct vx_mlx5_dr_rule_init){ .value = &match.parameters });
}

static int direct_rule_of_half_a_word(struct bench *b)
{
	static struct {
		struct mlx5dv_flow_match_parameters parameters;
		uint8_t bits[64]; /* libmlx5 reads as many as the mask has */
	} value = { .parameters = { .match_sz = 62 } };

	return direct_rule(b, (struct vx_mlx5_dr_rule_init){ .value = &value.parameters });
}

static int direct_rule_of_too_many_bytes(struct bench *b)
{
	static struct {
		struct mlx5dv_flow_match_parameters parameters;
		uint8_t bits[464];
	} value = { .parameters = { .match_sz = sizeof(value.bits) } };

	return direct_rule(b, (struct vx_mlx5_dr_rule_init){ .value = &value.parameters });
}

static int direct_rules_of_both_ways(struct bench *b)
{
	return vx_mlx5_dr_domain_create(b->ctx, &(struct vx_mlx5_dr_domain_init){ .type = (enum mlx5dv_dr_domain_type)9 }, &(struct vx_mlx5_dr_domain *){ NULL });
}

static int deep_table(struct bench *b)
{
	return vx_mlx5_dr_table_create(domain_of(b), &(struct vx_mlx5_dr_table_init){ .level = 1 }, &(struct vx_mlx5_dr_table *){ NULL });
}

static int matcher_of_nothing(struct bench *b)
{
	return vx_mlx5_dr_matcher_create(table_of(b), NULL, &(struct vx_mlx5_dr_matcher *){ NULL });
}

/* What matchers look for: nothing is said of the direct ones that is not of both. */
static int matcher_of(struct bench *b, uint8_t parts, size_t byte, uint8_t bits, bool direct)
{
	static struct {
		struct mlx5dv_flow_match_parameters parameters;
		uint8_t bits[192];
	} mask = { .parameters = { .match_sz = sizeof(mask.bits) } };

	memset(mask.bits, 0, sizeof(mask.bits));
	mask.bits[byte] = bits;
	if (direct)
		return vx_mlx5_dr_matcher_create(table_of(b), &(struct vx_mlx5_dr_matcher_init){ .match_criteria_enable = parts, .mask = &mask.parameters },
						 &(struct vx_mlx5_dr_matcher *){ NULL });
	return vx_mlx5_flow_matcher_create(b->ctx, &(struct vx_mlx5_flow_matcher_init){ .match_criteria_enable = parts, .match_mask = &mask.parameters },
					   &(struct vx_mlx5_flow_matcher *){ NULL });
}

static int direct_matcher_that_looks_elsewhere(struct bench *b)
{
	return matcher_of(b, 1, 64, 0xff, true);
}

static int matcher_that_looks_elsewhere(struct bench *b)
{
	return matcher_of(b, 0, 0, 0xff, false);
}

static int matcher_of_an_eighth_part(struct bench *b)
{
	return matcher_of(b, 0x80, 0, 0, false);
}

static int matcher_of_later_parts(struct bench *b)
{
	return matcher_of(b, 0x10, 0, 0, false);
}

static int matcher_of_what_is_none(struct bench *b)
{
	return matcher_of(b, 2, 64 + 63, 0xff, true);
}

static int ports_of_anything(struct bench *b)
{
	static struct {
		struct mlx5dv_flow_match_parameters parameters;
		uint8_t bits[64];
	} ports = { .parameters = { .match_sz = 64 } };
	const struct vx_mlx5_flow_matcher_init init = { .match_criteria_enable = 1, .match_mask = &ports.parameters };
	const struct vx_mlx5_flow_action to = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct vx_mlx5_flow_matcher *matcher;

	memset(ports.bits + 30, 0xff, 2); /* udp_dport */
	must(vx_mlx5_flow_matcher_create(b->ctx, &init, &matcher));
	expect_answer(b);
	return vx_mlx5_flow_create(matcher, &(struct vx_mlx5_flow_init){ .match_value = &ports.parameters, .actions = &to, .num_actions = 1 },
				   &(struct vx_flow *){ NULL });
}

static int half_a_change_of_headers(struct bench *b)
{
	const struct vx_mlx5_dr_modify_header_init init = { .flags = MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL, .actions_sz = 7,
							    .actions = &(__be64){ htobe64((1ull << 60) | (0xcull << 48) | 4000) } };

	return vx_mlx5_dr_modify_header_create(domain_of(b), &init, &(struct vx_mlx5_dr_action *){ NULL });
}

static int copies_to_one(struct bench *b)
{
	struct vx_mlx5_dr_action *drop;
	struct vx_mlx5_dr_action_dest dest = { .type = MLX5DV_DR_ACTION_DEST };

	must(vx_mlx5_dr_drop_create(b->ctx, NULL, &drop));
	dest.dest = drop;
	return vx_mlx5_dr_dest_array_create(domain_of(b), &(struct vx_mlx5_dr_dest_array_init){ .dests = &dest, .num_dest = 1 }, &(struct vx_mlx5_dr_action *){ NULL });
}

static int sampler_without_a_table(struct bench *b)
{
	return vx_mlx5_dr_sampler_create(b->ctx, NULL, &(struct vx_mlx5_dr_action *){ NULL });
}

/* ---- DC ---- */

static struct vx_qp *new_dci(struct bench *b)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_qp *dci;

	must(vx_mlx5_qp_create(b->pd, &(struct vx_mlx5_qp_init){ .send_cq = b->cq, .recv_cq = b->cq, .mlx5dv_qp_init_attr = &attr }, &dci));
	return dci;
}

static struct vx_qp *new_dct(struct bench *b)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = 7 } };
	struct vx_mlx5_qp_init init = { .send_cq = b->cq, .recv_cq = b->cq, .mlx5dv_qp_init_attr = &attr };
	struct vx_qp *dct;

	must(vx_srq_create(b->pd, NULL, &init.srq));
	must(vx_mlx5_qp_create(b->pd, &init, &dct));
	return dct;
}

static int move(struct vx_qp *qp, enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr attr = { .qp_state = to, .port_num = 1, .path_mtu = IBV_MTU_1024, .min_rnr_timer = 12, .ah_attr = { .port_num = 1 } };

	return vx_qp_modify(qp, &attr, mask);
}

#define DC_TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT)

static int dct_that_is_to_send(struct bench *b)
{
	struct vx_qp *dct = new_dct(b);

	must(move(dct, IBV_QPS_INIT, DC_TO_INIT | IBV_QP_ACCESS_FLAGS));
	must(move(dct, IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU));
	return move(dct, IBV_QPS_RTS, IBV_QP_STATE);
}

static int dct_to_rtr_at_once(struct bench *b)
{
	return move(new_dct(b), IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU);
}

static int dci_to_a_peer(struct bench *b)
{
	struct vx_qp *dci = new_dci(b);

	must(move(dci, IBV_QPS_INIT, DC_TO_INIT));
	return move(dci, IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN);
}

static int dci_that_is_reached(struct bench *b)
{
	return move(new_dci(b), IBV_QPS_INIT, DC_TO_INIT | IBV_QP_ACCESS_FLAGS);
}

static int dci_that_receives(struct bench *b)
{
	struct ibv_recv_wr wr = { .wr_id = 1 };
	struct vx_qp *dci = new_dci(b);

	must(move(dci, IBV_QPS_INIT, DC_TO_INIT));
	return vx_qp_post_recv(dci, &wr, NULL);
}

static int stream_that_is_not_there(struct bench *b)
{
	return vx_mlx5_qp_dci_stream_id_reset(new_dci(b), 70000);
}

static int stream_of_a_dci_without(struct bench *b)
{
	struct vx_qp *dci = new_dci(b);

	must(vx_qp_to_rts(dci, &(struct vx_path){ .dlid = 1 }));
	return vx_mlx5_qp_dci_stream_id_reset(dci, 0);
}

int stream_alone(struct bench *b)
{
	must(vx_ctx_open_index(0, &b->ctx));
	must(vx_pd_create(b->ctx, NULL, &b->pd));
	must(vx_cq_create(b->ctx, NULL, &b->cq));
	return stream_of_a_dci_without(b);
}

static int stream_that_nobody_resets(struct bench *b)
{
	return alone(b, "stream", "VERBSX_EMU_CONFIG", "dci_streams=off");
}

/* ---- DEVX ---- */

static int half_an_event(struct bench *b)
{
	struct vx_mlx5_event_channel *channel;
	uint16_t types[] = { 9 };

	must(vx_mlx5_event_channel_create(b->ctx, NULL, &channel));
	return vx_mlx5_event_channel_subscribe(channel, NULL, 1, types, 7);
}

static int node_of_another_context(struct bench *b)
{
	struct vx_mlx5_sched_node *root;
	struct vx_ctx *other;
	int rc;

	must(vx_ctx_open_index(0, &other));
	must(vx_mlx5_sched_node_create(other, NULL, &root));
	rc = vx_mlx5_sched_node_create(b->ctx, &(struct vx_mlx5_sched_node_init){ .parent = root }, &(struct vx_mlx5_sched_node *){ NULL });
	snprintf(b->sentence, sizeof(b->sentence), "%s", vx_error_text());
	must(vx_close(other));
	return rc;
}

/* ---- other vendors ---- */

static int qp_of_efa(struct bench *b)
{
	return vx_efa_qp_create(b->pd, &(struct vx_efa_qp_init){ .send_cq = b->cq, .recv_cq = b->cq }, &(struct vx_qp *){ NULL });
}

static int qp_of_hns(struct bench *b)
{
	return vx_hns_qp_create(b->pd, &(struct vx_hns_qp_init){ .send_cq = b->cq, .recv_cq = b->cq }, &(struct vx_qp *){ NULL });
}

static int import_of_another_release(struct bench *b)
{
	char data[64] = { 0 };

	return vx_mlx5_var_import(b->ctx, data, &(struct vx_mlx5_var *){ NULL });
}

static const struct mistake mistakes[] = {
	{ "a rule of mlx5 that does nothing", rule_without_actions, -EINVAL, "num_actions is 0: packets that come in must lead somewhere", NULL, EMU_ROCE },
	{ "one that only tags", rule_that_only_tags, -EINVAL, "the actions may lead nowhere", NULL, EMU_ROCE },
	{ "one that counts by counters of verbs", rule_that_counts, -EOPNOTSUPP, "actions[0] counts by counters of verbs, which libmlx5 may not take", NULL, EMU_ROCE },
	{ "one that leads to no QP", rule_to_no_qp, -EINVAL, "actions[0].qp is NULL", NULL, EMU_ROCE },
	{ "one that leads to two", rule_to_two, -EOPNOTSUPP, "actions[0] and actions[1] are destinations, and a rule has one", NULL, EMU_ROCE },
	{ "one of nothing that is matched", rule_of_no_bytes, -EINVAL, "match_sz = 0, and the kernel takes 1 to 512 bytes", NULL, EMU_ROCE },
	{ "one of more than there is to match", rule_of_too_many_bytes, -EINVAL, "match_sz = 514, and the kernel takes 1 to 512 bytes", NULL, EMU_ROCE },
	{ "a direct rule that does nothing", direct_rule_without_actions, -EINVAL, "num_actions is 0", NULL, EMU_ROCE },
	{ "one that matches half a word", direct_rule_of_half_a_word, -EINVAL, "match_sz = 62, and a rule's is in words of 4 bytes", NULL, EMU_ROCE },
	{ "one that matches more than there is", direct_rule_of_too_many_bytes, -EINVAL, "match_sz = 464, and rules match up to 512 bytes, or 448 behind a root table", NULL, EMU_ROCE },
	{ "direct rules of a type that nobody knows", direct_rules_of_both_ways, -EINVAL, "type = 9 is none of enum mlx5dv_dr_domain_type", NULL, EMU_ROCE },
	{ "a table behind the root where there is none", deep_table, -EOPNOTSUPP, "level = 1: tables behind the root, which is level 0, are of software steering", NULL, EMU_ROCE },
	{ "a matcher of direct rules without a mask", matcher_of_nothing, -EINVAL, "mask is NULL", NULL, EMU_ROCE },
	{ "a matcher that is told to look elsewhere than its mask", matcher_that_looks_elsewhere, -EINVAL, "match_criteria_enable lacks 0x1, and match_mask has bits there, which nobody would look at", NULL, EMU_ROCE },
	{ "a direct one that is told so", direct_matcher_that_looks_elsewhere, -EINVAL, "match_criteria_enable lacks 0x2, and mask has bits there, which nobody would look at", NULL, EMU_ROCE },
	{ "a matcher of more parts than there are", matcher_of_an_eighth_part, -EOPNOTSUPP, "match_criteria_enable has 0x80, and the last part is 0x40", NULL, EMU_ROCE },
	{ "a matcher of parts that a kernel has not", matcher_of_later_parts, -EOPNOTSUPP, "the device or the kernel may not know the parts 0x10 of match_criteria_enable", NULL, EMU_ROCE },
	{ "a matcher of bits that are no field", matcher_of_what_is_none, -EOPNOTSUPP, "the device may not match all that the mask has bits of", NULL, EMU_ROCE },
	{ "ports of whatever has ports", ports_of_anything, -EINVAL, "outer headers have ports of UDP in the mask, which take ip_protocol = 17 beside them", "create_flow:EINVAL", EMU_ROCE },
	{ "a change of headers that ends in its midst", half_a_change_of_headers, -EINVAL, "actions_sz = 7 bytes", NULL, EMU_ROCE },
	{ "copies of packets to one destination", copies_to_one, -EINVAL, "num_dest is below 2", NULL, EMU_ROCE },
	{ "a sampler that leads nowhere", sampler_without_a_table, -EINVAL, "default_next_table is NULL" },
	{ "a DCT in RTS", dct_that_is_to_send, -EINVAL, "a DCT stays in RTR until it is destroyed" },
	{ "a DCT that skips INIT", dct_to_rtr_at_once, -EINVAL, "a DCT goes from RESET to INIT, not to RTR" },
	{ "a DCI that is told a peer", dci_to_a_peer, -EINVAL, "IBV_QP_RQ_PSN|IBV_QP_DEST_QPN are not allowed for a DCI" },
	{ "a DCI that others are to reach", dci_that_is_reached, -EINVAL, "IBV_QP_ACCESS_FLAGS is not allowed for a DCI" },
	{ "a receive for a DCI", dci_that_receives, -EINVAL, "the receive queue was made for no requests (max_recv_wr = 0)" },
	{ "a stream of more than 16 bits", stream_that_is_not_there, -EINVAL, "stream_id = 70000, but the most is 65535" },
	{ "a stream of a device that resets none", stream_that_nobody_resets, -EOPNOTSUPP, "the device lets nobody reset streams" },
	{ "a stream of a DCI that was made without", stream_of_a_dci_without, -EINVAL, "the QP was made without streams, or stream_id = 0 is none of them" },
	{ "half the number of an event", half_an_event, -EINVAL, "events_sz = 1 bytes, and the number of an event has 2" },
	{ "a node under one of another context", node_of_another_context, -EINVAL, "another context" },
	{ "a QP of EFA on a device of mlx5", qp_of_efa, -EOPNOTSUPP, "this call is of libefa, and the device is of another vendor" },
	{ "a QP of hns there, which this release has none of", qp_of_hns, -EOPNOTSUPP, "this call is of libhns, and the device is of another vendor" },
	{ "something imported that only later releases can", import_of_another_release, -EOPNOTSUPP, "needs rdma-core 63" },
};

CHAPTER(vendor_rules, "Rules, DC queues and answers of mlx5");
