/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Waiting until a QP has given back all that it was given. */

#include <errno.h>
#include <unistd.h>

#include "reach/loader.h"
#include "unit/path/device.h"

TestSuite(qp_drain, .init = open_device, .fini = close_device, .timeout = 60);

static unsigned int flushed, other_ones, strange;
static uint64_t last;

static void count_one(const struct ibv_wc *wc, void *data)
{
	const struct vx_qp *qp = data;

	if (wc->qp_num != vx_qp_raw(qp)->qp_num)
		other_ones++;
	else if (wc->status == IBV_WC_WR_FLUSH_ERR || wc->status == IBV_WC_SUCCESS)
		flushed++;
	if (wc->wr_id > 1000)
		strange++;
	last = wc->wr_id;
}

static void post_receives(struct vx_qp *qp, unsigned int count)
{
	struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;

	for (; count; count--, wr.wr_id++)
		cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &wr, &bad), 0);
}

static void post_sends(struct vx_qp *qp, unsigned int count)
{
	struct ibv_send_wr wr = { .wr_id = 500, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	for (; count; count--, wr.wr_id++)
		cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &wr, &bad), 0);
}

static struct vx_qp *connected(unsigned int type)
{
	struct vx_qp *qp = new_qp(type);
	struct vx_path path = path_to_itself(qp);

	made(vx_qp_to_rts(qp, &path));
	return qp;
}

Test(qp_drain, gives_back_all_that_was_posted_and_no_more)
{
	struct vx_qp *qp = connected(IBV_QPT_RC);

	post_receives(qp, 20);
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(flushed, 20);
	cr_expect_eq(strange, 0, "markers are not shown");
	cr_expect_eq(state_of(qp), IBV_QPS_ERR);
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "once more, as there is nothing left");
	cr_expect_eq(flushed, 20);
}

/* The peer's answer never comes, so that sends are on their way for ever. */
Test(qp_drain, takes_back_what_is_under_way)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);

	path.dqpn = 0xfffff;
	path.mask = VX_PATH_TIMEOUT;
	made(vx_qp_to_rts(qp, &path));
	post_sends(qp, 7);
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(flushed, 7);
}

Test(qp_drain, works_where_the_queue_is_full)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UC);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned int most;

	made(vx_qp_query(qp, &attr, IBV_QP_CAP, &init));
	most = init.cap.max_recv_wr;
	made(vx_qp_to_init(qp, NULL));
	post_receives(qp, most);
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(flushed, most);
}

/* libmlx5 takes its send queue for full. */
Test(qp_drain, ends_for_a_qp_that_failed_before_it_could_send)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);

	made(vx_qp_to_init(qp, NULL));
	post_receives(qp, 3);
	made(vx_qp_to_err(qp));
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(flushed, 3);
}

/* ---- datagrams ---- */

static int (*provider_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
static int (*provider_poll)(struct ibv_cq *cq, int count, struct ibv_wc *wc);
static uint64_t marker;
static unsigned int blind; /* polls that are to find nothing from the marker on, longer than it may be quiet */
static bool marker_was_seen;

static int watched_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	marker = wr->wr_id;
	cr_expect_null(wr->next);
	return provider_send(qp, wr, bad);
}

static int watched_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	int i, found;

	if (marker && blind) {
		blind--;
		usleep(1000);
		return 0;
	}
	found = provider_poll(cq, count, wc);
	for (i = 0; i < found; i++)
		marker_was_seen = marker_was_seen || wc[i].wr_id == marker;
	return found;
}

/* A provider that takes its time. */
Test(qp_drain, of_datagrams_waits_for_the_last_of_them)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);
	struct ibv_context *raw = vx_qp_raw(qp)->context;

	made(vx_qp_to_rts(qp, NULL));
	provider_send = raw->ops.post_send;
	provider_poll = raw->ops.poll_cq;
	raw->ops.post_send = watched_send;
	raw->ops.poll_cq = watched_poll;
	blind = 150;
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	raw->ops.post_send = provider_send;
	raw->ops.poll_cq = provider_poll;
	cr_expect_neq(marker, 0, "it posts one after all others");
	cr_expect(marker_was_seen);
	cr_expect_eq(flushed, 0);
}

Test(qp_drain, of_datagrams_gives_all_back)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);

	made(vx_qp_to_rts(qp, NULL));
	post_receives(qp, 5);
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(flushed, 5);
}

Test(qp_drain, needs_somebody_to_take_the_completions_of_others)
{
	struct vx_qp *qp = connected(IBV_QPT_RC), *other = connected(IBV_QPT_RC);
	char who[32];

	post_receives(qp, 2);
	post_receives(other, 3);
	made(vx_qp_to_err(other));
	cr_expect_eq(vx_qp_drain(qp, 5000, NULL, NULL), -EBUSY);
	snprintf(who, sizeof(who), "qp %u uses ", vx_qp_raw(other)->qp_num);
	expect_reason(who);
	cr_expect_eq(state_of(qp), IBV_QPS_RTS, "it is as it was");
	made(vx_qp_drain(qp, 5000, count_one, qp));
	cr_expect_eq(flushed, 2);
	cr_expect_leq(other_ones, 3);
	made(vx_close(other));
	made(vx_qp_reset(qp));
	cr_expect_eq(vx_qp_drain(qp, 5000, NULL, NULL), 0, "%s", vx_error_text());
}

/* What only looks at completions has none of its own. */
Test(qp_drain, goes_beside_a_poller_and_a_dispatcher)
{
	struct vx_dispatcher *dispatcher;
	struct vx_poller *poller;
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);
	struct vx_ctx *ctx = (struct vx_ctx *)path.ctx;
	struct vx_cq *own;
	struct vx_pd *pd;

	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, NULL, &own));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = own, .recv_cq = own }, &qp));
	path = path_to_itself(qp);
	made(vx_qp_to_rts(qp, &path));
	made(vx_poller_create(own, NULL, &poller));
	made(vx_dispatcher_create(own, NULL, &dispatcher));
	post_receives(qp, 5);
	cr_expect_eq(vx_qp_drain(qp, 5000, NULL, NULL), 0, "%s", vx_error_text());
}

/* ---- a full CQ ---- */

static int slow_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	int rc = provider_send(qp, wr, bad);

	usleep(20000); /* by then it has completed */
	return rc;
}

static bool overflows(struct vx_ctx *ctx)
{
	struct vx_async_event event;

	while (vx_ctx_get_async_event(ctx, 10, &event) == 0)
		if (event.type == IBV_EVENT_CQ_ERR)
			return true;
	return false;
}

static void ignore(const struct ibv_wc *wc, void *data)
{
	(void)wc, (void)data;
}

/* However busy the machine is: what others are to give back later is there. */
static void settle(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		struct vx_qp *later = connected(IBV_QPT_RC);

		post_receives(later, 1);
		made(vx_qp_drain(later, 20000, ignore, NULL));
	}
}

/* As many completions as a CQ holds, which nobody has polled yet. */
Test(qp_drain, takes_what_has_completed_before_more_can)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC), *full;
	struct vx_ctx *ctx = (struct vx_ctx *)path_to_itself(qp).ctx;
	struct ibv_context *raw = vx_ctx_raw(ctx);
	struct vx_path path;
	struct vx_cq *cq;
	struct vx_pd *pd;
	unsigned int room;

	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 15 }, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &full));
	room = (unsigned int)vx_cq_raw(cq)->cqe + 1;
	path = path_to_itself(full);
	made(vx_qp_to_rts(full, &path));
	post_receives(full, room);
	made(vx_qp_to_err(full));
	settle();
	provider_send = raw->ops.post_send;
	raw->ops.post_send = slow_send;
	cr_expect_eq(vx_qp_drain(full, 5000, count_one, full), 0, "%s", vx_error_text());
	raw->ops.post_send = provider_send;
	cr_expect_eq(flushed, room);
	cr_expect_not(overflows(ctx));
}

/* ---- a CQ that others keep busy ---- */

/* What others complete there never ends. */
static int busy_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	int i, found = provider_poll(cq, count, wc);

	for (i = found; i < count; i++)
		wc[i] = (struct ibv_wc){ .wr_id = 1, .qp_num = 0xabcdef };
	return count;
}

static void drain_among_others(struct vx_qp *qp, unsigned int receives)
{
	struct ibv_context *raw = vx_qp_raw(qp)->context;

	provider_poll = raw->ops.poll_cq;
	raw->ops.poll_cq = busy_poll;
	cr_expect_eq(vx_qp_drain(qp, 20000, count_one, qp), 0, "%s", vx_error_text());
	raw->ops.poll_cq = provider_poll;
	cr_expect_eq(flushed, receives);
	cr_expect_gt(other_ones, 0);
}

Test(qp_drain, ends_on_a_busy_cq)
{
	struct vx_qp *qp = connected(IBV_QPT_RC);

	post_receives(qp, 20);
	drain_among_others(qp, 20);
}

/* Which has no marker. */
Test(qp_drain, with_an_srq_ends_on_a_busy_cq)
{
	struct vx_qp *other = connected(IBV_QPT_RC), *qp;
	struct vx_ctx *ctx = (struct vx_ctx *)path_to_itself(other).ctx;
	struct vx_path path;
	struct vx_srq *srq;
	struct vx_cq *cq;
	struct vx_pd *pd;

	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 100 }, &cq));
	made(vx_srq_create(pd, NULL, &srq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .srq = srq }, &qp));
	path = path_to_itself(qp);
	path.dqpn = 0xfffff;
	made(vx_qp_to_rts(qp, &path));
	post_sends(qp, 7);
	drain_among_others(qp, 7);
}

Test(qp_drain, of_what_was_given_nothing_is_done_at_once)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);

	cr_expect_eq(vx_qp_drain(qp, 0, NULL, NULL), 0);
	cr_expect_eq(vx_qp_state(qp), IBV_QPS_RESET);
	cr_expect_eq(vx_qp_drain(NULL, 0, NULL, NULL), -EINVAL);
}

/* As libsiw's does: of the attributes nothing is filled, which is IBV_QPS_RESET by chance. */
static int query_no_state(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)mask;
	*attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET };
	*init = (struct ibv_qp_init_attr){ .qp_type = qp->qp_type, .cap = { .max_send_wr = 16, .max_recv_wr = 64 } };
	return 0;
}

Test(qp_drain, of_iwarp_takes_no_state_for_reset_that_was_left_out)
{
	struct vx_qp *qp = connected(IBV_QPT_RC);
	struct ibv_device *device = vx_qp_raw(qp)->context->device;
	const enum ibv_transport_type transport = device->transport_type;

	device->transport_type = IBV_TRANSPORT_IWARP;
	made(vx_loader_replace("ibv_query_qp", (vx_function)query_no_state));
	post_receives(qp, 20);
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(flushed, 20);
	cr_expect_eq(vx_qp_raw(qp)->state, IBV_QPS_ERR);
	cr_expect_eq(vx_qp_drain(new_qp(IBV_QPT_RC), 0, count_one, qp), 0, "one that was never moved");
	device->transport_type = transport;
}

/* What is missing first, a marker or the quiet after it, depends on who is faster. */
Test(qp_drain, tells_when_it_takes_too_long)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);

	made(vx_qp_to_rts(qp, NULL));
	cr_expect_eq(vx_qp_drain(qp, 0, count_one, qp), -EAGAIN);
	expect_reason(" in time");
	cr_expect_eq(state_of(qp), IBV_QPS_ERR, "what was begun can be gone on with");
	cr_expect_eq(vx_qp_drain(qp, 5000, count_one, qp), 0, "%s", vx_error_text());
	cr_expect_eq(strange, 0, "markers are not shown, whichever time they were posted");
}

Test(qp_drain, calls_no_queue_full_that_it_had_no_time_to_look_at)
{
	struct vx_qp *qp = connected(IBV_QPT_RC);

	post_receives(qp, 20);
	made(vx_qp_to_err(qp));
	usleep(20000);
	cr_expect_eq(vx_qp_drain(qp, 0, count_one, qp), -EAGAIN);
	expect_reason("its CQs could not be looked through in time");
}

/* Nobody may take what a drain that had no time has posted for a request of the program. */
Test(qp_drain, leaves_nothing_that_cannot_be_dispatched)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);
	struct vx_cq *cq;
	int rc, count = 0, patience = 5000;

	made(vx_cq_borrow((struct vx_ctx *)path_to_itself(qp).ctx, vx_qp_raw(qp)->recv_cq, &cq));
	made(vx_qp_to_rts(qp, NULL));
	cr_expect_eq(vx_qp_drain(qp, 0, count_one, qp), -EAGAIN);
	for (; !count && !strange && patience; patience--, usleep(1000)) {
		rc = vx_cq_dispatch(cq, 16);
		cr_assert_geq(rc, 0);
		count += rc;
	}
	cr_expect(count + (int)strange > 0 || !patience);
	cr_expect_eq(strange, 0);
	vx_close(cq);
}
