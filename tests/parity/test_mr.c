/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "device.h"

#define LENGTH 4096

static char memory[2 * LENGTH];

static struct vx_mr *registered(int access)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = LENGTH, .access = access }, &mr));
	return mr;
}

/* Changed, or the test is skipped: an old provider or kernel cannot. */
static void change(struct vx_mr *mr, const struct vx_mr_change *to)
{
	enum vx_mr_state state;

	made(vx_mr_rereg(mr, to, &state));
	cr_expect_eq(state, VX_MR_CHANGED);
}

Twin(test_mr, MRTest, test_reg_mr_bad_flags)
{
	static const int bad[] = { IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_ATOMIC,
				   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };
	struct vx_mr_init init = { .addr = memory, .length = LENGTH };
	struct vx_mr *mr;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		init.access = bad[i];
		cr_expect_eq(vx_mr_create(pd, &init, &mr), -EINVAL);
		cr_expect_not_null(strstr(vx_error_text(), "IBV_ACCESS_LOCAL_WRITE"), "%s", vx_error_text());
	}
}

Twin(test_mr, MRTest, test_mr_rereg_access)
{
	struct vx_mr *mr = registered(IBV_ACCESS_LOCAL_WRITE);

	change(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE });
	closed(mr);
}

Twin(test_mr, MRTest, test_mr_rereg_access_bad_flow)
{
	struct vx_mr *mr = registered(IBV_ACCESS_LOCAL_WRITE);

	cr_expect_lt(unless_lacking(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_WRITE }, NULL)), 0);
	closed(mr);
}

Twin(test_mr, MRTest, test_mr_rereg_addr)
{
	struct vx_mr *mr = registered(IBV_ACCESS_LOCAL_WRITE);

	change(mr, &(struct vx_mr_change){ .addr = memory + LENGTH, .length = LENGTH / 2 });
	cr_expect_eq(vx_mr_addr(mr), memory + LENGTH);
	cr_expect_eq(vx_mr_length(mr), LENGTH / 2);
	closed(mr);
}

/* The region keeps its new PD from being closed before it, and no longer the old one. */
Twin(test_mr, MRTest, test_mr_rereg_pd)
{
	struct vx_mr *mr = registered(IBV_ACCESS_LOCAL_WRITE);
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	change(mr, &(struct vx_mr_change){ .pd = other });
	cr_expect_eq(vx_mr_raw(mr)->pd, vx_pd_raw(other));
	closed(pd);
	change(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ });
	closed(other);
}
