/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Events: waiting for them, whom they are about, and which are still to be acknowledged. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include <rdma/rdma_cma.h>

#include <verbsx/event.h>

#include "error/fail.h"
#include "event.h"
#include "make.h"
#include "traced.h"

/* ---- waiting ---- */

static int64_t in_ms(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000 + time->tv_nsec / 1000000;
}

VX_HOT int64_t vx_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return in_ms(&now);
}

VX_HOT int vx_left_ms(int timeout_ms, int64_t start)
{
	int64_t left = timeout_ms - (vx_now_ms() - start);

	return timeout_ms < 0 ? -1 : left > 0 ? (int)left : 0;
}

/*
 * What seems to be there may be gone when it is read: another thread has taken it, or the kernel has taken it back with its
 * object. So reading must not wait, and from the first time on a descriptor does not.
 */
static VX_SELDOM_CALLED int unblock_now(struct vx_node *node, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return vx_fail(-errno, "fcntl", VX_NAME(node), NULL);
	__atomic_store_n(&node->unblocked, true, __ATOMIC_RELAXED);
	return 0;
}

static int unblock(struct vx_node *node, int fd)
{
	return __atomic_load_n(&node->unblocked, __ATOMIC_RELAXED) ? 0 : unblock_now(node, fd);
}

/* A thread that is cancelled here would take an event along that nobody knows of. */
static VX_HOT int take_if_there(struct vx_node *node, vx_take_function take_one, void *event)
{
	int rc;

	VX_NOT_CANCELLED(rc = take_one(node, event));
	return rc;
}

static VX_COLD int wait_fail(const struct vx_node *node)
{
	return vx_fail(-errno, "poll", VX_NAME(node), NULL);
}

/* However often there seems to be something to read, and is not, the time is up some day. */
VX_HOT int vx_event_wait(struct vx_node *node, int fd, vx_take_function take_one, int timeout_ms, void *event)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };
	struct timespec start = { 0, 0 };
	int rc, left = timeout_ms;

	if (unblock(node, fd) < 0)
		return vx_error()->code;
	if (!timeout_ms) { /* what is there is read at once: to ask first whether it is would be a system call more */
		pthread_testcancel();
		return take_if_there(node, take_one, event);
	}
	if (timeout_ms > 0)
		clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		rc = poll(&entry, 1, left);
		if (rc < 0)
			return wait_fail(node);
		rc = rc ? take_if_there(node, take_one, event) : VX_NOTHING;
	} while (rc == VX_NOTHING && (left = vx_left_ms(timeout_ms, in_ms(&start))));
	return rc;
}

/* There is nothing to read from, or no place for what is read. */
static VX_COLD int refuse_event(const void *of, uint32_t kind, const char *call, const char *what, const void *event, size_t size)
{
	if (!vx_wrong(of, kind, call, what))
		vx_no_place(event, size, call, "event");
	return -EINVAL;
}

VX_COLD int vx_event_read_fail(const char *call, const struct vx_node *node)
{
	int code = vx_code_in_errno();
	bool lost = code == -EIO || code == -ENODEV;

	return code == VX_NOTHING ? VX_NOTHING : vx_call_fail(code, call, VX_NAME(node), lost ? "%s" : NULL, VX_DEVICE_LOST);
}

/* ---- asynchronous events ---- */

static uint8_t about_of(const struct ibv_async_event *raw)
{
	unsigned int type = (unsigned int)raw->event_type;

	return type < vx_event_about_count ? vx_event_abouts[type] : VX_ABOUT_UNKNOWN;
}

static bool is_about_object(uint8_t about)
{
	return about != VX_ABOUT_UNKNOWN && about < VX_ABOUT_PORT;
}

/* All that are to be acknowledged, by their numbers: who does that may have closed what they are about. */
static struct vx_event *unanswered[256];

static struct vx_event **first_of(uint64_t number)
{
	return &unanswered[number % (sizeof(unanswered) / sizeof(unanswered[0]))];
}

static struct vx_event **link_of(uint64_t number)
{
	struct vx_event **link = first_of(number);

	while (*link && (*link)->number != number)
		link = &(*link)->beside;
	return link;
}

/* One whose event was acknowledged, for the next: most often they come one by one. */
static struct vx_event *spare_event;

VX_HOT struct vx_event *vx_event_new(const char *call)
{
	struct vx_event *taken = __atomic_exchange_n(&spare_event, NULL, __ATOMIC_ACQ_REL);

	if (!taken)
		taken = malloc(sizeof(*taken));
	if (taken)
		taken->cm = NULL;
	else
		vx_fail(-ENOMEM, call, NULL, NULL);
	return taken;
}

VX_HOT void vx_event_free(struct vx_event *entry)
{
	if (entry)
		free(__atomic_exchange_n(&spare_event, entry, __ATOMIC_ACQ_REL));
}

__attribute__((destructor)) static void free_spare_event(void)
{
	free(__atomic_exchange_n(&spare_event, NULL, __ATOMIC_ACQ_REL));
}

/* One that is just being made may have its first event before its maker goes on. */
VX_HOT uint64_t vx_event_keep(struct vx_node *keeper, struct vx_event *taken)
{
	static uint64_t number;

	if (keeper->state != VX_NODE_LIVE && keeper->state != VX_NODE_MAKING)
		return 0;
	taken->number = ++number;
	taken->keeper = keeper;
	taken->next = keeper->events;
	keeper->events = taken;
	taken->beside = *first_of(number);
	*first_of(number) = taken;
	return number;
}

/* Keep an event with what it is about; false: that is just being closed, and waits for the acknowledgement. */
static bool keep(struct vx_event *taken, struct vx_node *ctx, struct vx_async_event *event)
{
	struct vx_node *object;

	vx_graph_lock();
	object = vx_node_of(taken->raw.element.qp, about_of(&taken->raw)); /* of all objects, the union has a pointer */
	event->number = vx_event_keep(object ? object : ctx, taken);
	if (event->number) {
		vx_graph.strangers_came |= !object;
		event->object = object;
	}
	vx_graph_unlock();
	return event->number;
}

static unsigned int port_events;

unsigned int vx_port_event_count(void)
{
	return __atomic_load_n(&port_events, __ATOMIC_ACQUIRE);
}

static int give(struct vx_event *taken, struct vx_node *ctx, struct vx_async_event *event)
{
	uint8_t about = about_of(&taken->raw);

	*event = (struct vx_async_event){ .type = taken->raw.event_type, .raw = taken->raw, .ctx = (struct vx_ctx *)ctx };
	if (about == VX_ABOUT_PORT)
		event->port_num = (uint32_t)taken->raw.element.port_num;
	if (!is_about_object(about))
		__atomic_fetch_add(&port_events, 1, __ATOMIC_RELEASE);
	if (is_about_object(about) && keep(taken, ctx, event))
		return 0;
	ibv_ack_async_event(&taken->raw);
	vx_event_free(taken);
	return is_about_object(about) ? VX_NOTHING : 0;
}

static int take_async(struct vx_node *ctx, void *event)
{
	struct vx_event *taken = vx_event_new("vx_ctx_get_async_event");
	int rc;

	if (!taken)
		return -ENOMEM;
	errno = 0;
	if (!ibv_get_async_event(ctx->object.raw, &taken->raw))
		return give(taken, ctx, event);
	rc = vx_event_read_fail("ibv_get_async_event", ctx);
	vx_event_free(taken);
	return rc;
}

int vx_ctx_get_async_event_sized(struct vx_ctx *ctx, int timeout_ms, struct vx_async_event *event, size_t size)
{
	struct vx_async_event own;
	int rc;

	if (VX_SELDOM(!vx_is_handle(ctx, VX_OBJECT_CTX) || !event || !size))
		return refuse_event(ctx, VX_OBJECT_CTX, "vx_ctx_get_async_event", "ctx", event, size);
	rc = vx_event_wait((struct vx_node *)ctx, vx_ctx_raw(ctx)->async_fd, take_async, timeout_ms, &own);
	if (rc == 0)
		VX_GIVE_OFTEN(event, size, own);
	return rc;
}

static void take_from_keeper(const struct vx_event *entry)
{
	struct vx_event **link = &entry->keeper->events;

	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
}

VX_HOT struct vx_event *vx_event_take_out(uint64_t number)
{
	struct vx_event **link, *entry;

	vx_graph_lock();
	link = link_of(number);
	entry = *link;
	if (entry) {
		*link = entry->beside;
		take_from_keeper(entry);
	}
	vx_graph_unlock();
	return entry;
}

void vx_async_event_ack(const struct vx_async_event *event)
{
	struct vx_event *entry;

	if (!event || !event->number || vx_wrong(event->ctx, VX_OBJECT_CTX, "vx_async_event_ack", "ctx"))
		return;
	entry = vx_event_take_out(event->number);
	if (entry)
		ibv_ack_async_event(&entry->raw);
	vx_event_free(entry);
}

/* ---- completion events ---- */

/* That of a CQ that is being closed, which waits for the acknowledgement, is nobody's; a stranger's is given without a handle. */
static int take_completion(struct vx_node *channel, void *out)
{
	struct vx_comp_event *event = out;
	struct vx_node *cq;
	bool is_kept;

	errno = 0;
	if (ibv_get_cq_event(channel->object.raw, &event->raw, &event->cq_context))
		return vx_event_read_fail("ibv_get_cq_event", channel);
	vx_graph_lock();
	cq = vx_node_of(event->raw, VX_OBJECT_CQ);
	is_kept = cq && cq->state == VX_NODE_LIVE;
	if (is_kept)
		cq->completions++;
	vx_graph_unlock();
	event->cq = (struct vx_cq *)cq;
	if (!is_kept)
		ibv_ack_cq_events(event->raw, 1);
	return cq && !is_kept ? VX_NOTHING : 0;
}

int vx_comp_event_take(struct vx_comp_channel *channel, struct vx_comp_event *event)
{
	struct vx_node *node = (struct vx_node *)channel;
	int rc = unblock(node, vx_comp_channel_raw(channel)->fd);

	return rc < 0 ? rc : take_if_there(node, take_completion, event);
}

int vx_comp_channel_get_event_sized(struct vx_comp_channel *channel, int timeout_ms, struct vx_comp_event *event, size_t size)
{
	struct vx_comp_event own;
	int rc;

	if (VX_SELDOM(!vx_is_handle(channel, VX_OBJECT_COMP_CHANNEL) || !event || !size))
		return refuse_event(channel, VX_OBJECT_COMP_CHANNEL, "vx_comp_channel_get_event", "channel", event, size);
	rc = vx_event_wait((struct vx_node *)channel, vx_comp_channel_raw(channel)->fd, take_completion, timeout_ms, &own);
	if (rc == 0)
		VX_GIVE_OFTEN(event, size, own);
	return rc;
}

/* ---- what is left ---- */

/* Those that were taken while the node was a stranger. */
static VX_SELDOM_CALLED struct vx_event *take_strangers(struct vx_node *ctx, const struct vx_node *node, struct vx_event *taken)
{
	struct vx_event **link = &ctx->events, *entry;

	while ((entry = *link)) {
		if (entry->raw.element.qp != node->object.raw || about_of(&entry->raw) != node->type) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		entry->next = taken;
		taken = entry;
	}
	return taken;
}

/* Of a context that goes, the raw objects of strangers may be gone. */
VX_SELDOM_CALLED void vx_events_settle(struct vx_node *node)
{
	struct vx_node *ctx = vx_node_ctx(node);
	bool forget = node == ctx && node->owners;
	struct vx_event *entry, *next = node->events;
	unsigned int completions = node->completions;

	node->events = NULL;
	node->completions = 0;
	if (ctx && ctx->events)
		next = take_strangers(ctx, node, next);
	for (entry = next; entry; entry = entry->next)
		*link_of(entry->number) = entry->beside;
	vx_graph_unlock();
	while ((entry = next)) {
		next = entry->next;
		if (entry->cm)
			rdma_ack_cm_event(entry->cm);
		else if (!forget)
			ibv_ack_async_event(&entry->raw);
		vx_event_free(entry);
	}
	if (completions)
		ibv_ack_cq_events(node->object.raw, completions);
	vx_graph_lock();
}
