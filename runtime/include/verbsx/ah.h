/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_AH_H
#define VERBSX_AH_H

/**
 * @file
 * Address handles by which to answer, and what they are made of; vx_ah_create() of verbsx/objects.h makes all others.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

VX_EXPORT int vx_ctx_init_ah_from_wc_sized(struct vx_ctx *ctx, uint8_t port_num, const struct ibv_wc *wc, const struct ibv_grh *grh,
					 struct ibv_ah_attr *out, size_t size);

/**
 * Find out what an AH needs that answers the sender of a message; vx_ah_create_from_wc() makes it as well.
 *
 * @param port_num  where the message came in, from 1
 * @param wc        its completion, on a UD QP
 * @param grh       the first 40 bytes of its buffer, read only where wc_flags has IBV_WC_GRH
 * @return 0, or a negative errno with vx_error() filled, as vx_ah_create_from_wc()
 *
 * Thread-safe. Stands for ibv_init_ah_from_wc(3).
 */
static inline int vx_ctx_init_ah_from_wc(struct vx_ctx *ctx, uint8_t port_num, const struct ibv_wc *wc, const struct ibv_grh *grh,
					 struct ibv_ah_attr *out)
{
	return vx_ctx_init_ah_from_wc_sized(ctx, port_num, wc, grh, out, sizeof(*out));
}

/**
 * Make an address handle that leads back to the sender of a message.
 *
 * @param parent    the PD that it belongs to
 * @param wc        the completion of a UD receive, with status IBV_WC_SUCCESS
 * @param grh       the first 40 bytes of the receive buffer; looked at only where wc_flags has IBV_WC_GRH
 * @param port_num  which the message came in by, from 1
 * @return 0, or a negative errno with vx_error() filled: -ENOENT where the message was sent to a GID that the port has
 *         no more, -EPROTONOSUPPORT where the 40 bytes are no GRH
 *
 * Thread-safe. Stands for ibv_create_ah_from_wc(3).
 */
VX_EXPORT int vx_ah_create_from_wc(struct vx_pd *parent, const struct ibv_wc *wc, const struct ibv_grh *grh, uint8_t port_num,
				   struct vx_ah **out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_AH_H */
