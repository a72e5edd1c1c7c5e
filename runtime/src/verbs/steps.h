/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_STEPS_H
#define VERBSX_SRC_STEPS_H

/* Steps of making and using objects that the generated functions leave to hand-written code. */

#include <stdbool.h>
#include <stddef.h>

#include <verbsx/flow.h>
#include <verbsx/mr.h>

#include "kinds.h"
#include "object/make.h"
#include "reach/reach.h"

/* The handle of a context that is to be opened, as vx_node_new() gives it. Generated: [root] in gen/lore/objects.toml. */
struct vx_node *vx_new_ctx(const void *out, const char *call);

/* Open a device, for a function. @param name  for messages, if it is not the device's own */
int vx_ctx_open_by(struct ibv_device *device, const char *name, vx_open_failed *fail, const char *call, struct vx_ctx **out);

/* Complete what a region is to be, and map memory of its own; unmap that. */
int vx_mr_begin(struct vx_kept_mr *kept, struct vx_mr_init *init) VX_HOT;
void vx_mr_end(const struct vx_kept_mr *kept) VX_HOT;

struct vx_kept_mlx5_mr; /* older headers have no such regions */
struct vx_mlx5_mr_init;
int vx_mlx5_mr_begin(struct vx_kept_mlx5_mr *kept, struct vx_mlx5_mr_init *init);

/* Where an answer to the message of a completion goes; all zero where that is not found. */
struct ibv_ah_attr vx_answer_of(const void *parent, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh);

/* Make of a flow's specs what ibv_create_flow(3) takes. */
int vx_flow_gather(struct vx_gathered *gathered, struct vx_qp *parent, struct vx_flow_init *init, size_t spec_size);

/* What counters lack for a flow, or NULL. Generated: "bare" in gen/lore/verbs.toml. */
const char *vx_counters_lack(const struct vx_counters *counters);

/* Whether a port of an object's device, the first for 0, is one of InfiniBand. */
bool vx_is_infiniband(const void *object, uint32_t port_num);

/* The function that the provider of a context has for a call of libibverbs, as a number; 0 for none. */
#define VX_PROVIDED(context, op) (verbs_get_ctx_op(context, op) ? (uintptr_t)verbs_get_ctx_op(context, op)->op : 0)

/* -EOPNOTSUPP, recorded, where it is another: the functions of a provider's own header cast without looking. Else 0. */
int vx_needs_provider(const char *call, const void *object, const char *library);

/* The same of a method, whose object has not been looked at yet. Cold: those of vendors are to be small, as few programs call any. */
int vx_wrong_or_foreign(const void *object, uint32_t kind, const char *call, const char *what, const char *library) VX_SELDOM_CALLED;

/*
 * Before a command of DEVX: whether both mailboxes are there, and whether the answer has room, which the kernel would cut without a word, or the
 * device refuse. An answer of an earlier one is no longer there. @return 0 or -EINVAL
 */
int vx_mlx5_room(const char *call, const void *in, size_t inlen, void *out, size_t outlen) VX_SELDOM_CALLED;
int vx_mlx5_later_room(const char *call, const void *in, size_t inlen, const void *same, size_t outlen) VX_SELDOM_CALLED;

/* ---- memberships, and what else exists once (traits.c) ---- */

/*
 * Objects that rdma-core has once, however often they are made, as kernels do not count how often a QP joins a group: the first
 * handle to end it would end it for all that are alike, of the same parent and with the same in what they keep. So the last of them
 * ends it, and none while another one is being made. What such handles keep begins with a struct vx_kept_once.
 */

/* Before a handle's object is made, under the lock: what it keeps, of so many bytes, is known. Waits for those alike that end. */
void vx_once_begin(const struct vx_node *node, size_t kept);

/* Whether the object is to be ended with this handle. Waits for those alike that are being made. */
bool vx_once_ends(struct vx_node *node, size_t kept);

/* vx_destroy_fail() of one that was to be ended with this handle. */
int vx_once_fail(int rc, const char *call, struct vx_node *node);

/* ---- what conditions of lore ask about a region that is to be made ---- */

#define VX_MR_FLAGS (VX_MR_NULL | VX_MR_IMPLICIT | VX_MR_HUGE | VX_MR_HUGE_IF_THERE | VX_MR_READ_ONLY | VX_MR_DMABUF | VX_MR_IOVA)

/* Whether fd counts. */
static inline bool vx_mr_is_dmabuf(const struct vx_mr_init *init)
{
	return init->fd || init->flags & VX_MR_DMABUF;
}

/* Whether the memory is somebody's already. */
static inline bool vx_mr_has_place(const struct vx_mr_init *init)
{
	return init->dm || init->buf || init->addr || vx_mr_is_dmabuf(init);
}

/* Implicit on-demand paging as ibv_reg_mr() is asked for it. */
static inline bool vx_mr_is_everything(const struct vx_mr_init *init)
{
	return init->length == SIZE_MAX && init->access & IBV_ACCESS_ON_DEMAND && !vx_mr_has_place(init);
}

#endif
