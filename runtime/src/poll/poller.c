/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pollers: taking completions, and sleeping until there are some. Each is one thread's at a time, but for wake and woken. */

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <verbsx/describe.h>
#include <verbsx/enums.h>
#include <verbsx/poll.h>
#include <verbsx/poller.h>

#include "error/fail.h"
#include "kinds.h"
#include "object/event.h"
#include "object/make.h"
#include "object/wake.h"

#define NS 1000000000
#define NS_PER_MS 1000000
#define FOR_EVER INT64_MAX
#define SPIN_US 20
#define LOOKS 8	/* before the time is asked for once more */

/* What may end a sleep: the channel, who wakes it, and an asynchronous event. */
enum { CHANNEL, WAKE, ASYNC, WATCHED };

struct vx_poller_state {
	struct vx_kept_poller kept;
	struct vx_node *node;
	struct vx_cq *cq;
	struct vx_comp_channel *channel;	/* NULL: there is none */
	void (*async)(const struct vx_async_event *event, void *data);
	void *data;
	struct pollfd watched[WATCHED];		/* .fd is -1 of what is not; WAKE is an eventfd(2), written for what follows */
	int all;				/* epoll(7) of these, once the program has asked for it; -1: it has not */
	bool woken;				/* by the program */
	bool has_event;				/* in the channel, by which it was woken */
	bool has_one;				/* taken by vx_poller_arm(), to be given first */
	bool has_failed;			/* by an event, after which no completion will come */
	enum ibv_event_type fatal;		/* that one */
	struct ibv_wc one;
};

/* ---- time ---- */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

/* ---- the CQ ---- */

static int take_all(struct vx_poller_state *p, int num_entries, struct ibv_wc *wc)
{
	const int first = p->has_one;
	int rc;

	if (first) {
		*wc = p->one;
		p->has_one = false;
	}
	rc = first == num_entries ? 0 : vx_cq_poll(p->cq, num_entries - first, wc + first);
	return rc >= 0 ? first + rc : first ? first : rc;
}

static VX_COLD int fatal_fail(const struct vx_poller_state *p)
{
	const char *name = vx_ibv_event_type_name(p->fatal);
	struct vx_meaning meaning = { 0 };

	vx_meaning_of(name, &meaning);
	return vx_fail(-EIO, "vx_poller_poll", VX_NAME(p->cq), "%s: %s", name, meaning.says ? meaning.says : "");
}

/* Completions, or why none will come; 0: neither. */
static int look(struct vx_poller_state *p, int num_entries, struct ibv_wc *wc)
{
	int rc = take_all(p, num_entries, wc);

	if (rc)
		return rc;
	if (__atomic_load_n(&p->woken, __ATOMIC_RELAXED) && __atomic_exchange_n(&p->woken, false, __ATOMIC_ACQUIRE))
		return -ECANCELED;
	return p->has_failed ? fatal_fail(p) : 0;
}

/* ---- sleeping ---- */

/* One who took an event tells all others that wait for that CQ. */
static void tell_others(const struct vx_poller_state *self, const struct vx_cq *cq)
{
	const struct vx_edge *edge;

	vx_graph_lock();
	for (edge = ((const struct vx_node *)cq)->users; edge; edge = edge->older)
		if (edge->user->kind == VX_OBJECT_POLLER && edge->user->state == VX_NODE_LIVE && vx_node_extra(edge->user) != self)
			vx_ring(((const struct vx_poller_state *)vx_node_extra(edge->user))->watched[WAKE].fd);
	vx_graph_unlock();
}

/* One of them is enough to look at the CQ; before a sleep on the descriptor all go. */
static int take_events(struct vx_poller_state *p, bool all)
{
	struct vx_comp_event event;
	int rc;

	p->has_event = false;
	do {
		rc = vx_comp_event_take(p->channel, &event);
		if (rc == 0 && event.cq)
			tell_others(p, event.cq);
	} while (rc == 0 && all);
	return rc == -EAGAIN ? 0 : rc;
}

static int take_async_events(struct vx_poller_state *p)
{
	struct vx_async_event event;
	int rc;

	while ((rc = vx_ctx_get_async_event((struct vx_ctx *)vx_node_ctx((struct vx_node *)p->cq), 0, &event)) == 0) {
		if (event.type == IBV_EVENT_DEVICE_FATAL || (event.type == IBV_EVENT_CQ_ERR && event.object == p->cq))
			p->has_failed = true, p->fatal = event.type;
		VX_CALLING(p->node, p->async(&event, p->data));
		vx_async_event_ack(&event);
	}
	return rc == -EAGAIN ? 0 : rc;
}

static VX_COLD int interrupted(const struct vx_poller_state *p)
{
	return errno == EINTR && __atomic_load_n(&p->woken, __ATOMIC_RELAXED) ? 0 : vx_fail(-errno, "poll", VX_NAME(p->cq), NULL);
}

static VX_COLD int hung_up(const struct vx_poller_state *p, const char *what)
{
	return vx_fail(-EIO, "vx_poller_poll", VX_NAME(p->cq), "the %s has hung up: %s", what, VX_DEVICE_LOST);
}

static int take_from(struct vx_poller_state *p, int which)
{
	const short found = p->watched[which].revents;
	int rc = 0;

	if (which == CHANNEL)
		p->has_event = found & POLLIN;
	else if (which == WAKE && found)
		vx_unring(p->watched[WAKE].fd);
	else if (found & POLLIN)
		rc = take_async_events(p);
	return rc == 0 && found & ~POLLIN ? hung_up(p, which == CHANNEL ? "channel" : "context") : rc;
}

/*
 * Wait until there may be something to do, and take the events that say so. That of a completion is taken before the next sleep, as who waits
 * for the completion need not wait for it: the others whom it may be for see that it is there as well. poll(2) of so few wakes sooner than
 * epoll_wait(2), and sooner where no epoll(7) watches them as well.
 */
static int wait_on_all(struct vx_poller_state *p, int timeout_ms)
{
	int which, rc = 0;

	if (poll(p->watched, WATCHED, timeout_ms) < 0)
		return interrupted(p);
	for (which = 0; which < WATCHED; which++)
		if (rc == 0)
			rc = take_from(p, which);
		else /* what the others have is taken all the same; what has failed first is told */
			VX_QUIETLY(take_from(p, which));
	return rc == 0 && p->has_event && !timeout_ms ? take_events(p, true) : rc;
}

/* What comes between polling and arming raises no event, so it is polled again. The time is not over before its end: it begins with the next ms. */
static int sleep_for_one(struct vx_poller_state *p, int num_entries, struct ibv_wc *wc, int timeout_ms, int64_t start)
{
	int rc, left;

	do {
		rc = p->has_event ? take_events(p, false) : 0;
		if (rc == 0)
			rc = vx_cq_req_notify(p->cq, p->kept.solicited_only);
		if (rc == 0)
			rc = look(p, num_entries, wc);
		if (rc)
			return rc;
		left = vx_left_ms(timeout_ms, (start + NS_PER_MS - 1) / NS_PER_MS);
		if (!left)
			return -EAGAIN;
		rc = wait_on_all(p, left);
		if (rc == 0)
			rc = look(p, num_entries, wc);
	} while (rc == 0);
	return rc;
}

/* Asking for the time takes as long as looking at an empty CQ. */
static int look_often(struct vx_poller_state *p, int num_entries, struct ibv_wc *wc)
{
	int i, rc = 0;

	for (i = 0; i < LOOKS && rc == 0; i++)
		rc = look(p, num_entries, wc);
	return rc;
}

/* In ns. */
static int64_t spin_for(const struct vx_poller_state *p, int timeout_ms)
{
	const int64_t spins = p->kept.mode == VX_POLLER_SPIN ? FOR_EVER : (int64_t)p->kept.spin_us * 1000;
	const int64_t most = timeout_ms < 0 ? FOR_EVER : (int64_t)timeout_ms * NS_PER_MS;

	return spins < most ? spins : most;
}

static int spin(struct vx_poller_state *p, int num_entries, struct ibv_wc *wc, int64_t ns, int64_t start)
{
	int rc;

	do
		rc = look_often(p, num_entries, wc);
	while (rc == 0 && now_ns() - start < ns);
	return rc;
}

/* What comes at once does not wait until the time was asked for. */
static int wait_for_one(struct vx_poller_state *p, int num_entries, struct ibv_wc *wc, int timeout_ms)
{
	const bool spins = p->kept.mode != VX_POLLER_SLEEP;
	int rc = spins ? look_often(p, num_entries, wc) : 0;
	int64_t start;

	if (rc)
		return rc;
	start = now_ns();
	if (spins)
		rc = spin(p, num_entries, wc, spin_for(p, timeout_ms), start);
	if (rc == 0 && p->kept.mode != VX_POLLER_SPIN) /* whoever closes the CQ meanwhile is told that it is in use */
		VX_CALLING(p->node, rc = sleep_for_one(p, num_entries, wc, timeout_ms, start));
	return rc ? rc : -EAGAIN;
}

int vx_poller_poll(struct vx_poller *poller, int num_entries, struct ibv_wc *wc, int timeout_ms)
{
	struct vx_poller_state *p;
	int rc;

	if (vx_is_no_poller(poller, "vx_poller_poll"))
		return -EINVAL;
	if (num_entries < 1 || !wc)
		return wc ? vx_fail(-EINVAL, "vx_poller_poll", NULL, "num_entries = %d, and must be 1 at least", num_entries) :
			    vx_null_fail("vx_poller_poll", "wc");
	p = vx_poller_state_of(poller);
	rc = look(p, num_entries, wc);
	if (rc)
		return rc;
	return timeout_ms ? wait_for_one(p, num_entries, wc, timeout_ms) : -EAGAIN;
}

void vx_poller_wake(struct vx_poller *poller)
{
	struct vx_poller_state *p;

	if (vx_is_no_poller(poller, "vx_poller_wake"))
		return;
	p = vx_poller_state_of(poller);
	__atomic_store_n(&p->woken, true, __ATOMIC_RELEASE);
	vx_ring(p->watched[WAKE].fd);
}

/* ---- event loops ---- */

static int check_sleeps(const struct vx_poller *poller, const char *call)
{
	if (vx_is_no_poller(poller, call))
		return -EINVAL;
	return vx_poller_state_of(poller)->channel ? 0 : vx_fail(-EINVAL, call, VX_NAME(poller), "its CQ has no channel");
}

static VX_COLD int no_descriptor(const struct vx_poller_state *p, const char *call)
{
	return vx_fail(-errno, call, VX_NAME(p->cq), "no descriptor to sleep on");
}

/* One that is not asked for would make each event take longer. */
static int watch_all(struct vx_poller_state *p)
{
	int which, rc;

	rc = p->all = epoll_create1(EPOLL_CLOEXEC);
	for (which = 0; which < WATCHED && rc >= 0; which++)
		rc = p->watched[which].fd < 0 ? 0 : vx_watch(p->all, p->watched[which].fd);
	if (rc >= 0)
		return p->all;
	rc = no_descriptor(p, "vx_poller_fd");
	close(p->all);
	p->all = -1;
	return rc;
}

int vx_poller_fd(const struct vx_poller *poller)
{
	struct vx_poller_state *p;

	if (check_sleeps(poller, "vx_poller_fd") < 0)
		return -EINVAL;
	p = vx_poller_state_of(poller);
	return p->all >= 0 ? p->all : watch_all(p);
}

int vx_poller_arm(struct vx_poller *poller)
{
	struct vx_poller_state *p;
	int rc;

	if (check_sleeps(poller, "vx_poller_arm") < 0)
		return -EINVAL;
	p = vx_poller_state_of(poller);
	rc = wait_on_all(p, 0);
	if (rc == 0)
		rc = vx_cq_req_notify(p->cq, p->kept.solicited_only);
	if (rc == 0 && !p->has_one) {
		rc = take_all(p, 1, &p->one);
		p->has_one = rc > 0;
	}
	if (rc < 0)
		return rc;
	if (p->has_one || __atomic_load_n(&p->woken, __ATOMIC_RELAXED))
		return -EBUSY;
	return p->has_failed ? fatal_fail(p) : 0;
}

/* ---- making and ending ---- */

static int end_poller(struct vx_node *node)
{
	const struct vx_poller_state *p = vx_node_extra(node);

	if (p->watched[WAKE].fd >= 0)
		close(p->watched[WAKE].fd);
	if (p->all >= 0)
		close(p->all);
	return 0;
}

/* The one of the context that has async, but for this one. Under the lock. */
static const struct vx_node *listener(const struct vx_poller_state *self)
{
	const struct vx_edge *cq, *edge;

	for (cq = vx_node_ctx((struct vx_node *)self->cq)->users; cq; cq = cq->older)
		for (edge = cq->user->type == VX_OBJECT_CQ ? cq->user->users : NULL; edge; edge = edge->older)
			if (edge->user->kind == VX_OBJECT_POLLER && vx_node_extra(edge->user) != self &&
			    ((const struct vx_poller_state *)vx_node_extra(edge->user))->async)
				return edge->user;
	return NULL;
}

static int listen_alone(struct vx_poller_state *p, const struct vx_poller_init *init)
{
	const struct vx_node *other = NULL;
	char name[VX_LONGEST_NAME] = "";

	if (!init->async)
		return 0;
	if (p->kept.mode == VX_POLLER_SPIN)
		return vx_fail(-EINVAL, "vx_poller_create", VX_NAME(p->cq), "async is told of events while the poller sleeps, and %s", p->channel ?
			       "mode is VX_POLLER_SPIN" : "without a channel of its CQ it never does");
	vx_graph_lock();
	other = listener(p);
	if (other)
		vx_name_in(name, other);
	else
		p->async = init->async;
	vx_graph_unlock();
	p->data = init->data;
	return other ? vx_fail(-EBUSY, "vx_poller_create", VX_NAME(p->cq), "%s has async, and takes the events of the context", name) : 0;
}

static int open_watched(struct vx_poller_state *p)
{
	const int async = p->async ? vx_cq_raw(p->cq)->context->async_fd : -1;
	const int fd[WATCHED] = { vx_comp_channel_raw(p->channel)->fd, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), async };
	int which;

	for (which = 0; which < WATCHED; which++)
		p->watched[which] = (struct pollfd){ fd[which], POLLIN, 0 };
	return p->watched[WAKE].fd < 0 ? no_descriptor(p, "vx_poller_create") : 0;
}

static int find_channel(struct vx_poller_state *p)
{
	const struct ibv_comp_channel *raw = vx_cq_raw(p->cq)->channel;

	if (!raw)
		return 0;
	vx_graph_lock();
	p->channel = (struct vx_comp_channel *)vx_node_of(raw, VX_OBJECT_COMP_CHANNEL);
	vx_graph_unlock();
	return p->channel ? 0 : vx_fail(-EINVAL, "vx_poller_create", VX_NAME(p->cq),
					"its channel has no handle: vx_comp_channel_adopt() or vx_comp_channel_borrow() gives one");
}

static int begin_poller(struct vx_node *node, void *cq, const void *of)
{
	struct vx_poller_state *p = vx_node_extra(node);
	const struct vx_poller_init *init = of;
	int rc;

	if ((unsigned int)init->mode > VX_POLLER_SLEEP)
		return vx_fail(-EINVAL, "vx_poller_create", NULL, "mode is %d, which is none of enum vx_poller_mode", (int)init->mode);
	*p = (struct vx_poller_state){ .node = node, .cq = cq, .all = -1, .watched[WAKE].fd = -1 };
	rc = find_channel(p);
	if (rc == 0 && !p->channel && init->mode == VX_POLLER_SLEEP)
		rc = vx_fail(-EINVAL, "vx_poller_create", VX_NAME(cq), "mode is VX_POLLER_SLEEP, and the CQ was made without .channel, so nothing would wake it");
	p->kept = (struct vx_kept_poller){ .known = true, .mode = p->channel ? init->mode : VX_POLLER_SPIN,
					   .spin_us = init->spin_us ? init->spin_us : SPIN_US, .solicited_only = init->solicited_only };
	if (rc == 0)
		rc = listen_alone(p, init);
	if (rc == 0 && p->channel)
		rc = open_watched(p);
	if (rc < 0)
		end_poller(node);
	return rc;
}

int vx_poller_create_sized(struct vx_cq *parent, const struct vx_poller_init *init, size_t size, struct vx_poller **out)
{
	struct vx_poller_init own;

	return vx_make_own(&(struct vx_own_making){ "vx_poller_create", "data", &own, sizeof(own), VX_OBJECT_CQ, VX_OBJECT_POLLER,
						    sizeof(struct vx_poller_state), begin_poller, end_poller }, parent, init, size, out);
}
