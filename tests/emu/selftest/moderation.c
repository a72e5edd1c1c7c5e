/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* CQs that hold their events back, and CQs that run over. */
#include "selftest.h"

TestSuite(moderation, .init = open_mlx5, .fini = close_bed);

enum {
	PERIOD_US = 4000,
	ENTRIES = 4
};

static void hold_back(uint16_t count)
{
	struct ibv_modify_cq_attr a = { IBV_CQ_ATTR_MODERATE, { count, PERIOD_US } };

	CHECK(!ibv_modify_cq(bed.cq, &a));
	CHECK(!ibv_req_notify_cq(bed.cq, 0));
}

static void write_and_wait(uint64_t wr_id)
{
	post_write(bed.a, wr_id, bed.mr->rkey, address(4096), "x");
	expect_wc(wr_id, 0, IBV_WC_RDMA_WRITE);
}

static void take_event(void)
{
	struct ibv_cq *cq;
	void *context;

	wait_readable(bed.channel->fd);
	CHECK(!ibv_get_cq_event(bed.channel, &cq, &context) && cq == bed.cq);
	ibv_ack_cq_events(cq, 1);
}

Test(moderation, an_event_comes_after_a_time)
{
	double before = now_ms();

	hold_back(1000);
	write_and_wait(1);
	take_event();
	CHECK(now_ms() - before >= PERIOD_US / 1000.0);
}

Test(moderation, an_event_comes_at_once_when_there_are_enough)
{
	hold_back(1);
	write_and_wait(1);
	take_event();
}

Test(moderation, a_period_beyond_the_limit_is_refused)
{
	struct ibv_device_attr_ex d;
	struct ibv_modify_cq_attr a = { IBV_CQ_ATTR_MODERATE, { 1, 0 } };

	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &d) && d.cq_mod_caps.max_cq_period);
	a.moderate.cq_period = d.cq_mod_caps.max_cq_period + 1;
	CHECK(ibv_modify_cq(bed.cq, &a) == EINVAL);
}

Test(moderation, an_overrun_can_be_ignored)
{
	struct ibv_cq_init_attr_ex a = { .cqe = ENTRIES,
					 .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					 .flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(bed.ctx, &a);
	struct ibv_qp *q;

	CHECK(cq);
	q = make_rc(ibv_cq_ex_to_cq(cq), NULL);
	reconnect(q, bed.b, NO_RNR_LIMIT);
	for (uint64_t wr = 1; wr <= 4 * ENTRIES; wr++)
		post_write(q, wr, bed.mr->rkey, address(4096), "x");
	CHECK(!readable(bed.ctx->async_fd, 50));
	CHECK(!ibv_destroy_qp(q) && !ibv_destroy_cq(ibv_cq_ex_to_cq(cq)));
}
