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

static enum vx_cm_param counting_in(const struct rdma_cm_event *raw)
{
	switch (raw->event) {
	case RDMA_CM_EVENT_MULTICAST_JOIN:
	case RDMA_CM_EVENT_MULTICAST_ERROR:
		return VX_CM_PARAM_UD;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
	case RDMA_CM_EVENT_ESTABLISHED:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
		return raw->id->qp_type == IBV_QPT_UD ? VX_CM_PARAM_UD : VX_CM_PARAM_CONN;
	default:
		return (int)raw->event == VX_CM_USER ? VX_CM_PARAM_ARG : VX_CM_PARAM_NONE;
	}
}

/* A code of the CM is positive. */
static VX_SELDOM_CALLED void fill_code(struct vx_cm_event *event, const struct rdma_cm_event *raw)
{
	if (raw->event == RDMA_CM_EVENT_REJECTED)
		event->reject = (uint32_t)raw->status;
	else if (raw->event == RDMA_CM_EVENT_UNREACHABLE)
		event->sidr = (uint32_t)raw->status;
	else
		return;
	event->status = -ECONNREFUSED;
}

/* A status of -1 is what librdmacm itself failed with, and left in errno. */
static void fill_event(struct vx_cm_event *event, struct rdma_cm_event *raw, int code)
{
	const enum vx_cm_param param = counting_in(raw);

	*event = (struct vx_cm_event){
		.type = raw->event, .status = raw->status == -1 && code > 0 ? -code : raw->status, .raw = raw, .param = param,
		.conn = param == VX_CM_PARAM_CONN ? &raw->param.conn : NULL, .ud = param == VX_CM_PARAM_UD ? &raw->param.ud : NULL,
	};
	if (VX_SELDOM(raw->status > 0))
		fill_code(event, raw);
	if (VX_SELDOM(param == VX_CM_PARAM_ARG))
		memcpy(&event->arg, &raw->param, sizeof(event->arg)); /* older headers have no name for it */
}

/* ---- whom it is about ---- */

static bool is_multicast(const struct rdma_cm_event *raw)
{
	return raw->event == RDMA_CM_EVENT_MULTICAST_JOIN || raw->event == RDMA_CM_EVENT_MULTICAST_ERROR;
}

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

/* Keep it with the object whose end would wait for it; false: that is just being closed. */
static bool keep_cm(struct vx_event *taken, struct vx_node *channel, struct vx_cm_event *event)
{
	const struct rdma_cm_event *raw = event->raw;
	struct vx_node *id, *group = NULL;

	vx_graph_lock();
	if (raw->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		lose(raw->id->verbs);
	id = vx_node_of(raw->listen_id ? raw->listen_id : raw->id, VX_OBJECT_CM_ID);
	if (VX_SELDOM(is_multicast(raw)))
		group = group_of(id, raw->param.ud.private_data);
	event->group = (struct vx_cm_group *)group;
	event->number = vx_event_keep(group ? group : id ? id : channel, taken);
	if (raw->listen_id)
		event->listener = (struct vx_cm_id *)id;
	else
		event->id = (struct vx_cm_id *)id;
	vx_graph_unlock();
	return event->number;
}

static void note_offer(struct vx_kept_cm_id *kept, const struct vx_cm_event *event)
{
	kept->asked = true;
	kept->initiator_depth = event->conn ? event->conn->initiator_depth : RDMA_MAX_INIT_DEPTH; /* datagrams have none */
}

/* Somebody asks for a connection: the new id is the program's, and so has a handle. */
static int give_request(struct vx_node *channel, struct vx_cm_event *event)
{
	struct rdma_cm_id *raw = event->raw->id;
	int rc = vx_cm_id_adopt((struct vx_cm_channel *)channel, raw, &event->id);

	if (rc < 0)
		rdma_destroy_id(raw);
	else
		note_offer(vx_node_extra((struct vx_node *)event->id), event);
	return rc;
}

static VX_HOT int give_cm(struct vx_event *taken, struct vx_node *channel, struct vx_cm_event *event)
{
	int rc = event->raw->listen_id ? give_request(channel, event) : 0;

	taken->cm = event->raw;
	event->channel = (struct vx_cm_channel *)channel;
	if (rc == 0 && keep_cm(taken, channel, event))
		return 0;
	if (rc == 0 && event->raw->listen_id)
		vx_close(event->id);
	rdma_ack_cm_event(event->raw);
	vx_event_free(taken);
	return rc < 0 ? rc : VX_NOTHING;
}

static VX_HOT int take_cm(struct vx_node *channel, void *out)
{
	struct vx_event *taken = vx_event_new("vx_cm_channel_get_event");
	struct vx_cm_event *event = out;
	struct rdma_cm_event *raw;
	int rc;

	if (!taken)
		return -ENOMEM;
	errno = 0;
	if (!rdma_get_cm_event(channel->object.raw, &raw)) {
		fill_event(event, raw, errno);
		return give_cm(taken, channel, event);
	}
	rc = vx_event_read_fail("rdma_get_cm_event", channel);
	vx_event_free(taken);
	return rc;
}

/* What the caller has is left as it was where there is nothing for it: it may be an event that is still to be acknowledged. */
VX_HOT int vx_cm_channel_get_event_sized(struct vx_cm_channel *channel, int timeout_ms, struct vx_cm_event *event, size_t size)
{
	struct vx_cm_event own;
	int rc;

	if (vx_wrong(channel, VX_OBJECT_CM_CHANNEL, "vx_cm_channel_get_event", "channel"))
		return -EINVAL;
	if (vx_no_place(event, size, "vx_cm_channel_get_event", "event"))
		return -EINVAL;
	rc = vx_event_wait((struct vx_node *)channel, vx_cm_channel_raw(channel)->fd, take_cm, timeout_ms, &own);
	if (rc == 0)
		VX_GIVE_OFTEN(event, size, own);
	return rc;
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
	vx_node_unask((struct vx_node *)pd);
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
