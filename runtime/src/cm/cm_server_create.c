/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Servers come and go. */

#include <errno.h>
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
#include "object/wake.h"

#define CREATE "vx_cm_server_create"
#define BACKLOG 128
#define WAITING_MS 140000

int vx_cm_check(const char *service, const struct vx_cm_qp_init *qp, const char *call)
{
	const struct { const void *handle; uint32_t kind; const char *what; } given[] = {
		{ qp->pd, VX_OBJECT_PD, "init.qp->pd" }, { qp->send_cq, VX_OBJECT_CQ, "init.qp->send_cq" },
		{ qp->recv_cq, VX_OBJECT_CQ, "init.qp->recv_cq" }, { qp->srq, VX_OBJECT_SRQ, "init.qp->srq" },
		{ qp->xrcd, VX_OBJECT_XRCD, "init.qp->xrcd" }, { qp->rwq_ind_tbl, VX_OBJECT_IND_TABLE, "init.qp->rwq_ind_tbl" },
	};
	char type[64];
	size_t i;

	if (qp->qp_type && qp->qp_type != IBV_QPT_RC) {
		vx_ibv_qp_type_snprint(type, sizeof(type), qp->qp_type);
		return vx_fail(-EINVAL, call, NULL, "init.qp->qp_type is %s, and connections have IBV_QPT_RC", type);
	}
	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (given[i].handle && vx_wrong(given[i].handle, given[i].kind, call, given[i].what))
			return -EINVAL;
	return vx_cm_is_no_port(service) ? vx_fail(-EINVAL, call, NULL, "init.service is beyond 65535, the last port") : 0;
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

static int begin_server(struct vx_cm_server_state *s, const struct vx_cm_server_init *init)
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

static int check_server(const struct vx_cm_server_init *init, const struct vx_cm_qp_init *qp, const void *out)
{
	if (!out)
		return vx_null_fail(CREATE, "out");
	if (init->comp_mask)
		return vx_unknown_bits(CREATE, "comp_mask", init->comp_mask, 0);
	if (init->backlog < 0)
		return vx_fail(-EINVAL, CREATE, NULL, "init.backlog = %d, and cannot be negative", init->backlog);
	if (init->waiting && !init->most)
		return vx_fail(-EINVAL, CREATE, NULL, "init.waiting = %u, and without init.most nobody has to wait", init->waiting);
	return vx_cm_check(init->service, qp, CREATE);
}

static void fill_server(struct vx_cm_server_state *s, struct vx_node *node, const struct vx_cm_server_init *init, const struct vx_cm_qp_init *qp)
{
	*s = (struct vx_cm_server_state){
		.kept = { .known = true, .backlog = init->backlog, .most = init->most, .waiting = init->waiting }, .init = *init, .qp = *qp, .handle = (struct vx_cm_server *)node,
		.watched = -1, .wake = -1, .clock = -1,
	};
	s->init.waiting_ms = init->waiting_ms ? init->waiting_ms : WAITING_MS;
	s->init.node = s->init.service = NULL; /* they are the program's */
	s->init.qp = NULL;
}

static int make_server(const struct vx_cm_server_init *init, const struct vx_cm_qp_init *qp, struct vx_cm_server **out)
{
	void *uses[] = VX_CM_QP_USES(qp);
	struct vx_cm_server_state *s;
	struct vx_node *node;
	int rc;

	node = vx_node_new(sizeof(*s), VX_OBJECT_CM_SERVER, end_server, uses, sizeof(uses) / sizeof(uses[0]), CREATE);
	if (!node)
		return vx_error()->code;
	s = vx_node_extra(node);
	fill_server(s, node, init, qp);
	rc = begin_server(s, init);
	if (rc == 0)
		return vx_node_link(node, s, out);
	vx_error_try();
	if (end_server(node) < 0)
		forget_server(s); /* its channel stays, which nobody has */
	vx_error_tried(0);
	vx_node_drop(node);
	return rc;
}

int vx_cm_server_create_sized(const struct vx_cm_server_init *init, size_t size, size_t qp_size, struct vx_cm_server **out)
{
	struct vx_cm_server_init own = { 0 };
	struct vx_cm_qp_init qp;
	int rc = vx_take_in(&own, offsetof(struct vx_cm_server_init, reserved_), init, size, CREATE, "init", "waiting_ms");

	if (rc == 0)
		rc = vx_take_in(&qp, sizeof(qp), own.qp, qp_size, CREATE, "init.qp", "checked");
	if (rc == 0)
		rc = check_server(&own, &qp, out);
	return rc < 0 ? rc : make_server(&own, &qp, out);
}
