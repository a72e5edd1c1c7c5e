/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_WC_ERROR_H
#define VERBSX_WC_ERROR_H

/**
 * @file
 * What a failed completion says, for people.
 */

#include <stddef.h>

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For vx_wc_error(): nobody knows what was asked for. The last value that such an enum of C++ can have. */
#define VX_WC_UNKNOWN ((enum ibv_wc_opcode)0xff)

/**
 * Explain a completion in one line: "IBV_WC_RETRY_EXC_ERR (12) of IBV_WC_SEND on mlx5_0 qp 17 to qp 18 of LID 7, wr_id = 0x5,
 * vendor_err = 0x81: No acknowledgement arrived: ...".
 *
 * @param buf     at least @p len bytes, of which 1536 hold any of these texts; may be NULL when @p len is 0
 * @param wc      of a failed completion only wr_id, status, qp_num and vendor_err are read, for no more is valid
 * @param qp      the QP that it is of, whose device and peer are then named as well; NULL where that is not known.
 *                That of another QP than wc.qp_num says is told so
 * @param opcode  what was asked for, as whoever posted the request knows: an IBV_WC_, of which compilers warn for an
 *                IBV_WR_; VX_WC_UNKNOWN where that is not known: a checked QP remembers its requests, and tells
 *                unless several with this wr_id may be meant. That of a failed completion is not valid.
 * @return the length that the whole text has without its NUL, as snprintf(3) does; when that is
 *         @p len or more, the text in @p buf is cut and still ends in NUL
 *
 * Allocates nothing. Thread-safe; asks the kernel where there is a QP, so call it for failures only.
 */
VX_EXPORT size_t vx_wc_error(char *buf, size_t len, const struct ibv_wc *wc, const struct vx_qp *qp,
			     enum ibv_wc_opcode opcode);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_WC_ERROR_H */
