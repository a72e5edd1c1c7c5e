/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What wakes pollers, by themselves and in event loops. */

#define _GNU_SOURCE /* syscall(2) */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "poller_bed.h"
#include "unit/asleep.h"

TestSuite(poller_woken, .init = open_loop, .fini = close_device, .timeout = 30);

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

Test(poller_woken, is_woken_while_it_sleeps)
{
	is_woken_in(VX_POLLER_SLEEP);
}

Test(poller_woken, is_woken_while_it_spins)
{
	is_woken_in(VX_POLLER_SPIN);
}

Test(poller_woken, is_woken_before_it_waits_but_gives_completions_first)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	complete_on(qp);
	settle();
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

Test(poller_woken, is_woken_by_the_handler_of_a_signal)
{
	to_wake = new_poller(VX_POLLER_SLEEP);
	cr_expect_eq(poll_with_signal(to_wake, wake_on_signal), -ECANCELED);
	cr_expect_eq(poll_none(to_wake, 1), -EAGAIN);
}

Test(poller_woken, is_interrupted_by_a_signal)
{
	struct vx_poller *poller = new_poller(VX_POLLER_SLEEP);

	cr_expect_eq(poll_with_signal(poller, on_signal), -EINTR);
	cr_expect_eq(vx_error()->code, -EINTR);
}

/* ---- closing ---- */

struct sleeper {
	struct vx_poller *poller;
	pid_t thread;
	int rc;
};

static void *sleep_in_poller(void *arg)
{
	struct sleeper *sleeper = arg;

	__atomic_store_n(&sleeper->thread, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	sleeper->rc = poll_none(sleeper->poller, -1);
	return NULL;
}

Test(poller_woken, and_its_cq_are_busy_while_a_thread_sleeps_there)
{
	struct sleeper sleeper = { .poller = new_poller(VX_POLLER_SLEEP) };
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, sleep_in_poller, &sleeper), 0);
	while (!is_asleep(&sleeper.thread)) /* nothing else has it sleep */
		usleep(1000);
	cr_expect_eq(vx_close(sleeper.poller), -EBUSY);
	expect_reason("or another thread runs it, which vx_poller_wake() ends");
	cr_expect_eq(vx_close(cq), -EBUSY);
	vx_poller_wake(sleeper.poller);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(sleeper.rc, -ECANCELED);
	made(vx_close(sleeper.poller));
}

/* ---- event loops ---- */

Test(poller_woken, wakes_an_event_loop)
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

Test(poller_woken, does_not_let_an_event_loop_sleep_on_completions)
{
	struct vx_poller *poller = new_poller(VX_POLLER_BOTH);
	struct ibv_wc wc[4];

	complete_on(qp);
	complete_on(qp);
	settle();
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(vx_poller_poll(poller, 1, wc, 0), 1);
	cr_expect_eq(vx_poller_arm(poller), -EBUSY);
	cr_expect_eq(vx_poller_poll(poller, 4, wc, 0), 1);
	made(vx_poller_arm(poller));
}

Test(poller_woken, sleeps_through_what_was_not_solicited)
{
	struct vx_poller *poller = new_poller_of(cq, (struct vx_poller_init){ .solicited_only = true });
	struct ibv_recv_wr recv = { .wr_id = 7 }, *bad_recv;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad;

	made(vx_poller_arm(poller));
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &recv, &bad_recv), 0);
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &send, &bad), 0);
	settle();
	cr_expect_eq(is_readable(poller, LATER), false);
	expect_one(poller, 0);
	made(vx_poller_arm(poller));
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &recv, &bad_recv), 0);
	send.send_flags = IBV_SEND_SOLICITED;
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &send, &bad), 0);
	cr_expect_eq(is_readable(poller, LONG), true);
}
