/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GID_CHOICE_H
#define VERBSX_SRC_GID_CHOICE_H

/*
 * Which of a port's GIDs a path begins at, as a function of a table: nobody is asked, so that the tables of threads about a wrong GID
 * are tests. What the kernel says of addresses is asked before (gid_route.c).
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include <infiniband/verbs.h>

#include "text/out.h"

/* From where the kernel would send to the peer. */
struct vx_gid_route {
	union ibv_gid source;		/* IPv4 as ::ffff:a.b.c.d */
	uint32_t ifindex;		/* the network device that it was asked to leave by; 0: any */
};

/* An entry, and what the kernel says of it. */
struct vx_gid_row {
	struct ibv_gid_entry entry;
	bool foreign;			/* its address is none of this network namespace */
};

struct vx_gid_table {
	const struct vx_gid_row *rows;	/* of one port */
	size_t count;
	bool ethernet;			/* the link layer */
	const union ibv_gid *own;	/* only this one; NULL: any */
	uint32_t type;			/* only of this; 0: any */
	const union ibv_gid *peer;	/* NULL: not known */
	const struct vx_gid_route *routes;	/* to the peer; where there are several, the first that is a GID counts */
	size_t route_count;
};

/*
 * Say of link-local entries, of which the kernel cannot tell, what is so of all others of their network device: those are of one
 * namespace.
 */
void vx_gid_judge_links(struct vx_gid_row *rows, size_t count);

/* ---- what the kernel says of the addresses behind the GIDs of RoCE (gid_route.c): nothing is sent ---- */

/* More than the network devices of a port: its own, and those above it with VLANs or addresses of their own. */
#define VX_MOST_ROUTES 16

/*
 * From where the kernel would send to a peer: by any network device and, where that is no GID of the table, by each that the table
 * names. So of several network devices in one subnet, for which the kernel takes the first, each has its own GID.
 *
 * @return how many answers there are
 */
size_t vx_gid_ask_routes(const struct vx_gid_table *table, struct vx_gid_route routes[VX_MOST_ROUTES]);

/* Whether an entry's address is none of this network namespace; of fe80::/10 that cannot be told. */
bool vx_gid_is_foreign(const struct ibv_gid_entry *entry);

/* ---- choosing ---- */

/* No entry will do. */
#define VX_NO_GID SIZE_MAX

/* The row that a path to the peer begins at. */
size_t vx_gid_choose(const struct vx_gid_table *table);

/* Why a row is the chosen one, or is not. */
void vx_gid_put_why(struct vx_out *out, const struct vx_gid_table *table, size_t row, size_t chosen);

/* What a port without a GID that will do has. */
void vx_gid_put_lack(struct vx_out *out, const struct vx_gid_table *table);

/* "RoCE v2". */
const char *vx_gid_type_text(uint32_t gid_type);

/* "10.0.0.2", "fe80::1". */
void vx_gid_put_address(struct vx_out *out, const union ibv_gid *gid);

/* That of an address of a host, IPv4 as ::ffff:a.b.c.d. False: it is of another family, or NULL. */
bool vx_gid_of_address(const struct sockaddr *address, union ibv_gid *out);

static inline const struct in6_addr *vx_gid_address(const union ibv_gid *gid)
{
	return (const struct in6_addr *)(const void *)gid;
}

/* What nobody but librdmacm asks: ARP and the subnet administrator. */
#define VX_IP_ON_INFINIBAND "on InfiniBand librdmacm alone finds an address of IP, as vx_cm_client_connect()"

static inline bool vx_gid_is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED(vx_gid_address(gid));
}

/* Of a group: ff00::/8, and 224/4 of IPv4. */
static inline bool vx_gid_is_group(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_MULTICAST(vx_gid_address(gid)) || (vx_gid_is_ipv4(gid) && gid->raw[12] >> 4 == 0xe);
}

/* fe80::/10. It is nobody's without a network device, and that of a port need not be an address which that has. */
static inline bool vx_gid_is_ipv6_of_link(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_LINKLOCAL(vx_gid_address(gid));
}

/* Of one link only: fe80::/10, and 169.254/16 of IPv4. */
static inline bool vx_gid_is_link_local(const union ibv_gid *gid)
{
	return vx_gid_is_ipv6_of_link(gid) || (vx_gid_is_ipv4(gid) && gid->raw[12] == 169 && gid->raw[13] == 254);
}

#endif
