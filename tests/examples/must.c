/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An empty pool, after another call has failed: vx_pool_get() returns -ENOBUFS, and leaves vx_error() as it was. */

#include <errno.h>

#include "example.h"

int main(void)
{
	struct vx_pd *pd;

	if (vx_pd_create(NULL, NULL, &pd) == 0)
		return 0;
	must(-ENOBUFS);
	return 0;
}
