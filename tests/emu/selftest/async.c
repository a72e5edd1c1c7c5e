/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Async events that are asked for. */
#include <unistd.h>

#include "selftest.h"

TestSuite(async, .init = open_mlx5, .fini = close_bed);

Test(async, an_event_of_a_qp_can_be_asked_for)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "COMM_EST:0x%x", bed.b->qp_num);
	CHECK(!emu_fault(spec, NULL, 0));
	CHECK(wait_async(IBV_EVENT_COMM_EST).element.qp == bed.b);
}

Test(async, an_event_of_the_port_can_be_asked_for)
{
	CHECK(!emu_fault("LID_CHANGE:1@20", NULL, 0));
	CHECK(wait_async(IBV_EVENT_LID_CHANGE).element.port_num == 1);
}

Test(async, an_unknown_event_is_refused)
{
	CHECK(emu_fault("NO_SUCH_EVENT", NULL, 0));
}

Test(async, an_unread_event_does_not_block_destruction)
{
	struct ibv_qp *q = make_rc(bed.cq, NULL);
	char spec[64];

	snprintf(spec, sizeof(spec), "COMM_EST:0x%x", q->qp_num);
	CHECK(!emu_fault(spec, NULL, 0));
	wait_readable(bed.ctx->async_fd);
	CHECK(!ibv_destroy_qp(q));
	CHECK(!readable(bed.ctx->async_fd, 0));
}

static double wait_of_event(void)
{
	double begun = now_ms(), waited;

	CHECK(!emu_fault("COMM_EST:1", NULL, 0));
	wait_readable(bed.ctx->async_fd);
	waited = now_ms() - begun;
	wait_async(IBV_EVENT_COMM_EST);
	return waited;
}

static double wait_of_two(void)
{
	double waited = wait_of_event();

	return waited + wait_of_event();
}

/*
 * Else each but the first has a whole sleep before it. Where others have the cores many are late all the same: it is tried until two are
 * not, for as long as anything is waited for
 */
Test(async, one_that_is_due_at_once_does_not_wait_for_a_sleep_to_end)
{
	double begun, waited = PATIENCE;

	usleep(1100000); /* after which the device sleeps for 10 ms at a time */
	for (begun = now_ms(); waited >= 5 && now_ms() - begun < PATIENCE;)
		waited = wait_of_two();
	cr_expect_lt(waited, 5, "two events in %f ms, for %d ms", waited, PATIENCE);
}
