/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Names for numbers, numbers for names, and any structure as text; this needs no device. */

#include "example.h"

int main(void)
{
	struct ibv_qp_cap cap = VX_DEFAULT(ibv_qp_cap);
	char flags[128];
	enum ibv_access_flags access;
	enum ibv_wc_status status;

	printf("%s\n", vx_ibv_wc_status_name(12));
	vx_ibv_access_flags_snprint(flags, sizeof(flags), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	printf("%s\n", flags);

	/* Back again, in any case, with or without the prefix or a part of it; what is wrong is pointed out. */
	must(vx_ibv_access_flags_parse("local_write|REMOTE_READ", &access));
	printf("%#x\n", access);
	if (vx_ibv_wc_status_parse("retry_exec_err", &status) < 0)
		printf("%s\n", vx_error_text());

	vx_print(stdout, &cap);
	vx_fprint(stdout, VX_TYPEOF(&cap), &cap, VX_COMPACT);
	putchar('\n');
	vx_fprint(stdout, VX_TYPEOF(&cap), &cap, VX_JSON);
	putchar('\n');
	return 0;
}
