/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory that comes with a region. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit/device.h"
#include "verbs/mapping.h"

/* What the library asks the kernel for. With huge pages pretended, the ordinary ones that it gets are aligned alike. */
static struct {
	int flags, pages_there;
	size_t mapped, unmapped;
	void *unmapped_at;
} seen;

void *__real_mmap(void *addr, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t length, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t length);
int __wrap_munmap(void *addr, size_t length);

void *__wrap_mmap(void *addr, size_t length, int protection, int flags, int fd, off_t offset)
{
	seen.flags = flags;
	if (flags & MAP_HUGETLB && !seen.pages_there) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	seen.mapped += length;
	return __real_mmap(addr, length, protection, flags & ~MAP_HUGETLB, fd, offset);
}

int __wrap_munmap(void *addr, size_t length)
{
	seen.unmapped += length;
	seen.unmapped_at = addr;
	return __real_munmap(addr, length);
}

TestSuite(mr_memory, .init = open_device, .fini = close_device);

static struct vx_mr *make(struct vx_mr_init init)
{
	struct vx_mr *mr = NULL;

	made(vx_mr_create(pd, &init, &mr));
	return mr;
}

Test(mr_memory, is_page_aligned_zeroed_and_writable)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .length = 10000 });
	char *memory = vx_mr_addr(mr);
	int i, sum = 0;

	cr_expect_eq((uintptr_t)memory % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
	cr_expect_eq(vx_mr_length(mr), 10000);
	for (i = 0; i < 10000; i++)
		sum += memory[i];
	cr_expect_eq(sum, 0);
	memset(memory, 1, 10000);
	cr_expect_eq(seen.flags & MAP_HUGETLB, 0);
}

Test(mr_memory, is_unmapped_with_its_region)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .length = 10000 });
	void *memory = vx_mr_addr(mr);

	cr_expect_eq(vx_close(mr), 0);
	cr_expect_eq(seen.unmapped_at, memory);
	cr_expect_eq(seen.unmapped, seen.mapped);
}

Test(mr_memory, is_the_callers_once_its_region_is_given_back)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .length = 10000 });
	void *memory = vx_mr_memory(mr);
	size_t mapped = vx_mr_mapped(mr);
	struct ibv_mr *raw;

	cr_expect_eq(memory, vx_mr_addr(mr));
	cr_expect_eq(mapped, seen.mapped);
	raw = vx_give_back(mr);
	cr_assert_not_null(raw);
	cr_expect_eq(ibv_dereg_mr(raw), 0);
	cr_expect_eq(seen.unmapped, 0);
	memset(memory, 1, mapped);
	cr_expect_eq(munmap(memory, mapped), 0);
}

Test(mr_memory, of_the_caller_is_none_that_came_with_the_region)
{
	char memory[64];
	struct vx_mr *mr = make((struct vx_mr_init){ .addr = memory, .length = sizeof(memory) });

	cr_expect_null(vx_mr_memory(mr));
	cr_expect_eq(vx_mr_mapped(mr), 0);
}

Test(mr_memory, is_unmapped_where_the_region_fails)
{
	struct vx_mr *mr;

	cr_expect_lt(vx_mr_create(pd, &(struct vx_mr_init){ .length = 10, .access = IBV_ACCESS_REMOTE_WRITE }, &mr), 0);
	expect_reason("ibv_reg_mr_iova2 on mlx5_0");
	cr_expect_gt(seen.mapped, 0);
	cr_expect_eq(seen.unmapped, seen.mapped);
}

Test(mr_memory, can_have_an_iova)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .length = 4096, .iova = 0x10000 });

	cr_expect_neq((uintptr_t)vx_mr_addr(mr), 0x10000);
}

Test(mr_memory, is_the_callers_after_a_release)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .length = 4096 });
	void *raw, *memory = vx_mr_addr(mr);

	raw = vx_give_back(mr);
	cr_expect_eq(seen.unmapped, 0);
	cr_expect_eq(ibv_dereg_mr(raw), 0);
	cr_expect_eq(munmap(memory, 4096), 0);
}

Test(mr_memory, that_is_too_much_is_refused)
{
	struct vx_mr *mr;

	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = SIZE_MAX }, &mr), -ENOMEM);
	expect_reason("mmap: Cannot allocate memory: length = 18446744073709551615; ");
	expect_reason(" bytes are available");
	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = SIZE_MAX / 4 }, &mr), -ENOMEM);
}

Test(mr_memory, that_is_more_than_a_process_may_have_is_refused_with_the_limit)
{
	const uint64_t length = UINT64_C(1) << 50;
	struct rlimit limit, low;
	struct vx_mr *mr;

	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	low = (struct rlimit){ .rlim_cur = length, .rlim_max = limit.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_AS, &low), 0);
	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = length }, &mr), -ENOMEM);
	expect_reason("; RLIMIT_AS is 1125899906842624 (ulimit -v)");
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

Test(mr_memory, in_huge_pages_is_in_whole_ones)
{
	size_t huge = VX_HUGE_PAGE_SIZE;
	struct vx_mr *mr;

	if (!huge)
		return;
	seen.pages_there = 1;
	mr = make((struct vx_mr_init){ .length = huge + 1, .flags = VX_MR_HUGE });
	cr_expect_eq(seen.flags & MAP_HUGETLB, MAP_HUGETLB);
	cr_expect_eq(seen.mapped, 2 * huge);
	cr_expect_eq(vx_mr_length(mr), huge + 1);
	cr_expect_eq(vx_close(mr), 0);
	cr_expect_eq(seen.unmapped, 2 * huge);
}

Test(mr_memory, in_huge_pages_that_are_not_there_is_refused)
{
	struct vx_mr *mr;

	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = 10, .flags = VX_MR_HUGE }, &mr), -ENOMEM);
	expect_reason("vm.nr_hugepages");
	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = 10, .access = IBV_ACCESS_HUGETLB }, &mr), -ENOMEM);
	cr_expect_eq(seen.mapped, 0);
}

Test(mr_memory, in_huge_pages_only_if_there_falls_back)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .length = 10, .flags = VX_MR_HUGE_IF_THERE });

	cr_expect_eq(seen.flags & MAP_HUGETLB, 0);
	cr_expect_eq(seen.mapped, (size_t)sysconf(_SC_PAGESIZE));
	cr_expect_eq(vx_mr_length(mr), 10);
}
