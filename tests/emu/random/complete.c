/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What comes back: completions, events of CQs, asynchronous events. */
#include "random.h"

#include <fcntl.h>
#include <unistd.h>

enum {
	POLL_MAX = 16,
	WAIT_TRIES = 8,
	WAIT_US = 100,
	DRAIN_TRIES = 20000,
	DRAIN_US = 100
};

static unsigned long seen; /* completions */

static void check(const struct ibv_wc *wc)
{
	struct test_qp *t = find_qp(wc->wr_id >> 32);
	struct counted_queue *q;

	seen++;
	if (wc->status < ARRAY_SIZE(record->statuses))
		record->statuses[wc->status]++;
	if (wc->wr_id == FREE_ID)
		return;
	if (!t)
		fail("a completion of no QP: %llx", (unsigned long long)wc->wr_id);
	q = wc->wr_id & RECV_BIT ? &t->rq : &t->sq;
	if (((uint32_t)wc->wr_id & ~RECV_BIT) != q->completed)
		fail("qp %x: completion %u instead of %u", t->qp->qp_num, (uint32_t)wc->wr_id, q->completed);
	if (q->completed++ == q->posted)
		fail("qp %x: more completions than requests", t->qp->qp_num);
}

/* One by one: an error would hide those before it */
static void poll_cq(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	for (int i = 0; i < POLL_MAX; i++) {
		int n = ibv_poll_cq(cq, 1, &wc);

		if (n < 0 && !world.xrc_srq_gone)
			fail("poll_cq returns %d", n);
		if (n == 1)
			check(&wc);
		else if (!n)
			break;
	}
}

static void read_channel(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(channel, &cq, &context)) {
		if (!is_live(CQ, cq))
			fail("an event of a CQ that is no more");
		ibv_ack_cq_events(cq, 1);
		record->cq_events++;
	}
}

static bool is_of_live_object(const struct ibv_async_event *e)
{
	switch (e->event_type) {
	case IBV_EVENT_CQ_ERR:
		return is_live(CQ, e->element.cq);
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return is_live(SRQ, e->element.srq);
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		for (int i = 0; i < MAX_EACH; i++) {
			const struct test_qp *t = world.object[QP][i];

			if (t && t->qp == e->element.qp)
				return true;
		}
		return false;
	default:
		return true;
	}
}

static void read_async_events(void)
{
	struct ibv_async_event e;

	fcntl(world.ctx->async_fd, F_SETFL, O_NONBLOCK);
	while (!ibv_get_async_event(world.ctx, &e)) {
		if (!is_of_live_object(&e))
			fail("%s of an object that is no more", ibv_event_type_str(e.event_type));
		if (e.event_type < ARRAY_SIZE(record->async_events))
			record->async_events[e.event_type]++;
		ibv_ack_async_event(&e);
	}
}

void poll_all(void)
{
	for (int i = 0; i < MAX_EACH; i++) {
		if (world.object[CQ][i])
			poll_cq(world.object[CQ][i]);
		if (world.object[CHANNEL][i])
			read_channel(world.object[CHANNEL][i]);
	}
	read_async_events();
}

/* The device does not look at its queues at once */
void wait_and_poll(void)
{
	unsigned long before = seen;

	for (int tries = 0; seen == before && tries < WAIT_TRIES; tries++) {
		usleep(WAIT_US);
		poll_all();
	}
}

static bool is_drained(const struct test_qp *t)
{
	return t->sq.completed == t->sq.posted && t->rq.completed == t->rq.posted;
}

/* In the error state everything completes, soon; a DCT, or a QP in RESET, has nothing to complete and cannot go there */
void drain(void)
{
	for (int i = 0; i < MAX_EACH; i++) {
		struct test_qp *t = world.object[QP][i];

		if (!t || t->qp->state == IBV_QPS_RESET)
			continue;
		if (!change_state(t, IBV_QPS_ERR) && (t->sends || t->receives))
			fail("no way to the error state");
		for (int tries = 0; !is_drained(t); tries++) {
			if (tries == DRAIN_TRIES)
				fail("qp %x: %u of %u sends and %u of %u receives completed", t->qp->qp_num,
				     t->sq.completed, t->sq.posted, t->rq.completed, t->rq.posted);
			poll_all();
			usleep(DRAIN_US);
		}
	}
}
