/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands for a function of rdma-core. */

#include <stdlib.h>
#include <string.h>

#include <verbsx/describe.h>

#include "calls.h"
#include "describe_tables.h"

static int order_of_wrapper(const void *call, const void *row)
{
	return strcmp(call, vx_call_names + ((const struct vx_wrapper_row *)row)->call);
}

const char *vx_stands_for(const char *call)
{
	const struct vx_wrapper_row *row;

	if (!call)
		return NULL;
	row = bsearch(call, vx_wrappers, vx_wrapper_count, sizeof(*row), order_of_wrapper);
	return row ? vx_describe_texts + row->text : NULL;
}
