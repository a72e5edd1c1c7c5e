/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Events, taken while that fails, and closing with some that nobody took or acknowledged. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_event.h>

#include "torture.h"

#define SOON_MS 100 /* in which what is there is taken, or nothing where each call fails */
#define PATIENCE_MS 20000 /* until it is there, on a busy machine */

static struct vx_cq *cq;
static struct vx_qp *qp;

static int wait_until_readable(int fd)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return poll(&entry, 1, PATIENCE_MS) == 1 ? 0 : -1;
}

/* It is there before anything fails: what fails is in place of what was asked of the device before. */
static int send_event(const char *event, int fd)
{
	int (*fault)(const char *, char *, size_t) = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	char why[128];

	if (!fault || fault(event, why, sizeof(why)))
		return -1;
	return wait_until_readable(fd);
}

static int send_async_event(void)
{
	return send_event("SM_CHANGE", vx_ctx_raw(stage.ctx)->async_fd);
}

static int take_async_event(void)
{
	struct vx_async_event event;

	return vx_ctx_get_async_event(stage.ctx, SOON_MS, &event);
}

/* What was posted to a QP that gets into an error comes back from it. */
static int complete_something(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_recv_wr recv = { .wr_id = 1 }, *bad;
	int rc;

	rc = vx_cq_create(stage.ctx, &(struct vx_cq_init){ .channel = stage.channel }, &cq);
	rc = rc ? rc : vx_qp_create(stage.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp);
	rc = rc ? rc : vx_cq_req_notify(cq, 0);
	rc = rc ? rc : vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	rc = rc ? rc : ibv_post_recv(vx_qp_raw(qp), &recv, &bad);
	attr.qp_state = IBV_QPS_ERR;
	rc = rc ? rc : vx_qp_modify(qp, &attr, IBV_QP_STATE);
	return rc ? rc : wait_until_readable(vx_comp_channel_raw(stage.channel)->fd);
}

static int take_completion_event(void)
{
	struct vx_comp_event event;

	return vx_comp_channel_get_event(stage.channel, SOON_MS, &event);
}

/* Closing the CQ has to acknowledge it, or would wait for ever. */
static int take_and_keep(void)
{
	int rc = complete_something();

	rc = rc ? rc : take_completion_event();
	rc = rc ? rc : vx_close(qp);
	made.cq = cq;
	return rc;
}

/* ---- of DEVX ---- */

static struct vx_mlx5_event_channel *channel;

static int send_devx_event(void)
{
	uint16_t types[] = { 9 }; /* a change of the port */
	int rc = vx_mlx5_event_channel_create(stage.ctx, NULL, &channel);

	rc = rc ? rc : vx_mlx5_event_channel_subscribe(channel, NULL, sizeof(types), types, 42);
	return rc ? rc : send_event("devx_event:9", vx_mlx5_event_channel_raw(channel)->fd);
}

static struct {
	struct mlx5dv_devx_async_event_hdr hdr;
	char eqe[64];
} devx_event;
static size_t length;

static int take_devx_event(void)
{
	return vx_mlx5_event_channel_get_event(channel, &devx_event.hdr, sizeof(devx_event), &length);
}

static int wait_for_devx_event(void)
{
	return vx_mlx5_event_channel_wait(channel, SOON_MS, &devx_event, sizeof(devx_event), &length);
}

const struct method events[] = {
	{ "taking an event of devx", send_devx_event, take_devx_event, NAMED(mlx5dv_devx_get_event, BY_MINUS_ONE) },
	{ "waiting for an event of devx", send_devx_event, wait_for_devx_event, NAMED(mlx5dv_devx_get_event, BY_WAITING) },
	{ "taking an async event", send_async_event, take_async_event, NAMED(ibv_get_async_event, BY_WAITING) },
	{ "taking a completion event", complete_something, take_completion_event, NAMED(ibv_get_cq_event, BY_WAITING) },
	{ "closing a cq with an event", take_and_keep, stage_close_made, NAMED(ibv_destroy_cq, BY_CODE) },
	{ 0 },
};
