/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/port.h"

#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "calls/call.h"
#include "config.h"
#include "objects/device.h"
#include "objects/port_state.h"

#define DEFAULT_LID 7
#define DEFAULT_PKEY 0xffff
#define GUIDS_A_PLACE 16 /* the device's and its ports' */
#define GID_ROOM_INFINIBAND 4

enum {
	LRH_SIZE = 8,
	BTH_SIZE = 12,
	ICRC_SIZE = 4
};

static struct port ports[MAX_PORTS];
static uint64_t node_guid;
static char descriptions[MAX_DEVICES][64 + DEVICE_NAME];

static void add_gid(struct port *p, const uint8_t raw[GID_SIZE], uint8_t type)
{
	struct gid *g = &p->gids[p->ngids++];

	memcpy(g->raw, raw, GID_SIZE);
	g->type = type;
}

/* On Ethernet each is there twice */
static void add_address(struct port *p, const uint8_t raw[GID_SIZE])
{
	if (!p->ethernet) {
		add_gid(p, raw, IB_UVERBS_GID_TYPE_IB);
		return;
	}
	add_gid(p, raw, IB_UVERBS_GID_TYPE_ROCE_V1);
	add_gid(p, raw, IB_UVERBS_GID_TYPE_ROCE_V2);
}

/* The address @place after, in the last four bytes */
static void count_up(uint8_t *last_four, unsigned int place)
{
	__be32 n;

	memcpy(&n, last_four, sizeof(n));
	n = htobe32(be32toh(n) + place);
	memcpy(last_four, &n, sizeof(n));
}

static void set_ipv4(struct port *p, const struct port_config *c, unsigned int place)
{
	const uint8_t first[IPV4_SIZE] = { 10, p->number, 0, 1 };

	memcpy(p->ipv4, c->nipv4 ? c->ipv4[0] : first, IPV4_SIZE);
	count_up(p->ipv4, place);
}

static void set_ethernet(struct port *p, const struct port_config *c, unsigned int place)
{
	uint8_t ipv4[MAX_ADDRESSES][IPV4_SIZE];
	uint8_t mac[MAC_SIZE], gid[GID_SIZE];
	int n = c->nipv4 ? c->nipv4 : 1;

	memcpy(ipv4, c->ipv4, sizeof(ipv4));
	for (int i = 1; i < n; i++)
		count_up(ipv4[i], place);
	memcpy(ipv4[0], p->ipv4, IPV4_SIZE);
	gid_from_ipv4(gid, ipv4[0]);
	gid_to_mac(mac, gid);
	gid_from_mac(gid, mac);
	add_address(p, gid);
	for (int i = 0; i < n; i++) {
		gid_from_ipv4(gid, ipv4[i]);
		add_address(p, gid);
	}
}

static void set_infiniband(struct port *p, const struct port_config *c, unsigned int place)
{
	uint32_t first = config.port[0].lid ? config.port[0].lid : DEFAULT_LID;
	uint8_t gid[GID_SIZE];

	p->lid = (c->lid ? c->lid : first + p->number - 1) + place * MAX_PORTS;
	p->sm_lid = c->sm_lid;
	gid_from_guid(gid, port_node_guid(p->device) + p->local);
	add_address(p, gid);
}

static void set_up(struct port *p, uint8_t number, unsigned int place)
{
	const struct port_config *c = &config.port[number - 1];

	*p = (struct port){
		.number = number,
		.device = (number - 1) / config.ports,
		.local = (number - 1) % config.ports + 1,
		.ethernet = c->link_layer == IBV_LINK_LAYER_ETHERNET,
		.grh_required = c->link_layer == IBV_LINK_LAYER_ETHERNET || c->grh_required,
		.mtu = c->mtu,
	};
	port_set_link(p, c->state);
	set_ipv4(p, c, place);
	p->npkeys = p->ethernet ? 1 : MAX_PKEYS;
	p->pkeys[0] = DEFAULT_PKEY;
	p->gid_room = p->ethernet ? MAX_GIDS : GID_ROOM_INFINIBAND;
	if (p->ethernet)
		set_ethernet(p, c, place);
	else
		set_infiniband(p, c, place);
	for (int i = 0; i < c->ngids; i++) {
		uint8_t gid[GID_SIZE];

		memcpy(gid, c->gids[i], GID_SIZE);
		count_up(gid + GID_SIZE - 4, place);
		add_address(p, gid);
	}
}

void ports_set_up(unsigned int place)
{
	node_guid = config.node_guid + place * GUIDS_A_PLACE;
	for (uint32_t d = 0; d < config.devices; d++) {
		char name[DEVICE_NAME];

		device_name(name, d);
		snprintf(descriptions[d], sizeof(descriptions[d]), "verbsx-emu-%u %s", place, name);
	}
	for (uint32_t n = 1; n <= port_total(); n++)
		set_up(&ports[n - 1], n, place);
}

uint64_t port_node_guid(uint8_t device)
{
	return node_guid + device * (1 + config.ports);
}

uint64_t port_system_guid(void)
{
	return node_guid;
}

const char *port_node_description(uint8_t device)
{
	return descriptions[device];
}

uint32_t port_cap_mask(const struct port *p)
{
	if (p->ethernet)
		return IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS;
	return IBV_PORT_SL_MAP_SUP | IBV_PORT_SYS_IMAGE_GUID_SUP | IBV_PORT_EXTENDED_SPEEDS_SUP | IBV_PORT_CM_SUP |
	       IBV_PORT_CLIENT_REG_SUP | (p->has_sm ? IBV_PORT_SM : 0);
}

uint32_t port_total(void)
{
	return config.devices * config.ports;
}

struct port *port_get(uint32_t number)
{
	return number && number <= port_total() ? &ports[number - 1] : NULL;
}

uint8_t port_number(uint8_t device, uint32_t local)
{
	return local && local <= config.ports ? device * config.ports + local : 0;
}

uint8_t port_local(uint8_t number)
{
	const struct port *p = port_get(number);

	return p ? p->local : 0;
}

const struct gid *port_gid(const struct port *p, uint32_t index)
{
	return index < (uint32_t)p->ngids ? &p->gids[index] : NULL;
}

const struct port *port_by_lid(uint16_t lid)
{
	for (const struct port *p = ports; p < ports + port_total(); p++)
		if (lid && p->lid == lid)
			return p;
	return NULL;
}

const struct port *port_by_gid(const uint8_t gid[GID_SIZE])
{
	for (const struct port *p = ports; p < ports + port_total(); p++)
		for (int i = 0; i < p->ngids; i++)
			if (!memcmp(p->gids[i].raw, gid, GID_SIZE))
				return p;
	return NULL;
}

static uint32_t last_four(const uint8_t *at)
{
	__be32 n;

	memcpy(&n, at, sizeof(n));
	return be32toh(n);
}

/* How many places from ours it is to the process whose port of that number has the address; false where none can have it */
static bool places_to(const struct port *p, const uint8_t address[GID_SIZE], int32_t *places)
{
	int64_t lid;

	if (gid_is_ipv4(address)) {
		*places = last_four(address + GID_SIZE - IPV4_SIZE) - last_four(p->ipv4);
	} else {
		*places = last_four(address + GID_SIZE - 4) - last_four(p->gids[0].raw + GID_SIZE - 4);
		if (*places % GUIDS_A_PLACE)
			return false;
		*places /= GUIDS_A_PLACE;
	}
	lid = p->lid + (int64_t)*places * MAX_PORTS;
	return lid > 0 && lid <= MAX_UNICAST_LID;
}

bool port_peer(const struct port *p, const uint8_t address[GID_SIZE], uint8_t gid[GID_SIZE], uint16_t *lid)
{
	*lid = 0;
	memcpy(gid, address, GID_SIZE);
	if (p->ethernet)
		return true;
	for (const struct port *as = ports; as < ports + port_total(); as++) {
		int32_t places;

		if (as->ethernet || !places_to(as, address, &places))
			continue;
		memcpy(gid, as->gids[0].raw, GID_SIZE);
		count_up(gid + GID_SIZE - 4, places * GUIDS_A_PLACE);
		*lid = as->lid + places * MAX_PORTS;
		return true;
	}
	return false;
}

uint16_t port_pkey(const struct port *p, uint32_t index)
{
	return index < MAX_PKEYS ? p->pkeys[index] : 0;
}

void port_count(uint16_t *counter)
{
	if (*counter < UINT16_MAX)
		++*counter;
}

/* The headers are counted, but for what each link makes anew */
static uint64_t on_the_wire(uint32_t packets, uint64_t payload)
{
	return payload + packets * (uint64_t)(LRH_SIZE + BTH_SIZE + ICRC_SIZE);
}

void port_count_xmit(const struct port *p, uint32_t packets, uint64_t payload)
{
	struct port_counts *c = p ? &port_get(p->number)->counts : NULL;

	if (!c)
		return;
	c->xmit_packets += packets;
	c->xmit_bytes += on_the_wire(packets, payload);
}

void port_count_rcv(const struct port *p, uint32_t packets, uint64_t payload)
{
	struct port_counts *c = p ? &port_get(p->number)->counts : NULL;

	if (!c)
		return;
	c->rcv_packets += packets;
	c->rcv_bytes += on_the_wire(packets, payload);
}

bool port_is_on_loopback(const struct port *p)
{
	for (int i = 0; i < p->ngids; i++)
		if (gid_is_ipv4(p->gids[i].raw) && p->gids[i].raw[GID_SIZE - IPV4_SIZE] == IN_LOOPBACKNET)
			return true;
	return p->ipv4[0] == IN_LOOPBACKNET;
}

/* The loopback is there in every container; no host has the other one */
const char *port_netdev(const struct port *p)
{
	return port_is_on_loopback(p) ? PORT_LOOPBACK : "emu0";
}

uint32_t port_mtu_bytes(const struct port *p)
{
	return 128u << p->mtu;
}

static int check_gid(const struct port *p, uint32_t index)
{
	if (index >= (uint32_t)p->gid_room)
		return EINVAL;
	return port_gid(p, index) ? 0 : ENODATA;
}

int port_check_path(uint8_t number, bool is_global, uint8_t sgid_index)
{
	const struct port *p = port_get(number);

	if (!p || (p->grh_required && !is_global))
		return EINVAL;
	return is_global ? check_gid(p, sgid_index) : 0;
}

bool port_finds_mac(uint8_t number, uint8_t sgid_index, const uint8_t dgid[GID_SIZE])
{
	const struct port *p = port_get(number);
	const struct gid *from = port_gid(p, sgid_index);

	return !p->ethernet || gid_is_multicast(dgid) || (from->type == IB_UVERBS_GID_TYPE_ROCE_V1 && gid_is_link_local(dgid)) ||
	       gid_is_ipv4(from->raw) == gid_is_ipv4(dgid);
}

static int query_port(struct call *c)
{
	const struct port *p = port_get(call_port(c, call_value(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM)));
	struct ib_uverbs_query_port_resp_ex r = { 0 };

	if (!p)
		return EINVAL;
	r.legacy_resp = (struct ib_uverbs_query_port_resp){
		.port_cap_flags = port_cap_mask(p),
		.max_msg_sz = config.max_msg_sz,
		.gid_tbl_len = p->gid_room,
		.pkey_tbl_len = p->npkeys,
		.bad_pkey_cntr = p->bad_pkeys,
		.qkey_viol_cntr = p->bad_qkeys,
		.lid = p->lid,
		.sm_lid = p->sm_lid,
		.state = p->state,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = p->mtu,
		.max_vl_num = p->ethernet ? 0 : 4,
		.subnet_timeout = p->ethernet ? 0 : 18,
		.active_width = p->width,
		.active_speed = p->speed,
		.phys_state = p->phys_state,
		.link_layer = p->ethernet ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND,
		.flags = p->grh_required ? IBV_QPF_GRH_REQUIRED : 0,
	};
	call_put(c, UVERBS_ATTR_QUERY_PORT_RESP, &r, sizeof(r));
	return 0;
}

static struct ib_uverbs_gid_entry gid_entry(const struct port *p, uint32_t index)
{
	struct ib_uverbs_gid_entry e = { .gid_index = index, .port_num = p->local };

	memcpy(e.gid, p->gids[index].raw, GID_SIZE);
	e.gid_type = p->gids[index].type;
	if (p->ethernet)
		e.netdev_ifindex = if_nametoindex(port_netdev(p)); /* 0 as of a device in another network namespace */
	return e;
}

static int query_gid_table(struct call *c)
{
	struct ib_uverbs_attr *a = call_attr(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	struct ib_uverbs_gid_entry entries[MAX_PORTS * MAX_GIDS];
	size_t n = 0;

	for (const struct port *p = ports; p < ports + port_total(); p++)
		for (int i = 0; p->device == call_device(c) && i < p->ngids; i++)
			entries[n++] = gid_entry(p, i);
	if (!a || a->len < n * sizeof(*entries))
		return EINVAL;
	call_put(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries, n * sizeof(*entries));
	call_put_u64(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, n);
	return 0;
}

static int query_gid_entry(struct call *c)
{
	const struct port *p = port_get(call_port(c, call_value(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT)));
	uint32_t index = call_value(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	struct ib_uverbs_gid_entry e;
	int rc = p ? check_gid(p, index) : EINVAL;

	if (rc)
		return rc;
	e = gid_entry(p, index);
	call_put(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &e, sizeof(e));
	return 0;
}

const struct method port_methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, "query_port", query_port),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, "query_gid_table", query_gid_table),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, "query_gid_entry", query_gid_entry),
	{ 0 },
};
