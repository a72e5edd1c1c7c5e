/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#define _GNU_SOURCE /* SOCK_CLOEXEC */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gid_choice.h"

#define ROCE_PORT 4791	/* routes may be told apart by it */

union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

static union address address_at(const union ibv_gid *gid, uint32_t ifindex, in_port_t port)
{
	union address address = { .ipv4 = { .sin_family = AF_INET, .sin_port = htons(port) } };

	if (vx_gid_is_ipv4(gid)) {
		memcpy(&address.ipv4.sin_addr, gid->raw + 12, sizeof(address.ipv4.sin_addr));
		return address;
	}
	address.ipv6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = *vx_gid_address(gid) };
	if (vx_gid_is_ipv6_of_link(gid))
		address.ipv6.sin6_scope_id = ifindex;
	return address;
}

static socklen_t size_of(const union address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->ipv4) : sizeof(address->ipv6);
}

static int socket_for(const union address *address)
{
	return socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* Older kernels let none but root. */
static bool leave_by(int fd, uint32_t ifindex)
{
	int index = (int)ifindex;

#ifdef SO_BINDTOIFINDEX
	return !ifindex || !setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &index, sizeof(index));
#else
	(void)fd;
	return !index;
#endif
}

/* ---- routes ---- */

static bool ask_route(const union ibv_gid *peer, uint32_t ifindex, struct vx_gid_route *route)
{
	union address to = address_at(peer, ifindex, ROCE_PORT), from = { .any = { .sa_family = AF_UNSPEC } };
	socklen_t size = sizeof(from);
	int fd = socket_for(&to);
	bool told;

	if (fd < 0)
		return false;
	told = leave_by(fd, ifindex) && !connect(fd, &to.any, size_of(&to)) && !getsockname(fd, &from.any, &size) &&
	       vx_gid_of_address(&from.any, &route->source);
	close(fd);
	route->ifindex = ifindex;
	return told;
}

static bool has_gid(const struct vx_gid_table *table, const union ibv_gid *gid)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (!memcmp(&table->rows[i].entry.gid, gid, sizeof(*gid)))
			return true;
	return false;
}

static bool was_asked(const struct vx_gid_route *routes, size_t count, uint32_t ifindex)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (routes[i].ifindex == ifindex)
			return true;
	return false;
}

static size_t ask_each_device(const struct vx_gid_table *table, struct vx_gid_route *routes, size_t count)
{
	uint32_t ifindex;
	size_t i;

	for (i = 0; i < table->count && count < VX_MOST_ROUTES; i++) {
		ifindex = table->rows[i].entry.ndev_ifindex;
		if (ifindex && !was_asked(routes, count, ifindex) && ask_route(table->peer, ifindex, &routes[count]))
			count++;
	}
	return count;
}

size_t vx_gid_ask_routes(const struct vx_gid_table *table, struct vx_gid_route routes[VX_MOST_ROUTES])
{
	size_t count = !vx_gid_is_ipv6_of_link(table->peer) && ask_route(table->peer, 0, routes);

	return count && has_gid(table, &routes[0].source) ? count : ask_each_device(table, routes, count);
}

/* ---- addresses ---- */

bool vx_gid_is_foreign(const struct ibv_gid_entry *entry)
{
	union address own = address_at(&entry->gid, 0, 0);
	bool foreign = false;
	int fd;

	if (entry->gid_type == IBV_GID_TYPE_IB || vx_gid_is_ipv6_of_link(&entry->gid))
		return false;
	fd = socket_for(&own);
	if (fd < 0)
		return false;
	foreign = bind(fd, &own.any, size_of(&own)) && errno == EADDRNOTAVAIL;
	close(fd);
	return foreign;
}
