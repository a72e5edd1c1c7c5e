/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Asynchronous events: whom they are about, and that none keeps an object from being closed. A test that blocks ends by its timeout. */

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "event_bed.h"

#define MANY 100

static struct ibv_qp *new_raw_qp(void)
{
	struct ibv_qp_init_attr init = { .send_cq = vx_cq_raw(cq), .recv_cq = vx_cq_raw(cq), .qp_type = IBV_QPT_RC,
					 .cap = { 1, 1, 1, 1, 0 } };

	return ibv_create_qp(vx_pd_raw(pd), &init);
}

TestSuite(event, .init = open_with_qp, .fini = close_device, .timeout = 20);

Test(event, that_does_not_come_in_time)
{
	struct vx_async_event event;

	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN);
	cr_expect_eq(vx_ctx_get_async_event(ctx, 20, &event), -EAGAIN);
}

Test(event, of_a_qp_tells_its_handle)
{
	struct vx_async_event event;

	send_qp_event("COMM_EST");
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_COMM_EST);
	cr_expect_eq(event.object, qp);
	cr_expect_eq(event.port_num, 0);
	cr_expect_eq(event.raw.element.qp, vx_qp_raw(qp));
	vx_async_event_ack(&event);
	cr_expect_eq(vx_close(qp), 0);
}

Test(event, of_a_cq_and_an_srq)
{
	struct vx_async_event event;
	struct vx_srq *other, *srq;

	made(vx_srq_create(pd, NULL, &other));
	made(vx_srq_create(pd, NULL, &srq));
	send_event("CQ_ERR", 1);
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_CQ_ERR);
	cr_expect_eq(event.object, cq);
	send_event("SRQ_LIMIT_REACHED", 2);
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_SRQ_LIMIT_REACHED);
	cr_expect_eq(event.object, srq);
}

Test(event, of_a_port_tells_which)
{
	struct vx_async_event event;

	send_event("PKEY_CHANGE", 1);
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_PKEY_CHANGE);
	cr_expect_eq(event.port_num, 1);
	cr_expect_null(event.object);
	vx_async_event_ack(&event);
}

Test(event, that_nobody_acknowledged_keeps_nothing_from_being_closed)
{
	int i;

	for (i = 0; i < MANY; i++) {
		send_qp_event("COMM_EST");
		take_async();
	}
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
}

Test(event, that_was_acknowledged_twice_or_after_the_end_is_no_harm)
{
	struct vx_async_event first, second;

	send_qp_event("COMM_EST");
	send_qp_event("PATH_MIG");
	first = take_async();
	second = take_async();
	vx_async_event_ack(&first);
	vx_async_event_ack(&first);
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	vx_async_event_ack(&second);
}

/* What an event was kept in is used again for the next. */
Test(event, that_was_acknowledged_does_not_stand_for_the_next)
{
	struct vx_async_event first, second;

	send_qp_event("COMM_EST");
	first = take_async();
	vx_async_event_ack(&first);
	cr_expect_eq(vx_qp_raw(qp)->events_completed, 1);
	send_qp_event("PATH_MIG");
	second = take_async();
	cr_expect_neq(second.number, first.number);
	vx_async_event_ack(&first);
	cr_expect_eq(vx_qp_raw(qp)->events_completed, 1, "the second is not acknowledged by the first");
	vx_async_event_ack(&second);
	cr_expect_eq(vx_qp_raw(qp)->events_completed, 2);
}

/* A connection's may be next in what one of a device was kept in. */
Test(event, of_a_device_goes_beside_one_of_a_connection)
{
	struct vx_cm_channel *events;
	struct vx_async_event async;
	struct vx_cm_event event;
	struct vx_cm_id *id;
	int i;

	made(vx_cm_channel_create(NULL, &events));
	for (i = 0; i < 3; i++) {
		made(vx_cm_id_create(events, NULL, &id));
		made(vx_cm_id_resolve_addr(id, NULL, (struct sockaddr *)&(struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(0xc0000209) } }, 100));
		made(vx_cm_channel_get_event(events, 5000, &event));
		vx_cm_event_ack(&event);
		send_qp_event("COMM_EST");
		async = take_async();
		if (i) /* that of the first round goes with the QP */
			vx_async_event_ack(&async);
		made(vx_close(id));
	}
	cr_expect_eq(vx_qp_raw(qp)->events_completed, 2);
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	made(vx_close(events));
}

Test(event, of_a_released_object_is_acknowledged)
{
	void *raw;

	send_qp_event("COMM_EST");
	take_async();
	raw = vx_give_back(qp);
	cr_assert_not_null(raw, "%s", vx_error_text());
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

Test(event, of_an_object_that_is_not_known_is_the_takers_to_acknowledge)
{
	struct ibv_qp *raw = new_raw_qp();
	struct vx_async_event event;

	send_event("COMM_EST", raw->qp_num);
	event = take_async();
	cr_expect_null(event.object);
	cr_expect_eq(event.raw.element.qp, raw);
	vx_async_event_ack(&event);
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

Test(event, of_an_object_that_was_adopted_afterwards_keeps_it_from_nothing)
{
	struct ibv_qp *raw = new_raw_qp();
	struct vx_async_event event;
	struct vx_qp *adopted;

	send_event("COMM_EST", raw->qp_num);
	event = take_async();
	cr_expect_null(event.object);
	made(vx_qp_adopt(pd, raw, &adopted));
	cr_expect_eq(vx_close(adopted), 0, "%s", vx_error_text());
	vx_async_event_ack(&event);
}

/* The last failure is not the loop's. */
Test(event, that_is_not_there_leaves_the_last_failure_as_it_was)
{
	struct vx_comp_event completion;
	struct vx_async_event event;
	struct vx_cq *none;
	char before[256];

	cr_expect_lt(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1u << 30 }, &none), 0);
	snprintf(before, sizeof(before), "%s", vx_error_text());
	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN);
	cr_expect_eq(vx_comp_channel_get_event(channel, 1, &completion), -EAGAIN);
	cr_expect_str_eq(vx_error_text(), before);
}

static void take_while_closing(const struct vx_trace_call *call, void *data)
{
	struct vx_async_event event;

	if (strcmp(call->call, "ibv_detach_mcast"))
		return;
	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN, "it is not given, but acknowledged");
	*(bool *)data = true;
}

/* The QP cannot go before, as the kernel waits for the acknowledgement; a test that blocks ends by its timeout. */
Test(event, of_an_object_that_is_being_closed_is_acknowledged_at_once)
{
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
	struct vx_mcast *mcast;
	bool taken = false;
	struct vx_qp *ud;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &ud));
	made(vx_mcast_create(ud, &group, &mcast));
	made(vx_trace_callback(take_while_closing, &taken));
	send_event("COMM_EST", vx_qp_raw(ud)->qp_num);
	usleep(10000);
	cr_expect_eq(vx_close(ud), 0, "%s", vx_error_text());
	cr_expect(taken);
	made(vx_trace_callback(NULL, NULL));
}

Test(event, wants_a_place_and_a_handle)
{
	struct vx_comp_event event;

	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, NULL), -EINVAL);
	expect_reason("vx_ctx_get_async_event: Invalid argument: event is NULL");
	cr_expect_eq(vx_comp_channel_get_event(channel, 0, NULL), -EINVAL);
	expect_reason("vx_comp_channel_get_event: Invalid argument: event is NULL");
	cr_expect_eq(vx_comp_channel_get_event(NULL, 0, &event), -EINVAL);
	expect_reason("channel is NULL");
	vx_async_event_ack(NULL);
}

/* A program of another release may have a shorter structure. */
Test(event, fits_into_the_structure_that_the_program_has)
{
	struct vx_async_event event;

	memset(&event, 0x55, sizeof(event));
	send_qp_event("COMM_EST");
	usleep(10000);
	made(vx_ctx_get_async_event_sized(ctx, SOON, &event, offsetof(struct vx_async_event, object)));
	cr_expect_eq(event.type, IBV_EVENT_COMM_EST);
	cr_expect_eq((uintptr_t)event.object & 0xff, 0x55, "nothing is written behind it");
}
