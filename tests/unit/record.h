/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_OBJECTS_RECORD_H
#define VERBSX_TESTS_OBJECTS_RECORD_H

/* Functions in the place of rdma-core's: those that it exports by their slot, inline ones by the provider's table. */

#include "unit/device.h"
#include "reach/loader.h"

#define replace(call, function) \
	cr_assert_eq(vx_loader_replace(call, (vx_function)(function)), 0, "%s", vx_error_text())

static inline struct verbs_context *provider(void)
{
	return verbs_get_ctx(vx_ctx_raw(ctx));
}

#endif
