/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_GID_H
#define VERBSX_GID_H

/**
 * @file
 * Which GID of a port a path begins at.
 *
 * On InfiniBand it is the first. A port of RoCE has one for each address of its network devices and each version of RoCE, in an
 * order that is the driver's, changes when a link was down, and differs between hosts: no index is right by habit. So what is
 * compared are the entries; each criterion counts where those before it leave several:
 *
 *   1. only a GID of the peer's family: IPv4 with IPv4; for groups RoCE v1 has no families;
 *   2. that from which the kernel would send to the peer, by any network device, or else by that of the GID;
 *   3. whose address this network namespace has: a container may see the GIDs of its host; of fe80::/10 the others of the same
 *      network device tell;
 *   4. RoCE v2 before v1, which no router knows;
 *   5. IPv4, then IPv6, then link-local addresses, which 169.254/16 are, too; for a link-local peer these before others;
 *   6. the lowest index.
 *
 * Whether an address is private (10/8, fd00::/8) says nothing. All is thread-safe, and asks the kernel each time, for tables
 * change. Nothing is sent.
 */

#include <stdbool.h>

#include <verbsx/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

VX_EXPORT int vx_ctx_choose_gid_sized(const struct vx_ctx *ctx, uint32_t port_num, const union ibv_gid *peer,
				      struct ibv_gid_entry *out, size_t size, char *why, size_t len);

/**
 * Choose the GID of a port that a path to a peer begins at.
 *
 * @param port_num  from 1; 0 is 1
 * @param peer      its GID, which for IPv4 is ::ffff:a.b.c.d; NULL where it is not known yet
 * @param out       gid_index is what struct ibv_global_route takes
 * @param why       at least @p len bytes for the reason: "GID 3 ::ffff:10.0.0.1 (RoCE v2, eth0): the route to 10.0.0.2 leaves
 *                  from it"; may be NULL when @p len is 0. It ends in NUL, and is cut where @p len is less than 512
 * @return 0, or a negative errno with vx_error() filled: -EADDRNOTAVAIL where the port has no GID, or none of the peer's family
 *
 * Stands for ibv_query_gid_table(3), and for socket(2), connect(2) and getsockname(2).
 */
static inline int vx_ctx_choose_gid(const struct vx_ctx *ctx, uint32_t port_num, const union ibv_gid *peer, struct ibv_gid_entry *out,
				    char *why, size_t len)
{
	return vx_ctx_choose_gid_sized(ctx, port_num, peer, out, sizeof(*out), why, len);
}

/**
 * An entry of a GID table, as vx_ctx_explain_gids() shows it.
 *
 * @param entry  valid until this returns
 * @param taken  whether it is the one that vx_ctx_choose_gid() gives
 * @param why    the reason for that, without the entry's number and address: "RoCE v1, and GID 3 is RoCE v2"
 * @param data   as given to vx_ctx_explain_gids()
 */
typedef void (*vx_gid_function)(const struct ibv_gid_entry *entry, bool taken, const char *why, void *data);

/**
 * Show each entry of a port's GID table that is not empty, and why it would or would not be taken for a path to a peer.
 *
 * @param port_num  from 1; 0 is 1
 * @param peer      as for vx_ctx_choose_gid()
 * @param show      called for each entry, from the lowest index on, before this returns; it may call any function of libverbsx
 * @return 0, or a negative errno with vx_error() filled: -EADDRNOTAVAIL where none is taken, when all have been shown
 */
VX_EXPORT int vx_ctx_explain_gids(const struct vx_ctx *ctx, uint32_t port_num, const union ibv_gid *peer, vx_gid_function show,
				  void *data);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_GID_H */
