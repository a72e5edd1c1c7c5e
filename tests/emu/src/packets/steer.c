/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The way of a frame: out of a port, to other processes or back to it, and through the flows to a receive queue. */
#include "packets/steer.h"

#include <string.h>
#include <infiniband/mlx5dv.h>

#include "config.h"
#include "engine/receive.h"
#include "objects/counters.h"
#include "objects/flow.h"
#include "objects/flow_matcher.h"
#include "objects/port.h"
#include "objects/port_state.h"
#include "objects/qp.h"
#include "objects/tir.h"
#include "objects/wq.h"
#include "packets/fabric.h"
#include "packets/flow_walk.h"
#include "packets/frame.h"
#include "packets/message.h"
#include "packets/rss.h"

static struct completion completion_of(const struct frame *f, uint32_t tag)
{
	return (struct completion){
		.opcode = MLX5_CQE_RESP_SEND, .byte_count = f->len, .is_steered = true, .flow_tag = tag
	};
}

static void deliver_to_queue(struct wq *w, const struct frame *f, uint32_t tag)
{
	struct completion c = completion_of(f, tag);
	struct part all = { f->data, 0, f->len, true, true };

	if (w->state == IBV_WQS_RDY)
		receive_wq(w, &all, &c);
}

static void deliver_to_tir(const struct tir *t, const struct frame *f, uint32_t tag)
{
	deliver_to_queue(tir_pick(t, &f->outer), f, tag);
}

static void deliver_to_qp(struct qp *q, const struct frame *f, uint32_t tag)
{
	struct completion c = completion_of(f, tag);
	struct part all = { f->data, 0, f->len, true, true };
	struct incoming in = { .taken = false };

	if (q->rwq_table)
		deliver_to_queue(rwq_table_pick(q->rwq_table, rss_hash(&q->rss, &f->outer)), f, tag);
	else if (qp_is_receiving(q) && receive(q, q->srq, &in, &all, &c) > 0)
		qp_error(q, NO_EVENT);
}

static void deliver(const struct flow *to, const struct frame *f, uint32_t tag)
{
	struct frame mine = *f;

	if (to->table)
		flow_walk(to->table, &mine, tag, deliver_to_tir, NULL);
	else if (to->tir)
		deliver_to_tir(to->tir, f, tag);
	else
		deliver_to_qp(to->qp, f, tag);
}

static bool is_of_device(const struct flow *w, uint8_t port)
{
	return w->o.device == port_get(port)->device;
}

static bool is_for(const struct flow *w, const struct frame *f, uint8_t port)
{
	if (!is_of_device(w, port) || (w->port && w->port != port) || w->type == IBV_FLOW_ATTR_SNIFFER || w->egress)
		return false;
	if (w->matcher)
		return fte_matches(w->matcher->mask, w->value, f);
	if (w->type == IBV_FLOW_ATTR_MC_DEFAULT)
		return frame_is_multicast(f);
	return matches_frame(&w->matches, f);
}

static bool leads_as(const struct flow *a, const struct flow *b)
{
	return a->qp == b->qp && a->tir == b->tir && a->table == b->table;
}

/* Some flow before it, of the same rule, has the same QP */
static bool is_served(const struct flow *rule, const struct flow *w)
{
	for (; rule != w; rule = TAILQ_NEXT(rule, link))
		if (leads_as(rule, w) && rule->port == w->port && flow_is_same_rule(rule, w))
			return true;
	return false;
}

static void count(const struct flow *w, uint32_t len)
{
	if (w->counters)
		counters_count(w->counters, len);
	if (w->counter)
		flow_counter_add(w->counter, len);
}

static void change(const struct flow *w, struct rewrite *r, const struct frame *f)
{
	rewrite_begin(r, f);
	for (uint32_t i = 0; i < w->nactions; i++)
		w->actions[i]->run(w->actions[i], r);
}

static void deliver_changed(const struct flow *w, const struct frame *f, uint32_t tag)
{
	struct rewrite r;
	struct frame changed;

	if (!w->nactions) {
		deliver(w, f, tag);
		return;
	}
	change(w, &r, f);
	frame_parse(&changed, r.data, r.len);
	deliver(w, &changed, tag);
}

static void apply(const struct flow *rule, const struct frame *f, uint8_t port)
{
	const struct flow *w;

	for (w = rule; w; w = TAILQ_NEXT(w, link)) {
		if (!is_for(w, f, port) || !flow_is_same_rule(w, rule))
			continue;
		count(w, f->len);
		if ((w->qp || w->tir || w->table) && !w->drop && !is_served(rule, w))
			deliver_changed(w, f, rule->tag);
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
		if (!w->miss && (!w->dont_trap || w->drop))
			return;
		from = w->miss ? FLOW_RANK_DEFAULT : w->rank + 1;
	}
}

/* What flows do with a frame before it leaves; false where it does not */
static bool leave(struct frame *f, uint8_t port, struct rewrite *r)
{
	const struct flow *w;

	TAILQ_FOREACH(w, &flow_list, link)
	{
		if (!w->egress || !is_of_device(w, port) || !fte_matches(w->matcher->mask, w->value, f))
			continue;
		count(w, f->len);
		if (w->nactions) {
			change(w, r, f);
			frame_parse(f, r->data, r->len);
		}
		return !w->drop && (!w->table || flow_walk(w->table, f, 0, NULL, r));
	}
	return true;
}

/* Sniffers see all that goes out and all that comes in */
static void sniff(const struct frame *f, uint8_t port)
{
	const struct flow *w;

	TAILQ_FOREACH(w, &flow_list, link)
	{
		if (w->type == IBV_FLOW_ATTR_SNIFFER && w->port == port)
			deliver(w, f, 0);
	}
}

/* It is in at a port */
static void enter(const struct frame *f, uint8_t port)
{
	sniff(f, port);
	arrive(f, port);
}

static void come_in(const struct frame *f, const struct port *p)
{
	if (p->ethernet && port_is_up(p))
		enter(f, p->number);
}

/* One that is for nobody in particular comes to all ports, as by a switch, also to the one that it has left */
static void come_to_all(const struct frame *f)
{
	const struct port *p;

	for (uint32_t n = 1; (p = port_get(n)); n++)
		come_in(f, p);
}

/* The port that has the MAC, or NULL; @gid: what that has made */
static const struct port *port_for(const struct frame *f, uint8_t gid[GID_SIZE])
{
	gid_from_mac(gid, f->outer.eth);
	return frame_is_multicast(f) ? NULL : port_by_gid(gid);
}

/* To whoever has the MAC; where nobody has it alone, to all */
static void go(const struct frame *f)
{
	uint8_t gid[GID_SIZE];
	const struct port *p = port_for(f, gid);
	struct address to = address_of_gid(gid);

	if (p && !config.one_host) {
		come_in(f, p);
		return;
	}
	if (!p && !frame_is_multicast(f) && message_frame(&to, f->data, f->len) != LINK_DEAD)
		return;
	message_frame_to_all(f->data, f->len);
	if (p)
		come_in(f, p);
	else
		come_to_all(f);
}

void steer_send(const struct qp *from, const uint8_t *data, uint32_t len)
{
	uint8_t port = from->attr.port_num;
	struct rewrite changed;
	struct frame f;

	if (!port_is_up(port_get(port)))
		return;
	frame_parse(&f, data, len);
	if (!leave(&f, port, &changed))
		return;
	sniff(&f, port);
	if (f.outer.eth)
		go(&f);
	else
		enter(&f, port);
}

void steer_receive(const uint8_t *data, uint32_t len)
{
	uint8_t gid[GID_SIZE];
	const struct port *p;
	struct frame f;

	frame_parse(&f, data, len);
	if (!f.outer.eth)
		return;
	p = port_for(&f, gid);
	if (p)
		come_in(&f, p);
	else
		come_to_all(&f);
}
