/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that names and prints. */
#include <stdio.h>

#include <verbsx/enums.h>
#include <verbsx/structs.h>

int main(int argc, char **argv)
{
	struct ibv_port_attr port = { .state = (enum ibv_port_state)argc };

	(void)argv;
	if (argc > 1 && vx_print(stdout, &port) < 0)
		return 1;
	return printf("%s", argc > 1 ? vx_ibv_wc_status_name(argc) : "") < 0;
}
