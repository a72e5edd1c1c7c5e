/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Servers come and go, and how long they run. */

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include <verbsx/enums.h>

#include "cm/cm.h"
#include "cm/cm_server.h"
#include "error/fail.h"
#include "object/event.h"
#include "object/wake.h"

#define CREATE "vx_cm_server_create"
#define BACKLOG 128
#define WAITING_MS 140000

int vx_cm_make(const struct vx_own_making *making, const char *service, const struct vx_cm_qp_init **init_qp, size_t qp_size, void *out)
{
	struct vx_cm_qp_init qp = { 0 };
	int rc = vx_take_in(&qp, sizeof(qp), *init_qp, qp_size, making->call, "init.qp", "checked");
	const struct { void *handle; uint32_t kind; const char *what; } given[] = {
		{ qp.pd, VX_OBJECT_PD, "init.qp->pd" }, { qp.send_cq, VX_OBJECT_CQ, "init.qp->send_cq" },
		{ qp.recv_cq, VX_OBJECT_CQ, "init.qp->recv_cq" }, { qp.srq, VX_OBJECT_SRQ, "init.qp->srq" },
		{ qp.xrcd, VX_OBJECT_XRCD, "init.qp->xrcd" }, { qp.rwq_ind_tbl, VX_OBJECT_IND_TABLE, "init.qp->rwq_ind_tbl" },
	};
	void *uses[sizeof(given) / sizeof(given[0])];
	char type[64];
	size_t i;

	if (rc < 0)
		return rc;
	if (qp.qp_type && qp.qp_type != IBV_QPT_RC) {
		vx_ibv_qp_type_snprint(type, sizeof(type), qp.qp_type);
		return vx_fail(-EINVAL, making->call, NULL, "init.qp->qp_type is %s, and connections have IBV_QPT_RC", type);
	}
	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		uses[i] = given[i].handle;
		if (uses[i] && vx_wrong(uses[i], given[i].kind, making->call, given[i].what))
			return -EINVAL;
	}
	if (vx_cm_is_no_port(service))
		return vx_fail(-EINVAL, making->call, NULL, "init.service is no port, which are 0 to 65535");
	*init_qp = &qp;
	return vx_make_using(making, uses, i, out);
}

/* ---- ending ---- */

static void forget_server(struct vx_cm_server_state *s)
{
	free(s->queue);
	if (s->watched >= 0)
		close(s->watched);
	if (s->wake >= 0)
		close(s->wake);
	if (s->clock >= 0)
		close(s->clock);
}

/* Its connections have ended, as they depend on it: what is left of their ids goes with the channel. */
static int end_server(struct vx_node *node)
{
	struct vx_cm_server_state *s = vx_node_extra(node);
	int rc = vx_close(s->channel);

	if (rc < 0)
		return rc;
	s->channel = NULL;
	forget_server(s);
	return 0;
}

/* ---- making ---- */

static bool has_clock(struct vx_cm_server_state *s)
{
	s->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return s->clock >= 0 && vx_watch(s->watched, s->clock) == 0;
}

static int open_descriptors(struct vx_cm_server_state *s)
{
	s->watched = epoll_create1(EPOLL_CLOEXEC);
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->watched < 0 || s->wake < 0 || vx_watch(s->watched, s->wake) < 0 || vx_watch(s->watched, vx_cm_channel_raw(s->channel)->fd) < 0 ||
	    (s->queue && !has_clock(s)))
		return vx_fail(-errno, CREATE, NULL, "no descriptor to sleep on");
	return 0;
}

static int find_address(const struct vx_cm_server_init *init, struct vx_cm_addrinfo **out)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };

	return vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = init->node, .service = init->service ? init->service : "0",
								    .hints = &hints }, out);
}

static int listen_at(struct vx_cm_server_state *s, const struct vx_cm_server_init *init)
{
	struct vx_cm_addrinfo *found;
	uint16_t port = 0;
	int rc;

	rc = find_address(init, &found);
	if (rc < 0)
		return rc;
	rc = vx_cm_id_create(s->channel, NULL, &s->listener);
	if (rc == 0)
		rc = vx_cm_id_bind_addr(s->listener, vx_cm_addrinfo_raw(found)->ai_src_addr);
	if (rc == 0)
		rc = vx_cm_id_listen(s->listener, init->backlog ? init->backlog : BACKLOG);
	if (rc == 0)
		rc = vx_cm_id_get_src_port(s->listener, &port);
	s->kept.port = port;
	vx_close(found);
	return rc;
}

/* That of no id of librdmacm could ever serve: the device of an address is known, for any address all are looked through. */
static bool is_of_librdmacm(const struct ibv_context *context, const struct rdma_cm_id *listener)
{
	struct ibv_context **contexts = listener->verbs ? NULL : rdma_get_devices(NULL);
	bool is = contexts ? false : !listener->verbs || listener->verbs == context;
	size_t i;

	for (i = 0; contexts && contexts[i] && !is; i++)
		is = contexts[i] == context;
	if (contexts)
		rdma_free_devices(contexts);
	return is;
}

static int check_pd(const struct vx_cm_server_state *s)
{
	const struct vx_pd *pd = s->qp.pd;

	if (!pd || is_of_librdmacm(vx_pd_raw(pd)->context, vx_cm_id_raw(s->listener)))
		return 0;
	return vx_fail(-EINVAL, CREATE, VX_NAME(pd),
		       "it is of another context than ids here have: make it on one that vx_cm_contexts() or vx_cm_id_ctx() lends");
}

static int start_server(struct vx_cm_server_state *s, const struct vx_cm_server_init *init)
{
	int rc = vx_cm_channel_create(NULL, &s->channel);

	if (rc < 0)
		return rc;
	s->queue = init->waiting ? calloc(init->waiting, sizeof(*s->queue)) : NULL;
	if (init->waiting && !s->queue)
		return vx_fail(-ENOMEM, CREATE, NULL, "for %u requests that wait", init->waiting);
	rc = open_descriptors(s);
	if (rc == 0)
		rc = listen_at(s, init);
	return rc < 0 ? rc : check_pd(s);
}

static int check_server(const struct vx_cm_server_init *init, const void *out)
{
	if (!out)
		return vx_null_fail(CREATE, "out");
	if (init->comp_mask)
		return vx_unknown_bits(CREATE, "comp_mask", init->comp_mask, 0);
	if (init->backlog < 0)
		return vx_fail(-EINVAL, CREATE, NULL, "init.backlog = %d, and cannot be negative", init->backlog);
	if (init->waiting && !init->most)
		return vx_fail(-EINVAL, CREATE, NULL, "init.waiting = %u, and without init.most nobody has to wait", init->waiting);
	return 0;
}

static void fill_server(struct vx_cm_server_state *s, struct vx_node *node, const struct vx_cm_server_init *init)
{
	*s = (struct vx_cm_server_state){
		.kept = { .known = true, .backlog = init->backlog, .most = init->most, .waiting = init->waiting }, .init = *init, .qp = *init->qp,
		.handle = (struct vx_cm_server *)node, .watched = -1, .wake = -1, .clock = -1,
	};
	s->init.waiting_ms = init->waiting_ms ? init->waiting_ms : WAITING_MS;
	s->init.node = s->init.service = NULL; /* they are the program's */
	s->init.qp = NULL;
}

static int begin_server(struct vx_node *node, void *pd, const void *init)
{
	struct vx_cm_server_state *s = vx_node_extra(node);
	int rc;

	(void)pd;
	fill_server(s, node, init);
	rc = start_server(s, init);
	if (rc == 0)
		return 0;
	vx_error_try();
	if (end_server(node) < 0)
		forget_server(s); /* its channel stays, which nobody has */
	vx_error_tried(0);
	return rc;
}

int vx_cm_server_create_sized(const struct vx_cm_server_init *init, size_t size, size_t qp_size, struct vx_cm_server **out)
{
	struct vx_cm_server_init own = { 0 };
	int rc = vx_take_in(&own, offsetof(struct vx_cm_server_init, reserved_), init, size, CREATE, "init", "waiting_ms");

	if (rc == 0)
		rc = check_server(&own, out);
	if (rc < 0)
		return rc;
	return vx_cm_make(&(struct vx_own_making){ .call = CREATE, .init = &own, .kind = VX_OBJECT_CM_SERVER,
						   .extra = sizeof(struct vx_cm_server_state), .begin = begin_server, .end = end_server },
			  own.service, &own.qp, qp_size, out);
}

#define BATCH 64 /* events a step */

/* ---- a step ---- */

/* A thread that is cancelled in the midst of a request would leave it without an answer. */
static int take_not_cancelled(struct vx_cm_server_state *s, int num_events)
{
	const int before = s->cancelling;
	int rc;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &s->cancelling);
	rc = vx_cm_take_server_events(s, num_events);
	pthread_setcancelstate(s->cancelling, NULL);
	s->cancelling = before;
	return rc;
}

int vx_cm_server_step(struct vx_cm_server *server, int num_events)
{
	struct vx_cm_server_state *s;
	int rc;

	if (vx_is_no_cm_server(server, "vx_cm_server_step"))
		return -EINVAL;
	if (num_events < 1)
		return vx_fail(-EINVAL, "vx_cm_server_step", NULL, "num_events = %d, and must be 1 at least", num_events);
	s = vx_cm_server_state_of(server);
	vx_unring(s->wake);
	VX_CALLING((struct vx_node *)server, rc = take_not_cancelled(s, num_events));
	return rc;
}

/* ---- running ---- */

static int sleep_for(const struct vx_cm_server_state *s, int timeout_ms)
{
	struct pollfd entry = { s->watched, POLLIN, 0 };

	return poll(&entry, 1, timeout_ms) < 0 ? vx_fail(-errno, "poll", VX_NAME(s->handle), NULL) : 0;
}

static bool was_woken(struct vx_cm_server_state *s)
{
	return __atomic_exchange_n(&s->woken, false, __ATOMIC_ACQUIRE);
}

/* Once more when the time is up: it may have come meanwhile. */
static int take_steps(struct vx_cm_server *server, bool (*is_done)(struct vx_cm_server_state *s), int timeout_ms)
{
	struct vx_cm_server_state *s = vx_cm_server_state_of(server);
	const int64_t start = vx_now_ms();
	int rc, left;

	do {
		left = vx_left_ms(timeout_ms, start);
		rc = vx_cm_server_step(server, BATCH);
		if (rc >= 0 && is_done(s))
			return 0;
		if (rc == 0 && left)
			rc = sleep_for(s, left);
	} while (rc >= 0 && left);
	return rc < 0 ? rc : -EAGAIN;
}

/* Nobody closes it meanwhile, also where this sleeps. */
static int step_until(struct vx_cm_server *server, bool (*is_done)(struct vx_cm_server_state *s), int timeout_ms)
{
	int rc;

	VX_CALLING((struct vx_node *)server, rc = take_steps(server, is_done, timeout_ms));
	return rc;
}

int vx_cm_server_run(struct vx_cm_server *server, int timeout_ms)
{
	return vx_is_no_cm_server(server, "vx_cm_server_run") ? -EINVAL : step_until(server, was_woken, timeout_ms);
}

void vx_cm_server_wake(struct vx_cm_server *server)
{
	struct vx_cm_server_state *s;

	if (vx_is_no_cm_server(server, "vx_cm_server_wake"))
		return;
	s = vx_cm_server_state_of(server);
	__atomic_store_n(&s->woken, true, __ATOMIC_RELEASE);
	vx_ring(s->wake);
}

/* ---- stopping ---- */

static bool all_have_ended(struct vx_cm_server_state *s)
{
	return !s->kept.count;
}

static int stop_listening(struct vx_cm_server_state *s)
{
	struct vx_cm_id *listener = s->listener;
	int rc;

	s->listener = NULL;
	vx_cm_turn_away_late(s, 0);
	rc = vx_close(listener);
	if (rc < 0)
		s->listener = listener;
	else
		s->kept.port = 0;
	return rc;
}

/* One that is not established, or has heard of its end already, has nothing to wait for. */
static void disconnect_all(struct vx_cm_server_state *s)
{
	struct vx_cm_one *one;

	vx_error_try();
	for (s->next = s->first; (one = s->next);) {
		s->next = one->next;
		if (!one->is_established || one->has_ended || vx_cm_id_disconnect(one->seen.id) < 0)
			vx_close(one->seen.id);
	}
	vx_error_tried(0);
}

int vx_cm_server_stop(struct vx_cm_server *server, int timeout_ms)
{
	struct vx_cm_server_state *s;
	int rc;

	if (vx_is_no_cm_server(server, "vx_cm_server_stop"))
		return -EINVAL;
	s = vx_cm_server_state_of(server);
	if (s->listener) {
		rc = stop_listening(s);
		if (rc < 0)
			return rc;
		disconnect_all(s);
	}
	if (all_have_ended(s))
		return 0;
	return timeout_ms ? step_until(server, all_have_ended, timeout_ms) : -EAGAIN;
}

/* ---- asking ---- */

int vx_cm_server_fd(const struct vx_cm_server *server)
{
	return vx_is_no_cm_server(server, "vx_cm_server_fd") ? -EINVAL : vx_cm_server_state_of(server)->watched;
}

uint16_t vx_cm_server_port(const struct vx_cm_server *server)
{
	return vx_is_no_cm_server(server, "vx_cm_server_port") ? 0 : (uint16_t)vx_cm_server_state_of(server)->kept.port;
}

uint32_t vx_cm_server_count(const struct vx_cm_server *server)
{
	return vx_is_no_cm_server(server, "vx_cm_server_count") ? 0 : vx_cm_server_state_of(server)->kept.count;
}
