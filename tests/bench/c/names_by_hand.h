/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_BENCH_NAMES_BY_HAND_H
#define VERBSX_BENCH_NAMES_BY_HAND_H

/* Names of enumerators as programs write them by hand: a switch, or a table of pointers. NULL where unknown. */

#include <stddef.h>

#define STATUSES(X) \
	X(IBV_WC_SUCCESS) X(IBV_WC_LOC_LEN_ERR) X(IBV_WC_LOC_QP_OP_ERR) X(IBV_WC_LOC_EEC_OP_ERR) \
	X(IBV_WC_LOC_PROT_ERR) X(IBV_WC_WR_FLUSH_ERR) X(IBV_WC_MW_BIND_ERR) X(IBV_WC_BAD_RESP_ERR) \
	X(IBV_WC_LOC_ACCESS_ERR) X(IBV_WC_REM_INV_REQ_ERR) X(IBV_WC_REM_ACCESS_ERR) X(IBV_WC_REM_OP_ERR) \
	X(IBV_WC_RETRY_EXC_ERR) X(IBV_WC_RNR_RETRY_EXC_ERR) X(IBV_WC_LOC_RDD_VIOL_ERR) \
	X(IBV_WC_REM_INV_RD_REQ_ERR) X(IBV_WC_REM_ABORT_ERR) X(IBV_WC_INV_EECN_ERR) \
	X(IBV_WC_INV_EEC_STATE_ERR) X(IBV_WC_FATAL_ERR) X(IBV_WC_RESP_TIMEOUT_ERR) X(IBV_WC_GENERAL_ERR) \
	X(IBV_WC_TM_ERR) X(IBV_WC_TM_RNDV_INCOMPLETE)

#define RATES(X) \
	X(IBV_RATE_MAX) X(IBV_RATE_2_5_GBPS) X(IBV_RATE_5_GBPS) X(IBV_RATE_10_GBPS) X(IBV_RATE_20_GBPS) \
	X(IBV_RATE_30_GBPS) X(IBV_RATE_40_GBPS) X(IBV_RATE_60_GBPS) X(IBV_RATE_80_GBPS) \
	X(IBV_RATE_120_GBPS) X(IBV_RATE_14_GBPS) X(IBV_RATE_56_GBPS) X(IBV_RATE_112_GBPS) \
	X(IBV_RATE_168_GBPS) X(IBV_RATE_25_GBPS) X(IBV_RATE_100_GBPS) X(IBV_RATE_200_GBPS) \
	X(IBV_RATE_300_GBPS) X(IBV_RATE_28_GBPS) X(IBV_RATE_50_GBPS) X(IBV_RATE_400_GBPS) X(IBV_RATE_600_GBPS)

#define ACCESS_FLAGS(X) \
	X(IBV_ACCESS_LOCAL_WRITE) X(IBV_ACCESS_REMOTE_WRITE) X(IBV_ACCESS_REMOTE_READ) \
	X(IBV_ACCESS_REMOTE_ATOMIC) X(IBV_ACCESS_MW_BIND) X(IBV_ACCESS_ZERO_BASED) \
	X(IBV_ACCESS_ON_DEMAND) X(IBV_ACCESS_HUGETLB) X(IBV_ACCESS_RELAXED_ORDERING)

const char *status_by_switch(int value);
const char *status_by_pointers(int value);
const char *access_by_switch(int value);
const char *access_by_pointers(int value);
const char *rate_by_switch(int value);
const char *rate_by_pointers(int value);

/* The other way round: look through the names. Returns -1 where there is no such name. */
int status_of(const char *name);
int access_of(const char *names);	/* of several, joined by '|' */

#endif
