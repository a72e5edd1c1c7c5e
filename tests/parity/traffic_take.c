/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every way in which a completion can be waited for. */

#include <sched.h>
#include <time.h>

#include "traffic.h"

#define LONGEST_WAIT 20 /* seconds */

/* Only what means something then is read of one that failed. */
static void read_one(struct vx_wc *wc, struct ibv_wc *out)
{
	*out = (struct ibv_wc){ .wr_id = vx_wc_wr_id(wc), .status = vx_wc_status(wc), .qp_num = vx_wc_read_qp_num(wc) };
	if (out->status != IBV_WC_SUCCESS)
		return;
	out->opcode = vx_wc_read_opcode(wc);
	out->wc_flags = vx_wc_read_wc_flags(wc);
	if (out->opcode & IBV_WC_RECV) {
		out->byte_len = vx_wc_read_byte_len(wc);
		out->imm_data = vx_wc_read_imm_data(wc);
		out->src_qp = vx_wc_read_src_qp(wc);
	}
}

static int start_and_next(struct vx_cq *cq, struct ibv_wc *out)
{
	struct vx_wc *wc;
	int rc, count = 0;

	for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc)) {
		cr_assert_eq(count++, 0, "more completions than requests");
		read_one(wc, out);
	}
	return rc < 0 ? rc : count;
}

static int poll_once(struct end *end, struct ibv_wc *wc)
{
	return end->row->taken == ONE_BY_ONE ? start_and_next(end->cq, wc) : vx_cq_poll(end->cq, 1, wc);
}

static int poll_long(struct end *end, struct ibv_wc *wc)
{
	time_t until = time(NULL) + LONGEST_WAIT;
	int count;

	while (!(count = poll_once(end, wc)) && time(NULL) < until)
		sched_yield();
	return count;
}

/* Armed, and polled once more: what came before raises no event. */
static int sleep_for(struct end *end, struct ibv_wc *wc)
{
	struct vx_comp_event event;
	int count;

	made(vx_cq_req_notify(end->cq, 0));
	while (!(count = vx_cq_poll(end->cq, 1, wc))) {
		made(vx_comp_channel_get_event(end->channel, LONGEST_WAIT * 1000, &event));
		cr_assert_eq(event.cq, end->cq);
		made(vx_cq_req_notify(end->cq, 0));
	}
	return count;
}

struct ibv_wc take(struct end *end)
{
	struct ibv_wc wc = { 0 };
	int count;

	switch (end->row->taken) {
	case BY_EVENTS: count = sleep_for(end, &wc); break;
	case BY_POLLER: count = vx_poller_poll(end->poller, 1, &wc, LONGEST_WAIT * 1000); break;
	default: count = poll_long(end, &wc); break;
	}
	cr_assert_eq(count, 1, "%d completions: %s", count, count < 0 ? vx_error_text() : "none came");
	return wc;
}
