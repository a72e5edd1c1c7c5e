/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A full receive queue: ibv_post_recv() returns ENOMEM, and says nothing in errno. */

#include <errno.h>

#include "example.h"

int main(void)
{
	errno = 0;
	must_raw(ENOMEM, "ibv_post_recv");
	return 0;
}
