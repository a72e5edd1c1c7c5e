/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Receive memory pools (RMP) and queues with tags (XRQ): shared receive queues by mailbox. */
#include <errno.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_qpc.h"
#include "config.h"
#include "objects/srq.h"
#include "objects/tag_list.h"
#include "objects/umem.h"

#define SEGMENT 16
#define LOG_MAX_STRIDE 10
#define DBR_SIZE 8

/* WQEs have a segment with the next one's index, which a cyclic queue does not look at */
static bool is_queue_known(const uint8_t *in)
{
	return prm_get(in, WQ_TYPE) <= WQ_CYCLIC && prm_get(in, WQ_LOG_STRIDE) > 4 &&
	       prm_get(in, WQ_LOG_STRIDE) <= LOG_MAX_STRIDE && 1u << prm_get(in, WQ_LOG_SZ) <= MAX_SRQ_WR + 1;
}

static bool is_known(const uint8_t *in)
{
	return prm_get(in, RMPC_STATE) == RMPC_STATE_RDY && !prm_get(in, RMPC_BASIC_CYCLIC_RCV_WQE) &&
	       is_queue_known(in);
}

static int set_queue(struct srq *s, const uint8_t *in)
{
	s->stride = 1u << prm_get(in, WQ_LOG_STRIDE);
	s->count = 1u << prm_get(in, WQ_LOG_SZ);
	s->cyclic = prm_get(in, WQ_TYPE) == WQ_CYCLIC;
	s->max_wr = s->count;
	s->max_sge = s->stride / SEGMENT - 1;
	s->db = umem_use(prm_get(in, WQ_DBR_UMEM_ID), prm_get64(in, WQ_DBR_ADDR), DBR_SIZE, &s->umem[0]);
	s->buf = umem_use(prm_get(in, WQ_UMEM_ID), prm_get64(in, WQ_UMEM_OFFSET),
			  (uint64_t)s->count * s->stride, &s->umem[1]);
	return s->db && s->buf ? 0 : -1;
}

static bool is_xrq_known(const uint8_t *in)
{
	return prm_get(in, XRQC_TOPOLOGY) == XRQ_TAG_MATCHING && prm_get(in, XRQC_OFFLOAD) == XRQ_RNDV &&
	       !prm_get(in, XRQC_DC) && prm_get(in, XRQC_LOG_MATCHING_LIST_SZ) &&
	       1u << prm_get(in, XRQC_LOG_MATCHING_LIST_SZ) <= MAX_TAGS + 1;
}

/* The queue is as that of an RMP, but further on in the mailbox */
int xrq_create(struct call *c, struct mailboxes *m)
{
	struct object *pd = call_numbered(c, PD, prm_get(m->in + XRQ_WQ_FURTHER, WQ_PD));
	struct cq *cq = call_numbered(c, CQ, prm_get(m->in, XRQC_CQN));
	struct srq *s;

	if (!config.tag_matching)
		return devx_refuse(m, STATUS_BAD_OP);
	if (!pd || !cq || !is_xrq_known(m->in) || !is_queue_known(m->in + XRQ_WQ_FURTHER))
		return devx_refuse(m, STATUS_BAD_PARAM);
	s = object_new(c->ctx, SRQ, sizeof(*s), pd);
	if (!s)
		return devx_refuse(m, STATUS_LIM);
	s->tags = tag_list_new((1 << prm_get(m->in, XRQC_LOG_MATCHING_LIST_SZ)) - 1);
	if (!s->tags || set_queue(s, m->in + XRQ_WQ_FURTHER)) {
		object_free(&s->o);
		return devx_refuse(m, STATUS_BAD_PARAM);
	}
	s->cq = cq;
	object_hold(&cq->o);
	s->uidx = prm_get(m->in, XRQC_USER_INDEX);
	prm_set(m->out, CREATED_NUMBER, s->o.number);
	devx_made(c, &s->o);
	return 0;
}

int rmp_create(struct call *c, struct mailboxes *m)
{
	struct object *pd = call_numbered(c, PD, prm_get(m->in, WQ_PD));
	struct srq *s;

	if (!pd || !is_known(m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	s = object_new(c->ctx, SRQ, sizeof(*s), pd);
	if (!s)
		return devx_refuse(m, STATUS_LIM);
	if (set_queue(s, m->in)) {
		object_free(&s->o);
		return devx_refuse(m, STATUS_BAD_PARAM);
	}
	prm_set(m->out, CREATED_NUMBER, s->o.number);
	devx_made(c, &s->o);
	return 0;
}
