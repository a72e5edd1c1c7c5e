/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_EVENT_H
#define VERBSX_MLX5_EVENT_H

/**
 * @file
 * Waiting for what an mlx5 device tells by DEVX, as long as the program likes: answers to commands that were sent by
 * vx_mlx5_devx_obj_query_async(), and events that were subscribed to by vx_mlx5_event_channel_subscribe().
 *
 * From the first time on the descriptor of what was waited for does not block, vx_mlx5_cmd_comp_get() and
 * vx_mlx5_event_channel_get_event() give -EAGAIN where there is nothing.
 */

#include <stddef.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vx_mlx5_cmd_comp;
struct vx_mlx5_event_channel;

/**
 * Wait for the answer of a command that was not waited for when it was sent.
 *
 * @param timeout_ms    how long at most; 0: not at all; negative: for ever
 * @param cmd_resp      where it goes: a struct mlx5dv_devx_async_cmd_hdr with the wr_id of the command, and what it answered behind that
 * @param cmd_resp_len  bytes there
 * @return 0; -EAGAIN when nothing came in time, which is no error: vx_error() stays as it was; or another negative errno with
 *         vx_error() filled: -EINTR after a signal, -EOPNOTSUPP on a device of another vendor
 *
 * Thread-safe: each answer goes to one who waits. Stands for poll(2) and mlx5dv_devx_get_async_cmd_comp(3).
 */
VX_EXPORT int vx_mlx5_cmd_comp_wait(struct vx_mlx5_cmd_comp *mlx5_cmd_comp, int timeout_ms, void *cmd_resp,
				    size_t cmd_resp_len);

/**
 * Wait for an event of an object that was subscribed to.
 *
 * @param timeout_ms      as of vx_mlx5_cmd_comp_wait()
 * @param event_data      where it goes: a struct mlx5dv_devx_async_event_hdr with the cookie of who subscribed, and the event behind that
 * @param event_resp_len  bytes there
 * @param out             how many bytes it has
 * @return as of vx_mlx5_cmd_comp_wait()
 *
 * Thread-safe. Stands for poll(2) and mlx5dv_devx_get_event(3).
 */
VX_EXPORT int vx_mlx5_event_channel_wait(struct vx_mlx5_event_channel *mlx5_event_channel, int timeout_ms,
					 void *event_data, size_t event_resp_len, size_t *out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_EVENT_H */
