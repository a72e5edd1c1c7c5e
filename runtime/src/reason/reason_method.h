/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_METHOD_H
#define VERBSX_SRC_REASON_METHOD_H

/*
 * Why a method failed, for those whose arguments tell: gen/lore/limits.toml names these under [explain]. Each records
 * the failure and returns its code, as vx_method_fail().
 */

#include <verbsx/objects.h>

int vx_bind_mw_fail(int code, const struct vx_qp *qp, const struct vx_mw *mw, const struct ibv_mw_bind *mw_bind);
int vx_get_pkey_index_fail(int code, const struct vx_ctx *ctx, uint8_t port_num, uint16_t pkey);
int vx_memcpy_to_dm_fail(int code, const struct vx_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length);
int vx_modify_qp_fail(int code, const struct vx_qp *qp, const struct ibv_qp_attr *attr, int attr_mask);
int vx_modify_srq_fail(int code, const struct vx_srq *srq, const struct ibv_srq_attr *attr, int attr_mask);
int vx_modify_wq_fail(int code, const struct vx_wq *wq, const struct ibv_wq_attr *wq_attr);
int vx_read_counters_fail(int code, const struct vx_counters *counters, const uint64_t *counters_value, uint32_t ncounters,
			  uint32_t flags);
int vx_resize_cq_fail(int code, const struct vx_cq *cq, int cqe);
int vx_resolve_eth_l2_from_gid_fail(int code, const struct vx_ctx *ctx, const struct ibv_ah_attr *attr,
				    const uint8_t *eth_mac, const uint16_t *vid);

/* What of it is found in a structure that the method takes. */
int vx_method_attr_fail(int code, const char *call, const void *object, struct vx_type type, const void *attr);

#endif
