/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CTX_H
#define VERBSX_CTX_H

/**
 * @file
 * An open device, and what it tells about itself.
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
 * @param cmd_fd  the owner's vx_ctx_raw(ctx)->cmd_fd, as it came through a UNIX socket; it is duplicated
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

/** The context of rdma-core, for any of its calls; not to be closed by ibv_close_device(). */
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

VX_EXPORT int vx_ctx_query_device_sized(const struct vx_ctx *ctx, struct ibv_device_attr *out, size_t size);

/** The device's attributes and limits. Stands for ibv_query_device(3). */
static inline int vx_ctx_query_device(const struct vx_ctx *ctx, struct ibv_device_attr *out)
{
	return vx_ctx_query_device_sized(ctx, out, sizeof(*out));
}

VX_EXPORT int vx_ctx_query_device_ex_sized(const struct vx_ctx *ctx, struct ibv_device_attr_ex *out, size_t size);

/**
 * The device's attributes and limits, with those added since.
 *
 * What the provider or the kernel does not know is zero. Stands for ibv_query_device_ex(3).
 */
static inline int vx_ctx_query_device_ex(const struct vx_ctx *ctx, struct ibv_device_attr_ex *out)
{
	return vx_ctx_query_device_ex_sized(ctx, out, sizeof(*out));
}

VX_EXPORT int vx_ctx_query_port_sized(const struct vx_ctx *ctx, uint8_t port_num, struct ibv_port_attr *out, size_t size);

/**
 * The attributes of a port.
 *
 * @param port_num  from 1
 * @return -EINVAL names the ports that there are
 *
 * Stands for ibv_query_port(3).
 */
static inline int vx_ctx_query_port(const struct vx_ctx *ctx, uint8_t port_num, struct ibv_port_attr *out)
{
	return vx_ctx_query_port_sized(ctx, port_num, out, sizeof(*out));
}

VX_EXPORT int vx_ctx_query_gid_sized(const struct vx_ctx *ctx, uint8_t port_num, uint32_t index,
				     struct ibv_gid_entry *out, size_t size);

/**
 * An entry of a port's GID table, with its type and network interface.
 *
 * @param port_num  from 1
 * @param index     from 0 to gid_tbl_len - 1 of the port's attributes
 * @return -ENODATA where the entry is empty, -EINVAL where the table or the port is not there
 *
 * Stands for ibv_query_gid_ex(3).
 */
static inline int vx_ctx_query_gid(const struct vx_ctx *ctx, uint8_t port_num, uint32_t index, struct ibv_gid_entry *out)
{
	return vx_ctx_query_gid_sized(ctx, port_num, index, out, sizeof(*out));
}

VX_EXPORT int vx_ctx_query_gid_table_sized(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t size,
					   size_t max, size_t *count);

/**
 * The entries of the GID tables of all ports that are not empty.
 *
 * @param entries  room for @p max entries
 * @param count    how many there are
 * @return -EINVAL where there are more than @p max; the gid_tbl_len of all ports together is always enough
 *
 * Stands for ibv_query_gid_table(3).
 */
static inline int vx_ctx_query_gid_table(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t max,
					 size_t *count)
{
	return vx_ctx_query_gid_table_sized(ctx, entries, sizeof(*entries), max, count);
}

/**
 * An entry of a port's P_Key table.
 *
 * @param port_num  from 1
 * @param index     from 0 to pkey_tbl_len - 1 of the port's attributes
 * @param pkey      in the byte order of the host; 0 where the entry is empty
 * @return -EINVAL where the table or the port is not there
 *
 * Stands for ibv_query_pkey(3).
 */
VX_EXPORT int vx_ctx_query_pkey(const struct vx_ctx *ctx, uint8_t port_num, uint16_t index, uint16_t *pkey);

/**
 * A port's P_Key table from its start, empty entries included.
 *
 * @param port_num  from 1
 * @param pkeys     room for @p max entries, in the byte order of the host
 * @param count     how many were read: pkey_tbl_len of the port's attributes, at most @p max
 *
 * Stands for as many ibv_query_pkey(3).
 */
VX_EXPORT int vx_ctx_query_pkey_table(const struct vx_ctx *ctx, uint8_t port_num, uint16_t *pkeys, size_t max,
					  size_t *count);

/**
 * The bandwidth that a port has in effect.
 *
 * @param port_num  from 1
 * @param mbps      in Mb/s, a multiple of 100
 * @return -EOPNOTSUPP where rdma-core is older than release 62, or the device does not tell
 *
 * Stands for ibv_query_port_speed(3).
 */
VX_EXPORT int vx_ctx_query_port_speed(const struct vx_ctx *ctx, uint8_t port_num, uint64_t *mbps);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_CTX_H */
