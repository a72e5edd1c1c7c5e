/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What is beyond the advertised limits is refused. */
#include "selftest.h"

static int refused(struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr a = {
		.send_cq = bed.cq, .recv_cq = bed.cq, .qp_type = IBV_QPT_RC, .cap = cap
	};

	return !ibv_create_qp(bed.pd, &a) && errno == EINVAL;
}

static void a_qp_beyond_the_limits_is_refused(void)
{
	struct ibv_device_attr d;

	CHECK(!ibv_query_device(bed.ctx, &d));
	CHECK(refused((struct ibv_qp_cap){ d.max_qp_wr + 1, 1, 1, 1, 0 }));
	CHECK(refused((struct ibv_qp_cap){ 1, d.max_qp_wr + 1, 1, 1, 0 }));
	CHECK(refused((struct ibv_qp_cap){ 1, 1, d.max_sge + 1, 1, 0 }));
	CHECK(refused((struct ibv_qp_cap){ 1, 1, 1, d.max_sge + 1, 0 }));
}

static void a_cq_beyond_the_limits_is_refused(void)
{
	struct ibv_device_attr d;

	CHECK(!ibv_query_device(bed.ctx, &d));
	CHECK(!ibv_create_cq(bed.ctx, d.max_cqe + 1, NULL, NULL, 0));
	CHECK(!ibv_create_cq(bed.ctx, 0, NULL, NULL, 0));
	CHECK(!ibv_create_cq(bed.ctx, 1, NULL, NULL, bed.ctx->num_comp_vectors));
}

static void an_srq_beyond_the_limits_is_refused(void)
{
	struct ibv_srq_init_attr s = { .attr = { 1 << 20, 1, 0 } };

	CHECK(!ibv_create_srq(bed.pd, &s));
}

static void an_srq_has_so_many_entries_and_no_more(void)
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

static void remote_write_needs_local_write(void)
{
	CHECK(!ibv_reg_mr(bed.pd, bed.buf, 16, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
}

static void there_is_one_port(void)
{
	struct ibv_port_attr p;
	union ibv_gid gid;
	__be16 pkey;

	CHECK(!ibv_query_port(bed.ctx, 1, &p) && p.lid == bed.lid);
	CHECK(ibv_query_port(bed.ctx, 2, &p));
	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &gid) && gid.raw[0] == 0xfe);
	CHECK(!ibv_query_pkey(bed.ctx, 1, 0, &pkey) && pkey == 0xffff);
}

static void what_is_used_is_not_destroyed(void)
{
	CHECK(ibv_destroy_cq(bed.cq) == EBUSY);
}

const struct test limit_tests[] = {
	{ "a_qp_beyond_the_limits_is_refused", a_qp_beyond_the_limits_is_refused },
	{ "a_cq_beyond_the_limits_is_refused", a_cq_beyond_the_limits_is_refused },
	{ "an_srq_beyond_the_limits_is_refused", an_srq_beyond_the_limits_is_refused },
	{ "an_srq_has_so_many_entries_and_no_more", an_srq_has_so_many_entries_and_no_more },
	{ "remote_write_needs_local_write", remote_write_needs_local_write },
	{ "there_is_one_port", there_is_one_port },
	{ "what_is_used_is_not_destroyed", what_is_used_is_not_destroyed },
	{ 0 },
};
