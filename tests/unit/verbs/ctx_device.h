/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_VERBS_CTX_DEVICE_H
#define VERBSX_TESTS_VERBS_CTX_DEVICE_H

/* These tests run on whatever device comes first: the emulated one, or that of the virtual machine. */

#include <criterion/criterion.h>

#include <verbsx/calls.h>
#include <verbsx/error.h>

static inline struct vx_ctx *open_first(void)
{
	struct vx_ctx *ctx = NULL;

	cr_assert_eq(vx_ctx_open_index(0, &ctx), 0, "%s", vx_error_text());
	return ctx;
}

#endif
