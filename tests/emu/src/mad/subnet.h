/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The subnet, as its manager knows it: every process tells about its ports in a file of the fabric, and whoever is asked
 * reads all of them. So no process is another's server, and none is missed when it dies.
 */
#ifndef EMU_SUBNET_H
#define EMU_SUBNET_H

#include <stdbool.h>
#include <stdint.h>

#include "bounds.h"
#include "objects/gid.h"

#define NODE_DESC_SIZE 64

struct port;

struct subnet_port {
	uint8_t number; /* counted through all nodes of the host */
	uint8_t node, local; /* the index of its node, and its number there */
	bool ethernet;
	uint8_t state, phys_state, width, speed, mtu;
	uint16_t lid, sm_lid;
	uint64_t guid;
	uint32_t cap_mask;
	uint16_t bad_pkeys, bad_qkeys;
	uint8_t npkeys, ngids;
	uint16_t pkeys[MAX_PKEYS];
	uint8_t gids[MAX_GIDS][GID_SIZE];
};

/* A port's membership of a multicast group, as it was asked for */
struct subnet_member {
	uint8_t port; /* 0: this row is free */
	uint8_t record[56]; /* MCMemberRecord */
};

/* A service that one of its ports has, as it was told of */
struct subnet_service {
	bool used;
	uint64_t ends; /* when its lease does, in ns; 0: never */
	uint8_t record[176]; /* ServiceRecord */
};

/* A device */
struct subnet_node {
	uint64_t guid, system_guid;
	uint8_t nports;
	char description[NODE_DESC_SIZE];
};

struct subnet_host {
	uint32_t version, place;
	uint8_t nports; /* of all nodes */
	struct subnet_node nodes[MAX_DEVICES];
	struct subnet_port ports[MAX_PORTS];
	struct subnet_member members[MAX_MCAST];
	struct subnet_service services[MAX_SERVICES];
};

/* The process tells what it is like now, which happens at each change. */
void subnet_publish(void);

/* Ours, which is up to date, or that of a process at a place; false where there is none. */
struct subnet_host *subnet_own(void);
bool subnet_host_at(uint32_t place, struct subnet_host *h);

/* In a forked child, groups are the parent's. */
void subnet_forget(void);

/* The node that has a port of the host. */
const struct subnet_node *subnet_node_of(const struct subnet_host *h, uint8_t port);

/* All hosts; on one host, our process alone, but the members of all. */
void subnet_each(void (*fn)(const struct subnet_host *h, void *arg), void *arg);
void subnet_each_process(void (*fn)(const struct subnet_host *h, void *arg), void *arg);

/* The switch: a port of a host is at one of its ports, 0 if it has none left; and the other way round. */
#define SWITCH_GUID 0x0002c90300ff0000ull
#define SWITCH_DESCRIPTION "verbsx-emu switch"
#define SWITCH_GRANULARITY 36 /* it has so many ports, or twice, three times... as many as there have to be */
#define SWITCH_MOST_PORTS 252
uint8_t switch_port_of(uint32_t place, uint8_t port);
bool switch_port_leads_to(uint8_t switch_port, uint32_t *place, uint8_t *port);
uint8_t switch_ports(void);
uint16_t switch_lid(void);

/* What a port of it looks like. */
struct subnet_port switch_port(uint8_t number);

/* The multicast LID of a group: every process finds the same. */
uint16_t subnet_group_lid(const uint8_t gid[GID_SIZE]);

#endif
