/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a flow table, a group and an entry of mailboxes are like, as they were asked for and changed. */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_ft.h"
#include "objects/flow_matcher.h"
#include "objects/flow_table.h"

/* The kernel lets nobody ask with the handle of one object for another */
static void *queried(struct call *c, const struct mailboxes *m, enum kind kind, size_t size)
{
	return m->out_len >= size ? call_object(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, kind) : NULL;
}

static bool is_of(const struct flow_table *t, const uint8_t *in)
{
	return prm_get(in, FT_TABLE_ID) == t->o.number && flow_table_fits(t, in);
}

int flow_table_query(struct call *c, struct mailboxes *m)
{
	const struct flow_table *t = queried(c, m, FLOW_TABLE, QUERY_FLOW_TABLE_SIZE);

	if (!t || prm_get(m->in, FT_TABLE_ID) != t->o.number)
		return EINVAL;
	if (!is_of(t, m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	prm_set(m->out, FTC_REFORMAT_EN, t->reformats);
	prm_set(m->out, FTC_DECAP_EN, t->decapsulates);
	prm_set(m->out, FTC_LEVEL, t->level);
	prm_set(m->out, FTC_LOG_SIZE, __builtin_ctz(t->entries));
	prm_set(m->out, FTC_TABLE_MISS_ACTION, t->miss ? MISS_GO_TO_TABLE : MISS_DEFAULT);
	prm_set(m->out, FTC_TABLE_MISS_ID, t->miss ? t->miss->o.number : 0);
	return 0;
}

int flow_group_query(struct call *c, struct mailboxes *m)
{
	const struct flow_group *g = queried(c, m, FLOW_GROUP, MATCH_CRITERIA_AT + FTE_SIZE);

	if (!g || prm_get(m->in, QUERY_FG_GROUP_ID) != g->o.number)
		return EINVAL;
	if (!is_of(g->table, m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	prm_set(m->out, FG_START_FLOW_INDEX, g->first);
	prm_set(m->out, FG_END_FLOW_INDEX, g->last);
	prm_set(m->out, FG_MATCH_CRITERIA_ENABLE, g->criteria);
	memcpy(m->out + MATCH_CRITERIA_AT, g->mask, FTE_SIZE);
	return 0;
}

static uint32_t number_of(const struct flow_action *a)
{
	return a ? a->o.number : 0;
}

static void put_lists(uint8_t *at, const struct flow_deeds *d)
{
	for (uint32_t i = 0; i < d->ndestinations; i++, at += FTE_LIST_ENTRY) {
		prm_set(at, DESTINATION_TYPE, d->destinations[i]->kind == TIR ? DESTINATION_TIR : DESTINATION_FLOW_TABLE);
		prm_set(at, DESTINATION_ID, d->destinations[i]->number);
	}
	if (d->counter)
		prm_set(at, FTE_COUNTER_ID, ((const struct object *)d->counter)->number);
}

int flow_entry_query(struct call *c, struct mailboxes *m)
{
	const struct table_entry *e = queried(c, m, FLOW_ENTRY, FTE_LISTS_AT);
	uint32_t lists = e ? e->does.ndestinations + !!e->does.counter : 0;

	if (!e || prm_get(m->in, FTE_FLOW_INDEX) != e->index || m->out_len < FTE_LISTS_AT + FTE_LIST_ENTRY * lists)
		return EINVAL;
	if (!is_of(e->group->table, m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	prm_set(m->out, FTE_GROUP_ID, e->group->o.number);
	prm_set(m->out, FTE_FLOW_TAG, e->does.tag);
	prm_set(m->out, FTE_ACTION, e->does.action);
	prm_set(m->out, FTE_DESTINATION_LIST_SIZE, e->does.ndestinations);
	prm_set(m->out, FTE_FLOW_COUNTER_LIST_SIZE, !!e->does.counter);
	prm_set(m->out, FTE_MODIFY_HEADER_ID, number_of(e->does.modify));
	prm_set(m->out, FTE_PACKET_REFORMAT_ID, number_of(e->does.reformat));
	prm_set(m->out, FTE_PUSH_VLAN, e->does.push[0]);
	prm_set(m->out, FTE_PUSH_VLAN_2, e->does.push[1]);
	memcpy(m->out + MATCH_VALUE_AT, e->value, FTE_SIZE);
	put_lists(m->out + FTE_LISTS_AT, &e->does);
	return 0;
}
