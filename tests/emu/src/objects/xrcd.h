/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_XRCD_H
#define EMU_XRCD_H

#include <stdbool.h>
#include <sys/types.h>

#include "objects/object.h"

/* One that a file names is one domain for all that open it */
struct xrcd {
	struct object o;
	dev_t device; /* 0: without a file */
	ino_t inode;
};

/* Whether both are the same domain; two that are NULL are. */
bool xrcd_is_same(const struct xrcd *a, const struct xrcd *b);

#endif
