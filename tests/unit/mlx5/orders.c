/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Objects of mlx5 that depend on each other, closed in any order: each takes along what depends on it and nothing else, and nothing is left.
 * Rules and their like are there where the port is of Ethernet.
 */

#include <stdlib.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>

#include "unit/device.h"

TestSuite(mlx5_orders, .init = open_device, .fini = close_device);

enum object {
	CQ, SRQ, DCI, DCT, ROOT, NODE, LEAF, QP, UMEM, DEVX_OBJ, MKEY, UAR, VAR, PP, EVENT_CHANNEL, CMD_COMP, DM, QPN, OF_ANY,
	RAW_QP = OF_ANY, FLOW_MATCHER, FLOW, DOMAIN, TABLE, MATCHER, TO_QP, DROP, RULE, OBJECTS
};

#define ON(object) (1u << (object))

/* What each depends on. */
static const uint32_t depends[OBJECTS] = {
	[DCI] = ON(CQ), [DCT] = ON(CQ) | ON(SRQ), [NODE] = ON(ROOT), [LEAF] = ON(NODE), [QP] = ON(CQ) | ON(LEAF), [DEVX_OBJ] = ON(UMEM),
	[RAW_QP] = ON(CQ), [FLOW] = ON(FLOW_MATCHER) | ON(RAW_QP), [TABLE] = ON(DOMAIN), [MATCHER] = ON(TABLE), [TO_QP] = ON(RAW_QP),
	[RULE] = ON(MATCHER) | ON(TO_QP),
};

static void *objects[OBJECTS];

#define AT(object, type) ((struct type **)&objects[object])
#define OF(object, type) ((struct type *)objects[object])

/* ---- what any port has ---- */

static void make_dc(enum object at, enum mlx5dv_dc_type type)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = type };
	struct vx_mlx5_qp_init init = { .send_cq = OF(CQ, vx_cq), .recv_cq = OF(CQ, vx_cq), .mlx5dv_qp_init_attr = &attr };

	if (type == MLX5DV_DCTYPE_DCT)
		init.srq = OF(SRQ, vx_srq);
	made(vx_mlx5_qp_create(pd, &init, AT(at, vx_qp)));
}

static void make_rates(void)
{
	made(vx_mlx5_sched_node_create(ctx, NULL, AT(ROOT, vx_mlx5_sched_node)));
	made(vx_mlx5_sched_node_create(ctx, &(struct vx_mlx5_sched_node_init){ .parent = OF(ROOT, vx_mlx5_sched_node) }, AT(NODE, vx_mlx5_sched_node)));
	made(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = OF(NODE, vx_mlx5_sched_node) }, AT(LEAF, vx_mlx5_sched_leaf)));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = OF(CQ, vx_cq), .recv_cq = OF(CQ, vx_cq) }, AT(QP, vx_qp)));
	made(vx_qp_to_init(OF(QP, vx_qp), NULL));
	made(vx_mlx5_qp_modify_sched_elem(OF(QP, vx_qp), OF(LEAF, vx_mlx5_sched_leaf), NULL));
}

static void make_by_mailbox(void)
{
	static char page[4096] __attribute__((aligned(4096)));
	char in[16], out[16] = { 0 };
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out), .uses = &objects[UMEM], .count = 1 };

	made(vx_mlx5_devx_umem_create(ctx, &(struct vx_mlx5_devx_umem_init){ .addr = page, .size = sizeof(page) }, AT(UMEM, vx_mlx5_devx_umem)));
	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD));
	made(vx_mlx5_devx_obj_create(ctx, &init, AT(DEVX_OBJ, vx_mlx5_devx_obj)));
}

static void make_of_any(void)
{
	const uint32_t rate[12] = { 0 };

	made(vx_mlx5_cq_create(ctx, NULL, AT(CQ, vx_cq)));
	made(vx_srq_create(pd, NULL, AT(SRQ, vx_srq)));
	make_dc(DCI, MLX5DV_DCTYPE_DCI);
	make_dc(DCT, MLX5DV_DCTYPE_DCT);
	make_rates();
	make_by_mailbox();
	made(vx_mlx5_mkey_create(pd, NULL, AT(MKEY, vx_mlx5_mkey)));
	made(vx_mlx5_devx_uar_create(ctx, NULL, AT(UAR, vx_mlx5_devx_uar)));
	made(vx_mlx5_var_create(ctx, NULL, AT(VAR, vx_mlx5_var)));
	made(vx_mlx5_pp_create(ctx, &(struct vx_mlx5_pp_init){ .pp_context = rate, .pp_context_sz = sizeof(rate) }, AT(PP, vx_mlx5_pp)));
	made(vx_mlx5_event_channel_create(ctx, NULL, AT(EVENT_CHANNEL, vx_mlx5_event_channel)));
	made(vx_mlx5_cmd_comp_create(ctx, NULL, AT(CMD_COMP, vx_mlx5_cmd_comp)));
	made(vx_mlx5_dm_create(ctx, &(struct vx_mlx5_dm_init){ .length = 64 }, AT(DM, vx_dm)));
	made(vx_mlx5_qpn_create(ctx, NULL, AT(QPN, vx_mlx5_qpn)));
}

/* ---- what one of Ethernet has beside it ---- */

static struct {
	size_t match_sz;
	uint8_t match_buf[64];
} bits = { .match_sz = sizeof(bits.match_buf) };

static void make_flow(void)
{
	struct vx_mlx5_flow_matcher_init which = { .match_mask = (struct mlx5dv_flow_match_parameters *)&bits };
	struct vx_mlx5_flow_action to_qp = { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = OF(RAW_QP, vx_qp) };
	struct vx_mlx5_flow_init init = { .match_value = (struct mlx5dv_flow_match_parameters *)&bits, .actions = &to_qp, .num_actions = 1 };

	made(vx_mlx5_flow_matcher_create(ctx, &which, AT(FLOW_MATCHER, vx_mlx5_flow_matcher)));
	made(vx_mlx5_flow_create(OF(FLOW_MATCHER, vx_mlx5_flow_matcher), &init, AT(FLOW, vx_flow)));
}

static void make_rule(void)
{
	struct vx_mlx5_dr_matcher_init which = { .priority = 1, .mask = (struct mlx5dv_flow_match_parameters *)&bits };
	struct vx_mlx5_dr_rule_init init = { .value = (struct mlx5dv_flow_match_parameters *)&bits, .actions = AT(TO_QP, vx_mlx5_dr_action), .num_actions = 1 };

	made(vx_mlx5_dr_domain_create(ctx, &(struct vx_mlx5_dr_domain_init){ .type = MLX5DV_DR_DOMAIN_TYPE_NIC_RX }, AT(DOMAIN, vx_mlx5_dr_domain)));
	made(vx_mlx5_dr_table_create(OF(DOMAIN, vx_mlx5_dr_domain), NULL, AT(TABLE, vx_mlx5_dr_table)));
	made(vx_mlx5_dr_matcher_create(OF(TABLE, vx_mlx5_dr_table), &which, AT(MATCHER, vx_mlx5_dr_matcher)));
	made(vx_mlx5_dr_dest_qp_create(OF(RAW_QP, vx_qp), NULL, AT(TO_QP, vx_mlx5_dr_action)));
	made(vx_mlx5_dr_drop_create(ctx, NULL, AT(DROP, vx_mlx5_dr_action)));
	made(vx_mlx5_dr_rule_create(OF(MATCHER, vx_mlx5_dr_matcher), &init, AT(RULE, vx_mlx5_dr_rule)));
}

/* How many there are. */
static int make_all(void)
{
	struct ibv_port_attr port;

	make_of_any();
	made(vx_ctx_query_port(ctx, 1, &port));
	if (port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return OF_ANY;
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = OF(CQ, vx_cq), .recv_cq = OF(CQ, vx_cq) }, AT(RAW_QP, vx_qp)));
	make_flow();
	make_rule();
	return OBJECTS;
}

/* ---- in any order ---- */

static uint32_t with_dependents(enum object closed, int count)
{
	uint32_t out = ON(closed), before = 0;
	int i;

	while (out != before) {
		before = out;
		for (i = 0; i < count; i++)
			out |= depends[i] & out ? ON(i) : 0;
	}
	return out;
}

static void close_in_an_order(int count, unsigned int seed)
{
	uint32_t gone = 0;
	int at;

	while (gone != (uint32_t)((1ull << count) - 1)) {
		at = rand_r(&seed) % count;
		if (gone & ON(at))
			continue;
		made(vx_close(objects[at]));
		gone |= with_dependents((enum object)at, count);
	}
}

Test(mlx5_orders, each_takes_along_what_depends_on_it)
{
	const int before = live(NULL);
	unsigned int seed;

	for (seed = 1; seed <= 60; seed++) {
		close_in_an_order(make_all(), seed);
		cr_assert_eq(live(NULL), before, "seed %u leaves %d", seed, live(NULL) - before);
	}
}

/* The same of all at once, as a program ends. */
Test(mlx5_orders, a_context_takes_along_all)
{
	make_all();
	made(vx_close(ctx));
	cr_expect_eq(live(NULL), 0);
	open_device();
}
