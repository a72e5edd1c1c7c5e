// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// names.c as a C++ programmer writes it; both must print the same.
#include <cstdio>
#include <iostream>

#include <verbsx/verbsx.h>

int main()
{
	ibv_sge sge = VX_DEFAULT(ibv_sge);
	char access[64];
	ibv_wc_status status;

	if (vx_ibv_wc_status_parse("retry_exc_err", &status) < 0) {
		std::cerr << vx_error_text() << "\n";
		return 1;
	}
	std::cout << vx_ibv_wc_status_name(status) << " (" << status << ")\n";
	vx_ibv_access_flags_snprint(access, sizeof(access), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	std::cout << access << std::endl;
	sge.length = 4096;
	return vx_print(stdout, &sge) < 0;
}
