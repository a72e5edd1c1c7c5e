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
static const struct field CREATED_NUMBER = { 72, 24 };

static const struct field QP_OPT_PARAM_MASK = { 128, 32 };
static const struct field QP_OPT_PARAM_MASK_95_32 = { 2112, 64 }; /* of INIT2INIT and RTS2RTS */
static const struct field CREATE_QP_WQ_UMEM_OFFSET = { 2048, 64 };
static const struct field CREATE_QP_WQ_UMEM_ID = { 2112, 32 };

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
static const struct field QPC_QOS_QUEUE_GROUP_ID_REQUESTER = { 2208, 32 };

/* Of a send queue and a transport interface (SQ, TIS), which a RAW_PACKET QP has; their number is where that of a QP is */
static const struct field MODIFY_SQ_BITMASK = { 128, 64 };
static const struct field MODIFY_SQ_QOS_QUEUE_GROUP_ID = { 528, 16 };
static const struct field MODIFY_TIS_BITMASK_LAG_TX_PORT_AFFINITY = { 189, 1 };
static const struct field MODIFY_TIS_LAG_TX_PORT_AFFINITY = { 260, 4 };
static const struct field QUERY_TIS_LAG_TX_PORT_AFFINITY = { 132, 4 };
#define MODIFY_SQ_SIZE 68
#define MODIFY_TIS_SIZE 33
#define QUERY_TIS_SIZE 17
#define SQ_BITMASK_QOS_QUEUE_GROUP_ID (1 << 2)

static const struct field QPC_STATE = { 0, 4 };
static const struct field QPC_LAG_TX_PORT_AFFINITY = { 4, 4 };
static const struct field QPC_ST = { 8, 8 };
static const struct field QPC_PM_STATE = { 19, 2 };
static const struct field QPC_DRAIN_SIGERR = { 37, 1 };
static const struct field QPC_PD = { 40, 24 };
static const struct field QPC_MTU = { 64, 3 };
static const struct field QPC_LOG_RQ_SIZE = { 73, 4 };
static const struct field QPC_LOG_RQ_STRIDE = { 77, 3 };
static const struct field QPC_NO_SQ = { 80, 1 };
static const struct field QPC_LOG_SQ_SIZE = { 81, 4 };
static const struct field QPC_USER_INDEX = { 136, 24 };
static const struct field QPC_REMOTE_QPN = { 168, 24 };
static const struct field QPC_LOG_SRA_MAX = { 904, 3 };
static const struct field QPC_RETRY_COUNT = { 909, 3 };
static const struct field QPC_RNR_RETRY = { 912, 3 };
static const struct field QPC_NEXT_SEND_PSN = { 968, 24 };
static const struct field QPC_CQN_SND = { 1000, 24 };
static const struct field QPC_LOG_RRA_MAX = { 1160, 3 };
static const struct field QPC_RRE = { 1168, 1 };
static const struct field QPC_RWE = { 1169, 1 };
static const struct field QPC_RAE = { 1170, 1 };
static const struct field QPC_MIN_RNR_NAK = { 1187, 5 };
static const struct field QPC_NEXT_RCV_PSN = { 1192, 24 };
static const struct field QPC_CQN_RCV = { 1256, 24 };
static const struct field QPC_DBR_ADDR = { 1280, 64 };
static const struct field QPC_Q_KEY = { 1344, 32 };
static const struct field QPC_RQ_TYPE = { 1381, 3 };
static const struct field QPC_SRQN_RMPN_XRQN = { 1384, 24 };
static const struct field QPC_HW_SQ_WQEBB_COUNTER = { 1440, 16 }; /* the next that it takes */
static const struct field QPC_HW_RQ_COUNTER = { 1472, 32 };
static const struct field QPC_DC_ACCESS_KEY = { 1600, 64 };
static const struct field QPC_DBR_UMEM_ID = { 1824, 32 };

/* Its primary_address_path (ADS) */
static const struct field ADS_PKEY_INDEX = { 208, 16 };
static const struct field ADS_GRH = { 232, 1 };
static const struct field ADS_MLID = { 233, 7 };
static const struct field ADS_RLID = { 240, 16 };
static const struct field ADS_ACK_TIMEOUT = { 256, 5 };
static const struct field ADS_SRC_ADDR_INDEX = { 264, 8 };
static const struct field ADS_STAT_RATE = { 276, 4 };
static const struct field ADS_HOP_LIMIT = { 280, 8 };
static const struct field ADS_TCLASS = { 292, 8 };
static const struct field ADS_FLOW_LABEL = { 300, 20 };
static const struct field ADS_UDP_SPORT = { 464, 16 };
static const struct field ADS_SL = { 484, 4 };
static const struct field ADS_VHCA_PORT_NUM = { 488, 8 };

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

static const struct field CQC_CQE_SZ = { 136, 3 };
static const struct field CQC_OI = { 142, 1 };
static const struct field CQC_LOG_CQ_SIZE = { 227, 5 };
static const struct field CQC_EQN = { 312, 8 };
static const struct field CQC_DBR_UMEM_ID = { 160, 32 };
static const struct field CQC_DBR_ADDR = { 576, 64 };
static const struct field CREATE_CQ_UMEM_OFFSET = { 640, 64 };
static const struct field CREATE_CQ_UMEM_ID = { 704, 32 };

#define CQE_SZ_128 1

static const struct field RMPC_STATE = { 264, 4 };
static const struct field RMPC_BASIC_CYCLIC_RCV_WQE = { 288, 1 };
static const struct field WQ_TYPE = { 640, 4 };
static const struct field WQ_PD = { 712, 24 };
static const struct field WQ_DBR_ADDR = { 768, 64 };
static const struct field WQ_LOG_STRIDE = { 908, 4 };
static const struct field WQ_LOG_SZ = { 923, 5 };
static const struct field WQ_DBR_UMEM_ID = { 960, 32 };
static const struct field WQ_UMEM_ID = { 992, 32 };
static const struct field WQ_UMEM_OFFSET = { 1024, 64 };

#define RMPC_STATE_RDY 1

/* Of an XRQ, whose queue has the fields above so many bytes further on */
static const struct field XRQC_TOPOLOGY = { 148, 4 };
static const struct field XRQC_OFFLOAD = { 156, 4 };
static const struct field XRQC_USER_INDEX = { 168, 24 };
static const struct field XRQC_CQN = { 200, 24 };
static const struct field XRQC_DC = { 255, 1 };
static const struct field XRQC_LOG_MATCHING_LIST_SZ = { 384, 4 };
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

static const struct field DCTC_USER_INDEX = { 168, 24 };
static const struct field DCTC_CQN = { 200, 24 };
static const struct field DCTC_RRE = { 236, 1 };
static const struct field DCTC_RWE = { 237, 1 };
static const struct field DCTC_RAE = { 238, 1 };
static const struct field DCTC_MIN_RNR_NAK = { 275, 5 };
static const struct field DCTC_SRQN_XRQN = { 296, 24 };
static const struct field DCTC_PD = { 328, 24 };
static const struct field DCTC_DC_ACCESS_KEY = { 384, 64 };
static const struct field DCTC_MTU = { 453, 3 };
static const struct field DCTC_PORT = { 456, 8 };
static const struct field DCTC_PKEY_INDEX = { 464, 16 };
static const struct field DCTC_MY_ADDR_INDEX = { 488, 8 };
static const struct field DCTC_HOP_LIMIT = { 504, 8 };

#endif
