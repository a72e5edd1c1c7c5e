/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/tag_match.h"

#include <endian.h>
#include <string.h>

#include "objects/qp.h"
#include "objects/srq.h"
#include "objects/tag_list.h"

static bool has_tag(const struct part *part, const struct ibv_tmh *h)
{
	if (part->len < sizeof(*h))
		return false;
	return h->opcode == IBV_TMH_EAGER || (h->opcode == IBV_TMH_RNDV && part->len >= sizeof(*h) + sizeof(struct ibv_rvh));
}

/* Where the data are more than the tag has room for, it is for the program to fetch them */
static void set_rendezvous(struct incoming *in, const struct part *part)
{
	memcpy(&in->where, part->data + sizeof(in->head), sizeof(in->where));
	if (be32toh(in->where.len) > be32toh(in->seg->byte_count)) {
		in->app_op = TM_CONSUMED_MSG_SW_RNDV;
		return;
	}
	in->app_op = TM_CONSUMED;
	in->skip = UINT32_MAX; /* all of it */
}

static void take_tag(struct incoming *in, const struct tag *t, const struct part *part, struct recv_wqe *w)
{
	in->seg[0] = t->buffer;
	in->app_op = TM_CONSUMED_MSG;
	in->skip = sizeof(in->head);
	memcpy(&in->head, part->data, sizeof(in->head));
	if (in->head.opcode == IBV_TMH_RNDV)
		set_rendezvous(in, part);
	*w = (struct recv_wqe){ .seg = in->seg, .nseg = 1, .counter = t->index };
}

bool tag_pop(struct srq *s, struct incoming *in, const struct part *part, struct recv_wqe *w)
{
	struct ibv_tmh h = { 0 };
	bool tagged;
	struct tag t;

	memcpy(&h, part->data, part->len < sizeof(h) ? part->len : sizeof(h));
	tagged = has_tag(part, &h);
	if (tagged && tag_list_match(s->tags, be64toh(h.tag), &t)) {
		take_tag(in, &t, part, w);
		return true;
	}
	if (!srq_pop(s, w))
		return false;
	in->app_op = tagged ? TM_UNEXPECTED : TM_NO_TAG;
	s->tags->unexpected += tagged;
	return true;
}

static bool has_found(const struct incoming *in)
{
	return in->app_op == TM_CONSUMED || in->app_op == TM_CONSUMED_MSG || in->app_op == TM_CONSUMED_MSG_SW_RNDV;
}

void tag_complete(const struct incoming *in, struct completion *c)
{
	c->wqe_counter = in->counter;
	c->app_op = in->app_op;
	if (!has_found(in))
		return;
	if (in->app_op == TM_CONSUMED)
		c->opcode = MLX5_CQE_NO_PACKET; /* of data, that is */
	c->app_info = in->counter;
	c->tm.head = in->head;
	c->byte_count -= in->skip < c->byte_count ? in->skip : c->byte_count;
}

void tag_fetch(struct qp *q, const struct incoming *in)
{
	const struct rendezvous r = { .head = in->head, .where = in->where, .buffer = in->seg[0], .index = in->counter };

	rendezvous_add(q, &r);
}
