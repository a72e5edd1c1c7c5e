/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Threads that close, and would wait for each other. */

#include <errno.h>

#include <verbsx/objects.h>

#include "error/fail.h"
#include "make.h"

/* Whether it is a route whose function a thread is in. One that is being made says nothing yet. */
static VX_SELDOM_CALLED bool is_running(const struct vx_node *node, pthread_t *thread)
{
	return node->kind == VX_OBJECT_ROUTE && node->state != VX_NODE_MAKING && vx_graph.runs_in(node, thread);
}

VX_SELDOM_CALLED bool vx_node_waits_for_this(const struct vx_node *node)
{
	const struct vx_edge *edge;
	pthread_t thread;
	bool does = is_running(node, &thread) && pthread_equal(thread, pthread_self());

	for (edge = node->users; edge && !does; edge = edge->older)
		does = vx_node_waits_for_this(edge->user);
	return does;
}

VX_COLD int vx_route_would_wait(const struct vx_node *route)
{
	return vx_fail(-EDEADLK, "vx_close", NULL, "another thread is in the function of the %s, and waits there until the one returns that calls this",
		       VX_NAME(vx_node_used(route, 1)));
}

VX_COLD int vx_node_waits_fail(const struct vx_node *node, const char *call)
{
	return vx_fail(-EDEADLK, call, NULL, "another thread closes the %s, and waits until the function of the program returns that calls this",
		       vx_kind_name(node->kind));
}

VX_COLD int vx_node_busy_fail(const struct vx_node *node, const char *call)
{
	return vx_fail(-EBUSY, call, NULL, "the %s is being %s", vx_kind_name(node->kind), node->state == VX_NODE_MAKING ? "made" : "closed");
}

VX_COLD int vx_route_check(const struct vx_node *route)
{
	pthread_t thread;

	if (!is_running(route, &thread) || pthread_equal(thread, pthread_self()) || !vx_waits_for_this(thread))
		return 0;
	return vx_route_would_wait(route);
}
