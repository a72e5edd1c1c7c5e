/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_BUF_H
#define VERBSX_BUF_H

/**
 * @file
 * Memory that the provider allocates as suits the device, such as memory that a confidential guest shares with it. Since
 * rdma-core 64; before, making one gives -EOPNOTSUPP.
 *
 * vx_mr_create() with the field buf registers it; vx_buf_export_dmabuf_fd() shares it.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibv_buf;
struct vx_buf;

/** What a new buffer is to be like. */
struct vx_buf_init {
	size_t length;	/**< bytes */
};

VX_EXPORT int vx_buf_create_sized(struct vx_pd *parent, const struct vx_buf_init *init, size_t size, struct vx_buf **out);

/**
 * Allocate a buffer.
 *
 * @param parent  the PD or parent domain whose provider chooses the memory, and under which it is to be registered
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where the length is missing
 *
 * Thread-safe. Stands for ibv_alloc_buf(3).
 */
static inline int vx_buf_create(struct vx_pd *parent, const struct vx_buf_init *init, struct vx_buf **out)
{
	return vx_buf_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Take over a buffer that was made without libverbsx: vx_close() frees it, vx_give_back() gives it back.
 *
 * @param addr    what ibv_alloc_buf(3) returned
 * @param length  the length that it was asked for, in bytes
 * @return 0, or a negative errno with vx_error() filled: -EOPNOTSUPP before rdma-core 64
 *
 * Thread-safe, and so is vx_buf_borrow().
 */
VX_EXPORT int vx_buf_adopt(struct vx_pd *parent, struct ibv_buf *raw, void *addr, size_t length, struct vx_buf **out);

/** Use a buffer of somebody else: as vx_buf_adopt(), but left alone by vx_close(). */
static inline int vx_buf_borrow(struct vx_pd *parent, struct ibv_buf *raw, void *addr, size_t length, struct vx_buf **out)
{
	int rc = vx_buf_adopt(parent, raw, addr, length, out);

	if (rc == 0)
		vx_disown(*out);
	return rc;
}

/** Where the memory begins; at least page aligned. */
VX_EXPORT void *vx_buf_addr(const struct vx_buf *buf);

/** The length in bytes. */
VX_EXPORT size_t vx_buf_length(const struct vx_buf *buf);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_BUF_H */
