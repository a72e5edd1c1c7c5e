/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Descriptors of DEVX for the results of queries that nobody waits for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/event_pipe.h"
#include "calls/fd.h"
#include "calls/prm.h"
#include "calls/real.h"

#define MAX_RESULT 65535

static int alloc_commands(struct call *c)
{
	struct event_pipe *p = malloc(sizeof(*p));
	int fd = p ? event_pipe_open_messages(p) : -1;

	if (fd < 0 || fd_add(fd, FD_COMMANDS, p)) {
		if (fd >= 0) {
			event_pipe_close(p);
			REAL(close)(fd);
		}
		free(p);
		return EMFILE;
	}
	call_put_handle(c, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, fd);
	return 0;
}

/* A header with the program's number, and the mailbox */
static int query_into(const struct call *c, struct event_pipe *pipe, uint64_t wr_id, uint64_t handle, struct mailboxes *m)
{
	size_t size = sizeof(struct mlx5_ib_uapi_devx_async_cmd_hdr) + m->out_len;
	struct mlx5_ib_uapi_devx_async_cmd_hdr *result = calloc(1, size);
	int rc;

	if (!result)
		return ENOMEM;
	result->wr_id = wr_id;
	m->out = result->out_data;
	rc = general_query_object(c, handle, m);
	if (!rc && !event_pipe_write(pipe, result, size))
		rc = EAGAIN;
	free(result);
	return rc;
}

static int query_async(struct call *c)
{
	struct ib_uverbs_attr *in = call_attr(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN);
	struct ib_uverbs_attr *fd = call_attr(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD);
	struct event_pipe *pipe = fd ? fd_held(fd->data_s64, FD_COMMANDS) : NULL;
	struct mailboxes m = { .out_len = call_value(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN) };

	if (!pipe)
		return EBADF;
	if (!in || in->len < MAILBOX_HEADER || m.out_len < MAILBOX_HEADER || m.out_len > MAX_RESULT)
		return EINVAL;
	m.in = attr_data(in);
	m.in_len = in->len;
	if (prm_get(m.in, CMD_OPCODE) != CMD_QUERY_GENERAL_OBJECT)
		return EINVAL;
	return query_into(c, pipe, call_value(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID),
			  call_value(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE), &m);
}

const struct method devx_fd_methods[] = {
	METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC, "alloc_commands",
	       alloc_commands),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY, "query_async", query_async),
	{ 0 },
};
