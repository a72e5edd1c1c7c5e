/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "objects/dm.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls/bar.h"
#include "calls/call.h"
#include "calls/context.h"
#include "config.h"

#define MAX_DMS 256
#define MAX_LOG_ALIGNMENT 12 /* it begins with a page */

static struct dm *dms[MAX_DMS];
static uint64_t used;

static size_t whole_pages(uint64_t len)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (len + page - 1) / page * page;
}

static int free_index(void)
{
	for (int i = 0; i < MAX_DMS; i++)
		if (!dms[i])
			return i;
	return -1;
}

void dm_release(struct object *o)
{
	struct dm *dm = (struct dm *)o;

	munmap(dm->memory, whole_pages(dm->len));
	bar_clear(bar_dm_offset(dm->page_index), whole_pages(dm->len));
	used -= dm->len;
	dms[dm->page_index / BAR_DM_PAGES] = NULL;
}

static struct dm *new_dm(struct context *ctx, uint64_t len, int index)
{
	uint32_t page_index = index * BAR_DM_PAGES;
	void *memory = bar_map(bar_dm_offset(page_index), whole_pages(len));
	struct dm *dm = memory ? object_new(ctx, DM, sizeof(*dm), NULL) : NULL;

	if (!dm) {
		if (memory)
			munmap(memory, whole_pages(len));
		return NULL;
	}
	dm->memory = memory;
	dm->len = len;
	dm->page_index = page_index;
	dms[index] = dm;
	used += len;
	return dm;
}

static int alloc_dm(struct call *c)
{
	uint64_t len = call_value(c, UVERBS_ATTR_ALLOC_DM_LENGTH);
	uint16_t index;
	struct dm *dm;

	if (call_value(c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE) != MLX5_IB_UAPI_DM_TYPE_MEMIC)
		return EOPNOTSUPP;
	if (c->ctx->import) /* what a program maps by its descriptor lies in the other process's file */
		return EOPNOTSUPP;
	if (!len || len > config.max_dm_size ||
	    call_value(c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT) > MAX_LOG_ALIGNMENT)
		return EINVAL;
	if (len > config.max_dm_size - used || free_index() < 0)
		return ENOMEM;
	dm = new_dm(c->ctx, len, free_index());
	if (!dm)
		return ENOMEM;
	index = dm->page_index;
	call_put(c, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, &index, sizeof(index));
	call_put_u64(c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 0);
	call_put_handle(c, UVERBS_ATTR_ALLOC_DM_HANDLE, dm->o.handle);
	return 0;
}

/* For one that is imported: what its importer needs to map it too */
static int query_dm(struct call *c)
{
	const struct dm *dm = call_object(c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, DM);
	uint16_t index;

	if (!dm)
		return ENOENT;
	index = dm->page_index;
	call_put(c, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, &index, sizeof(index));
	call_put_u64(c, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 0);
	call_put_u64(c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, dm->len);
	return 0;
}

static int free_dm(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_FREE_DM_HANDLE, DM));
}

const struct method dm_methods[] = {
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, "alloc_dm", alloc_dm),
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, "free_dm", free_dm),
	METHOD(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, "query_dm", query_dm),
	{ 0 },
};
