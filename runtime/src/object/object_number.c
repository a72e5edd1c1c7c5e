/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "make.h"
#include "object_print.h"

static int64_t number_of(const struct vx_shown *shown, const void *raw)
{
	const struct vx_field *f = vx_field_of(&vx_structs[shown->desc], shown->field);

	return f->kind == VX_KIND_ABSENT ? -1 : (int64_t)vx_read_field(f, (const unsigned char *)raw + f->offset);
}

int64_t vx_object_number(const struct vx_object *object)
{
	uint16_t i;

	for (i = 0; i < vx_number_count; i++)
		if (vx_number_fields[i].kind == object->kind)
			return number_of(&vx_number_fields[i], object->raw);
	return -1;
}
