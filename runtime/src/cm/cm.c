/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ids of librdmacm: what goes with them, and the contexts that it lends. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rdma/rdma_cma.h>

#include "cm/cm.h"
#include "error/fail.h"
#include "reason/reason.h"
#include "text/form.h"
#include "traced.h"

/* ---- the end of an id ---- */

static bool is_other_of_device(const struct vx_node *node, const struct rdma_cm_id *id)
{
	return node->object.raw != id && ((const struct rdma_cm_id *)node->object.raw)->verbs == id->verbs;
}

static bool is_live(const struct vx_node *node, const void *raw)
{
	return node->state == VX_NODE_LIVE && is_other_of_device(node, raw);
}

/* Or is being closed, and has not come to its own end: the last that comes there is the last. */
static bool is_not_gone(const struct vx_node *node, const void *raw)
{
	return (node->state == VX_NODE_LIVE || node->state == VX_NODE_CLOSING) && is_other_of_device(node, raw);
}

static bool is_lent_pd(const struct vx_node *node)
{
	return node->lent && node->kind == VX_OBJECT_PD;
}

/* The raw PD that a context has of librdmacm, if it has a handle. Under the lock. */
static const void *lent_pd_of(const struct vx_node *ctx)
{
	const struct vx_edge *edge = ctx->users;

	while (edge && !is_lent_pd(edge->user))
		edge = edge->older;
	return edge ? edge->user->object.raw : NULL;
}

/* librdmacm ends its PD with the last id of a device. Under the lock, as others may get there meanwhile. */
static const void *pd_without(bool (*is_other)(const struct vx_node *node, const void *raw), const struct rdma_cm_id *id)
{
	const struct vx_node *ctx = vx_node_of(id->verbs, VX_OBJECT_CTX);

	if (!ctx || !ctx->lends) /* as a look at all ids takes long where there are many without a device */
		return NULL;
	return vx_registry_any(VX_OBJECT_CM_ID, is_other, id) ? NULL : lent_pd_of(ctx);
}

static const void *ending_pd(const void *raw)
{
	return pd_without(is_not_gone, raw);
}

/* Once all that is being closed has gone. */
static const void *pd_that_will_end(const void *raw)
{
	return pd_without(is_live, raw);
}

/* Who has its handle from another thread meanwhile has an id of the device, with which it stays. */
static inline bool may_lend_pd(const struct rdma_cm_id *id)
{
	return VX_SELDOM(id->verbs && __atomic_load_n(&vx_graph.lends, __ATOMIC_RELAXED));
}

/* Each CQ that librdmacm made for a queue of an id has a channel; else the program made the CQs, or there is no QP. */
static inline bool has_own_cqs(const struct rdma_cm_id *id)
{
	return VX_SELDOM(id->send_cq_channel || id->recv_cq_channel);
}

static VX_SELDOM_CALLED int with_each_lent(vx_lent_does *do_it, const void *const *lent, size_t count)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < count && rc == 0; i++)
		rc = lent[i] ? do_it(NULL, lent[i]) : 0;
	return rc;
}

static VX_SELDOM_CALLED int with_cqs(vx_lent_does *do_it, const struct rdma_cm_id *id)
{
	const void *const lent[] = { id->send_cq, id->recv_cq, id->send_cq_channel, id->recv_cq_channel };

	return with_each_lent(do_it, lent, sizeof(lent) / sizeof(lent[0]));
}

/* All, or none where something is in use. */
static VX_SELDOM_CALLED int end_cqs(const struct rdma_cm_id *id)
{
	int rc = with_cqs(vx_lent_look, id);

	return rc < 0 ? rc : with_cqs(vx_lent_end, id);
}

/* What goes with an id, in turn. */
static VX_SELDOM_CALLED int with_what_goes(vx_lent_does *do_it, const struct rdma_cm_id *id)
{
	const void *const lent[] = { id->qp, id->srq };
	int rc = with_each_lent(do_it, lent, sizeof(lent) / sizeof(lent[0]));

	if (rc == 0 && has_own_cqs(id))
		rc = with_cqs(do_it, id);
	return rc == 0 && may_lend_pd(id) ? do_it(ending_pd, id) : rc;
}

static VX_SELDOM_CALLED int end_what_goes(const struct rdma_cm_id *id)
{
	int rc = with_what_goes(vx_lent_look, id);

	return rc < 0 ? rc : with_what_goes(vx_lent_end, id);
}

/* Most often it is the last that goes of a connection. */
VX_HOT int vx_cm_id_ending(struct vx_node *node)
{
	const struct rdma_cm_id *id = node->object.raw;

	return VX_SELDOM(id->qp || id->srq) || has_own_cqs(id) || may_lend_pd(id) ? end_what_goes(id) : 0;
}

VX_HOT bool vx_cm_is_synchronous(const struct vx_cm_id *id)
{
	const struct vx_node *node = (const struct vx_node *)id;

	return !node->uses || vx_node_used(node, 0)->type != VX_OBJECT_CM_CHANNEL;
}

/* Of a synchronous id librdmacm waits for the peer's answer, which may not come for a minute: its channel, which nobody else reads, does not. */
static VX_SELDOM_CALLED void disconnect_now(struct rdma_cm_id *id)
{
	const int fd = id->channel->fd, flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	rdma_disconnect(id);
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags);
}

static inline void disconnect(const struct vx_node *node, struct rdma_cm_id *id)
{
	if (VX_SELDOM(vx_cm_is_synchronous((const struct vx_cm_id *)node)))
		disconnect_now(id);
	else
		rdma_disconnect(id);
}

/*
 * A peer that is not told would go on sending until it is out of retries. It is told last: what is refused leaves the connection as it is,
 * also where it is the id that is closed, with which the PD goes.
 */
VX_HOT int vx_cm_qp_ending(struct vx_node *node)
{
	const struct vx_node *parent = vx_node_used(node, 0);
	struct rdma_cm_id *id = parent->object.raw;
	int rc = may_lend_pd(id) && parent->state == VX_NODE_CLOSING ? vx_lent_look(pd_that_will_end, id) : 0;

	if (rc == 0 && has_own_cqs(id) && !(id->qp_type == IBV_QPT_XRC_RECV && id->srq))
		rc = end_cqs(id);
	if (rc == 0 && id->qp_type != IBV_QPT_UD)
		disconnect(parent, id);
	return rc;
}

int vx_cm_srq_ending(struct vx_node *node)
{
	const struct rdma_cm_id *id = vx_node_used(node, 0)->object.raw;

	return !id->qp && has_own_cqs(id) ? end_cqs(id) : 0;
}

/* A synchronous id keeps its last event, for which leaving the group would wait. */
int vx_cm_group_ending(struct vx_node *node)
{
	struct rdma_cm_id *id = vx_node_used(node, 0)->object.raw;

	if (id->event && id->event->event == RDMA_CM_EVENT_MULTICAST_JOIN) {
		rdma_ack_cm_event(id->event);
		id->event = NULL;
	}
	return 0;
}

int vx_cm_leave(struct rdma_cm_id *id, struct sockaddr *addr)
{
	const int rc = rdma_leave_multicast(id, addr);

	return rc && errno == EADDRNOTAVAIL ? 0 : rc;
}

/* The newest of an id's groups that has events to be acknowledged. Under the lock. */
static struct vx_node *told_group_of(const struct vx_node *id)
{
	const struct vx_edge *edge = id->users;

	while (edge && !(edge->user->kind == VX_OBJECT_CM_GROUP && edge->user->events))
		edge = edge->older;
	return edge ? edge->user : NULL;
}

/* Those of its groups count as its own. */
void vx_cm_id_settle(struct vx_cm_id *id)
{
	struct vx_node *told = (struct vx_node *)id;

	vx_graph_lock();
	do
		vx_events_settle(told);
	while ((told = told_group_of((struct vx_node *)id)));
	vx_graph_unlock();
}

/* ---- what asks one that listens ---- */

/* Where it cannot make the QP of a new id it forgets that, and who asks would wait: as it ends the peer is told. */
VX_SELDOM_CALLED int vx_cm_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id)
{
	const int rc = rdma_get_request(listener, id), code = errno;
	struct rdma_cm_event *event = rc ? listener->event : NULL;

	if (!event || event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return rc;
	listener->event = NULL;
	rdma_destroy_id(event->id);
	rdma_ack_cm_event(event);
	errno = code;
	return rc;
}

/* ---- what is made on one ---- */

/* 0: of no family that librdmacm has; of one that nobody knows the family alone is known. */
static size_t length_of(const struct sockaddr *addr)
{
	const size_t length = vx_sockaddr_length(addr);

	return length > sizeof(addr->sa_family) ? length : 0;
}

int vx_cm_group_begin(struct vx_kept_cm_group *kept, struct vx_cm_group_init *init)
{
	const size_t length = length_of(init->addr);

	if (!length)
		return vx_fail(-EAFNOSUPPORT, "vx_cm_group_create", NULL, "addr is of family %d, which is none of AF_INET, AF_INET6 and AF_IB",
			       init->addr->sa_family);
	memcpy(&kept->addr, init->addr, length);
	kept->joined = init->addr = (struct sockaddr *)&kept->addr;
	return 0;
}

bool vx_cm_is_no_address(const struct sockaddr *addr)
{
	return !length_of(addr);
}

bool vx_cm_is_no_port(const char *service)
{
	char *end = NULL;
	unsigned long port = service ? strtoul(service, &end, 10) : 0;

	return port > UINT16_MAX && !*end;
}

bool vx_cm_is_too_deep(const struct vx_cm_id *id, const struct rdma_conn_param *conn_param)
{
	const struct vx_kept_cm_id *kept = vx_node_extra((const struct vx_node *)id);

	return conn_param && kept->asked && conn_param->initiator_depth != RDMA_MAX_INIT_DEPTH &&
	       conn_param->initiator_depth > kept->initiator_depth;
}

bool vx_cm_lacks_cq(const struct vx_cm_addrinfo *addrinfo, const struct ibv_qp_init_attr *attr)
{
	const int type = addrinfo ? vx_cm_addrinfo_raw(addrinfo)->ai_qp_type : 0;

	if (!attr || type == IBV_QPT_XRC_RECV)
		return false;
	return !(attr->send_cq || attr->cap.max_send_wr) || !(attr->recv_cq || attr->cap.max_recv_wr || type == IBV_QPT_XRC_SEND);
}

/* ---- contexts ---- */

static int lend(struct ibv_context **raw, struct vx_ctx **out, size_t count)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < count && rc == 0; i++)
		rc = vx_ctx_borrow(raw[i], &out[i]);
	while (rc < 0 && i-- > 1)
		vx_close(out[i - 1]);
	return rc;
}

static int lend_all(struct vx_ctx **out, size_t room, size_t *count)
{
	struct ibv_context **raw;
	int rc, number = 0;

	errno = 0;
	raw = rdma_get_devices(&number);
	if (!raw)
		return vx_call_refused(vx_code_in_errno(), NULL, SIGNATURE_rdma_get_devices, NULL, VX_ARGS(VX_ARG(&number)));
	*count = (size_t)number;
	rc = lend(raw, out, *count < room ? *count : room);
	rdma_free_devices(raw);
	return rc;
}

/* librdmacm opens all devices with a lock held, which others would wait for. */
int vx_cm_contexts(struct vx_ctx **out, size_t room, size_t *count)
{
	int rc;

	if ((!out && room) || !count)
		return vx_null_fail("vx_cm_contexts", count ? "out" : "count");
	VX_NOT_CANCELLED(rc = lend_all(out, room, count));
	return rc;
}
