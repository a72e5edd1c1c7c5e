/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Prints the release of the libibverbs that runs, for setgid.sh. */

#include <stdio.h>

#include <verbsx/version.h>

int main(void)
{
	printf("%u\n", vx_release_running());
	return 0;
}
