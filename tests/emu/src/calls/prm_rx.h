/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Mailboxes of receive queues (RQ), tables of them (RQT) and what flows lead to (TIR); the WQ of an RQ lies as an RMP's. */
#ifndef EMU_PRM_RX_H
#define EMU_PRM_RX_H

#include "calls/prm_qpc.h"

#define CREATE_RQ_SIZE 272
#define MODIFY_RQ_SIZE 36
#define CREATE_RQT_SIZE 272 /* and the numbers of its queues */
#define CREATE_TIR_SIZE 124

static const struct field RQC_VSD = FIELD(CREATE_RQ_VSD); /* VLAN strip disable: frames stay as they are */
static const struct field RQC_MEM_RQ_TYPE = FIELD(CREATE_RQ_MEM_RQ_TYPE);
static const struct field RQC_STATE = FIELD(CREATE_RQ_STATE);
static const struct field RQC_HAIRPIN = FIELD(CREATE_RQ_HAIRPIN);
static const struct field RQC_USER_INDEX = FIELD(CREATE_RQ_USER_INDEX);
static const struct field RQC_CQN = FIELD(CREATE_RQ_CQN);

#define MEMORY_RQ_INLINE 0 /* its WQEs are its own, not an RMP's */

static const struct field MODIFY_RQ_STATE = FIELD(MODIFY_RQ_RQ_STATE); /* the current one */
static const struct field MODIFY_RQN = FIELD(MODIFY_RQ_RQN);

enum {
	RQC_STATE_RST = 0,
	RQC_STATE_RDY = 1,
	RQC_STATE_ERR = 3
};

static const struct field RQTC_LIST_Q_TYPE = FIELD(CREATE_RQT_LIST_Q_TYPE);
static const struct field RQTC_RQT_MAX_SIZE = FIELD(CREATE_RQT_RQT_MAX_SIZE);
static const struct field RQTC_RQT_ACTUAL_SIZE = FIELD(CREATE_RQT_RQT_ACTUAL_SIZE);
static const struct field RQ_NUM = { 8, 24 }; /* from that of its place on */

static const struct field TIRC_DISP_TYPE = FIELD(CREATE_TIR_DISP_TYPE);
static const struct field TIRC_LRO_TIMEOUT = FIELD(CREATE_TIR_LRO_TIMEOUT_PERIOD_USECS);
static const struct field TIRC_INLINE_RQN = FIELD(CREATE_TIR_INLINE_RQN);
static const struct field TIRC_INDIRECT_TABLE = FIELD(CREATE_TIR_INDIRECT_TABLE);
static const struct field TIRC_RX_HASH_FN = FIELD(CREATE_TIR_RX_HASH_FN);
static const struct field TIRC_TRANSPORT_DOMAIN = FIELD(CREATE_TIR_TRANSPORT_DOMAIN);
static const struct field TIRC_L3_PROT_TYPE = FIELD(CREATE_TIR_L3_PROT_TYPE);
static const struct field TIRC_L4_PROT_TYPE = FIELD(CREATE_TIR_L4_PROT_TYPE);
static const struct field TIRC_SELECTED_FIELDS = FIELD(CREATE_TIR_SELECTED_FIELDS);
static const struct field TIRC_SELECTED_FIELDS_INNER = FIELD(CREATE_TIR_INNER_SELECTED_FIELDS);

#define TIRC_TOEPLITZ_KEY_AT 72 /* in bytes */

enum {
	DISP_DIRECT = 0,
	DISP_INDIRECT = 1
};

enum {
	RX_HASH_NONE = 0,
	RX_HASH_TOEPLITZ = 2
};

enum {
	SELECTED_SRC_IP = 1 << 0,
	SELECTED_DST_IP = 1 << 1,
	SELECTED_L4_SPORT = 1 << 2,
	SELECTED_L4_DPORT = 1 << 3,
	SELECTED_ALL = (1 << 4) - 1
};

#endif
