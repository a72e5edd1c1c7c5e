/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "datagram.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "mcast.h"
#include "qp.h"
#include "receive.h"

#define GRH_SIZE 40
#define NEXT_HEADER_BTH 0x1b
#define MCAST_QPN 0xffffff

static void fill_grh(uint8_t *grh, const struct packet *p)
{
	__be32 version_class_flow = htobe32(6u << 28 | (uint32_t)p->traffic_class << 20 | p->flow_label);
	__be16 payload = htobe16(p->len);

	memcpy(grh, &version_class_flow, sizeof(version_class_flow));
	memcpy(grh + 4, &payload, sizeof(payload));
	grh[6] = NEXT_HEADER_BTH;
	grh[7] = p->hop_limit;
	memcpy(grh + 8, p->sgid, GID_SIZE);
	memcpy(grh + 24, p->dgid, GID_SIZE);
}

static void deliver(struct qp *to, void *arg)
{
	const struct request *r = arg;
	struct completion c = r->recv;
	uint8_t *packet;

	if (to->type != IBV_QPT_UD || !qp_is_receiving(to) || to->attr.qkey != r->p.qkey)
		return;
	packet = calloc(1, r->p.len + GRH_SIZE);
	if (!packet)
		return;
	c.has_grh = r->p.has_grh;
	if (c.has_grh)
		fill_grh(packet, &r->p);
	memcpy(packet + GRH_SIZE, r->data, r->p.len);
	c.byte_count = r->p.len + GRH_SIZE;
	if (receive(to, to->srq, packet, c.byte_count, &c) > 0)
		qp_error(to, NO_EVENT);
	free(packet);
}

void datagram_deliver(struct request *r)
{
	struct qp *to = qp_by_number(r->p.dest_qpn);

	if (r->p.dest_qpn == MCAST_QPN)
		mcast_each(r->p.dgid, deliver, r);
	else if (to)
		deliver(to, r);
}
