/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completions as calls of functions, which requests or QPs have. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <verbsx/dispatcher.h>
#include <verbsx/poll.h>

#include "error/fail.h"
#include "kinds.h"
#include "object/make.h"

#define FEWEST_LISTS 16

/* The function for a QP: depends on it, and on the dispatcher. */
struct route {
	struct route *next;	/* in its list */
	struct vx_dispatcher_state *owner;
	uint32_t qp_num;
	vx_dispatch_function function;
	void *data;
};

struct vx_dispatcher_state {
	struct vx_cq *cq;
	vx_dispatch_function other;
	void *data;
	pthread_mutex_t lock;		/* of what follows; never held while a function runs */
	bool awaited;			/* the function's return, by a thread that waits as for nodes */
	const struct route *running;
	bool calls;			/* functions, be it of a route or other */
	pthread_t by;			/* the thread that runs them */
	struct route **lists;		/* by the number of the QP */
	uint32_t last;			/* of the lists, which are a power of two */
	uint32_t count;			/* of routes */
};

/* ---- taking completions ---- */

typedef void (*give_function)(void *to, const struct ibv_wc *wc);

/*
 * They are taken one by one: a function may close a QP and free its requests, and what has completed of that goes with it only while it is
 * on the CQ. What fails after some is told the next time.
 */
static int give_each(struct vx_cq *cq, struct ibv_wc *wc, int num_entries, give_function give_one, void *to)
{
	int count = 0;

	do
		give_one(to, wc);
	while (++count < num_entries && vx_cq_poll(cq, 1, wc) > 0);
	return count;
}

/* Up to so many. The functions cannot close what they are called by; the thread may be cancelled in them. */
static int give_all(struct vx_cq *cq, void *by, int num_entries, give_function give_one, void *to, void (*end)(void *by),
		    const char *call)
{
	struct ibv_wc wc;
	int rc, count;

	if (num_entries < 1)
		return vx_fail(-EINVAL, call, NULL, "num_entries = %d, and must be 1 at least", num_entries);
	rc = vx_cq_poll(cq, 1, &wc);
	if (rc <= 0)
		return rc;
	vx_node_call_begins(by);
	pthread_cleanup_push(end, by);
	count = give_each(cq, &wc, num_entries, give_one, to);
	pthread_cleanup_pop(1);
	return count;
}

static void give_to_request(void *nothing, const struct ibv_wc *wc)
{
	struct vx_done *done = (struct vx_done *)(uintptr_t)wc->wr_id;

	(void)nothing;
	if (done)
		done->done(done, wc);
}

int vx_cq_dispatch(struct vx_cq *cq, int num_entries)
{
	if (vx_wrong(cq, VX_OBJECT_CQ, "vx_cq_dispatch", "cq"))
		return -EINVAL;
	return give_all(cq, cq, num_entries, give_to_request, NULL, vx_node_call_ends, "vx_cq_dispatch");
}

/* ---- by QP ---- */

/* That leads to the route of a QP, or to NULL, where one would be. */
static struct route **link_to_route(const struct vx_dispatcher_state *d, uint32_t qp_num)
{
	struct route **link = &d->lists[(qp_num ^ qp_num >> 8) & d->last];

	while (*link && (*link)->qp_num != qp_num)
		link = &(*link)->next;
	return link;
}

/* Under the lock, which is let go of: the function that ran last has returned, and another one begins; NULL: none does. */
static void run(struct vx_dispatcher_state *d, const struct route *route, bool calls)
{
	const bool awaited = d->awaited;

	d->awaited = false;
	d->running = route;
	__atomic_store_n(&d->calls, calls, __ATOMIC_RELAXED);
	d->by = pthread_self();
	pthread_mutex_unlock(&d->lock);
	if (VX_SELDOM(awaited)) {
		vx_graph_lock();
		vx_graph_wake();
		vx_graph_unlock();
	}
}

static void give_to_qp(void *to, const struct ibv_wc *wc)
{
	struct vx_dispatcher_state *d = to;
	vx_dispatch_function function = d->other;
	void *data = d->data;
	const struct route *route;

	pthread_mutex_lock(&d->lock);
	route = *link_to_route(d, wc->qp_num);
	if (route) {
		function = route->function;
		data = route->data;
	}
	run(d, route, true);
	if (function)
		function(wc, data);
}

static void end_calls(void *dispatcher)
{
	struct vx_dispatcher_state *d = vx_dispatcher_state_of(dispatcher);

	pthread_mutex_lock(&d->lock);
	run(d, NULL, false);
	vx_node_call_ends(dispatcher);
}

/* Of two functions of a dispatcher, closing would wait for one alone. */
static int refuse_nested(struct vx_dispatcher_state *d, const char *call)
{
	bool is_here;

	if (!__atomic_load_n(&d->calls, __ATOMIC_RELAXED))
		return 0; /* by this thread it would be seen */
	pthread_mutex_lock(&d->lock);
	is_here = d->calls && pthread_equal(d->by, pthread_self());
	pthread_mutex_unlock(&d->lock);
	return is_here ? vx_fail(-EDEADLK, call, VX_NAME(d->cq), "a function that this dispatcher has called calls it") : 0;
}

int vx_dispatcher_poll(struct vx_dispatcher *dispatcher, int num_entries)
{
	struct vx_dispatcher_state *d;
	int rc;

	if (vx_is_no_dispatcher(dispatcher, "vx_dispatcher_poll"))
		return -EINVAL;
	d = vx_dispatcher_state_of(dispatcher);
	rc = refuse_nested(d, "vx_dispatcher_poll");
	return rc < 0 ? rc : give_all(d->cq, dispatcher, num_entries, give_to_qp, d, end_calls, "vx_dispatcher_poll");
}

void vx_dispatcher_tell(const struct ibv_wc *wc, void *dispatcher)
{
	if (vx_is_no_dispatcher(dispatcher, "vx_dispatcher_tell") ||
	    refuse_nested(vx_dispatcher_state_of(dispatcher), "vx_dispatcher_tell") < 0)
		return;
	if (!wc) {
		vx_null_fail("vx_dispatcher_tell", "wc");
		return;
	}
	vx_node_call_begins(dispatcher);
	pthread_cleanup_push(end_calls, dispatcher);
	give_to_qp(vx_dispatcher_state_of(dispatcher), wc);
	pthread_cleanup_pop(1);
}

/* ---- adding ---- */

/* Without the memory for it, lists get longer; that is all. */
static void grow_lists(struct vx_dispatcher_state *d)
{
	const uint32_t old = d->last;
	struct route **from = d->lists, **lists = calloc(2 * ((size_t)old + 1), sizeof(*lists)), *route;
	uint32_t i;

	if (!lists)
		return;
	d->lists = lists;
	d->last = 2 * old + 1;
	for (i = 0; i <= old; i++)
		while ((route = from[i])) {
			from[i] = route->next;
			route->next = NULL;
			*link_to_route(d, route->qp_num) = route;
		}
	free(from);
}

static bool insert_route(struct vx_dispatcher_state *d, struct route *route)
{
	struct route **link;
	bool is_new;

	pthread_mutex_lock(&d->lock);
	if (d->count > d->last)
		grow_lists(d);
	link = link_to_route(d, route->qp_num);
	is_new = !*link;
	if (is_new) {
		route->next = NULL;
		*link = route;
		d->count++;
	}
	pthread_mutex_unlock(&d->lock);
	return is_new;
}

static void take_out_route(struct vx_dispatcher_state *d, const struct route *route)
{
	pthread_mutex_lock(&d->lock);
	*link_to_route(d, route->qp_num) = route->next;
	d->count--;
	pthread_mutex_unlock(&d->lock);
}

/* Under the graph's lock, which nobody takes who has the dispatcher's. Who holds that on is woken when the function has returned. */
static bool runs_in(const struct vx_node *node, pthread_t *thread)
{
	const struct route *route = vx_node_extra(node);
	struct vx_dispatcher_state *d = route->owner;
	bool runs;

	pthread_mutex_lock(&d->lock);
	runs = d->running == route;
	d->awaited |= runs;
	*thread = d->by;
	pthread_mutex_unlock(&d->lock);
	return runs;
}

/*
 * It goes with the QP or the dispatcher, and not while another thread is in the function. Where that waits for this one it stays: nothing
 * was dispatched meanwhile.
 */
static int end_route(struct vx_node *node)
{
	struct route *route = vx_node_extra(node);
	bool returns = true;
	pthread_t thread;

	vx_graph_lock();
	take_out_route(route->owner, route);
	while (returns && runs_in(node, &thread) && !pthread_equal(thread, pthread_self()))
		returns = vx_graph_wait_for(thread);
	if (!returns)
		insert_route(route->owner, route);
	vx_graph_unlock();
	return returns ? 0 : vx_route_would_wait(node);
}

static int refuse_qp(const struct vx_dispatcher_state *d, const struct vx_qp *qp)
{
	const struct ibv_qp *raw = vx_qp_raw(qp);
	const struct ibv_cq *cq = vx_cq_raw(d->cq);

	if (raw->send_cq && raw->recv_cq && raw->send_cq != cq && raw->recv_cq != cq)
		return vx_fail(-EINVAL, "vx_dispatcher_add", VX_NAME(qp), "it completes on other CQs than %s", VX_NAME(d->cq));
	/* mlx5 devices have the tag of the flow in the place of the number. */
	if (raw->qp_type == IBV_QPT_RAW_PACKET && (!raw->recv_cq || raw->recv_cq == cq))
		return vx_fail(-EOPNOTSUPP, "vx_dispatcher_add", VX_NAME(qp),
			       "receives of IBV_QPT_RAW_PACKET complete without its number; on a CQ of its own, .other is told of them");
	return 0;
}

int vx_dispatcher_add(struct vx_dispatcher *dispatcher, struct vx_qp *qp, vx_dispatch_function function, void *data)
{
	void *uses[] = { dispatcher, qp }, *made;
	struct vx_dispatcher_state *d;
	struct vx_node *node;
	int rc;

	if (vx_is_no_dispatcher(dispatcher, "vx_dispatcher_add") ||
	    vx_wrong(qp, VX_OBJECT_QP, "vx_dispatcher_add", "qp"))
		return -EINVAL;
	if (!function)
		return vx_null_fail("vx_dispatcher_add", "function");
	d = vx_dispatcher_state_of(dispatcher);
	rc = refuse_qp(d, qp);
	if (rc < 0)
		return rc;
	node = vx_node_new(sizeof(struct route), VX_OBJECT_ROUTE, end_route, uses, 2, "vx_dispatcher_add");
	if (!node)
		return vx_error()->code;
	*(struct route *)vx_node_extra(node) = (struct route){ NULL, d, vx_qp_raw(qp)->qp_num, function, data };
	if (insert_route(d, vx_node_extra(node)))
		return vx_node_link(node, vx_cq_raw(d->cq), &made);
	vx_node_drop(node);
	return vx_fail(-EEXIST, "vx_dispatcher_add", VX_NAME(qp), "it was added before");
}

/* ---- making and ending ---- */

static int end_dispatcher(struct vx_node *node)
{
	struct vx_dispatcher_state *d = vx_node_extra(node);

	pthread_mutex_destroy(&d->lock);
	free(d->lists);
	return 0;
}

static int begin_dispatcher(struct vx_node *node, void *cq, const void *of)
{
	const struct vx_dispatcher_init *init = of;
	struct vx_dispatcher_state *d = vx_node_extra(node);

	vx_graph_lock();
	vx_graph.runs_in = runs_in;
	vx_graph_unlock();
	*d = (struct vx_dispatcher_state){ .cq = cq, .other = init->other, .data = init->data, .last = FEWEST_LISTS - 1 };
	d->lists = calloc(FEWEST_LISTS, sizeof(*d->lists));
	if (!d->lists)
		return vx_fail(-ENOMEM, "vx_dispatcher_create", NULL, NULL);
	pthread_mutex_init(&d->lock, NULL);
	return 0;
}

int vx_dispatcher_create_sized(struct vx_cq *parent, const struct vx_dispatcher_init *init, size_t size, struct vx_dispatcher **out)
{
	struct vx_dispatcher_init own;

	return vx_make_own(&(struct vx_own_making){ "vx_dispatcher_create", "data", &own, sizeof(own), VX_OBJECT_CQ, VX_OBJECT_DISPATCHER,
						    sizeof(struct vx_dispatcher_state), begin_dispatcher, end_dispatcher }, parent, init, size, out);
}
