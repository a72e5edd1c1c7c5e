/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/handle.h"

#include <stdlib.h>
#include <string.h>

#include "calls/context.h"
#include "objects/object.h"

#define FIRST_ROOM 64
#define FIRST_HANDLE 1

static int grow(struct handles *h)
{
	uint32_t room = h->room ? 2 * h->room : FIRST_ROOM;
	struct object **objects = reallocarray(h->objects, room, sizeof(struct object *));

	if (!objects)
		return -1;
	if (!h->room)
		h->lowest = FIRST_HANDLE;
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
	while (h->lowest < h->room && h->objects[h->lowest])
		h->lowest++;
	if (h->lowest == h->room && grow(h))
		return -1;
	o->handle = h->lowest;
	h->objects[o->handle] = o;
	return 0;
}

void handle_take(struct object *o)
{
	struct handles *h = &o->ctx->handles;

	if (o->handle == NO_HANDLE)
		return;
	h->objects[o->handle] = NULL;
	if (o->handle < h->lowest)
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
