/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "calls/hca_cap.h"

#include <errno.h>

#include "bounds.h"
#include "config.h"
#include "objects/crypto.h"
#include "objects/flow_table.h"
#include "objects/odp.h"
#include "objects/wq.h"

#define LOG_MAX_MMO 20
#define LOG_MAX_DEKS 14
#define LOG_MAX_KLM_LIST 5
#define LOG_MAX_REFORMAT 10
#define LOG_MAX_XRCD 16
#define IMPORT_AES_XTS 4 /* keys come encrypted */
#define CQE_VERSION 1
#define PORT_TYPE_ETHERNET 1
#define HOST_ENDIAN 1

/* Elements of scheduling, and how a node lets its children take turns */
enum {
	ELEMENT_TSAR = 1 << 0,
	ELEMENT_QUEUE_GROUP = 1 << 4,
	TSAR_DWRR = 1 << 0
};

enum {
	ATOMIC_CMP_SWAP = 1,
	ATOMIC_FETCH_ADD = 2,
	ATOMIC_8_BYTES = 8
};

/* Of the smallest power of two that is no less */
static uint32_t log_of(uint32_t n)
{
	uint32_t log = 0;

	while (1ull << log < n)
		log++;
	return log;
}

/* What takes frames in, of which there is none on InfiniBand */
static void put_frames(const struct call *c, uint8_t *out)
{
	if (!call_is_ethernet(c))
		return;
	prm_set(out, CAP_LOG_MAX_TRANSPORT_DOMAIN, log_of(MAX_OBJECTS));
	prm_set(out, CAP_LOG_MAX_RQ, log_of(config.max_qp));
	prm_set(out, CAP_LOG_MAX_TIR, log_of(MAX_OBJECTS));
	prm_set(out, CAP_LOG_MAX_RQT, log_of(MAX_OBJECTS));
	prm_set(out, CAP_LOG_MAX_RQT_SIZE, LOG_MAX_TABLE);
}

static void put_limits(const struct call *c, uint8_t *out)
{
	const struct {
		struct field f;
		uint32_t limit;
	} limits[] = {
		{ CAP_LOG_MAX_SRQ_SZ, config.max_srq_wr },
		{ CAP_LOG_MAX_QP_SZ, config.max_qp_wr },
		{ CAP_LOG_MAX_QP, config.max_qp },
		{ CAP_LOG_MAX_SRQ, config.max_srq },
		{ CAP_LOG_MAX_CQ_SZ, config.max_cqe },
		{ CAP_LOG_MAX_CQ, config.max_cq },
		{ CAP_LOG_MAX_MKEY, config.max_mr },
		{ CAP_LOG_MAX_PD, config.max_pd },
		{ CAP_LOG_MAX_RA_REQ_DC, config.max_rd_atom },
		{ CAP_LOG_MAX_RA_RES_DC, config.max_rd_atom },
		{ CAP_LOG_MAX_RA_REQ_QP, config.max_rd_atom },
		{ CAP_LOG_MAX_RA_RES_QP, config.max_rd_atom },
		{ CAP_LOG_MAX_WQ_SZ, config.max_qp_wr },
		{ CAP_LOG_MAX_MSG, config.max_msg_sz },
		{ CAP_LOG_MAX_RMP, config.max_srq },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		prm_set(out, limits[i].f, log_of(limits[i].limit));
	put_frames(c, out);
	prm_set(out, CAP_MAX_INDIRECTION, MAX_DEPTH);
	prm_set(out, CAP_LOG_MAX_KLM_LIST_SIZE, LOG_MAX_KLM_LIST);
	prm_set(out, CAP_LOG_MAX_XRCD, config.xrc ? LOG_MAX_XRCD : 0);
	prm_set(out, CAP_LOG_DMA_MMO_MAX_SIZE, config.mmo ? LOG_MAX_MMO : 0);
}

static void put_general(const struct call *c, uint8_t *out)
{
	const struct {
		struct field f;
		uint32_t value;
	} features[] = {
		{ CAP_GENERAL_OBJ_TYPES_HIGH, UINT32_MAX },
		{ CAP_GENERAL_OBJ_TYPES_LOW, UINT32_MAX },
		{ CAP_FIXED_BUFFER_SIZE, 1 },
		{ CAP_QPC_EXTENSION, 1 },
		{ CAP_OOO_SL_MASK, 1 },
		{ CAP_COMPACT_ADDRESS_VECTOR, 1 },
		{ CAP_CQ_RESIZE, 1 },
		{ CAP_CQ_MODERATION, 1 },
		{ CAP_UD, 1 },
		{ CAP_UC, 1 },
		{ CAP_RC, 1 },
		{ CAP_CQE_VERSION, CQE_VERSION },
		{ CAP_NUM_PORTS, config.ports },
		{ CAP_PORT_TYPE, call_is_ethernet(c) ? PORT_TYPE_ETHERNET : 0 },
		{ CAP_ROCE, call_is_ethernet(c) },
		{ CAP_RTS2RTS_QP_UDP_SPORT, call_is_ethernet(c) },
		{ CAP_DCT, config.dc },
		{ CAP_XRC, config.xrc },
		{ CAP_ATOMIC, config.atomic },
		{ CAP_PG, config.odp },
		{ CAP_DMA_MMO_QP, config.mmo },
		{ CAP_DMA_MMO_SQ, config.mmo },
		{ CAP_QOS, 1 },
		{ CAP_LAG_TX_PORT_AFFINITY, config.lag },
		{ CAP_NUM_LAG_PORTS, config.lag ? LAG_PORTS : 0 },
		{ CAP_RTS2RTS_LAG_TX_PORT_AFFINITY, config.lag },
		{ CAP_SHO, config.signature },
		{ CAP_SIGERR_DOMAIN_AND_SIG_TYPE, config.signature },
		{ CAP_SIG_CRC32C, config.signature },
		{ CAP_SIG_CRC64_XP10, config.signature },
		{ CAP_SIG_BLOCK_4048, config.signature },
		{ CAP_CRYPTO, crypto_is_offered() },
		{ CAP_AES_XTS_SINGLE_BLOCK, crypto_is_offered() },
		{ CAP_AES_XTS_MULTI_BLOCK, crypto_is_offered() },
	};

	put_limits(c, out);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		prm_set(out, features[i].f, features[i].value);
}

static void put_odp(const struct call *c, uint8_t *out)
{
	(void)c;
	odp_put_caps(out);
}

static void put_atomic(const struct call *c, uint8_t *out)
{
	(void)c;
	if (!config.atomic)
		return;
	prm_set(out, ATOMIC_REQ_8B_ENDIANNESS_MODE, HOST_ENDIAN);
	prm_set(out, ATOMIC_OPERATIONS, ATOMIC_CMP_SWAP | ATOMIC_FETCH_ADD);
	prm_set(out, ATOMIC_SIZE_QP, ATOMIC_8_BYTES);
	prm_set(out, ATOMIC_SIZE_DC, ATOMIC_8_BYTES);
}

/* What tables can do, of what comes or of what goes */
static void put_tables(uint8_t *out)
{
	prm_set(out, FT_SUPPORT, 1);
	prm_set(out, FT_FLOW_TAG, 1);
	prm_set(out, FT_FLOW_COUNTER, 1);
	prm_set(out, FT_FLOW_MODIFY_EN, 1);
	prm_set(out, FT_IDENTIFIED_MISS_TABLE, 1);
	prm_set(out, FT_REFORMAT, 1);
	prm_set(out, FT_REFORMAT_AND_VLAN_ACTION, 1);
	prm_set(out, FT_MODIFY_AND_VLAN_ACTION, 1);
	prm_set(out, FT_REFORMAT_AND_MODIFY_ACTION, 1);
	prm_set(out, FT_LOG_MAX_MODIFY_HEADER, log_of(MAX_OBJECTS));
	prm_set(out, FT_MAX_MODIFY_HEADER_ACTIONS, 255);
	prm_set(out, FT_LOG_MAX_FT_SIZE, LOG_MAX_TABLE_ENTRIES);
	prm_set(out, FT_MAX_FT_LEVEL, MAX_TABLE_LEVEL);
	prm_set(out, FT_LOG_MAX_FT_NUM, log_of(MAX_OBJECTS));
	prm_set(out, FT_LOG_MAX_FLOW_COUNTER, log_of(MAX_OBJECTS));
	prm_set(out, FT_LOG_MAX_DESTINATION, log_of(MAX_DESTINATIONS));
	prm_set(out, FT_LOG_MAX_FLOW, log_of(MAX_OBJECTS));
	fte_put_support(out + FT_FIELD_SUPPORT_AT);
	fte_put_support(out + FT_FIELD_BITMASK_SUPPORT_AT);
}

static void put_nic_flow_table(const struct call *c, uint8_t *out)
{
	bool ethernet = call_is_ethernet(c);

	prm_set(out, FT_ENCAP_GENERAL_HEADER, ethernet);
	prm_set(out, FT_LOG_MAX_PACKET_REFORMAT, ethernet ? LOG_MAX_REFORMAT : 0);
	if (!ethernet)
		return;
	put_tables(out + FT_RX_AT);
	prm_set(out + FT_RX_AT, FT_DECAP, 1);
	prm_set(out + FT_RX_AT, FT_REFORMAT_L3_TUNNEL_TO_L2, 1);
	prm_set(out + FT_RX_AT, FT_POP_VLAN, 1);
	prm_set(out + FT_RX_AT, FT_POP_VLAN_2, 1);
	put_tables(out + FT_TX_AT);
	prm_set(out + FT_TX_AT, FT_REFORMAT_L2_TO_L3_TUNNEL, 1);
	prm_set(out + FT_TX_AT, FT_PUSH_VLAN, 1);
	prm_set(out + FT_TX_AT, FT_PUSH_VLAN_2, 1);
}

static void put_crypto(const struct call *c, uint8_t *out)
{
	bool offered = crypto_is_offered(), wrapped = offered && config.crypto == CRYPTO_WRAPPED;

	(void)c;
	prm_set(out, CRYPTO_WRAPPED_OPERATIONAL, wrapped);
	prm_set(out, CRYPTO_WRAPPED_IMPORT_METHOD, wrapped ? IMPORT_AES_XTS : 0);
	prm_set(out, CRYPTO_LOG_MAX_NUM_DEKS, offered ? LOG_MAX_DEKS : 0);
}

static void put_qos(const struct call *c, uint8_t *out)
{
	(void)c;
	prm_set(out, QOS_NIC_SQ_SCHEDULING, 1);
	prm_set(out, QOS_NIC_BW_SHARE, 1);
	prm_set(out, QOS_NIC_RATE_LIMIT, 1);
	prm_set(out, QOS_NIC_QP_SCHEDULING, 1);
	prm_set(out, QOS_NIC_ELEMENT_TYPE, ELEMENT_TSAR | ELEMENT_QUEUE_GROUP);
	prm_set(out, QOS_NIC_TSAR_TYPE, TSAR_DWRR);
}

static const struct {
	uint32_t group;
	void (*put)(const struct call *c, uint8_t *out);
} groups[] = {
	{ CAP_GROUP_GENERAL, put_general }, { CAP_GROUP_ODP, put_odp },
	{ CAP_GROUP_ATOMIC, put_atomic },   { CAP_GROUP_NIC_FLOW_TABLE, put_nic_flow_table },
	{ CAP_GROUP_CRYPTO, put_crypto },   { CAP_GROUP_QOS, put_qos },
};

/* Of the groups that are not in the table it has no capability */
int query_hca_cap(struct call *c, struct mailboxes *m)
{
	/* The low bit of op_mod: current or maximum, which are the same */
	uint32_t group = prm_get(m->in, CMD_OP_MOD) >> 1;

	if (m->out_len * 8 <= CAP_DMA_MMO_QP.offset || (group == CAP_GROUP_NIC_FLOW_TABLE && m->out_len < FT_END))
		return EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].group == group)
			groups[i].put(c, m->out);
	return 0;
}
