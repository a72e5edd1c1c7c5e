/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Closing in turn, and giving back. */

#include <errno.h>

#include <verbsx/objects.h>

#include "closed.h"
#include "error/fail.h"
#include "event.h"
#include "make.h"

#define LONGEST_NAME 128

static int close_node(struct vx_node *node);

/* What this thread is in the midst of making or closing, which calls the program, which closes that. */
static int busy_here(const struct vx_node *node, const char *call)
{
	return vx_fail(-EBUSY, call, NULL, "the %s is being %s", vx_kind_name(node->kind),
		       node->state == VX_NODE_MAKING ? "made" : "closed");
}

/* What another thread makes or closes is looked at again when it has done so: it may have gone, or live. 1: it was waited for. */
static int close_next(struct vx_walk *walk)
{
	struct vx_node *user = walk->next->user;

	if (vx_node_is_busy_elsewhere(user)) {
		vx_graph_wait();
		return 1;
	}
	walk->next = walk->next->older;
	return user->state == VX_NODE_LIVE ? close_node(user) : busy_here(user, "vx_close");
}

/* One pass over what depends on a node, newest first. Closing one may take others along, of which the walk is told. */
static int close_pass(struct vx_node *node, bool *progress)
{
	struct vx_walk walk;
	int rc, last = 0;

	*progress = false;
	vx_walk_begin(&walk, node);
	while (walk.next) {
		rc = close_next(&walk);
		if (rc < 0)
			last = rc;
		else if (rc == 0)
			*progress = true;
	}
	vx_walk_end(&walk);
	return last;
}

/*
 * What the kernel refuses at first may go once something else has gone that we do not know to stand in its way, such as a
 * window that is bound to a region.
 */
static int close_users(struct vx_node *node)
{
	bool progress;
	int rc;

	if (!node->users)
		return 0;
	vx_error_try();
	do
		rc = close_pass(node, &progress);
	while (rc < 0 && progress);
	vx_error_tried(rc);
	return rc;
}

/* With the lock let go of; nobody but this thread touches what is CLOSING. */
static int end_raw(struct vx_node *node, int (*destroy)(struct vx_node *))
{
	struct vx_unacked left = vx_unacked_of(node);
	int rc;

	vx_graph_unlock();
	vx_unacked_settle(&left);
	rc = destroy ? destroy(node) : 0;
	vx_graph_lock();
	return rc;
}

static void begin(struct vx_node *node)
{
	node->state = VX_NODE_CLOSING;
	node->busy = pthread_self();
}

static void end(struct vx_node *node, int rc)
{
	node->state = VX_NODE_LIVE;
	vx_graph_wake();
	if (rc < 0)
		return;
	vx_node_unlink(node);
	vx_registry_remove(node);
	vx_closed_free(node);
}

static int close_node(struct vx_node *node)
{
	int rc;

	begin(node);
	rc = close_users(node);
	if (rc == 0)
		rc = end_raw(node, node->owners ? node->destroy : NULL);
	end(node, rc);
	return rc;
}

/* One of those who have it closes it. */
static int close_given(struct vx_node *node)
{
	if (node->state != VX_NODE_LIVE)
		return busy_here(node, "vx_close");
	if (node->given == 1)
		return close_node(node);
	node->given--;
	return 0;
}

/* A thread that is cancelled in the midst of it would leave others waiting for what it was closing. */
int vx_close(void *object)
{
	const struct vx_node *outer;
	int rc, cancelled;

	if (!object)
		return 0;
	if (vx_wrong(object, 0, "vx_close", "the object"))
		return -EINVAL;
	outer = vx_closed_begin(object);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
	vx_graph_lock();
	rc = close_given(object);
	vx_graph_unlock();
	pthread_setcancelstate(cancelled, NULL);
	vx_closed_begin(outer);
	return rc;
}

static int check_alone(const struct vx_node *node, const char *call)
{
	char name[LONGEST_NAME], user[LONGEST_NAME];

	if (node->state != VX_NODE_LIVE)
		return busy_here(node, call);
	if (!node->users && node->given == 1)
		return 0;
	vx_object_name(name, sizeof(name), node);
	if (!node->users)
		return vx_fail(-EBUSY, call, name, "its handle was given %u times, and has to be closed as often but once",
			       node->given);
	vx_object_name(user, sizeof(user), node->users->user);
	return vx_fail(-EBUSY, call, name, "%s depends on it", user);
}

static void *give_back(struct vx_node *node)
{
	void *raw = node->object.raw;

	if (check_alone(node, "vx_give_back") < 0)
		return NULL;
	begin(node);
	node->owners = 0;
	end(node, end_raw(node, NULL));
	return raw;
}

void *vx_give_back(void *object)
{
	const struct vx_node *outer;
	void *raw;

	if (vx_wrong(object, 0, "vx_give_back", "the object"))
		return NULL;
	outer = vx_closed_begin(NULL);
	vx_graph_lock();
	raw = give_back(object);
	vx_graph_unlock();
	vx_closed_begin(outer);
	return raw;
}
