/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the kernel refuses. Only the emulated device fails when it is told to. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "unit/verbs/ctx_device.h"

#define THREADS 4
#define ROUNDS 50

static struct vx_ctx *ctx;
static void (*make_fail)(const char *list);

static void need_emulated_device(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "vx_emu_fail");

	if (!symbol)
		cr_skip_test("not the emulated device");
	memcpy(&make_fail, &symbol, sizeof(make_fail));
	ctx = open_first();
}

static void close_it(void)
{
	vx_close(ctx);
}

TestSuite(context_failure, .init = need_emulated_device, .fini = close_it);

Test(context_failure, of_a_query_is_the_errno_of_the_kernel)
{
	struct ibv_port_attr port;

	make_fail("query_port#1:EIO");
	cr_expect_eq(vx_ctx_query_port(ctx, 1, &port), -EIO);
	cr_expect_str_eq(vx_error()->call, "ibv_query_port");
	cr_expect_str_eq(vx_error()->reason, "the device was removed or reset: close the context and open it again");
}

/* Of a device with one port; what a kernel refuses else is for no want of room. */
Test(context_failure, of_a_table_with_room_is_not_told_to_be_for_want_of_it)
{
	struct ibv_gid_entry entries[64];
	struct ibv_port_attr port;
	size_t count;

	cr_assert_eq(vx_ctx_query_port(ctx, 1, &port), 0);
	make_fail("query_gid_table#1:EINVAL");
	cr_expect_eq(vx_ctx_query_gid_table(ctx, entries, (size_t)port.gid_tbl_len, &count), -EINVAL);
	cr_expect_null(strstr(vx_error_text(), "too small"), "%s", vx_error_text());
}

Test(context_failure, of_opening_frees_what_was_made)
{
	struct vx_ctx *other = NULL;

	/* libmlx5 tries six forms of the command. */
	make_fail("get_context#1:ENOSPC,get_context#2:ENOSPC,get_context#3:ENOSPC,get_context#4:ENOSPC,"
		  "get_context#5:ENOSPC,get_context#6:ENOSPC");
	cr_expect_eq(vx_ctx_open(vx_ctx_name(ctx), &other), -ENOSPC);
	cr_expect_str_eq(vx_error()->call, "ibv_open_device");
	cr_expect_null(other);
}

static void *query_often(void *arg)
{
	struct ibv_port_attr port;
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++)
		cr_expect_eq(vx_ctx_query_port(ctx, (uint8_t)(i % 2), &port), i % 2 ? 0 : -EINVAL);
	return NULL;
}

Test(context_failure, of_one_thread_is_not_seen_by_another)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, query_often, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_expect_eq(vx_error()->code, 0);
}
