/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/cq.h"

#include <errno.h>
#include <stdlib.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "calls/async.h"
#include "calls/call.h"
#include "calls/devx_event.h"
#include "calls/fd.h"
#include "config.h"
#include "engine/compress.h"
#include "objects/channel.h"

#define KNOWN_FLAGS (IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
#define KNOWN_DRIVER_FLAGS                                                               \
	(MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX | MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS | \
	 MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD)

/* @cqe is the size less one, and the size a power of two */
static bool size_ok(uint32_t cqe)
{
	return cqe >= 1 && cqe <= config.max_cqe && !(cqe & (cqe + 1));
}

/* Of entries of 64 bytes, in one of two formats */
static bool compression_known(const struct mlx5_ib_create_cq *driver)
{
	return !driver->cqe_comp_en ||
	       (driver->cqe_size == 64 && (driver->cqe_comp_res_format == MLX5_IB_CQE_RES_FORMAT_HASH ||
					   driver->cqe_comp_res_format == MLX5_IB_CQE_RES_FORMAT_CSUM));
}

static bool flags_known(struct call *c, const struct mlx5_ib_create_cq *driver)
{
	return !(call_value(c, UVERBS_ATTR_CREATE_CQ_FLAGS) & ~(uint64_t)KNOWN_FLAGS) &&
	       !(driver->flags & ~KNOWN_DRIVER_FLAGS) && compression_known(driver);
}

static int check_create(struct call *c, const struct mlx5_ib_create_cq *driver, uint32_t cqe)
{
	if (!flags_known(c, driver))
		return EOPNOTSUPP;
	if (!size_ok(cqe) || !driver->buf_addr || !driver->db_addr)
		return EINVAL;
	if (driver->cqe_size != 64 && driver->cqe_size != 128)
		return EINVAL;
	if (call_value(c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR) >= config.comp_vectors)
		return EINVAL;
	if (driver->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD && driver->cqe_size != 128)
		return EOPNOTSUPP;
	return 0;
}

static void set_channel(struct cq *cq, struct channel *channel)
{
	cq->channel = channel;
	if (channel)
		object_hold(&channel->o);
}

struct cq *cq_new(struct context *ctx)
{
	struct cq *cq = object_new(ctx, CQ, sizeof(*cq), NULL);

	if (cq)
		LIST_INSERT_HEAD(&cq_list, cq, link);
	return cq;
}

static int create_cq(struct call *c)
{
	struct ib_uverbs_attr *fd = call_attr(c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct channel *channel = fd ? fd_held(fd->data_s64, FD_CHANNEL) : NULL;
	uint32_t cqe = call_value(c, UVERBS_ATTR_CREATE_CQ_CQE);
	struct mlx5_ib_create_cq_resp resp = { 0 };
	struct mlx5_ib_create_cq driver;
	struct cq *cq;
	int rc;

	call_driver_in(c, &driver, sizeof(driver));
	rc = check_create(c, &driver, cqe);
	if (rc)
		return rc;
	if (fd && !channel)
		return EBADF;
	cq = cq_new(c->ctx);
	if (!cq)
		return ENOMEM;
	cq->o.user_handle = call_value(c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE);
	cq->buf = (void *)(uintptr_t)driver.buf_addr;
	cq->db = (void *)(uintptr_t)driver.db_addr;
	cq->db[1] = CQ_NOT_ARMED;
	cq->cqe_size = driver.cqe_size;
	cq->size = cqe + 1;
	cq->ignore_overrun = call_value(c, UVERBS_ATTR_CREATE_CQ_FLAGS) & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	cq->real_time = driver.flags & MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS;
	set_channel(cq, channel);
	if (driver.cqe_comp_en && !compress_start(cq)) {
		object_free(&cq->o);
		return ENOMEM;
	}
	resp.cqn = cq->o.number;
	call_driver_out(c, &resp, sizeof(resp));
	call_put_u32(c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, cqe);
	call_put_handle(c, UVERBS_ATTR_CREATE_CQ_HANDLE, cq->o.handle);
	return 0;
}

void cq_release(struct object *o)
{
	struct cq *cq = (struct cq *)o;

	LIST_REMOVE(cq, link);
	free(cq->session);
	devx_event_release(o);
	object_drop(cq->umem[0]);
	object_drop(cq->umem[1]);
	if (!cq->channel)
		return;
	object_drop(&cq->channel->o);
	channel_put(cq->channel);
}

static int comp_events_reported(struct cq *cq)
{
	if (cq->channel)
		cq->comp_events -= event_pipe_take_back(
			&cq->channel->pipe, sizeof(struct ib_uverbs_comp_event_desc), cq->o.user_handle);
	return cq->comp_events;
}

static int destroy_cq(struct call *c)
{
	struct cq *cq = call_object(c, UVERBS_ATTR_DESTROY_CQ_HANDLE, CQ);
	struct ib_uverbs_destroy_cq_resp r;

	if (!cq)
		return ENOENT;
	if (cq->o.users)
		return EBUSY;
	r.comp_events_reported = comp_events_reported(cq);
	r.async_events_reported = async_events_reported(&cq->o);
	call_put(c, UVERBS_ATTR_DESTROY_CQ_RESP, &r, sizeof(r));
	return object_destroy(&cq->o);
}

static int resize_cq(struct call *c)
{
	const struct ib_uverbs_resize_cq *in = c->in;
	struct ib_uverbs_resize_cq_resp r = { .cqe = in->cqe };
	struct cq *cq = call_find(c, CQ, in->cq_handle);
	struct mlx5_ib_resize_cq driver;

	call_driver_in(c, &driver, sizeof(driver));
	if (!cq)
		return ENOENT;
	compress_flush(cq);
	if (!size_ok(in->cqe) || !driver.buf_addr || cq_used(cq) >= in->cqe + 1)
		return EINVAL;
	cq_push_resize(cq);
	cq->buf = (void *)(uintptr_t)driver.buf_addr;
	cq->cqe_size = driver.cqe_size;
	cq->size = in->cqe + 1;
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int modify_cq(struct call *c)
{
	const struct ib_uverbs_ex_modify_cq *in = c->in;
	struct cq *cq = call_find(c, CQ, in->cq_handle);

	if (!cq || !in->attr_mask || in->reserved)
		return EINVAL;
	if (in->attr_mask & ~(uint32_t)IBV_CQ_ATTR_MODERATE)
		return EOPNOTSUPP;
	if (in->attr.cq_period > CQ_MAX_PERIOD)
		return EINVAL;
	cq->event_count = in->attr.cq_count;
	cq->event_period = in->attr.cq_period;
	return 0;
}

const struct method cq_methods[] = {
	METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, "create_cq", create_cq),
	METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, "destroy_cq", destroy_cq),
	COMMAND(IB_USER_VERBS_CMD_RESIZE_CQ, ib_uverbs_resize_cq, "resize_cq", resize_cq),
	COMMAND(IB_USER_VERBS_EX_CMD_MODIFY_CQ, ib_uverbs_ex_modify_cq, "modify_cq", modify_cq),
	{ 0 },
};
