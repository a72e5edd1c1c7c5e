/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_WQE_H
#define VERBSX_MLX5_WQE_H

/**
 * @file
 * Work queue elements and completions as an mlx5 device reads and writes them, as text: for who posts and polls by the raw queues
 * of mlx5dv_init_obj(3) or mlx5dv_wr_raw_wqe(3).
 */

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A WQE of a send queue in one line: "RDMA_WRITE: index 5, qpn 0x107, ds 3, MLX5_WQE_CTRL_CQ_UPDATE; raddr { raddr = 0x1000, ... };
 * data { byte_count = 64, ... }".
 *
 * @param buf    at least @p len bytes; may be NULL when @p len is 0
 * @param type   of its QP: IBV_QPT_DRIVER for a DCI
 * @param wqe    in one piece: one that goes over the end of its ring has to be copied
 * @param bytes  those that may be read; of fewer than the WQE says, that it is cut
 * @return the length that the whole text has without its NUL, as snprintf(3) does
 *
 * Reads what is there, whatever it says. Allocates nothing. Thread-safe.
 */
VX_EXPORT size_t vx_mlx5_wqe_snprint(char *buf, size_t len, enum ibv_qp_type type, const void *wqe, size_t bytes);

/**
 * A completion: "REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR (0x13), vendor_err 0x88, of RDMA_WRITE, qpn 0x107, wqe_counter 5, owner 1".
 *
 * Of those that are compressed, which vx_mlx5_mini_cqes_snprint() has, the first: "RESP_SEND, the first of 9 that are compressed, or an array of 3,
 * qpn 0x107, wqe_counter 0, owner 1". Its bytes do not tell which of the two it is: in a CQ of the enhanced layout, whose arrays have an owner of
 * their own in the last 8 bytes, it is an array, and only that number counts; in all others it is the first.
 *
 * Data that the device has put there, and not where the receive has its memory, is told: "RESP_SEND, 8 bytes in its first 32, ...", or "40 bytes in
 * the 64 before it", which only those of 128 bytes have.
 *
 * @param cqe    where it begins: of 128 bytes, which MLX5_CQE_SIZE or mlx5dv_cq_init_attr.cqe_size makes them, the first half has data or is padding
 * @param bytes  64, or 128 of a CQ of such completions: mlx5dv_cq.cqe_size
 */
VX_EXPORT size_t vx_mlx5_cqe_snprint(char *buf, size_t len, const void *cqe, size_t bytes);

/**
 * What stands in place of a completion behind the first of some that are compressed: "64 bytes, checksum 0xffff, stride 3; 128 bytes, ...".
 *
 * @param format  of enum mlx5dv_cqe_comp_res_format, as the CQ was made with; 0: they are of requests, which have a format of their own. Of
 *                another one "no format" is told
 * @param minis   64 bytes, each 8 of them for a completion
 * @param count   how many of them count, at most the first 8: what the first completion tells, less those in arrays before. In a CQ of the enhanced
 *                layout it is the array that tells, in its last byte: the high 4 bits, and one; 7 at most
 */
VX_EXPORT size_t vx_mlx5_mini_cqes_snprint(char *buf, size_t len, uint32_t format, const void *minis, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_WQE_H */
