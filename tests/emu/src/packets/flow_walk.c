/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/flow_walk.h"

#include "calls/prm_ft.h"
#include "objects/flow_matcher.h"
#include "objects/flow_table.h"
#include "objects/tir.h"

static const struct table_entry *find_entry(const struct flow_table *t, const struct frame *f)
{
	const struct table_entry *e;

	TAILQ_FOREACH(e, &t->list, link)
	{
		if (fte_matches(e->group->mask, e->value, f))
			return e;
	}
	return NULL;
}

static bool forward(const struct flow_deeds *d, struct frame *f, uint32_t tag, flow_end *end, struct rewrite *room)
{
	bool leaves = false;

	for (uint32_t i = 0; i < d->ndestinations; i++) {
		const struct object *to = d->destinations[i];

		if (to->kind == TIR)
			end((const struct tir *)to, f, tag);
		else
			leaves = flow_walk((const struct flow_table *)to, f, tag, end, room);
	}
	return leaves;
}

static bool go_on(const struct flow_deeds *d, struct frame *f, uint32_t tag, flow_end *end, struct rewrite *room)
{
	if (d->action & FTE_FORWARD)
		return forward(d, f, d->tag ? d->tag : tag, end, room);
	return d->action & FTE_ALLOW;
}

static void pop_and_modify(const struct flow_deeds *d, struct rewrite *r)
{
	if (d->action & FTE_VLAN_POP)
		rewrite_pop_vlan(r);
	if (d->action & FTE_VLAN_POP_2)
		rewrite_pop_vlan(r);
	if (d->modify)
		d->modify->run(d->modify, r);
}

static void push(const struct flow_deeds *d, struct rewrite *r)
{
	if (d->action & FTE_VLAN_PUSH)
		rewrite_push_vlan(r, d->push[0]);
	if (d->action & FTE_VLAN_PUSH_2)
		rewrite_push_vlan(r, d->push[1]);
}

/* What is changed is the frame without its tunnel */
static void change_frame(const struct flow_deeds *d, struct frame *f, struct rewrite *r)
{
	rewrite_begin(r, f);
	if (d->action & FTE_DECAP)
		rewrite_decapsulate(r);
	if (d->reformat && !d->reformat->egress)
		d->reformat->run(d->reformat, r);
	pop_and_modify(d, r);
	push(d, r);
	if (d->reformat && d->reformat->egress)
		d->reformat->run(d->reformat, r);
	frame_parse(f, r->data, r->len);
}

/* Other ways have the frame as it was */
static bool go_on_changed(const struct flow_deeds *d, struct frame f, uint32_t tag, flow_end *end)
{
	struct rewrite r;

	change_frame(d, &f, &r);
	return go_on(d, &f, tag, end, NULL);
}

/* Levels only rise, so it ends */
bool flow_walk(const struct flow_table *t, struct frame *f, uint32_t tag, flow_end *end, struct rewrite *room)
{
	const struct table_entry *e = find_entry(t, f);

	if (!e)
		return t->miss ? flow_walk(t->miss, f, tag, end, room) : t->egress;
	if (e->does.action & FTE_COUNT)
		flow_counter_add(e->does.counter, f->len);
	if (!(e->does.action & FTE_CHANGES))
		return go_on(&e->does, f, tag, end, room);
	if (!room)
		return go_on_changed(&e->does, *f, tag, end);
	change_frame(&e->does, f, room);
	return go_on(&e->does, f, tag, end, room);
}
