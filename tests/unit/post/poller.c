/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pollers: what they give, when they sleep, what wakes them, and that no event of another CQ is taken away. */

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "object/object.h"
#include "bed.h"

#define LATER 20 /* ms, after which something comes that is waited for */
#define LONG 5000

TestSuite(poller, .init = open_loop, .fini = close_device, .timeout = 30);

static struct vx_poller *new_poller_of(struct vx_cq *of, struct vx_poller_init init)
{
	struct vx_poller *poller;

	made(vx_poller_create(of, &init, &poller));
	return poller;
}

static struct vx_poller *new_poller(enum vx_poller_mode mode)
{
	return new_poller_of(cq, (struct vx_poller_init){ .mode = mode });
}

/* A write of nothing: one completion. */
static void complete_on(struct vx_qp *of)
{
	struct ibv_send_wr wr = { .wr_id = 7, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED }, *bad;

	cr_assert_eq(ibv_post_send(vx_qp_raw(of), &wr, &bad), 0);
}

static void complete_later(void)
{
	char list[32];

	snprintf(list, sizeof(list), "delay@%d", LATER);
	fail_calls(list);
	complete_on(qp);
}

static struct ibv_wc expect_one(struct vx_poller *poller, int timeout_ms)
{
	struct ibv_wc wc[4] = { 0 };
	int rc = vx_poller_poll(poller, 4, wc, timeout_ms);

	cr_assert_eq(rc, 1, "%d, %s", rc, vx_error_text());
	cr_expect_eq(wc[0].wr_id, 7);
	return wc[0];
}

static int poll_none(struct vx_poller *poller, int timeout_ms)
{
	struct ibv_wc wc;

	return vx_poller_poll(poller, 1, &wc, timeout_ms);
}

static bool is_readable(struct vx_poller *poller, int timeout_ms)
{
	struct pollfd entry = { .fd = vx_poller_fd(poller), .events = POLLIN };

	cr_assert_geq(entry.fd, 0);
	return poll(&entry, 1, timeout_ms) == 1;
}

static void on_signal(int number)
{
	(void)number;
}

static struct vx_poller *to_wake;

static void wake_on_signal(int number)
{
	(void)number;
	vx_poller_wake(to_wake);
}

static void handle(int number, void (*handler)(int))
{
	cr_assert_eq(sigaction(number, &(struct sigaction){ .sa_handler = handler }, NULL), 0);
}

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
	poller = new_poller_of(plain, (struct vx_poller_init){ .mode = VX_POLLER_SLEEP });
	cr_expect_eq(poll_none(poller, 5), -EAGAIN);
	cr_expect_eq(vx_poller_arm(poller), -EINVAL);
	expect_reason("its CQ has no channel");
	cr_expect_eq(vx_poller_fd(poller), -EINVAL);
	vx_poller_wake(poller);
	cr_expect_eq(poll_none(poller, -1), -ECANCELED);
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
	usleep(LATER * 1000);
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

/* ---- being woken ---- */

static void *wake_later(void *poller)
{
	usleep(LATER * 1000);
	vx_poller_wake(poller);
	return NULL;
}

static void is_woken_in(enum vx_poller_mode mode)
{
	struct vx_poller *poller = new_poller(mode);
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, wake_later, poller), 0);
	cr_expect_eq(poll_none(poller, -1), -ECANCELED);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(poll_none(poller, 0), -EAGAIN);
	cr_expect_eq(poll_none(poller, 1), -EAGAIN);
}

Test(poller, is_woken_while_it_sleeps)
{
	is_woken_in(VX_POLLER_SLEEP);
}

Test(poller, is_woken_while_it_spins)
{
	is_woken_in(VX_POLLER_SPIN);
}

Test(poller, is_woken_before_it_waits_but_gives_completions_first)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	complete_on(qp);
	usleep(LATER * 1000);
	vx_poller_wake(poller);
	vx_poller_wake(poller);
	expect_one(poller, 0);
	cr_expect_eq(poll_none(poller, 0), -ECANCELED);
	cr_expect_eq(poll_none(poller, 0), -EAGAIN);
}

struct at_thread {
	pthread_t thread;
	int number;
};

static void *signal_later(void *arg)
{
	const struct at_thread *at = arg;

	usleep(LATER * 1000);
	pthread_kill(at->thread, at->number);
	return NULL;
}

static int poll_with_signal(struct vx_poller *poller, void (*handler)(int))
{
	struct at_thread at = { pthread_self(), SIGUSR1 };
	pthread_t thread;
	int rc;

	handle(SIGUSR1, handler);
	cr_assert_eq(pthread_create(&thread, NULL, signal_later, &at), 0);
	rc = poll_none(poller, LONG);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	return rc;
}

Test(poller, is_woken_by_the_handler_of_a_signal)
{
	to_wake = new_poller(VX_POLLER_SLEEP);
	cr_expect_eq(poll_with_signal(to_wake, wake_on_signal), -ECANCELED);
	cr_expect_eq(poll_none(to_wake, 1), -EAGAIN);
}

Test(poller, is_interrupted_by_a_signal)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	cr_expect_eq(poll_with_signal(poller, on_signal), -EINTR);
	cr_expect_eq(vx_error()->code, -EINTR);
}

/* ---- event loops ---- */

Test(poller, wakes_an_event_loop)
{
	struct vx_poller *poller = new_poller(VX_POLLER_BOTH);
	int i;

	for (i = 0; i < 3; i++) {
		made(vx_poller_arm(poller));
		cr_expect_eq(is_readable(poller, 1), false);
		complete_later();
		cr_expect_eq(is_readable(poller, LONG), true);
		expect_one(poller, 0);
		cr_expect_eq(poll_none(poller, 0), -EAGAIN);
	}
	vx_poller_wake(poller);
	cr_expect_eq(is_readable(poller, 0), true);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(poll_none(poller, 0), -ECANCELED);
	made(vx_poller_arm(poller));
	cr_expect_eq(is_readable(poller, 1), false);
}

Test(poller, does_not_let_an_event_loop_sleep_on_completions)
{
	struct vx_poller *poller = new_poller(VX_POLLER_BOTH);
	struct ibv_wc wc[4];

	complete_on(qp);
	complete_on(qp);
	usleep(LATER * 1000);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(vx_poller_poll(poller, 1, wc, 0), 1);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(vx_poller_poll(poller, 4, wc, 0), 1);
	made(vx_poller_arm(poller));
}

Test(poller, sleeps_through_what_was_not_solicited)
{
	struct vx_poller *poller = new_poller_of(cq, (struct vx_poller_init){ .solicited_only = true });
	struct ibv_recv_wr recv = { .wr_id = 7 }, *bad_recv;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad;

	made(vx_poller_arm(poller));
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &recv, &bad_recv), 0);
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &send, &bad), 0);
	cr_expect_eq(is_readable(poller, LATER), false);
	expect_one(poller, 0);
	made(vx_poller_arm(poller));
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &recv, &bad_recv), 0);
	send.send_flags = IBV_SEND_SOLICITED;
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &send, &bad), 0);
	cr_expect_eq(is_readable(poller, LONG), true);
}

/* ---- what happens to device and CQ ---- */

static enum ibv_event_type told[8];
static int told_count;

static void note(const struct vx_async_event *event, void *data)
{
	cr_expect_eq(data, &told_count);
	told[told_count++] = event->type;
}

static struct vx_poller *new_listener(void)
{
	return new_poller_of(cq, (struct vx_poller_init){ .mode = VX_POLLER_SLEEP, .async = note, .data = &told_count });
}

Test(poller, tells_of_events_while_it_sleeps)
{
	struct vx_poller *poller = new_listener();

	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	cr_expect_eq(poll_none(poller, 200), -EAGAIN);
	cr_assert_eq(told_count, 1);
	cr_expect_eq(told[0], IBV_EVENT_COMM_EST);
	cr_expect_null(((struct vx_node *)qp)->events, "it was not acknowledged");
}

Test(poller, tells_of_events_before_an_event_loop_sleeps)
{
	struct vx_poller *poller = new_listener();

	made(vx_poller_arm(poller));
	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	cr_expect_eq(is_readable(poller, LONG), true);
	made(vx_poller_arm(poller));
	cr_expect_eq(told_count, 1);
	cr_expect_eq(is_readable(poller, 0), false);
}

Test(poller, that_listens_is_alone)
{
	struct vx_poller *poller = new_listener(), *other;
	const struct vx_poller_init init = { .async = note };

	cr_expect_eq(vx_poller_create(cq, &init, &other), -EBUSY);
	expect_reason("poller #1 has async");
	made(vx_close(poller));
	made(vx_poller_create(cq, &init, &other));
}

Test(poller, ends_with_the_cq_in_error_when_it_has_given_all)
{
	struct vx_poller *poller = new_listener();

	complete_on(qp);
	usleep(LATER * 1000);
	send_event("CQ_ERR", 1);
	expect_one(poller, LONG);
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("IBV_EVENT_CQ_ERR: A completion queue is in error");
	cr_expect_eq(poll_none(poller, 0), -EIO);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(told_count, 1);
}

Test(poller, goes_on_when_another_cq_is_in_error)
{
	struct vx_poller *poller = new_listener();
	struct vx_cq *other;

	made(vx_cq_create(ctx, NULL, &other));
	send_event("CQ_ERR", 2);
	cr_expect_eq(poll_none(poller, 200), -EAGAIN);
	cr_expect_eq(told_count, 1);
}

Test(poller, ends_with_a_cq_that_was_too_small)
{
	struct vx_poller *poller;
	struct vx_cq *small;
	struct vx_qp *busy;
	struct ibv_wc wc;
	int i, rc;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 2, .channel = channel }, &small));
	busy = new_qp_in_init(small, IBV_QPT_RC, NULL);
	connect_to(busy, busy);
	poller = new_poller_of(small, (struct vx_poller_init){ .mode = VX_POLLER_SLEEP, .async = note, .data = &told_count });
	for (i = 0; i < 16; i++)
		complete_on(busy);
	usleep(LATER * 1000);
	for (i = 0; (rc = vx_poller_poll(poller, 1, &wc, LONG)) > 0; i++)
		;
	cr_expect_lt(i, 16);
	cr_expect_eq(rc, -EIO);
	expect_reason("IBV_EVENT_CQ_ERR");
}

Test(poller, ends_with_the_device)
{
	struct vx_poller *poller = new_listener();

	fail_calls("DEVICE_FATAL");
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("IBV_EVENT_DEVICE_FATAL: ");
}

Test(poller, ends_with_a_channel_that_hangs_up)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);
	const int fd = vx_comp_channel_raw(channel)->fd, kept = dup(fd);
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], fd), fd);
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("the channel has hung up");
	cr_assert_eq(dup2(kept, fd), fd);
	close(kept);
	close(ends[0]);
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

	new_poller(VX_POLLER_BOTH);
	cr_expect_eq(descriptors(), before + 2);
	made(vx_close(cq));
	cr_expect_eq(descriptors(), before);
	cr_expect_eq(live("cq"), 0);
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
