/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Any bytes behind valid pointers, with VX_FOLLOW: never past a count, and rings end. */

#include <stdlib.h>
#include <string.h>

#include "torture.h"

/* As much of a structure as a caller with older headers has; less than the whole, which counts what lies behind it. */
static void print_part(const struct vx_struct *s, const unsigned char *whole, int style)
{
	size_t size = s->size ? torture_below(s->size) : 0;
	unsigned char *part = torture_exactly(size);

	memcpy(part, whole, size);
	torture_print(vx_type_of(s, size), part, style);
	free(part);
}

static void torture_struct(const struct vx_struct *s, int style)
{
	unsigned char *bytes = torture_web(s);

	torture_print(vx_type_of(s, s->size), bytes, style);
	if (!(s->flags & VX_STRUCT_GROWS_FRONT))
		print_part(s, bytes, style);
	torture_web_free();
}

void torture_round(void)
{
	size_t i;

	for (i = 0; i < vx_struct_count; i++) {
		torture_struct(vx_struct_row(i), VX_FOLLOW | VX_TEXT);
		torture_struct(vx_struct_row(i), VX_FOLLOW | VX_COMPACT);
		torture_struct(vx_struct_row(i), VX_FOLLOW | VX_JSON);
	}
}
