/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What pollers make of what happens to the device and the CQ. */

#include <errno.h>
#include <unistd.h>

#include "object/object.h"
#include "poller_bed.h"

TestSuite(poller_async, .init = open_loop, .fini = close_device, .timeout = 30);

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

Test(poller_async, tells_of_events_while_it_sleeps)
{
	struct vx_poller *poller = new_listener();

	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	cr_expect_eq(poll_none(poller, 200), -EAGAIN);
	cr_assert_eq(told_count, 1);
	cr_expect_eq(told[0], IBV_EVENT_COMM_EST);
	cr_expect_null(((struct vx_node *)qp)->events, "it was not acknowledged");
}

Test(poller_async, tells_of_events_before_an_event_loop_sleeps)
{
	struct vx_poller *poller = new_listener();

	made(vx_poller_arm(poller));
	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	cr_expect_eq(is_readable(poller, LONG), true);
	made(vx_poller_arm(poller));
	cr_expect_eq(told_count, 1);
	cr_expect_eq(is_readable(poller, 0), false);
}

static void close_them(const struct vx_async_event *event, void *data)
{
	struct vx_poller **poller = data;

	(void)event;
	cr_expect_eq(vx_close(*poller), -EBUSY);
	expect_reason("it calls functions of the program, and one of them has not returned yet");
	cr_expect_eq(vx_close(cq), -EBUSY);
	told_count++;
}

Test(poller_async, is_not_closed_by_what_it_calls)
{
	static struct vx_poller *poller;

	poller = new_poller_of(cq, (struct vx_poller_init){ .mode = VX_POLLER_SLEEP, .async = close_them, .data = &poller });
	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	cr_expect_eq(poll_none(poller, 200), -EAGAIN);
	cr_expect_eq(told_count, 1);
	cr_expect_eq(vx_close(poller), 0, "%s", vx_error_text());
}

Test(poller_async, that_listens_is_alone)
{
	struct vx_poller *poller = new_listener(), *other;
	const struct vx_poller_init init = { .async = note };

	cr_expect_eq(vx_poller_create(cq, &init, &other), -EBUSY);
	expect_reason("poller #1 has async");
	made(vx_close(poller));
	made(vx_poller_create(cq, &init, &other));
}

/* Else it would keep those from it who do. */
Test(poller_async, is_not_for_those_that_never_sleep)
{
	struct vx_poller *poller;
	struct vx_cq *silent;

	cr_expect_eq(vx_poller_create(cq, &(struct vx_poller_init){ .mode = VX_POLLER_SPIN, .async = note }, &poller), -EINVAL);
	expect_reason("async is told of events while the poller sleeps, and mode is VX_POLLER_SPIN");
	made(vx_cq_create(ctx, NULL, &silent));
	cr_expect_eq(vx_poller_create(silent, &(struct vx_poller_init){ .async = note }, &poller), -EINVAL);
	expect_reason("without a channel of its CQ it never does");
	new_listener();
}

Test(poller_async, ends_with_the_cq_in_error_when_it_has_given_all)
{
	struct vx_poller *poller = new_listener();

	complete_on(qp);
	settle();
	send_event("CQ_ERR", 1);
	expect_one(poller, LONG);
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("IBV_EVENT_CQ_ERR: A completion queue is in error");
	cr_expect_eq(poll_none(poller, 0), -EIO);
	cr_expect_eq(vx_poller_arm(poller), -EIO, "as one who polls until it is not -EBUSY would never end");
	expect_reason("IBV_EVENT_CQ_ERR: A completion queue is in error");
	cr_expect_eq(told_count, 1);
}

Test(poller_async, goes_on_when_another_cq_is_in_error)
{
	struct vx_poller *poller = new_listener();
	struct vx_cq *other;

	made(vx_cq_create(ctx, NULL, &other));
	send_event("CQ_ERR", 2);
	cr_expect_eq(poll_none(poller, 200), -EAGAIN);
	cr_expect_eq(told_count, 1);
}

Test(poller_async, ends_with_a_cq_that_was_too_small)
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
	settle();
	for (i = 0; (rc = vx_poller_poll(poller, 1, &wc, LONG)) > 0; i++)
		;
	cr_expect_lt(i, 16);
	cr_expect_eq(rc, -EIO);
	expect_reason("IBV_EVENT_CQ_ERR");
}

Test(poller_async, ends_with_the_device)
{
	struct vx_poller *poller = new_listener();

	fail_calls("DEVICE_FATAL");
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("IBV_EVENT_DEVICE_FATAL: ");
}

/* A pipe in the place of a descriptor, with another end to be closed. */
static int put_pipe(int fd)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(dup2(ends[0], fd), fd);
	close(ends[0]);
	return ends[1];
}

Test(poller_async, says_of_two_that_hang_up_which_was_the_first)
{
	const int fds[] = { vx_comp_channel_raw(channel)->fd, vx_ctx_raw(ctx)->async_fd };
	const int kept[] = { dup(fds[0]), dup(fds[1]) };
	const int ends[] = { put_pipe(fds[0]), put_pipe(fds[1]) };
	struct vx_poller *poller = new_listener();
	int i;

	for (i = 0; i < 2; i++)
		close(ends[i]);
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("the channel has hung up");
	for (i = 0; i < 2; i++) {
		cr_assert_eq(dup2(kept[i], fds[i]), fds[i]);
		close(kept[i]);
	}
}

Test(poller_async, ends_with_a_channel_that_hangs_up)
{
	const int fd = vx_comp_channel_raw(channel)->fd, kept = dup(fd);
	const int end = put_pipe(fd);
	struct vx_poller *poller;

	poller = new_poller(VX_POLLER_SLEEP);
	cr_expect_eq(poll_none(poller, 0), -EAGAIN);
	close(end);
	cr_expect_eq(poll_none(poller, LONG), -EIO);
	expect_reason("the channel has hung up");
	cr_assert_eq(dup2(kept, fd), fd);
	close(kept);
}
