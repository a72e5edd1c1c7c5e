/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Direct rules of mlx5 devices, their actions, and DC queues that are none. */

#include <endian.h>
#include <string.h>

#include <verbsx/mlx5.h>

#include "mistakes.h"

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint8_t bits[64];
} match = { .parameters = { .match_sz = sizeof(match.bits) } };

static struct vx_mlx5_dr_domain *new_domain(struct bench *b)
{
	struct vx_mlx5_dr_domain *domain;

	must(vx_mlx5_dr_domain_create(b->ctx, NULL, &domain));
	return domain;
}

static struct vx_mlx5_dr_table *new_root(struct bench *b)
{
	struct vx_mlx5_dr_table *table;

	must(vx_mlx5_dr_table_create(new_domain(b), NULL, &table));
	return table;
}

static struct vx_mlx5_dr_matcher *new_matcher(struct bench *b)
{
	const struct vx_mlx5_dr_matcher_init init = { .match_criteria_enable = 1, .mask = &match.parameters };
	struct vx_mlx5_dr_matcher *matcher;

	must(vx_mlx5_dr_matcher_create(new_root(b), &init, &matcher));
	return matcher;
}

static struct vx_mlx5_dr_action *drop(struct bench *b)
{
	struct vx_mlx5_dr_action *action;

	must(vx_mlx5_dr_drop_create(b->ctx, NULL, &action));
	return action;
}

static int rule_in(struct vx_mlx5_dr_matcher *matcher, struct vx_mlx5_dr_action *action)
{
	const struct vx_mlx5_dr_rule_init init = { .value = &match.parameters, .actions = &action, .num_actions = 1 };

	return vx_mlx5_dr_rule_create(matcher, &init, &(struct vx_mlx5_dr_rule *){ NULL });
}

/* ---- rules ---- */

static int only_tags(struct bench *b)
{
	struct vx_mlx5_dr_action *tag;

	must(vx_mlx5_dr_tag_create(b->ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 7 }, &tag));
	return rule_in(new_matcher(b), tag);
}

static int dropped_and_not(struct bench *b)
{
	struct vx_mlx5_dr_matcher *matcher = new_matcher(b);
	struct vx_mlx5_dr_action *to;

	must(vx_mlx5_dr_dest_qp_create(qp_in(b, IBV_QPT_RAW_PACKET, IBV_QPS_RESET), NULL, &to));
	must(rule_in(matcher, drop(b)));
	return rule_in(matcher, to);
}

static int deep_matcher(struct bench *b)
{
	const struct vx_mlx5_dr_matcher_init init = { .match_criteria_enable = 1, .mask = &match.parameters, .priority = 60000 };

	return vx_mlx5_dr_matcher_create(new_root(b), &init, &(struct vx_mlx5_dr_matcher *){ NULL });
}

static int layout_of_a_root(struct bench *b)
{
	struct mlx5dv_dr_matcher_layout layout = { .flags = MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE, .log_num_of_rules_hint = 4 };

	return vx_mlx5_dr_matcher_set_layout(new_matcher(b), &layout);
}

static int nothing_to_wait_for(struct bench *b)
{
	return vx_mlx5_dr_domain_sync(new_domain(b), MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW);
}

/* ---- actions ---- */

static int long_tag(struct bench *b)
{
	return vx_mlx5_dr_tag_create(b->ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 0x1000000 }, &(struct vx_mlx5_dr_action *){ NULL });
}

static int vlan_as_the_wire_has_it(struct bench *b)
{
	const struct vx_mlx5_dr_push_vlan_init init = { .vlan_hdr = htobe32(0x81000005) };

	return vx_mlx5_dr_push_vlan_create(new_domain(b), &init, &(struct vx_mlx5_dr_action *){ NULL });
}

static int back_to_the_root(struct bench *b)
{
	return vx_mlx5_dr_dest_table_create(new_root(b), NULL, &(struct vx_mlx5_dr_action *){ NULL });
}

static int headers_of_what_comes_in(struct bench *b)
{
	char headers[16] = { 0 };
	const struct vx_mlx5_dr_packet_reformat_init init = { .flags = MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL, .data = headers, .data_sz = sizeof(headers),
							      .reformat_type = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL };

	return vx_mlx5_dr_packet_reformat_create(new_domain(b), &init, &(struct vx_mlx5_dr_action *){ NULL });
}

static int headers_behind_the_root(struct bench *b)
{
	const struct vx_mlx5_dr_packet_reformat_init init = { .reformat_type = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2 };

	return vx_mlx5_dr_packet_reformat_create(new_domain(b), &init, &(struct vx_mlx5_dr_action *){ NULL });
}

static int to_a_root(struct bench *b, uint16_t priority)
{
	struct vx_mlx5_dr_table *root;

	must(vx_mlx5_dr_table_create(new_domain(b), NULL, &root));
	return vx_mlx5_dr_dest_root_create(root, &(struct vx_mlx5_dr_dest_root_init){ .priority = priority }, &(struct vx_mlx5_dr_action *){ NULL });
}

static int to_a_root_from_nowhere(struct bench *b)
{
	return to_a_root(b, 1);
}

static int to_a_deep_root(struct bench *b)
{
	return to_a_root(b, 60000);
}

static int port_of_no_switch(struct bench *b)
{
	return vx_mlx5_dr_dest_vport_create(new_domain(b), &(struct vx_mlx5_dr_dest_vport_init){ .vport = 1 }, &(struct vx_mlx5_dr_action *){ NULL });
}

static int change_headers(struct bench *b, uint32_t flags, uint64_t change)
{
	const struct vx_mlx5_dr_modify_header_init init = { .flags = flags, .actions_sz = 8, .actions = &(__be64){ htobe64(change) } };

	return vx_mlx5_dr_modify_header_create(new_domain(b), &init, &(struct vx_mlx5_dr_action *){ NULL });
}

static int change_behind_the_root(struct bench *b)
{
	return change_headers(b, 0, UINT64_C(1) << 60 | UINT64_C(0xc) << 48 | 4000);
}

static int change_of_nothing(struct bench *b)
{
	return change_headers(b, MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL, UINT64_MAX);
}

static int meter_that_is_none(struct bench *b)
{
	return vx_mlx5_dr_action_modify_flow_meter(drop(b), &(struct mlx5dv_dr_flow_meter_attr){ 0 }, 1);
}

/* ---- DC ---- */

static int make_dc(struct bench *b, enum ibv_qp_type type, struct mlx5dv_qp_init_attr attr)
{
	const struct vx_mlx5_qp_init init = { .send_cq = b->cq, .recv_cq = b->cq, .qp_type = type, .mlx5dv_qp_init_attr = &attr };

	return vx_mlx5_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int dc_of_neither_side(struct bench *b)
{
	return make_dc(b, IBV_QPT_DRIVER, (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC });
}

static int dc_without_its_bit(struct bench *b)
{
	return make_dc(b, IBV_QPT_DRIVER, (struct mlx5dv_qp_init_attr){ .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI });
}

static int streams_of_no_dci(struct bench *b)
{
	return make_dc(b, 0, (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS,
							   .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI, .dci_streams = { 2, 1 } } });
}

/* Init structures set their masks by themselves, and this one is rdma-core's. */
static int builders_without_their_bit(struct bench *b)
{
	return make_dc(b, IBV_QPT_RC, (struct mlx5dv_qp_init_attr){ .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST });
}

static int flags_without_their_bit(struct bench *b)
{
	return make_dc(b, IBV_QPT_RC, (struct mlx5dv_qp_init_attr){ .create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE });
}

static int dci_without_its_bit(struct bench *b)
{
	return make_dc(b, 0, (struct mlx5dv_qp_init_attr){ .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI });
}

static int address_without_a_gid(struct bench *b)
{
	struct vx_ah *ah;

	must(vx_ah_create(b->pd, &(struct vx_ah_init){ .port_num = 1, .dlid = 1 }, &ah));
	return vx_mlx5_ah_map_to_qp(ah, 0x107);
}

static int address_to_a_long_number(struct bench *b)
{
	struct vx_ah *ah;

	must(vx_ah_create(b->pd, &(struct vx_ah_init){ .port_num = 1, .dlid = 1, .is_global = 1 }, &ah));
	return vx_mlx5_ah_map_to_qp(ah, 1u << 24);
}

static const struct mistake mistakes[] = {
	{ "a direct rule that only tags", only_tags, -EINVAL, "the actions may lead nowhere: packets that come in need a destination, such as vx_mlx5_dr_dest_qp_create()", NULL, EMU_ROCE },
	{ "a direct rule that keeps what another one drops", dropped_and_not, -EEXIST, "there is a rule of the same value, which drops what this one does not", NULL, EMU_ROCE },
	{ "a direct matcher of a priority that a table has not", deep_matcher, -ENOMEM, "priority = 60000 may be more than there are", NULL, EMU_ROCE },
	{ "a layout of a matcher that the kernel lays out", layout_of_a_root, -EOPNOTSUPP, "the matcher is of a root table", NULL, EMU_ROCE },
	{ "waiting for rules that the kernel has", nothing_to_wait_for, -EOPNOTSUPP, "the domain has no tables behind the root", NULL, EMU_ROCE },
	{ "a tag of more than 24 bits", long_tag, -EINVAL, "tag_value is 0x1000000, and a tag has 24 bits", NULL, EMU_ROCE },
	{ "a VLAN as the wire has it", vlan_as_the_wire_has_it, -EINVAL, "vlan_hdr must begin with 0x8100 or 0x88a8, in the byte order of the host, as 0x81000005 does", NULL, EMU_ROCE },
	{ "packets sent back to where they came in", back_to_the_root, -EINVAL, "the table is a root, level 0, where packets come in: no rule leads there", NULL, EMU_ROCE },
	{ "headers put on what comes in", headers_of_what_comes_in, -EINVAL, "one that receives takes headers off, one that sends puts them on", NULL, EMU_ROCE },
	{ "the same without a word of the root", headers_behind_the_root, -EOPNOTSUPP, "flags lacks MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL", NULL, EMU_ROCE },
	{ "on to a root table from tables that are not there", to_a_root_from_nowhere, -EINVAL, "the table is no root, level 0, or the device has no tables that lead there", NULL, EMU_ROCE },
	{ "the same to a priority that a table has not", to_a_deep_root, -ENOMEM, "priority = 60000 may be more than there are", NULL, EMU_ROCE },
	{ "a vport of a device that is no switch", port_of_no_switch, -EOPNOTSUPP, "the domain is of another type than MLX5DV_DR_DOMAIN_TYPE_FDB, or the device is no switch", NULL, EMU_ROCE },
	{ "a change of headers that does not say where", change_behind_the_root, -EOPNOTSUPP, "flags lacks MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL", NULL, EMU_ROCE },
	{ "a change of a field that is none", change_of_nothing, -EOPNOTSUPP, "a change may be of a field, or of a kind, that the device does not change", NULL, EMU_ROCE },
	{ "a meter changed that is none", meter_that_is_none, -EINVAL, "the action is none of vx_mlx5_dr_meter_create()", NULL, EMU_ROCE },
	{ "a DC queue that neither sends nor receives", dc_of_neither_side, -EINVAL, "dc_init_attr.dc_type is missing: MLX5DV_DCTYPE_DCI sends, and MLX5DV_DCTYPE_DCT receives" },
	{ "a DC queue without its bit in the mask", dc_without_its_bit, -EINVAL, "IBV_QPT_DRIVER is a DCI or a DCT, and comp_mask of mlx5dv_qp_init_attr lacks MLX5DV_QP_INIT_ATTR_MASK_DC" },
	{ "streams without that", streams_of_no_dci, -EINVAL, "has MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS, and the QP is no DCI" },
	{ "builders of keys without their bit in the mask", builders_without_their_bit, -EINVAL, "mlx5dv_qp_init_attr has send_ops_flags, and its comp_mask lacks MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS" },
	{ "flags without their bit in the mask", flags_without_their_bit, -EINVAL, "mlx5dv_qp_init_attr has create_flags, and its comp_mask lacks MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS" },
	{ "a DCI without its bit in the mask", dci_without_its_bit, -EINVAL, "mlx5dv_qp_init_attr has dc_init_attr, and its comp_mask lacks MLX5DV_QP_INIT_ATTR_MASK_DC" },
	{ "an address handle without a GID, mapped to a QP", address_without_a_gid, -EOPNOTSUPP, "the address handle has no GRH (is_global is 0), or the device maps none" },
	{ "one mapped to a number that none has", address_to_a_long_number, -EINVAL, "qp_num has more than the 24 bits of a QP's number" },
};

CHAPTER(vendor_direct, "Direct rules of mlx5, and DC queues that are none");
