/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ServiceRecord: ports tell of services that they have, for as long as a lease says. Who has died has none. */
#include <string.h>

#include "bounds.h"
#include "engine/clock.h"
#include "mad/sa.h"
#include "objects/gid.h"

#define FOR_EVER UINT32_MAX /* a lease */
#define NS_PER_S (1000 * NS_PER_MS)

enum component {
	SERVICE_ID,
	SERVICE_GID,
	SERVICE_P_KEY,
	RESERVED,
	SERVICE_LEASE,
	SERVICE_KEY,
	SERVICE_NAME,
	SERVICE_DATA8,
	SERVICE_DATA16 = SERVICE_DATA8 + 16,
	SERVICE_DATA32 = SERVICE_DATA16 + 8,
	SERVICE_DATA64 = SERVICE_DATA32 + 4
};

/* A lease that goes down while somebody asks for it is never compared */
const struct field sa_service_fields[SA_SERVICE_FIELDS] = {
	[SERVICE_ID] = { 0, 64 },
	[SERVICE_GID] = { 64, 128 },
	[SERVICE_P_KEY] = { 192, 16 },
	[SERVICE_KEY] = { 256, 128 },
	[SERVICE_NAME] = { 384, 512 },
	[SERVICE_DATA8] = { 896, 8 },
	{ 904, 8 },
	{ 912, 8 },
	{ 920, 8 },
	{ 928, 8 },
	{ 936, 8 },
	{ 944, 8 },
	{ 952, 8 },
	{ 960, 8 },
	{ 968, 8 },
	{ 976, 8 },
	{ 984, 8 },
	{ 992, 8 },
	{ 1000, 8 },
	{ 1008, 8 },
	{ 1016, 8 },
	[SERVICE_DATA16] = { 1024, 16 },
	{ 1040, 16 },
	{ 1056, 16 },
	{ 1072, 16 },
	{ 1088, 16 },
	{ 1104, 16 },
	{ 1120, 16 },
	{ 1136, 16 },
	[SERVICE_DATA32] = { 1152, 32 },
	{ 1184, 32 },
	{ 1216, 32 },
	{ 1248, 32 },
	[SERVICE_DATA64] = { 1280, 64 },
	{ 1344, 64 },
};
static const struct field lease_field = { 224, 32 };

#define GUID_AT 8 /* in a GID, after the prefix of its subnet */

/* What is a must for who changes something */
#define REGISTERS ((1 << SERVICE_ID) | (1 << SERVICE_GID))

static bool is_same(const uint8_t *a, const uint8_t *b, enum component c)
{
	return sa_same(a, b, sa_service_fields[c]);
}

static uint8_t *key_of(uint8_t *record)
{
	return record + sa_service_fields[SERVICE_KEY].offset / 8;
}

static bool is_there(const struct subnet_service *s, uint64_t now)
{
	return s->used && (!s->ends || now < s->ends);
}

/* With what is left of the lease */
static void read_row(const struct subnet_service *s, uint64_t now, uint8_t record[SA_LONGEST_RECORD])
{
	memcpy(record, s->record, sizeof(s->record));
	prm_set(record, lease_field, s->ends ? (s->ends - now + NS_PER_S - 1) / NS_PER_S : FOR_EVER);
}

/* The key is for who is trusted with it */
static void offer_services(const struct subnet_host *h, void *arg)
{
	uint64_t now = clock_now();
	struct sa_query *q = arg;
	SA_RECORD(record);

	for (int i = 0; i < MAX_SERVICES; i++) {
		if (!is_there(&h->services[i], now))
			continue;
		read_row(&h->services[i], now, record);
		if (q->sm_key != SA_TRUST)
			memset(key_of(record), 0, sa_service_fields[SERVICE_KEY].width / 8);
		sa_offer(q, record);
	}
}

void sa_each_service(struct sa_query *q)
{
	subnet_each_process(offer_services, q);
}

/* Of ours: that of the same ID, GID and P_Key */
static struct subnet_service *find_row(struct subnet_host *h, const struct sa_query *q)
{
	uint64_t now = clock_now();

	for (int i = 0; i < MAX_SERVICES; i++) {
		struct subnet_service *s = &h->services[i];

		if (is_there(s, now) && is_same(s->record, q->asked, SERVICE_ID) && is_same(s->record, q->asked, SERVICE_GID) &&
		    (!sa_has(q, SERVICE_P_KEY) || is_same(s->record, q->asked, SERVICE_P_KEY)))
			return s;
	}
	return NULL;
}

static struct subnet_service *free_row(struct subnet_host *h)
{
	uint64_t now = clock_now();

	for (int i = 0; i < MAX_SERVICES; i++)
		if (!is_there(&h->services[i], now))
			return &h->services[i];
	return NULL;
}

/* Ports tell for themselves; OpenSM looks at the GUID alone, and osmtest leaves the prefix out */
static const struct subnet_port *asking_port(const struct subnet_host *h, const uint8_t *gid)
{
	for (int i = 0; i < h->nports; i++)
		for (int j = 0; j < h->ports[i].ngids; j++)
			if (!memcmp(h->ports[i].gids[j] + GUID_AT, gid + GUID_AT, GID_SIZE - GUID_AT))
				return &h->ports[i];
	return NULL;
}

static bool has_pkey(const struct subnet_port *p, uint32_t pkey)
{
	for (int i = 0; i < p->npkeys; i++)
		if (p->pkeys[i] && p->pkeys[i] == pkey)
			return true;
	return false;
}

static uint16_t check_service(const struct sa_query *q, const struct subnet_host *h)
{
	const struct subnet_port *port = asking_port(h, q->asked + sa_service_fields[SERVICE_GID].offset / 8);

	if ((q->mask & REGISTERS) != REGISTERS)
		return STATUS_SA_INSUF_COMPS;
	if (!port)
		return STATUS_SA_INVALID_GID;
	if (sa_has(q, SERVICE_P_KEY) && !has_pkey(port, prm_get(q->asked, sa_service_fields[SERVICE_P_KEY])))
		return STATUS_SA_REQ_INVALID;
	return STATUS_OK;
}

/* One that is known changes only for who has its key */
static uint16_t set(struct sa_query *q, uint8_t *record)
{
	struct subnet_host *h = subnet_own();
	struct subnet_service *s = find_row(h, q);
	uint32_t lease = sa_has(q, SERVICE_LEASE) ? prm_get(q->asked, lease_field) : FOR_EVER;
	uint16_t status = check_service(q, h);

	if (status)
		return status;
	if (!lease || (s && !is_same(s->record, q->asked, SERVICE_KEY)))
		return STATUS_SA_REQ_INVALID;
	s = s ? s : free_row(h);
	if (!s)
		return STATUS_SA_NO_RESOURCES;
	s->used = true;
	s->ends = lease == FOR_EVER ? 0 : clock_now() + lease * NS_PER_S;
	memcpy(s->record, q->asked, sizeof(s->record));
	subnet_publish();
	read_row(s, clock_now(), record);
	return STATUS_OK;
}

static uint16_t delete(struct sa_query *q, uint8_t *record)
{
	struct subnet_host *h = subnet_own();
	struct subnet_service *s = find_row(h, q);

	if ((q->mask & REGISTERS) != REGISTERS)
		return STATUS_SA_INSUF_COMPS;
	if (!s)
		return STATUS_SA_NO_RECORDS;
	if (!is_same(s->record, q->asked, SERVICE_KEY))
		return STATUS_SA_REQ_INVALID;
	read_row(s, clock_now(), record);
	s->used = false;
	subnet_publish();
	return STATUS_OK;
}

void sa_set_service(struct sa_query *q)
{
	sa_change(q, set);
}

void sa_delete_service(struct sa_query *q)
{
	sa_change(q, delete);
}
