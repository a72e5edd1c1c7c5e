/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "make.h"
#include "object_print.h"

int64_t vx_object_number(const struct vx_node *node)
{
	const struct vx_kind_row *row = vx_kind_of(node->kind);
	const struct vx_field *f;

	if (!row->number.count)
		return -1;
	f = vx_shown_field(row->number.first);
	return f->kind == VX_KIND_ABSENT ? -1 : (int64_t)vx_read_field(f, (const unsigned char *)node->object.raw + f->offset);
}
