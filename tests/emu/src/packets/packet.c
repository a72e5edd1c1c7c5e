/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/packet.h"

#include <endian.h>
#include <string.h>

#include "engine/opcode.h"
#include "engine/wqe.h"
#include "objects/port.h"
#include "objects/qp.h"

#define MAX_MTU 4096
#define NUMBER_MASK 0xffffff
#define AV_GRH (1u << 30)
#define PKEY_MASK 0x7fff
#define QKEY_OF_QP (1u << 31)
#define FLOW_LABEL_MASK 0xfffff
#define SGID_INDEX_SHIFT 20
#define SGID_INDEX_MASK 0xff

enum service packet_service(const struct qp *q)
{
	static const uint8_t services[] = {
		[IBV_QPT_RC] = SERVICE_RC,	  [IBV_QPT_UC] = SERVICE_UC,
		[IBV_QPT_UD] = SERVICE_UD,	  [IBV_QPT_XRC_SEND] = SERVICE_XRC,
		[IBV_QPT_XRC_RECV] = SERVICE_XRC, [IBV_QPT_RAW_PACKET] = SERVICE_RAW,
	};

	return q->type == IBV_QPT_DRIVER ? SERVICE_DC : services[q->type];
}

/* With the high bit set, the Q_Key of the sending QP counts */
static uint32_t qkey_of(const struct qp *q, const struct mlx5_wqe_av *av)
{
	uint32_t qkey = be32toh(av->key.qkey.qkey);

	return qkey & QKEY_OF_QP ? q->attr.qkey : qkey;
}

/* On Ethernet there is always a GRH, and the bit for it is not set */
static void fill_source(struct packet *p, const struct qp *q, uint32_t sgid_index)
{
	const struct port *port = port_get(q->attr.port_num);
	const struct gid *gid = port ? port_gid(port, sgid_index) : NULL;

	if (!port)
		return;
	p->ethernet = port->ethernet;
	p->has_grh |= port->ethernet;
	p->slid = port->lid;
	p->pkey = port_pkey(port, q->attr.pkey_index);
	if (!gid)
		return;
	p->gid_type = gid->type;
	memcpy(p->sgid, gid->raw, GID_SIZE);
}

/* The address vector in the WQE: of UD and DC */
static void fill_from_av(struct packet *p, const struct qp *q, const struct mlx5_wqe_av *av)
{
	uint32_t gid_fl = be32toh(av->grh_gid_fl);

	p->dest_qpn = be32toh(av->dqp_dct) & NUMBER_MASK;
	if (p->service == SERVICE_UD)
		p->qkey = qkey_of(q, av);
	else
		p->dc_key = be64toh(av->key.dc_key);
	p->dlid = be16toh(av->rlid);
	p->has_grh = gid_fl & AV_GRH;
	fill_source(p, q, gid_fl >> SGID_INDEX_SHIFT & SGID_INDEX_MASK);
	p->flow_label = gid_fl & FLOW_LABEL_MASK;
	p->traffic_class = av->tclass;
	p->hop_limit = av->hop_limit;
	memcpy(p->dgid, av->rgid, GID_SIZE);
}

/* The path that the QP was connected by */
static void fill_from_qp(struct packet *p, const struct qp *q)
{
	const struct ib_uverbs_qp_dest *dest = &q->attr.dest;

	p->dest_qpn = q->attr.dest_qp_num;
	p->dlid = dest->dlid;
	p->has_grh = dest->is_global;
	fill_source(p, q, dest->sgid_index);
	p->flow_label = dest->flow_label;
	p->traffic_class = dest->traffic_class;
	p->hop_limit = dest->hop_limit;
	memcpy(p->dgid, dest->dgid, GID_SIZE);
}

uint32_t packet_mtu(const struct qp *q)
{
	return 128u << q->attr.path_mtu;
}

uint32_t packet_count(uint32_t len, uint32_t mtu)
{
	return len ? (len - 1) / mtu + 1 : 1;
}

void packet_cut(struct packet *p, uint32_t n)
{
	uint32_t left;

	p->psn += n - p->offset / p->mtu;
	p->offset = n * p->mtu;
	left = p->len - p->offset;
	p->size = left < p->mtu || opcode_find(p->opcode)->answered ? left : p->mtu;
}

bool packet_is_first(const struct packet *p)
{
	return !p->offset || opcode_find(p->opcode)->answered;
}

bool packet_is_last(const struct packet *p)
{
	return p->offset + p->size == p->len || opcode_find(p->opcode)->answered;
}

bool packet_is_for_group(const struct packet *p)
{
	return p->service == SERVICE_UD && p->dest_qpn == MCAST_QPN;
}

const struct port *packet_port(const struct packet *p)
{
	if (packet_is_for_group(p))
		return port_get(1);
	return p->ethernet ? port_by_gid(p->dgid) : port_by_lid(p->dlid);
}

struct qp *packet_qp(const struct packet *p)
{
	struct qp *to = qp_by_number(p->dest_qpn);
	const struct port *port = packet_port(p);

	return to && port && to->o.device == port->device ? to : NULL;
}

bool packet_is_here(const struct packet *p)
{
	return packet_is_for_group(p) || (packet_port(p) && qp_number_is_ours(p->dest_qpn));
}

/* The upper bit, of full members, does not count; without the others, it is none */
bool packet_has_pkey(const struct packet *p, const struct qp *to)
{
	struct port *port = port_get(to->attr.port_num);
	uint16_t own = port_pkey(port, to->attr.pkey_index) & PKEY_MASK;

	if (own && own == (p->pkey & PKEY_MASK))
		return true;
	port_count(&port->bad_pkeys);
	return false;
}

bool packet_has_qkey(const struct packet *p, const struct qp *to)
{
	if (p->qkey == to->attr.qkey)
		return true;
	port_count(&port_get(to->attr.port_num)->bad_qkeys);
	return false;
}

void packet_fill(struct packet *p, const struct qp *q, const struct send_wqe *w)
{
	memset(p, 0, sizeof(*p));
	p->opcode = w->opcode;
	p->service = packet_service(q);
	p->solicited = w->ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED;
	p->src_qpn = q->qpn;
	p->first_psn = q->attr.sq_psn;
	p->mtu = q->type == IBV_QPT_UD ? MAX_MTU : packet_mtu(q);
	p->len = w->len;
	p->imm = opcode_find(w->opcode)->has_imm ? w->ctrl->imm : 0;
	p->xrc_srqn = w->xrc_srqn;
	if (w->raddr) {
		p->rkey = be32toh(w->raddr->rkey);
		p->raddr = be64toh(w->raddr->raddr);
	}
	if (w->atomic) {
		p->compare = be64toh(w->atomic->compare);
		p->swap_add = be64toh(w->atomic->swap_add);
	}
	if (w->av)
		fill_from_av(p, q, w->av);
	else
		fill_from_qp(p, q);
}
