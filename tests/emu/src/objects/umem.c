/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/umem.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "calls/call.h"
#include "objects/pages.h"

#define KNOWN_ACCESS                                                                                   \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_READ | \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

/* Who may write remotely must be able to locally */
static int check(uint64_t address, uint64_t len, uint32_t access)
{
	bool write = access & IB_UVERBS_ACCESS_LOCAL_WRITE;

	if (!len || address + len < address || access & ~KNOWN_ACCESS || (access & IB_UVERBS_ACCESS_REMOTE_WRITE && !write))
		return EINVAL;
	return pages_can_be_pinned(address, len, write) ? 0 : EFAULT;
}

static int reg_umem(struct call *c)
{
	uint64_t address = call_value(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR);
	uint64_t len = call_value(c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN);
	int rc = check(address, len, call_value(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS));
	struct umem *u;

	if (call_attr(c, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD))
		return EOPNOTSUPP;
	if (rc)
		return rc;
	u = object_new(c->ctx, UMEM, sizeof(*u), NULL);
	if (!u)
		return ENOMEM;
	u->memory = (void *)(uintptr_t)address;
	u->len = len;
	call_put_u32(c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, u->o.number);
	call_put_handle(c, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, u->o.handle);
	return 0;
}

void *umem_use(uint32_t id, uint64_t offset, uint64_t size, struct object **user)
{
	struct umem *u = object_get(UMEM, id);

	if (!u || offset > u->len || size > u->len - offset)
		return NULL;
	*user = &u->o;
	object_hold(*user);
	return u->memory + offset;
}

static int dereg_umem(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, UMEM));
}

const struct method umem_methods[] = {
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, "reg_umem", reg_umem),
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, "dereg_umem", dereg_umem),
	{ 0 },
};
