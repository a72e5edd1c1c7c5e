/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Huge pages, of which a machine may have none: the size of a page and the support for fork(2) are made up. */

#include <errno.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <verbsx/config.h>
#include <verbsx/verbsx.h>

#include "reach/loader.h"
#include "verbs/mapping.h"
#include "reason/reason.h"

#define HUGE_PAGE ((size_t)2 << 20)

static struct ibv_context context;
static size_t page_size;
static char memory[64], text[VX_LONGEST_REASON];

size_t __wrap_vx_mapping_page_size(uintptr_t address);
size_t __wrap_vx_mapping_page_size(uintptr_t address)
{
	(void)address;
	return page_size;
}

static int no_answer(void)
{
	return ENOSYS;
}

static void replace(void)
{
	vx_loader_replace("ibv_query_device", (vx_function)no_answer);
	vx_loader_replace("ibv_query_port", (vx_function)no_answer);
}

static const char *said(int access)
{
	struct ibv_pd pd = { .context = &context };
	struct vx_failure failure = {
		.code = -EINVAL, .call = &vx_signatures[SIGNATURE_ibv_reg_mr],
		.args = VX_ARGS(VX_ARG(&pd), VX_ARG(memory + 1), 1, (uint64_t)access),
	};

	text[0] = '\0';
	vx_explain(&failure, text, sizeof(text));
	return text;
}

TestSuite(huge, .init = replace);

Test(huge, that_is_promised_of_ordinary_pages)
{
	page_size = 4096;
	cr_expect_str_eq(said(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB), "IBV_ACCESS_HUGETLB is for huge pages, and addr has pages of 4 KiB");
}

Test(huge, that_begins_within_a_page)
{
	page_size = HUGE_PAGE;
	cr_expect_str_eq(said(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB),
			 "IBV_ACCESS_HUGETLB: addr is not a multiple of the page size, 2 MiB");
}

#if VX_RDMA_CORE >= 35

static enum ibv_fork_status fork_is_supported(void)
{
	return IBV_FORK_ENABLED;
}

Test(huge, that_cannot_be_kept_from_forked_children)
{
	page_size = HUGE_PAGE;
	unsetenv("RDMAV_HUGEPAGES_SAFE");
	vx_loader_replace("ibv_is_fork_initialized", (vx_function)fork_is_supported);
	cr_expect_str_eq(said(IBV_ACCESS_LOCAL_WRITE),
			 "ibv_fork_init() was called, and addr has pages of 2 MiB: RDMAV_HUGEPAGES_SAFE must be set before");
}

Test(huge, that_can_be_kept_from_forked_children)
{
	page_size = HUGE_PAGE;
	setenv("RDMAV_HUGEPAGES_SAFE", "1", 1);
	vx_loader_replace("ibv_is_fork_initialized", (vx_function)fork_is_supported);
	cr_expect_str_eq(said(IBV_ACCESS_LOCAL_WRITE), "");
}

#endif
