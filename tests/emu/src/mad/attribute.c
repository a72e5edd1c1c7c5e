/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The attributes of nodes and ports, which the nodes tell themselves and the subnet administrator of all of them. */
#include "mad/attribute.h"

#include <endian.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#include "bounds.h"
#include "mad/mad.h"

#define VENDOR_ID 0x0002c9
#define DEVICE_ID_CA 0x101d
#define DEVICE_ID_SWITCH 0xcf08
#define CLASS_VERSION 1
#define GID_PREFIX 0xfe80000000000000ull
#define LINEAR_FDB_CAP 0xc000
#define MULTICAST_FDB_CAP 0x4000
#define SM_STATE_MASTER 3
#define SM_PRIORITY 14

enum {
	NODE_CA = 1,
	NODE_SWITCH
};

static const struct field NODE_INFO_BASE_VERSION = { 0, 8 };
static const struct field NODE_INFO_CLASS_VERSION = { 8, 8 };
static const struct field NODE_INFO_NODE_TYPE = { 16, 8 };
static const struct field NODE_INFO_NUM_PORTS = { 24, 8 };
static const struct field NODE_INFO_SYSTEM_IMAGE_GUID = { 32, 64 };
static const struct field NODE_INFO_NODE_GUID = { 96, 64 };
static const struct field NODE_INFO_PORT_GUID = { 160, 64 };
static const struct field NODE_INFO_PARTITION_CAP = { 224, 16 };
static const struct field NODE_INFO_DEVICE_ID = { 240, 16 };
static const struct field NODE_INFO_LOCAL_PORT_NUM = { 288, 8 };
static const struct field NODE_INFO_VENDOR_ID = { 296, 24 };

static const struct field PORT_INFO_GID_PREFIX = { 64, 64 };
static const struct field PORT_INFO_LID = { 128, 16 };
static const struct field PORT_INFO_MASTER_SM_LID = { 144, 16 };
static const struct field PORT_INFO_CAPABILITY_MASK = { 160, 32 };
static const struct field PORT_INFO_LOCAL_PORT_NUM = { 224, 8 };
static const struct field PORT_INFO_LINK_WIDTH_ENABLED = { 232, 8 };
static const struct field PORT_INFO_LINK_WIDTH_SUPPORTED = { 240, 8 };
static const struct field PORT_INFO_LINK_WIDTH_ACTIVE = { 248, 8 };
static const struct field PORT_INFO_LINK_SPEED_SUPPORTED = { 256, 4 };
static const struct field PORT_INFO_PORT_STATE = { 260, 4 };
static const struct field PORT_INFO_PORT_PHYSICAL_STATE = { 264, 4 };
static const struct field PORT_INFO_LINK_DOWN_DEFAULT_STATE = { 268, 4 };
static const struct field PORT_INFO_LINK_SPEED_ACTIVE = { 280, 4 };
static const struct field PORT_INFO_LINK_SPEED_ENABLED = { 284, 4 };
static const struct field PORT_INFO_NEIGHBOR_MTU = { 288, 4 };
static const struct field PORT_INFO_VL_CAP = { 296, 4 };
static const struct field PORT_INFO_MTU_CAP = { 332, 4 };
static const struct field PORT_INFO_OPERATIONAL_VLS = { 344, 4 };
static const struct field PORT_INFO_P_KEY_VIOLATIONS = { 368, 16 };
static const struct field PORT_INFO_Q_KEY_VIOLATIONS = { 384, 16 };
static const struct field PORT_INFO_GUID_CAP = { 400, 8 };
static const struct field PORT_INFO_SUBNET_TIMEOUT = { 411, 5 };
static const struct field PORT_INFO_RESP_TIME_VALUE = { 419, 5 };
static const struct field PORT_INFO_LINK_SPEED_EXT_ACTIVE = { 496, 4 };
static const struct field PORT_INFO_LINK_SPEED_EXT_SUPPORTED = { 500, 4 };
static const struct field PORT_INFO_LINK_SPEED_EXT_ENABLED = { 507, 5 };

static const struct field SWITCH_INFO_LINEAR_FDB_CAP = { 0, 16 };
static const struct field SWITCH_INFO_MULTICAST_FDB_CAP = { 32, 16 };
static const struct field SWITCH_INFO_LINEAR_FDB_TOP = { 48, 16 };
static const struct field SWITCH_INFO_LIFE_TIME_VALUE = { 88, 5 };
static const struct field SWITCH_INFO_PARTITION_ENFORCEMENT_CAP = { 112, 16 };
static const struct field SWITCH_INFO_ENHANCED_PORT_0 = { 132, 1 };

static const struct field SM_INFO_GUID = { 0, 64 };
static const struct field SM_INFO_ACT_COUNT = { 128, 32 };
static const struct field SM_INFO_PRIORITY = { 160, 4 };
static const struct field SM_INFO_SM_STATE = { 164, 4 };

struct port_setting get_port_setting(const uint8_t *from)
{
	return (struct port_setting){ .lid = prm_get(from, PORT_INFO_LID),
				      .state = prm_get(from, PORT_INFO_PORT_STATE),
				      .phys_state = prm_get(from, PORT_INFO_PORT_PHYSICAL_STATE) };
}

void put_class_port_info(uint8_t *to, uint8_t class_version, uint16_t capability_mask)
{
	prm_set(to, CLASS_PORT_INFO_BASE_VERSION, BASE_VERSION);
	prm_set(to, CLASS_PORT_INFO_CLASS_VERSION, class_version);
	prm_set(to, CLASS_PORT_INFO_CAPABILITY_MASK, capability_mask);
	prm_set(to, CLASS_PORT_INFO_RESP_TIME_VALUE, RESP_TIME_VALUE);
}

void put_node_info(uint8_t *to, const struct subnet_host *h, uint8_t port)
{
	const struct subnet_node *n = h ? subnet_node_of(h, port) : NULL;

	prm_set(to, NODE_INFO_BASE_VERSION, BASE_VERSION);
	prm_set(to, NODE_INFO_CLASS_VERSION, CLASS_VERSION);
	prm_set(to, NODE_INFO_NODE_TYPE, h ? NODE_CA : NODE_SWITCH);
	prm_set(to, NODE_INFO_NUM_PORTS, n ? n->nports : switch_ports());
	prm_set64(to, NODE_INFO_SYSTEM_IMAGE_GUID, n ? n->system_guid : SWITCH_GUID);
	prm_set64(to, NODE_INFO_NODE_GUID, n ? n->guid : SWITCH_GUID);
	prm_set64(to, NODE_INFO_PORT_GUID, h ? h->ports[port - 1].guid : SWITCH_GUID);
	prm_set(to, NODE_INFO_PARTITION_CAP, MAX_PKEYS);
	prm_set(to, NODE_INFO_DEVICE_ID, h ? DEVICE_ID_CA : DEVICE_ID_SWITCH);
	prm_set(to, NODE_INFO_LOCAL_PORT_NUM, h ? h->ports[port - 1].local : port);
	prm_set(to, NODE_INFO_VENDOR_ID, VENDOR_ID);
}

/*
 * Speeds of FDR and more are in fields of their own, beside the most that the others can say: bits of SDR, DDR and QDR.
 * A link is as fast as it can be
 */
enum {
	SPEED_QDR = 4,
	SPEEDS = 7,
	SPEED_FDR10 = 8,
	FIRST_EXTENDED = 16
};

static void put_speed(uint8_t *to, const struct subnet_port *s)
{
	uint32_t extended = s->speed / FIRST_EXTENDED, slower = extended ? extended - 1 : 0;

	prm_set(to, PORT_INFO_LINK_SPEED_SUPPORTED, SPEEDS);
	prm_set(to, PORT_INFO_LINK_SPEED_ENABLED, SPEEDS);
	prm_set(to, PORT_INFO_LINK_SPEED_ACTIVE, s->speed >= SPEED_FDR10 ? SPEED_QDR : s->speed);
	prm_set(to, PORT_INFO_LINK_SPEED_EXT_SUPPORTED, extended | slower);
	prm_set(to, PORT_INFO_LINK_SPEED_EXT_ENABLED, extended | slower);
	prm_set(to, PORT_INFO_LINK_SPEED_EXT_ACTIVE, extended);
}

static void put_link(uint8_t *to, const struct subnet_port *s)
{
	prm_set(to, PORT_INFO_LINK_WIDTH_ENABLED, 1 | s->width);
	prm_set(to, PORT_INFO_LINK_WIDTH_SUPPORTED, 1 | s->width);
	prm_set(to, PORT_INFO_LINK_WIDTH_ACTIVE, s->width);
	prm_set(to, PORT_INFO_PORT_STATE, s->state);
	prm_set(to, PORT_INFO_PORT_PHYSICAL_STATE, s->phys_state);
	prm_set(to, PORT_INFO_LINK_DOWN_DEFAULT_STATE, 2);
	put_speed(to, s);
}

static uint64_t prefix_of(const struct subnet_port *s)
{
	__be64 prefix = htobe64(GID_PREFIX);

	if (s->ngids)
		memcpy(&prefix, s->gids[0], sizeof(prefix));
	return be64toh(prefix);
}

static void put_addresses(uint8_t *to, const struct subnet_port *s)
{
	prm_set64(to, PORT_INFO_GID_PREFIX, prefix_of(s));
	prm_set(to, PORT_INFO_LID, s->lid);
	prm_set(to, PORT_INFO_MASTER_SM_LID, s->sm_lid);
	prm_set(to, PORT_INFO_CAPABILITY_MASK, s->cap_mask);
	prm_set(to, PORT_INFO_GUID_CAP, GUIDS_A_BLOCK);
	prm_set(to, PORT_INFO_SUBNET_TIMEOUT, SUBNET_TIMEOUT);
	prm_set(to, PORT_INFO_RESP_TIME_VALUE, RESP_TIME_VALUE);
}

void put_port_info(uint8_t *to, const struct subnet_port *s, uint8_t local_port)
{
	/* What is of the whole node is told by port 0 of a switch */
	if (s->lid || s->ngids)
		put_addresses(to, s);
	prm_set(to, PORT_INFO_LOCAL_PORT_NUM, local_port);
	put_link(to, s);
	prm_set(to, PORT_INFO_NEIGHBOR_MTU, s->mtu);
	prm_set(to, PORT_INFO_MTU_CAP, IBV_MTU_4096);
	prm_set(to, PORT_INFO_VL_CAP, 3); /* VL 0 to 3, as verbs tell */
	prm_set(to, PORT_INFO_OPERATIONAL_VLS, 3);
	prm_set(to, PORT_INFO_P_KEY_VIOLATIONS, s->bad_pkeys);
	prm_set(to, PORT_INFO_Q_KEY_VIOLATIONS, s->bad_qkeys);
}

static void find_top(const struct subnet_host *h, void *arg)
{
	uint16_t *top = arg;

	for (int i = 0; i < h->nports; i++)
		if (!h->ports[i].ethernet && h->ports[i].lid > *top)
			*top = h->ports[i].lid;
}

void put_switch_info(uint8_t *to)
{
	uint16_t top = switch_lid();

	subnet_each(find_top, &top);
	prm_set(to, SWITCH_INFO_LINEAR_FDB_CAP, LINEAR_FDB_CAP);
	prm_set(to, SWITCH_INFO_MULTICAST_FDB_CAP, MULTICAST_FDB_CAP);
	prm_set(to, SWITCH_INFO_LINEAR_FDB_TOP, top);
	prm_set(to, SWITCH_INFO_LIFE_TIME_VALUE, SUBNET_TIMEOUT);
	prm_set(to, SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, MAX_PKEYS);
	prm_set(to, SWITCH_INFO_ENHANCED_PORT_0, 1);
}

/* Its activity is that time goes by */
void put_sm_info(uint8_t *to)
{
	prm_set64(to, SM_INFO_GUID, SWITCH_GUID);
	prm_set(to, SM_INFO_ACT_COUNT, time(NULL));
	prm_set(to, SM_INFO_PRIORITY, SM_PRIORITY);
	prm_set(to, SM_INFO_SM_STATE, SM_STATE_MASTER);
}

/* The lower halves of the GIDs */
void put_guid_block(uint8_t *to, const struct subnet_port *s, uint32_t block)
{
	for (uint32_t i = 0; i < GUIDS_A_BLOCK; i++) {
		uint32_t index = block * GUIDS_A_BLOCK + i;

		if (index < s->ngids)
			memcpy(to + i * 8, s->gids[index] + 8, 8);
	}
}

void put_pkey_block(uint8_t *to, const struct subnet_port *s, uint32_t block)
{
	for (uint32_t i = 0; i < P_KEYS_A_BLOCK; i++) {
		uint32_t index = block * P_KEYS_A_BLOCK + i;
		__be16 pkey = htobe16(index < s->npkeys ? s->pkeys[index] : 0);

		memcpy(to + i * sizeof(pkey), &pkey, sizeof(pkey));
	}
}

struct linear {
	uint8_t *to;
	uint32_t first;
};

static void put_hops(const struct subnet_host *h, void *arg)
{
	struct linear *l = arg;

	for (int i = 0; i < h->nports; i++) {
		uint32_t lid = h->ports[i].lid;

		if (lid && lid >= l->first && lid < l->first + LIDS_A_BLOCK)
			l->to[lid - l->first] = switch_port_of(h->place, i + 1);
	}
}

/* The port that leads to each LID; 255 to none */
void put_linear_block(uint8_t *to, uint32_t block)
{
	struct linear l = { to, block * LIDS_A_BLOCK };
	uint32_t own = switch_lid();

	memset(to, 0xff, LIDS_A_BLOCK);
	subnet_each(put_hops, &l);
	if (own >= l.first && own < l.first + LIDS_A_BLOCK)
		to[own - l.first] = 0;
}

void put_description(uint8_t *to, const char *text)
{
	strncpy((char *)to, text, NODE_DESC_SIZE);
}
