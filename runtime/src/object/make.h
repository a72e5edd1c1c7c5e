/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MAKE_H
#define VERBSX_SRC_MAKE_H

/* What the generated functions that make, use and end objects share. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbsx/print.h>

#include "kind.h"
#include "object.h"

struct vx_cq_init;
struct vx_opened_qp_init;
struct vx_qp_init;
struct vx_wq_init;

/* The context that an object is of; NULL where it has none (yet). */
struct ibv_context *vx_context_of(const void *object);

/*
 * Whether nothing can be made or used of a parent that is no handle of its kind, or without a place for the result:
 * recorded.
 */
bool vx_refuses(const void *parent, uint32_t kind, const void *out, const char *call);

/* vx_wrong() of a handle that a structure may name: "vx_qp_create, send_cq". */
static inline bool vx_wrong_field(const void *object, uint32_t kind, const char *where)
{
	return object && vx_wrong(object, kind, where, "it");
}

/* What tells an object from others of its kind; -1 where nothing does. */
int64_t vx_object_number(const struct vx_node *node);

/* Whether any byte of a part of an init structure is not zero. */
bool vx_is_set(const void *part, size_t size);

/* A call would not destroy an object. */
int vx_destroy_fail(int code, const char *call, const struct vx_node *node);

/* What a device has become that fails all calls. */
#define VX_DEVICE_LOST "the device was removed or reset: close the context and open it again"

/* A call on an object failed, and nothing but its code tells why. */
int vx_method_fail(int code, const char *call, const void *object);

/* VX_CHECK() of a handle that a structure may name, for a message that tells where. */
#if VERBSX_CHECKS
#define VX_CHECK_FIELD(object, kind, where) ((object) ? vx_object_check(object, kind, where) : (void)0)
#else
#define VX_CHECK_FIELD(object, kind, where) ((void)0)
#endif

/*
 * Look for what lore refuses in the structure that an object is to be made of, as rdma-core would ignore it. Returns -EINVAL,
 * recorded, and frees the handle, or 0.
 */
int vx_refuse(const char *call, struct vx_node *node, struct vx_type type, const void *attr);

/* A mask says that a handle counts, and there is none; rdma-core would not check and crash. */
int vx_lacks(const char *call, const char *field, const char *bit);

/* A mask of which no bit has a meaning yet is not 0. */
int vx_no_bits(const char *call, uint64_t mask);

/* An array's elements have another size than the library's; rdma-core itself has no way to tell it of that. */
int vx_stride_fail(const char *call, const char *array, size_t theirs, size_t own);

/* The headers that this was built against have no such call. */
int vx_needs_release(const char *call, unsigned int release);

/*
 * Fit the defaults of a QP or WQ to what it is to be. Returns -EINVAL, recorded, where a CQ or an XRCD is missing:
 * rdma-core would not check and crash.
 */
int vx_prepare_qp(struct ibv_qp_init_attr_ex *attr, const struct vx_qp_init *init);
int vx_prepare_cq(struct ibv_cq_init_attr_ex *attr, const struct vx_cq_init *init);
int vx_prepare_wq(struct ibv_wq_init_attr *attr, const struct vx_wq_init *init);
int vx_prepare_opened_qp(struct ibv_qp_open_attr *attr, const struct vx_opened_qp_init *init);

/* A plain CQ where nothing needs an extended one; and the call that makes it. */
struct ibv_cq *vx_create_raw_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
const char *vx_create_raw_cq_call(const struct ibv_cq_init_attr_ex *attr);

#endif
