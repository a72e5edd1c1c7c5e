/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "dispatcher_bed.h"

struct vx_dispatcher *dispatcher;

void complete_with(struct vx_qp *of, uint64_t wr_id)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED }, *bad;

	cr_assert_eq(ibv_post_send(vx_qp_raw(of), &wr, &bad), 0, "%s", vx_error_text());
}

void tally(const struct ibv_wc *wc, void *data)
{
	(void)wc;
	++*(int *)data;
}

struct vx_qp *new_peer(void)
{
	struct vx_qp *peer = new_qp_in_init(cq, IBV_QPT_RC, NULL);

	connect_to(peer, peer);
	return peer;
}

void dispatch_all(int expected)
{
	int rc, all = 0;

	while (all < expected) {
		rc = vx_dispatcher_poll(dispatcher, 64);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
		all += rc;
	}
	cr_assert_eq(all, expected);
}
