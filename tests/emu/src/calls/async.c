/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "calls/async.h"

#include <strings.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "bounds.h"
#include "calls/context.h"
#include "calls/devx_event.h"
#include "nearest.h"
#include "objects/port.h"
#include "trace.h"

static const struct {
	const char *name;
	enum kind about;
} events[] = {
	[IBV_EVENT_CQ_ERR] = { "CQ_ERR", CQ },
	[IBV_EVENT_QP_FATAL] = { "QP_FATAL", QP },
	[IBV_EVENT_QP_REQ_ERR] = { "QP_REQ_ERR", QP },
	[IBV_EVENT_QP_ACCESS_ERR] = { "QP_ACCESS_ERR", QP },
	[IBV_EVENT_COMM_EST] = { "COMM_EST", QP },
	[IBV_EVENT_SQ_DRAINED] = { "SQ_DRAINED", QP },
	[IBV_EVENT_PATH_MIG] = { "PATH_MIG", QP },
	[IBV_EVENT_PATH_MIG_ERR] = { "PATH_MIG_ERR", QP },
	[IBV_EVENT_DEVICE_FATAL] = { "DEVICE_FATAL", NONE },
	[IBV_EVENT_PORT_ACTIVE] = { "PORT_ACTIVE", NONE },
	[IBV_EVENT_PORT_ERR] = { "PORT_ERR", NONE },
	[IBV_EVENT_LID_CHANGE] = { "LID_CHANGE", NONE },
	[IBV_EVENT_PKEY_CHANGE] = { "PKEY_CHANGE", NONE },
	[IBV_EVENT_SM_CHANGE] = { "SM_CHANGE", NONE },
	[IBV_EVENT_SRQ_ERR] = { "SRQ_ERR", SRQ },
	[IBV_EVENT_SRQ_LIMIT_REACHED] = { "SRQ_LIMIT_REACHED", SRQ },
	[IBV_EVENT_QP_LAST_WQE_REACHED] = { "QP_LAST_WQE_REACHED", QP },
	[IBV_EVENT_CLIENT_REREGISTER] = { "CLIENT_REREGISTER", NONE },
	[IBV_EVENT_GID_CHANGE] = { "GID_CHANGE", NONE },
	[IBV_EVENT_WQ_FATAL] = { "WQ_FATAL", WQ },
	[EVENT_DEVICE_SPEED_CHANGE] = { "DEVICE_SPEED_CHANGE", NONE },
};

/* For any value */
static const char *name_of(int type)
{
	return type >= 0 && (size_t)type < ARRAY_SIZE(events) ? events[type].name : "unknown";
}

int async_type(const char *name)
{
	if (!strncasecmp(name, "IBV_EVENT_", 10))
		name += 10;
	for (size_t type = 0; type < ARRAY_SIZE(events); type++)
		if (!strcasecmp(name, events[type].name))
			return type;
	return -1;
}

void async_names(struct nearest *n)
{
	for (size_t type = 0; type < ARRAY_SIZE(events); type++)
		nearest_see(n, events[type].name);
}

enum kind async_kind(int type)
{
	return events[type].about;
}

static bool send_event(struct context *ctx, uint64_t element, int type)
{
	struct ib_uverbs_async_event_desc event = { .element = element, .event_type = type };

	TRACE("async event %s element %llx", name_of(type), (unsigned long long)element);
	return ctx->has_async && event_pipe_write(&ctx->async, &event, sizeof(event));
}

void async_object_event(struct object *o, int type)
{
	if (!o->leaving && send_event(o->ctx, o->user_handle, type))
		o->async_events++;
}

bool async_port_event(int number, int type)
{
	const struct port *p = port_get(number);
	struct context *c;
	bool sent = false;

	devx_event_port(p, type);
	LIST_FOREACH(c, &context_list, link)
	{
		if (c->has_async && c->device == p->device)
			sent |= send_event(c, p->local, type);
	}
	return sent;
}

int async_events_reported(struct object *o)
{
	size_t size = sizeof(struct ib_uverbs_async_event_desc);

	if (o->ctx->has_async)
		o->async_events -= event_pipe_take_back(&o->ctx->async, size, o->user_handle);
	o->leaving = true;
	return o->async_events;
}
