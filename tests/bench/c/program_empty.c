/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that uses nothing; what others take more, in time to start or in size, is what they link. */
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argv;
	return printf("%s", argc > 1 ? "arguments" : "") < 0;
}
