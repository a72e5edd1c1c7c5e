/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures of the library as programs have them. */

#include <string.h>

#include "text/give.h"

bool vx_give_out(void *theirs, size_t their_size, const void *own, size_t own_size)
{
	const size_t both = their_size < own_size ? their_size : own_size;

	if (!theirs)
		return true;
	memcpy(theirs, own, both);
	if (their_size > both)
		memset((char *)theirs + both, 0, their_size - both);
	return true;
}
