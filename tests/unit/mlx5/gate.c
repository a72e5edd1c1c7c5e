/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What every_gate.py knows nothing of: functions of mlx5 that are written by hand ask whose the device is, as all others do. */

#include "unit/every_gate.h"

#include <verbsx/mlx5_event.h>
#include <verbsx/mlx5_var.h>
#include <verbsx/mlx5_wr.h>

TestSuite(gate_by_hand, .init = open_device, .fini = close_device);

static uint64_t raw[64];

/* It would read a descriptor of what is none of libmlx5's. */
Test(gate_by_hand, who_waits_for_answers_and_events_asks_whose_the_device_is)
{
	struct vx_mlx5_event_channel *channel;
	struct vx_mlx5_cmd_comp *cmd_comp;
	size_t length = 7;

	made(vx_mlx5_cmd_comp_borrow(ctx, (void *)raw, &cmd_comp));
	made(vx_mlx5_event_channel_borrow(ctx, (void *)raw, &channel));
	be_of_another_vendor();
	cr_expect_eq(vx_mlx5_cmd_comp_wait(cmd_comp, 0, some_bytes, sizeof(some_bytes)), -EOPNOTSUPP);
	expect_gate();
	cr_expect_eq(vx_mlx5_event_channel_wait(channel, 0, some_bytes, sizeof(some_bytes), &length), -EOPNOTSUPP);
	expect_gate();
	cr_expect_eq(length, 7);
	be_of_its_own();
}

Test(gate_by_hand, who_maps_memory_of_the_device_asks_whose_it_is)
{
	struct vx_mlx5_var *var;
	void *page = raw;

	made(vx_mlx5_var_borrow(ctx, (void *)raw, &var));
	be_of_another_vendor();
	cr_expect_eq(vx_mlx5_var_map(var, &page), -EOPNOTSUPP);
	expect_gate();
	cr_expect_eq(page, raw);
	be_of_its_own();
}

Test(gate_by_hand, who_builds_requests_asks_whose_the_device_is)
{
	struct vx_qp *qp = qp_at_hand();
	struct vx_mlx5_wr wr = { 0 };
	size_t count = 7;

	be_of_another_vendor();
	cr_expect_eq(vx_mlx5_qp_wr(qp, &wr), -EOPNOTSUPP);
	expect_gate();
	cr_expect_null(wr.mlx5);
	cr_expect_eq(vx_mlx5_qp_cancel_posted_send_wrs(qp, 1, &count), -EOPNOTSUPP);
	expect_gate();
	cr_expect_eq(count, 7);
	be_of_its_own();
}

/* By its name, not by a context of it. */
Test(gate_by_hand, who_opens_a_device_asks_whose_it_is)
{
	struct ibv_device *device = vx_ctx_raw(ctx)->device;
	struct vx_ctx *opened = NULL;

	if (mlx5dv_is_supported(device))
		cr_skip_test("it is of mlx5: tests/unit/mlx5/open.c has it be another");
	cr_expect_eq(vx_mlx5_ctx_open_device(device, NULL, &opened), -EOPNOTSUPP);
	expect_gate();
	cr_expect_null(opened);
}
