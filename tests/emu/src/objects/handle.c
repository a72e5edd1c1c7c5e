/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/handle.h"

#include <stdlib.h>
#include <string.h>

#include "calls/context.h"
#include "objects/object.h"

#define FIRST_ROOM 64
#define FIRST_HANDLE 1

/* So that there is room for that handle */
static int grow(struct handles *h, uint32_t handle)
{
	uint32_t room = h->room ? h->room : FIRST_ROOM;
	struct object **objects;

	while (room <= handle)
		room *= 2;
	objects = reallocarray(h->objects, room, sizeof(struct object *));
	if (!objects)
		return -1;
	memset(objects + h->room, 0, (room - h->room) * sizeof(struct object *));
	h->objects = objects;
	h->room = room;
	return 0;
}

/* That of a channel is its descriptor */
int handle_give(struct object *o)
{
	struct handles *h = &o->ctx->handles;

	o->handle = NO_HANDLE;
	if (o->kind == CHANNEL)
		return 0;
	if (h->lowest < FIRST_HANDLE)
		h->lowest = h->first ? h->first : FIRST_HANDLE;
	while (h->lowest < h->room && h->objects[h->lowest])
		h->lowest++;
	if (h->lowest >= h->room && grow(h, h->lowest))
		return -1;
	o->handle = h->lowest;
	h->objects[o->handle] = o;
	return 0;
}

int handle_name(struct object *o, uint32_t handle)
{
	struct handles *h = &o->ctx->handles;

	if (handle >= h->room && grow(h, handle))
		return -1;
	handle_take(o);
	o->handle = handle;
	h->objects[handle] = o;
	return 0;
}

void handle_take(struct object *o)
{
	struct handles *h = &o->ctx->handles;

	if (o->handle == NO_HANDLE)
		return;
	h->objects[o->handle] = NULL;
	if (o->handle < h->lowest && o->handle >= h->first)
		h->lowest = o->handle;
	o->handle = NO_HANDLE;
}

struct object *handle_object(const struct context *ctx, uint64_t handle)
{
	return handle < ctx->handles.room ? ctx->handles.objects[handle] : NULL;
}

void handles_free(struct handles *h)
{
	free(h->objects);
}
