/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_VENDOR_BE_OF_H
#define VERBSX_TESTS_UNIT_VENDOR_BE_OF_H

#include <dlfcn.h>

#include "unit/device.h"

/* Have the device at hand be one of a provider, such as efa. */
#define be_of(provider)                                                                                         \
	do {                                                                                                    \
		void *library_ = dlopen(PROVIDERS "/lib" provider "-unit.so", RTLD_NOW);                        \
                                                                                                                \
		cr_assert_not_null(library_, "%s", dlerror());                                                  \
		vx_ctx_raw(ctx)->ops.poll_cq =                                                                  \
			(int (*)(struct ibv_cq *, int, struct ibv_wc *))dlsym(library_, "poll_cq_of_provider"); \
	} while (0)

#endif
