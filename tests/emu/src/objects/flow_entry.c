/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Entries of flow tables (FTE) by mailbox: what they are for, and what they do. */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_ft.h"
#include "objects/flow_matcher.h"
#include "objects/flow_table.h"

/* What comes goes to TIRs, and both on to tables of a higher level */
static struct object *destination(const struct call *c, const struct flow_table *from, const uint8_t *at)
{
	uint32_t type = prm_get(at, DESTINATION_TYPE), id = prm_get(at, DESTINATION_ID);
	struct flow_table *t;

	if (type == DESTINATION_TIR)
		return from->egress ? NULL : call_numbered(c, TIR, id);
	t = type == DESTINATION_FLOW_TABLE ? call_numbered(c, FLOW_TABLE, id) : NULL;
	return t && t->egress == from->egress && t->level > from->level ? &t->o : NULL;
}

/* Tags go on what leaves and come off what comes, a second one after the first */
static bool tags_are_known(uint32_t action, bool egress)
{
	uint32_t of_others = egress ? FTE_VLAN_POP | FTE_VLAN_POP_2 : FTE_VLAN_PUSH | FTE_VLAN_PUSH_2;

	return !(action & of_others) && (!(action & FTE_VLAN_POP_2) || action & FTE_VLAN_POP) &&
	       (!(action & FTE_VLAN_PUSH_2) || action & FTE_VLAN_PUSH);
}

/* A tunnel is entered or left once, where the table is made for it */
static bool changes_are_known(const struct flow_deeds *d, const struct flow_table *t)
{
	uint32_t tunnel = d->action & (FTE_REFORMAT | FTE_DECAP);

	return !(d->action & FTE_MODIFY_HEADER) == !d->modify && !(d->action & FTE_REFORMAT) == !d->reformat &&
	       tags_are_known(d->action, t->egress) &&
	       (!tunnel || (tunnel == FTE_REFORMAT && t->reformats) || (tunnel == FTE_DECAP && t->decapsulates));
}

/* It ends somewhere: at the wire, nowhere, or at its destinations; of these, what leaves has one at most */
static bool action_is_known(const struct flow_deeds *d, const struct flow_table *t)
{
	uint32_t end = d->action & ~(uint32_t)(FTE_COUNT | FTE_CHANGES);

	return changes_are_known(d, t) && (end == FTE_DROP || (end == FTE_ALLOW && t->egress) || end == FTE_FORWARD) &&
	       (end == FTE_FORWARD) == (d->ndestinations > 0) && (!t->egress || d->ndestinations < 2) &&
	       !(d->action & FTE_COUNT) == !d->counter;
}

/* Destinations, then counters, whichever of them are looked at */
static const uint8_t *list(const struct mailboxes *m, uint32_t before, uint32_t n)
{
	return m->in_len >= FTE_LISTS_AT + FTE_LIST_ENTRY * (before + n) ? m->in + FTE_LISTS_AT + FTE_LIST_ENTRY * before :
									   NULL;
}

static bool set_destinations(const struct call *c, struct flow_deeds *d, const struct flow_table *t, const struct mailboxes *m)
{
	uint32_t n = prm_get(m->in, FTE_DESTINATION_LIST_SIZE);
	const uint8_t *at = list(m, 0, n);

	if (prm_get(m->in, FTE_EXTENDED_DESTINATION) || n > MAX_DESTINATIONS || !at)
		return false;
	d->ndestinations = n;
	for (uint32_t i = 0; i < n; i++) {
		d->destinations[i] = destination(c, t, at + FTE_LIST_ENTRY * i);
		if (!d->destinations[i])
			return false;
	}
	return true;
}

/* What a mailbox made for tables of that kind, or NULL */
static struct flow_action *header_change(const struct call *c, const struct flow_table *t, uint32_t id, bool modifies)
{
	struct flow_action *a = call_numbered(c, FLOW_ACTION, id);

	return a && a->o.by_devx && a->egress == t->egress && flow_action_modifies(a) == modifies ? a : NULL;
}

static void set_action(const struct call *c, struct flow_deeds *d, const struct flow_table *t, const uint8_t *in)
{
	d->action = prm_get(in, FTE_ACTION);
	d->modify = d->action & FTE_MODIFY_HEADER ? header_change(c, t, prm_get(in, FTE_MODIFY_HEADER_ID), true) : NULL;
	d->reformat = d->action & FTE_REFORMAT ? header_change(c, t, prm_get(in, FTE_PACKET_REFORMAT_ID), false) : NULL;
	d->push[0] = prm_get(in, FTE_PUSH_VLAN);
	d->push[1] = prm_get(in, FTE_PUSH_VLAN_2);
}

static bool set_counter(const struct call *c, struct flow_deeds *d, const struct mailboxes *m)
{
	uint32_t n = prm_get(m->in, FTE_FLOW_COUNTER_LIST_SIZE);
	const uint8_t *at = list(m, prm_get(m->in, FTE_DESTINATION_LIST_SIZE), n);

	if (n > 1 || !at)
		return false;
	d->counter = n ? call_numbered(c, FLOW_COUNTER, prm_get(at, FTE_COUNTER_ID)) : NULL;
	return !n == !d->counter;
}

/* What the mask names is as the mailbox has it */
static bool describe(const struct call *c, struct flow_deeds *d, const struct flow_table *t, const struct mailboxes *m,
		     uint32_t mask)
{
	if (mask & ~(uint32_t)MODIFY_ALL || flow_table_lacks(m->in, FTE_IGNORE_FLOW_LEVEL, "ignore_flow_level"))
		return false;
	if (mask & MODIFY_ACTION)
		set_action(c, d, t, m->in);
	if (mask & MODIFY_TAG)
		d->tag = prm_get(m->in, FTE_FLOW_TAG);
	return (!(mask & MODIFY_DESTINATIONS) || set_destinations(c, d, t, m)) &&
	       (!(mask & MODIFY_COUNTERS) || set_counter(c, d, m)) && action_is_known(d, t);
}

static void hold(const struct flow_deeds *d)
{
	for (uint32_t i = 0; i < d->ndestinations; i++)
		object_hold(d->destinations[i]);
	object_hold((struct object *)d->counter);
	object_hold((struct object *)d->modify);
	object_hold((struct object *)d->reformat);
}

static void let_go(const struct flow_deeds *d)
{
	for (uint32_t i = 0; i < d->ndestinations; i++)
		object_drop(d->destinations[i]);
	object_drop((struct object *)d->counter);
	object_drop((struct object *)d->modify);
	object_drop((struct object *)d->reformat);
}

/* By its index; false where there is one already */
static bool insert(struct flow_table *t, struct table_entry *e)
{
	struct table_entry *after;

	TAILQ_FOREACH(after, &t->list, link)
	{
		if (after->index == e->index)
			return false;
		if (after->index > e->index) {
			TAILQ_INSERT_BEFORE(after, e, link);
			return true;
		}
	}
	TAILQ_INSERT_TAIL(&t->list, e, link);
	return true;
}

static bool is_place(const struct flow_group *g, const struct mailboxes *m)
{
	uint32_t index = prm_get(m->in, FTE_FLOW_INDEX);

	return g && prm_get(m->in, FT_TABLE_ID) == g->table->o.number && flow_table_fits(g->table, m->in) && index >= g->first && index <= g->last;
}

int flow_entry_set(struct call *c, struct mailboxes *m)
{
	struct flow_group *g = call_numbered(c, FLOW_GROUP, prm_get(m->in, FTE_GROUP_ID));
	struct flow_deeds does = { .counter = NULL };
	struct table_entry *e;

	if (!is_place(g, m) || !describe(c, &does, g->table, m, MODIFY_ALL))
		return devx_refuse(m, STATUS_BAD_PARAM);
	e = object_new(c->ctx, FLOW_ENTRY, sizeof(*e), NULL);
	if (!e)
		return devx_refuse(m, STATUS_LIM);
	e->index = prm_get(m->in, FTE_FLOW_INDEX);
	if (!insert(g->table, e)) {
		object_free(&e->o);
		return devx_refuse(m, STATUS_BAD_RES_STATE);
	}
	e->group = g;
	e->does = does;
	memcpy(e->value, m->in + MATCH_VALUE_AT, FTE_SIZE);
	object_hold(&g->o);
	hold(&does);
	devx_made(c, &e->o);
	return 0;
}

/* The kernel takes no other op_mod for a change */
int flow_entry_modify(struct call *c, struct mailboxes *m)
{
	struct table_entry *e = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, FLOW_ENTRY);
	struct flow_deeds does;

	if (!e)
		return ENOENT;
	if (prm_get(m->in, CMD_OP_MOD) != 1 || !is_place(e->group, m) || prm_get(m->in, FTE_FLOW_INDEX) != e->index)
		return EINVAL;
	does = e->does;
	if (!describe(c, &does, e->group->table, m, prm_get(m->in, FTE_MODIFY_ENABLE_MASK)))
		return devx_refuse(m, STATUS_BAD_PARAM);
	hold(&does);
	let_go(&e->does);
	e->does = does;
	return 0;
}

/* One that has no place yet is in no list */
void flow_entry_release(struct object *o)
{
	struct table_entry *e = (struct table_entry *)o;

	if (!e->group)
		return;
	TAILQ_REMOVE(&e->group->table->list, e, link);
	let_go(&e->does);
	object_drop(&e->group->o);
}
