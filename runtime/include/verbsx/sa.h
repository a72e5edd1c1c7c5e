/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SA_H
#define VERBSX_SA_H

/**
 * @file
 * What the subnet administrator knows of paths: on InfiniBand a GID alone leads nowhere, for packets go by LIDs, which the subnet
 * manager gives to ports, and which it tells who asks.
 *
 *	struct vx_path path = { .ctx = ctx, .dgid = peer };
 *
 *	vx_path_resolve(&path, 2000);	// dlid, sl, path_mtu, static_rate, packet_life_time...
 *
 * It is asked by MADs, through libibumad and /dev/infiniband/umadN, for which a program needs permission; libibumad is opened when
 * it is first needed, and nothing else of libverbsx needs it.
 */

#include <verbsx/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fill what leads to the peer, by the subnet administrator's PathRecord; on Ethernet, where there is none, by the addresses.
 *
 * @param path        ctx and dgid, or dlid, must be set. sgid, slid, pkey, sl, traffic_class and flow_label that are not 0 are asked
 *                    for as well. On success dgid, sgid, dlid, slid, pkey, sl, traffic_class, flow_label, packet_life_time and is_global
 *                    are those of the record, and hop_limit where it is global; path_mtu and static_rate that are set only become
 *                    smaller; all else stays, as the path does on failure
 * @param timeout_ms  how long at most; 0: not at all, so that only what is known is told; negative: as long as the path says, which is
 *                    retry_cnt further tries (2, where it is 0 and VX_PATH_RETRY_CNT does not say that none is meant), each as long as two
 *                    packets live (packet_life_time, or else what the port says) and as the administrator says that it takes to answer.
 *                    There are no more tries than these in any case
 * @return 0, or a negative errno with vx_error() filled: -ENOENT where there is no such path, which says what was asked for; -ETIMEDOUT;
 *         -ENETUNREACH where the port knows of no subnet manager; -ENOSYS without libibumad; -ENODEV, -ENOENT or -EACCES with what the
 *         node for MADs lacks; -EBADMSG of an answer that is damaged; -EAGAIN where the administrator is busy, or had to be asked with
 *         a timeout of 0, or -EREMOTEIO with its
 *         status in words. On Ethernet -EINVAL without dgid, and -EADDRNOTAVAIL as vx_path_fill()
 *
 * What was told stays known for a minute: vx_ctx_keep_paths(), vx_ctx_drop_paths(). Paths are asked for that lead both ways. Threads
 * may ask at the same time. Stands for umad_open_port(3), umad_register(3), umad_send(3) and umad_recv(3).
 */
VX_EXPORT int vx_path_resolve(struct vx_path *path, int timeout_ms);

/**
 * All paths that the subnet administrator knows: to a peer, which may have several, or to whatever the port reaches.
 *
 * @param path        as for vx_path_resolve(), but that neither dgid nor dlid has to be set on InfiniBand: then it is the paths to all
 *                    ports of the subnet, the own one among them
 * @param timeout_ms  as for vx_path_resolve(); nothing is kept, so that with 0 it is -EAGAIN
 * @param paths       the first of them, each what vx_path_resolve() makes of a copy of path; on failure undefined. NULL is fine where
 *                    room is 0
 * @param room        how many of them there is room for
 * @param count       set on success: how many there are, at least one; it may be more than room
 * @return 0, or a negative errno with vx_error() filled, as vx_path_resolve(): one damaged record is -EBADMSG
 *
 * Where the answer is larger than 16 MB, -EBADMSG. Threads may ask at the same time. Stands for umad_open_port(3), umad_register(3),
 * umad_send(3) and umad_recv(3).
 */
VX_EXPORT int vx_path_resolve_all(const struct vx_path *path, int timeout_ms, struct vx_path *paths, size_t room, size_t *count);

/**
 * How long to believe what the subnet administrator has told of paths from a context.
 *
 * @param ms  from when it told; 60000 at first. 0: not at all, so that it is asked each time
 * @return 0, or a negative errno with vx_error() filled
 *
 * Thread-safe.
 */
VX_EXPORT int vx_ctx_keep_paths(struct vx_ctx *ctx, unsigned int ms);

/**
 * Forget what the subnet administrator has told of paths from a context. vx_ctx_get_async_event() does it by itself, of all contexts,
 * for each event that is about a port or a device, such as IBV_EVENT_SM_CHANGE; who reads events without it has to call this.
 *
 * @return 0, or a negative errno with vx_error() filled
 *
 * Thread-safe.
 */
VX_EXPORT int vx_ctx_drop_paths(struct vx_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_SA_H */
