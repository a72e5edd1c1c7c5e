/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The state machine of an id, as messages of the other end move it. */
#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "cm/cm.h"
#include "engine/clock.h"
#include "objects/cq.h"
#include "objects/port.h"
#include "objects/qp.h"

/* A DREQ, for a program that does not look into its CQs */
#define HELD_BACK (100 * NS_PER_MS)

/* What is left of a MAD for private data: the peer always gets all of it */
static const uint8_t private_data[CM_MADS] = {
	[CM_REQ] = 56,	 [CM_REP] = 196,      [CM_REJ] = 148,	   [CM_DREQ] = 220,
	[CM_DREP] = 224, [CM_SIDR_REQ] = 180, [CM_SIDR_REP] = 136,
};

/* Of a request by GIDs, where the CMA needs no header for IP addresses */
#define PRIVATE_DATA_AF_IB 92
#define AF_INFINIBAND 27

uint8_t cm_private_room(const struct cm_id *id, enum cm_mad_type type)
{
	return type == CM_REQ && id->src.ss_family == AF_INFINIBAND ? PRIVATE_DATA_AF_IB : private_data[type];
}

struct cm_mad cm_mad_of(const struct cm_id *id, enum cm_mad_type type)
{
	struct cm_mad m = { .type = type,
			    .from = cm_id_outside(id),
			    .to = id->peer,
			    .ps = id->ps,
			    .qp_type = id->qp_type,
			    .psn = id->psn };

	return m;
}

/* What an event tells of the peer's parameters: its depth is our resources */
static void tell_connection(struct cm_event *e, const struct cm_mad *m, uint8_t room)
{
	struct rdma_ucm_conn_param *p = &e->resp.param.conn;

	*p = m->param;
	p->responder_resources = m->param.initiator_depth;
	p->initiator_depth = m->param.responder_resources;
	p->private_data_len = room;
	p->valid = 0;
	e->resp.ece = m->ece;
}

static void tell_datagram(struct cm_event *e, const struct cm_mad *m, uint8_t room)
{
	struct rdma_ucm_ud_param *p = &e->resp.param.ud;

	memset(p, 0, sizeof(*p));
	p->qp_num = m->param.qp_num;
	p->qkey = CM_UDP_QKEY;
	memcpy(p->private_data, m->param.private_data, room);
	p->private_data_len = room;
}

static void set_peer(struct cm_id *id, unsigned int place, const struct cm_mad *m)
{
	id->peer = m->from;
	id->peer_place = place;
	id->peer_qpn = m->param.qp_num;
}

/* What a request says of the two ends: the address is the one that the peer asked for */
static void set_ends(struct cm_id *id, const struct cm_mad *m, const struct cm_id *listener)
{
	const struct port *p = listener->port;

	id->src = m->dst;
	id->dst = m->src;
	id->port = p ? p : cm_port_of(&m->dst);
	id->port = id->port ? id->port : port_get(1);
	id->sgid_index = cm_sgid_index(id->port, &m->dst);
	memcpy(id->dgid, m->sgid, GID_SIZE);
	id->dlid = m->slid;
	id->has_route = true;
}

/* An XRC connection goes one way: the other end has the other half */
static uint8_t other_half(uint8_t qp_type)
{
	switch (qp_type) {
	case IBV_QPT_XRC_SEND:
		return IBV_QPT_XRC_RECV;
	case IBV_QPT_XRC_RECV:
		return IBV_QPT_XRC_SEND;
	default:
		return qp_type;
	}
}

void cm_request(struct cm_id *listener, unsigned int place, const struct cm_mad *m)
{
	struct cm_event *e;
	struct cm_id *id;

	/* When too many wait it gets lost, and comes again */
	if (!listener->backlog)
		return;
	id = cm_id_new(listener->file, m->ps, other_half(m->qp_type));
	if (!id)
		return;
	listener->backlog--;
	id->passive = true;
	id->state = CM_REQ_RECEIVED;
	id->psn = m->psn;
	id->retry_count = m->param.retry_count;
	set_ends(id, m, listener);
	set_peer(id, place, m);
	id->responder_resources = m->param.initiator_depth;
	id->initiator_depth = m->param.responder_resources;
	id->rnr_retry_count = m->param.rnr_retry_count;
	e = cm_event_post(listener, CM_CONNECT_REQUEST, 0);
	e->fresh = id;
	e->resp.id = id->number;
	if (cm_is_datagram(id))
		tell_datagram(e, m, private_data[CM_SIDR_REQ]);
	else
		tell_connection(e, m, cm_private_room(id, CM_REQ));
}

/* As the kernel does for a program that takes its time; the peer would give up after some tries */
static void ask_for_patience(struct cm_id *id)
{
	struct cm_mad m = cm_mad_of(id, CM_MRA);

	cm_send(id, &m);
}

void cm_hear_again(struct cm_id *id, const struct cm_mad *m)
{
	struct cm_mad rtu = cm_mad_of(id, CM_RTU);

	if (m->type == CM_REP && id->state == CM_CONNECTED) /* our RTU got lost */
		cm_send(id, &rtu);
	else if (id->state == (m->type == CM_REP ? CM_REP_RECEIVED : CM_REQ_RECEIVED) && !cm_is_datagram(id))
		ask_for_patience(id);
}

static void hear_mra(struct cm_id *id, const struct cm_mad *m)
{
	(void)m;
	if (id->state == CM_REQ_SENT || id->state == CM_REP_SENT)
		cm_be_patient(id);
}

static void hear_rep(struct cm_id *id, const struct cm_mad *m)
{
	if (id->state != CM_REQ_SENT) {
		cm_hear_again(id, m);
		return;
	}
	cm_expect_nothing(id);
	id->peer_qpn = m->param.qp_num;
	id->state = CM_REP_RECEIVED;
	id->responder_resources = m->param.initiator_depth;
	id->initiator_depth = m->param.responder_resources;
	id->rnr_retry_count = m->param.rnr_retry_count;
	tell_connection(cm_event_post(id, CM_CONNECT_RESPONSE, 0), m, private_data[CM_REP]);
}

static void hear_rtu(struct cm_id *id, const struct cm_mad *m)
{
	(void)m;
	if (id->state != CM_REP_SENT)
		return;
	id->state = CM_CONNECTED;
	cm_expect_nothing(id);
	cm_event_post(id, CM_ESTABLISHED, 0);
}

/* Until both ends have parted; who has not been accepted yet is nobody to tell an event of */
static void hear_rej(struct cm_id *id, const struct cm_mad *m)
{
	struct cm_event *e;

	if (id->state < CM_REQ_SENT || id->state > CM_DREQ_SENT)
		return;
	id->state = CM_OVER;
	cm_expect_nothing(id);
	e = cm_event_post(id, CM_REJECTED, m->status);
	memcpy(e->resp.param.conn.private_data, m->param.private_data, private_data[CM_REJ]);
	e->resp.param.conn.private_data_len = private_data[CM_REJ];
}

static bool is_connected(const struct cm_id *id)
{
	return id->state == CM_CONNECTED || id->state == CM_REP_SENT || id->state == CM_REP_RECEIVED;
}

static bool has_untaken(const struct cm_id *id)
{
	const struct qp *q = qp_by_number(id->qpn);

	return q && q->recv_cq && (cq_used(q->recv_cq) || cq_used(q->send_cq));
}

/*
 * Hardware has written completions before the DREQ has made its way through two kernels: a program finds them first. Here
 * both may come in one turn, between its looking for the one and for the other; and then it destroys the QP.
 */
static bool comes_too_early(struct cm_id *id)
{
	if (id->state != CM_CONNECTED || !has_untaken(id))
		return false;
	if (!id->dreq_at)
		id->dreq_at = clock_now();
	if (clock_now() - id->dreq_at >= HELD_BACK)
		return false;
	cm_hear_dreq_soon(id);
	return true;
}

static void hear_dreq(struct cm_id *id, const struct cm_mad *m)
{
	(void)m;
	if (is_connected(id)) {
		if (comes_too_early(id))
			return;
		id->state = CM_DREQ_RECEIVED;
		cm_expect_nothing(id);
		cm_event_post(id, CM_DISCONNECTED, 0)->resp.param.conn.private_data_len =
			private_data[CM_DREQ];
	} else if (id->state == CM_DREQ_SENT || id->state == CM_OVER) {
		cm_answer_departure(id);
	}
}

static void end_connection(struct cm_id *id)
{
	cm_event_post(id, CM_DISCONNECTED, 0)->resp.param.conn.private_data_len = private_data[CM_DREP];
	cm_depart(id);
}

static void hear_drep(struct cm_id *id, const struct cm_mad *m)
{
	(void)m;
	if (id->state == CM_DREQ_SENT)
		end_connection(id);
}

static void hear_sidr_rep(struct cm_id *id, const struct cm_mad *m)
{
	struct cm_event *e;

	if (id->state != CM_REQ_SENT)
		return;
	id->state = CM_OVER;
	cm_expect_nothing(id);
	if (m->status) {
		cm_event_post(id, CM_UNREACHABLE, m->status);
		return;
	}
	e = cm_event_post(id, CM_ESTABLISHED, 0);
	tell_datagram(e, m, private_data[CM_SIDR_REP]);
	cm_put_ah(&e->resp.param.ud.ah_attr, id);
}

/* Its process has ended: the kernel there would have sent a DREQ, or a REJ */
static void hear_gone(struct cm_id *id, const struct cm_mad *m)
{
	(void)m;
	cm_give_up(id);
}

static void hear_nothing(struct cm_id *id, const struct cm_mad *m)
{
	(void)id;
	(void)m;
}

void cm_hear(struct cm_id *id, const struct cm_mad *m)
{
	static void (*const hear[CM_MADS])(struct cm_id * id, const struct cm_mad *m) = {
		[CM_REP] = hear_rep,   [CM_RTU] = hear_rtu,	  [CM_REJ] = hear_rej,
		[CM_DREQ] = hear_dreq, [CM_DREP] = hear_drep,	  [CM_SIDR_REP] = hear_sidr_rep,
		[CM_GONE] = hear_gone, [CM_ALIVE] = hear_nothing, [CM_MRA] = hear_mra,
	};

	if (m->type < CM_MADS && hear[m->type])
		hear[m->type](id, m);
}

void cm_give_up(struct cm_id *id)
{
	if (id->state == CM_REQ_SENT || (id->state == CM_REP_SENT && id->tries)) {
		id->state = CM_OVER;
		cm_expect_nothing(id);
		cm_event_post(id, CM_UNREACHABLE, -ETIMEDOUT);
	} else if (is_connected(id) || id->state == CM_DREQ_SENT) {
		end_connection(id);
	}
}
