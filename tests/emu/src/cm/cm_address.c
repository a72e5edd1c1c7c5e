/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Addresses and ports. A process is a host: its IP addresses are those of its ports, and so
 * the port numbers are its own, unless all processes are one host.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/ib.h>

#include "cm/cm.h"
#include "config.h"
#include "objects/port.h"
#include "packets/fabric.h"

#define FIRST_EPHEMERAL 32768
#define LAST_EPHEMERAL 60999
#define NUMBER_NAME 32
#define FIRST_FREE 1024 /* below, only root may bind */

/* What two addresses of one network have in common, at least */
#define NETWORK_BITS 8

socklen_t cm_address_size(const void *address)
{
	switch (((const struct sockaddr *)address)->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_IB:
		return sizeof(struct sockaddr_ib);
	default:
		return 0;
	}
}

/* Where the port is: the last two bytes of a service ID */
static void *port_at(void *address)
{
	switch (((struct sockaddr *)address)->sa_family) {
	case AF_INET:
		return &((struct sockaddr_in *)address)->sin_port;
	case AF_INET6:
		return &((struct sockaddr_in6 *)address)->sin6_port;
	default:
		return (uint8_t *)&((struct sockaddr_ib *)address)->sib_sid + 6;
	}
}

uint16_t cm_port_number(const void *address)
{
	__be16 n;

	memcpy(&n, port_at((void *)address), sizeof(n));
	return be16toh(n);
}

static void set_port_number(void *address, uint16_t number)
{
	__be16 n = htobe16(number);

	memcpy(port_at(address), &n, sizeof(n));
}

/* As a GID: what there is of IPv4 as IPv6 has it */
static void to_gid(uint8_t gid[GID_SIZE], const void *address)
{
	switch (((const struct sockaddr *)address)->sa_family) {
	case AF_INET:
		gid_from_ipv4(gid, (const uint8_t *)&((const struct sockaddr_in *)address)->sin_addr);
		break;
	case AF_INET6:
		memcpy(gid, &((const struct sockaddr_in6 *)address)->sin6_addr, GID_SIZE);
		break;
	default:
		memcpy(gid, &((const struct sockaddr_ib *)address)->sib_addr, GID_SIZE);
	}
}

static void set_address(void *address, const uint8_t gid[GID_SIZE])
{
	switch (((struct sockaddr *)address)->sa_family) {
	case AF_INET:
		memcpy(&((struct sockaddr_in *)address)->sin_addr, gid + GID_SIZE - IPV4_SIZE, IPV4_SIZE);
		break;
	case AF_INET6:
		memcpy(&((struct sockaddr_in6 *)address)->sin6_addr, gid, GID_SIZE);
		break;
	default:
		memcpy(&((struct sockaddr_ib *)address)->sib_addr, gid, GID_SIZE);
	}
}

static bool is_any(const void *address)
{
	static const uint8_t none[GID_SIZE];
	uint8_t gid[GID_SIZE];

	to_gid(gid, address);
	return !memcmp(gid + (gid_is_ipv4(gid) ? GID_SIZE - IPV4_SIZE : 0), none,
		       gid_is_ipv4(gid) ? IPV4_SIZE : GID_SIZE);
}

/* On InfiniBand, IP addresses are those of IPoIB, and others are GIDs */
const struct port *cm_port_of(const void *address)
{
	uint8_t gid[GID_SIZE];
	const struct port *p;

	to_gid(gid, address);
	for (uint32_t n = 1; (p = port_get(n)); n++)
		if (!p->ethernet && gid_is_ipv4(gid) &&
		    !memcmp(gid + GID_SIZE - IPV4_SIZE, p->ipv4, IPV4_SIZE))
			return p;
	return port_by_gid(gid);
}

static int common_bits(const uint8_t *a, const uint8_t *b)
{
	int n = 0;

	while (n < IPV4_SIZE * 8 && !((a[n / 8] ^ b[n / 8]) >> (7 - n % 8) & 1))
		n++;
	return n;
}

/* The port in the network of an address that is of another host; GIDs and groups are all in the first one's */
static const struct port *port_towards(const uint8_t gid[GID_SIZE])
{
	const struct port *p, *best = NULL;
	int most = NETWORK_BITS - 1;

	if (!gid_is_ipv4(gid) || gid_is_multicast(gid))
		return port_get(1);
	for (uint32_t n = 1; (p = port_get(n)); n++) {
		int bits = common_bits(p->ipv4, gid + GID_SIZE - IPV4_SIZE);

		if (bits > most) {
			best = p;
			most = bits;
		}
	}
	return best;
}

/* Ids that are bound, by the number of their port; a child of a listener has but what the listener has */
static struct cm_id_list bound[CM_LISTS];

static struct cm_id_list *bound_to(uint16_t number)
{
	return &bound[number % CM_LISTS];
}

void cm_forget_numbers(void)
{
	memset(bound, 0, sizeof(bound));
}

static bool has_number(const struct cm_id *id, uint16_t ps, uint16_t number)
{
	return id->ps == ps && cm_port_number(&id->src) == number;
}

static bool is_taken(const struct cm_id *by, uint16_t number)
{
	const struct cm_id *id;

	LIST_FOREACH(id, bound_to(number), of_port)
	{
		if (has_number(id, by->ps, number) && !(id->reuse && by->reuse))
			return true;
	}
	return false;
}

/* In the fabric, for those who are on one host */
static void name_number(char name[NUMBER_NAME], uint16_t ps, uint16_t number)
{
	snprintf(name, NUMBER_NAME, "port-%x-%u", ps, number);
}

static bool take_number(const struct cm_id *id, uint16_t number)
{
	char name[NUMBER_NAME];

	name_number(name, id->ps, number);
	return !is_taken(id, number) && fabric_claim(name);
}

void cm_release_number(struct cm_id *gone)
{
	char name[NUMBER_NAME];
	const struct cm_id *id;
	uint16_t number;

	if (gone->passive || !gone->src.ss_family)
		return;
	number = cm_port_number(&gone->src);
	LIST_REMOVE(gone, of_port);
	LIST_FOREACH(id, bound_to(number), of_port)
	{
		if (has_number(id, gone->ps, number))
			return;
	}
	name_number(name, gone->ps, number);
	fabric_waive(name);
}

unsigned int cm_place_of_dest(const struct cm_id *id)
{
	char name[NUMBER_NAME];
	int place;

	name_number(name, id->ps, cm_port_number(&id->dst));
	place = config.one_host ? fabric_owner(name) : -1;
	return place < 0 ? fabric_place() : (unsigned int)place;
}

static uint16_t ephemeral(const struct cm_id *id)
{
	static uint16_t last = FIRST_EPHEMERAL;

	for (int i = FIRST_EPHEMERAL; i <= LAST_EPHEMERAL; i++) {
		last = last == LAST_EPHEMERAL ? FIRST_EPHEMERAL : last + 1;
		if (take_number(id, last))
			return last;
	}
	return 0;
}

/* 0 or an errno */
static int check_number(const struct cm_id *id, uint16_t number)
{
	if (!number)
		return EADDRNOTAVAIL;
	if (number < FIRST_FREE && geteuid() && ((const struct sockaddr *)&id->src)->sa_family != AF_IB)
		return EACCES;
	return take_number(id, number) ? 0 : EADDRINUSE;
}

uint8_t cm_sgid_index(const struct port *p, const void *address)
{
	uint8_t gid[GID_SIZE];
	int found = 0;

	to_gid(gid, address);
	for (int i = 0; p->ethernet && i < p->ngids; i++)
		if (!memcmp(p->gids[i].raw, gid, GID_SIZE))
			found = i;
	return found;
}

static void set_device(struct cm_id *id, const struct port *p)
{
	id->port = p;
	id->sgid_index = cm_sgid_index(p, &id->src);
}

int cm_bind(struct cm_id *id, const void *address)
{
	const struct port *p = is_any(address) ? NULL : cm_port_of(address);
	uint16_t number = cm_port_number(address);
	int rc;

	if (id->src.ss_family || !cm_address_size(address))
		return EINVAL;
	if (!p && !is_any(address))
		return EADDRNOTAVAIL;
	memcpy(&id->src, address, cm_address_size(address));
	number = number ? number : ephemeral(id);
	rc = check_number(id, number);
	if (rc) {
		id->src.ss_family = 0;
		return rc;
	}
	set_port_number(&id->src, number);
	LIST_INSERT_HEAD(bound_to(number), id, of_port);
	if (p)
		set_device(id, p);
	return 0;
}

/* From any address to that of a port; an address of IPv6 can be one of IPv4 */
static void bind_to_port(struct cm_id *id, const struct port *p, const uint8_t dst[GID_SIZE])
{
	uint8_t gid[GID_SIZE];

	if (gid_is_ipv4(dst))
		gid_from_ipv4(gid, p->ipv4);
	else
		memcpy(gid, p->gids[0].raw, GID_SIZE);
	set_address(&id->src, gid);
	set_device(id, p);
}

/* What has failed may be tried again */
static void post_resolved(struct cm_id *id, int err)
{
	if (err)
		id->dst.ss_family = 0;
	cm_event_post(id, err ? CM_ADDR_ERROR : CM_ADDR_RESOLVED, -err);
}

/* Any address is this host */
static void resolve(struct cm_id *id)
{
	const struct port *p = id->port;
	uint8_t gid[GID_SIZE];

	to_gid(gid, &id->dst);
	if (is_any(&id->dst)) {
		p = p ? p : port_get(1);
		gid_from_ipv4(gid, p->ipv4);
		set_address(&id->dst, gid);
	}
	p = p ? p : port_towards(gid);
	if (!p) {
		post_resolved(id, ENODEV);
		return;
	}
	if (!id->port)
		bind_to_port(id, p, gid);
	if (cm_address_is_group(&id->dst))
		cm_group_gid(id->dgid, id, &id->dst);
	else if (!port_peer(p, gid, id->dgid, &id->dlid)) {
		post_resolved(id, EHOSTUNREACH);
		return;
	}
	post_resolved(id, 0);
}

int cm_resolve(struct cm_id *id, const void *src, const void *dst)
{
	struct sockaddr_storage any = { .ss_family = ((const struct sockaddr *)dst)->sa_family };
	int rc = 0;

	if (!cm_address_size(dst) || id->dst.ss_family || id->state != CM_IDLE)
		return EINVAL;
	if (!id->src.ss_family)
		rc = cm_bind(id, src && cm_address_size(src) ? src : &any);
	if (rc)
		return rc;
	memcpy(&id->dst, dst, cm_address_size(dst));
	resolve(id);
	return 0;
}

static bool listens_for(const struct cm_id *id, const struct cm_mad *m)
{
	uint8_t ours[GID_SIZE], theirs[GID_SIZE];

	if (id->state != CM_LISTENING || !has_number(id, m->ps, cm_port_number(&m->dst)))
		return false;
	to_gid(ours, &id->src);
	to_gid(theirs, &m->dst);
	return is_any(&id->src) || !memcmp(ours, theirs, GID_SIZE);
}

struct cm_id *cm_listener(const struct cm_mad *request)
{
	struct cm_id *id;

	if (!cm_address_size(&request->dst))
		return NULL;
	LIST_FOREACH(id, bound_to(cm_port_number(&request->dst)), of_port)
	{
		if (listens_for(id, request))
			return id;
	}
	return NULL;
}
