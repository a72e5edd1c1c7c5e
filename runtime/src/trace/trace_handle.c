/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of rdma-core by name, as vx_object_name() has it for handles. */

#include <infiniband/verbs.h>

#include "text/printer.h"
#include "trace_tables.h"

#if VERBSX_TRACING

/* A field by 1 + its index; NULL where there is none. */
static const struct vx_field *field_at(const struct vx_handle *handle, unsigned int index)
{
	const struct vx_field *f;

	if (!index)
		return NULL;
	f = vx_field_of(&vx_structs[handle->desc], index - 1);
	return f->kind == VX_KIND_ABSENT ? NULL : f;
}

static void put_device(struct vx_out *out, const struct ibv_context *context)
{
	if (context && context->device)
		vx_put_string(out, context->device->name);
	else
		vx_put_char(out, '?');
}

static void put_object(struct vx_out *out, const struct vx_handle *handle, const unsigned char *raw)
{
	const struct vx_field *context = field_at(handle, handle->context);
	const struct vx_field *number = field_at(handle, handle->number);

	if (context) {
		put_device(out, vx_read_pointer(raw + context->offset));
		vx_put_char(out, ' ');
	}
	vx_put_string(out, vx_struct_names + handle->kind);
	vx_put_char(out, ' ');
	if (number)
		vx_put_signed(out, (int64_t)vx_read_field(number, raw + number->offset));
	else
		vx_put_hex(out, (uintptr_t)raw);
}

void vx_put_raw(struct vx_out *out, uint16_t handle, const void *raw)
{
	if (!raw)
		vx_put_literal(out, "NULL");
	else if (handle < vx_raw_handle_count)
		put_object(out, &vx_raw_handles[handle], raw);
	else if (handle == vx_raw_handle_count)
		put_device(out, raw);
	else
		vx_put_string(out, ((const struct ibv_device *)raw)->name);
}

#endif
