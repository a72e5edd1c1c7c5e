/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The GID that a path begins with. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <verbsx/calls.h>
#include <verbsx/enums.h>

#include "error/fail.h"
#include "object/make.h"
#include "path.h"

/* How good a GID is on Ethernet, best first; all that are of RoCE v1 come last. */
enum {
	RANK_IPV4,
	RANK_IPV6,
	RANK_LINK_LOCAL,
	RANK_OF_V1,		/* added to those before */
};

static bool gid_is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid);
}

static bool gid_is_link_local(const union ibv_gid *gid)
{
	if (gid_is_ipv4(gid))
		return gid->raw[12] == 169 && gid->raw[13] == 254;
	return IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid);
}

/* InfiniBand: they all are alike, and the first is the port's. */
static int rank_of(const struct ibv_gid_entry *entry)
{
	int rank = gid_is_link_local(&entry->gid) ? RANK_LINK_LOCAL : gid_is_ipv4(&entry->gid) ? RANK_IPV4 : RANK_IPV6;

	if (entry->gid_type == IBV_GID_TYPE_IB)
		return 0;
	return entry->gid_type == IBV_GID_TYPE_ROCE_V1 ? rank + RANK_OF_V1 : rank;
}

/* Whether a path may begin with it: on the port, of the type and the address that are wanted; the peer's kind of address else. */
static bool gid_suits(const struct vx_path *path, const struct ibv_gid_entry *entry)
{
	if (entry->port_num != vx_path_port(path) || (path->gid_type && path->gid_type != entry->gid_type))
		return false;
	if (!vx_gid_is_zero(&path->sgid))
		return !memcmp(&path->sgid, &entry->gid, sizeof(entry->gid));
	return entry->gid_type == IBV_GID_TYPE_IB || vx_gid_is_zero(&path->dgid) || gid_is_ipv4(&path->dgid) == gid_is_ipv4(&entry->gid);
}

/* The first of the best that suit; NULL where none does. */
static const struct ibv_gid_entry *best_gid(const struct vx_path *path, const struct ibv_gid_entry *entries, size_t count)
{
	const struct ibv_gid_entry *best = NULL, *entry;

	for (entry = entries; entry < entries + count; entry++)
		if (gid_suits(path, entry) && (!best || rank_of(entry) < rank_of(best)))
			best = entry;
	return best;
}

static int no_gid(const struct vx_path *path, const char *call)
{
	const char *type = path->gid_type ? vx_ibv_gid_type_name(path->gid_type) : NULL;
	char gid[INET6_ADDRSTRLEN];
	bool any = vx_gid_is_zero(&path->sgid);

	inet_ntop(AF_INET6, any ? path->dgid.raw : path->sgid.raw, gid, sizeof(gid));
	return vx_fail(-EADDRNOTAVAIL, call, VX_NAME(path->ctx), "port %u has no GID %s%s%s%s", vx_path_port(path),
		       any ? "to reach " : "", gid, type ? " of " : "", type ? type : "");
}

int vx_path_choose_gid(const struct vx_path *path, const char *call, struct ibv_gid_entry *out)
{
	struct ibv_device_attr device;
	const struct ibv_gid_entry *best;
	struct ibv_gid_entry *entries;
	struct ibv_port_attr port;
	size_t count, room;
	int rc;

	rc = vx_ctx_query_device(path->ctx, &device);
	if (rc == 0)
		rc = vx_ctx_query_port(path->ctx, vx_path_port(path), &port);
	if (rc < 0)
		return rc;
	room = (size_t)port.gid_tbl_len * device.phys_port_cnt;
	entries = calloc(room ? room : 1, sizeof(*entries));
	if (!entries)
		return vx_fail(-ENOMEM, call, VX_NAME(path->ctx), "for %zu GIDs", room);
	rc = vx_ctx_query_gid_table(path->ctx, entries, room, &count);
	best = rc < 0 ? NULL : best_gid(path, entries, count);
	if (best)
		*out = *best;
	else if (rc == 0)
		rc = no_gid(path, call);
	free(entries);
	return rc;
}
