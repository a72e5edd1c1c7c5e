/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What somebody may have meant by a name that does not exist. */

#include <string.h>

#include <verbsx/describe.h>

#include "text/nearest.h"
#include "text/table.h"

/* The length of what tells the library, as in "ibv_", "rdma_" or "mlx5dv_". */
static size_t library_prefix(const char *name)
{
	const char *underscore = strchr(name, '_');

	return underscore ? (size_t)(underscore - name) + 1 : 0;
}

static void consider_enums(struct vx_nearest *n)
{
	struct vx_enumerator at;
	size_t i, j;

	for (i = 0; i < vx_enum_count; i++) {
		const struct vx_enum_info *e = &vx_enums[i];

		vx_nearest_try(n, vx_enum_tag(e), library_prefix(vx_enum_tag(e)));
		for (j = 0; vx_enumerator_at(e, j, &at); j++)
			vx_nearest_try(n, at.name, e->prefix);
	}
}

static void consider_structs(struct vx_nearest *n)
{
	unsigned int i, j;

	for (i = 0; i < vx_struct_count; i++) {
		const struct vx_struct *at = vx_struct_row(i);
		const char *tag = vx_struct_text(at->name);

		if (!(at->flags & VX_STRUCT_NESTED))
			vx_nearest_try(n, tag, library_prefix(tag));
		for (j = 0; j < at->fields; j++)
			vx_nearest_try(n, vx_struct_text(vx_field_row(at->field + j)->name), 0);
	}
}

static void consider_calls_and_errnos(struct vx_nearest *n)
{
	struct vx_call_info call;
	struct vx_errno_info code;
	size_t i;

	for (i = 0; vx_call_at(i, &call); i++)
		vx_nearest_try(n, call.name, library_prefix(call.name));
	for (i = 0; vx_errno_at(i, &code); i++)
		vx_nearest_try(n, code.name, 0);
}

size_t vx_suggest(const char *text, const char **names, size_t max)
{
	struct vx_nearest n = { .wanted = text, .names = names, .max = max < VX_MOST_NEAREST ? max : VX_MOST_NEAREST };

	if (!text || !n.max)
		return 0;
	n.len = strlen(text);
	consider_enums(&n);
	consider_structs(&n);
	consider_calls_and_errnos(&n);
	return n.count;
}
