/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pollers: what they give, when they sleep, how they end, and that no event of another CQ is taken away. */

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "poller_bed.h"

TestSuite(poller, .init = open_loop, .fini = close_device, .timeout = 30);

/* ---- what it gives ---- */

Test(poller, refuses_what_it_cannot_be)
{
	struct vx_poller *poller = NULL;
	struct ibv_wc wc;

	cr_expect_eq(vx_poller_create(cq, &(struct vx_poller_init){ .comp_mask = 1 }, &poller), -EINVAL);
	cr_expect_eq(vx_poller_create(cq, &(struct vx_poller_init){ .mode = (enum vx_poller_mode)3 }, &poller), -EINVAL);
	expect_reason("mode is 3, which is none of enum vx_poller_mode");
	cr_expect_eq(vx_poller_create(cq, NULL, NULL), -EINVAL);
	cr_expect_null(poller);
	made(vx_poller_create(cq, NULL, &poller));
	cr_expect_eq(vx_poller_poll(poller, 0, &wc, 0), -EINVAL);
	expect_reason("num_entries = 0, and must be 1 at least");
	cr_expect_eq(vx_poller_poll(poller, 1, NULL, 0), -EINVAL);
}

Test(poller, that_finds_nothing_is_no_error)
{
	struct vx_poller *poller = new_poller(VX_POLLER_BOTH);

	cr_expect_eq(vx_poller_poll(poller, 1, NULL, 0), -EINVAL);
	cr_expect_eq(poll_none(poller, 0), -EAGAIN);
	cr_expect_eq(poll_none(poller, 5), -EAGAIN);
	cr_expect_eq(vx_error()->code, -EINVAL);
}

/* Whatever part of a millisecond has gone by when it begins. */
static void waits_whole_time_in(enum vx_poller_mode mode)
{
	struct vx_poller *poller = new_poller(mode);
	struct timespec before, after;
	int64_t took;
	int i;

	for (i = 0; i < 30; i++) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		cr_expect_eq(poll_none(poller, 1), -EAGAIN);
		clock_gettime(CLOCK_MONOTONIC, &after);
		took = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
		cr_expect_geq(took, 1000000, "%lld ns", (long long)took);
		usleep(100);
	}
}

Test(poller, that_finds_nothing_has_waited_for_all_of_the_time)
{
	waits_whole_time_in(VX_POLLER_SLEEP);
	waits_whole_time_in(VX_POLLER_SPIN);
	waits_whole_time_in(VX_POLLER_BOTH);
}

Test(poller, with_no_time_takes_what_is_there)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	complete_on(qp);
	while (poll_none(poller, 0) == -EAGAIN)
		;
	cr_expect_eq(poll_none(poller, 0), -EAGAIN);
}

static void waits_in(enum vx_poller_mode mode)
{
	struct vx_poller *poller = new_poller(mode);
	int i;

	for (i = 0; i < 3; i++) {
		complete_later();
		cr_expect_eq(expect_one(poller, i == 1 ? -1 : LONG).status, IBV_WC_SUCCESS);
	}
}

Test(poller, waits_and_sleeps)
{
	waits_in(VX_POLLER_SLEEP);
}

Test(poller, waits_and_spins)
{
	waits_in(VX_POLLER_SPIN);
}

Test(poller, waits_and_does_both)
{
	waits_in(VX_POLLER_BOTH);
}

Test(poller, of_a_cq_without_a_channel_spins)
{
	struct vx_cq *plain;
	struct vx_poller *poller;

	made(vx_cq_create(ctx, NULL, &plain));
	poller = new_poller_of(plain, (struct vx_poller_init){ .mode = VX_POLLER_BOTH });
	cr_expect_eq(poll_none(poller, 5), -EAGAIN);
	cr_expect_eq(vx_poller_arm(poller), -EINVAL);
	expect_reason("its CQ has no channel");
	cr_expect_eq(vx_poller_fd(poller), -EINVAL);
	vx_poller_wake(poller);
	cr_expect_eq(poll_none(poller, -1), -ECANCELED);
}

/* It would take a processor for itself, which is what it was told not to do. */
Test(poller, of_a_cq_without_a_channel_does_not_sleep)
{
	struct vx_poller_init init = { .mode = VX_POLLER_SLEEP };
	struct vx_poller *poller;
	struct vx_cq *plain;

	made(vx_cq_create(ctx, NULL, &plain));
	cr_expect_eq(vx_poller_create(plain, &init, &poller), -EINVAL);
	expect_reason("mode is VX_POLLER_SLEEP, and the CQ was made without .channel");
}

Test(poller, of_a_channel_without_a_handle_says_so)
{
	struct ibv_comp_channel *raw = ibv_create_comp_channel(vx_ctx_raw(ctx));
	struct ibv_cq *raw_cq = ibv_create_cq(vx_ctx_raw(ctx), 10, NULL, raw, 0);
	struct vx_poller *poller;
	struct vx_cq *adopted;

	made(vx_cq_adopt(ctx, raw_cq, &adopted));
	cr_expect_eq(vx_poller_create(adopted, NULL, &poller), -EINVAL);
	expect_reason("its channel has no handle");
	made(vx_close(adopted));
	cr_expect_eq(ibv_destroy_comp_channel(raw), 0);
}

Test(poller, gives_requests_that_failed_like_others)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	fail_calls("RNR_RETRY_EXC_ERR");
	complete_on(qp);
	cr_expect_eq(expect_one(poller, LONG).status, IBV_WC_RNR_RETRY_EXC_ERR);
	cr_expect_eq(poll_none(poller, 0), -EAGAIN);
}

Test(poller, gives_messages_that_failed_like_others)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);
	struct ibv_recv_wr recv = { .wr_id = 7 }, *bad_recv;
	struct ibv_send_wr send = { .wr_id = 8, .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;

	fail_calls("recv_LOC_PROT_ERR");
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &recv, &bad_recv), 0);
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &send, &bad), 0);
	cr_expect_eq(vx_poller_poll(poller, 1, &wc, LONG), 1);
	cr_expect_eq(wc.status, IBV_WC_LOC_PROT_ERR);
	cr_expect_eq(vx_poller_poll(poller, 1, &wc, LONG), 1);
	cr_expect_eq(wc.status, IBV_WC_REM_OP_ERR);
}

Test(poller, waits_for_what_was_lost_once)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	fail_calls("drop");
	complete_on(qp);
	cr_expect_eq(expect_one(poller, LONG).status, IBV_WC_SUCCESS);
}

/* ---- the order: poll, arm, poll again, sleep ---- */

static int polls;

/* A completion that raises no event, as it came before the CQ was armed. */
static int poll_in_between(struct ibv_cq *raw, int num_entries, struct ibv_wc *wc)
{
	(void)raw, (void)num_entries;
	if (++polls != 2)
		return 0;
	*wc = (struct ibv_wc){ .wr_id = 7 };
	return 1;
}

static int arm_in_between(struct ibv_cq *raw, int solicited_only)
{
	(void)raw;
	return ibv_req_notify_cq(vx_cq_raw(cq), solicited_only);
}

Test(poller, polls_again_once_it_has_armed)
{
	struct ibv_context context = { .ops.poll_cq = poll_in_between, .ops.req_notify_cq = arm_in_between };
	struct ibv_cq front = { .context = &context };
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	((struct vx_object *)cq)->front = &front;
	expect_one(poller, -1);
	((struct vx_object *)cq)->front = vx_cq_raw(cq);
}

static int poll_broken(struct ibv_cq *raw, int num_entries, struct ibv_wc *wc)
{
	(void)raw, (void)num_entries, (void)wc;
	return -2;
}

Test(poller, tells_of_a_cq_that_cannot_be_read)
{
	struct ibv_context context = { .ops.poll_cq = poll_broken };
	struct ibv_cq front = { .context = &context };
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	((struct vx_object *)cq)->front = &front;
	cr_expect_eq(poll_none(poller, 0), -EIO);
	expect_reason("ibv_poll_cq on ");
	((struct vx_object *)cq)->front = vx_cq_raw(cq);
}

/* ---- one channel of several CQs ---- */

struct lane {
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_poller *poller;
};

static struct lane new_lane(enum vx_poller_mode mode)
{
	struct lane lane;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &lane.cq));
	lane.qp = new_qp_in_init(lane.cq, IBV_QPT_RC, NULL);
	connect_to(lane.qp, lane.qp);
	lane.poller = new_poller_of(lane.cq, (struct vx_poller_init){ .mode = mode });
	return lane;
}

Test(poller, leaves_an_event_to_the_one_that_it_is_for)
{
	struct lane a = new_lane(VX_POLLER_SLEEP), b = new_lane(VX_POLLER_SLEEP);

	made(vx_poller_arm(b.poller));
	complete_on(b.qp);
	settle();
	cr_expect_eq(poll_none(a.poller, LATER), -EAGAIN); /* and takes the event of b */
	cr_expect_eq(is_readable(b.poller, 0), true);
	expect_one(b.poller, 0);
}

Test(poller, that_is_armed_has_passed_on_all_events)
{
	struct lane a = new_lane(VX_POLLER_SLEEP), b = new_lane(VX_POLLER_SLEEP);

	made(vx_poller_arm(a.poller));
	made(vx_poller_arm(b.poller));
	complete_on(a.qp);
	complete_on(b.qp);
	settle();
	expect_one(a.poller, 0);
	made(vx_poller_arm(a.poller));
	cr_expect_eq(is_readable(a.poller, 0), false);
	cr_expect_eq(is_readable(b.poller, 0), true);
	expect_one(b.poller, LONG);
}

static void *poll_many(void *arg)
{
	const struct lane *lane = arg;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 100; i++) {
		complete_on(lane->qp);
		if (vx_poller_poll(lane->poller, 1, &wc, LONG) != 1 || wc.status)
			return arg;
	}
	return NULL;
}

Test(poller, shares_a_channel_with_other_threads)
{
	struct lane lanes[3];
	pthread_t threads[3];
	void *failed;
	int i;

	for (i = 0; i < 3; i++)
		lanes[i] = new_lane(VX_POLLER_SLEEP);
	for (i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, poll_many, &lanes[i]), 0);
	for (i = 0; i < 3; i++) {
		cr_assert_eq(pthread_join(threads[i], &failed), 0);
		cr_expect_null(failed);
	}
}

/* ---- how it ends ---- */

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

Test(poller, is_closed_with_its_cq)
{
	const int before = descriptors();

	struct vx_poller *poller = new_poller(VX_POLLER_BOTH);
	int fd;

	cr_expect_eq(descriptors(), before + 1, "to wake it");
	fd = vx_poller_fd(poller);
	cr_expect_geq(fd, 0);
	cr_expect_eq(vx_poller_fd(poller), fd);
	cr_expect_eq(descriptors(), before + 2);
	made(vx_close(cq));
	cr_expect_eq(descriptors(), before);
	cr_expect_eq(live("cq"), 0);
}

Test(poller, has_its_descriptor_once_there_is_one)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);
	struct rlimit before, none;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	cr_expect_eq(vx_poller_fd(poller), -EMFILE);
	expect_reason("no descriptor to sleep on");
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	cr_expect_geq(vx_poller_fd(poller), 0);
}

Test(poller, keeps_no_event_from_being_acknowledged)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);
	int i;

	for (i = 0; i < 50; i++) {
		complete_on(qp);
		expect_one(poller, LONG);
	}
	made(vx_close(channel));
	cr_expect_eq(live("cq"), 0);
}

Test(poller, is_not_given_back)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	cr_expect_null(vx_give_back(poller));
	expect_reason("it is libverbsx's own");
}

Test(poller, prints_what_it_is)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);
	char text[256], expected[256], name[64];

	vx_object_name(name, sizeof(name), cq);
	vx_snprint(text, sizeof(text), VX_TYPEOF(poller), poller, VX_COMPACT);
	snprintf(expected, sizeof(expected), "{object=\"%s poller #1\" uses=[\"%s\"] mode=VX_POLLER_SLEEP(2) spin_us=20 "
		 "solicited_only=false}", vx_ctx_name(ctx), name);
	cr_expect_str_eq(text, expected);
}
