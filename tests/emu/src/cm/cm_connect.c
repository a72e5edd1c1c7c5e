/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* How two ends come together and part: the state machine of an id, as its program moves it. */
#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "cm/cm.h"
#include "objects/port.h"

#define MAX_RETRIES 7

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
	if (p->private_data_len > cm_private_room(id, m->type))
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

int cm_connect(struct cm_id *id, const struct rdma_ucm_conn_param *p, const struct rdma_ucm_ece *ece)
{
	struct cm_mad m = cm_mad_of(id, cm_is_datagram(id) ? CM_SIDR_REQ : CM_REQ);
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

/* Of the active side, from within the library: it has moved its QP */
static int ready_to_use(struct cm_id *id)
{
	struct cm_mad m = cm_mad_of(id, CM_RTU);

	if (id->state != CM_REP_RECEIVED)
		return EINVAL;
	id->state = CM_CONNECTED;
	cm_send(id, &m);
	cm_expect_nothing(id);
	return 0;
}

int cm_accept(struct cm_id *id, const struct rdma_ucm_conn_param *p, const struct rdma_ucm_ece *ece)
{
	struct cm_mad m = cm_mad_of(id, cm_is_datagram(id) ? CM_SIDR_REP : CM_REP);
	int rc;

	if (!p->valid)
		return ready_to_use(id);
	rc = id->state == CM_REQ_RECEIVED ? put_params(&m, id, p, ece) : EINVAL;
	if (rc)
		return rc;
	keep_params(id, p);
	if (cm_is_datagram(id)) {
		id->state = CM_OVER;
		cm_send(id, &m);
		return 0;
	}
	id->state = CM_REP_SENT;
	cm_send_until_answered(id, &m);
	return 0;
}

int cm_reject(struct cm_id *id, uint8_t reason, const void *data, uint8_t size)
{
	struct cm_mad m = cm_mad_of(id, cm_is_datagram(id) ? CM_SIDR_REP : CM_REJ);

	if (!reason)
		reason = CM_REJ_CONSUMER;
	if (id->state != CM_REQ_RECEIVED || size > cm_private_room(id, m.type) ||
	    (reason != CM_REJ_CONSUMER && reason != CM_REJ_VENDOR_OPTION))
		return EINVAL;
	m.status = cm_is_datagram(id) ? CM_SIDR_REJECTED : reason;
	memcpy(m.param.private_data, data, size);
	id->state = CM_OVER;
	cm_send(id, &m);
	return 0;
}

void cm_depart(struct cm_id *id)
{
	id->state = CM_OVER;
	cm_wait_for_stragglers(id);
}

void cm_answer_departure(struct cm_id *id)
{
	struct cm_mad m = cm_mad_of(id, CM_DREP);

	cm_send(id, &m);
}

/* Without a connection there is nothing to say; that is an error only before there is an end to come */
int cm_disconnect(struct cm_id *id)
{
	struct cm_mad m = cm_mad_of(id, CM_DREQ);

	if (id->state == CM_CONNECTED) {
		id->state = CM_DREQ_SENT;
		cm_send_until_answered(id, &m);
	} else if (id->state == CM_DREQ_RECEIVED) {
		cm_answer_departure(id);
		cm_depart(id);
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
	struct cm_mad m = cm_mad_of(id, words[cm_is_datagram(id)][id->state].type);

	m.status = words[cm_is_datagram(id)][id->state].status;
	if (m.type != CM_NO_MAD)
		cm_send(id, &m);
}
