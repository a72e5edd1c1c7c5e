/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_CM_H
#define VERBSX_SRC_REASON_CM_H

/* What no table can say of a call of librdmacm that has failed: [explain] of gen/lore/rdma_cma.toml names these functions. */

#include "reason/reason.h"

/* An address that no RDMA device has: which do. */
void vx_explain_cm_address(struct vx_failure *failure);

/* What the device of an endpoint has less of than its QP is to have. */
void vx_explain_cm_ep(struct vx_failure *failure);

/* An address that no group has. */
void vx_explain_cm_group(struct vx_failure *failure);

/* A name or a service that nobody knows, by a code of getaddrinfo(3). */
void vx_explain_cm_names(struct vx_failure *failure);

#endif
