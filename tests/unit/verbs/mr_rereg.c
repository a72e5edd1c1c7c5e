/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Changing a region in place. */

#include <errno.h>

#include "unit/device.h"
#include "reach/loader.h"

static char memory[2][4096] __attribute__((aligned(4096)));
static struct vx_mr *mr;

#define NOWHERE ((void *)0x200000000000) /* nothing is mapped there */

static void open_with_region(void)
{
	open_device();
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory[0], .length = 4096 }, &mr));
}

TestSuite(mr_rereg, .init = open_with_region, .fini = close_device);

Test(mr_rereg, changes_the_memory)
{
	enum vx_mr_state state = VX_MR_BROKEN;

	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = memory[1], .length = 100 }, &state));
	cr_expect_eq(state, VX_MR_CHANGED);
	cr_expect_eq(vx_mr_addr(mr), memory[1]);
	cr_expect_eq(vx_mr_length(mr), 100);
}

Test(mr_rereg, changes_the_access)
{
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ }, NULL));
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .flags = VX_MR_READ_ONLY }, NULL));
	cr_expect_eq(vx_mr_addr(mr), memory[0]);
}

Test(mr_rereg, changes_the_pd_and_what_closes_it)
{
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .pd = other }, NULL));
	cr_expect_eq(vx_mr_raw(mr)->pd, vx_pd_raw(other));
	cr_expect_eq(vx_close(pd), 0, "%s", vx_error_text());
	cr_expect_eq(live("mr"), 1);
	cr_expect_eq(vx_close(other), 0, "%s", vx_error_text());
	cr_expect_eq(live("mr"), 0);
}

Test(mr_rereg, keeps_the_memory_that_came_with_the_region)
{
	struct vx_mr *own;
	char *first;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &own));
	first = vx_mr_addr(own);
	made(vx_mr_rereg(own, &(struct vx_mr_change){ .addr = memory[1], .length = 4096 }, NULL));
	first[0] = 1;
	cr_expect_eq(vx_close(own), 0);
	memory[1][0] = 1;
}

static void refuse(struct vx_mr_change change, const char *words)
{
	enum vx_mr_state state = VX_MR_BROKEN;

	cr_expect_eq(vx_mr_rereg(mr, &change, &state), -EINVAL, "%s", words);
	cr_expect_eq(state, VX_MR_AS_BEFORE);
	expect_reason(words);
}

Test(mr_rereg, of_what_makes_no_sense_is_refused)
{
	struct vx_ctx *other;
	struct vx_pd *far;

	cr_expect_eq(vx_mr_rereg(mr, NULL, NULL), -EINVAL);
	expect_reason("nothing is to change");
	refuse((struct vx_mr_change){ 0 }, "nothing is to change");
	refuse((struct vx_mr_change){ .comp_mask = 4, .access = 1 }, "comp_mask has 0x4, which has no meaning there");
	refuse((struct vx_mr_change){ .addr = memory }, "length is 0");
	refuse((struct vx_mr_change){ .length = 1 }, "addr is NULL");
	refuse((struct vx_mr_change){ .flags = VX_MR_HUGE }, "flags may only be VX_MR_READ_ONLY");
	refuse((struct vx_mr_change){ .flags = VX_MR_READ_ONLY, .access = 1 }, "access and VX_MR_READ_ONLY");
	made(vx_ctx_open_index(0, &other));
	made(vx_pd_create(other, NULL, &far));
	refuse((struct vx_mr_change){ .pd = far }, "another context");
	cr_expect_eq(vx_close(other), 0);
}

Test(mr_rereg, that_the_kernel_refuses_leaves_a_region_to_close)
{
	enum vx_mr_state state = VX_MR_AS_BEFORE;

	cr_expect_eq(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = NOWHERE, .length = 4096 }, &state), -EFAULT);
	cr_expect_eq(state, VX_MR_BROKEN);
	expect_reason("good for nothing but vx_close()");
	state = VX_MR_AS_BEFORE;
	cr_expect_eq(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = memory }, &state), -EINVAL);
	cr_expect_eq(state, VX_MR_BROKEN, "for good");
	cr_expect_eq(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_LOCAL_WRITE }, &state), -EINVAL);
	cr_expect_eq(state, VX_MR_BROKEN);
	expect_reason("good for nothing but vx_close()");
	cr_expect_eq(vx_close(mr), 0);
}

Test(mr_rereg, that_is_refused_is_explained_as_a_new_region_is)
{
	cr_expect_eq(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = NOWHERE, .length = 4096 }, NULL), -EFAULT);
	expect_reason("is not mapped");
}

/* As rdma-core tells it, the region would be lost. */
Test(mr_rereg, to_rights_that_no_region_has_is_not_even_asked_for)
{
	refuse((struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_WRITE }, "IBV_ACCESS_REMOTE_WRITE needs IBV_ACCESS_LOCAL_WRITE");
	expect_reason("the region is as before");
	refuse((struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC },
	       "IBV_ACCESS_REMOTE_ATOMIC needs IBV_ACCESS_LOCAL_WRITE");
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, NULL));
}

#if VERBSX_LOADER

static int answer;
static int code_left = EAGAIN;
static int flags_seen, access_seen;
static struct ibv_pd *pd_seen;

static int rereg(struct ibv_mr *raw, int flags, struct ibv_pd *raw_pd, void *addr, size_t length, int access)
{
	(void)raw, (void)addr, (void)length;
	flags_seen = flags;
	pd_seen = raw_pd;
	access_seen = access;
	errno = code_left;
	return answer;
}

static void replace_region(void)
{
	cr_expect_eq(vx_close(mr), 0);
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory[0], .length = 4096 }, &mr));
}

static void expect_outcome(int code, int expected, enum vx_mr_state expected_state, const char *words)
{
	enum vx_mr_state state;

	answer = code;
	cr_expect_eq(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_READ }, &state), expected);
	cr_expect_eq(state, expected_state, "%d", code);
	if (expected)
		expect_reason(words);
	if (state == VX_MR_BROKEN)
		replace_region();
}

Test(mr_rereg, of_a_provider_without_the_call_leaves_the_region_as_it_was)
{
	vx_loader_replace("ibv_rereg_mr", (vx_function)rereg);
	code_left = EOPNOTSUPP;
	expect_outcome(IBV_REREG_MR_ERR_CMD, -EOPNOTSUPP, VX_MR_AS_BEFORE, "as before");
}

Test(mr_rereg, has_five_outcomes_and_success)
{
	vx_loader_replace("ibv_rereg_mr", (vx_function)rereg);
	expect_outcome(0, 0, VX_MR_CHANGED, "");
	expect_outcome(IBV_REREG_MR_ERR_INPUT, -EAGAIN, VX_MR_AS_BEFORE, "as before");
	expect_outcome(IBV_REREG_MR_ERR_DONT_FORK_NEW, -EAGAIN, VX_MR_AS_BEFORE, "the new memory could not be kept");
	expect_outcome(IBV_REREG_MR_ERR_DO_FORK_OLD, -EAGAIN, VX_MR_CHANGED, "the region has changed");
	expect_outcome(IBV_REREG_MR_ERR_CMD, -EAGAIN, VX_MR_BROKEN, "good for nothing");
	expect_outcome(IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW, -EAGAIN, VX_MR_BROKEN, "stays kept from forked");
	expect_outcome(-17, -EAGAIN, VX_MR_BROKEN, "good for nothing");
	expect_outcome(EINVAL, -EAGAIN, VX_MR_BROKEN, "good for nothing");
}

Test(mr_rereg, moves_to_the_new_pd_where_only_the_fork_of_the_old_memory_failed)
{
	struct vx_pd *other;

	vx_loader_replace("ibv_rereg_mr", (vx_function)rereg);
	made(vx_pd_create(ctx, NULL, &other));
	answer = IBV_REREG_MR_ERR_DO_FORK_OLD;
	cr_expect_eq(vx_mr_rereg(mr, &(struct vx_mr_change){ .pd = other, .flags = VX_MR_READ_ONLY }, NULL), -EAGAIN);
	cr_expect_eq(flags_seen, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS);
	cr_expect_eq(pd_seen, vx_pd_raw(other));
	cr_expect_eq(access_seen, 0);
	cr_expect_eq(vx_close(other), 0);
	cr_expect_eq(live("mr"), 0, "it was under the new one");
}

#endif
