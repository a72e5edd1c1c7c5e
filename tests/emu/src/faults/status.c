/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/status.h"

#include <strings.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "bounds.h"
#include "nearest.h"
#include "src/mlx5_words.h"

/* To libmlx5, each syndrome that it does not know is a general error */
#define SYNDROME_GENERAL 0xff

#define NAMED(value, name) { value, name },
#define CODE(number, status) { number, status },

/* Names and the vendor's codes are lore, as libverbsx has them */
static const struct {
	int status;
	const char *name;
} names[] = { VX_WORDS_OF_IBV_WC_STATUS(NAMED) };

static const struct {
	int code, status;
} vendor_codes[] = { VX_VENDOR_ERRS(CODE) };

/* What libmlx5 makes of a syndrome. None is of reliable datagrams, of other devices, or of tag matching. */
static const struct {
	int syndrome, status;
} made[] = {
	{ MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, IBV_WC_LOC_LEN_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, IBV_WC_LOC_QP_OP_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, IBV_WC_LOC_PROT_ERR },
	{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR, IBV_WC_WR_FLUSH_ERR },
	{ MLX5_CQE_SYNDROME_MW_BIND_ERR, IBV_WC_MW_BIND_ERR },
	{ MLX5_CQE_SYNDROME_BAD_RESP_ERR, IBV_WC_BAD_RESP_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR, IBV_WC_LOC_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, IBV_WC_REM_INV_REQ_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, IBV_WC_REM_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR, IBV_WC_REM_OP_ERR },
	{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, IBV_WC_RETRY_EXC_ERR },
	{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR, IBV_WC_REM_ABORT_ERR },
	{ SYNDROME_GENERAL, IBV_WC_GENERAL_ERR },
};

static int status_of(int syndrome)
{
	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		if (made[i].syndrome == syndrome)
			return made[i].status;
	return IBV_WC_GENERAL_ERR;
}

static int syndrome_of(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		if (made[i].status == status)
			return made[i].syndrome;
	return NO_SYNDROME;
}

static const char *name_of(int status)
{
	size_t i = 0;

	while (names[i].status != status)
		i++;
	return names[i].name;
}

int status_syndrome(const char *name)
{
	if (!strncasecmp(name, "IBV_WC_", 7))
		name += 7;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(name, names[i].name))
			return syndrome_of(names[i].status);
	return NO_STATUS;
}

void status_names(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		nearest_see(n, name_of(made[i].status));
}

const char *status_name(int syndrome)
{
	return name_of(status_of(syndrome));
}

/* Of a status of which no report is known */
#define SOME_VENDOR_CODE 0x7a

/* Which of several codes of a status is whose nobody tells: the first is a send's here, and the second a receive's. */
int status_vendor_code(int syndrome, bool receive)
{
	int code = SOME_VENDOR_CODE, known = 0;

	for (size_t i = 0; i < ARRAY_SIZE(vendor_codes); i++)
		if (vendor_codes[i].status == status_of(syndrome) && known++ <= receive)
			code = vendor_codes[i].code;
	return code;
}
