/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * QUERY_HCA_CAP: the groups of capabilities, and where their fields lie in the answer.
 * Names are those of the Programmer's Reference Manual.
 */
#ifndef EMU_HCA_CAP_H
#define EMU_HCA_CAP_H

#include "calls/devx.h"
#include "calls/prm.h"

/* Above the low bit of op_mod */
enum {
	CAP_GROUP_GENERAL = 0,
	CAP_GROUP_ODP = 2,
	CAP_GROUP_ATOMIC = 3,
	CAP_GROUP_NIC_FLOW_TABLE = 7,
	CAP_GROUP_QOS = 0xc,
	CAP_GROUP_CRYPTO = 0x1a
};

static const struct field CAP_LOG_MAX_SRQ_SZ = { 256, 8 };
static const struct field CAP_LOG_MAX_QP_SZ = { 264, 8 };
static const struct field CAP_LOG_MAX_QP = { 283, 5 };
static const struct field CAP_LOG_MAX_SRQ = { 299, 5 };
static const struct field CAP_LOG_MAX_CQ_SZ = { 328, 8 };
static const struct field CAP_LOG_MAX_CQ = { 347, 5 };
static const struct field CAP_LOG_DMA_MMO_MAX_SIZE = { 235, 5 };
static const struct field CAP_LOG_MAX_MKEY = { 362, 6 };
static const struct field CAP_MAX_INDIRECTION = { 384, 8 };
static const struct field CAP_FIXED_BUFFER_SIZE = { 392, 1 }; /* mkeys of KSMs */
static const struct field CAP_LOG_MAX_KLM_LIST_SIZE = { 410, 6 };
static const struct field CAP_QPC_EXTENSION = { 418, 1 };
static const struct field CAP_LOG_MAX_RA_REQ_DC = { 426, 6 };
static const struct field CAP_LOG_MAX_RA_RES_DC = { 442, 6 };
static const struct field CAP_OOO_SL_MASK = { 440, 1 }; /* is in the context of a vport */
static const struct field CAP_LOG_MAX_RA_REQ_QP = { 458, 6 };
static const struct field CAP_RTS2RTS_QP_UDP_SPORT = { 465, 1 };
static const struct field CAP_SIG_CRC64_XP10 = { 455, 1 };
static const struct field CAP_SIG_CRC32C = { 456, 1 };
static const struct field CAP_RTS2RTS_LAG_TX_PORT_AFFINITY = { 466, 1 };
static const struct field CAP_DMA_MMO_SQ = { 467, 1 };
static const struct field CAP_LOG_MAX_RA_RES_QP = { 474, 6 };
static const struct field CAP_PORT_TYPE = { 566, 2 };
static const struct field CAP_NUM_PORTS = { 568, 8 };
static const struct field CAP_LOG_MAX_MSG = { 579, 5 };
static const struct field CAP_CQE_VERSION = { 636, 4 };
static const struct field CAP_SIG_BLOCK_4048 = { 624, 1 };
static const struct field CAP_COMPACT_ADDRESS_VECTOR = { 640, 1 };
static const struct field CAP_SHO = { 663, 1 };
static const struct field CAP_DCT = { 666, 1 };
static const struct field CAP_QOS = { 667, 1 };
static const struct field CAP_ROCE = { 669, 1 };
static const struct field CAP_ATOMIC = { 670, 1 };
static const struct field CAP_CQ_RESIZE = { 673, 1 };
static const struct field CAP_CQ_MODERATION = { 674, 1 };
static const struct field CAP_PG = { 679, 1 }; /* paging: memory on demand */
static const struct field CAP_XRC = { 700, 1 };
static const struct field CAP_UD = { 701, 1 };
static const struct field CAP_UC = { 702, 1 };
static const struct field CAP_RC = { 703, 1 };
static const struct field CAP_LAG_TX_PORT_AFFINITY = { 760, 1 };
static const struct field CAP_NUM_LAG_PORTS = { 764, 4 };
static const struct field CAP_LOG_MAX_PD = { 939, 5 };
static const struct field CAP_LOG_MAX_XRCD = { 955, 5 };
static const struct field CAP_LOG_MAX_TRANSPORT_DOMAIN = { 931, 5 };
static const struct field CAP_LOG_MAX_RQ = { 995, 5 };
static const struct field CAP_LOG_MAX_TIR = { 1011, 5 };
static const struct field CAP_LOG_MAX_RMP = { 1027, 5 };
static const struct field CAP_LOG_MAX_RQT = { 1035, 5 };
static const struct field CAP_LOG_MAX_RQT_SIZE = { 1043, 5 };
static const struct field CAP_LOG_MAX_WQ_SZ = { 1115, 5 };
static const struct field CAP_SIGERR_DOMAIN_AND_SIG_TYPE = { 1280, 1 }; /* libmlx5 wants it beside sho */
static const struct field CAP_AES_XTS_SINGLE_BLOCK = { 1137, 1 };
static const struct field CAP_AES_XTS_MULTI_BLOCK = { 1138, 1 };
static const struct field CAP_GENERAL_OBJ_TYPES_HIGH = { 1152, 32 };
static const struct field CAP_GENERAL_OBJ_TYPES_LOW = { 1184, 32 };
static const struct field CAP_CRYPTO = { 1257, 1 };
static const struct field CAP_DMA_MMO_QP = { 1992, 1 };

/* Of the group of atomics */
static const struct field ATOMIC_REQ_8B_ENDIANNESS_MODE = { 192, 2 }; /* 1: the host's */
static const struct field ATOMIC_OPERATIONS = { 272, 16 };
static const struct field ATOMIC_SIZE_QP = { 304, 16 };
static const struct field ATOMIC_SIZE_DC = { 336, 16 };

/* Of flow tables: of the NIC, then the properties of its tables for what comes and what goes */
static const struct field FT_ENCAP_GENERAL_HEADER = { 160, 1 };
static const struct field FT_LOG_MAX_PACKET_REFORMAT = { 171, 5 };
static const struct field FT_RX_REFORMAT = { 647, 1 };
static const struct field FT_TX_REFORMAT = { 2183, 1 };

/* Of scheduling */
static const struct field QOS_NIC_SQ_SCHEDULING = { 136, 1 };
static const struct field QOS_NIC_BW_SHARE = { 137, 1 };
static const struct field QOS_NIC_RATE_LIMIT = { 138, 1 };
static const struct field QOS_NIC_QP_SCHEDULING = { 161, 1 };
static const struct field QOS_NIC_ELEMENT_TYPE = { 384, 16 };
static const struct field QOS_NIC_TSAR_TYPE = { 400, 16 };

/* Of encryption */
static const struct field CRYPTO_WRAPPED_OPERATIONAL = { 128, 1 };
static const struct field CRYPTO_WRAPPED_IMPORT_METHOD = { 152, 8 };
static const struct field CRYPTO_LOG_MAX_NUM_DEKS = { 171, 5 };

/* Of memory on demand: each service has a word, with bits from its top */
static const struct field ODP_SIG = { 192, 1 };
static const struct field ODP_RC_CAPS = { 256, 32 };
static const struct field ODP_UC_CAPS = { 288, 32 };
static const struct field ODP_UD_CAPS = { 320, 32 };
static const struct field ODP_XRC_CAPS = { 352, 32 };
static const struct field ODP_DC_CAPS = { 384, 32 };

devx_fn query_hca_cap;

#endif
