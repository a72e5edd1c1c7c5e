/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What an id knows of the way to its peer, and what a QP that goes it needs. */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <infiniband/ib.h>
#include <infiniband/verbs.h>

#include "cm/cm.h"
#include "objects/port.h"

#define HOP_LIMIT 64
#define NO_INDEX UINT32_MAX /* of the device, in netlink */
#define EXACTLY 2 /* selectors of a path record */
#define PACKET_LIFE_TIME 14

#define PATH_FLAGS (IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL)

void cm_put_ah(struct ib_uverbs_ah_attr *ah, const struct cm_id *id)
{
	*ah = (struct ib_uverbs_ah_attr){
		.port_num = id->port->local,
		.dlid = id->dlid,
		.is_global = id->port->grh_required,
		.grh = { .sgid_index = id->sgid_index, .traffic_class = id->tos },
	};
	if (!id->port->grh_required)
		return;
	ah->grh.hop_limit = HOP_LIMIT;
	memcpy(ah->grh.dgid, id->dgid, GID_SIZE);
}

static const uint8_t *sgid(const struct cm_id *id)
{
	return port_gid(id->port, id->sgid_index)->raw;
}

static void put_route(struct ib_user_path_rec *r, const struct cm_id *id)
{
	const struct port *p = id->port;

	*r = (struct ib_user_path_rec){
		.dlid = htobe16(id->dlid),
		.slid = htobe16(p->lid),
		.reversible = 1,
		.mtu = p->mtu,
		.pkey = htobe16(port_pkey(p, 0)),
		.hop_limit = p->ethernet ? HOP_LIMIT : 0,
		.traffic_class = id->tos,
		.numb_path = 1,
		.mtu_selector = EXACTLY,
		.rate_selector = EXACTLY,
		.rate = IBV_RATE_100_GBPS,
		.packet_life_time_selector = EXACTLY,
		.packet_life_time = PACKET_LIFE_TIME,
	};
	memcpy(r->sgid, sgid(id), GID_SIZE);
	memcpy(r->dgid, id->dgid, GID_SIZE);
}

int cm_query_route(const struct cm_id *id, uint64_t response, size_t out)
{
	struct rdma_ucm_query_route_resp r = { .ibdev_index = NO_INDEX };

	memcpy(&r.src_addr, &id->src, sizeof(r.src_addr));
	memcpy(&r.dst_addr, &id->dst, sizeof(r.dst_addr));
	if (id->port) {
		r.node_guid = htobe64(port_node_guid(id->port->device));
		r.port_num = id->port->local;
		put_route(&r.ib_route[0], id);
		r.num_paths = id->has_route;
	}
	cm_reply(response, &r, sizeof(r), out);
	return 0;
}

static int query_address(const struct cm_id *id, uint64_t response, size_t out)
{
	struct rdma_ucm_query_addr_resp r = { .ibdev_index = NO_INDEX };

	r.src_size = cm_address_size(&id->src);
	memcpy(&r.src_addr, &id->src, r.src_size);
	r.dst_size = cm_address_size(&id->dst);
	memcpy(&r.dst_addr, &id->dst, r.dst_size);
	if (id->port) {
		r.node_guid = htobe64(port_node_guid(id->port->device));
		r.port_num = id->port->local;
		r.pkey = htobe16(port_pkey(id->port, 0));
	}
	cm_reply(response, &r, sizeof(r), out);
	return 0;
}

/* As the subnet administrator has it on the wire */
struct sa_path_record {
	__be64 service_id;
	uint8_t dgid[GID_SIZE], sgid[GID_SIZE];
	__be16 dlid, slid;
	__be32 flow_and_hop_limit;
	uint8_t traffic_class, reversible_and_numb_path;
	__be16 pkey, qos_and_sl;
	uint8_t mtu, rate, packet_life_time, preference;
	uint8_t reserved[6];
};
_Static_assert(sizeof(struct sa_path_record) == 64, "a path record");

#define SELECT(value) (EXACTLY << 6 | (value))

static int query_path(const struct cm_id *id, uint64_t response, size_t out)
{
	struct rdma_ucm_query_path_resp head = { .num_paths = id->has_route };
	struct ib_path_rec_data data = { .flags = PATH_FLAGS };
	uint8_t reply[sizeof(head) + sizeof(data)];
	struct sa_path_record path = { 0 };

	if (!id->port)
		return ENODEV;
	path.dlid = htobe16(id->dlid);
	path.slid = htobe16(id->port->lid);
	path.flow_and_hop_limit = htobe32(id->port->ethernet ? HOP_LIMIT : 0);
	path.traffic_class = id->tos;
	path.reversible_and_numb_path = 1 << 7 | 1;
	path.pkey = htobe16(port_pkey(id->port, 0));
	path.mtu = SELECT(id->port->mtu);
	path.rate = SELECT(IBV_RATE_100_GBPS);
	path.packet_life_time = SELECT(PACKET_LIFE_TIME);
	memcpy(path.dgid, id->dgid, GID_SIZE);
	memcpy(path.sgid, sgid(id), GID_SIZE);
	memcpy(data.path_rec, &path, sizeof(path));
	memcpy(reply, &head, sizeof(head));
	memcpy(reply + sizeof(head), &data, sizeof(data));
	cm_reply(response, reply, id->has_route ? sizeof(reply) : sizeof(head), out);
	return 0;
}

static void put_ib(struct sockaddr_ib *a, const struct cm_id *id, const uint8_t *gid, const void *from)
{
	*a = (struct sockaddr_ib){ .sib_family = AF_IB, .sib_pkey = htobe16(port_pkey(id->port, 0)) };
	memcpy(&a->sib_addr, gid, GID_SIZE);
	a->sib_sid = htobe64((uint64_t)id->ps << 16 | cm_port_number(from));
	a->sib_sid_mask = htobe64(UINT64_MAX);
}

static int query_gid(const struct cm_id *id, uint64_t response, size_t out)
{
	struct rdma_ucm_query_addr_resp r = { .ibdev_index = NO_INDEX };

	if (!id->port)
		return ENODEV;
	r.node_guid = htobe64(port_node_guid(id->port->device));
	r.port_num = id->port->local;
	r.pkey = htobe16(port_pkey(id->port, 0));
	r.src_size = r.dst_size = sizeof(struct sockaddr_ib);
	put_ib((struct sockaddr_ib *)&r.src_addr, id, sgid(id), &id->src);
	put_ib((struct sockaddr_ib *)&r.dst_addr, id, id->dgid, &id->dst);
	cm_reply(response, &r, sizeof(r), out);
	return 0;
}

int cm_query(const struct cm_id *id, uint32_t option, uint64_t response, size_t out)
{
	switch (option) {
	case RDMA_USER_CM_QUERY_ADDR:
		return query_address(id, response, out);
	case RDMA_USER_CM_QUERY_PATH:
		return query_path(id, response, out);
	case RDMA_USER_CM_QUERY_GID:
		return query_gid(id, response, out);
	default:
		return ENOSYS;
	}
}

static bool knows_peer(const struct cm_id *id)
{
	return id->state >= CM_REQ_RECEIVED && id->state <= CM_CONNECTED;
}

static int to_init(const struct cm_id *id, struct ib_uverbs_qp_attr *a)
{
	a->qp_attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	a->port_num = id->port->local;
	if (cm_is_datagram(id)) {
		a->qp_attr_mask |= IBV_QP_QKEY;
		a->qkey = CM_UDP_QKEY;
		return 0;
	}
	a->qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
	if (id->state == CM_IDLE)
		return 0;
	if (id->state > CM_CONNECTED)
		return EINVAL;
	a->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (id->responder_resources)
		a->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	return 0;
}

static int to_rtr(const struct cm_id *id, struct ib_uverbs_qp_attr *a)
{
	if (!knows_peer(id))
		return EINVAL;
	a->qp_attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (id->qp_type == IBV_QPT_RC || id->qp_type == IBV_QPT_XRC_RECV)
		a->qp_attr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	cm_put_ah(&a->ah_attr, id);
	a->path_mtu = id->port->mtu;
	a->dest_qp_num = id->peer_qpn;
	a->rq_psn = id->psn;
	a->max_dest_rd_atomic = id->responder_resources;
	return 0;
}

static int to_rts(const struct cm_id *id, struct ib_uverbs_qp_attr *a)
{
	if (!knows_peer(id))
		return EINVAL;
	a->qp_attr_mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (id->qp_type == IBV_QPT_RC || id->qp_type == IBV_QPT_XRC_SEND)
		a->qp_attr_mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				   IBV_QP_MAX_QP_RD_ATOMIC;
	else if (id->qp_type == IBV_QPT_XRC_RECV)
		a->qp_attr_mask |= IBV_QP_TIMEOUT;
	a->sq_psn = id->psn;
	a->timeout = id->ack_timeout;
	a->retry_cnt = id->retry_count;
	a->rnr_retry = id->rnr_retry_count;
	a->max_rd_atomic = id->initiator_depth;
	return 0;
}

int cm_init_qp_attr(const struct cm_id *id, uint32_t state, uint64_t response, size_t out)
{
	struct ib_uverbs_qp_attr a = { .qp_state = state };
	int rc = EINVAL;

	if (!id->port)
		return EINVAL;
	if (state == IBV_QPS_INIT)
		rc = to_init(id, &a);
	else if (state == IBV_QPS_RTR)
		rc = to_rtr(id, &a);
	else if (state == IBV_QPS_RTS)
		rc = to_rts(id, &a);
	if (!rc)
		cm_reply(response, &a, sizeof(a), out);
	return rc;
}
