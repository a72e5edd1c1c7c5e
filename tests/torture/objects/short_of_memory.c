/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Preloaded into a program, fails the allocation of libverbsx.so that TORTURE_ALLOCATION names: "3", or "3-" for that
 * and all after it. Says at the end how many there were.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

static unsigned long number;
static bool on;
static atomic_ulong asked;

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("TORTURE_ALLOCATION");
	char *end;

	if (!text)
		return;
	number = strtoul(text, &end, 10);
	on = *end == '-';
}

__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "allocations: %lu\n", atomic_load(&asked));
}

static bool fails(const void *caller)
{
	unsigned long now;
	Dl_info info;

	if (!dladdr(caller, &info) || !strstr(info.dli_fname, "/libverbsx.so"))
		return false;
	now = atomic_fetch_add(&asked, 1) + 1;
	if (now != number && !(on && now > number))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
