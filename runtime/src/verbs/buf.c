/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>

#include <verbsx/buf.h>
#include <verbsx/config.h>

#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "memory.h"
#include "reason/reason.h"
#include "traced.h"

#if VX_RDMA_CORE >= 64

static int destroy_buf(struct vx_node *node)
{
	ibv_free_buf(node->object.raw);
	return 0;
}

static void link_buf(struct vx_node *node, struct ibv_buf *raw, void *addr, size_t length, struct vx_buf **out)
{
	*(struct vx_memory *)vx_node_extra(node) = (struct vx_memory){ .addr = addr, .size = length };
	vx_node_link(node, raw);
	*out = (struct vx_buf *)node;
}

static struct vx_node *new_buf(struct vx_pd *parent, const char *call)
{
	void *uses[] = { parent };

	return vx_node_new_with(sizeof(struct vx_memory), VX_OBJECT_BUF, destroy_buf, uses, 1, call);
}

int vx_buf_create_sized(struct vx_pd *parent, const struct vx_buf_init *init, size_t size, struct vx_buf **out)
{
	struct vx_buf_init own;
	struct vx_node *node;
	struct ibv_buf *raw;
	void *addr;

	if (vx_take_in(&own, sizeof(own), init, size, "vx_buf_create", "init") < 0)
		return vx_error()->code;
	if (!own.length)
		return vx_fail(-EINVAL, "vx_buf_create", NULL, "length is 0");
	node = new_buf(parent, "vx_buf_create");
	if (!node)
		return vx_error()->code;
	VX_CHECK(parent, VX_OBJECT_PD);

	errno = 0;
	addr = ibv_alloc_buf(vx_pd_raw(parent), own.length, &raw);
	if (!addr)
		return vx_create_refused(vx_code_of_refusal(), NULL, SIGNATURE_ibv_alloc_buf, node,
					 VX_ARGS(VX_ARG(vx_pd_raw(parent)), own.length, VX_ARG(&raw)));
	link_buf(node, raw, addr, own.length, out);
	return 0;
}

int vx_buf_adopt(struct vx_pd *parent, struct ibv_buf *raw, void *addr, size_t length, struct vx_buf **out)
{
	struct vx_node *node = new_buf(parent, "vx_buf_adopt");

	if (!node)
		return vx_error()->code;
	link_buf(node, raw, addr, length, out);
	return 0;
}

#else

int vx_buf_create_sized(struct vx_pd *parent, const struct vx_buf_init *init, size_t size, struct vx_buf **out)
{
	(void)parent, (void)init, (void)size, (void)out;
	return vx_needs_release("ibv_alloc_buf", 64);
}

int vx_buf_adopt(struct vx_pd *parent, struct ibv_buf *raw, void *addr, size_t length, struct vx_buf **out)
{
	(void)parent, (void)raw, (void)addr, (void)length, (void)out;
	return vx_needs_release("ibv_alloc_buf", 64);
}

#endif

static const struct vx_memory *memory_of(const struct vx_buf *buf)
{
	return vx_node_extra((const struct vx_node *)buf);
}

void *vx_buf_addr(const struct vx_buf *buf)
{
	return memory_of(buf)->addr;
}

size_t vx_buf_length(const struct vx_buf *buf)
{
	return memory_of(buf)->size;
}
