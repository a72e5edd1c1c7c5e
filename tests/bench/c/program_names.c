/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that only names. */
#include <stdio.h>

#include <verbsx/enums.h>

int main(int argc, char **argv)
{
	(void)argv;
	return printf("%s", argc > 1 ? vx_ibv_wc_status_name(argc) : "") < 0;
}
