/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CTX_H
#define VERBSX_CTX_H

/**
 * @file
 * An open device, and the tables of its ports; what else it tells about itself are functions of verbsx/calls.h.
 *
 * Structures that are filled have the size that the headers of the program give them, handed to a function whose name ends in
 * _sized: what only the program knows is zero.
 *
 * All functions are thread-safe. Each returns 0, or a negative errno with vx_error() filled; what it gives through its
 * last parameter is valid only with 0.
 */

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbsx/export.h>
#include <verbsx/object.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open device. Closed by vx_close(), with all that was made from it. */
struct vx_ctx;

/**
 * Open a device by its name.
 *
 * @param name  such as "mlx5_0"
 * @return 0, or a negative errno with vx_error() filled: -ENODEV names the devices that there are; -ENOSYS where
 *         the kernel modules or rdma-core are missing; -ENOENT or -EACCES names the device node and what it lacks
 *
 * Stands for ibv_open_device(3).
 */
VX_EXPORT int vx_ctx_open(const char *name, struct vx_ctx **out);

/** As vx_ctx_open(), by the place in the list of devices, from 0. */
VX_EXPORT int vx_ctx_open_index(size_t index, struct vx_ctx **out);

/** As vx_ctx_open(), by a device of a list that has not been freed yet. */
VX_EXPORT int vx_ctx_open_device(struct ibv_device *device, struct vx_ctx **out);

/**
 * Open a device once more, by the context that another process or library has open.
 *
 * @param cmd_fd  the owner's vx_ctx_raw(ctx)->cmd_fd, as it came through a UNIX socket; it is duplicated, and the
 *                caller's own to close, also where this fails. ibv_import_device(3) takes it over instead: dup(2) before this is a leak
 * @return 0, or a negative errno with vx_error() filled: -EINVAL or -ENODEV where no device is behind it,
 *         -EBADF where nothing is
 *
 * The objects of both contexts are the same kernel's: with their handles, vx_pd_import() and the like make them known
 * here. vx_close() ends this one, the owner's goes on. Stands for ibv_import_device(3).
 */
VX_EXPORT int vx_ctx_import(int cmd_fd, struct vx_ctx **out);

/**
 * Take over a context that was opened without libverbsx: vx_close() closes it, vx_give_back() gives it back.
 *
 * @return 0, or a negative errno with vx_error() filled
 */
VX_EXPORT int vx_ctx_adopt(struct ibv_context *raw, struct vx_ctx **out);

/** Use a context of somebody else, such as verbs of a struct rdma_cm_id: as vx_ctx_adopt(), but left open by vx_close(). */
VX_EXPORT int vx_ctx_borrow(struct ibv_context *raw, struct vx_ctx **out);

/** The context of rdma-core, for any of its calls; not to be closed by ibv_close_device(). The handle must not be NULL. */
static inline struct ibv_context *vx_ctx_raw(const struct vx_ctx *ctx)
{
	VX_CHECK(ctx, 1); /* VX_OBJECT_CTX of objects.h, which needs this one */
	return (struct ibv_context *)((const struct vx_object *)(const void *)ctx)->raw;
}

/** The name of the device, such as "mlx5_0"; lives as long as the context. */
static inline const char *vx_ctx_name(const struct vx_ctx *ctx)
{
	return vx_ctx_raw(ctx)->device->name;
}

VX_EXPORT int vx_ctx_query_gid_table_sized(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t size,
					   size_t max_entries, size_t *count);

/**
 * The entries of the GID tables of all ports that are not empty.
 *
 * @param entries  room for @p max_entries
 * @param count    how many were written, which is all that there are
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where there are more than @p max_entries, of which none is
 *         written then; the gid_tbl_len of all ports together is always enough
 *
 * Stands for ibv_query_gid_table(3).
 */
static inline int vx_ctx_query_gid_table(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t max_entries,
					 size_t *count)
{
	return vx_ctx_query_gid_table_sized(ctx, entries, sizeof(*entries), max_entries, count);
}

/**
 * The P_Key table of a port, empty entries included.
 *
 * @param port_num  from 1
 * @param pkeys     room for @p max_entries, in the byte order of the host
 * @param count     how many were written, which is all that there are
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where there are more than @p max_entries, of which none is
 *         written then; the pkey_tbl_len of the port is always enough
 *
 * Stands for as many ibv_query_pkey(3).
 */
VX_EXPORT int vx_ctx_query_pkey_table(const struct vx_ctx *ctx, uint32_t port_num, uint16_t *pkeys, size_t max_entries,
				      size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_CTX_H */
