/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <string.h>

#include "closest.h"
#include "explain.h"
#include "text/nearest.h"

/* Of "vx_" and "VERBSX_". */
static size_t prefix_of(const char *name)
{
	const char *underscore = strchr(name, '_');

	return underscore ? (size_t)(underscore - name) + 1 : 0;
}

size_t closest_enums(const char *text, const char **names, size_t max)
{
	struct vx_nearest nearest = { .wanted = text, .len = strlen(text), .names = names, .max = max };
	const struct vx_enum_info *e;
	size_t i;

	for (i = 0; *text && (e = vx_enum_at(i)); i++)
		vx_nearest_try(&nearest, vx_enum_tag(e), prefix_of(vx_enum_tag(e)));
	return nearest.count;
}

size_t closest_names(const char *text, const char **names, size_t max)
{
	struct vx_nearest nearest = { .wanted = text, .len = strlen(text), .names = names, .max = max };
	const char *known[VX_MOST_NEAREST];
	size_t i, count = vx_suggest(text, known, VX_MOST_NEAREST);
	const struct own *own;

	for (i = 0; *text && i < count; i++)
		vx_nearest_try(&nearest, known[i], prefix_of(known[i]));
	for (i = 0; *text && (own = own_at(i)); i++)
		if (!strchr(own->name, '.'))
			vx_nearest_try(&nearest, own->name, prefix_of(own->name));
	return nearest.count;
}
