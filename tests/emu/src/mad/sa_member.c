/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* MCMemberRecord: ports join groups, and the first one says what a group is like. Who has died has left. */
#include <string.h>

#include "bounds.h"
#include "mad/sa.h"
#include "objects/gid.h"
#include "packets/fabric.h"

#define PACKET_LIFE_TIME 14

enum component {
	MGID,
	PORT_GID,
	Q_KEY,
	MLID,
	MTU_SELECTOR,
	MTU,
	T_CLASS,
	P_KEY,
	RATE_SELECTOR,
	RATE,
	LIFE_TIME_SELECTOR,
	LIFE_TIME,
	SL,
	FLOW_LABEL,
	HOP_LIMIT,
	SCOPE,
	JOIN_STATE,
	PROXY_JOIN
};

const struct field sa_member_fields[SA_MEMBER_FIELDS] = {
	[MGID] = { 0, 128 },
	[PORT_GID] = { 128, 128 },
	[Q_KEY] = { 256, 32 },
	[MLID] = { 288, 16 },
	[MTU_SELECTOR] = { 304, 2 },
	[MTU] = { 306, 6 },
	[T_CLASS] = { 312, 8 },
	[P_KEY] = { 320, 16 },
	[RATE_SELECTOR] = { 336, 2 },
	[RATE] = { 338, 6 },
	[LIFE_TIME_SELECTOR] = { 344, 2 },
	[LIFE_TIME] = { 346, 6 },
	[SL] = { 352, 4 },
	[FLOW_LABEL] = { 356, 20 },
	[HOP_LIMIT] = { 376, 8 },
	[SCOPE] = { 384, 4 },
	[JOIN_STATE] = { 388, 4 },
	[PROXY_JOIN] = { 392, 1 },
};

/* What tells a member, what is a must for one that makes a group, and what a group has */
#define JOINS (1 << MGID | 1 << PORT_GID | 1 << JOIN_STATE)
#define CREATES (JOINS | 1 << Q_KEY | 1 << T_CLASS | 1 << P_KEY | 1 << FLOW_LABEL | 1 << SL)
#define OF_GROUP (1 << Q_KEY | 1 << T_CLASS | 1 << P_KEY | 1 << FLOW_LABEL | 1 << SL | 1 << MLID)
#define SELECTED                                                                                   \
	(1 << MTU_SELECTOR | 1 << MTU | 1 << RATE_SELECTOR | 1 << RATE | 1 << LIFE_TIME_SELECTOR | \
	 1 << LIFE_TIME)

#define FULL_MEMBER 1

static uint32_t get(const uint8_t *record, enum component c)
{
	return prm_get(record, sa_member_fields[c]);
}

static void set(uint8_t *record, enum component c, uint32_t value)
{
	prm_set(record, sa_member_fields[c], value);
}

static bool is_same(const uint8_t *a, const uint8_t *b, enum component c)
{
	return sa_same(a, b, sa_member_fields[c]);
}

/* The record of a row, where prm_get() can read it */
static void read_row(const struct subnet_member *m, uint8_t record[SA_LONGEST_RECORD])
{
	memset(record, 0, SA_LONGEST_RECORD);
	memcpy(record, m->record, sizeof(m->record));
}

/* The first member of a group: what others have to agree to */
struct search {
	const uint8_t *asked;
	uint8_t record[SA_LONGEST_RECORD] __attribute__((aligned(8)));
	bool found;
};

static void find_group(const struct subnet_host *h, void *arg)
{
	struct search *s = arg;
	SA_RECORD(record);

	for (int i = 0; i < MAX_MCAST && !s->found; i++) {
		if (!h->members[i].port)
			continue;
		read_row(&h->members[i], record);
		if (!is_same(record, s->asked, MGID))
			continue;
		memcpy(s->record, record, sizeof(record));
		s->found = true;
	}
}

static bool is_listed(const struct sa_query *q, const uint8_t *record)
{
	for (size_t i = 0; i < q->n; i++)
		if (is_same(q->found + i * sizeof(((struct subnet_member *)0)->record), record, MGID))
			return true;
	return false;
}

/* Each member only for who is trusted; else each group, once */
static void offer_members(const struct subnet_host *h, void *arg)
{
	struct sa_query *q = arg;
	SA_RECORD(record);

	for (int i = 0; i < MAX_MCAST; i++) {
		if (!h->members[i].port)
			continue;
		read_row(&h->members[i], record);
		if (q->sm_key != SA_TRUST)
			memset(record + sa_member_fields[PORT_GID].offset / 8, 0, GID_SIZE);
		if (q->sm_key == SA_TRUST || !is_listed(q, record))
			sa_offer_but(q, record, SELECTED);
	}
}

void sa_each_member(struct sa_query *q)
{
	subnet_each_process(offer_members, q);
}

/* Ports join for themselves */
static uint8_t asking_port(const struct sa_query *q, const struct subnet_host *h)
{
	const uint8_t *gid = q->asked + sa_member_fields[PORT_GID].offset / 8;

	for (int i = 0; i < h->nports; i++)
		for (int j = 0; j < h->ports[i].ngids; j++)
			if (!memcmp(h->ports[i].gids[j], gid, GID_SIZE))
				return h->ports[i].number;
	return 0;
}

/* A row of ours: of that port and group, or one that is free */
static struct subnet_member *find_row(struct subnet_host *h, uint8_t port, const uint8_t *asked)
{
	SA_RECORD(record);

	for (int i = 0; i < MAX_MCAST; i++) {
		read_row(&h->members[i], record);
		if (h->members[i].port == port && (!port || is_same(record, asked, MGID)))
			return &h->members[i];
	}
	return NULL;
}

/* One without a name gets one that nobody else has: with its place, and a number */
static void name_group(uint8_t *record)
{
	static const uint8_t prefix[] = { 0xff, 0x12, 0xa0, 0x1c, 0xfe, 0x80 };
	static const uint8_t none[GID_SIZE];
	static uint32_t count;
	uint32_t place = fabric_place();

	if (memcmp(record, none, GID_SIZE))
		return;
	memcpy(record, prefix, sizeof(prefix));
	prm_set(record, (struct field){ 64, 32 }, place);
	prm_set(record, (struct field){ 96, 32 }, ++count);
}

/* What the first member does not say is as its port has it */
static void make_group(const struct sa_query *q, uint8_t *record, const struct subnet_port *s)
{
	memcpy(record, q->asked, SA_LONGEST_RECORD);
	name_group(record);
	set(record, MLID, subnet_group_lid(record));
	if (!sa_has(q, MTU) || get(record, MTU_SELECTOR) != EXACTLY)
		set(record, MTU, s->mtu);
	if (!sa_has(q, RATE) || get(record, RATE_SELECTOR) != EXACTLY)
		set(record, RATE, sa_rate_of(s));
	if (!sa_has(q, LIFE_TIME) || get(record, LIFE_TIME_SELECTOR) != EXACTLY)
		set(record, LIFE_TIME, PACKET_LIFE_TIME);
	set(record, MTU_SELECTOR, EXACTLY);
	set(record, RATE_SELECTOR, EXACTLY);
	set(record, LIFE_TIME_SELECTOR, EXACTLY);
	if (!sa_has(q, SCOPE))
		set(record, SCOPE, record[1] & 0xf);
	set(record, PROXY_JOIN, 0);
}

static bool agrees(const struct sa_query *q, const uint8_t *group)
{
	for (unsigned int c = 0; c < SA_MEMBER_FIELDS; c++)
		if (OF_GROUP >> c & 1 && sa_has(q, c) && !is_same(q->asked, group, c))
			return false;
	return true;
}

/* The group's record, for a member of that state; or why not */
static uint16_t enter(const struct sa_query *q, uint8_t *record, const struct subnet_port *s)
{
	struct search search = { .asked = q->asked };

	subnet_each_process(find_group, &search);
	if (search.found) {
		memcpy(record, search.record, SA_LONGEST_RECORD);
		return agrees(q, record) ? STATUS_OK : STATUS_SA_REQ_INVALID;
	}
	if (!(get(q->asked, JOIN_STATE) & FULL_MEMBER))
		return STATUS_SA_REQ_INVALID;
	if ((q->mask & CREATES) != CREATES)
		return STATUS_SA_INSUF_COMPS;
	make_group(q, record, s);
	return STATUS_OK;
}

static bool is_group_or_none(const uint8_t *gid)
{
	return !gid[0] || gid_is_multicast(gid);
}

static uint16_t join(struct sa_query *q, uint8_t *record)
{
	struct subnet_host *h = subnet_own();
	uint8_t port = asking_port(q, h);
	struct subnet_member *row;
	uint32_t state = get(q->asked, JOIN_STATE);
	uint16_t status;

	if ((q->mask & JOINS) != JOINS)
		return STATUS_SA_INSUF_COMPS;
	if (!port)
		return STATUS_SA_INVALID_GID;
	if (!state || !is_group_or_none(q->asked))
		return STATUS_SA_REQ_INVALID;
	status = enter(q, record, &h->ports[port - 1]);
	if (status)
		return status;
	row = find_row(h, port, record);
	if (row)
		state |= row->record[sa_member_fields[JOIN_STATE].offset / 8] & 0xf;
	else
		row = find_row(h, 0, record);
	if (!row)
		return STATUS_SA_NO_RESOURCES;
	memcpy(record + GID_SIZE, q->asked + GID_SIZE, GID_SIZE);
	set(record, JOIN_STATE, state);
	row->port = port;
	memcpy(row->record, record, sizeof(row->record));
	subnet_publish();
	return STATUS_OK;
}

static uint16_t leave(struct sa_query *q, uint8_t *record)
{
	struct subnet_host *h = subnet_own();
	uint8_t port = asking_port(q, h);
	struct subnet_member *row = port ? find_row(h, port, q->asked) : NULL;
	uint32_t state;

	if ((q->mask & JOINS) != JOINS)
		return STATUS_SA_INSUF_COMPS;
	if (!row)
		return STATUS_SA_REQ_INVALID;
	read_row(row, record);
	state = get(record, JOIN_STATE);
	if (!(state & get(q->asked, JOIN_STATE)))
		return STATUS_SA_REQ_INVALID;
	set(record, JOIN_STATE, state & ~get(q->asked, JOIN_STATE));
	if (!get(record, JOIN_STATE))
		row->port = 0;
	memcpy(row->record, record, sizeof(row->record));
	subnet_publish();
	return STATUS_OK;
}

void sa_join(struct sa_query *q)
{
	sa_change(q, join);
}

void sa_leave(struct sa_query *q)
{
	sa_change(q, leave);
}

static struct sa_query question_for(uint8_t port, const uint8_t mgid[GID_SIZE])
{
	struct sa_query q = { .mask = CREATES };
	const struct subnet_port *s = &subnet_own()->ports[port - 1];

	sa_put_gid(q.asked, sa_member_fields[MGID], mgid);
	sa_put_gid(q.asked, sa_member_fields[PORT_GID], s->gids[0]);
	set(q.asked, P_KEY, s->pkeys[0]);
	set(q.asked, JOIN_STATE, FULL_MEMBER);
	return q;
}

void sa_join_for(uint8_t port, const uint8_t mgid[GID_SIZE], uint32_t qkey)
{
	struct sa_query q = question_for(port, mgid);
	SA_RECORD(record);

	set(q.asked, Q_KEY, qkey);
	join(&q, record);
}

void sa_leave_for(uint8_t port, const uint8_t mgid[GID_SIZE])
{
	struct sa_query q = question_for(port, mgid);
	SA_RECORD(record);

	leave(&q, record);
}
