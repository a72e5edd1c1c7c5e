/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_EXTENDED_H
#define VERBSX_EXTENDED_H

/**
 * @file
 * QPs and CQs as ibv_wr_start(3) and ibv_start_poll(3) want them. A cast of the raw object is right for extended ones only:
 * with a plain one those calls jump anywhere.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The extended QP behind a handle.
 *
 * @param qp  made with .send_ops_flags, or adopted
 * @return NULL where it is not extended, and for NULL
 *
 * Thread-safe. Stands for ibv_qp_to_qp_ex(3).
 */
VX_EXPORT struct ibv_qp_ex *vx_qp_ex(const struct vx_qp *qp);

/**
 * The extended CQ behind a handle.
 *
 * @param cq  made with .wc_flags, .flags, .parent_domain or .comp_mask
 * @return NULL where it is not extended, where it was adopted, as nothing in it tells, and for NULL
 *
 * Thread-safe.
 */
VX_EXPORT struct ibv_cq_ex *vx_cq_ex(const struct vx_cq *cq);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_EXTENDED_H */
