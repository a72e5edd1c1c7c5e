/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_METHOD_H
#define VERBSX_SRC_REASON_METHOD_H

/*
 * Why a method failed, for those whose arguments tell: gen/lore/limits.toml names these under [explain]. Each records
 * the failure and returns its code, as vx_method_fail().
 */

#include <verbsx/objects.h>

int vx_bind_mw_fail(int code, const struct vx_qp *qp, const struct vx_mw *mw, const struct ibv_mw_bind *mw_bind);
int vx_memcpy_to_dm_fail(int code, const struct vx_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length);
int vx_modify_qp_fail(int code, const struct vx_qp *qp, const struct ibv_qp_attr *attr, int attr_mask);
int vx_modify_srq_fail(int code, const struct vx_srq *srq, const struct ibv_srq_attr *attr, int attr_mask);
int vx_resize_cq_fail(int code, const struct vx_cq *cq, int cqe);

/* What of it is found in a structure that the method takes. */
int vx_method_attr_fail(int code, const char *call, const void *object, struct vx_type type, const void *attr);

#endif
