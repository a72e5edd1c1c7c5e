/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completion events: which CQ they are of, and that none keeps it from being closed. A test that blocks ends by its timeout. */

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>

#include "event_bed.h"

#define MANY 100

TestSuite(event_completion, .init = open_with_qp, .fini = close_device, .timeout = 20);

static void modify(struct vx_qp *which, struct ibv_qp_attr attr, int mask)
{
	made(vx_qp_modify(which, &attr, mask));
}

/* A QP that is in error completes at once whatever it is to receive. */
static void break_qp(struct vx_qp *which)
{
	modify(which, (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 },
	       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	modify(which, (struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR }, IBV_QP_STATE);
}

static void complete(void)
{
	struct ibv_recv_wr wr = { 0 }, *bad;
	struct ibv_wc wc;

	made(vx_cq_req_notify(cq, 0));
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &wr, &bad), 0);
	while (ibv_poll_cq(vx_cq_raw(cq), 1, &wc) == 0)
		;
}

Test(event_completion, that_does_not_come_in_time)
{
	struct vx_comp_event event;

	cr_expect_eq(vx_comp_channel_get_event(channel, 0, &event), -EAGAIN);
}

Test(event_completion, tells_the_cq)
{
	struct vx_comp_event event;
	struct vx_cq *other;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &other));
	break_qp(qp);
	complete();
	made(vx_comp_channel_get_event(channel, SOON, &event));
	cr_expect_eq(event.cq, cq);
	cr_expect_eq(event.raw, vx_cq_raw(cq));
	cr_expect_eq(event.cq_context, NULL);
}

Test(event_completion, many_times_over_keeps_nothing_from_being_closed)
{
	struct vx_comp_event event;
	int i;

	break_qp(qp);
	for (i = 0; i < MANY; i++) {
		complete();
		made(vx_comp_channel_get_event(channel, SOON, &event));
	}
	cr_expect_eq(vx_close(channel), 0, "%s", vx_error_text());
	cr_expect_eq(live("cq") + live("comp_channel"), 0);
}

static void take_while_closing(const struct vx_trace_call *call, void *data)
{
	struct vx_comp_event event;

	if (strcmp(call->call, "ibv_destroy_qp"))
		return;
	cr_expect_eq(vx_comp_channel_get_event(channel, 0, &event), -EAGAIN, "it is not given, but acknowledged");
	*(bool *)data = true;
}

/* Its QP goes first, and the CQ then waits for the acknowledgement. */
Test(event_completion, of_a_cq_that_is_being_closed_is_acknowledged_at_once)
{
	struct pollfd there = { .fd = vx_comp_channel_raw(channel)->fd, .events = POLLIN };
	bool taken = false;

	break_qp(qp);
	complete();
	cr_assert_eq(poll(&there, 1, SOON), 1);
	made(vx_trace_callback(take_while_closing, &taken));
	cr_expect_eq(vx_close(cq), 0, "%s", vx_error_text());
	cr_expect(taken);
	made(vx_trace_callback(NULL, NULL));
}

/* A CQ of another library, with the channel of ours and a pointer of its own. */
static struct ibv_cq *new_raw_cq(void *cq_context)
{
	struct ibv_cq *raw = ibv_create_cq(vx_ctx_raw(ctx), 10, cq_context, vx_comp_channel_raw(channel), 0);

	cr_assert_not_null(raw);
	return raw;
}

Test(event_completion, of_an_adopted_cq)
{
	struct vx_comp_event event;

	cr_assert_eq(vx_close(cq), 0);
	made(vx_cq_adopt(ctx, new_raw_cq(&event), &cq));
	qp = new_qp();
	break_qp(qp);
	complete();
	made(vx_comp_channel_get_event(channel, SOON, &event));
	cr_expect_eq(event.cq, cq);
	cr_expect_eq(event.cq_context, &event);
	cr_expect_eq(vx_close(cq), 0);
}

/* Completes something on a CQ that libverbsx does not know, nor does it anything of it afterwards. */
static struct ibv_cq *complete_on_a_strangers(void *cq_context)
{
	struct ibv_cq *raw = new_raw_cq(cq_context);

	cr_assert_eq(vx_close(cq), 0);
	made(vx_cq_borrow(ctx, raw, &cq));
	qp = new_qp();
	break_qp(qp);
	complete();
	cr_assert_eq(vx_close(cq), 0, "%s", vx_error_text());
	return raw;
}

Test(event_completion, of_a_cq_that_is_not_known_tells_what_its_owner_knows_it_by)
{
	struct vx_comp_event event = { .cq = cq };
	struct ibv_cq *raw = complete_on_a_strangers(&event);

	made(vx_comp_channel_get_event(channel, SOON, &event));
	cr_expect_null(event.cq);
	cr_expect_eq(event.raw, raw);
	cr_expect_eq(event.cq_context, &event);
	cr_expect_eq(vx_comp_channel_get_event(channel, 0, &event), -EAGAIN);
	cr_expect_eq(ibv_destroy_cq(raw), 0, "the event has been acknowledged");
}

Test(event_completion, of_a_cq_that_was_adopted_afterwards_keeps_it_from_nothing)
{
	struct vx_comp_event event;
	struct ibv_cq *raw = complete_on_a_strangers(NULL);
	struct vx_cq *adopted;

	made(vx_comp_channel_get_event(channel, SOON, &event));
	made(vx_cq_adopt(ctx, raw, &adopted));
	cr_expect_eq(vx_close(adopted), 0, "%s", vx_error_text());
}

Test(event_completion, fits_into_the_structure_that_the_program_has)
{
	struct vx_comp_event event;

	memset(&event, 0x55, sizeof(event));
	break_qp(qp);
	complete();
	made(vx_comp_channel_get_event_sized(channel, SOON, &event, offsetof(struct vx_comp_event, raw)));
	cr_expect_eq(event.cq, cq);
	cr_expect_eq((uintptr_t)event.raw & 0xff, 0x55, "nothing is written behind it");
}
