/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_DEVINFO_H
#define VX_DEVINFO_H

#include <stdbool.h>

#include <verbsx/calls.h>

#include "report.h"

struct devinfo {
	struct vx_ctx *ctx;
	bool verbose;
};

/* A port's GIDs and P_Keys. @return an exit status */
int put_tables(struct report *r, const struct vx_ctx *ctx, uint32_t port);

/* What only the device's own library tells; nothing where libverbsx knows none for it. */
void put_vendor(struct report *r, const struct vx_ctx *ctx);

#endif
