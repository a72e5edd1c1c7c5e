/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pollers come and go. */

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <verbsx/poller.h>

#include "error/fail.h"
#include "object/make.h"
#include "object/wake.h"
#include "poller.h"

#define SPIN_US 20

static int end_poller(struct vx_node *node)
{
	const struct vx_poller_state *p = vx_node_extra(node);

	if (p->wake >= 0)
		close(p->wake);
	if (p->watched >= 0)
		close(p->watched);
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
	p->watched = epoll_create1(EPOLL_CLOEXEC);
	p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->watched < 0 || p->wake < 0 || vx_watch(p->watched, p->wake) < 0 || vx_watch(p->watched, vx_comp_channel_raw(p->channel)->fd) < 0 ||
	    (p->async && vx_watch(p->watched, vx_cq_raw(p->cq)->context->async_fd) < 0))
		return vx_fail(-errno, "vx_poller_create", VX_NAME(p->cq), "no descriptor to sleep on");
	return 0;
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

static int fill_poller(struct vx_poller_state *p, const struct vx_poller_init *init)
{
	int rc = find_channel(p);

	if (rc == 0 && !p->channel && init->mode == VX_POLLER_SLEEP)
		rc = vx_fail(-EINVAL, "vx_poller_create", VX_NAME(p->cq), "mode is VX_POLLER_SLEEP, and the CQ was made without .channel, so nothing would wake it");
	p->kept = (struct vx_kept_poller){ .known = true, .mode = p->channel ? init->mode : VX_POLLER_SPIN,
					   .spin_us = init->spin_us ? init->spin_us : SPIN_US, .solicited_only = init->solicited_only };
	if (rc == 0)
		rc = listen_alone(p, init);
	return rc == 0 && p->channel ? open_watched(p) : rc;
}

static int begin_poller(struct vx_node *node, void *cq, const void *of)
{
	struct vx_poller_state *p = vx_node_extra(node);
	const struct vx_poller_init *init = of;
	int rc;

	if ((unsigned int)init->mode > VX_POLLER_SLEEP)
		return vx_fail(-EINVAL, "vx_poller_create", NULL, "mode is %d, which is none of enum vx_poller_mode", (int)init->mode);
	p->node = node;
	p->cq = cq;
	p->wake = p->watched = -1;
	rc = fill_poller(p, init);
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
