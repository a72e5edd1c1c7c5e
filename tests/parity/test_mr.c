/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "pair.h"

#define LENGTH 4096
#define LOCAL IBV_ACCESS_LOCAL_WRITE
#define REMOTE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

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

/* Have the client of a pair write to the region, where that is or was. */
static enum ibv_wc_status write_into(const struct pair *p, struct vx_mr *mr, void *to)
{
	return write_to(p, to, vx_mr_rkey(mr));
}

Twin(test_mr, MRTest, test_mr_rereg_access)
{
	struct vx_mr *mr = registered(LOCAL);
	struct pair p = connected();

	change(mr, &(struct vx_mr_change){ .access = REMOTE });
	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_SUCCESS);
}

Twin(test_mr, MRTest, test_mr_rereg_access_bad_flow)
{
	struct vx_mr *mr = registered(REMOTE);
	struct pair p = connected();

	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_SUCCESS);
	change(mr, &(struct vx_mr_change){ .access = LOCAL });
	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_REM_ACCESS_ERR);
}

Twin(test_mr, MRTest, test_mr_rereg_addr)
{
	struct vx_mr *mr = registered(REMOTE);
	struct pair p = connected();

	change(mr, &(struct vx_mr_change){ .addr = memory + LENGTH, .length = LENGTH });
	cr_expect_eq(vx_mr_addr(mr), memory + LENGTH);
	cr_expect_eq(vx_mr_length(mr), LENGTH);
	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_REM_ACCESS_ERR);
	connect_again(&p);
	cr_expect_eq(write_into(&p, mr, memory + LENGTH), IBV_WC_SUCCESS);
}

/* The region keeps its new PD from being closed before it, and no longer the old one. */
Twin(test_mr, MRTest, test_mr_rereg_pd)
{
	struct vx_mr *mr = registered(REMOTE);
	struct pair p = connected();
	struct vx_pd *other;

	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_SUCCESS);
	made(vx_pd_create(ctx, NULL, &other));
	change(mr, &(struct vx_mr_change){ .pd = other });
	cr_expect_eq(vx_mr_raw(mr)->pd, vx_pd_raw(other));
	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_REM_ACCESS_ERR);
	connect_again(&p);
	change(mr, &(struct vx_mr_change){ .pd = pd });
	cr_expect_eq(write_into(&p, mr, memory), IBV_WC_SUCCESS);
	change(mr, &(struct vx_mr_change){ .pd = other });
	closed(pd);
	change(mr, &(struct vx_mr_change){ .access = LOCAL });
	closed(other);
}
