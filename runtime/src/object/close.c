/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Closing in turn, and giving back. */

#include <errno.h>

#include <verbsx/config.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "make.h"

static int close_node(struct vx_node *node, const struct vx_node *top) VX_HOT;

/* What another thread makes or closes is looked at again when it has done so: it may have gone, or live. 1: it was waited for. */
static int close_next(struct vx_walk *walk, const struct vx_node *top)
{
	struct vx_node *user = walk->next->user;
	const bool is_busy = vx_node_is_busy_elsewhere(user);

	if (is_busy && !vx_node_waits_for_this(user) && vx_graph_wait_for(user->busy))
		return 1;
	walk->next = walk->next->older;
	if (is_busy)
		return vx_node_waits_fail(user, "vx_close");
	return user->state == VX_NODE_LIVE ? close_node(user, top) : vx_node_busy_fail(user, "vx_close");
}

/* One pass over what depends on a node, newest first. Closing one may take others along, of which the walk is told. */
static int close_pass(struct vx_node *node, const struct vx_node *top, bool *progress)
{
	struct vx_walk walk;
	int rc, last = 0;

	*progress = false;
	vx_walk_begin(&walk, node);
	while (walk.next) {
		rc = close_next(&walk, top);
		if (rc < 0)
			last = rc;
		else if (rc == 0)
			*progress = true;
	}
	vx_walk_end(&walk);
	return last;
}

static VX_COLD int is_calling(const struct vx_node *node, const char *call)
{
	return vx_fail(-EBUSY, call, VX_NAME(node), "%s%s", vx_kind_of(node->kind)->ours ?
		       "it calls functions of the program, and one of them has not returned yet, or another thread runs it" :
		       "a function of the program was called to use it, and has not returned yet",
		       node->kind == VX_OBJECT_CM_SERVER ? ", which vx_cm_server_wake() ends" :
		       node->kind == VX_OBJECT_POLLER ? ", which vx_poller_wake() ends" : "");
}

/* Its builders would be called with what is gone. Where it goes with something else the list is ended before, and nothing of it is posted. */
static VX_COLD int is_in_list(const struct vx_node *node, const char *call)
{
	return vx_fail(-EINVAL, call, VX_NAME(node), "this thread is between vx_wr_start() and vx_wr_complete() of it");
}

/* Between vx_cq_start_poll() and vx_wc_end() providers hold a lock of the CQ, which ending a QP of it takes. */
const struct vx_node *vx_node_used_inside(const struct vx_node *node)
{
	const struct vx_node *used;
	uint32_t i;

	for (i = 0; i < node->uses; i++) {
		used = vx_node_used(node, i);
		if (used->type == VX_OBJECT_CQ && vx_fronts_inside(used, false))
			return used;
	}
	return NULL;
}

static VX_COLD int would_wait(const struct vx_node *node, const struct vx_node *used)
{
	char name[VX_LONGEST_NAME];

	vx_name_in(name, used);
	return vx_fail(-EDEADLK, "vx_close", VX_NAME(node), "this thread is between vx_cq_start_poll() and vx_wc_end() of %s, whose lock this waits for", name);
}

/* Whether it goes when the other does. */
static VX_SELDOM_CALLED bool is_below(const struct vx_node *node, const struct vx_node *top)
{
	bool is = node == top;
	uint32_t i;

	for (i = 0; i < node->uses && !is; i++)
		is = is_below(vx_node_used(node, i), top);
	return is;
}

static VX_HOT int look_at(const struct vx_node *node, const struct vx_node *top)
{
	const struct vx_node *used;

	if (VX_SELDOM(node->calling))
		return is_calling(node, "vx_close");
	used = VX_SELDOM(__atomic_load_n(&vx_graph.fronts_came, __ATOMIC_RELAXED)) ? vx_node_used_inside(node) : NULL;
	if (VX_SELDOM(used && !vx_kind_of(node->kind)->ours && !is_below(used, top)))
		return would_wait(node, used);
	if (VX_SELDOM(node == top && node->type == VX_OBJECT_QP && vx_fronts_inside(node, false)))
		return is_in_list(node, "vx_close");
	return node->kind == VX_OBJECT_ROUTE ? vx_route_check(node) : 0;
}

/* A look at all that is below a node, which finds what stands in the way before anything is closed. */
struct look {
	const struct vx_node *top;
	bool early;		/* something is to be ended before all else */
	bool goes_along;	/* with what this thread is just ending, which is not in the way of it */
	size_t marked;		/* nodes that have users, each of which is looked at once though it be below several */
};

static VX_HOT int look_below(struct vx_node *node, struct look *look)
{
	const struct vx_edge *edge;
	int rc = look_at(node, look->top);

	node->looked = node->users && node != look->top; /* that is below nothing */
	look->marked += node->looked;
	for (edge = node->users; edge && rc == 0; edge = edge->older) {
		look->early |= vx_kind_of(edge->user->kind)->early || vx_fronts_inside(edge->user, false);
		if (look->goes_along && edge->user->state == VX_NODE_ENDING && !vx_node_is_busy_elsewhere(edge->user))
			continue;
		if (edge->user->state != VX_NODE_LIVE && !vx_node_is_busy_elsewhere(edge->user))
			rc = vx_node_busy_fail(edge->user, "vx_close");
		else if (edge->user->state != VX_NODE_LIVE && vx_node_waits_for_this(edge->user))
			rc = vx_node_waits_fail(edge->user, "vx_close");
		else if (!edge->user->looked)
			rc = look_below(edge->user, look);
	}
	return rc;
}

static VX_SELDOM_CALLED void forget_look(struct vx_node *node, struct look *look)
{
	const struct vx_edge *edge;

	look->marked -= node->looked;
	node->looked = false;
	for (edge = node->users; edge && look->marked; edge = edge->older)
		if (edge->user->looked)
			forget_look(edge->user, look);
}

static VX_SELDOM_CALLED void close_early(struct vx_node *node, const struct vx_node *top);

/* What fails is tried again in its turn, and tells of it then. */
static VX_SELDOM_CALLED void close_next_early(struct vx_walk *walk, const struct vx_node *top)
{
	struct vx_node *user = walk->next->user;
	bool early = vx_kind_of(user->kind)->early;

	if (user->state == VX_NODE_LIVE)
		vx_fronts_inside(user, true);
	if (early && vx_node_is_busy_elsewhere(user) && vx_graph_wait_for(user->busy))
		return;
	walk->next = walk->next->older;
	if (early && user->state == VX_NODE_LIVE)
		close_node(user, top);
	else if (user->users)
		close_early(user, top);
}

/* Windows, wherever they are below a node: what they are bound to is not known here. Polling that was left there is ended. */
static VX_SELDOM_CALLED void close_early(struct vx_node *node, const struct vx_node *top)
{
	struct vx_walk walk;

	vx_walk_begin(&walk, node);
	while (walk.next)
		close_next_early(&walk, top);
	vx_walk_end(&walk);
}

/* What the kernel refuses at first may go once something else has gone that we do not know to stand in its way. */
static VX_HOT int close_users(struct vx_node *node, const struct vx_node *top)
{
	bool progress;
	int rc;

	if (VX_USUALLY(!node->users->older)) /* nothing else is there that could go first */
		return VX_USUALLY(node->users->user->state == VX_NODE_LIVE) ? close_node(node->users->user, top) : close_pass(node, top, &progress);
	vx_error_try();
	do
		rc = close_pass(node, top, &progress);
	while (rc < 0 && progress);
	vx_error_tried(rc);
	return rc;
}

/* Who names an object looks at this without the lock: vx_node_has_raw(). */
static inline void begin(struct vx_node *node)
{
	__atomic_store_n(&node->busy, pthread_self(), __ATOMIC_RELAXED);
	__atomic_store_n(&node->state, VX_NODE_CLOSING, __ATOMIC_RELAXED);
}

/* With somebody else, who may adopt it again. */
static VX_SELDOM_CALLED void leave_raw(const struct vx_node *node)
{
	const struct vx_kind_row *row = vx_kind_of(node->kind);

	if (row->told_at)
		*(int32_t *)((char *)node->object.raw + row->told_at) = row->told;
}

/* Lets go of the lock; nobody but this thread touches what is ENDING. */
static inline void begin_ending(struct vx_node *node)
{
	__atomic_store_n(&node->state, VX_NODE_ENDING, __ATOMIC_RELAXED);
	if (VX_SELDOM(!node->owners))
		leave_raw(node);
	if (VX_SELDOM(node->events || node->completions || vx_graph.strangers_came))
		vx_events_settle(node);
	vx_graph_unlock();
}

static inline void end(struct vx_node *node, int rc, const struct vx_node *top)
{
	node->state = VX_NODE_LIVE;
	vx_graph_wake();
	if (rc < 0)
		return;
	vx_registry_remove(node);
	vx_node_unlink(node);
	if (VX_SELDOM(node->object.front != node->object.raw))
		vx_fronts_free(node->object.front, node->object.raw);
	if (VERBSX_CHECKS)
		vx_closed_keep(node, top);
	else
		vx_node_free(node);
}

/* @param top  what is closed with all that depends on it, such as this */
static int close_node(struct vx_node *node, const struct vx_node *top)
{
	int rc;

	if (VX_SELDOM(node->calling))
		return is_calling(node, "vx_close");
	if (VX_USUALLY(node == top))
		vx_fronts_inside(node, true);
	begin(node);
	rc = VX_SELDOM(node->users) ? close_users(node, top) : 0;
	if (VX_USUALLY(rc == 0)) {
		begin_ending(node);
		rc = VX_USUALLY(node->owners) ? node->destroy(node) : 0;
		vx_graph_lock();
	}
	end(node, rc, top);
	return rc;
}

static VX_HOT int look_at_whole(struct vx_node *node, struct look *look)
{
	int rc = look_below(node, look);

	if (look->marked)
		forget_look(node, look);
	return rc;
}

static VX_HOT int close_whole(struct vx_node *node)
{
	struct look look = { .top = node };
	int rc = look_at_whole(node, &look);

	if (rc < 0)
		return rc;
	if (look.early) {
		begin(node);
		VX_QUIETLY(close_early(node, node));
	}
	return close_node(node, node);
}

/* With all that depends on it. */
static int close_top(struct vx_node *node)
{
	int rc;

	if (VX_SELDOM(node->users))
		return close_whole(node);
	rc = look_at(node, node);
	return rc < 0 ? rc : close_node(node, node);
}

/* What librdmacm lends has users that are not of who closes it: it goes with the last id that it is of. */
static VX_SELDOM_CALLED int give_lent_back(struct vx_node *node)
{
	if (!node->given)
		return vx_fail(-EBUSY, "vx_close", VX_NAME(node), "it was closed as often as it was given, and %s depends on it",
			       VX_NAME(node->users->user));
	node->given--;
	return 0;
}

/* One of those who have it closes it. */
static int close_given(struct vx_node *node)
{
	if (node->state != VX_NODE_LIVE)
		return vx_node_busy_fail(node, "vx_close");
	if (VX_SELDOM(node->lent && node->users))
		return give_lent_back(node);
	if (VX_USUALLY(node->given <= 1))
		return close_top(node);
	node->given--;
	return 0;
}

static VX_COLD int is_kept(const struct vx_node *node)
{
	return vx_fail(-EBUSY, "vx_give_back", VX_NAME(node), "its %s", node->type == VX_OBJECT_AH ?
		       "PD keeps it, however often it is closed: vx_pd_drop_ahs() ends it" : "pool keeps it, however often it is closed, and ends it");
}

static VX_SELDOM_CALLED int check_alone(const struct vx_node *node)
{
	if (node->state != VX_NODE_LIVE)
		return vx_node_busy_fail(node, "vx_give_back");
	if (node->calling)
		return is_calling(node, "vx_give_back");
	if (node->type == VX_OBJECT_QP && vx_fronts_inside(node, false))
		return is_in_list(node, "vx_give_back");
	if (vx_kind_of(node->kind)->ours)
		return vx_fail(-EINVAL, "vx_give_back", VX_NAME(node), "it is libverbsx's own, and vx_close() ends it");
	if (node->users)
		return vx_fail(-EBUSY, "vx_give_back", VX_NAME(node), "%s depends on it", VX_NAME(node->users->user));
	if (node->given > VX_GIVEN_FOR_EVER / 2)
		return is_kept(node);
	if (node->given > 1)
		return vx_fail(-EBUSY, "vx_give_back", VX_NAME(node),
			       "its handle was given %u times, and has to be closed as often but once", node->given);
	return 0;
}

static VX_SELDOM_CALLED int give_back(struct vx_node *node)
{
	int rc = check_alone(node);

	if (rc < 0)
		return rc;
	begin(node);
	node->owners = 0;
	begin_ending(node);
	vx_graph_lock();
	end(node, 0, NULL);
	return 0;
}

/* A thread that is cancelled in the midst of it would leave others waiting for what it was ending. */
static int with_graph(int (*do_it)(struct vx_node *node), void *object)
{
	int rc;

	VX_NOT_CANCELLED(VX_LOCKED(rc = do_it(object)));
	return rc;
}

VX_HOT int vx_close(void *object)
{
	if (!object)
		return 0;
	return vx_wrong(object, 0, "vx_close", "the object") ? -EINVAL : with_graph(close_given, object);
}

/* Under the lock. */
static VX_SELDOM_CALLED int close_lent(struct vx_node *node)
{
	if (node->owners)
		node->owners = 0; /* who adopted it is wrong about that: it goes now */
	return node->state == VX_NODE_LIVE ? close_top(node) : vx_node_busy_fail(node, "vx_close");
}

/* Under the lock. */
static VX_SELDOM_CALLED int look_at_lent(struct vx_node *node)
{
	struct look look = { .top = node, .goes_along = true };

	return node->state == VX_NODE_LIVE ? look_at_whole(node, &look) : vx_node_busy_fail(node, "vx_close");
}

static VX_SELDOM_CALLED int with_lent_node(int (*do_it)(struct vx_node *node), const void *(*choose)(const void *of), const void *of)
{
	struct vx_node *node = NULL;
	const void *raw;
	bool waits = false;
	int rc = 0;

	vx_graph_lock();
	while ((raw = choose ? choose(of) : of) && (node = vx_node_of(raw, 0)) && vx_node_is_busy_elsewhere(node) && !waits)
		waits = vx_node_waits_for_this(node) || !vx_graph_wait_for(node->busy);
	if (raw && node)
		rc = waits ? vx_node_waits_fail(node, "vx_close") : do_it(node);
	vx_graph_unlock();
	return rc;
}

VX_SELDOM_CALLED int vx_lent_end(const void *(*choose)(const void *of), const void *of)
{
	return with_lent_node(close_lent, choose, of);
}

VX_SELDOM_CALLED int vx_lent_look(const void *(*choose)(const void *of), const void *of)
{
	return with_lent_node(look_at_lent, choose, of);
}

VX_SELDOM_CALLED void *vx_give_back(void *object)
{
	void *raw;

	if (vx_wrong(object, 0, "vx_give_back", "the object"))
		return NULL;
	raw = ((const struct vx_object *)object)->raw;
	return with_graph(give_back, object) < 0 ? NULL : raw;
}
