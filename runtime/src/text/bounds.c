/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "bounds.h"
#include "ids.h"

#define VX_TRACE_ASIDE
#include "traced.h"

void vx_bounds_ask(struct vx_bounds *bounds, struct ibv_context *context, uint8_t port)
{
	*bounds = (struct vx_bounds){ .context = context, .port = port };
	bounds->known[VX_SOURCE_CONTEXT] = context;
	if (!ibv_query_device_ex(context, NULL, &bounds->device)) {
		bounds->known[VX_SOURCE_DEVICE] = &bounds->device.orig_attr;
		bounds->known[VX_SOURCE_DEVICE_EX] = &bounds->device;
	}
	if (!ibv_query_port(context, port, &bounds->attr))
		bounds->known[VX_SOURCE_PORT] = &bounds->attr;
}

bool vx_bounds_view(const struct vx_bounds *bounds, unsigned int source, struct vx_view *out)
{
	static const uint16_t structs[VX_SOURCES] = {
		[VX_SOURCE_DEVICE] = STRUCT_ibv_device_attr,
		[VX_SOURCE_DEVICE_EX] = STRUCT_ibv_device_attr_ex,
		[VX_SOURCE_PORT] = STRUCT_ibv_port_attr,
		[VX_SOURCE_CONTEXT] = STRUCT_ibv_context,
	};
	const struct vx_struct *s = &vx_structs[structs[source]];

	if (!bounds->known[source])
		return false;
	*out = vx_view_of(vx_type_of(s, s->size), bounds->known[source]);
	return true;
}

bool vx_bounds_find(const struct vx_bounds *bounds, unsigned int source, const char *path, struct vx_place *out)
{
	struct vx_view view;

	return vx_bounds_view(bounds, source, &view) && vx_place_find(&view, path, VX_MASK_ALL, out);
}
