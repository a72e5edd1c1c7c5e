/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that only mlx5 has. */

#include <endian.h>
#include <stdlib.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_var.h>

#include "pair.h"

#define MANY_QPNS 1000

/* What a port may tell */
#define KNOWN \
	(MLX5DV_QUERY_PORT_VPORT | MLX5DV_QUERY_PORT_VPORT_VHCA_ID | MLX5DV_QUERY_PORT_VPORT_STEERING_ICM_RX | \
	 MLX5DV_QUERY_PORT_VPORT_STEERING_ICM_TX | MLX5DV_QUERY_PORT_VPORT_REG_C0 | MLX5DV_QUERY_PORT_ESW_OWNER_VHCA_ID)

Twin(test_mlx5_pp, Mlx5PPTestCase, test_pp_alloc)
{
	const uint32_t rate[12] = { htobe32(1000) };
	struct vx_mlx5_pp_init init = { .pp_context = rate, .pp_context_sz = sizeof(rate) };
	struct vx_mlx5_pp *shared, *dedicated;

	made(vx_mlx5_pp_create(ctx, &init, &shared));
	init.flags = MLX5DV_PP_ALLOC_FLAGS_DEDICATED_INDEX;
	made(vx_mlx5_pp_create(ctx, &init, &dedicated));
	cr_expect_neq(vx_mlx5_pp_raw(shared)->index, vx_mlx5_pp_raw(dedicated)->index);
	closed(dedicated);
	closed(shared);
}

Twin(test_mlx5_query_port, Mlx5DVQueryPortTestCase, test_dv_query_port)
{
	struct mlx5dv_port info;
	uint32_t port;

	for (port = 1; port <= limits.phys_port_cnt; port++) {
		made(vx_mlx5_ctx_query_port(ctx, port, &info));
		cr_expect_eq(info.flags & ~(uint64_t)KNOWN, 0);
		cr_expect(!(info.flags & MLX5DV_QUERY_PORT_VPORT_REG_C0) || info.reg_c0.mask);
	}
	refused(vx_mlx5_ctx_query_port(ctx, limits.phys_port_cnt + 1u, &info));
}

/* In C nobody gives back a number that is not his, as it is a handle's. */
Twin(test_mlx5_rdmacm, ReservedQPTest, test_reservered_qpn)
{
	static struct vx_mlx5_qpn *many[MANY_QPNS];
	size_t i;

	for (i = 0; i < MANY_QPNS; i++) {
		made(vx_mlx5_qpn_create(ctx, NULL, &many[i]));
		cr_expect(!i || vx_mlx5_qpn_qpn(many[i]) != vx_mlx5_qpn_qpn(many[i - 1]));
	}
	for (i = 0; i < MANY_QPNS; i++)
		closed(many[i]);
	made(vx_mlx5_qpn_create(ctx, NULL, &many[0]));
	closed(many[0]);
	many[0] = NULL;
	closed(many[0]);
}

Twin(test_mlx5_uar, Mlx5UarTestCase, test_alloc_uar)
{
	const uint32_t types[] = { MLX5DV_UAR_ALLOC_TYPE_BF, MLX5DV_UAR_ALLOC_TYPE_NC };
	struct vx_mlx5_devx_uar *uar;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		made(vx_mlx5_devx_uar_create(ctx, &(struct vx_mlx5_devx_uar_init){ .flags = types[i] }, &uar));
		cr_expect_not_null(vx_mlx5_devx_uar_raw(uar)->base_addr);
		cr_expect_not_null(vx_mlx5_devx_uar_raw(uar)->reg_addr);
		closed(uar);
	}
}

Twin(test_mlx5_var, Mlx5VarTestCase, test_var_map_unmap)
{
	struct vx_mlx5_var *var;
	void *page;

	made(vx_mlx5_var_create(ctx, NULL, &var));
	made(vx_mlx5_var_map(var, &page));
	closed(var);
}

static struct vx_mlx5_sched_node *new_node(struct vx_mlx5_sched_node_init init)
{
	struct vx_mlx5_sched_node *node;

	made(vx_mlx5_sched_node_create(ctx, &init, &node));
	return node;
}

Twin(test_mlx5_sched, Mlx5SchedTest, test_create_sched_tree)
{
	const uint32_t most = MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW, share = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE;
	struct vx_mlx5_sched_node *root = new_node((struct vx_mlx5_sched_node_init){ 0 }), *mixed;
	struct mlx5dv_sched_attr change = { .flags = most | share, .max_avg_bw = 4, .bw_share = 1 };
	struct vx_mlx5_sched_leaf *leaf;

	new_node((struct vx_mlx5_sched_node_init){ .parent = root, .flags = most, .max_avg_bw = 10 });
	new_node((struct vx_mlx5_sched_node_init){ .parent = root, .flags = share, .bw_share = 10 });
	mixed = new_node((struct vx_mlx5_sched_node_init){ .parent = root, .flags = most | share, .max_avg_bw = 10, .bw_share = 2 });
	change.parent = vx_mlx5_sched_node_raw(root);
	made(vx_mlx5_sched_node_modify(mixed, &change));
	made(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = mixed }, &leaf));
	change = (struct mlx5dv_sched_attr){ .parent = vx_mlx5_sched_node_raw(mixed), .flags = most | share, .max_avg_bw = 3, .bw_share = 3 };
	made(vx_mlx5_sched_leaf_modify(leaf, &change));
	closed(leaf);
	closed(root);
}

/* A QP that is held to a leaf of the tree sends as before, only not faster than that. */
Twin(test_mlx5_sched, Mlx5SchedTrafficTest, test_sched_per_qp_traffic)
{
	struct vx_mlx5_sched_node *root = new_node((struct vx_mlx5_sched_node_init){ 0 });
	struct vx_mlx5_sched_leaf *leaf;
	struct pair p = connected();

	made(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = root, .flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE, .bw_share = 2 },
				       &leaf));
	made(vx_mlx5_qp_modify_sched_elem(p.client, leaf, leaf));
	made(vx_mlx5_qp_modify_sched_elem(p.server, leaf, NULL));
	cr_expect_eq(write_by(&p, vx_mr_rkey(p.mr)), IBV_WC_SUCCESS);
	refused(vx_give_back(leaf) ? 0 : vx_error()->code);
	made(vx_mlx5_qp_modify_sched_elem(p.client, NULL, NULL));
	cr_expect_eq(write_by(&p, vx_mr_rkey(p.mr)), IBV_WC_SUCCESS);
}

/* ---- queues in huge pages, which libmlx5 takes by its environment ---- */

#define HugePage(name) Twin(test_mlx5_huge_page, ResourcesOnHugePageTest, name)

static int try_in_pages_of(const char *type)
{
	struct mlx5dv_context device = { 0 };
	struct vx_cq *cq = NULL;
	struct vx_qp *qp;
	int rc;

	made(vx_mlx5_ctx_query_device(ctx, &device)); /* others know no such variables */
	setenv("MLX_CQ_ALLOC_TYPE", type, 1);
	setenv("MLX_QP_ALLOC_TYPE", type, 1);
	rc = vx_cq_create(ctx, NULL, &cq);
	rc = rc ? rc : vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp);
	unsetenv("MLX_CQ_ALLOC_TYPE");
	unsetenv("MLX_QP_ALLOC_TYPE");
	return rc;
}

HugePage(test_prefer_obj_on_huge)
{
	made(try_in_pages_of("PREFER_HUGE"));
}

/* Where the machine has none that are free, there is no memory for them. */
HugePage(test_obj_on_huge)
{
	const int rc = try_in_pages_of("HUGE");

	if (rc == -ENOMEM)
		cr_skip_test("there are no huge pages: %s", vx_error_text());
	made(rc);
}
