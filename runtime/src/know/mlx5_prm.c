/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The fields of layouts, each with its path. */

#include <string.h>

#include "know/mlx5_prm.h"
#include "know/tables.h"
#include "text/out.h"

static size_t first_part_of(const struct vx_prm_layout *layout)
{
	const struct vx_prm_layout *before;
	size_t first = 0;

	for (before = vx_prm_layouts; before < layout; before++)
		first += before->parts;
	return first;
}

static const char *next_name(const char *names)
{
	names += strcspn(names, " ");
	return names + (*names == ' ');
}

static const char *name_of_part(size_t part)
{
	const char *names = vx_text_at(vx_prm_names);

	for (; part; part--)
		names = next_name(names);
	return names;
}

/* A layout while its fields are walked. */
struct walk {
	const struct vx_prm_layout *layout;
	unsigned int base;	/* of the layout, in bits */
	const char *before;	/* of its name: "cqc." */
};

static bool walk_fields(const struct walk *walk, vx_prm_visit each, void *data);

static bool walk_part(const struct walk *walk, const struct vx_prm_part *part, const char *name, int length, vx_prm_visit each, void *data)
{
	char path[VX_PRM_PATH];
	struct vx_out out = vx_out_in(path, sizeof(path));

	vx_put_format(&out, "%s%.*s%s", walk->before, length, name, part->nested ? "." : "");
	vx_out_finish(&out);
	if (!part->nested)
		return each(data, path, walk->base + part->offset, part->width);
	return walk_fields(&(struct walk){ &vx_prm_layouts[part->width], walk->base + part->offset, path }, each, data);
}

static bool walk_fields(const struct walk *walk, vx_prm_visit each, void *data)
{
	size_t part = first_part_of(walk->layout), end = part + walk->layout->parts;
	const char *name = name_of_part(part);

	for (; part < end; part++, name = next_name(name))
		if (!walk_part(walk, &vx_prm_parts[part], name, (int)strcspn(name, " "), each, data))
			return false;
	return true;
}

bool vx_prm_walk(const struct vx_prm_layout *layout, vx_prm_visit each, void *data)
{
	return walk_fields(&(struct walk){ layout, 0, "" }, each, data);
}
