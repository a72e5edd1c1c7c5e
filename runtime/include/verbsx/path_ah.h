/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_PATH_AH_H
#define VERBSX_PATH_AH_H

/**
 * @file
 * The way of datagrams: the path that one came by, and address handles for paths.
 *
 *	struct vx_path path;
 *
 *	vx_path_from_wc(ctx, 1, &wc, buffer, &path);
 *	vx_path_reply(&path);
 *	vx_pd_ah(pd, &path, &ah);	// send.wr.ud: the ah, path.dqpn, and the Q_Key of the service
 */

#include <verbsx/path.h>

#ifdef __cplusplus
extern "C" {
#endif

VX_EXPORT int vx_path_from_wc_sized(struct vx_ctx *ctx, uint32_t port_num, const struct ibv_wc *wc, size_t size, const void *grh,
				    struct vx_path *out);

/**
 * The path that a datagram came by, as its sender has it: what begins with s is about the sender, what begins with d about this
 * side. vx_path_reply() makes it the way back.
 *
 * @param port_num  where it came in, from 1; 0 is 1
 * @param wc        its completion, of a UD QP: one that failed has no path, -EINVAL
 * @param grh       the first 40 bytes of what was received, which are before the data; NULL where wc->wc_flags has no IBV_WC_GRH
 * @param out       what neither says is 0, as are P_Key and Q_Key. dgid is that of the group, of a datagram that was sent to one. On
 *                  Ethernet sl is 0 as well: wc->sl is of which kind the header is there, with mlx5 and most others
 * @return 0, or a negative errno with vx_error() filled: -EPROTONOSUPPORT where the bytes are neither a GRH nor a header of IP
 *
 * Thread-safe.
 */
static inline int vx_path_from_wc(struct vx_ctx *ctx, uint32_t port_num, const struct ibv_wc *wc, const void *grh, struct vx_path *out)
{
	return vx_path_from_wc_sized(ctx, port_num, wc, sizeof(*wc), grh, out);
}

/**
 * An address handle for a path: the one that the PD has for it, or a new one.
 *
 * @param path  of its members those that are in the headers of packets count: not the QPs' numbers, nor keys. Of sgid and gid_type
 *              what is not known, or is a group's, is chosen as by vx_ctx_choose_gid()
 * @param out   the PD's: it is closed with that, or by vx_pd_drop_ahs(); vx_close() leaves it as it is
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where the path leads nowhere or begins at another device;
 *         -EADDRNOTAVAIL where the port has no such GID
 *
 * A handle that is there is found without asking the kernel, by as many comparisons as the number of handles has bits. It stays as
 * it is when addresses of the port change: vx_pd_drop_ahs() is for IBV_EVENT_GID_CHANGE. Thread-safe. Stands for ibv_create_ah(3).
 */
VX_EXPORT int vx_pd_ah(struct vx_pd *pd, const struct vx_path *path, struct vx_ah **out);

/**
 * Close all address handles that vx_pd_ah() has made for a PD: whoever has one asks vx_pd_ah() for it again.
 *
 * @return 0, or a negative errno with vx_error() filled, of one that could not be closed: it stays, as do those behind it, and a
 *         second try may follow
 *
 * Thread-safe, except that nobody else may be using what is closed. Stands for as many ibv_destroy_ah(3).
 */
VX_EXPORT int vx_pd_drop_ahs(struct vx_pd *pd);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_PATH_AH_H */
