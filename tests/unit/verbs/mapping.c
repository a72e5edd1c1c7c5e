/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What this process has mapped. */

#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "verbs/mapping.h"

#define PAGE 4096

static uintptr_t start, from, to;
static unsigned int walked; /* how often smaps was read, for which kernels look at each page of each mapping */

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
	walked += !strcmp(path, "/proc/self/smaps");
	return __real_fopen(path, mode);
}

static void map_four_pages(void)
{
	start = (uintptr_t)mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void protect(unsigned int page, int right)
{
	cr_assert_eq(mprotect((char *)start + page * PAGE, PAGE, right), 0);
}

static enum vx_mapping_flaw flaw(bool write)
{
	return vx_mapping_check(start, 4 * PAGE, write, &from, &to);
}

static void expect_page(unsigned int page)
{
	cr_expect_eq(from, start + page * PAGE);
	cr_expect_eq(to, start + (page + 1) * PAGE);
}

TestSuite(mapping, .init = map_four_pages);

Test(mapping, that_is_whole_is_fine)
{
	cr_expect_eq(flaw(true), VX_MAPPING_FINE);
}

Test(mapping, of_several_parts_is_fine)
{
	protect(1, PROT_READ);
	cr_expect_eq(flaw(false), VX_MAPPING_FINE);
}

Test(mapping, that_is_read_only_is_so_only_for_who_writes)
{
	protect(2, PROT_READ);
	cr_expect_eq(flaw(false), VX_MAPPING_FINE);
	cr_expect_eq(flaw(true), VX_MAPPING_READ_ONLY);
	expect_page(2);
}

Test(mapping, without_any_right_is_closed)
{
	protect(1, PROT_NONE);
	cr_expect_eq(flaw(false), VX_MAPPING_CLOSED);
	expect_page(1);
}

Test(mapping, with_a_hole_names_the_hole)
{
	munmap((char *)start + PAGE, PAGE);
	cr_expect_eq(flaw(false), VX_MAPPING_NONE);
	expect_page(1);
}

Test(mapping, that_begins_or_ends_in_a_hole_names_it)
{
	munmap((char *)start, PAGE);
	cr_expect_eq(flaw(false), VX_MAPPING_NONE);
	expect_page(0);
	start += PAGE;
	munmap((char *)start + 2 * PAGE, PAGE);
	cr_expect_eq(vx_mapping_check(start, 3 * PAGE, false, &from, &to), VX_MAPPING_NONE);
	expect_page(2);
}

Test(mapping, has_pages_of_a_size)
{
	cr_expect_eq(vx_mapping_page_size(start), (size_t)PAGE);
	munmap((void *)start, PAGE);
	cr_expect_eq(vx_mapping_page_size(start), 0u);
}

Test(mapping, that_is_locked_counts)
{
	uint64_t before = vx_mapping_locked();

	if (mlock((void *)start, 4 * PAGE))
		cr_skip("this process may lock nothing");
	cr_expect_eq(vx_mapping_locked(), before + 4 * PAGE);
}

Test(mapping, of_no_file_has_usual_pages_and_no_page_is_looked_at)
{
	cr_expect_eq(vx_mapping_page_size(start), (size_t)sysconf(_SC_PAGESIZE));
	cr_expect_eq(walked, 0u);
}

Test(mapping, of_a_file_is_looked_up)
{
	cr_expect_eq(vx_mapping_page_size((uintptr_t)map_four_pages), (size_t)sysconf(_SC_PAGESIZE));
	cr_expect_eq(walked, 1u);
}
