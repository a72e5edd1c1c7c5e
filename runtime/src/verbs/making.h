/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MAKING_H
#define VERBSX_SRC_MAKING_H

/* Steps of making and using objects that the generated functions leave to the runtime. */

#include <verbsx/flow.h>
#include <verbsx/mr.h>

#include "kinds.h"
#include "mr.h"
#include "object/make.h"

/* Complete what a region is to be, and map memory of its own; unmap that. */
int vx_mr_begin(struct vx_kept_mr *kept, struct vx_mr_init *init);
void vx_mr_end(const struct vx_kept_mr *kept);

/* What ibv_reg_mr_ex(3) takes, of an init structure that is complete. */
struct ibv_mr_init_attr *vx_mr_attr(struct ibv_mr_init_attr *attr, const struct vx_mr_init *init);

/* Make of a flow's specs what ibv_create_flow(3) takes. */
int vx_flow_gather(struct vx_gathered *gathered, struct vx_qp *parent, struct vx_flow_init *init, size_t spec_size);

/* Whether the provider of an object's context is a library, such as "libmlx5"; not where there is no object. */
bool vx_is_provided_by(const void *object, const char *library);

/* Whether a port of an object's device, the first for 0, is one of InfiniBand. */
bool vx_is_infiniband(const void *object, uint8_t port_num);

/* The function that a provider has for a call of libibverbs, as a number; 0 for none. */
#define VX_PROVIDED(object, op) \
	(verbs_get_ctx_op(vx_context_of(object), op) ? (uintptr_t)verbs_get_ctx_op(vx_context_of(object), op)->op : 0)

/* -EOPNOTSUPP, recorded, where it is another: the functions of a provider's own header cast without looking. Else 0. */
int vx_needs_provider(const char *call, const void *object, const char *library);

#endif
