/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A caller that lies: this must be noticed, else the others prove nothing. */

#include <stdlib.h>

#include "torture.h"

void torture_round(void)
{
	const size_t size = vx_structs[0].size;
	unsigned char *bytes = torture_exactly(size - 1);

	torture_fill(bytes, size - 1);
	torture_print(vx_type_of(&vx_structs[0], size), bytes, VX_TEXT);
	free(bytes);
}
