/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What becomes of a question: on the emulated device, whose MADs get lost when they are to. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "resolve_bed.h"

#include "reach/umad.h"

#define THREADS 4

TestSuite(resolve, .init = open_port, .fini = close_port, .timeout = 60);

/* ---- arguments ---- */

Test(resolve, needs_a_path_with_a_context_and_a_peer)
{
	struct vx_path path = { .ctx = NULL };

	cr_expect_eq(vx_path_resolve(NULL, -1), -EINVAL);
	path.ctx = ctx;
	cr_expect_eq(vx_path_resolve(&path, -1), -EINVAL);
	expect_reason("where to? dgid");
	path = to_myself;
	path.port_num = 9;
	cr_expect_lt(vx_path_resolve(&path, -1), 0);
}

Test(resolve, is_answered_from_the_address_on_ethernet)
{
	struct vx_path path = to_myself;

	if (!ethernet())
		cr_skip_test("InfiniBand has an administrator");
	vx_umad_replace(&(struct vx_umad){ NULL });
	made(vx_path_resolve(&path, 0));
	cr_expect(path.is_global && path.hop_limit == 64 && path.path_mtu == port.active_mtu && path.packet_life_time == 16);
	cr_expect_eq(memcmp(&path.sgid, &to_myself.dgid, sizeof(path.sgid)), 0);
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V2);
	path = (struct vx_path){ .ctx = ctx, .dlid = 7 };
	cr_expect_eq(vx_path_resolve(&path, -1), -EINVAL);
}

Test(resolve, groups_are_not_joined_on_ethernet)
{
	struct vx_sa_group *group;

	if (!ethernet())
		cr_skip_test("InfiniBand has an administrator");
	cr_expect_eq(vx_sa_group_create(ctx, NULL, &group), -EOPNOTSUPP);
	expect_reason("vx_mcast_create() alone joins there");
}

/* ---- on the emulated device ---- */

Test(resolve, what_is_set_bounds_what_is_told)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	path.path_mtu = IBV_MTU_1024;
	path.static_rate = IBV_RATE_25_GBPS;
	path.qkey = 5;
	made(vx_path_resolve(&path, -1));
	cr_expect(path.path_mtu == IBV_MTU_1024 && path.static_rate == IBV_RATE_25_GBPS && path.qkey == 5);
	path = to_myself;
	path.static_rate = IBV_RATE_1200_GBPS;
	made(vx_path_resolve(&path, -1));
	cr_expect_eq(path.static_rate, IBV_RATE_100_GBPS);
}

Test(resolve, what_is_set_is_asked_for)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	path.sl = 3;
	path.traffic_class = 0x20;
	path.flow_label = 0x12345;
	made(vx_path_resolve(&path, -1));
	cr_expect(path.sl == 3 && path.traffic_class == 0x20 && path.flow_label == 0x12345);
	fail_calls("mad_drop#1-:PathRecord");
	path.sl = 4;
	cr_expect_eq(vx_path_resolve(&path, SHORT), -ETIMEDOUT);
	expect_reason("FlowLabel = 0x12345, TClass = 32, Reversible = 1, NumbPath = 1, P_Key = 0xffff, SL = 4");
}

Test(resolve, nobody_is_asked_without_time)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	cr_expect_eq(vx_path_resolve(&path, 0), -EAGAIN);
	expect_reason("the subnet administrator would have to be asked, and timeout_ms is 0");
	made(vx_path_resolve(&path, -1));
	made(resolve(&path, 0));
}

Test(resolve, a_lost_question_is_asked_again)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	fail_calls("mad_drop#1-2:PathRecord");
	path.packet_life_time = 14; /* 67 ms, each of two ways */
	path.retry_cnt = 7;
	made(vx_path_resolve(&path, -1));
	cr_expect_eq(path.dlid, port.lid);
}

Test(resolve, as_often_as_the_path_says_and_no_more)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	fail_calls("mad_drop#1:PathRecord");
	path.packet_life_time = 10;
	path.mask = VX_PATH_RETRY_CNT;
	cr_expect_eq(vx_path_resolve(&path, -1), -ETIMEDOUT);
	expect_reason("did not answer 1 question in");
	expect_reason("is the subnet manager still there?");
	made(resolve(&path, -1));
}

Test(resolve, the_time_is_as_the_path_and_the_administrator_say)
{
	struct vx_path path = to_myself;
	struct timespec before, after;

	ONLY_INFINIBAND();
	fail_calls("mad_drop#1-:PathRecord");
	path.packet_life_time = 10; /* 4.2 ms; the emulated administrator needs RespTimeValue beside two of them */
	path.retry_cnt = 1;
	clock_gettime(CLOCK_MONOTONIC, &before);
	cr_expect_eq(vx_path_resolve(&path, -1), -ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &after);
	expect_reason("did not answer 2 questions in");
	cr_expect_lt(after.tv_sec - before.tv_sec, 20);
}

Test(resolve, what_was_told_is_kept_until_it_is_dropped)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	made(resolve(&path, -1));
	fail_calls("mad_drop#1-:PathRecord");
	made(resolve(&path, SHORT));
	cr_expect_eq(path.dlid, port.lid);
	path = to_myself;
	path.sl = 1;
	cr_expect_eq(vx_path_resolve(&path, SHORT), -ETIMEDOUT, "another question");
	made(vx_ctx_drop_paths(ctx));
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT);
}

Test(resolve, what_was_told_gets_old)
{
	struct timespec pause = { .tv_nsec = 30 * 1000000 };
	struct vx_path path;

	ONLY_INFINIBAND();
	made(vx_ctx_keep_paths(ctx, 20));
	made(resolve(&path, -1));
	nanosleep(&pause, NULL);
	fail_calls("mad_drop#1-:PathRecord");
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT);
	fail_calls(NULL);
	made(vx_ctx_keep_paths(ctx, 0));
	made(resolve(&path, -1));
	fail_calls("mad_drop#1-:PathRecord");
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT, "nothing is kept");
}

Test(resolve, an_event_of_the_port_ends_what_was_told)
{
	struct vx_async_event event;
	struct vx_path path;

	ONLY_INFINIBAND();
	made(resolve(&path, -1));
	send_event("SM_CHANGE", 1);
	made(vx_ctx_get_async_event(ctx, SOON, &event));
	cr_expect_eq(event.type, IBV_EVENT_SM_CHANGE);
	vx_async_event_ack(&event);
	fail_calls("mad_drop#1-:PathRecord");
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT);
}

static void *resolve_often(void *failed)
{
	struct vx_path path;
	int i;

	for (i = 0; i < 20; i++) {
		path = to_myself;
		path.sl = (uint8_t)(i % 4);
		if (vx_path_resolve(&path, -1) < 0 || path.dlid != port.lid)
			atomic_fetch_add((_Atomic int *)failed, 1);
		if (i % 7 == 6)
			vx_ctx_drop_paths(ctx);
	}
	return NULL;
}

Test(resolve, threads_ask_at_the_same_time)
{
	pthread_t threads[THREADS];
	_Atomic int failed = 0;
	int i;

	ONLY_INFINIBAND();
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, resolve_often, &failed), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_expect_eq(failed, 0);
}

Test(resolve, groups_need_what_makes_sense)
{
	static const struct {
		struct vx_sa_group_init init;
		const char *words;
	} wrong[] = {
		{ { .comp_mask = 1 }, "comp_mask" },
		{ { .mgid.raw = { 0xfe } }, "mgid does not begin with 0xff" },
		{ { .only_join = true }, "only_join of which group?" },
		{ { .join_state = 16 }, "join_state" },
		{ { .sl = 16 }, "sl = 16, but the most is 15" },
		{ { .flow_label = 1 << 20 }, "flow_label = 0x100000" },
		{ { .port_num = 300 }, "port_num = 300" },
	};
	struct vx_sa_group *group;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_expect_eq(vx_sa_group_create(ctx, &wrong[i].init, &group), -EINVAL, "%s", wrong[i].words);
		expect_reason(wrong[i].words);
	}
	cr_expect_eq(vx_sa_group_path(NULL, &to_myself), -EINVAL);
	cr_expect_eq(vx_ctx_keep_paths(NULL, 0), -EINVAL);
	cr_expect_eq(vx_ctx_drop_paths(NULL), -EINVAL);
}
