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

/* A function of the emulated device; a real one can be told nothing of the kind. */
static void *of_emulated(const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	if (!function)
		cr_skip_test("only the emulated device does so");
	return function;
}

int live(const char *kind)
{
	return ((int (*)(const char *))of_emulated("vx_emu_live"))(kind);
}

void fail_calls(const char *list)
{
	((void (*)(const char *))of_emulated("vx_emu_fail"))(list);
}

void send_event(const char *name, unsigned int number)
{
	int (*fault)(const char *, char *, size_t) = (int (*)(const char *, char *, size_t))of_emulated("vx_emu_fault");
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
	if (dlsym(RTLD_DEFAULT, "vx_emu_live"))
		cr_expect_eq(live(NULL), 0, "leaked %d objects", live(NULL));
}
