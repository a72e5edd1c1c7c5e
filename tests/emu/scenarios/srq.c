/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared receive queues. */
#include "bed.h"

TestSuite(srq, .init = open_bed, .fini = close_bed);

Test(srq, an_srq_reports_its_limit_once)
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

Test(srq, an_srq_has_a_pd_of_its_own)
{
	skip_on_soft_roce("soft-RoCE looks for the region in the QP's PD");

	struct ibv_pd *pd = ibv_alloc_pd(bed.ctx);
	struct ibv_srq_init_attr init = { .attr = { 4, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct ibv_mr *m = ibv_reg_mr(pd, bed.buf + 8192, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge s = { address(8192), 64, m->lkey };
	struct ibv_recv_wr w = { .wr_id = 2, .sg_list = &s, .num_sge = 1 }, *bad;
	struct ibv_qp *q = make_rc(bed.cq, srq);

	reconnect(bed.a, q, NO_RNR_LIMIT);
	CHECK(!ibv_post_srq_recv(srq, &w, &bad));
	post_send(bed.a, 1, 0, 8);
	expect_wc(2, 0, IBV_WC_RECV);
	expect_wc(1, 0, IBV_WC_SEND);
	CHECK(!ibv_destroy_qp(q) && !ibv_destroy_srq(srq) && !ibv_dereg_mr(m) && !ibv_dealloc_pd(pd));
}

Test(srq, an_srq_beyond_the_limits_is_refused)
{
	struct ibv_srq_init_attr s = { .attr = { 0, 1, 0 } };
	struct ibv_device_attr d;

	CHECK(!ibv_query_device(bed.ctx, &d));
	s.attr.max_wr = d.max_srq_wr + 1;
	CHECK(!ibv_create_srq(bed.pd, &s));
}

Test(srq, an_srq_has_so_many_entries_and_no_more)
{
	struct ibv_device_attr d;
	struct ibv_srq_init_attr wide = { 0 }, good = { .attr = { 4, 1, 0 } };
	struct ibv_srq_attr limit = { .srq_limit = 100 };
	struct ibv_srq *srq = ibv_create_srq(bed.pd, &good);

	CHECK(srq && !ibv_query_device(bed.ctx, &d));
	wide.attr.max_wr = 4;
	wide.attr.max_sge = d.max_srq_sge + 1;
	CHECK(!ibv_create_srq(bed.pd, &wide));
	CHECK(ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT) == EINVAL);
	CHECK(!ibv_destroy_srq(srq));
}
