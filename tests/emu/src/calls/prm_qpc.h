/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Contexts of queues in mailboxes, and where their fields lie: in a context of a QP (QPC) from its
 * own beginning, in the others from that of the mailbox.
 */
#ifndef EMU_PRM_QPC_H
#define EMU_PRM_QPC_H

#include "calls/prm.h"

/* Bytes from the mailbox's beginning, in every command that has a QPC */
#define QPC_AT 24
#define QPC_SIZE 232
#define CREATE_QP_SIZE 272
#define CREATE_CQ_SIZE 272
#define CREATE_RMP_SIZE 272
#define CREATE_DCT_SIZE 128

/* The number in what is answered to a create */
static const struct field CREATED_NUMBER = FIELD(CREATE_QP_OUT_QPN);

static const struct field QP_OPT_PARAM_MASK = FIELD(RTS2RTS_QP_OPT_PARAM_MASK);
static const struct field QP_OPT_PARAM_MASK_95_32 = FIELD(RTS2RTS_QP_OPT_PARAM_MASK_95_32); /* of INIT2INIT and RTS2RTS */
static const struct field CREATE_QP_WQ_UMEM_OFFSET = FIELD(CREATE_QP_WQ_UMEM_OFFSET);
static const struct field CREATE_QP_WQ_UMEM_ID = FIELD(CREATE_QP_WQ_UMEM_ID);

enum {
	QP_OPTPAR_RRE = 1 << 1,
	QP_OPTPAR_RAE = 1 << 2,
	QP_OPTPAR_RWE = 1 << 3,
	QP_OPTPAR_DRAIN_SIGERR = 1 << 11,
	QP_OPTPAR_LAG_TX_PORT_AFFINITY = 1 << 15
};

/* Among those from 32 on */
enum {
	QP_OPTPAR_DCI_STREAM = 1 << 0,
	QP_OPTPAR_QOS_QUEUE_GROUP_ID = 1 << 1,
	QP_OPTPAR_UDP_SPORT = 1 << 2
};

/* In the extension of a QPC, up to which those commands have so many bytes */
#define QPC_EXT_SIZE 280
static const struct field QPC_QOS_QUEUE_GROUP_ID_REQUESTER = FIELD(RTS2RTS_QP_EXT_QOS_QUEUE_GROUP_ID_REQUESTER);

/* Of a send queue and a transport interface (SQ, TIS), which a RAW_PACKET QP has; their number is where that of a QP is */
static const struct field MODIFY_SQ_BITMASK = FIELD(MODIFY_SQ_MODIFY_BITMASK);
static const struct field MODIFY_SQ_QOS_QUEUE_GROUP_ID = FIELD(MODIFY_SQ_QOS_QUEUE_GROUP_ID);
static const struct field MODIFY_TIS_BITMASK_LAG_TX_PORT_AFFINITY = { 189, 1 };
static const struct field MODIFY_TIS_LAG_TX_PORT_AFFINITY = FIELD(MODIFY_TIS_LAG_TX_PORT_AFFINITY);
static const struct field QUERY_TIS_LAG_TX_PORT_AFFINITY = FIELD(QUERY_TIS_OUT_LAG_TX_PORT_AFFINITY);
#define MODIFY_SQ_SIZE 68
#define MODIFY_TIS_SIZE 33
#define QUERY_TIS_SIZE 17
#define SQ_BITMASK_QOS_QUEUE_GROUP_ID (1 << 2)

static const struct field QPC_STATE = FIELD(QPC_STATE);
static const struct field QPC_LAG_TX_PORT_AFFINITY = FIELD(QPC_LAG_TX_PORT_AFFINITY);
static const struct field QPC_ST = FIELD(QPC_ST);
static const struct field QPC_PM_STATE = FIELD(QPC_PM_STATE);
static const struct field QPC_DRAIN_SIGERR = FIELD(QPC_DRAIN_SIGERR);
static const struct field QPC_PD = FIELD(QPC_PD);
static const struct field QPC_MTU = FIELD(QPC_MTU);
static const struct field QPC_LOG_RQ_SIZE = FIELD(QPC_LOG_RQ_SIZE);
static const struct field QPC_LOG_RQ_STRIDE = FIELD(QPC_LOG_RQ_STRIDE);
static const struct field QPC_NO_SQ = FIELD(QPC_NO_SQ);
static const struct field QPC_LOG_SQ_SIZE = FIELD(QPC_LOG_SQ_SIZE);
static const struct field QPC_USER_INDEX = FIELD(QPC_USER_INDEX);
static const struct field QPC_REMOTE_QPN = FIELD(QPC_REMOTE_QPN);
static const struct field QPC_LOG_SRA_MAX = FIELD(QPC_LOG_SRA_MAX);
static const struct field QPC_RETRY_COUNT = FIELD(QPC_RETRY_COUNT);
static const struct field QPC_RNR_RETRY = FIELD(QPC_RNR_RETRY);
static const struct field QPC_NEXT_SEND_PSN = FIELD(QPC_NEXT_SEND_PSN);
static const struct field QPC_CQN_SND = FIELD(QPC_CQN_SND);
static const struct field QPC_LOG_RRA_MAX = FIELD(QPC_LOG_RRA_MAX);
static const struct field QPC_RRE = FIELD(QPC_RRE);
static const struct field QPC_RWE = FIELD(QPC_RWE);
static const struct field QPC_RAE = FIELD(QPC_RAE);
static const struct field QPC_MIN_RNR_NAK = FIELD(QPC_MIN_RNR_NAK);
static const struct field QPC_NEXT_RCV_PSN = FIELD(QPC_NEXT_RCV_PSN);
static const struct field QPC_CQN_RCV = FIELD(QPC_CQN_RCV);
static const struct field QPC_DBR_ADDR = FIELD(QPC_DBR_ADDR);
static const struct field QPC_Q_KEY = FIELD(QPC_Q_KEY);
static const struct field QPC_RQ_TYPE = FIELD(QPC_RQ_TYPE);
static const struct field QPC_SRQN_RMPN_XRQN = FIELD(QPC_SRQN_RMPN_XRQN);
static const struct field QPC_HW_SQ_WQEBB_COUNTER = FIELD(QPC_HW_SQ_WQEBB_COUNTER); /* the next that it takes */
static const struct field QPC_HW_RQ_COUNTER = FIELD(QPC_HW_RQ_COUNTER);
static const struct field QPC_DC_ACCESS_KEY = FIELD(QPC_DC_ACCESS_KEY);
static const struct field QPC_DBR_UMEM_ID = FIELD(QPC_DBR_UMEM_ID);

/* Its primary_address_path (ADS) */
static const struct field ADS_PKEY_INDEX = FIELD(QPC_PRIMARY_PKEY_INDEX);
static const struct field ADS_GRH = FIELD(QPC_PRIMARY_GRH);
static const struct field ADS_MLID = FIELD(QPC_PRIMARY_MLID);
static const struct field ADS_RLID = FIELD(QPC_PRIMARY_RLID);
static const struct field ADS_ACK_TIMEOUT = FIELD(QPC_PRIMARY_ACK_TIMEOUT);
static const struct field ADS_SRC_ADDR_INDEX = FIELD(QPC_PRIMARY_SRC_ADDR_INDEX);
static const struct field ADS_STAT_RATE = FIELD(QPC_PRIMARY_STAT_RATE);
static const struct field ADS_HOP_LIMIT = FIELD(QPC_PRIMARY_HOP_LIMIT);
static const struct field ADS_TCLASS = FIELD(QPC_PRIMARY_TCLASS);
static const struct field ADS_FLOW_LABEL = FIELD(QPC_PRIMARY_FLOW_LABEL);
static const struct field ADS_UDP_SPORT = FIELD(QPC_PRIMARY_UDP_SPORT);
static const struct field ADS_SL = FIELD(QPC_PRIMARY_SL);
static const struct field ADS_VHCA_PORT_NUM = FIELD(QPC_PRIMARY_VHCA_PORT_NUM);

#define ADS_RGID_RIP_AT 40 /* in bytes */
#define STAT_RATE_OFFSET 5 /* from verbs' rates */

/* Transport services (st) */
enum {
	ST_RC = 0,
	ST_UC = 1,
	ST_UD = 2,
	ST_DCI = 5
};

/* States of a QP where they are not verbs' */
enum {
	QP_STATE_SQER = 4,
	QP_STATE_SQD = 5,
	QP_STATE_ERR = 6
};

#define PM_STATE_MIGRATED 3

/* Where a QP receives (rq_type) */
enum {
	RQ_REGULAR = 0,
	RQ_SRQ_RMP_XRQ = 1
};

static const struct field CQC_CQE_SZ = FIELD(CREATE_CQ_CQE_SZ);
static const struct field CQC_COMP_EN = FIELD(CREATE_CQ_CQE_COMP_EN);
static const struct field CQC_MINI_FORMAT = FIELD(CREATE_CQ_MINI_CQE_RES_FORMAT);
static const struct field CQC_OI = FIELD(CREATE_CQ_OI);
static const struct field CQC_LOG_CQ_SIZE = FIELD(CREATE_CQ_LOG_CQ_SIZE);
static const struct field CQC_EQN = FIELD(CREATE_CQ_C_EQN);
static const struct field CQC_DBR_UMEM_ID = FIELD(CREATE_CQ_DBR_UMEM_ID);
static const struct field CQC_DBR_ADDR = FIELD(CREATE_CQ_DBR_ADDR);
static const struct field CREATE_CQ_UMEM_OFFSET = FIELD(CREATE_CQ_CQ_UMEM_OFFSET);
static const struct field CREATE_CQ_UMEM_ID = FIELD(CREATE_CQ_CQ_UMEM_ID);

#define CQE_SZ_128 1

static const struct field RMPC_STATE = FIELD(CREATE_RMP_STATE);
static const struct field RMPC_BASIC_CYCLIC_RCV_WQE = FIELD(CREATE_RMP_BASIC_CYCLIC_RCV_WQE);
static const struct field WQ_TYPE = FIELD(CREATE_RMP_WQ_TYPE);
static const struct field WQ_PD = FIELD(CREATE_RMP_PD);
static const struct field WQ_DBR_ADDR = FIELD(CREATE_RMP_DBR_ADDR);
static const struct field WQ_LOG_STRIDE = FIELD(CREATE_RMP_LOG_WQ_STRIDE);
static const struct field WQ_LOG_SZ = FIELD(CREATE_RMP_LOG_WQ_SZ);
static const struct field WQ_DBR_UMEM_ID = FIELD(CREATE_RMP_DBR_UMEM_ID);
static const struct field WQ_UMEM_ID = FIELD(CREATE_RMP_WQ_UMEM_ID);
static const struct field WQ_UMEM_OFFSET = FIELD(CREATE_RMP_WQ_UMEM_OFFSET);

#define RMPC_STATE_RDY 1

/* Of an XRQ, whose queue has the fields above so many bytes further on */
static const struct field XRQC_TOPOLOGY = FIELD(CREATE_XRQ_TOPOLOGY);
static const struct field XRQC_OFFLOAD = FIELD(CREATE_XRQ_OFFLOAD);
static const struct field XRQC_USER_INDEX = FIELD(CREATE_XRQ_USER_INDEX);
static const struct field XRQC_CQN = FIELD(CREATE_XRQ_CQN);
static const struct field XRQC_DC = FIELD(CREATE_XRQ_DC);
static const struct field XRQC_LOG_MATCHING_LIST_SZ = FIELD(CREATE_XRQ_LOG_MATCHING_LIST_SZ);
#define XRQ_WQ_FURTHER 64
#define CREATE_XRQ_SIZE 336

enum {
	XRQ_TAG_MATCHING = 1,
	XRQ_RNDV = 1
};

enum {
	WQ_LINKED_LIST = 0,
	WQ_CYCLIC = 1
};

static const struct field DCTC_USER_INDEX = FIELD(CREATE_DCT_USER_INDEX);
static const struct field DCTC_CQN = FIELD(CREATE_DCT_CQN);
static const struct field DCTC_RRE = FIELD(CREATE_DCT_RRE);
static const struct field DCTC_RWE = FIELD(CREATE_DCT_RWE);
static const struct field DCTC_RAE = FIELD(CREATE_DCT_RAE);
static const struct field DCTC_MIN_RNR_NAK = FIELD(CREATE_DCT_MIN_RNR_NAK);
static const struct field DCTC_SRQN_XRQN = FIELD(CREATE_DCT_SRQN_XRQN);
static const struct field DCTC_PD = FIELD(CREATE_DCT_PD);
static const struct field DCTC_DC_ACCESS_KEY = FIELD(CREATE_DCT_DC_ACCESS_KEY);
static const struct field DCTC_MTU = FIELD(CREATE_DCT_MTU);
static const struct field DCTC_PORT = FIELD(CREATE_DCT_PORT);
static const struct field DCTC_PKEY_INDEX = FIELD(CREATE_DCT_PKEY_INDEX);
static const struct field DCTC_MY_ADDR_INDEX = FIELD(CREATE_DCT_MY_ADDR_INDEX);
static const struct field DCTC_HOP_LIMIT = FIELD(CREATE_DCT_HOP_LIMIT);

#endif
