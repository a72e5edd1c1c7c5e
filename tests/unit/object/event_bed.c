/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "event_bed.h"

struct vx_comp_channel *channel;
struct vx_cq *cq;
struct vx_qp *qp;

struct vx_qp *new_qp(void)
{
	struct vx_qp *made_qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &made_qp));
	return made_qp;
}

void open_with_qp(void)
{
	open_device();
	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &cq));
	qp = new_qp();
}

void send_qp_event(const char *name)
{
	send_event(name, vx_qp_raw(qp)->qp_num);
}

struct vx_async_event take_async(void)
{
	struct vx_async_event event;

	made(vx_ctx_get_async_event(ctx, SOON, &event));
	return event;
}
