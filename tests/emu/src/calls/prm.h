/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Mailboxes of device commands: opcodes, and where the fields lie that are used.
 * No public header has them; the names are those of the Programmer's Reference Manual.
 */
#ifndef EMU_PRM_H
#define EMU_PRM_H

#include <stdint.h>
#include <verbsx/mlx5_prm.h>

enum {
	CMD_QUERY_HCA_CAP = 0x100,
	CMD_QUERY_ADAPTER = 0x101,
	CMD_CREATE_MKEY = 0x200,
	CMD_CREATE_CQ = 0x400,
	CMD_CREATE_QP = 0x500,
	CMD_RST2INIT_QP = 0x502,
	CMD_INIT2RTR_QP = 0x503,
	CMD_RTR2RTS_QP = 0x504,
	CMD_RTS2RTS_QP = 0x505,
	CMD_2ERR_QP = 0x507,
	CMD_2RST_QP = 0x50a,
	CMD_QUERY_QP = 0x50b,
	CMD_INIT2INIT_QP = 0x50e,
	CMD_CREATE_PSV = 0x600,
	CMD_CREATE_SRQ = 0x700,
	CMD_CREATE_XRC_SRQ = 0x705,
	CMD_CREATE_DCT = 0x710,
	CMD_DRAIN_DCT = 0x712,
	CMD_CREATE_XRQ = 0x717,
	CMD_QUERY_VPORT_STATE = 0x750,
	CMD_QUERY_HCA_VPORT_CONTEXT = 0x762,
	CMD_ALLOC_Q_COUNTER = 0x771,
	CMD_CREATE_SCHEDULING_ELEMENT = 0x782,
	CMD_ALLOC_PD = 0x800,
	CMD_ATTACH_TO_MCG = 0x806,
	CMD_NOP = 0x80d,
	CMD_ALLOC_XRCD = 0x80e,
	CMD_ALLOC_TRANSPORT_DOMAIN = 0x816,
	CMD_ADD_VXLAN_UDP_DPORT = 0x827,
	CMD_SET_L2_TABLE_ENTRY = 0x829,
	CMD_QUERY_LAG = 0x842,
	CMD_CREATE_TIR = 0x900,
	CMD_CREATE_SQ = 0x904,
	CMD_MODIFY_SQ = 0x905,
	CMD_CREATE_RQ = 0x908,
	CMD_MODIFY_RQ = 0x909,
	CMD_CREATE_RMP = 0x90c,
	CMD_CREATE_TIS = 0x912,
	CMD_MODIFY_TIS = 0x913,
	CMD_QUERY_TIS = 0x915,
	CMD_CREATE_RQT = 0x916,
	CMD_CREATE_FLOW_TABLE = 0x930,
	CMD_QUERY_FLOW_TABLE = 0x932,
	CMD_CREATE_FLOW_GROUP = 0x933,
	CMD_QUERY_FLOW_GROUP = 0x935,
	CMD_SET_FLOW_TABLE_ENTRY = 0x936,
	CMD_QUERY_FLOW_TABLE_ENTRY = 0x937,
	CMD_ALLOC_FLOW_COUNTER = 0x939,
	CMD_QUERY_FLOW_COUNTER = 0x93b,
	CMD_ALLOC_PACKET_REFORMAT_CONTEXT = 0x93d,
	CMD_ALLOC_MODIFY_HEADER_CONTEXT = 0x940,
	CMD_CREATE_GENERAL_OBJECT = 0xa00,
	CMD_MODIFY_GENERAL_OBJECT = 0xa01,
	CMD_QUERY_GENERAL_OBJECT = 0xa02,
};

enum {
	STATUS_BAD_OP = 2,
	STATUS_BAD_PARAM = 3,
	STATUS_LIM = 8, /* no more of its kind */
	STATUS_BAD_RES_STATE = 9
};

/* Bits are counted from the most significant one; none crosses a word but those of 64 bits. */
struct field {
	uint16_t offset, width;
};

/* Of the lore that libverbsx has of mailboxes, too */
#define FIELD(name)                                                                                     \
	{                                                                                               \
		VX_MLX5_FIELD_OFFSET(VX_MLX5_##name), VX_MLX5_FIELD_WIDTH(VX_MLX5_##name)               \
	}

static const struct field CMD_OPCODE = FIELD(CMD_IN_OPCODE);
static const struct field CMD_OP_MOD = FIELD(CMD_IN_OP_MOD);
static const struct field CMD_STATUS = FIELD(CMD_OUT_STATUS);
static const struct field CMD_SYNDROME = FIELD(CMD_OUT_SYNDROME);

static const struct field GENERAL_OBJ_TYPE = FIELD(CREATE_GENERAL_OBJECT_OBJ_TYPE);
static const struct field GENERAL_OBJ_ID = FIELD(CREATE_GENERAL_OBJECT_OBJ_ID);

/* Of an mkey, whose context comes after the header; its entries follow the mailbox */
static const struct field CREATE_MKEY_FREE = FIELD(CREATE_MKEY_FREE);
static const struct field CREATE_MKEY_ACCESS_MODE_4_2 = FIELD(CREATE_MKEY_ACCESS_MODE_4_2);
static const struct field CREATE_MKEY_A = FIELD(CREATE_MKEY_A);
static const struct field CREATE_MKEY_RW = FIELD(CREATE_MKEY_RW);
static const struct field CREATE_MKEY_RR = FIELD(CREATE_MKEY_RR);
static const struct field CREATE_MKEY_LW = FIELD(CREATE_MKEY_LW);
static const struct field CREATE_MKEY_ACCESS_MODE_1_0 = FIELD(CREATE_MKEY_ACCESS_MODE_1_0);
static const struct field CREATE_MKEY_QPN = FIELD(CREATE_MKEY_QPN);
static const struct field CREATE_MKEY_MKEY_7_0 = FIELD(CREATE_MKEY_MKEY_7_0);
static const struct field CREATE_MKEY_BSF_EN = FIELD(CREATE_MKEY_BSF_EN);
static const struct field CREATE_MKEY_PD = FIELD(CREATE_MKEY_PD);
static const struct field CREATE_MKEY_START_ADDR = FIELD(CREATE_MKEY_START_ADDR);
static const struct field CREATE_MKEY_LEN = FIELD(CREATE_MKEY_LEN);
static const struct field CREATE_MKEY_LOG_ENTITY_SIZE = FIELD(CREATE_MKEY_LOG_ENTITY_SIZE);
static const struct field CREATE_MKEY_CRYPTO_EN = FIELD(CREATE_MKEY_CRYPTO_EN);
static const struct field CREATE_MKEY_TRANSLATIONS_ACTUAL = FIELD(CREATE_MKEY_TRANSLATIONS_OCTWORD_ACTUAL_SIZE);
static const struct field CREATE_MKEY_INDEX = FIELD(CREATE_MKEY_OUT_MKEY_INDEX);

#define CREATE_MKEY_SIZE 272

static const struct field KLM_BYTE_COUNT = { 0, 32 };
static const struct field KLM_MKEY = { 32, 32 };
static const struct field KLM_ADDRESS = { 64, 64 };

#define KLM_SIZE 16

static const struct field CREATE_PSV_NUM_PSV = FIELD(CREATE_PSV_NUM_PSV);
static const struct field CREATE_PSV_PD = FIELD(CREATE_PSV_PD);
static const struct field CREATE_PSV_INDEX0 = FIELD(CREATE_PSV_OUT_PSV0_INDEX);

static const struct field QP_QPN = FIELD(QUERY_QP_QPN);
static const struct field QPC_DCI_STREAM_CHANNEL_ID = FIELD(RTS2RTS_QP_EXT_DCI_STREAM_CHANNEL_ID);

/* Entries of an event queue */
#define EQE_SIZE 64

static const struct field EQE_TYPE = { 8, 8 };
static const struct field EQE_SUB_TYPE = { 24, 8 };
static const struct field EQE_PORT = { 320, 4 };
static const struct field EQE_OBJ_ID = { 288, 32 };
static const struct field EQE_NUMBER = { 448, 32 }; /* of a QP or SRQ */

enum {
	EVENT_COMP = 0x00,
	EVENT_PATH_MIG = 0x01,
	EVENT_COMM_EST = 0x02,
	EVENT_SQ_DRAINED = 0x03,
	EVENT_WQ_CATAS_ERROR = 0x05,
	EVENT_PATH_MIG_FAILED = 0x07,
	EVENT_PORT_CHANGE = 0x09,
	EVENT_WQ_INVAL_REQ_ERROR = 0x10,
	EVENT_WQ_ACCESS_ERROR = 0x11,
	EVENT_SRQ_LAST_WQE = 0x13,
	EVENT_OBJECT_CHANGE = 0x27,
	EVENT_TYPES = 0x100
};

enum {
	PORT_CHANGE_DOWN = 1,
	PORT_CHANGE_ACTIVE = 4,
	PORT_CHANGE_LID = 6,
	PORT_CHANGE_PKEY = 7,
	PORT_CHANGE_GUID = 8,
	PORT_CHANGE_REREGISTER = 9
};

uint32_t prm_get(const void *mailbox, struct field f);
void prm_set(void *mailbox, struct field f, uint32_t value);

/* Of 64 bits. */
uint64_t prm_get64(const void *mailbox, struct field f);
void prm_set64(void *mailbox, struct field f, uint64_t value);

#endif
