/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "datagram.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "mcast.h"
#include "qp.h"
#include "receive.h"
#include "wqe.h"

#define GRH_SIZE 40
#define NEXT_HEADER_BTH 0x1b
#define MCAST_QPN 0xffffff
#define AV_GRH (1u << 30)
#define QKEY_OF_QP (1u << 31)
#define FLOW_LABEL_MASK 0xfffff

static bool has_grh(const struct mlx5_wqe_av *av)
{
	return be32toh(av->grh_gid_fl) & AV_GRH;
}

static void fill_grh(uint8_t *grh, const struct mlx5_wqe_av *av, uint32_t len)
{
	__be64 source[2] = { htobe64(GID_PREFIX), htobe64(PORT_GUID) };
	uint32_t flow_label = be32toh(av->grh_gid_fl) & FLOW_LABEL_MASK;
	__be32 version_class_flow = htobe32(6u << 28 | (uint32_t)av->tclass << 20 | flow_label);
	__be16 payload = htobe16(len);

	memcpy(grh, &version_class_flow, sizeof(version_class_flow));
	memcpy(grh + 4, &payload, sizeof(payload));
	grh[6] = NEXT_HEADER_BTH;
	grh[7] = av->hop_limit;
	memcpy(grh + 8, source, sizeof(source));
	memcpy(grh + 24, av->rgid, sizeof(av->rgid));
}

/* With the high bit set, the Q_Key of the sending QP counts */
static uint32_t qkey_of(const struct request *r)
{
	uint32_t qkey = be32toh(r->wqe->av->key.qkey.qkey);

	return qkey & QKEY_OF_QP ? r->from->attr.qkey : qkey;
}

static void deliver(struct qp *to, void *arg)
{
	const struct request *r = arg;
	const struct send_wqe *w = r->wqe;
	struct completion c = r->recv;
	uint8_t *packet;

	if (to->type != IBV_QPT_UD || !qp_is_receiving(to) || to->attr.qkey != qkey_of(r))
		return;
	packet = calloc(1, w->len + GRH_SIZE);
	if (!packet)
		return;
	c.has_grh = has_grh(w->av);
	if (c.has_grh)
		fill_grh(packet, w->av, w->len);
	memcpy(packet + GRH_SIZE, w->data, w->len);
	c.byte_count = w->len + GRH_SIZE;
	if (receive(to, to->srq, packet, c.byte_count, &c) > 0)
		qp_error(to, NO_EVENT);
	free(packet);
}

void datagram_send(struct request *r)
{
	uint32_t number = be32toh(r->wqe->av->dqp_dct) & MCAST_QPN;
	struct qp *to = qp_by_number(number);

	if (number == MCAST_QPN)
		mcast_each(r->wqe->av->rgid, deliver, r);
	else if (to)
		deliver(to, r);
}
