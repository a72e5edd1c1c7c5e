/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* How two ends come together and part: the state machine of an id. */
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

#define MAX_RETRIES 7

static uint8_t room_of(const struct cm_id *id, enum cm_mad_type type)
{
	return type == CM_REQ && id->src.ss_family == AF_INFINIBAND ? PRIVATE_DATA_AF_IB : private_data[type];
}

static struct cm_mad mad(const struct cm_id *id, enum cm_mad_type type)
{
	struct cm_mad m = { .type = type,
			    .from = cm_id_outside(id),
			    .to = id->peer,
			    .ps = id->ps,
			    .qp_type = id->qp_type,
			    .psn = id->psn };

	return m;
}

/* Messages have three bits for it: a program that wants more has 7, which is for ever where a receiver is not ready */
static uint8_t retries(uint8_t asked)
{
	return asked < MAX_RETRIES ? asked : MAX_RETRIES;
}

/* How often a peer that is not ready is asked again, the peer says */
static void keep_params(struct cm_id *id, const struct rdma_ucm_conn_param *p)
{
	id->qpn = p->qp_num;
	id->responder_resources = p->responder_resources;
	id->initiator_depth = p->initiator_depth;
	if (!id->passive)
		id->retry_count = retries(p->retry_count);
}

static int put_params(struct cm_mad *m, const struct cm_id *id, const struct rdma_ucm_conn_param *p,
		      const struct rdma_ucm_ece *ece)
{
	if (p->private_data_len > room_of(id, m->type))
		return EINVAL;
	m->param = *p;
	m->param.retry_count = retries(p->retry_count);
	m->param.rnr_retry_count = retries(p->rnr_retry_count);
	memset(m->param.private_data + p->private_data_len, 0,
	       sizeof(m->param.private_data) - p->private_data_len);
	if (ece)
		m->ece = *ece;
	return 0;
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

int cm_connect(struct cm_id *id, const struct rdma_ucm_conn_param *p, const struct rdma_ucm_ece *ece)
{
	struct cm_mad m = mad(id, cm_is_datagram(id) ? CM_SIDR_REQ : CM_REQ);
	int rc = p->valid && id->has_route && id->state == CM_IDLE ? put_params(&m, id, p, ece) : EINVAL;

	if (rc)
		return rc;
	keep_params(id, p);
	m.src = id->src;
	m.dst = id->dst;
	m.slid = id->port->lid;
	memcpy(m.sgid, port_gid(id->port, id->sgid_index)->raw, GID_SIZE);
	id->state = CM_REQ_SENT;
	cm_send_until_answered(id, &m);
	return 0;
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
		tell_connection(e, m, room_of(id, CM_REQ));
}

/* Of the active side, from within the library: it has moved its QP */
static int ready_to_use(struct cm_id *id)
{
	struct cm_mad m = mad(id, CM_RTU);

	if (id->state != CM_REP_RECEIVED)
		return EINVAL;
	id->state = CM_CONNECTED;
	cm_send(id, &m);
	cm_expect_nothing(id);
	return 0;
}

int cm_accept(struct cm_id *id, const struct rdma_ucm_conn_param *p, const struct rdma_ucm_ece *ece)
{
	struct cm_mad m = mad(id, cm_is_datagram(id) ? CM_SIDR_REP : CM_REP);
	int rc;

	if (!p->valid)
		return ready_to_use(id);
	if (id->state != CM_REQ_RECEIVED)
		return EINVAL;
	rc = put_params(&m, id, p, ece);
	if (rc) {
		cm_reject(id, CM_REJ_CONSUMER, "", 0); /* as the kernel does with what it cannot accept */
		return rc;
	}
	keep_params(id, p);
	if (cm_is_datagram(id)) {
		id->state = CM_OVER;
		cm_send_answer(id, &m);
		return 0;
	}
	id->state = CM_REP_SENT;
	cm_send_until_answered(id, &m);
	return 0;
}

int cm_reject(struct cm_id *id, uint8_t reason, const void *data, uint8_t size)
{
	struct cm_mad m = mad(id, cm_is_datagram(id) ? CM_SIDR_REP : CM_REJ);

	if (!reason)
		reason = CM_REJ_CONSUMER;
	if (id->state != CM_REQ_RECEIVED || size > private_data[m.type] ||
	    (reason != CM_REJ_CONSUMER && reason != CM_REJ_VENDOR_OPTION))
		return EINVAL;
	m.status = cm_is_datagram(id) ? CM_SIDR_REJECTED : reason;
	memcpy(m.param.private_data, data, size);
	id->state = CM_OVER;
	cm_send_answer(id, &m);
	return 0;
}

static void depart(struct cm_id *id)
{
	id->state = CM_OVER;
	cm_wait_for_stragglers(id);
}

static void answer_departure(struct cm_id *id)
{
	struct cm_mad m = mad(id, CM_DREP);

	cm_send(id, &m);
}

/* Without a connection there is nothing to say; that is an error only before there is an end to come */
int cm_disconnect(struct cm_id *id)
{
	struct cm_mad m = mad(id, CM_DREQ);

	if (id->state == CM_CONNECTED) {
		id->state = CM_DREQ_SENT;
		cm_send_until_answered(id, &m);
	} else if (id->state == CM_DREQ_RECEIVED) {
		answer_departure(id);
		depart(id);
	}
	return id->state < CM_REQ_SENT ? EINVAL : 0;
}

int cm_notify(struct cm_id *id)
{
	if (id->state == CM_CONNECTED)
		return EISCONN;
	if (id->state != CM_REP_SENT)
		return EINVAL;
	id->state = CM_CONNECTED;
	cm_event_post(id, CM_ESTABLISHED, 0);
	return 0;
}

/* Of one that asks for a datagram's service nobody is told */
void cm_say_goodbye(struct cm_id *id)
{
	static const struct {
		enum cm_mad_type type;
		int status;
	} words[2][CM_STATES] = {
		{
			[CM_REQ_SENT] = { CM_REJ, CM_REJ_TIMEOUT },
			[CM_REQ_RECEIVED] = { CM_REJ, CM_REJ_CONSUMER },
			[CM_REP_SENT] = { CM_REJ, CM_REJ_CONSUMER },
			[CM_REP_RECEIVED] = { CM_REJ, CM_REJ_CONSUMER },
			[CM_CONNECTED] = { CM_DREQ, 0 },
			[CM_DREQ_RECEIVED] = { CM_DREP, 0 },
		},
		{ [CM_REQ_RECEIVED] = { CM_SIDR_REP, CM_SIDR_REJECTED } },
	};
	struct cm_mad m = mad(id, words[cm_is_datagram(id)][id->state].type);

	m.status = words[cm_is_datagram(id)][id->state].status;
	if (m.type != CM_NO_MAD)
		cm_send(id, &m);
}

static void hear_rep(struct cm_id *id, const struct cm_mad *m)
{
	if (id->state == CM_CONNECTED) { /* our RTU got lost */
		struct cm_mad again = mad(id, CM_RTU);

		cm_send(id, &again);
	}
	if (id->state == CM_REP_RECEIVED) /* the library has not taken it yet */
		cm_ask_for_patience(id);
	if (id->state != CM_REQ_SENT)
		return;
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
		cm_event_post(id, CM_DISCONNECTED, 0); /* the CMA tells nothing of the private data */
	} else if (id->state == CM_DREQ_SENT || id->state == CM_OVER) {
		answer_departure(id);
	}
}

static void end_connection(struct cm_id *id)
{
	cm_event_post(id, CM_DISCONNECTED, 0);
	depart(id);
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

static void hear_mra(struct cm_id *id, const struct cm_mad *m)
{
	(void)m;
	if (id->state == CM_REQ_SENT || id->state == CM_REP_SENT)
		cm_be_patient(id);
}

void cm_hear(struct cm_id *id, const struct cm_mad *m)
{
	static void (*const hear[CM_MADS])(struct cm_id * id, const struct cm_mad *m) = {
		[CM_REP] = hear_rep,   [CM_RTU] = hear_rtu,	  [CM_REJ] = hear_rej,
		[CM_DREQ] = hear_dreq, [CM_DREP] = hear_drep,	  [CM_SIDR_REP] = hear_sidr_rep,
		[CM_GONE] = hear_gone, [CM_MRA] = hear_mra,
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
