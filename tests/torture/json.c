/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Any bytes as JSON, a document a line with the structure's name before it; check_json.py reads them. */

#include <stdio.h>

#include "torture.h"

static void put_document(const struct vx_struct *s, int style)
{
	torture_doing("%s, style 0x%x", vx_struct_text(s->name), (unsigned int)style);
	printf("%s ", vx_struct_text(s->name));
	torture_check(vx_fprint_mask(stdout, vx_type_of(s, s->size), torture_web(s), torture_random(), style) == 0);
	putchar('\n');
	torture_web_free();
}

void torture_round(void)
{
	size_t i;

	for (i = 0; i < vx_struct_count; i++) {
		if (vx_struct_row(i)->flags & VX_STRUCT_NESTED)
			continue; /* a part of another, which prints it */
		put_document(vx_struct_row(i), VX_JSON);
		put_document(vx_struct_row(i), VX_JSON | VX_ALL);
		put_document(vx_struct_row(i), VX_JSON | VX_FOLLOW);
		put_document(vx_struct_row(i), VX_JSON | VX_FOLLOW | VX_ALL);
	}
}
