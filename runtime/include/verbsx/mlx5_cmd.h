/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_CMD_H
#define VERBSX_MLX5_CMD_H

/**
 * @file
 * Commands that a program sends to an mlx5 device itself (DEVX): their mailboxes, by the names of fields.
 *
 *	uint32_t in[4], out[4];
 *	uint64_t pd;
 *
 *	vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD);
 *	vx_mlx5_devx_obj_create(ctx, &(struct vx_mlx5_devx_obj_init){ .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) }, &obj);
 *	vx_mlx5_cmd_get(out, sizeof(out), VX_MLX5_ALLOC_PD_OUT_PD, &pd);
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/export.h>
#include <verbsx/mlx5_prm.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begin a command: clear its mailbox, and write its opcode.
 *
 * @param in      where the mailbox is
 * @param inlen   its bytes, with what the program writes behind it, such as the entries of an mkey
 * @param opcode  of enum vx_mlx5_opcode, or another that the device knows
 * @return 0; -EINVAL where the command is known to have more bytes than that, as all have 16, or opcode has more than 16 bits
 */
VX_EXPORT int vx_mlx5_cmd_begin(void *in, size_t inlen, uint32_t opcode);

/**
 * How long the mailboxes of a command are, without what may follow them.
 *
 * @return 0; -ENOENT where its mailboxes are not known
 */
VX_EXPORT int vx_mlx5_cmd_sizes(uint32_t opcode, size_t *inlen, size_t *outlen);

/**
 * Write a field of a mailbox or of a context; all others stay as they are.
 *
 * @param field  of enum vx_mlx5_field, or VX_MLX5_FIELD() of a place that has no name
 * @param value  in the byte order of the host
 * @return 0; -EINVAL, with the field's name, where the value has more bits than the field, or the field lies behind the mailbox
 *         or is of another command than the mailbox; -EINVAL for a field of an answer, VX_MLX5_..._OUT_...
 */
VX_EXPORT int vx_mlx5_cmd_set(void *mailbox, size_t len, uint32_t field, uint64_t value);

/** Read one; @return 0, or -EINVAL where it lies behind the mailbox. */
VX_EXPORT int vx_mlx5_cmd_get(const void *mailbox, size_t len, uint32_t field, uint64_t *value);

/**
 * A command and its answer in one line: "CREATE_CQ (0x400): cqc.log_cq_size = 7, cqc.c_eqn = 1 -> cqn = 0x23". Fields that are 0, and
 * those that are not known, are left out.
 *
 * @param buf     at least @p len bytes; may be NULL when @p len is 0
 * @param in      the command's mailbox, which tells what the answer's is
 * @param out     the answer's; NULL: there is none yet
 * @return the length that the whole text has without its NUL, as snprintf(3) does
 *
 * Allocates nothing. Thread-safe.
 */
VX_EXPORT size_t vx_mlx5_cmd_snprint(char *buf, size_t len, const void *in, size_t inlen, const void *out, size_t outlen);

/**
 * What a device has answered to a command, for answers that no call of libverbsx looked at: those of
 * vx_mlx5_cmd_comp_get(), and of calls that were made as they are.
 *
 * @param in      the command's mailbox, of which the opcode is read
 * @param out     the answer's
 * @return 0: the device did it; -EREMOTEIO: it refused, and vx_error() names the command, the status and the syndrome; -EINVAL
 *         where one is NULL or too short: a command begins with 4 bytes, and an answer with 8
 *
 * The calls of libverbsx that take mailboxes say the same where they fail. Thread-safe.
 */
VX_EXPORT int vx_mlx5_cmd_check(const void *in, size_t inlen, const void *out, size_t outlen);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_CMD_H */
