/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/status.h"

#include <strings.h>
#include <infiniband/mlx5dv.h>

#include "limits.h"
#include "nearest.h"

/* To libmlx5, each syndrome that it does not know is a general error */
#define SYNDROME_GENERAL 0xff

static const struct {
	const char *name;
	int syndrome;
} statuses[] = {
	{ "LOC_LEN_ERR", MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR },
	{ "LOC_QP_OP_ERR", MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR },
	{ "LOC_PROT_ERR", MLX5_CQE_SYNDROME_LOCAL_PROT_ERR },
	{ "WR_FLUSH_ERR", MLX5_CQE_SYNDROME_WR_FLUSH_ERR },
	{ "MW_BIND_ERR", MLX5_CQE_SYNDROME_MW_BIND_ERR },
	{ "BAD_RESP_ERR", MLX5_CQE_SYNDROME_BAD_RESP_ERR },
	{ "LOC_ACCESS_ERR", MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR },
	{ "REM_INV_REQ_ERR", MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
	{ "REM_ACCESS_ERR", MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR },
	{ "REM_OP_ERR", MLX5_CQE_SYNDROME_REMOTE_OP_ERR },
	{ "RETRY_EXC_ERR", MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR },
	{ "RNR_RETRY_EXC_ERR", MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR },
	{ "REM_ABORT_ERR", MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR },
	{ "GENERAL_ERR", SYNDROME_GENERAL },
	/* Of reliable datagrams, of other devices, of tag matching */
	{ "SUCCESS", NO_SYNDROME },
	{ "LOC_EEC_OP_ERR", NO_SYNDROME },
	{ "LOC_RDD_VIOL_ERR", NO_SYNDROME },
	{ "REM_INV_RD_REQ_ERR", NO_SYNDROME },
	{ "INV_EECN_ERR", NO_SYNDROME },
	{ "INV_EEC_STATE_ERR", NO_SYNDROME },
	{ "FATAL_ERR", NO_SYNDROME },
	{ "RESP_TIMEOUT_ERR", NO_SYNDROME },
	{ "TM_ERR", NO_SYNDROME },
	{ "TM_RNDV_INCOMPLETE", NO_SYNDROME },
};

int status_syndrome(const char *name)
{
	if (!strncasecmp(name, "IBV_WC_", 7))
		name += 7;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (!strcasecmp(name, statuses[i].name))
			return statuses[i].syndrome;
	return NO_STATUS;
}

void status_names(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].syndrome != NO_SYNDROME)
			nearest_see(n, statuses[i].name);
}

const char *status_name(int syndrome)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].syndrome == syndrome)
			return statuses[i].name;
	return "GENERAL_ERR";
}

/* Of firmware: no document has them, but public reports of errors do */
static const struct {
	int syndrome, send, receive;
} vendor_codes[] = {
	{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, 0x51, 0x52 },
	{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR, 0xf9, 0xf9 },
	{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, 0x8a, 0x8a },
	{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, 0x88, 0x88 },
	{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR, 0x89, 0x89 },
	{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, 0x81, 0x81 },
	{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, 0x87, 0x87 },
};

/* Of a syndrome of which no report is known */
#define SOME_VENDOR_CODE 0x7a

int status_vendor_code(int syndrome, bool receive)
{
	for (size_t i = 0; i < ARRAY_SIZE(vendor_codes); i++)
		if (vendor_codes[i].syndrome == syndrome)
			return receive ? vendor_codes[i].receive : vendor_codes[i].send;
	return SOME_VENDOR_CODE;
}
