/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <string.h>

#include <verbsx/config.h>

#include "border.h"
#include "fail.h"

int vx_take_in(void *own, size_t own_size, const void *theirs, size_t their_size, const char *call, const char *what,
	       const char *last)
{
	const unsigned char *bytes = theirs;
	size_t i;

	if (!theirs) {
		memset(own, 0, own_size);
		return 0;
	}
	for (i = own_size; i < their_size; i++)
		if (bytes[i])
			return vx_fail(-E2BIG, call, NULL,
				       "%s has something at byte %zu, in a field behind %s, the last that libverbsx " VERBSX_VERSION
				       " with rdma-core %d knows: that field needs a newer one", what, i, last, VX_RDMA_CORE);
	vx_give_out(own, own_size, theirs, their_size);
	return 0;
}
