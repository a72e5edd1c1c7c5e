/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_VENDOR_BED_H
#define VERBSX_TESTS_UNIT_VENDOR_BED_H

/* Devices that no machine here has: the one at hand under the name of another provider, whose functions are replaced. */

#include <errno.h>

#include "unit/record.h"
#include "unit/vendor/be_of.h"

/* A CQ of the device as it is, made before it is one of a provider. */
static inline struct vx_cq *some_cq(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

#endif
