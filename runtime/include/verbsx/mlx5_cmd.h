/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_CMD_H
#define VERBSX_MLX5_CMD_H

/**
 * @file
 * Commands that a program sends to an mlx5 device itself (DEVX): what the mailboxes say.
 */

#include <stddef.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a device has answered to a command, for answers that no call of libverbsx looked at: those of
 * vx_mlx5_cmd_comp_get(), and of calls that were made as they are.
 *
 * @param in      the command's mailbox, of which the opcode is read
 * @param out     the answer's
 * @return 0: the device did it; -EREMOTEIO: it refused, and vx_error() names the command, the status and the syndrome; -EINVAL
 *         where one is NULL
 *
 * The calls of libverbsx that take mailboxes say the same where they fail. Thread-safe.
 */
VX_EXPORT int vx_mlx5_cmd_check(const void *in, size_t inlen, const void *out, size_t outlen);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_CMD_H */
