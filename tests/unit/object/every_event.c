/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every asynchronous event that there is: given, and with what it is about. On Ethernet, where there are WQs. */

#include <errno.h>

#include "unit/device.h"

TestSuite(every_event, .init = open_device, .fini = close_device, .timeout = 20);

static const struct {
	const char *name;
	enum { OF_CQ, OF_QP, OF_SRQ, OF_WQ, OF_PORT, OF_DEVICE } about;
} every[] = {
	[IBV_EVENT_CQ_ERR] = { "CQ_ERR", OF_CQ },
	[IBV_EVENT_QP_FATAL] = { "QP_FATAL", OF_QP },
	[IBV_EVENT_QP_REQ_ERR] = { "QP_REQ_ERR", OF_QP },
	[IBV_EVENT_QP_ACCESS_ERR] = { "QP_ACCESS_ERR", OF_QP },
	[IBV_EVENT_COMM_EST] = { "COMM_EST", OF_QP },
	[IBV_EVENT_SQ_DRAINED] = { "SQ_DRAINED", OF_QP },
	[IBV_EVENT_PATH_MIG] = { "PATH_MIG", OF_QP },
	[IBV_EVENT_PATH_MIG_ERR] = { "PATH_MIG_ERR", OF_QP },
	[IBV_EVENT_DEVICE_FATAL] = { "DEVICE_FATAL", OF_DEVICE },
	[IBV_EVENT_PORT_ACTIVE] = { "PORT_ACTIVE", OF_PORT },
	[IBV_EVENT_PORT_ERR] = { "PORT_ERR", OF_PORT },
	[IBV_EVENT_LID_CHANGE] = { "LID_CHANGE", OF_PORT },
	[IBV_EVENT_PKEY_CHANGE] = { "PKEY_CHANGE", OF_PORT },
	[IBV_EVENT_SM_CHANGE] = { "SM_CHANGE", OF_PORT },
	[IBV_EVENT_SRQ_ERR] = { "SRQ_ERR", OF_SRQ },
	[IBV_EVENT_SRQ_LIMIT_REACHED] = { "SRQ_LIMIT_REACHED", OF_SRQ },
	[IBV_EVENT_QP_LAST_WQE_REACHED] = { "QP_LAST_WQE_REACHED", OF_QP },
	[IBV_EVENT_CLIENT_REREGISTER] = { "CLIENT_REREGISTER", OF_PORT },
	[IBV_EVENT_GID_CHANGE] = { "GID_CHANGE", OF_PORT },
	[IBV_EVENT_WQ_FATAL] = { "WQ_FATAL", OF_WQ },
};

/* A device that has failed is no use for the events after it, so that comes last. */
Test(every_event, is_given_once_with_what_it_is_about)
{
	const size_t count = sizeof(every) / sizeof(every[0]);
	struct vx_async_event event;
	struct vx_srq *srq;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_wq *wq;
	void *about[OF_DEVICE + 1];
	size_t i;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_srq_create(pd, NULL, &srq));
	made(vx_wq_create(pd, &(struct vx_wq_init){ .cq = cq }, &wq));
	about[OF_CQ] = cq, about[OF_QP] = qp, about[OF_SRQ] = srq, about[OF_WQ] = wq, about[OF_PORT] = about[OF_DEVICE] = NULL;
	for (i = 0; i < count; i++) {
		const size_t type = (i + IBV_EVENT_DEVICE_FATAL + 1) % count;

		send_event(every[type].name, every[type].about == OF_QP ? vx_qp_raw(qp)->qp_num : 1);
		made(vx_ctx_get_async_event(ctx, SOON, &event));
		cr_expect_eq((size_t)event.type, type, "%s: %d", every[type].name, event.type);
		cr_expect_eq(event.object, about[every[type].about], "%s", every[type].name);
		cr_expect_eq(event.port_num, every[type].about == OF_PORT ? 1u : 0u, "%s", every[type].name);
		cr_expect_eq(event.raw.event_type, event.type);
		cr_expect_eq(event.ctx, ctx);
		cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN, "%s", every[type].name);
	}
}
