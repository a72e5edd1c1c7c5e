/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Mailboxes of flow tables: the table, its groups of one mask each, and its entries (FTE). */
#ifndef EMU_PRM_FT_H
#define EMU_PRM_FT_H

#include "calls/prm.h"

#define CREATE_FLOW_TABLE_SIZE 32
#define QUERY_FLOW_TABLE_SIZE 64 /* of the answer */
#define QUERY_FLOW_GROUP_SIZE 28
#define QUERY_FTE_SIZE 36
#define CREATE_FLOW_GROUP_SIZE (MATCH_CRITERIA_AT + 192)
#define SET_FTE_SIZE FTE_LISTS_AT /* and what the lists have */

static const struct field FT_OTHER_VPORT = { 64, 1 };
static const struct field FT_TABLE_TYPE = { 128, 8 };
static const struct field FT_TABLE_ID = { 168, 24 }; /* of a group and of an entry */
static const struct field FT_CREATED = { 72, 24 };

static const struct field FTC_REFORMAT_EN = { 192, 1 };
static const struct field FTC_DECAP_EN = { 193, 1 };
static const struct field FTC_SW_OWNER = { 194, 1 };
static const struct field FTC_TERMINATION_TABLE = { 195, 1 };
static const struct field FTC_TABLE_MISS_ACTION = { 196, 4 };
static const struct field FTC_LEVEL = { 200, 8 };
static const struct field FTC_LOG_SIZE = { 216, 8 };
static const struct field FTC_TABLE_MISS_ID = { 232, 24 };

enum {
	TABLE_TYPE_NIC_RX = 0,
	TABLE_TYPE_NIC_TX = 1
};

enum {
	MISS_DEFAULT = 0,
	MISS_GO_TO_TABLE = 1
};

static const struct field QUERY_FG_GROUP_ID = { 192, 32 };
static const struct field FG_START_FLOW_INDEX = { 224, 32 };
static const struct field FG_END_FLOW_INDEX = { 288, 32 };
static const struct field FG_MATCH_CRITERIA_ENABLE = { 504, 8 };

#define MATCH_CRITERIA_AT 64 /* in bytes, as the others below */

static const struct field FTE_IGNORE_FLOW_LEVEL = { 192, 1 };
static const struct field FTE_MODIFY_ENABLE_MASK = { 216, 8 };
static const struct field FTE_FLOW_INDEX = { 256, 32 };
static const struct field FTE_PUSH_VLAN = { 512, 32 }; /* a tag, its Ethertype first */
static const struct field FTE_GROUP_ID = { 544, 32 };
static const struct field FTE_FLOW_TAG = { 584, 24 };
static const struct field FTE_ACTION = { 624, 16 };
static const struct field FTE_EXTENDED_DESTINATION = { 640, 1 };
static const struct field FTE_DESTINATION_LIST_SIZE = { 648, 24 };
static const struct field FTE_FLOW_COUNTER_LIST_SIZE = { 680, 24 };
static const struct field FTE_PACKET_REFORMAT_ID = { 704, 32 };
static const struct field FTE_MODIFY_HEADER_ID = { 736, 32 };
static const struct field FTE_PUSH_VLAN_2 = { 768, 32 };

#define MATCH_VALUE_AT 128
#define FTE_LISTS_AT 832 /* destinations, then counters */
#define FTE_LIST_ENTRY 8

/* Of an entry of the lists, from its place on */
static const struct field DESTINATION_TYPE = { 0, 8 };
static const struct field DESTINATION_ID = { 8, 24 };
static const struct field FTE_COUNTER_ID = { 0, 32 };

enum {
	DESTINATION_FLOW_TABLE = 1,
	DESTINATION_TIR = 2
};

enum {
	FTE_ALLOW = 1 << 0,
	FTE_DROP = 1 << 1,
	FTE_FORWARD = 1 << 2,
	FTE_COUNT = 1 << 3,
	FTE_REFORMAT = 1 << 4,
	FTE_DECAP = 1 << 5,
	FTE_MODIFY_HEADER = 1 << 6,
	FTE_VLAN_POP = 1 << 7,
	FTE_VLAN_PUSH = 1 << 8,
	FTE_VLAN_POP_2 = 1 << 10,
	FTE_VLAN_PUSH_2 = 1 << 11,
	FTE_CHANGES = FTE_REFORMAT | FTE_DECAP | FTE_MODIFY_HEADER | FTE_VLAN_POP | FTE_VLAN_PUSH | FTE_VLAN_POP_2 | FTE_VLAN_PUSH_2
};

/* What SET_FLOW_TABLE_ENTRY changes of an entry that is there */
enum {
	MODIFY_ACTION = 1 << 0,
	MODIFY_TAG = 1 << 1,
	MODIFY_DESTINATIONS = 1 << 2,
	MODIFY_COUNTERS = 1 << 3,
	MODIFY_ALL = (1 << 4) - 1
};

/* What changes headers: ALLOC_MODIFY_HEADER_CONTEXT, ALLOC_PACKET_REFORMAT_CONTEXT */
static const struct field MODIFY_HEADER_TABLE_TYPE = { 96, 8 };
static const struct field MODIFY_HEADER_NUM_OF_ACTIONS = { 120, 8 };
static const struct field REFORMAT_TYPE = { 224, 8 };
static const struct field REFORMAT_DATA_SIZE = { 246, 10 };
static const struct field HEADER_CONTEXT_ID = { 64, 32 }; /* of the answer of either */

#define MODIFY_HEADER_ACTIONS_AT 16
#define REFORMAT_DATA_AT 34

enum {
	REFORMAT_NONE = -1, /* of what a mailbox does not ask for */
	REFORMAT_L2_TO_L2_TUNNEL = 2,
	REFORMAT_L3_TUNNEL_TO_L2 = 3,
	REFORMAT_L2_TO_L3_TUNNEL = 4
};

#endif
