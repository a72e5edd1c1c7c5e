/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Kinds that no device at hand has: what rdma-core is asked for. */

#include <errno.h>

#include "unit/record.h"

static int ended;

TestSuite(record, .init = open_device, .fini = close_device);

/* ---- device memory ---- */

static struct ibv_dm dm_raw;
static struct ibv_alloc_dm_attr dm_attr;
static struct {
	void *host;
	uint64_t offset;
	size_t length;
} copied;

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	dm_attr = *attr;
	dm_raw.context = context;
	return &dm_raw;
}

static int free_dm(struct ibv_dm *dm)
{
	cr_expect_eq(dm, &dm_raw);
	ended++;
	return 0;
}

static int copy_from(void *host, struct ibv_dm *dm, uint64_t offset, size_t length)
{
	cr_expect_eq(dm, &dm_raw);
	copied.host = host;
	copied.offset = offset;
	copied.length = length;
	return length > 64 ? EINVAL : 0;
}

static int copy_to(struct ibv_dm *dm, uint64_t offset, const void *host, size_t length)
{
	return copy_from((void *)host, dm, offset, length);
}

static struct vx_dm *make_dm(void)
{
	struct vx_dm *dm;

	provider()->alloc_dm = alloc_dm;
	provider()->free_dm = free_dm;
	dm_raw.memcpy_from_dm = copy_from;
	dm_raw.memcpy_to_dm = copy_to;
	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = 64, .log_align_req = 3 }, &dm));
	return dm;
}

Test(record, dm)
{
	make_dm();
	cr_expect_eq(dm_attr.length, 64);
	cr_expect_eq(dm_attr.log_align_req, 3);
	cr_expect_eq(dm_attr.comp_mask, 0);
	cr_expect_eq(vx_close(pd), 0);
	cr_expect_eq(ended, 0, "it belongs to the context");
	made(vx_pd_create(ctx, NULL, &pd));
}

Test(record, dm_is_read_and_written)
{
	struct vx_dm *dm = make_dm();
	char host[64];

	made(vx_dm_memcpy_from(dm, host, 8, 16));
	cr_expect_eq(copied.host, host);
	cr_expect_eq(copied.offset, 8);
	cr_expect_eq(copied.length, 16);
	made(vx_dm_memcpy_to(dm, 4, host + 1, 2));
	cr_expect_eq(copied.host, host + 1);
	cr_expect_eq(copied.offset, 4);
	cr_expect_eq(copied.length, 2);
	cr_expect_eq(vx_dm_memcpy_from(dm, host, 0, 65), -EINVAL);
	expect_reason("ibv_memcpy_from_dm on mlx5_0 dm");
	cr_expect_eq(vx_close(dm), 0);
	cr_expect_eq(ended, 1);
}

static struct ibv_mr dm_region;

static struct ibv_mr *reg_dm(struct ibv_pd *raw, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned int access)
{
	cr_expect_eq(dm, &dm_raw);
	cr_expect_eq(offset, 16);
	cr_expect_eq(length, 32);
	cr_expect_eq(access, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_READ);
	cr_expect_eq(raw, vx_pd_raw(pd));
	return &dm_region;
}

static int dereg(struct ibv_mr *mr)
{
	cr_expect_eq(mr, &dm_region);
	cr_expect_eq(ended, 0, "before the DM");
	ended++;
	return 0;
}

Test(record, dm_takes_its_region_along)
{
	struct vx_dm *dm = make_dm();
	struct vx_mr *mr;

	provider()->reg_dm_mr = reg_dm;
	replace("ibv_dereg_mr", dereg);
	made(vx_mr_create(pd, &(struct vx_mr_init){ .dm = dm, .offset = 16, .length = 32, .access = IBV_ACCESS_REMOTE_READ },
			  &mr));
	cr_expect_eq(vx_close(dm), 0);
	cr_expect_eq(ended, 2);
}

#if VX_RDMA_CORE >= 35

static struct ibv_dm *import_dm(struct ibv_context *context, uint32_t handle)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(handle, 42);
	return &dm_raw;
}

static void unimport_dm(struct ibv_dm *dm)
{
	cr_expect_eq(dm, &dm_raw);
	ended += 10;
}

Test(record, dm_that_is_imported_is_left_to_its_owner)
{
	struct vx_dm *dm;

	provider()->free_dm = free_dm;
	replace("ibv_import_dm", import_dm);
	replace("ibv_unimport_dm", unimport_dm);
	made(vx_dm_import(ctx, 42, &dm));
	cr_expect_eq(vx_close(dm), 0);
	cr_expect_eq(ended, 10);
}

#endif

/* ---- counters ---- */

static struct ibv_counters counters_raw;

static struct ibv_counters *create_counters(struct ibv_context *context, struct ibv_counters_init_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(attr->comp_mask, 0);
	counters_raw.context = context;
	return &counters_raw;
}

static int destroy_counters(struct ibv_counters *counters)
{
	cr_expect_eq(counters, &counters_raw);
	return ended++ ? 0 : EBUSY;
}

Test(record, counters_that_are_busy_at_first)
{
	struct vx_counters *counters;

	provider()->create_counters = create_counters;
	provider()->destroy_counters = destroy_counters;
	made(vx_counters_create(ctx, NULL, &counters));
	cr_expect_eq(vx_close(counters), -EBUSY);
	expect_reason("something depends on it that libverbsx did not make, or adopted before it");
	cr_expect_eq(vx_close(counters), 0);
}

/* ---- address handles ---- */

static struct ibv_ah ah_raw;
static struct ibv_ah_attr ah_attr;

static struct ibv_ah *create_ah(struct ibv_pd *parent, struct ibv_ah_attr *attr)
{
	ah_raw = (struct ibv_ah){ .context = parent->context, .pd = parent };
	ah_attr = *attr;
	return &ah_raw;
}

static int destroy_ah(struct ibv_ah *ah)
{
	cr_expect_eq(ah, &ah_raw);
	return 0;
}

Test(record, ah_is_global_where_its_grh_is_used)
{
	struct vx_ah *ah;

	replace("ibv_create_ah", create_ah);
	replace("ibv_destroy_ah", destroy_ah);
	made(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7 }, &ah));
	cr_expect_eq(ah_attr.is_global, 0);
	made(vx_ah_create(pd, &(struct vx_ah_init){ .grh.sgid_index = 1 }, &ah));
	cr_expect_eq(ah_attr.is_global, 1);
	cr_expect_eq(ah_attr.grh.sgid_index, 1);
	cr_expect_eq(ah_attr.grh.hop_limit, 64);
}

/* ---- work queues ---- */

static struct ibv_wq wq_raw;
static struct ibv_wq_init_attr wq_attr;

static struct ibv_wq *create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	wq_attr = *attr;
	wq_raw.context = context;
	return &wq_raw;
}

static int destroy_wq(struct ibv_wq *wq)
{
	cr_expect_eq(wq, &wq_raw);
	cr_expect_eq(live("cq"), 1, "before its CQ");
	ended++;
	return 0;
}

Test(record, wq_with_every_field)
{
	struct vx_cq *cq;
	struct vx_wq *wq;
	int mine;

	provider()->create_wq = create_wq;
	provider()->destroy_wq = destroy_wq;
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_wq_create(pd, &(struct vx_wq_init){ .wq_context = &mine, .wq_type = IBV_WQT_RQ, .max_wr = 7, .max_sge = 2,
						    .cq = cq, .create_flags = IBV_WQ_FLAGS_CVLAN_STRIPPING }, &wq));
	cr_expect_eq(wq_attr.wq_context, &mine);
	cr_expect_eq(wq_attr.wq_type, IBV_WQT_RQ);
	cr_expect_eq(wq_attr.max_wr, 7);
	cr_expect_eq(wq_attr.max_sge, 2);
	cr_expect_eq(wq_attr.pd, vx_pd_raw(pd));
	cr_expect_eq(wq_attr.cq, vx_cq_raw(cq));
	cr_expect_eq(wq_attr.create_flags, IBV_WQ_FLAGS_CVLAN_STRIPPING);
	cr_expect_eq(wq_attr.comp_mask, IBV_WQ_INIT_ATTR_FLAGS);
	cr_expect_eq(vx_close(cq), 0);
	cr_expect_eq(ended, 1);
}

Test(record, wq_by_default)
{
	struct vx_cq *cq;
	struct vx_wq *wq;

	provider()->create_wq = create_wq;
	provider()->destroy_wq = destroy_wq;
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_wq_create(pd, &(struct vx_wq_init){ .cq = cq }, &wq));
	cr_expect_eq(wq_attr.comp_mask, 0);
	cr_expect_gt(wq_attr.max_wr, 0);
	cr_expect_gt(wq_attr.max_sge, 0);
}

/* ---- tag matching ---- */

static struct ibv_srq srq_raw;
static struct ibv_srq_init_attr_ex srq_attr;

static struct ibv_srq *create_srq(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	srq_attr = *attr;
	srq_raw.context = context;
	return &srq_raw;
}

static int destroy_srq(struct ibv_srq *srq)
{
	cr_expect_eq(srq, &srq_raw);
	ended++;
	return 0;
}

Test(record, srq_for_tag_matching)
{
	struct vx_cq *cq;
	struct vx_srq *srq;

	provider()->create_srq_ex = create_srq;
	replace("ibv_destroy_srq", destroy_srq);
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_srq_create(pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_TM, .cq = cq,
						      .tm_cap = { .max_num_tags = 5, .max_ops = 6 } }, &srq));
	cr_expect_eq(srq_attr.srq_type, IBV_SRQT_TM);
	cr_expect_eq(srq_attr.pd, vx_pd_raw(pd));
	cr_expect_eq(srq_attr.cq, vx_cq_raw(cq));
	cr_expect_eq(srq_attr.tm_cap.max_num_tags, 5);
	cr_expect_eq(srq_attr.tm_cap.max_ops, 6);
	cr_expect_eq(srq_attr.comp_mask, IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ |
						 IBV_SRQ_INIT_ATTR_TM);
	cr_expect_eq(vx_close(cq), 0);
	cr_expect_eq(ended, 1);
}

/* ---- a QP that the emulated device does not have ---- */

static struct ibv_qp_init_attr_ex qp_attr;

static struct ibv_qp *create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	(void)context;
	qp_attr = *attr;
	errno = EOPNOTSUPP;
	return NULL;
}

Test(record, qp_that_spreads_by_hash)
{
	struct ibv_rwq_ind_table raw = { .context = vx_ctx_raw(ctx) };
	struct vx_ind_table *table;
	uint8_t key[40] = { 1 };
	struct vx_qp *qp;
	void *released;

	provider()->create_qp_ex = create_qp;
	made(vx_ind_table_adopt(ctx, &raw, &table));
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = table,
							    .create_flags = IBV_QP_CREATE_PCI_WRITE_END_PADDING,
							    .max_tso_header = 64, .source_qpn = 9,
							    .rx_hash_conf = { .rx_hash_key = key, .rx_hash_key_len = 40,
									      .rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 } },
				  &qp), -EOPNOTSUPP);
	cr_expect_eq(qp_attr.rwq_ind_tbl, &raw);
	released = vx_give_back(table);
	cr_assert_not_null(released, "%s", vx_error_text());
	made(vx_ind_table_borrow(ctx, &raw, &table));
	made(vx_close(table));
	cr_expect_eq(qp_attr.rx_hash_conf.rx_hash_key, key);
	cr_expect_eq(qp_attr.rx_hash_conf.rx_hash_fields_mask, IBV_RX_HASH_SRC_IPV4);
	cr_expect_eq(qp_attr.rx_hash_conf.rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ, "the default");
	cr_expect_eq(qp_attr.max_tso_header, 64);
	cr_expect_eq(qp_attr.source_qpn, 9);
	cr_expect_eq(qp_attr.create_flags, IBV_QP_CREATE_PCI_WRITE_END_PADDING | IBV_QP_CREATE_SOURCE_QPN);
	cr_expect_eq(qp_attr.cap.max_recv_wr, 0, "rdma-core refuses anything else");
	cr_expect_eq(qp_attr.comp_mask, IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
						IBV_QP_INIT_ATTR_MAX_TSO_HEADER | IBV_QP_INIT_ATTR_IND_TABLE |
						IBV_QP_INIT_ATTR_RX_HASH);
}
