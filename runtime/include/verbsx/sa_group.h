/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SA_GROUP_H
#define VERBSX_SA_GROUP_H

/**
 * @file
 * Multicast groups of an InfiniBand subnet: the subnet administrator lets a port join, so that switches forward what is sent to the
 * group, and tells what its packets are like. A QP gets them by vx_mcast_create().
 *
 *	vx_sa_group_create(ctx, &(struct vx_sa_group_init){ .mgid = mgid, .qkey = 0x1234 }, &group);
 *	vx_sa_group_path(group, &path);
 *	vx_mcast_create(qp, &(struct vx_mcast_init){ .gid = path.dgid, .lid = path.dlid }, &mcast);
 *	vx_pd_ah(pd, &path, &ah);	// to send there: path.dqpn and path.qkey go with it
 */

#include <stdbool.h>

#include <verbsx/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/** As what a port joins; bits of vx_sa_group_init.join_state. */
enum vx_sa_join_state {
	VX_SA_FULL_MEMBER = 1 << 0,		/**< receives and sends; the group is there as long as it has one */
	VX_SA_NON_MEMBER = 1 << 1,		/**< receives and sends, and the group goes without it */
	VX_SA_SEND_ONLY_NON_MEMBER = 1 << 2,	/**< sends only */
	VX_SA_SEND_ONLY_FULL_MEMBER = 1 << 3,	/**< sends only, and keeps the group */
};

/** Which group to join; of a group that there is, only mgid needs to be known. */
struct vx_sa_group_init {
	uint32_t comp_mask;		/**< no bits yet, so 0 */
	uint32_t port_num;		/**< that joins; 0 is 1 */
	union ibv_gid mgid;		/**< begins with 0xff; zeros: a new group gets one */
	uint32_t qkey;			/**< of its datagrams; 0: that of the group, or 0x1ee7 of a new one */
	uint32_t flow_label;		/**< 20 bits; 0: that of the group, or 0 of a new one */
	int timeout_ms;			/**< how long at most, for joining and for leaving each; 0 and negative: as
					     vx_path_resolve() with a negative one */
	uint16_t pkey;			/**< its partition; 0: that of the group, or 0xffff of a new one */
	uint8_t sl;			/**< service level of its packets; 0: that of the group, or 0 of a new one */
	uint8_t traffic_class;		/**< 0: that of the group, or 0 of a new one */
	uint8_t join_state;		/**< of enum vx_sa_join_state; 0 is VX_SA_FULL_MEMBER */
	bool only_join;			/**< fail if the group does not exist; false: make it */
	uint8_t reserved_[6];		/**< nobody writes it: 0, else -E2BIG */
};

VX_EXPORT int vx_sa_group_create_sized(struct vx_ctx *parent, const struct vx_sa_group_init *init, size_t size, struct vx_sa_group **out);

/**
 * Join a group, and make it where it is not there.
 *
 * @param init  NULL makes a new group of any GID
 * @return 0, or a negative errno with vx_error() filled: -EOPNOTSUPP on Ethernet, where vx_mcast_create() alone joins; -EINVAL where mgid
 *         is no group's; -ENOENT with only_join; -EREMOTEIO where the administrator does not let the port in, as when the group is not
 *         what was asked for; all others as vx_path_resolve()
 *
 * vx_close() leaves the group, and goes on where the administrator does not answer: it finds out when the port goes.
 * Thread-safe. Stands for umad_send(3) and umad_recv(3).
 */
static inline int vx_sa_group_create(struct vx_ctx *parent, const struct vx_sa_group_init *init, struct vx_sa_group **out)
{
	return vx_sa_group_create_sized(parent, init, sizeof(*init), out);
}

/**
 * The path to a group, as the subnet administrator has it.
 *
 * @param path  dgid is that of the group, dlid its LID, dqpn 0xffffff, qkey its Q_Key; what is not known of a group is 0
 * @return 0, or a negative errno with vx_error() filled
 *
 * Thread-safe.
 */
VX_EXPORT int vx_sa_group_path(const struct vx_sa_group *group, struct vx_path *path);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_SA_GROUP_H */
