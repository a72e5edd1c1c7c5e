/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <stdio.h>

#include "unit/device.h"

struct vx_ctx *ctx;
struct vx_pd *pd;
size_t last_handle;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	__atomic_store_n(&last_handle, size, __ATOMIC_RELAXED);
	return __real_malloc(size);
}

int live(const char *kind)
{
	int (*count)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_live");

	cr_assert(count != NULL, "the emulated device is not there");
	return count(kind);
}

void fail_calls(const char *list)
{
	void (*fail)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_fail");

	cr_assert(fail != NULL, "the emulated device is not there");
	fail(list);
}

void send_event(const char *name, unsigned int number)
{
	int (*fault)(const char *, char *, size_t) = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	char list[64], why[128] = "";

	snprintf(list, sizeof(list), "%s:%u", name, number);
	cr_assert_eq(fault(list, why, sizeof(why)), 0, "%s", why);
}

void open_device(void)
{
	made(vx_ctx_open_index(0, &ctx));
	made(vx_pd_create(ctx, NULL, &pd));
}

void close_device(void)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
	cr_expect_eq(live(NULL), 0, "leaked %d objects", live(NULL));
}
