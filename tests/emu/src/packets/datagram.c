/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/datagram.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "engine/opcode.h"
#include "engine/receive.h"
#include "faults/tap.h"
#include "objects/mcast.h"
#include "objects/qp.h"

/* Sizes of headers, and of the check at the end */
enum {
	GRH_SIZE = 40,
	IPV4_HEADER = 20,
	UDP_HEADER = 8,
	BTH = 12,
	DETH = 8,
	IMMEDIATE = 4,
	ICRC = 4
};

enum {
	NEXT_HEADER_UDP = 17,
	NEXT_HEADER_BTH = 0x1b
};

enum {
	L3_GRH,
	L3_IPV6,
	L3_IPV4
};

#define DO_NOT_FRAGMENT 0x4000

/* From behind the GRH, or the UDP header, to the ICRC */
static uint32_t transport_length(const struct packet *p)
{
	uint32_t padded = (p->len + 3) & ~3u;

	return BTH + DETH + (opcode_find(p->opcode)->has_imm ? IMMEDIATE : 0) + padded + ICRC;
}

static void put16(uint8_t *to, uint16_t value)
{
	__be16 be = htobe16(value);

	memcpy(to, &be, sizeof(be));
}

/* An IPv6 header, in which RoCE v2 has UDP */
static void fill_grh(uint8_t *grh, const struct packet *p)
{
	__be32 version_class_flow = htobe32(6u << 28 | (uint32_t)p->traffic_class << 20 | p->flow_label);
	bool udp = p->gid_type == IB_UVERBS_GID_TYPE_ROCE_V2;

	memcpy(grh, &version_class_flow, sizeof(version_class_flow));
	put16(grh + 4, transport_length(p) + (udp ? UDP_HEADER : 0));
	grh[6] = udp ? NEXT_HEADER_UDP : NEXT_HEADER_BTH;
	grh[7] = p->hop_limit;
	memcpy(grh + 8, p->sgid, GID_SIZE);
	memcpy(grh + 24, p->dgid, GID_SIZE);
}

/* The ones' complement of the ones' complement sum */
static uint16_t ipv4_checksum(const uint8_t *header)
{
	uint32_t sum = 0;

	for (int i = 0; i < IPV4_HEADER; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* It is at the end of the room for a GRH; the rest of that is left alone */
static void fill_ipv4(uint8_t *grh, const struct packet *p)
{
	uint8_t *header = grh + GRH_SIZE - IPV4_HEADER;

	header[0] = 4 << 4 | IPV4_HEADER / 4;
	header[1] = p->traffic_class;
	put16(header + 2, IPV4_HEADER + UDP_HEADER + transport_length(p));
	put16(header + 6, DO_NOT_FRAGMENT);
	header[8] = p->hop_limit;
	header[9] = NEXT_HEADER_UDP;
	memcpy(header + 12, p->sgid + GID_SIZE - IPV4_SIZE, IPV4_SIZE);
	memcpy(header + 16, p->dgid + GID_SIZE - IPV4_SIZE, IPV4_SIZE);
	put16(header + 10, ipv4_checksum(header));
}

static uint8_t l3_type(const struct packet *p)
{
	if (p->gid_type != IB_UVERBS_GID_TYPE_ROCE_V2)
		return L3_GRH;
	return gid_is_ipv4(p->sgid) ? L3_IPV4 : L3_IPV6;
}

static void fill_header(uint8_t *grh, const struct packet *p)
{
	if (l3_type(p) == L3_IPV4)
		fill_ipv4(grh, p);
	else
		fill_grh(grh, p);
}

/* Why a QP does not take a datagram, or NULL */
static const char *why_untaken(const struct qp *to, const struct packet *p)
{
	if (to->type != IBV_QPT_UD)
		return "that QP is of another type";
	if (!qp_is_receiving(to))
		return "that QP is neither in RTR nor in a state behind it";
	if (!packet_has_pkey(p, to))
		return "that QP has another P_Key";
	return packet_has_qkey(p, to) ? NULL : "that QP has another Q_Key";
}

static void deliver(struct qp *to, void *arg)
{
	const struct request *r = arg;
	const char *why = why_untaken(to, &r->p);
	struct completion c = r->recv;
	struct incoming in;
	uint8_t *packet;
	int rc;

	if (why) {
		tap_dropped(&r->p, why);
		return;
	}
	in.taken = false;
	packet = calloc(1, r->p.len + GRH_SIZE);
	if (!packet)
		return;
	c.has_grh = r->p.has_grh;
	c.l3_type = l3_type(&r->p);
	if (c.has_grh)
		fill_header(packet, &r->p);
	memcpy(packet + GRH_SIZE, r->data, r->p.len);
	c.byte_count = r->p.len + GRH_SIZE;
	rc = receive(to, to->srq, &in, &(struct part){ packet, 0, c.byte_count, true, true }, &c);
	if (rc > 0)
		qp_error(to, NO_EVENT);
	else if (rc == ANSWER_RNR)
		tap_dropped(&r->p, "no receive is posted");
	free(packet);
}

void datagram_deliver(struct request *r)
{
	struct qp *to = packet_qp(&r->p);

	if (r->p.dest_qpn == MCAST_QPN) {
		if (!mcast_each(r->p.dgid, deliver, r))
			tap_dropped(&r->p, "no QP of this process is attached to that group");
	} else if (to) {
		deliver(to, r);
	} else {
		tap_dropped(&r->p, "no QP has this number");
	}
}
