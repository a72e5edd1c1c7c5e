/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flow tables and their groups by mailbox; the entries are in flow_entry.c. */
#include "objects/flow_table.h"

#include <string.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_ft.h"
#include "trace.h"

bool flow_table_lacks(const uint8_t *in, struct field asked, const char *what)
{
	if (!prm_get(in, asked))
		return false;
	complain("%s is not emulated", what);
	return true;
}

static bool is_elsewhere(const uint8_t *in)
{
	return flow_table_lacks(in, FT_OTHER_VPORT, "a flow table of another vport");
}

bool flow_table_fits(const struct flow_table *t, const uint8_t *in)
{
	return !is_elsewhere(in) && prm_get(in, FT_TABLE_TYPE) == (t->egress ? TABLE_TYPE_NIC_TX : TABLE_TYPE_NIC_RX);
}

/* Software has no table of its own here; and nothing comes off what leaves */
static bool describe(const struct call *c, struct flow_table *t, const uint8_t *in)
{
	uint32_t type = prm_get(in, FT_TABLE_TYPE), miss = prm_get(in, FTC_TABLE_MISS_ACTION);

	if (type > TABLE_TYPE_NIC_TX || miss > MISS_GO_TO_TABLE || prm_get(in, FTC_SW_OWNER) ||
	    (type == TABLE_TYPE_NIC_TX && prm_get(in, FTC_DECAP_EN)) || prm_get(in, FTC_LOG_SIZE) > LOG_MAX_TABLE_ENTRIES ||
	    prm_get(in, FTC_LEVEL) > MAX_TABLE_LEVEL || is_elsewhere(in) ||
	    flow_table_lacks(in, FTC_TERMINATION_TABLE, "a flow table at which packets end (termination_table)"))
		return false;
	t->egress = type == TABLE_TYPE_NIC_TX;
	t->reformats = prm_get(in, FTC_REFORMAT_EN);
	t->decapsulates = prm_get(in, FTC_DECAP_EN);
	t->level = prm_get(in, FTC_LEVEL);
	t->entries = 1u << prm_get(in, FTC_LOG_SIZE);
	if (miss == MISS_DEFAULT)
		return true;
	t->miss = call_numbered(c, FLOW_TABLE, prm_get(in, FTC_TABLE_MISS_ID));
	return t->miss && t->miss->egress == t->egress && t->miss->level > t->level;
}

int flow_table_create(struct call *c, struct mailboxes *m)
{
	struct flow_table wanted = { .miss = NULL }, *t;

	if (!call_is_ethernet(c))
		return devx_refuse(m, STATUS_BAD_OP);
	if (!describe(c, &wanted, m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	t = object_new(c->ctx, FLOW_TABLE, sizeof(*t), NULL);
	if (!t)
		return devx_refuse(m, STATUS_LIM);
	wanted.o = t->o;
	*t = wanted;
	LIST_INIT(&t->groups);
	TAILQ_INIT(&t->list);
	object_hold((struct object *)t->miss);
	prm_set(m->out, FT_CREATED, t->o.number);
	devx_made(c, &t->o);
	return 0;
}

void flow_table_release(struct object *o)
{
	object_drop((struct object *)((struct flow_table *)o)->miss);
}

/* An index is of one group */
static bool is_free(const struct flow_table *t, uint32_t first, uint32_t last)
{
	const struct flow_group *g;

	LIST_FOREACH(g, &t->groups, link)
		if (first <= g->last && last >= g->first)
			return false;
	return true;
}

int flow_group_create(struct call *c, struct mailboxes *m)
{
	struct flow_table *t = call_numbered(c, FLOW_TABLE, prm_get(m->in, FT_TABLE_ID));
	uint32_t first = prm_get(m->in, FG_START_FLOW_INDEX), last = prm_get(m->in, FG_END_FLOW_INDEX);
	struct flow_group *g;
	uint8_t mask[FTE_SIZE];

	if (!t || !flow_table_fits(t, m->in) || first > last || last >= t->entries || !is_free(t, first, last) ||
	    fte_set_mask(mask, prm_get(m->in, FG_MATCH_CRITERIA_ENABLE), m->in + MATCH_CRITERIA_AT, FTE_SIZE))
		return devx_refuse(m, STATUS_BAD_PARAM);
	g = object_new(c->ctx, FLOW_GROUP, sizeof(*g), NULL);
	if (!g)
		return devx_refuse(m, STATUS_LIM);
	g->table = t;
	g->first = first;
	g->last = last;
	g->criteria = prm_get(m->in, FG_MATCH_CRITERIA_ENABLE);
	memcpy(g->mask, mask, sizeof(mask));
	LIST_INSERT_HEAD(&t->groups, g, link);
	object_hold(&t->o);
	prm_set(m->out, FT_CREATED, g->o.number);
	devx_made(c, &g->o);
	return 0;
}

void flow_group_release(struct object *o)
{
	struct flow_group *g = (struct flow_group *)o;

	LIST_REMOVE(g, link);
	object_drop(&g->table->o);
}
