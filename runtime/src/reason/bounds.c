/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "bounds.h"
#include "reason_tables.h"

const void *vx_bounds_ask(struct vx_bounds *bounds, unsigned int source)
{
	if (!bounds->asked[source] && bounds->context)
		bounds->known[source] = vx_source_ask(bounds, source);
	bounds->asked[source] = true;
	return bounds->known[source];
}

bool vx_bounds_view(struct vx_bounds *bounds, unsigned int source, struct vx_view *out)
{
	const struct vx_struct *s = &vx_structs[vx_sources[source].desc];
	const void *known = vx_bounds_ask(bounds, source);

	if (known)
		*out = vx_view_of(vx_type_of(s, s->size), known);
	return known;
}

bool vx_bounds_find(struct vx_bounds *bounds, unsigned int source, const char *path, struct vx_place *out)
{
	struct vx_view view;

	return vx_bounds_view(bounds, source, &view) && vx_place_find(&view, path, VX_MASK_ALL, out);
}
