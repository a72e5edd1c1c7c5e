/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of rdma-core by name: that of their handle or, of what has none, what rdma-core knows of them. */

#include <infiniband/verbs.h>

#include "trace.h"

#if VERBSX_TRACING

#pragma weak vx_put_name_of

static bool put_handle_name(struct vx_out *out, const void *raw, const char *kind)
{
	return vx_put_name_of && vx_put_name_of(out, raw, kind);
}

/* A field by 1 + its index; NULL where there is none. */
static const struct vx_field *field_at(const struct vx_handle *handle, unsigned int index)
{
	const struct vx_field *f;

	if (!index)
		return NULL;
	f = vx_field_of(&vx_structs[handle->desc], index - 1);
	return f->kind == VX_KIND_ABSENT ? NULL : f;
}

static void put_device_name(struct vx_out *out, const struct ibv_device *device)
{
	vx_put_plain(out, device->name, strlen(device->name));
}

static void put_context_name(struct vx_out *out, const struct ibv_context *context)
{
	if (context && put_handle_name(out, context, "context"))
		return;
	if (context && context->device)
		put_device_name(out, context->device);
	else
		vx_put_char(out, '?');
}

static void put_object(struct vx_out *out, const struct vx_handle *handle, const unsigned char *raw)
{
	const struct vx_field *context = field_at(handle, handle->context);
	const struct vx_field *number = field_at(handle, handle->number);

	if (put_handle_name(out, raw, vx_struct_names + handle->kind))
		return;
	if (context) {
		put_context_name(out, vx_read_pointer(raw + context->offset));
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
		put_context_name(out, raw);
	else
		put_device_name(out, raw);
}

#endif
