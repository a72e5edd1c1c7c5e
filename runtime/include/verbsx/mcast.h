/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MCAST_H
#define VERBSX_MCAST_H

/**
 * @file
 * Membership of a QP in a multicast group. rdma-core has no object for it; here it is one like any other, so that
 * closing it leaves the group, and closing the QP leaves all of its groups first.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The group that a QP is to join. */
struct vx_mcast_init {
	union ibv_gid gid;	/**< begins with 0xff */
	uint16_t lid;		/**< of the group, in the byte order of the host; 0 on RoCE */
	uint8_t reserved[6];	/**< 0 */
};

VX_EXPORT int vx_mcast_create_sized(struct vx_qp *parent, const struct vx_mcast_init *init, size_t size, struct vx_mcast **out);

/**
 * Have a QP receive what is sent to a multicast group.
 *
 * @param parent  of type UD or RAW_PACKET
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where the GID is none of a group, or the QP of a type
 *         that cannot
 *
 * The subnet must know of the group, which librdmacm or a subnet manager sees to. The raw object of the handle is that
 * of the QP; vx_give_back() leaves the QP in the group for good. A QP that has joined a group more than once leaves it with
 * the last of these handles. Thread-safe. Stands for ibv_attach_mcast(3) and, when
 * closed, ibv_detach_mcast(3).
 */
static inline int vx_mcast_create(struct vx_qp *parent, const struct vx_mcast_init *init, struct vx_mcast **out)
{
	return vx_mcast_create_sized(parent, init, sizeof(*init), out);
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MCAST_H */
