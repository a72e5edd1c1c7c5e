/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/device.h>
#include <verbsx/objects.h>

#include "unit/verbs/ctx_device.h"

static struct vx_device_list *list_devices(void)
{
	struct vx_device_list *list = NULL;

	cr_assert_eq(vx_device_list_get(&list), 0, "%s", vx_error_text());
	return list;
}

Test(device_list, names_each_device_and_ends_in_null)
{
	struct vx_device_list *list = list_devices();
	size_t i;

	cr_assert_gt(list->count, 0u);
	for (i = 0; i < list->count; i++)
		cr_expect_gt(strlen(list->devices[i]->name), 0u);
	cr_expect_null(list->devices[list->count]);
	vx_device_list_free(list);
}

/* Whoever is cancelled in the midst of it goes through with it: others would wait for the lock of libibverbs for ever. */
struct cancelled {
	struct vx_device_list *list;
	struct vx_ctx *ctx;
	bool returned;
};

static void *get_list(void *passed)
{
	struct cancelled *of = passed;

	pthread_cancel(pthread_self());
	cr_expect_eq(vx_device_list_get(&of->list), 0);
	of->returned = true;
	pthread_testcancel();
	return NULL;
}

static void *open_device_of_index(void *passed)
{
	struct cancelled *of = passed;

	pthread_cancel(pthread_self());
	cr_expect_eq(vx_ctx_open_index(0, &of->ctx), 0);
	of->returned = true;
	pthread_testcancel();
	return NULL;
}

static void run_cancelled(void *(*work)(void *), struct cancelled *of)
{
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, work, of), 0);
	pthread_join(thread, &left);
	cr_assert(of->returned);
	cr_expect_eq(left, PTHREAD_CANCELED, "later");
}

Test(device_list, is_got_by_a_thread_that_is_cancelled)
{
	struct cancelled of = { 0 };

	run_cancelled(get_list, &of);
	vx_device_list_free(of.list);
}

Test(context_open, goes_through_in_a_thread_that_is_cancelled)
{
	struct cancelled of = { 0 };

	run_cancelled(open_device_of_index, &of);
	cr_expect_eq(vx_close(of.ctx), 0);
	vx_close(open_first());
}

Test(device_list, frees_nothing)
{
	vx_device_list_free(NULL);
}

Test(device_list, gives_the_guid_that_the_device_tells_when_open)
{
	struct vx_device_list *list = list_devices();
	struct vx_ctx *ctx = open_first();
	struct ibv_device_attr attr;
	__be64 guid;

	cr_assert_eq(vx_device_guid(list->devices[0], &guid), 0, "%s", vx_error_text());
	cr_assert_eq(vx_ctx_query_device(ctx, &attr), 0, "%s", vx_error_text());
	cr_expect_eq(guid, attr.node_guid);
	vx_close(ctx);
	vx_device_list_free(list);
}

Test(context_open, by_index_gives_a_context_of_rdma_core)
{
	struct vx_ctx *ctx = open_first();

	cr_expect_not_null(vx_ctx_raw(ctx));
	cr_expect_eq(vx_object_kind_of(ctx), VX_OBJECT_CTX);
	cr_expect_str_eq(vx_ctx_name(ctx), vx_ctx_raw(ctx)->device->name);
	cr_expect_eq(vx_close(ctx), 0);
}

Test(context_open, by_name_gives_the_device_of_that_name)
{
	struct vx_ctx *first = open_first(), *again = NULL;

	cr_assert_eq(vx_ctx_open(vx_ctx_name(first), &again), 0, "%s", vx_error_text());
	cr_expect_str_eq(vx_ctx_name(again), vx_ctx_name(first));
	cr_expect_neq(vx_ctx_raw(again), vx_ctx_raw(first));
	vx_close(first);
	vx_close(again);
}

Test(context_open, of_a_device_outlives_its_list)
{
	struct vx_device_list *list = list_devices();
	struct vx_ctx *ctx = NULL;
	struct ibv_device_attr attr;

	cr_assert_eq(vx_ctx_open_device(list->devices[0], &ctx), 0, "%s", vx_error_text());
	vx_device_list_free(list);
	cr_expect_eq(vx_ctx_query_device(ctx, &attr), 0);
	cr_expect_gt(strlen(vx_ctx_name(ctx)), 0u);
	vx_close(ctx);
}

Test(context_open, of_an_unknown_name_lists_the_devices)
{
	struct vx_ctx *first = open_first(), *ctx = first;

	cr_expect_eq(vx_ctx_open("no_device_has_this_name", &ctx), -ENODEV);
	cr_expect_eq(ctx, first, "the result is left alone");
	cr_expect_str_eq(vx_error()->object, "no_device_has_this_name");
	cr_expect_not_null(strstr(vx_error()->reason, vx_ctx_name(first)));
	vx_close(first);
}

Test(context_open, of_a_mistyped_name_suggests_the_right_one)
{
	struct vx_ctx *first = open_first(), *ctx = NULL;
	char wrong[80], suggestion[100];

	snprintf(wrong, sizeof(wrong), "%sx", vx_ctx_name(first));
	snprintf(suggestion, sizeof(suggestion), "did you mean %s?", vx_ctx_name(first));
	cr_expect_eq(vx_ctx_open(wrong, &ctx), -ENODEV);
	cr_expect_not_null(strstr(vx_error()->reason, suggestion), "%s", vx_error_text());
	vx_close(first);
}

Test(context_open, past_the_last_index_lists_the_devices)
{
	struct vx_ctx *first = open_first(), *ctx = NULL;

	cr_expect_eq(vx_ctx_open_index(1000, &ctx), -ENODEV);
	cr_expect_not_null(strstr(vx_error()->reason, "index = 1000"));
	cr_expect_not_null(strstr(vx_error()->reason, vx_ctx_name(first)));
	vx_close(first);
}

Test(context_open, without_a_name_is_invalid)
{
	struct vx_ctx *ctx = NULL;

	cr_expect_eq(vx_ctx_open(NULL, &ctx), -EINVAL);
}

Test(context_open, that_succeeds_leaves_the_last_error_alone)
{
	struct vx_ctx *ctx = NULL;

	vx_ctx_open(NULL, &ctx);
	vx_close(open_first());
	cr_expect_eq(vx_error()->code, -EINVAL);
}

Test(context_close, of_nothing_is_fine)
{
	cr_expect_eq(vx_close(NULL), 0);
}
