/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Async events, those of an SRQ and those asked for. */
#include "selftest.h"

static void an_srq_reports_its_limit_once(void)
{
	struct ibv_srq_init_attr init = { .attr = { 16, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(bed.pd, &init);
	struct ibv_srq_attr q, limit = { .srq_limit = 3 };
	struct ibv_sge sge = { address(4096), 64, bed.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_qp *s;

	CHECK(srq);
	s = make_rc(bed.cq, srq);
	reconnect(bed.a, s, NO_RNR_LIMIT);
	for (int i = 0; i < 4; i++)
		CHECK(!ibv_post_srq_recv(srq, &wr, &bad));
	CHECK(!ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	CHECK(!ibv_query_srq(srq, &q) && q.srq_limit == 3);
	for (int i = 0; i < 2; i++) {
		post_send(bed.a, 1, 0, 8);
		CHECK(!wait_wc(bed.cq).status && !wait_wc(bed.cq).status);
	}
	CHECK(wait_async(IBV_EVENT_SRQ_LIMIT_REACHED).element.srq == srq);
	CHECK(!readable(bed.ctx->async_fd, 0));
	CHECK(!ibv_destroy_qp(s) && !ibv_destroy_srq(srq));
}

static void an_event_of_a_qp_can_be_asked_for(void)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "COMM_EST:0x%x", bed.b->qp_num);
	CHECK(!emu_fault(spec, NULL, 0));
	CHECK(wait_async(IBV_EVENT_COMM_EST).element.qp == bed.b);
}

static void an_event_of_the_port_can_be_asked_for(void)
{
	CHECK(!emu_fault("LID_CHANGE:1@20", NULL, 0));
	CHECK(wait_async(IBV_EVENT_LID_CHANGE).element.port_num == 1);
}

static void an_unknown_event_is_refused(void)
{
	CHECK(emu_fault("NO_SUCH_EVENT", NULL, 0));
}

static void an_unread_event_does_not_block_destruction(void)
{
	struct ibv_qp *q = make_rc(bed.cq, NULL);
	char spec[64];

	snprintf(spec, sizeof(spec), "COMM_EST:0x%x", q->qp_num);
	CHECK(!emu_fault(spec, NULL, 0));
	CHECK(readable(bed.ctx->async_fd, 1000));
	CHECK(!ibv_destroy_qp(q));
	CHECK(!readable(bed.ctx->async_fd, 0));
}

const struct test async_tests[] = {
	{ "an_srq_reports_its_limit_once", an_srq_reports_its_limit_once },
	{ "an_event_of_a_qp_can_be_asked_for", an_event_of_a_qp_can_be_asked_for },
	{ "an_event_of_the_port_can_be_asked_for", an_event_of_the_port_can_be_asked_for },
	{ "an_unknown_event_is_refused", an_unknown_event_is_refused },
	{ "an_unread_event_does_not_block_destruction", an_unread_event_does_not_block_destruction },
	{ 0 },
};
