/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* PathRecord: from each port to each, with what it can carry. */
#include <string.h>

#include <infiniband/verbs.h>

#include "bounds.h"
#include "mad/sa.h"
#include "objects/gid.h"

#define PACKET_LIFE_TIME 14 /* 4.096 us * 2^14, as rdma_cm tells */
#define MOST_PORTS 1024

/* ComponentMask */
enum component {
	DGID = 2,
	SGID = 3,
	DLID = 4,
	SLID = 5,
	REVERSIBLE = 11,
	NUMB_PATH = 12,
	P_KEY = 13,
	MTU = 17,
	RATE = 19,
	LIFE_TIME = 21
};

const struct field sa_path_fields[SA_PATH_FIELDS] = {
	{ 0, 0 }, /* ServiceID: one path is good for all */
	{ 0, 0 },
	[DGID] = { 64, 128 },
	[SGID] = { 192, 128 },
	[DLID] = { 320, 16 },
	[SLID] = { 336, 16 },
	{ 352, 1 }, /* RawTraffic */
	{ 0, 0 },
	{ 356, 20 }, /* FlowLabel */
	{ 376, 8 },
	{ 384, 8 }, /* TClass */
	[REVERSIBLE] = { 392, 1 },
	[NUMB_PATH] = { 393, 7 },
	[P_KEY] = { 400, 16 },
	{ 416, 12 }, /* QoSClass */
	{ 428, 4 }, /* SL */
	{ 432, 2 }, /* selectors */
	[MTU] = { 434, 6 },
	{ 440, 2 },
	[RATE] = { 442, 6 },
	{ 448, 2 },
	[LIFE_TIME] = { 450, 6 },
	{ 456, 8 }, /* Preference */
};

/* What a path takes over from who asks: a FlowLabel, HopLimit, TClass, QoSClass, SL; NumbPath is a limit */
#define TAKEN_OVER (1 << 8 | 1 << 9 | 1 << 10 | 1 << NUMB_PATH | 1 << 14 | 1 << 15 | 1 << 22)
#define SELECTED \
	(1 << (MTU - 1) | 1 << MTU | 1 << (RATE - 1) | 1 << RATE | 1 << (LIFE_TIME - 1) | 1 << LIFE_TIME)

enum selector {
	GREATER,
	LESS,
	EQUAL,
	BEST
};

static const struct {
	uint8_t speed, rate; /* of four lanes, IBV_RATE_... */
} rates[] = {
	{ 1, IBV_RATE_10_GBPS },   { 2, IBV_RATE_20_GBPS },    { 4, IBV_RATE_40_GBPS },
	{ 8, IBV_RATE_40_GBPS },   { 16, IBV_RATE_56_GBPS },   { 32, IBV_RATE_100_GBPS },
	{ 64, IBV_RATE_200_GBPS }, { 128, IBV_RATE_400_GBPS },
};

/* Their order is not that of their numbers */
static const uint16_t gbps[] = {
	[IBV_RATE_2_5_GBPS] = 2,
	[IBV_RATE_5_GBPS] = 5,
	[IBV_RATE_10_GBPS] = 10,
	[IBV_RATE_14_GBPS] = 14,
	[IBV_RATE_20_GBPS] = 20,
	[IBV_RATE_25_GBPS] = 25,
	[IBV_RATE_28_GBPS] = 28,
	[IBV_RATE_30_GBPS] = 30,
	[IBV_RATE_40_GBPS] = 40,
	[IBV_RATE_50_GBPS] = 50,
	[IBV_RATE_56_GBPS] = 56,
	[IBV_RATE_60_GBPS] = 60,
	[IBV_RATE_80_GBPS] = 80,
	[IBV_RATE_100_GBPS] = 100,
	[IBV_RATE_112_GBPS] = 112,
	[IBV_RATE_120_GBPS] = 120,
	[IBV_RATE_168_GBPS] = 168,
	[IBV_RATE_200_GBPS] = 200,
	[IBV_RATE_300_GBPS] = 300,
	[IBV_RATE_400_GBPS] = 400,
	[IBV_RATE_600_GBPS] = 600,
	[23] = 800,
	[24] = 1200,
};

uint8_t sa_rate_of(const struct subnet_port *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].speed == s->speed)
			return rates[i].rate;
	return IBV_RATE_100_GBPS;
}

/* The ports of the subnet */
struct ports {
	struct sa_query *q;
	struct subnet_port all[MOST_PORTS];
	int n;
};

static void add_ports(const struct subnet_host *h, void *arg)
{
	struct ports *p = arg;

	for (int i = 0; i < h->nports && p->n < MOST_PORTS; i++)
		if (!h->ports[i].ethernet && h->ports[i].state == IBV_PORT_ACTIVE)
			p->all[p->n++] = h->ports[i];
}

/* Any of a port's GIDs names it; the answer has the one that was asked for */
static bool has_gid(const struct subnet_port *s, const uint8_t gid[GID_SIZE])
{
	for (int i = 0; i < s->ngids; i++)
		if (!memcmp(s->gids[i], gid, GID_SIZE))
			return true;
	return false;
}

static const uint8_t *asked_gid(const struct sa_query *q, enum component c)
{
	return q->asked + sa_path_fields[c].offset / 8;
}

static bool is_end(const struct sa_query *q, const struct subnet_port *s, enum component gid,
		   enum component lid)
{
	return (!sa_has(q, gid) || has_gid(s, asked_gid(q, gid))) &&
	       (!sa_has(q, lid) || prm_get(q->asked, sa_path_fields[lid]) == s->lid);
}

static const uint8_t *gid_of(const struct sa_query *q, const struct subnet_port *s, enum component c)
{
	return sa_has(q, c) ? asked_gid(q, c) : s->gids[0];
}

/*
 * A value for a component that has a selector before it: @best is the path's own, @below the next lower one. 0 where no
 * path has what is asked for.
 */
static uint32_t select_value(const struct sa_query *q, enum component c, uint32_t best, uint32_t asked,
			     int (*order)(uint32_t value), uint32_t below)
{
	enum selector s = prm_get(q->asked, sa_path_fields[c - 1]);

	if (!sa_has(q, c) || !sa_has(q, c - 1) || s == BEST)
		return best;
	if (s == GREATER)
		return order(best) > order(asked) ? best : 0;
	if (s == LESS)
		return order(best) < order(asked) ? best : below;
	return order(best) >= order(asked) ? asked : 0;
}

static int order_mtu(uint32_t mtu)
{
	return mtu;
}

static int order_rate(uint32_t rate)
{
	return rate < ARRAY_SIZE(gbps) ? gbps[rate] : 0;
}

static uint32_t rate_below(uint32_t asked)
{
	uint32_t best = 0;

	for (uint32_t rate = 0; rate < ARRAY_SIZE(gbps); rate++)
		if (gbps[rate] < order_rate(asked) && gbps[rate] > order_rate(best))
			best = rate;
	return best;
}

/* The less the better; it is what it is */
static bool has_life_time(const struct sa_query *q)
{
	uint32_t asked = prm_get(q->asked, sa_path_fields[LIFE_TIME]);
	enum selector s = prm_get(q->asked, sa_path_fields[LIFE_TIME - 1]);

	if (!sa_has(q, LIFE_TIME) || !sa_has(q, LIFE_TIME - 1) || s == BEST)
		return true;
	if (s == GREATER)
		return PACKET_LIFE_TIME > asked;
	return s == LESS ? PACKET_LIFE_TIME < asked : PACKET_LIFE_TIME == asked;
}

static bool put_limits(const struct sa_query *q, uint8_t *record, uint32_t mtu, uint32_t rate)
{
	uint32_t asked_mtu = prm_get(q->asked, sa_path_fields[MTU]);
	uint32_t asked_rate = prm_get(q->asked, sa_path_fields[RATE]);

	mtu = select_value(q, MTU, mtu, asked_mtu, order_mtu, asked_mtu ? asked_mtu - 1 : 0);
	rate = select_value(q, RATE, rate, asked_rate, order_rate, rate_below(asked_rate));
	for (enum component c = MTU; c <= LIFE_TIME; c += 2)
		prm_set(record, sa_path_fields[c - 1], EXACTLY);
	prm_set(record, sa_path_fields[MTU], mtu);
	prm_set(record, sa_path_fields[RATE], rate);
	prm_set(record, sa_path_fields[LIFE_TIME], PACKET_LIFE_TIME);
	return mtu && rate && has_life_time(q);
}

/* The key that is asked for, or the first that both have; 0: none */
static uint16_t common_pkey(const struct subnet_port *a, const struct subnet_port *b, uint16_t asked)
{
	for (int i = 0; i < a->npkeys; i++)
		for (int j = 0; j < b->npkeys; j++)
			if (a->pkeys[i] && a->pkeys[i] == b->pkeys[j] && (!asked || asked == a->pkeys[i]))
				return a->pkeys[i];
	return 0;
}

static void offer_path(struct sa_query *q, const struct subnet_port *from, const struct subnet_port *to)
{
	uint8_t record[SA_LONGEST_RECORD] __attribute__((aligned(8))) = { 0 };
	uint16_t asked = sa_has(q, P_KEY) ? prm_get(q->asked, sa_path_fields[P_KEY]) : 0;
	uint16_t pkey = common_pkey(from, to, asked);
	uint8_t a = sa_rate_of(from), b = sa_rate_of(to);

	if (!pkey || !put_limits(q, record, from->mtu < to->mtu ? from->mtu : to->mtu,
				 order_rate(a) < order_rate(b) ? a : b))
		return;
	for (unsigned int c = 0; c < SA_PATH_FIELDS; c++)
		if (TAKEN_OVER >> c & 1 && sa_has(q, c) && c != NUMB_PATH)
			prm_set(record, sa_path_fields[c], prm_get(q->asked, sa_path_fields[c]));
	sa_put_gid(record, sa_path_fields[DGID], gid_of(q, to, DGID));
	sa_put_gid(record, sa_path_fields[SGID], gid_of(q, from, SGID));
	prm_set(record, sa_path_fields[DLID], to->lid);
	prm_set(record, sa_path_fields[SLID], from->lid);
	prm_set(record, sa_path_fields[REVERSIBLE], 1);
	prm_set(record, sa_path_fields[NUMB_PATH], 1);
	prm_set(record, sa_path_fields[P_KEY], pkey);
	sa_offer_but(q, record, TAKEN_OVER | SELECTED | 1 << REVERSIBLE);
}

/* To a group, whose LID is that of its members */
static bool is_to_group(const struct sa_query *q)
{
	return sa_has(q, DGID) && gid_is_multicast(asked_gid(q, DGID));
}

static struct subnet_port group_port(const struct sa_query *q, const struct subnet_port *from)
{
	struct subnet_port s = *from;

	s.lid = subnet_group_lid(asked_gid(q, DGID));
	s.ngids = 1;
	memcpy(s.gids[0], asked_gid(q, DGID), GID_SIZE);
	return s;
}

static bool is_known(const struct ports *p, enum component c)
{
	bool known = !sa_has(p->q, c);

	for (int i = 0; i < p->n && !known; i++)
		known = has_gid(&p->all[i], asked_gid(p->q, c));
	return known;
}

static void offer_from(struct ports *p, const struct subnet_port *from)
{
	struct subnet_port group;

	if (is_to_group(p->q)) {
		group = group_port(p->q, from);
		offer_path(p->q, from, &group);
		return;
	}
	for (int i = 0; i < p->n; i++)
		if (is_end(p->q, &p->all[i], DGID, DLID))
			offer_path(p->q, from, &p->all[i]);
}

void sa_each_path(struct sa_query *q)
{
	static struct ports p;

	p.q = q;
	p.n = 0;
	p.all[p.n++] = switch_port(0);
	subnet_each(add_ports, &p);
	if (!is_known(&p, SGID) || (!is_to_group(q) && !is_known(&p, DGID)))
		q->status = STATUS_SA_INVALID_GID;
	for (int i = 0; i < p.n && !q->status; i++)
		if (is_end(q, &p.all[i], SGID, SLID))
			offer_from(&p, &p.all[i]);
}
