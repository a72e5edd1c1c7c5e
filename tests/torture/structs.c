/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Any bytes, of any length, as any structure, in any style. */

#include <stdlib.h>
#include <string.h>

#include "torture.h"

#define MOST_BEYOND 64		/* bytes that a caller's structure may have grown by */

/* As long as the table says, as long as in older or newer headers, or nothing. */
static size_t any_size(size_t size)
{
	switch (torture_below(4)) {
	case 0:
		return torture_below(size + 1);
	case 1:
		return size + torture_below(MOST_BEYOND);
	default:
		return size;
	}
}

/* What libverbsx fills prints with what it points to, which is therefore never just anything. */
static void clear_pointers(const struct vx_struct *s, unsigned char *bytes, size_t size)
{
	const struct vx_field *f = vx_field_row(s->field), *end = f + s->fields;

	for (; f < end; f++)
		if (f->kind > VX_KIND_POINTER && f->offset + sizeof(void *) <= size)
			memset(bytes + f->offset, 0, sizeof(void *));
}

static void torture_struct(const struct vx_struct *s, int base)
{
	size_t size = any_size(s->size), shift = torture_below(8);
	unsigned char *memory = torture_exactly(shift + size);

	torture_fill(memory + shift, size);
	if (s->flags & VX_STRUCT_FILLED)
		clear_pointers(s, memory + shift, size);
	torture_print(vx_type_of(s, size), memory + shift, base);
	free(memory);
}

void torture_round(void)
{
	static const int bases[] = { VX_TEXT, VX_COMPACT, VX_JSON, VX_STYLE_MASK };
	size_t i, base;

	for (i = 0; i < vx_struct_count; i++)
		for (base = 0; base < sizeof(bases) / sizeof(bases[0]); base++)
			torture_struct(vx_struct_row(i), bases[base]);
}
