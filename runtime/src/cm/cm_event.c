/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What happens to ids: events as values, and which are still to be acknowledged. */

#include <errno.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include <verbsx/own.h>

#include "cm/cm.h"
#include "error/fail.h"
#include "object/event.h"
#include "text/out.h"
#include "text/printer.h"
#include "traced.h"

/* ---- what of it counts ---- */

/* Bits of events. */
enum {
	OF_PEERS = 1 << RDMA_CM_EVENT_CONNECT_REQUEST | 1 << RDMA_CM_EVENT_CONNECT_RESPONSE | 1 << RDMA_CM_EVENT_ESTABLISHED |
		   1 << RDMA_CM_EVENT_REJECTED | 1 << RDMA_CM_EVENT_DISCONNECTED,
	OF_GROUPS = 1 << RDMA_CM_EVENT_MULTICAST_JOIN | 1 << RDMA_CM_EVENT_MULTICAST_ERROR,
	OF_USERS = 1 << VX_CM_USER,
};

static inline bool is_among(const struct rdma_cm_event *raw, unsigned int events)
{
	return (unsigned int)raw->event < 32 && events >> raw->event & 1;
}

static inline bool is_datagram(const struct rdma_cm_event *raw)
{
	return raw->id->qp_type == IBV_QPT_UD;
}

static inline enum vx_cm_param counting_in(const struct rdma_cm_event *raw)
{
	if (is_among(raw, OF_PEERS))
		return VX_SELDOM(is_datagram(raw)) ? VX_CM_PARAM_UD : VX_CM_PARAM_CONN;
	if (VX_USUALLY(!is_among(raw, OF_GROUPS | OF_USERS)))
		return VX_CM_PARAM_NONE;
	return is_among(raw, OF_GROUPS) ? VX_CM_PARAM_UD : VX_CM_PARAM_ARG;
}

/* A status of -1 is what librdmacm itself failed with, and left in errno. A code of the CM is positive. */
static VX_SELDOM_CALLED void fill_status(struct vx_cm_event *event, const struct rdma_cm_event *raw, int code)
{
	if (raw->status == -1 && code > 0)
		event->status = -code;
	if (raw->status < 0)
		return;
	if (raw->event == RDMA_CM_EVENT_REJECTED)
		event->reject = (uint32_t)raw->status;
	else if (raw->event == RDMA_CM_EVENT_UNREACHABLE)
		event->sidr = (uint32_t)raw->status;
	else
		return;
	event->status = -ECONNREFUSED;
}

/* Field by field, which is less than to clear it all before. */
static inline void fill_event(struct vx_cm_event *event, struct rdma_cm_event *raw, int code)
{
	const enum vx_cm_param param = counting_in(raw);

	event->type = raw->event;
	event->status = raw->status;
	event->reject = event->sidr = 0;
	event->raw = raw;
	event->param = param;
	event->conn = param == VX_CM_PARAM_CONN ? &raw->param.conn : NULL;
	event->ud = param == VX_CM_PARAM_UD ? &raw->param.ud : NULL;
	event->arg = 0;
	if (VX_SELDOM(raw->status))
		fill_status(event, raw, code);
	if (VX_SELDOM(param == VX_CM_PARAM_ARG))
		memcpy(&event->arg, &raw->param, sizeof(event->arg)); /* older headers have no name for it */
}

/* ---- whom it is about ---- */

/* Its context is the handle that libverbsx made; of others, anything. */
static VX_SELDOM_CALLED struct vx_node *group_of(const struct vx_node *id, const void *context)
{
	const struct vx_edge *edge = id ? id->users : NULL;

	while (edge && (edge->user != context || edge->user->kind != VX_OBJECT_CM_GROUP))
		edge = edge->older;
	return edge ? edge->user : NULL;
}

static VX_SELDOM_CALLED void lose(const struct ibv_context *verbs)
{
	struct vx_node *ctx = vx_node_of(verbs, VX_OBJECT_CTX);

	if (ctx)
		ctx->lost = true;
}

/*
 * Keep it with the object whose end would wait for it; false: that is just being closed. Once the lock is let go of, who closes that
 * acknowledges it.
 *
 * @param request  who asks for a connection, of an event of who listens
 */
static inline bool keep_cm(struct vx_event *taken, struct vx_node *channel, int code, struct vx_cm_id *request, struct vx_cm_event *event)
{
	struct vx_node *id, *group = NULL;
	struct rdma_cm_event *raw = taken->cm;
	uint64_t number;

	vx_graph_lock();
	if (VX_SELDOM(raw->event == RDMA_CM_EVENT_DEVICE_REMOVAL))
		lose(raw->id->verbs);
	id = vx_node_of(raw->listen_id ? raw->listen_id : raw->id, VX_OBJECT_CM_ID);
	if (VX_SELDOM(is_among(raw, OF_GROUPS)))
		group = group_of(id, raw->param.ud.private_data);
	number = vx_event_keep(group ? group : id ? id : channel, taken);
	if (VX_USUALLY(number)) {
		fill_event(event, raw, code);
		event->id = request ? request : (struct vx_cm_id *)id;
		event->listener = request ? (struct vx_cm_id *)id : NULL;
		event->group = (struct vx_cm_group *)group;
		event->channel = (struct vx_cm_channel *)channel;
		event->number = number;
	}
	vx_graph_unlock();
	return number;
}

/* Of datagrams nothing is offered. */
static inline void note_offer(struct vx_kept_cm_id *kept, const struct rdma_cm_event *raw)
{
	kept->asked = true;
	kept->initiator_depth = is_datagram(raw) ? RDMA_MAX_INIT_DEPTH : raw->param.conn.initiator_depth;
}

static VX_HOT int end_request(struct vx_node *node)
{
	int rc = vx_cm_id_ending(node);

	if (rc < 0)
		return rc;
	errno = 0;
	rc = rdma_destroy_id(node->object.raw);
	return rc ? vx_destroy_fail(rc, "rdma_destroy_id", node) : 0;
}

/* Somebody asks for a connection: the new id is the program's, and so has a handle. Nobody else can have one of it, as adopting would ask. */
static int give_request(struct vx_node *channel, const struct rdma_cm_event *raw, struct vx_cm_id **id)
{
	void *uses[] = { channel };
	struct vx_node *node = vx_node_new(sizeof(struct vx_kept_cm_id), VX_OBJECT_CM_ID, end_request, uses, 1, "vx_cm_channel_get_event");

	if (VX_SELDOM(!node)) {
		rdma_destroy_id(raw->id);
		return vx_error()->code;
	}
	note_offer(vx_node_extra(node), raw);
	return vx_node_link(node, raw->id, id);
}

/* Of what is being closed, which waits for the acknowledgement. @param request  the handle of a new id; NULL: there is none */
static VX_SELDOM_CALLED int give_nobody(struct vx_event *taken, int rc, struct vx_cm_id *request)
{
	vx_close(request);
	rdma_ack_cm_event(taken->cm);
	vx_event_free(taken);
	return rc < 0 ? rc : VX_NOTHING;
}

static inline int give_cm(struct vx_event *taken, struct vx_node *channel, int code, struct vx_cm_event *event)
{
	struct vx_cm_id *request = NULL;
	int rc = taken->cm->listen_id ? give_request(channel, taken->cm, &request) : 0;

	if (VX_SELDOM(rc < 0))
		return give_nobody(taken, rc, NULL);
	return VX_USUALLY(keep_cm(taken, channel, code, request, event)) ? 0 : give_nobody(taken, rc, request);
}

/* What the caller has is left as it was where there is nothing for it: it may be an event that is still to be acknowledged. */
static VX_HOT int take_cm(struct vx_node *channel, void *event)
{
	struct vx_event *taken = vx_event_new("vx_cm_channel_get_event");
	int rc;

	if (!taken)
		return -ENOMEM;
	errno = 0;
	if (VX_USUALLY(!rdma_get_cm_event(channel->object.raw, &taken->cm)))
		return give_cm(taken, channel, errno, event);
	rc = vx_event_read_fail("rdma_get_cm_event", channel);
	vx_event_free(taken);
	return rc;
}

/* A program of other headers has another structure. */
static VX_SELDOM_CALLED int get_otherwise(struct vx_cm_channel *channel, int timeout_ms, struct vx_cm_event *event, size_t size)
{
	struct vx_cm_event own;
	int rc;

	if (vx_wrong(channel, VX_OBJECT_CM_CHANNEL, "vx_cm_channel_get_event", "channel"))
		return -EINVAL;
	if (vx_no_place(event, size, "vx_cm_channel_get_event", "event"))
		return -EINVAL;
	rc = vx_cm_channel_get_event_sized(channel, timeout_ms, &own, sizeof(own));
	if (rc == 0)
		vx_give_out(event, size, &own, sizeof(own));
	return rc;
}

VX_HOT int vx_cm_channel_get_event_sized(struct vx_cm_channel *channel, int timeout_ms, struct vx_cm_event *event, size_t size)
{
	if (VX_SELDOM(!vx_is_handle(channel, VX_OBJECT_CM_CHANNEL) || !event || size != sizeof(*event)))
		return get_otherwise(channel, timeout_ms, event, size);
	return vx_event_wait((struct vx_node *)channel, vx_cm_channel_raw(channel)->fd, take_cm, timeout_ms, event);
}

VX_HOT void vx_cm_event_ack(struct vx_cm_event *event)
{
	struct vx_event *entry;

	if (!event || !event->number)
		return;
	entry = vx_event_take_out(event->number);
	event->raw = NULL;
	event->conn = NULL;
	event->ud = NULL;
	if (entry)
		rdma_ack_cm_event(entry->cm);
	vx_event_free(entry);
}

/* ---- UD ---- */

VX_SELDOM_CALLED int vx_cm_event_ah(const struct vx_cm_event *event, struct vx_ah **out)
{
	const struct ibv_ah_attr *attr;
	struct vx_pd *pd;
	int rc;

	if (!event || !out)
		return vx_null_fail("vx_cm_event_ah", event ? "out" : "event");
	if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return vx_fail(-EINVAL, "vx_cm_event_ah", VX_NAME(event->listener), "CONNECT_REQUEST does not tell where the peer is: "
			       "what it sends does, vx_ah_create_from_wc()");
	if (event->number && !event->raw)
		return vx_fail(-EINVAL, "vx_cm_event_ah", NULL, "the event was acknowledged, and what it told went with it");
	if (!event->ud || !event->id)
		return vx_fail(-EINVAL, "vx_cm_event_ah", NULL, "the event tells of no peer of a UD id, nor of a multicast group");
	rc = vx_cm_id_pd(event->id, &pd);
	if (rc < 0)
		return rc;
	attr = &event->ud->ah_attr;
	rc = vx_ah_create(pd, &(struct vx_ah_init){
		.comp_mask = VX_AH_INIT_HOP_LIMIT, .grh = attr->grh, .dlid = attr->dlid, .sl = attr->sl, .src_path_bits = attr->src_path_bits,
		.static_rate = attr->static_rate, .is_global = attr->is_global, .port_num = attr->port_num,
	}, out);
	VX_LOCKED(((struct vx_node *)pd)->given--); /* which the AH keeps, and this does not need any more */
	return rc;
}

/* ---- as text ---- */

/* A field of an event as it is printed. */
static VX_SELDOM_CALLED void put_of_event(struct vx_out *out, const struct vx_cm_event *event, const char *name)
{
	const struct vx_view view = vx_view_of(VX_STRUCT(vx_cm_event), event);
	struct vx_place place;

	if (vx_place_find(&view, name, 0, &place))
		vx_put_place(out, &place);
}

/* What an errno means of that event, where libverbsx knows more than its name. */
static VX_SELDOM_CALLED void put_advice(struct vx_out *out, const struct vx_cm_event *event)
{
	static const struct { int type, status; char advice[72]; } known[] = {
		{ RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, "no RDMA device of this host leads to the address" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH, "no route of this host leads to the address" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH, "no route of this host leads to the address" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT, "nobody answers for the address on its network: does it answer ping(8)?" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -EADDRNOTAVAIL, "the address to come from is none of this host" },
		{ RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT, "the subnet administrator does not answer" },
		{ RDMA_CM_EVENT_ROUTE_ERROR, -EINVAL, "the subnet administrator has no path to the peer" },
		{ RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, "the peer does not answer" },
		/* of iWARP, which has no numbers of its own for this */
		{ RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, "nobody listens at the peer's port, or its program said no" },
		{ RDMA_CM_EVENT_REJECTED, -ECONNRESET, "the peer has reset the connection" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].type == (int)event->type && known[i].status == event->status)
			vx_put_format(out, ", %s", known[i].advice);
	if (event->type == RDMA_CM_EVENT_ADDR_ERROR && (event->status == -ENODEV || event->status == -EADDRNOTAVAIL))
		vx_put_cm_addresses(out);
}

static VX_SELDOM_CALLED void put_why(struct vx_out *out, const struct vx_cm_event *event)
{
	const char *field = event->reject ? "reject" : event->sidr ? "sidr" : "status";

	vx_put_string(out, ": ");
	put_of_event(out, event, field);
	if (!event->reject && !event->sidr)
		put_advice(out, event);
}

VX_SELDOM_CALLED size_t vx_cm_event_text(char *buf, size_t len, const struct vx_cm_event *event)
{
	struct vx_out out = vx_out_in(buf, len);

	if (!event)
		return vx_out_finish(&out);
	put_of_event(&out, event, "type");
	if (event->id) {
		vx_put_string(&out, " of ");
		put_of_event(&out, event, "id");
	}
	if (event->status)
		put_why(&out, event);
	return vx_out_finish(&out);
}
