/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_VENDOR_BED_H
#define VERBSX_TESTS_UNIT_VENDOR_BED_H

/* Devices that no machine here has: the one at hand under the name of another provider, whose functions are replaced. */

#include <dlfcn.h>
#include <errno.h>

#include "unit/record.h"

/* Have the device at hand be one of a provider, such as efa. */
#define be_of(provider)                                                                                         \
	do {                                                                                                    \
		void *library_ = dlopen(PROVIDERS "/lib" provider "-unit.so", RTLD_NOW);                        \
                                                                                                                \
		cr_assert_not_null(library_, "%s", dlerror());                                                  \
		vx_ctx_raw(ctx)->ops.poll_cq =                                                                  \
			(int (*)(struct ibv_cq *, int, struct ibv_wc *))dlsym(library_, "poll_cq_of_provider"); \
	} while (0)

/* A CQ of the device as it is, made before it is one of a provider. */
static inline struct vx_cq *some_cq(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

#endif
