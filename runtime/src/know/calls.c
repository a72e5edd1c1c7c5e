/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "text/give.h"

static int order_of_call(const void *name, const void *row)
{
	return strcmp(name, vx_call_names + ((const struct vx_call_row *)row)->name);
}

size_t vx_call_index(const char *name)
{
	const struct vx_call_row *row = name ? bsearch(name, vx_calls, vx_call_count, sizeof(*row), order_of_call) : NULL;

	return row ? (size_t)(row - vx_calls) : VX_NO_CALL;
}

bool vx_call_at_sized(size_t index, struct vx_call_info *out, size_t size)
{
	const struct vx_call_row *row;
	struct vx_call_info info;

	if (index >= vx_call_count)
		return false;
	row = &vx_calls[index];
	info = (struct vx_call_info){
		.name = vx_call_names + row->name,
		.library = vx_call_names + vx_libraries[row->library].soname,
		.version = vx_call_names + row->version,
		.since = row->since,
		.kind = (enum vx_call_kind)row->kind,
		.error = (enum vx_call_error)row->error,
		.page = row->page,
		.note = vx_call_names + row->note,
	};
	VX_GIVE(out, size, &info);
	return true;
}

bool vx_call_find_sized(const char *name, struct vx_call_info *out, size_t size)
{
	return vx_call_at_sized(vx_call_index(name), out, size);
}
