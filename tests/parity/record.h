/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_RECORD_H
#define VERBSX_TESTS_PARITY_RECORD_H

/*
 * Functions in the place of rdma-core's, for what no device here has: those that it exports by their slot, inline ones by
 * the provider's table. They play the part of a device that has it, and record what they are asked for.
 */

#include "device.h"
#include "reach/loader.h"

#if VERBSX_LOADER

#define replace(call, function) \
	do { \
		if (vx_loader_replace(call, (vx_function)(function)) < 0) \
			cr_skip_test("the headers are older than " call); \
	} while (0)

#else

#define replace(call, function) ((void)(function), cr_skip_test("a library that is linked with " call "() has no slot for it"))

#endif

static inline struct verbs_context *provider(void)
{
	return verbs_get_ctx(vx_ctx_raw(ctx));
}

#endif
