/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that only names and prints: it must start where there is no rdma-core. */
#include <stdio.h>

#include <verbsx/verbsx.h>

int main(void)
{
	struct ibv_sge sge = VX_DEFAULT(ibv_sge);
	char access[64];
	enum ibv_wc_status status;

	if (vx_ibv_wc_status_parse("retry_exc_err", &status) < 0) {
		fprintf(stderr, "%s\n", vx_error_text());
		return 1;
	}
	printf("%s (%d)\n", vx_ibv_wc_status_name(status), status);
	vx_ibv_access_flags_snprint(access, sizeof(access), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	printf("%s\n", access);
	sge.length = 4096;
	return vx_print(stdout, &sge) < 0;
}
