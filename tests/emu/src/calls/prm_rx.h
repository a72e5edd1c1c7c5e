/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Mailboxes of receive queues (RQ), tables of them (RQT) and what flows lead to (TIR); the WQ of an RQ lies as an RMP's. */
#ifndef EMU_PRM_RX_H
#define EMU_PRM_RX_H

#include "calls/prm_qpc.h"

#define CREATE_RQ_SIZE 272
#define MODIFY_RQ_SIZE 36
#define CREATE_RQT_SIZE 272 /* and the numbers of its queues */
#define CREATE_TIR_SIZE 124

static const struct field RQC_VSD = { 259, 1 }; /* VLAN strip disable: frames stay as they are */
static const struct field RQC_MEM_RQ_TYPE = { 260, 4 };
static const struct field RQC_STATE = { 264, 4 };
static const struct field RQC_HAIRPIN = { 270, 1 };
static const struct field RQC_USER_INDEX = { 296, 24 };
static const struct field RQC_CQN = { 328, 24 };

#define MEMORY_RQ_INLINE 0 /* its WQEs are its own, not an RMP's */

static const struct field MODIFY_RQ_STATE = { 64, 4 }; /* the current one */
static const struct field MODIFY_RQN = { 72, 24 };

enum {
	RQC_STATE_RST = 0,
	RQC_STATE_RDY = 1,
	RQC_STATE_ERR = 3
};

static const struct field RQTC_LIST_Q_TYPE = { 421, 3 };
static const struct field RQTC_RQT_MAX_SIZE = { 432, 16 };
static const struct field RQTC_RQT_ACTUAL_SIZE = { 464, 16 };
static const struct field RQ_NUM = { 8, 24 }; /* from that of its place on */

static const struct field TIRC_DISP_TYPE = { 288, 4 };
static const struct field TIRC_LRO_TIMEOUT = { 388, 16 };
static const struct field TIRC_INLINE_RQN = { 488, 24 };
static const struct field TIRC_INDIRECT_TABLE = { 520, 24 };
static const struct field TIRC_RX_HASH_FN = { 544, 4 };
static const struct field TIRC_TRANSPORT_DOMAIN = { 552, 24 };
static const struct field TIRC_L3_PROT_TYPE = { 896, 1 };
static const struct field TIRC_L4_PROT_TYPE = { 897, 1 };
static const struct field TIRC_SELECTED_FIELDS = { 898, 30 };
static const struct field TIRC_SELECTED_FIELDS_INNER = { 930, 30 };

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
