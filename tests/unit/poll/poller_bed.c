/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <poll.h>

#include "poller_bed.h"

struct vx_poller *new_poller_of(struct vx_cq *of, struct vx_poller_init init)
{
	struct vx_poller *poller;

	made(vx_poller_create(of, &init, &poller));
	return poller;
}

struct vx_poller *new_poller(enum vx_poller_mode mode)
{
	return new_poller_of(cq, (struct vx_poller_init){ .mode = mode });
}

void complete_on(struct vx_qp *of)
{
	struct ibv_send_wr wr = { .wr_id = 7, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED }, *bad;

	cr_assert_eq(ibv_post_send(vx_qp_raw(of), &wr, &bad), 0);
}

void complete_later(void)
{
	char list[32];

	snprintf(list, sizeof(list), "delay@%d", LATER);
	fail_calls(list);
	complete_on(qp);
}

struct ibv_wc expect_one(struct vx_poller *poller, int timeout_ms)
{
	struct ibv_wc wc[4] = { 0 };
	int rc = vx_poller_poll(poller, 4, wc, timeout_ms);

	cr_assert_eq(rc, 1, "%d, %s", rc, vx_error_text());
	cr_expect_eq(wc[0].wr_id, 7);
	return wc[0];
}

int poll_none(struct vx_poller *poller, int timeout_ms)
{
	struct ibv_wc wc;

	return vx_poller_poll(poller, 1, &wc, timeout_ms);
}

bool is_readable(struct vx_poller *poller, int timeout_ms)
{
	struct pollfd entry = { .fd = vx_poller_fd(poller), .events = POLLIN };

	cr_assert_geq(entry.fd, 0);
	return poll(&entry, 1, timeout_ms) == 1;
}
