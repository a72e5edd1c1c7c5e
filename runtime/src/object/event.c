/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Events: waiting for them, and whom they are about. */

#include <errno.h>
#include <poll.h>
#include <time.h>

#include <verbsx/event.h>

#include "error/fail.h"
#include "make.h"
#include "unacked.h"
#include "traced.h"

#define LONGEST_NAME 128
#define NOTHING (-EAGAIN)
#define BIT(kind) (UINT64_C(1) << (kind))

/* Where events come from, and where one goes. */
struct source {
	void *object;		/* its handle */
	int fd;
	const char *function, *call;	/* our own, and that of rdma-core which reads one */
	int (*take)(struct vx_root *root, const struct source *source, void *event);
};

/* ---- waiting ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int left_ms(int timeout_ms, int64_t start)
{
	int64_t left = timeout_ms - (now_ms() - start);

	if (timeout_ms < 0)
		return -1;
	return left > 0 ? (int)left : 0;
}

/* How many descriptors of one have something to read, or an error to tell. */
static int readable(int fd, int timeout_ms)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return poll(&entry, 1, timeout_ms);
}

static int wait_fail(int code, const struct source *source, int timeout_ms)
{
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), source->object);
	if (code == NOTHING)
		return vx_fail(code, source->call, name, "no event within %d ms", timeout_ms);
	return vx_fail(code, "poll", name, NULL);
}

/*
 * An event that has been read and not been noted would make another thread, which closes the object under the lock, wait
 * for ever. So it is read under the lock as well, where it may turn out that somebody else has.
 */
static int take_if_there(const struct source *source, void *event)
{
	struct vx_root *root = vx_node_root(source->object);
	int rc = NOTHING;

	pthread_mutex_lock(&root->lock);
	if (readable(source->fd, 0) > 0)
		rc = vx_unacked_prepare(root, source->function);
	if (rc == 0)
		rc = source->take(root, source, event);
	pthread_mutex_unlock(&root->lock);
	return rc;
}

/* However often there seems to be something to read, and is not, the time is up some day. */
static int take(const struct source *source, int timeout_ms, void *event)
{
	int64_t start = now_ms();
	int rc, left = timeout_ms;

	do {
		rc = readable(source->fd, left);
		if (rc < 0)
			return wait_fail(-errno, source, timeout_ms);
		rc = rc ? take_if_there(source, event) : NOTHING;
		left = left_ms(timeout_ms, start);
	} while (rc == NOTHING && left);
	return rc == NOTHING ? wait_fail(rc, source, timeout_ms) : rc;
}

static int read_fail(const struct source *source)
{
	return errno == EAGAIN ? NOTHING : vx_method_fail(vx_code_in_errno(), source->call, source->object);
}

/* ---- asynchronous events ---- */

/* The kinds of object that an event may be about; 0: a port or the device. */
static uint64_t kinds_of(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return BIT(VX_OBJECT_CQ);
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return BIT(VX_OBJECT_QP) | BIT(VX_OBJECT_OPENED_QP);
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return BIT(VX_OBJECT_SRQ);
	case IBV_EVENT_WQ_FATAL:
		return BIT(VX_OBJECT_WQ);
	default:
		return 0;
	}
}

static uint8_t port_of(const struct ibv_async_event *raw)
{
	return raw->event_type == IBV_EVENT_DEVICE_FATAL ? 0 : (uint8_t)raw->element.port_num;
}

static int take_async(struct vx_root *root, const struct source *source, void *out)
{
	struct vx_async_event *event = out;
	struct ibv_async_event raw;
	uint64_t kinds;

	errno = 0;
	if (ibv_get_async_event(root->node.object.raw, &raw))
		return read_fail(source);
	*event = (struct vx_async_event){ .type = raw.event_type, .raw = raw, .context = source->object };
	kinds = kinds_of(raw.event_type);
	if (!kinds) {
		event->port = port_of(&raw);
		return 0;
	}
	event->object = vx_node_find(&root->node, raw.element.qp, kinds);
	event->number = vx_unacked_add(root, event->object, &raw);
	return 0;
}

int vx_ctx_get_async_event(struct vx_ctx *ctx, int timeout_ms, struct vx_async_event *event)
{
	struct source source = { ctx, vx_ctx_raw(ctx)->async_fd, "vx_ctx_get_async_event", "ibv_get_async_event",
				 take_async };

	return take(&source, timeout_ms, event);
}

void vx_async_event_ack(const struct vx_async_event *event)
{
	struct vx_root *root = (struct vx_root *)event->context;

	if (!event->number)
		return;
	pthread_mutex_lock(&root->lock);
	vx_unacked_ack(root, event->number);
	pthread_mutex_unlock(&root->lock);
}

/* ---- completion events ---- */

/* Among those of the channel, which are few, before all objects: an adopted CQ does not know its channel. */
static struct vx_node *cq_of(struct vx_root *root, struct vx_node *channel, const struct ibv_cq *raw)
{
	struct vx_edge *edge;

	for (edge = channel->users; edge; edge = edge->older)
		if (edge->user->object.raw == raw)
			return edge->user;
	return vx_node_find(&root->node, raw, BIT(VX_OBJECT_CQ));
}

static int unknown_cq(struct ibv_cq *raw, const struct source *source)
{
	char name[LONGEST_NAME];

	ibv_ack_cq_events(raw, 1);
	vx_object_name(name, sizeof(name), source->object);
	return vx_fail(-ENOENT, source->call, name, "the event is of CQ %u, which libverbsx neither made nor adopted",
		       raw->handle);
}

static int take_completion(struct vx_root *root, const struct source *source, void *out)
{
	struct vx_node *channel = source->object, *cq;
	struct ibv_cq *raw;
	void *context;

	errno = 0;
	if (ibv_get_cq_event(channel->object.raw, &raw, &context))
		return read_fail(source);
	cq = cq_of(root, channel, raw);
	if (!cq)
		return unknown_cq(raw, source);
	vx_unacked_add_completion(root, cq);
	*(struct vx_cq **)out = (struct vx_cq *)cq;
	return 0;
}

int vx_comp_channel_get_event(struct vx_comp_channel *channel, int timeout_ms, struct vx_cq **cq)
{
	struct source source = { channel, vx_comp_channel_raw(channel)->fd, "vx_comp_channel_get_event", "ibv_get_cq_event",
				 take_completion };

	return take(&source, timeout_ms, cq);
}
