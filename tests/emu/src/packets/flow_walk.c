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

static bool forward(const struct flow_deeds *d, const struct frame *f, uint32_t tag, flow_end *end)
{
	bool leaves = false;

	for (uint32_t i = 0; i < d->ndestinations; i++) {
		const struct object *to = d->destinations[i];

		if (to->kind == TIR)
			end((const struct tir *)to, f, tag);
		else
			leaves = flow_walk((const struct flow_table *)to, f, tag, end);
	}
	return leaves;
}

/* Levels only rise, so it ends */
bool flow_walk(const struct flow_table *t, const struct frame *f, uint32_t tag, flow_end *end)
{
	const struct table_entry *e = find_entry(t, f);

	if (!e)
		return t->miss ? flow_walk(t->miss, f, tag, end) : t->egress;
	if (e->does.action & FTE_COUNT)
		flow_counter_add(e->does.counter, f->len);
	if (e->does.action & FTE_FORWARD)
		return forward(&e->does, f, e->does.tag ? e->does.tag : tag, end);
	return e->does.action & FTE_ALLOW;
}
