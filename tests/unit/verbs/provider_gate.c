/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What every function of a vendor's own header asks first: whether the device is one of that vendor. */

#include <errno.h>

#include "reason/reason.h"
#include "unit/device.h"
#include "verbs/steps.h"

TestSuite(provider_gate, .init = open_device, .fini = close_device);

Test(provider_gate, lets_objects_of_its_own_devices_pass)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	vx_error_clear();
	cr_expect_eq(vx_needs_provider("vx_mlx5_thing_create", ctx, "libmlx5"), 0);
	cr_expect_eq(vx_needs_provider("vx_mlx5_thing_create", pd, "libmlx5"), 0);
	cr_expect_eq(vx_needs_provider("vx_mlx5_cq_thing", cq, "libmlx5"), 0);
	cr_expect_eq(vx_error()->code, 0);
}

Test(provider_gate, refuses_a_device_of_another_vendor_in_a_sentence)
{
	cr_expect_eq(vx_needs_provider("vx_efa_thing_create", ctx, "libefa"), -EOPNOTSUPP);
	cr_expect_eq(vx_error()->code, -EOPNOTSUPP);
	cr_expect_str_eq(vx_error()->call, "vx_efa_thing_create");
	cr_expect_str_eq(vx_error()->object, "mlx5_0");
	cr_expect_str_eq(vx_error()->reason, "this call is of libefa, and the device is of another vendor");
	cr_expect_eq(vx_needs_provider("vx_mlx4_qp_thing", pd, "libmlx4"), -EOPNOTSUPP);
	cr_expect_not_null(strstr(vx_error()->object, "mlx5_0 pd "), "%s", vx_error()->object);
}

static int poll_nothing(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	(void)cq;
	(void)entries;
	(void)wc;
	return 0;
}

/* A provider that no library of a vendor has, though the device is called as before. */
Test(provider_gate, goes_by_the_provider_and_not_by_the_name_of_the_device)
{
	struct ibv_context_ops *ops = &vx_ctx_raw(ctx)->ops;
	struct ibv_context_ops saved = *ops;

	ops->poll_cq = poll_nothing;
	cr_expect_eq(vx_needs_provider("vx_mlx5_thing_create", pd, "libmlx5"), -EOPNOTSUPP);
	expect_reason("Operation not supported: this call is of libmlx5, and the device is of another vendor");
	cr_expect_not(vx_is_provided_by(ctx, "libmlx5"));
	*ops = saved;
	cr_expect(vx_is_provided_by(ctx, "libmlx5"));
}

/* Nobody's device: the function itself refuses a handle that is NULL. */
Test(provider_gate, leaves_null_to_the_function)
{
	cr_expect_eq(vx_needs_provider("vx_mlx5_thing_create", NULL, "libmlx5"), 0);
	cr_expect_not(vx_is_provided_by(NULL, "libmlx5"));
}
