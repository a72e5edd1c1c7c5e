/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The way of a frame: out of a port, back to it, and through the flows to a receive queue. */
#include "packets/steer.h"

#include <infiniband/mlx5dv.h>

#include "engine/receive.h"
#include "objects/counters.h"
#include "objects/flow.h"
#include "objects/port.h"
#include "objects/port_state.h"
#include "objects/qp.h"
#include "objects/wq.h"
#include "packets/frame.h"
#include "packets/rss.h"

static void deliver(struct qp *q, const struct frame *f, uint32_t tag)
{
	struct completion c = {
		.opcode = MLX5_CQE_RESP_SEND, .byte_count = f->len, .is_steered = true, .flow_tag = tag
	};
	struct part all = { f->data, 0, f->len, true, true };
	struct incoming in = { .taken = false };
	struct wq *w;

	if (q->rwq_table) {
		w = rwq_table_pick(q->rwq_table, rss_hash(&q->rss, &f->outer));
		if (w->state == IBV_WQS_RDY)
			receive_wq(w, &all, &c);
	} else if (qp_is_receiving(q)) {
		if (receive(q, q->srq, &in, &all, &c) > 0)
			qp_error(q, NO_EVENT);
	}
}

static bool is_for(const struct flow *w, const struct frame *f, uint8_t port)
{
	if (w->port != port || w->type == IBV_FLOW_ATTR_SNIFFER)
		return false;
	if (w->type == IBV_FLOW_ATTR_MC_DEFAULT)
		return frame_is_multicast(f);
	return matches_frame(&w->matches, f);
}

/* Flows that ask for the same are one rule: all have it */
static bool is_same_rule(const struct flow *a, const struct flow *b)
{
	return a->rank == b->rank && a->type == b->type && matches_equal(&a->matches, &b->matches);
}

/* Some flow before it, of the same rule, has the same QP */
static bool is_served(const struct flow *rule, const struct flow *w)
{
	for (; rule != w; rule = TAILQ_NEXT(rule, link))
		if (rule->qp == w->qp && rule->port == w->port && is_same_rule(rule, w))
			return true;
	return false;
}

static void apply(const struct flow *rule, const struct frame *f, uint8_t port)
{
	const struct flow *w;

	for (w = rule; w; w = TAILQ_NEXT(w, link)) {
		if (!is_for(w, f, port) || !is_same_rule(w, rule))
			continue;
		if (w->counters)
			counters_count(w->counters, f->len);
		if (!w->drop && !is_served(rule, w))
			deliver(w->qp, f, rule->tag);
	}
}

/* The first rule has it, and one of a later rank where the first lets it go on */
static void arrive(const struct frame *f, uint8_t port)
{
	const struct flow *w;
	uint32_t from = 0;

	TAILQ_FOREACH(w, &flow_list, link)
	{
		if (w->rank < from || !is_for(w, f, port))
			continue;
		apply(w, f, port);
		if (!w->dont_trap || w->drop)
			return;
		from = w->rank + 1;
	}
}

/* Sniffers see all that goes out and all that comes in */
static void sniff(const struct frame *f, uint8_t port)
{
	const struct flow *w;

	TAILQ_FOREACH(w, &flow_list, link)
	{
		if (w->type == IBV_FLOW_ATTR_SNIFFER && w->port == port)
			deliver(w->qp, f, 0);
	}
}

void steer_send(const struct qp *from, const uint8_t *data, uint32_t len)
{
	uint8_t port = from->attr.port_num;
	struct frame f;

	if (!port_is_up(port_get(port)))
		return;
	frame_parse(&f, data, len);
	sniff(&f, port);
	sniff(&f, port);
	arrive(&f, port);
}
