/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <string.h>

#include "calls.h"
#include "text/give.h"

static const char *name_at(size_t index)
{
	return vx_call_names + vx_calls[index].name;
}

size_t vx_call_index(const char *name)
{
	size_t low = 0, high = vx_call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, name_at(middle));

		if (!order)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return VX_NO_CALL;
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
	};
	VX_GIVE(out, size, &info);
	return true;
}

bool vx_call_find_sized(const char *name, struct vx_call_info *out, size_t size)
{
	return vx_call_at_sized(vx_call_index(name), out, size);
}
