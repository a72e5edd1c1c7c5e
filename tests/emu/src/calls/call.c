/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "calls/call.h"

#include <stdbool.h>
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "calls/context.h"
#include "objects/device.h"
#include "objects/port.h"

uint8_t call_device(const struct call *c)
{
	return c->ctx->device;
}

uint8_t call_port(const struct call *c, uint32_t local)
{
	return port_number(c->ctx->device, local);
}

bool call_is_ethernet(const struct call *c)
{
	return device_is_ethernet(c->ctx->device);
}

void *call_find(const struct call *c, enum kind kind, uint64_t handle)
{
	struct object *o = handle_object(c->ctx, handle);

	return o && o->kind == kind ? o : NULL;
}

void *call_numbered(const struct call *c, enum kind kind, uint32_t number)
{
	struct object *o = object_get(kind, number);

	return o && o->device == c->ctx->device ? o : NULL;
}

struct ib_uverbs_attr *call_attr(struct call *c, int id)
{
	for (int i = 0; i < c->hdr->num_attrs; i++)
		if (c->hdr->attrs[i].attr_id == id)
			return &c->hdr->attrs[i];
	return NULL;
}

/* Up to eight bytes lie in the attribute itself */
static bool is_inline(const struct ib_uverbs_attr *a)
{
	return a->len <= sizeof(a->data);
}

static void *attr_pointer(const struct ib_uverbs_attr *a)
{
	return (void *)(uintptr_t)a->data;
}

void *attr_data(struct ib_uverbs_attr *a)
{
	if (!a)
		return NULL;
	return is_inline(a) ? (void *)&a->data : attr_pointer(a);
}

uint64_t call_value(struct call *c, int id)
{
	struct ib_uverbs_attr *a = call_attr(c, id);

	if (!a)
		return 0;
	if (a->len && a->len < sizeof(a->data))
		return a->data & ((1ull << a->len * 8) - 1);
	return a->data;
}

void *call_object(struct call *c, int id, enum kind kind)
{
	struct ib_uverbs_attr *a = call_attr(c, id);

	return a ? call_find(c, kind, (uint32_t)a->data) : NULL;
}

static void attr_put(struct ib_uverbs_attr *a, const void *data, size_t size)
{
	uint8_t *to;

	if (!a)
		return;
	to = attr_pointer(a);
	memcpy(to, data, size < a->len ? size : a->len);
	if (a->len > size)
		memset(to + size, 0, a->len - size);
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

void call_put(struct call *c, int id, const void *data, size_t size)
{
	attr_put(call_attr(c, id), data, size);
}

void call_put_u32(struct call *c, int id, uint32_t value)
{
	call_put(c, id, &value, sizeof(value));
}

void call_put_u64(struct call *c, int id, uint64_t value)
{
	call_put(c, id, &value, sizeof(value));
}

void call_put_handle(struct call *c, int id, uint64_t value)
{
	struct ib_uverbs_attr *a = call_attr(c, id);

	if (!a)
		return;
	a->data = value;
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

void call_reply(struct call *c, const void *data, size_t size)
{
	attr_put(c->out, data, size);
}

void call_driver_in(struct call *c, void *data, size_t size)
{
	struct ib_uverbs_attr *a = call_attr(c, UVERBS_ATTR_UHW_IN);

	memset(data, 0, size);
	if (a)
		memcpy(data, attr_data(a), a->len < size ? a->len : size);
}

void call_driver_out(struct call *c, const void *data, size_t size)
{
	call_put(c, UVERBS_ATTR_UHW_OUT, data, size);
}
