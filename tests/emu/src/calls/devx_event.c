/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "calls/devx_event.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/queue.h>
#include <infiniband/verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/event_pipe.h"
#include "calls/fd.h"
#include "calls/prm.h"
#include "calls/real.h"
#include "objects/port.h"

#define NO_EVENTFD (-1)
#define ANY (-1)

struct devx_channel {
	struct event_pipe pipe;
	bool omit_data;
};

struct subscription {
	LIST_ENTRY(subscription) link;
	struct devx_channel *channel;
	const struct object *object; /* NULL: the device */
	uint8_t device;
	uint16_t type;
	uint64_t cookie;
	int eventfd; /* of our own, where events go instead of to the channel */
	bool pending; /* without data, one that is not read yet stands for all */
};

static LIST_HEAD(, subscription) subscriptions = LIST_HEAD_INITIALIZER(subscriptions);

/* What the program reads */
struct record {
	uint64_t cookie;
	uint8_t eqe[EQE_SIZE];
};

static const struct {
	int verbs;
	uint8_t sub_type;
} port_changes[] = {
	{ IBV_EVENT_PORT_ERR, PORT_CHANGE_DOWN },   { IBV_EVENT_PORT_ACTIVE, PORT_CHANGE_ACTIVE },
	{ IBV_EVENT_LID_CHANGE, PORT_CHANGE_LID },  { IBV_EVENT_PKEY_CHANGE, PORT_CHANGE_PKEY },
	{ IBV_EVENT_GID_CHANGE, PORT_CHANGE_GUID }, { IBV_EVENT_CLIENT_REREGISTER, PORT_CHANGE_REREGISTER },
};

static const struct {
	int verbs;
	uint8_t type;
} queue_events[] = {
	{ IBV_EVENT_PATH_MIG, EVENT_PATH_MIG },
	{ IBV_EVENT_COMM_EST, EVENT_COMM_EST },
	{ IBV_EVENT_SQ_DRAINED, EVENT_SQ_DRAINED },
	{ IBV_EVENT_QP_FATAL, EVENT_WQ_CATAS_ERROR },
	{ IBV_EVENT_PATH_MIG_ERR, EVENT_PATH_MIG_FAILED },
	{ IBV_EVENT_QP_REQ_ERR, EVENT_WQ_INVAL_REQ_ERROR },
	{ IBV_EVENT_QP_ACCESS_ERR, EVENT_WQ_ACCESS_ERROR },
	{ IBV_EVENT_QP_LAST_WQE_REACHED, EVENT_SRQ_LAST_WQE },
};

static void unsubscribe(struct subscription *s)
{
	LIST_REMOVE(s, link);
	if (s->eventfd != NO_EVENTFD)
		fd_close_own(s->eventfd);
	free(s);
}

void devx_channel_drop(struct devx_channel *ch)
{
	struct subscription *s = LIST_FIRST(&subscriptions), *next;

	for (; s; s = next) {
		next = LIST_NEXT(s, link);
		if (s->channel == ch)
			unsubscribe(s);
	}
	event_pipe_close(&ch->pipe);
	free(ch);
}

void devx_event_release(struct object *o)
{
	struct subscription *s = LIST_FIRST(&subscriptions), *next;

	for (; s; s = next) {
		next = LIST_NEXT(s, link);
		if (s->object == o)
			unsubscribe(s);
	}
}

static void write_cookie(struct subscription *s)
{
	struct subscription *other;

	if (event_pipe_is_read(&s->channel->pipe))
		LIST_FOREACH(other, &subscriptions, link)
		{
			if (other->channel == s->channel)
				other->pending = false;
		}
	if (!s->pending)
		s->pending = event_pipe_write(&s->channel->pipe, &s->cookie, sizeof(s->cookie));
}

static void tell(struct subscription *s, struct record *r)
{
	const uint64_t one = 1;

	r->cookie = s->cookie;
	if (s->eventfd != NO_EVENTFD)
		event_pipe_write(&(struct event_pipe){ .write_fd = s->eventfd }, &one, sizeof(one));
	else if (s->channel->omit_data)
		write_cookie(s);
	else
		event_pipe_write(&s->channel->pipe, r, sizeof(*r));
}

static bool tell_all(int device, const struct object *o, struct record *r)
{
	uint16_t type = prm_get(r->eqe, EQE_TYPE);
	struct subscription *s;
	bool told = false;

	LIST_FOREACH(s, &subscriptions, link)
	{
		if (s->object == o && s->type == type && (device == ANY || s->device == device)) {
			tell(s, r);
			told = true;
		}
	}
	return told;
}

bool devx_event_send(const struct object *o, uint16_t type)
{
	struct record r = { 0 };

	prm_set(r.eqe, EQE_TYPE, type);
	if (o)
		prm_set(r.eqe, type == EVENT_OBJECT_CHANGE ? EQE_OBJ_ID : EQE_NUMBER, o->number);
	return tell_all(ANY, o, &r);
}

void devx_event_object(const struct object *o, uint32_t number, int verbs_type)
{
	struct record r = { 0 };

	prm_set(r.eqe, EQE_NUMBER, number);
	for (size_t i = 0; i < ARRAY_SIZE(queue_events); i++)
		if (queue_events[i].verbs == verbs_type) {
			prm_set(r.eqe, EQE_TYPE, queue_events[i].type);
			tell_all(ANY, o, &r);
		}
}

void devx_event_port(const struct port *p, int verbs_type)
{
	struct record r = { 0 };

	prm_set(r.eqe, EQE_TYPE, EVENT_PORT_CHANGE);
	prm_set(r.eqe, EQE_PORT, p->local);
	for (size_t i = 0; i < ARRAY_SIZE(port_changes); i++)
		if (port_changes[i].verbs == verbs_type) {
			prm_set(r.eqe, EQE_SUB_TYPE, port_changes[i].sub_type);
			tell_all(p->device, NULL, &r);
		}
}

static int alloc_events(struct call *c)
{
	uint32_t flags = call_value(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS);
	struct devx_channel *ch;
	int fd;

	if (flags & ~(uint32_t)MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA)
		return EINVAL;
	ch = calloc(1, sizeof(*ch));
	if (!ch)
		return ENOMEM;
	ch->omit_data = flags & MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA;
	fd = event_pipe_open_messages(&ch->pipe);
	if (fd < 0 || fd_add(fd, FD_EVENTS, ch)) {
		if (fd >= 0) {
			event_pipe_close(&ch->pipe);
			REAL(close)(fd);
		}
		free(ch);
		return EMFILE;
	}
	call_put_handle(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, fd);
	return 0;
}

/* What a call asks for */
struct wish {
	struct devx_channel *channel;
	const struct object *object;
	uint8_t device;
	const uint16_t *types;
	size_t ntypes;
	uint64_t cookie;
	const struct ib_uverbs_attr *eventfd;
};

static int add(const struct wish *w, uint16_t type)
{
	struct subscription *s = calloc(1, sizeof(*s));

	if (!s)
		return ENOMEM;
	s->channel = w->channel;
	s->object = w->object;
	s->device = w->device;
	s->type = type;
	s->cookie = w->cookie;
	s->eventfd = w->eventfd ? dup(w->eventfd->data_s64) : NO_EVENTFD;
	if (w->eventfd && fd_add_own(s->eventfd)) {
		free(s);
		return EBADF;
	}
	LIST_INSERT_HEAD(&subscriptions, s, link);
	return 0;
}

static int add_all(const struct wish *w)
{
	for (size_t i = 0; i < w->ntypes; i++) {
		int rc = add(w, w->types[i]);

		/* The newest are the first of the list */
		while (rc && i--)
			unsubscribe(LIST_FIRST(&subscriptions));
		if (rc)
			return rc;
	}
	return 0;
}

/* Of an object, or of the device; an event that the kernel does not know is refused */
static bool types_ok(const struct wish *w)
{
	for (size_t i = 0; i < w->ntypes; i++)
		if (w->types[i] >= EVENT_TYPES || (w->types[i] == EVENT_PORT_CHANGE && w->object))
			return false;
	return w->ntypes && (!w->eventfd || w->ntypes == 1);
}

static int subscribe(struct call *c)
{
	struct ib_uverbs_attr *fd = call_attr(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE);
	struct ib_uverbs_attr *object = call_attr(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE);
	struct ib_uverbs_attr *types = call_attr(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST);
	struct wish w = {
		.channel = fd ? fd_held(fd->data_s64, FD_EVENTS) : NULL,
		.device = call_device(c),
		.types = attr_data(types),
		.ntypes = types ? types->len / sizeof(uint16_t) : 0,
		.cookie = call_value(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE),
		.eventfd = call_attr(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM),
	};

	if (!w.channel)
		return EBADF;
	if (object) {
		w.object = devx_object(c, object->data);
		if (!w.object)
			return ENOENT;
	}
	return types_ok(&w) ? add_all(&w) : EINVAL;
}

const struct method devx_event_methods[] = {
	METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC, "alloc_events",
	       alloc_events),
	METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, "subscribe", subscribe),
	{ 0 },
};
