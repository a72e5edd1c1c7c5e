/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What is beyond the advertised limits is refused. */
#include "bed.h"

TestSuite(limit, .init = open_bed, .fini = close_bed);

static int refused(struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr a = {
		.send_cq = bed.cq, .recv_cq = bed.cq, .qp_type = IBV_QPT_RC, .cap = cap
	};

	return !ibv_create_qp(bed.pd, &a) && errno == EINVAL;
}

Test(limit, a_qp_beyond_the_limits_is_refused)
{
	struct ibv_device_attr d;

	CHECK(!ibv_query_device(bed.ctx, &d));
	CHECK(refused((struct ibv_qp_cap){ d.max_qp_wr + 1, 1, 1, 1, 0 }));
	CHECK(refused((struct ibv_qp_cap){ 1, d.max_qp_wr + 1, 1, 1, 0 }));
	CHECK(refused((struct ibv_qp_cap){ 1, 1, d.max_sge + 1, 1, 0 }));
	CHECK(refused((struct ibv_qp_cap){ 1, 1, 1, d.max_sge + 1, 0 }));
}

Test(limit, a_cq_beyond_the_limits_is_refused)
{
	struct ibv_device_attr d;

	CHECK(!ibv_query_device(bed.ctx, &d));
	CHECK(!ibv_create_cq(bed.ctx, d.max_cqe + 1, NULL, NULL, 0));
	CHECK(!ibv_create_cq(bed.ctx, 0, NULL, NULL, 0));
	CHECK(!ibv_create_cq(bed.ctx, 1, NULL, NULL, bed.ctx->num_comp_vectors));
}

Test(limit, remote_write_needs_local_write)
{
	CHECK(!ibv_reg_mr(bed.pd, bed.buf, 16, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
}

Test(limit, there_is_one_port)
{
	struct ibv_port_attr p;
	union ibv_gid gid;
	__be16 pkey;

	CHECK(!ibv_query_port(bed.ctx, 1, &p) && p.lid == bed.lid);
	CHECK(ibv_query_port(bed.ctx, 2, &p));
	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &gid) && gid.raw[0] == 0xfe);
	CHECK(!ibv_query_pkey(bed.ctx, 1, 0, &pkey) && pkey == 0xffff);
}

Test(limit, what_is_used_is_not_destroyed)
{
	CHECK(ibv_destroy_cq(bed.cq) == EBUSY);
}
