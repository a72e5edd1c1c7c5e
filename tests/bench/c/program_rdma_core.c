/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that has names of rdma-core itself. */
#include <stdio.h>

#include <infiniband/verbs.h>

int main(int argc, char **argv)
{
	(void)argv;
	return printf("%s", argc > 1 ? ibv_wc_status_str((enum ibv_wc_status)argc) : "") < 0;
}
