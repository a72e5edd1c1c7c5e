/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Mailboxes of device commands: opcodes, and where the fields lie that are used.
 * No public header has them; the names are those of the Programmer's Reference Manual.
 */
#ifndef EMU_PRM_H
#define EMU_PRM_H

#include <stdint.h>

enum {
	CMD_QUERY_HCA_CAP = 0x100,
	CMD_CREATE_MKEY = 0x200,
	CMD_CREATE_PSV = 0x600,
	CMD_RTS2RTS_QP = 0x505,
	CMD_INIT2INIT_QP = 0x50e,
	CMD_CREATE_GENERAL_OBJECT = 0xa00,
	CMD_MODIFY_GENERAL_OBJECT = 0xa01,
	CMD_QUERY_GENERAL_OBJECT = 0xa02,
};

/* Groups of capabilities, which lie above the low bit of op_mod */
enum {
	CAP_GROUP_GENERAL = 0,
	CAP_GROUP_CRYPTO = 0x1a
};

enum {
	STATUS_BAD_OP = 2,
	STATUS_BAD_PARAM = 3
};

/* Bits are counted from the most significant one; no field crosses a word. */
struct field {
	uint16_t offset, width;
};

static const struct field CMD_OPCODE = { 0, 16 };
static const struct field CMD_OP_MOD = { 48, 16 };
static const struct field CMD_STATUS = { 0, 8 };
static const struct field CMD_SYNDROME = { 32, 32 };

static const struct field CAP_LOG_DMA_MMO_MAX_SIZE = { 235, 5 };
static const struct field CAP_QPC_EXTENSION = { 418, 1 };
static const struct field CAP_DMA_MMO_SQ = { 467, 1 };
static const struct field CAP_SHO = { 663, 1 };
static const struct field CAP_SIGNATURE_MKEY = { 1280, 1 }; /* libmlx5 wants both */
static const struct field CAP_AES_XTS_SINGLE_BLOCK = { 1137, 1 };
static const struct field CAP_AES_XTS_MULTI_BLOCK = { 1138, 1 };
static const struct field CAP_CRYPTO = { 1257, 1 };
static const struct field CAP_DMA_MMO_QP = { 1992, 1 };

static const struct field CAP_GENERAL_OBJ_TYPES_HIGH = { 1152, 32 };
static const struct field CAP_GENERAL_OBJ_TYPES_LOW = { 1184, 32 };

/* In the capabilities of its encryption */
static const struct field CRYPTO_WRAPPED_OPERATIONAL = { 128, 1 };
static const struct field CRYPTO_WRAPPED_IMPORT_METHOD = { 152, 8 };
static const struct field CRYPTO_LOG_MAX_NUM_DEKS = { 171, 5 };

static const struct field GENERAL_OBJ_TYPE = { 48, 16 };
static const struct field GENERAL_OBJ_ID = { 64, 32 };

static const struct field CREATE_MKEY_PD = { 232, 24 };
static const struct field CREATE_MKEY_BSF_EN = { 225, 1 };
static const struct field CREATE_MKEY_CRYPTO_EN = { 611, 2 };
static const struct field CREATE_MKEY_INDEX = { 72, 24 };

static const struct field CREATE_PSV_NUM_PSV = { 64, 4 };
static const struct field CREATE_PSV_PD = { 72, 24 };
static const struct field CREATE_PSV_INDEX0 = { 136, 24 };

static const struct field QP_QPN = { 72, 24 };
static const struct field QPC_DCI_STREAM_CHANNEL_ID = { 2192, 16 };

/* Entries of an event queue */
#define EQE_SIZE 64

static const struct field EQE_TYPE = { 8, 8 };
static const struct field EQE_SUB_TYPE = { 24, 8 };
static const struct field EQE_PORT = { 320, 4 };
static const struct field EQE_OBJ_ID = { 288, 32 };
static const struct field EQE_NUMBER = { 448, 32 }; /* of a QP or SRQ */

enum {
	EVENT_PORT_CHANGE = 0x09,
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

#endif
