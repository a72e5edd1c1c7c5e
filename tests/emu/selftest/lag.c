/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Bonded ports: each QP has the one by which it goes out. */
#include "mailbox.h"

TestSuite(lag, .init = open_mlx5, .fini = close_bed);

static bool is_bonded(void)
{
	struct mlx5dv_context c = { .comp_mask = MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS };

	CHECK(!mlx5dv_query_device(bed.ctx, &c));
	return c.num_lag_ports == 2;
}

static void expect_movable(struct ibv_qp *q)
{
	uint8_t port, active;

	CHECK(!mlx5dv_query_qp_lag_port(q, &port, &active));
	CHECK((port == 1 || port == 2) && active == port);
	CHECK(!mlx5dv_modify_qp_lag_port(q, 3 - port));
	CHECK(mlx5dv_modify_qp_lag_port(q, 3) == EINVAL && mlx5dv_modify_qp_lag_port(q, 0) == EINVAL);
	CHECK(!mlx5dv_query_qp_lag_port(q, &active, &active) && active == 3 - port);
}

Test(lag, ports_are_bonded_where_it_is_configured)
{
	uint8_t port, active;

	if (is_bonded())
		skip("it is configured");
	CHECK(mlx5dv_query_qp_lag_port(bed.a, &port, &active) == EOPNOTSUPP);
	CHECK(mlx5dv_modify_qp_lag_port(bed.a, 1) == EOPNOTSUPP);
}

Test(lag, a_qp_has_a_port_and_can_change_it)
{
	struct ibv_qp *ud;

	if (!is_bonded())
		skip("no ports are bonded");
	ud = make_ud();
	expect_movable(bed.a);
	expect_movable(ud);
	CHECK(!ibv_destroy_qp(ud));
	post_recv(bed.b, 2, 32768, 16);
	post_send(bed.a, 1, 0, 16);
	for (int i = 0; i < 2; i++)
		CHECK(!wait_wc(bed.cq).status);
}

Test(lag, so_has_one_of_raw_packets)
{
	struct ibv_qp_init_attr init = { .send_cq = bed.cq,
					 .recv_cq = bed.cq,
					 .cap = { 1, 1, 1, 1, 0 },
					 .qp_type = IBV_QPT_RAW_PACKET };
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *raw;

	if (!is_bonded() || !bed.ethernet)
		skip("no ports of Ethernet are bonded");
	raw = ibv_create_qp(bed.pd, &init);
	CHECK(raw && !ibv_modify_qp(raw, &a, IBV_QP_STATE | IBV_QP_PORT));
	expect_movable(raw);
	CHECK(!ibv_destroy_qp(raw));
}
