/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Multicast: the address of a group, and who asked for it. librdmacm attaches the QP by itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"
#include "mad/sa.h"
#include "objects/port.h"
#include "packets/packet.h"

static LIST_HEAD(, cm_group) groups = LIST_HEAD_INITIALIZER(groups);

bool cm_address_is_group(const void *address)
{
	const struct sockaddr_in6 *six = address;
	const struct sockaddr_in *four = address;

	if (four->sin_family == AF_INET)
		return IN_MULTICAST(ntohl(four->sin_addr.s_addr));
	return four->sin_family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&six->sin6_addr);
}

/* As IPoIB has it: the lower 28 bits in a group of the P_Key's */
static void ipoib_gid(uint8_t gid[GID_SIZE], const struct cm_id *id, const uint8_t *ipv4)
{
	uint16_t pkey = port_pkey(id->port, 0);
	const uint8_t prefix[] = { 0xff, 0x12, 0x40, 0x1b, pkey >> 8, pkey & 0xff };

	memset(gid, 0, GID_SIZE);
	memcpy(gid, prefix, sizeof(prefix));
	memcpy(gid + GID_SIZE - IPV4_SIZE, ipv4, IPV4_SIZE);
	gid[GID_SIZE - IPV4_SIZE] &= 0x0f;
}

void cm_group_gid(uint8_t gid[GID_SIZE], const struct cm_id *id, const void *address)
{
	const struct sockaddr_in6 *six = address;
	const struct sockaddr_in *four = address;

	if (four->sin_family == AF_INET6)
		memcpy(gid, &six->sin6_addr, GID_SIZE);
	else if (id->port->ethernet)
		gid_from_ipv4(gid, (const uint8_t *)&four->sin_addr);
	else
		ipoib_gid(gid, id, (const uint8_t *)&four->sin_addr);
}

static void post_joined(struct cm_group *g, const void *address)
{
	struct cm_event *e = cm_event_post(g->id, CM_MULTICAST_JOIN, 0);
	struct rdma_ucm_ud_param *ud = &e->resp.param.ud;

	e->group = g;
	e->resp.uid = g->uid;
	e->resp.id = g->number;
	ud->qp_num = MCAST_QPN;
	ud->qkey = CM_UDP_QKEY;
	cm_put_ah(&ud->ah_attr, g->id);
	ud->ah_attr.is_global = 1;
	ud->ah_attr.grh.hop_limit = 1;
	cm_group_gid(ud->ah_attr.grh.dgid, g->id, address);
	ud->ah_attr.dlid = g->id->port->ethernet ? 0 : subnet_group_lid(ud->ah_attr.grh.dgid);
}

/* The subnet knows of a port's groups, not of who in its host wants them */
static bool is_alone(const struct cm_group *of)
{
	const struct cm_group *g;

	LIST_FOREACH(g, &groups, link)
	{
		if (g != of && g->port == of->port && !memcmp(g->gid, of->gid, GID_SIZE))
			return false;
	}
	return true;
}

/* One of datagrams that is bound to an address or has resolved one, and no more */
static bool may_join(const struct cm_id *id)
{
	return id->port && cm_is_datagram(id) && id->state == CM_IDLE && !id->has_route;
}

int cm_join(struct cm_id *id, uint64_t uid, const void *address, uint64_t response, size_t out)
{
	struct rdma_ucm_create_id_resp r;
	struct cm_group *g;

	if (!may_join(id) || !cm_address_is_group(address))
		return EINVAL;
	g = calloc(1, sizeof(*g));
	if (!g)
		return ENOMEM;
	g->id = id;
	g->uid = uid;
	g->number = cm_number();
	g->port = id->port->number;
	cm_group_gid(g->gid, id, address);
	LIST_INSERT_HEAD(&groups, g, link);
	if (!id->port->ethernet && is_alone(g))
		sa_join_for(g->port, g->gid, CM_UDP_QKEY);
	post_joined(g, address);
	r.id = g->number;
	cm_reply(response, &r, sizeof(r), out);
	return 0;
}

static struct cm_group *find_group_of_ids(uint32_t number)
{
	struct cm_group *g;

	LIST_FOREACH(g, &groups, link)
	{
		if (g->number == number)
			return g;
	}
	return NULL;
}

static void leave(struct cm_group *g)
{
	cm_event_drop_of(g->id, g);
	if (!port_get(g->port)->ethernet && is_alone(g))
		sa_leave_for(g->port, g->gid);
	LIST_REMOVE(g, link);
	free(g);
}

int cm_leave(struct cm_file *f, uint32_t number, uint64_t response, size_t out)
{
	struct rdma_ucm_destroy_id_resp r;
	struct cm_group *g = find_group_of_ids(number);

	if (!g)
		return ENOENT;
	if (g->id->file != f)
		return EINVAL;
	r.events_reported = g->reported;
	leave(g);
	cm_reply(response, &r, sizeof(r), out);
	return 0;
}

void cm_leave_all(struct cm_id *id)
{
	struct cm_group *g, *next;

	for (g = LIST_FIRST(&groups); g; g = next) {
		next = LIST_NEXT(g, link);
		if (g->id == id)
			leave(g);
	}
}
