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

static const struct field CAP_LOG_MAX_SRQ_SZ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_SRQ_SZ);
static const struct field CAP_LOG_MAX_QP_SZ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_QP_SZ);
static const struct field CAP_LOG_MAX_QP = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_QP);
static const struct field CAP_LOG_MAX_SRQ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_SRQ);
static const struct field CAP_LOG_MAX_CQ_SZ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_CQ_SZ);
static const struct field CAP_LOG_MAX_CQ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_CQ);
static const struct field CAP_LOG_DMA_MMO_MAX_SIZE = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_DMA_MMO_MAX_SIZE);
static const struct field CAP_LOG_MAX_MKEY = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_MKEY);
static const struct field CAP_MAX_INDIRECTION = FIELD(QUERY_HCA_CAP_OUT_CAP_MAX_INDIRECTION);
static const struct field CAP_FIXED_BUFFER_SIZE = FIELD(QUERY_HCA_CAP_OUT_CAP_FIXED_BUFFER_SIZE); /* mkeys of KSMs */
static const struct field CAP_LOG_MAX_KLM_LIST_SIZE = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_KLM_LIST_SIZE);
static const struct field CAP_QPC_EXTENSION = FIELD(QUERY_HCA_CAP_OUT_CAP_QPC_EXTENSION);
static const struct field CAP_LOG_MAX_RA_REQ_DC = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RA_REQ_DC);
static const struct field CAP_LOG_MAX_RA_RES_DC = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RA_RES_DC);
static const struct field CAP_OOO_SL_MASK = FIELD(QUERY_HCA_CAP_OUT_CAP_OOO_SL_MASK); /* is in the context of a vport */
static const struct field CAP_LOG_MAX_RA_REQ_QP = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RA_REQ_QP);
static const struct field CAP_RTS2RTS_QP_UDP_SPORT = FIELD(QUERY_HCA_CAP_OUT_CAP_RTS2RTS_QP_UDP_SPORT);
static const struct field CAP_SIG_CRC64_XP10 = FIELD(QUERY_HCA_CAP_OUT_CAP_SIG_CRC64_XP10);
static const struct field CAP_SIG_CRC32C = FIELD(QUERY_HCA_CAP_OUT_CAP_SIG_CRC32C);
static const struct field CAP_RTS2RTS_LAG_TX_PORT_AFFINITY = FIELD(QUERY_HCA_CAP_OUT_CAP_RTS2RTS_LAG_TX_PORT_AFFINITY);
static const struct field CAP_DMA_MMO_SQ = FIELD(QUERY_HCA_CAP_OUT_CAP_DMA_MMO_SQ);
static const struct field CAP_LOG_MAX_RA_RES_QP = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RA_RES_QP);
static const struct field CAP_PORT_TYPE = FIELD(QUERY_HCA_CAP_OUT_CAP_PORT_TYPE);
static const struct field CAP_NUM_PORTS = FIELD(QUERY_HCA_CAP_OUT_CAP_NUM_PORTS);
static const struct field CAP_LOG_MAX_MSG = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_MSG);
static const struct field CAP_CQE_VERSION = FIELD(QUERY_HCA_CAP_OUT_CAP_CQE_VERSION);
static const struct field CAP_SIG_BLOCK_4048 = FIELD(QUERY_HCA_CAP_OUT_CAP_SIG_BLOCK_4048);
static const struct field CAP_COMPACT_ADDRESS_VECTOR = FIELD(QUERY_HCA_CAP_OUT_CAP_COMPACT_ADDRESS_VECTOR);
static const struct field CAP_SHO = FIELD(QUERY_HCA_CAP_OUT_CAP_SHO);
static const struct field CAP_DCT = FIELD(QUERY_HCA_CAP_OUT_CAP_DCT);
static const struct field CAP_QOS = FIELD(QUERY_HCA_CAP_OUT_CAP_QOS);
static const struct field CAP_ROCE = FIELD(QUERY_HCA_CAP_OUT_CAP_ROCE);
static const struct field CAP_ATOMIC = FIELD(QUERY_HCA_CAP_OUT_CAP_ATOMIC);
static const struct field CAP_CQ_RESIZE = FIELD(QUERY_HCA_CAP_OUT_CAP_CQ_RESIZE);
static const struct field CAP_CQ_MODERATION = FIELD(QUERY_HCA_CAP_OUT_CAP_CQ_MODERATION);
static const struct field CAP_PG = FIELD(QUERY_HCA_CAP_OUT_CAP_PG); /* paging: memory on demand */
static const struct field CAP_XRC = FIELD(QUERY_HCA_CAP_OUT_CAP_XRC);
static const struct field CAP_UD = FIELD(QUERY_HCA_CAP_OUT_CAP_UD);
static const struct field CAP_UC = FIELD(QUERY_HCA_CAP_OUT_CAP_UC);
static const struct field CAP_RC = FIELD(QUERY_HCA_CAP_OUT_CAP_RC);
static const struct field CAP_LAG_TX_PORT_AFFINITY = FIELD(QUERY_HCA_CAP_OUT_CAP_LAG_TX_PORT_AFFINITY);
static const struct field CAP_NUM_LAG_PORTS = FIELD(QUERY_HCA_CAP_OUT_CAP_NUM_LAG_PORTS);
static const struct field CAP_LOG_MAX_PD = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_PD);
static const struct field CAP_LOG_MAX_XRCD = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_XRCD);
static const struct field CAP_LOG_MAX_TRANSPORT_DOMAIN = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_TRANSPORT_DOMAIN);
static const struct field CAP_LOG_MAX_RQ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RQ);
static const struct field CAP_LOG_MAX_TIR = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_TIR);
static const struct field CAP_LOG_MAX_RMP = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RMP);
static const struct field CAP_LOG_MAX_RQT = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RQT);
static const struct field CAP_LOG_MAX_RQT_SIZE = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_RQT_SIZE);
static const struct field CAP_LOG_MAX_WQ_SZ = FIELD(QUERY_HCA_CAP_OUT_CAP_LOG_MAX_WQ_SZ);
static const struct field CAP_SIGERR_DOMAIN_AND_SIG_TYPE = FIELD(QUERY_HCA_CAP_OUT_CAP_SIGERR_DOMAIN_AND_SIG_TYPE); /* libmlx5 wants it beside sho */
static const struct field CAP_AES_XTS_SINGLE_BLOCK = FIELD(QUERY_HCA_CAP_OUT_CAP_AES_XTS_SINGLE_BLOCK);
static const struct field CAP_AES_XTS_MULTI_BLOCK = FIELD(QUERY_HCA_CAP_OUT_CAP_AES_XTS_MULTI_BLOCK);
static const struct field CAP_GENERAL_OBJ_TYPES_HIGH = FIELD(QUERY_HCA_CAP_OUT_CAP_GENERAL_OBJ_TYPES_HIGH);
static const struct field CAP_GENERAL_OBJ_TYPES_LOW = FIELD(QUERY_HCA_CAP_OUT_CAP_GENERAL_OBJ_TYPES_LOW);
static const struct field CAP_CRYPTO = FIELD(QUERY_HCA_CAP_OUT_CAP_CRYPTO);
static const struct field CAP_DMA_MMO_QP = FIELD(QUERY_HCA_CAP_OUT_CAP_DMA_MMO_QP);

/* Of the group of atomics */
static const struct field ATOMIC_REQ_8B_ENDIANNESS_MODE = FIELD(QUERY_HCA_CAP_ATOMIC_OUT_CAP_ATOMIC_REQ_8B_ENDIANNESS_MODE); /* 1: the host's */
static const struct field ATOMIC_OPERATIONS = FIELD(QUERY_HCA_CAP_ATOMIC_OUT_CAP_ATOMIC_OPERATIONS);
static const struct field ATOMIC_SIZE_QP = FIELD(QUERY_HCA_CAP_ATOMIC_OUT_CAP_ATOMIC_SIZE_QP);
static const struct field ATOMIC_SIZE_DC = FIELD(QUERY_HCA_CAP_ATOMIC_OUT_CAP_ATOMIC_SIZE_DC);

/* Of flow tables: of the NIC, then the properties of its tables for what comes and what goes */
static const struct field FT_ENCAP_GENERAL_HEADER = FIELD(QUERY_HCA_CAP_FLOW_TABLE_NIC_OUT_CAP_ENCAP_GENERAL_HEADER);
static const struct field FT_LOG_MAX_PACKET_REFORMAT = FIELD(QUERY_HCA_CAP_FLOW_TABLE_NIC_OUT_CAP_LOG_MAX_PACKET_REFORMAT_CONTEXT);

#define FT_RX_AT 80 /* in bytes */
#define FT_TX_AT 272
#define FT_END (FT_TX_AT + 64)

static const struct field FT_SUPPORT = FIELD(FT_PROP_FT_SUPPORT);
static const struct field FT_FLOW_TAG = FIELD(FT_PROP_FLOW_TAG);
static const struct field FT_FLOW_COUNTER = FIELD(FT_PROP_FLOW_COUNTER);
static const struct field FT_FLOW_MODIFY_EN = FIELD(FT_PROP_FLOW_MODIFY_EN);
static const struct field FT_IDENTIFIED_MISS_TABLE = FIELD(FT_PROP_IDENTIFIED_MISS_TABLE);
static const struct field FT_REFORMAT = FIELD(FT_PROP_REFORMAT);
static const struct field FT_DECAP = FIELD(FT_PROP_DECAP);
static const struct field FT_POP_VLAN = FIELD(FT_PROP_POP_VLAN);
static const struct field FT_PUSH_VLAN = FIELD(FT_PROP_PUSH_VLAN);
static const struct field FT_POP_VLAN_2 = FIELD(FT_PROP_POP_VLAN_2);
static const struct field FT_PUSH_VLAN_2 = FIELD(FT_PROP_PUSH_VLAN_2);
static const struct field FT_REFORMAT_AND_VLAN_ACTION = FIELD(FT_PROP_REFORMAT_AND_VLAN_ACTION);
static const struct field FT_MODIFY_AND_VLAN_ACTION = FIELD(FT_PROP_MODIFY_AND_VLAN_ACTION);
static const struct field FT_REFORMAT_L3_TUNNEL_TO_L2 = FIELD(FT_PROP_REFORMAT_L3_TUNNEL_TO_L2);
static const struct field FT_REFORMAT_L2_TO_L3_TUNNEL = FIELD(FT_PROP_REFORMAT_L2_TO_L3_TUNNEL);
static const struct field FT_REFORMAT_AND_MODIFY_ACTION = FIELD(FT_PROP_REFORMAT_AND_MODIFY_ACTION);
static const struct field FT_LOG_MAX_MODIFY_HEADER = FIELD(FT_PROP_LOG_MAX_MODIFY_HEADER_CONTEXT);
static const struct field FT_MAX_MODIFY_HEADER_ACTIONS = FIELD(FT_PROP_MAX_MODIFY_HEADER_ACTIONS);
static const struct field FT_LOG_MAX_FT_SIZE = FIELD(FT_PROP_LOG_MAX_FT_SIZE);
static const struct field FT_MAX_FT_LEVEL = FIELD(FT_PROP_MAX_FT_LEVEL);
static const struct field FT_LOG_MAX_FT_NUM = FIELD(FT_PROP_LOG_MAX_FT_NUM);
static const struct field FT_LOG_MAX_FLOW_COUNTER = FIELD(FT_PROP_LOG_MAX_FLOW_COUNTER);
static const struct field FT_LOG_MAX_DESTINATION = FIELD(FT_PROP_LOG_MAX_DESTINATION);
static const struct field FT_LOG_MAX_FLOW = FIELD(FT_PROP_LOG_MAX_FLOW);
#define FT_FIELD_SUPPORT_AT 32 /* in bytes */
#define FT_FIELD_BITMASK_SUPPORT_AT 48

/* Of scheduling */
static const struct field QOS_NIC_SQ_SCHEDULING = FIELD(QUERY_HCA_CAP_QOS_OUT_CAP_NIC_SQ_SCHEDULING);
static const struct field QOS_NIC_BW_SHARE = FIELD(QUERY_HCA_CAP_QOS_OUT_CAP_NIC_BW_SHARE);
static const struct field QOS_NIC_RATE_LIMIT = FIELD(QUERY_HCA_CAP_QOS_OUT_CAP_NIC_RATE_LIMIT);
static const struct field QOS_NIC_QP_SCHEDULING = FIELD(QUERY_HCA_CAP_QOS_OUT_CAP_NIC_QP_SCHEDULING);
static const struct field QOS_NIC_ELEMENT_TYPE = FIELD(QUERY_HCA_CAP_QOS_OUT_CAP_NIC_ELEMENT_TYPE);
static const struct field QOS_NIC_TSAR_TYPE = FIELD(QUERY_HCA_CAP_QOS_OUT_CAP_NIC_TSAR_TYPE);

/* Of encryption */
static const struct field CRYPTO_WRAPPED_OPERATIONAL = FIELD(QUERY_HCA_CAP_CRYPTO_OUT_CAP_WRAPPED_CRYPTO_OPERATIONAL);
static const struct field CRYPTO_WRAPPED_IMPORT_METHOD = FIELD(QUERY_HCA_CAP_CRYPTO_OUT_CAP_WRAPPED_IMPORT_METHOD);
static const struct field CRYPTO_LOG_MAX_NUM_DEKS = FIELD(QUERY_HCA_CAP_CRYPTO_OUT_CAP_LOG_MAX_NUM_DEKS);

/* Of memory on demand: each service has a word, with bits from its top */
static const struct field ODP_SIG = FIELD(QUERY_HCA_CAP_ODP_OUT_CAP_SIG);
static const struct field ODP_RC_CAPS = { 256, 32 };
static const struct field ODP_UC_CAPS = { 288, 32 };
static const struct field ODP_UD_CAPS = { 320, 32 };
static const struct field ODP_XRC_CAPS = { 352, 32 };
static const struct field ODP_DC_CAPS = { 384, 32 };

devx_fn query_hca_cap;

#endif
