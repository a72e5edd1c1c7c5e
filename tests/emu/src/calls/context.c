/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "calls/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/sysmacros.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "bounds.h"
#include "calls/bar.h"
#include "calls/call.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "config.h"
#include "engine/engine.h"
#include "faults/inject.h"
#include "objects/imported.h"
#include "objects/leak.h"
#include "objects/object.h"
#include "process.h"

struct context_list context_list = LIST_HEAD_INITIALIZER(context_list);

static int opened;

/* The number of the device, or -1 */
static int device_of(const char *path)
{
	size_t n = strlen(DEVICE_NODE);
	unsigned int device;
	char end;

	if (!path || strncmp(path, DEVICE_NODE, n) || sscanf(path + n, "%u%c", &device, &end) != 1)
		return -1;
	return device < config.devices ? (int)device : -1;
}

bool context_is_node(const char *path)
{
	return device_of(path) >= 0;
}

dev_t context_node_number(uint8_t device)
{
	return makedev(UVERBS_MAJOR, UVERBS_FIRST_MINOR + device);
}

static struct context *register_fd(int fd, uint8_t device, bool lent)
{
	static unsigned int number;
	struct context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	if (fd_add(fd, FD_CONTEXT, ctx)) {
		free(ctx);
		return NULL;
	}
	ctx->number = number++;
	ctx->device = device;
	ctx->lent = lent;
	LIST_INSERT_HEAD(&context_list, ctx, link);
	opened++;
	engine_start();
	inject_due(); /* a port that is to be down is so when it is looked at */
	return ctx;
}

int context_open(const char *path, int flags)
{
	bool lent = leak_is_of_librdmacm();
	struct context *ctx = NULL;
	int fd, cancelling;

	process_discover();
	cancelling = device_enter();
	fd = bar_open(flags);
	if (fd >= 0)
		ctx = register_fd(fd, device_of(path), lent);
	if (ctx)
		bar_sign(fd, ctx->number + 1, ctx->device);
	device_leave(cancelling);
	if (ctx || fd < 0)
		return fd;
	REAL(close)(fd);
	errno = EIO; /* of other errnos libibverbs makes an ENOENT */
	return -1;
}

/* A forked child has its parent's contexts by the same descriptors, which now are of its own */
static bool import(int fd)
{
	uint8_t device;
	struct import *from = import_open(fd, &device);
	struct context *ctx;

	if (!from)
		return false;
	fd_forget(fd);
	ctx = register_fd(fd, device, false);
	if (!ctx) {
		import_close(from);
		return false;
	}
	ctx->import = from;
	ctx->handles.first = MAX_OBJECTS; /* above those of there */
	return true;
}

bool context_import(int fd)
{
	int cancelling;
	bool ok;

	process_discover();
	cancelling = device_enter();
	ok = import(fd);
	device_leave(cancelling);
	return ok;
}

bool context_is_behind(const struct context *ctx, int fd)
{
	return ctx->import ? import_is(ctx->import, fd) : bar_is(fd);
}

static void free_unused(struct context *ctx)
{
	if (ctx->command_fds || ctx->has_async)
		return;
	LIST_REMOVE(ctx, link);
	handles_free(&ctx->handles);
	import_close(ctx->import);
	free(ctx);
}

/* The kernel then frees all that is left */
void context_drop_command(struct context *ctx)
{
	if (--ctx->command_fds)
		return;
	object_free_all(ctx);
	opened--;
	free_unused(ctx);
}

void context_drop_async(struct context *ctx)
{
	ctx->has_async = false;
	event_pipe_close(&ctx->async);
	free_unused(ctx);
}

int context_count(void)
{
	return opened;
}

void context_inherit(void)
{
	struct context *ctx;

	LIST_FOREACH(ctx, &context_list, link)
	ctx->inherited = true;
}

int context_leaks(void)
{
	struct context *ctx;
	int n = 0;

	LIST_FOREACH(ctx, &context_list, link) {
		if (!ctx->command_fds || ctx->inherited)
			continue;
		leak_tell_context(ctx);
		n += !ctx->lent;
	}
	return n;
}

static void put_context(struct call *c, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	*resp = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1 << 18,
		.bf_reg_size = 512,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = config.max_qp_wr,
		.max_recv_wr = config.max_qp_wr,
		.max_srq_recv_wr = config.max_srq_wr,
		.num_ports = config.ports,
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS |
			     MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_REAL_TIME_TS |
			     MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_MKEY_UPDATE_TAG |
			     MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET,
		.response_length = sizeof(*resp),
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.clock_info_versions = 1 << MLX5_IB_CLOCK_INFO_V1,
		.log_uar_size = 12,
		.num_uars_per_page = 1,
		.num_dyn_bfregs = 512,
	};
	call_put_u32(c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, config.comp_vectors);
	call_put_u64(c, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS);
}

static int get_context(struct call *c)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	put_context(c, &resp);
	call_driver_out(c, &resp, sizeof(resp));
	return 0;
}

/* For an imported descriptor; it has a driver attribute of its own */
static int query_context(struct call *c)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	put_context(c, &resp);
	call_put(c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &resp, sizeof(resp));
	return 0;
}

static int async_fd(struct context *ctx)
{
	int fd = event_pipe_open(&ctx->async);

	if (fd < 0)
		return -1;
	if (fd_add(fd, FD_ASYNC, ctx)) {
		event_pipe_close(&ctx->async);
		REAL(close)(fd);
		return -1;
	}
	ctx->has_async = true;
	return fd;
}

static int mute_fd(void)
{
	struct event_pipe *p = malloc(sizeof(*p));
	int fd = p ? event_pipe_open(p) : -1;

	if (fd >= 0 && !fd_add(fd, FD_MUTE, p))
		return fd;
	if (fd >= 0) {
		event_pipe_close(p);
		REAL(close)(fd);
	}
	free(p);
	return -1;
}

static int alloc_async(struct call *c)
{
	int fd = c->ctx->has_async ? mute_fd() : async_fd(c->ctx);

	if (fd < 0)
		return EMFILE;
	call_put_handle(c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, fd);
	return 0;
}

const struct method context_methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, "get_context", get_context),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, "query_context", query_context),
	METHOD(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, "async_alloc", alloc_async),
	{ 0 },
};
