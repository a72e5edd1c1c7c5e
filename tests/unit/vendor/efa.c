/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only EFA has: what libefa is asked for, and with which sizes. */

#include <verbsx/efa.h>

#include "unit/trace/last_line.h"
#include "unit/vendor/bed.h"

#include <infiniband/efadv.h>

static struct vx_cq *cq;
static uint32_t given_size;
static int ended;

static void open_efa(void)
{
	open_device();
	cq = some_cq();
	be_of("efa");
}

TestSuite(efa, .init = open_efa, .fini = close_device);

/* ---- QPs ---- */

static struct ibv_qp qp_raw;
static struct ibv_qp_init_attr_ex qp_attr;
static struct efadv_qp_init_attr efa_qp_attr;

static struct ibv_qp *create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct efadv_qp_init_attr *efa, uint32_t inlen)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	qp_attr = *attr;
	efa_qp_attr = *efa;
	given_size = inlen;
	qp_raw = (struct ibv_qp){ .context = context, .pd = attr->pd, .send_cq = attr->send_cq, .recv_cq = attr->recv_cq, .qp_num = 7,
				  .qp_type = attr->qp_type };
	return &qp_raw;
}

static int destroy_qp(struct ibv_qp *qp)
{
	cr_expect_eq(qp, &qp_raw);
	ended++;
	return 0;
}

static struct vx_efa_qp_init qp_init(struct efadv_qp_init_attr *attr)
{
	replace("efadv_create_qp_ex", create_qp);
	replace("ibv_destroy_qp", destroy_qp);
	return (struct vx_efa_qp_init){ .efadv_qp_init_attr = attr, .send_cq = cq, .recv_cq = cq };
}

Test(efa, a_qp_is_of_srd_where_nothing_is_said)
{
	struct vx_efa_qp_init init = qp_init(NULL);
	struct vx_qp *qp;

	made(vx_efa_qp_create(pd, &init, &qp));
	cr_expect_eq(qp_attr.qp_type, IBV_QPT_DRIVER);
	cr_expect_eq(qp_attr.comp_mask, IBV_QP_INIT_ATTR_PD);
	cr_expect_eq(qp_attr.pd, vx_pd_raw(pd));
	cr_expect_eq(qp_attr.send_cq, vx_cq_raw(cq));
	cr_expect_gt(qp_attr.cap.max_send_wr, 0);
	cr_expect_eq(efa_qp_attr.driver_qp_type, EFADV_QP_DRIVER_TYPE_SRD);
	cr_expect_eq(efa_qp_attr.comp_mask, 0);
	cr_expect_eq(given_size, sizeof(struct efadv_qp_init_attr));
	cr_expect_eq(vx_qp_raw(qp), &qp_raw);
	made(vx_close(cq));
	cr_expect_eq(ended, 1, "before its CQ");
}

Test(efa, a_qp_has_what_the_program_says_of_it)
{
	struct efadv_qp_init_attr attr = { .driver_qp_type = 5 };
	struct vx_efa_qp_init init = qp_init(&attr);
	struct vx_qp *qp;

	init.cap.max_send_wr = 3;
	init.qp_type = IBV_QPT_UD;
	made(vx_efa_qp_create(pd, &init, &qp));
	cr_expect_eq(efa_qp_attr.driver_qp_type, 5);
	cr_expect_eq(qp_attr.cap.max_send_wr, 3);
	cr_expect_eq(qp_attr.qp_type, IBV_QPT_UD, "libefa says no to that itself");
}

/* Of a program that was compiled with older headers. */
Test(efa, nothing_is_read_behind_a_structure_that_is_shorter)
{
	struct efadv_qp_init_attr attr = { .driver_qp_type = 5 };
	struct vx_efa_qp_init init = qp_init(&attr);
	struct vx_qp *qp;

	made(vx_efa_qp_create_sized(pd, &init, &qp, sizeof(init), offsetof(struct efadv_qp_init_attr, driver_qp_type)));
	cr_expect_eq(efa_qp_attr.driver_qp_type, 0);
	cr_expect_eq(given_size, sizeof(struct efadv_qp_init_attr));
}

Test(efa, what_newer_headers_have_is_refused_where_it_is_set)
{
	struct {
		struct efadv_qp_init_attr known;
		uint64_t later;
	} attr = { .later = 1 };
	struct vx_efa_qp_init init = qp_init(&attr.known);
	struct vx_qp *qp = NULL;

	cr_expect_eq(vx_efa_qp_create_sized(pd, &init, &qp, sizeof(init), sizeof(attr)), -E2BIG);
	expect_reason("vx_efa_qp_create");
	expect_reason("efadv_qp_init_attr has something at byte");
	cr_expect_null(qp);
	attr.later = 0;
	made(vx_efa_qp_create_sized(pd, &init, &qp, sizeof(init), sizeof(attr)));
}

static struct ibv_qp *create_no_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct efadv_qp_init_attr *efa, uint32_t inlen)
{
	(void)context, (void)attr, (void)efa, (void)inlen;
	errno = EOPNOTSUPP;
	return NULL;
}

Test(efa, a_qp_that_libefa_refuses_is_none)
{
	struct vx_efa_qp_init init = qp_init(NULL);
	struct vx_qp *qp = NULL;

	replace("efadv_create_qp_ex", create_no_qp);
	cr_expect_eq(vx_efa_qp_create(pd, &init, &qp), -EOPNOTSUPP);
	expect_reason("efadv_create_qp_ex");
	cr_expect_null(qp);
	init.cap.max_recv_sge = VX_NONE;
	cr_expect_eq(vx_efa_qp_create(pd, &init, &qp), -EINVAL);
	expect_reason("cap.max_recv_sge is VX_NONE, and libefa divides by it");
	init.cap.max_recv_sge = 0;
	init.checked = true;
	cr_expect_eq(vx_efa_qp_create(pd, &init, &qp), -EINVAL);
	expect_reason("checked: nobody has told libverbsx what the requests of such QPs have to be like");
	init.recv_cq = NULL;
	cr_expect_eq(vx_efa_qp_create(pd, &init, &qp), -EINVAL);
	expect_reason("recv_cq is NULL");
}

/* ---- questions ---- */

static int query_device(struct ibv_context *context, struct efadv_device_attr *attr, uint32_t inlen)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	given_size = inlen;
	attr->max_sq_wr = 4096;
	return 0;
}

static int query_ah(struct ibv_ah *ah, struct efadv_ah_attr *attr, uint32_t inlen)
{
	cr_expect_eq(ah->pd, vx_pd_raw(pd));
	given_size = inlen;
	attr->ahn = 42;
	return 0;
}

static struct last_line line = { .call = "efadv_query_device" };

Test(efa, a_device_tells_what_it_has)
{
	struct efadv_device_attr attr = { .comp_mask = 1 };

	replace("efadv_query_device", query_device);
	made(vx_trace_callback(keep_line, &line));
	made(vx_efa_ctx_query_device(ctx, &attr));
	made(vx_trace_callback(NULL, NULL));
	cr_expect_eq(attr.max_sq_wr, 4096);
	cr_expect_eq(attr.comp_mask, 0);
	cr_expect_eq(given_size, sizeof(attr));
	expect_line_part(&line, "max_sq_wr=4096");
	cr_expect_eq(vx_efa_ctx_query_device(ctx, NULL), -EINVAL);
}

Test(efa, an_address_handle_has_a_number)
{
	struct efadv_ah_attr attr;
	struct vx_ah *ah;

	made(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7 }, &ah));
	replace("efadv_query_ah", query_ah);
	made(vx_efa_ah_query(ah, &attr));
	cr_expect_eq(attr.ahn, 42);
	cr_expect_eq(given_size, sizeof(attr));
}

/* ---- CQs ---- */

#if VX_RDMA_CORE >= 43

static struct ibv_cq_ex cq_raw;
static struct ibv_cq_init_attr_ex cq_attr;
static struct efadv_cq_init_attr efa_cq_attr;

static struct ibv_cq_ex *create_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr, struct efadv_cq_init_attr *efa, uint32_t inlen)
{
	cq_attr = *attr;
	efa_cq_attr = *efa;
	given_size = inlen;
	cq_raw.context = context;
	return &cq_raw;
}

static int destroy_cq(struct ibv_cq *raw)
{
	cr_expect_eq((void *)raw, &cq_raw);
	ended++;
	return 0;
}

Test(efa, a_cq_tells_who_sent)
{
	struct efadv_cq_init_attr attr = { .wc_flags = EFADV_WC_EX_WITH_SGID };
	struct vx_cq *made_cq;

	made(vx_close(cq));
	replace("efadv_create_cq", create_cq);
	replace("ibv_destroy_cq", destroy_cq);
	made(vx_efa_cq_create(ctx, &(struct vx_efa_cq_init){ .efadv_cq_init_attr = &attr, .cqe = 9 }, &made_cq));
	cr_expect_eq(cq_attr.cqe, 9);
	cr_expect_eq(efa_cq_attr.wc_flags, EFADV_WC_EX_WITH_SGID);
	cr_expect_eq(given_size, sizeof(attr));
	cr_expect_eq(vx_cq_ex(made_cq), &cq_raw);
	made(vx_close(made_cq));
	cr_expect_eq(ended, 1);
}

#endif

/* ---- regions, queues, and how deep they may be ---- */

#if VX_RDMA_CORE >= 65

static int query_mr(struct ibv_mr *mr, struct efadv_mr_attr *attr, uint32_t inlen)
{
	cr_expect_eq(mr->pd, vx_pd_raw(pd));
	given_size = inlen;
	attr->rdma_read_ic_id = 3;
	return 0;
}

static int query_cq(struct ibv_cq *raw, struct efadv_cq_attr *attr, uint32_t inlen)
{
	cr_expect_eq(raw, vx_cq_raw(cq));
	given_size = inlen;
	attr->num_entries = 64;
	return EOPNOTSUPP;
}

static int query_wqs(struct ibv_qp *raw, struct efadv_wq_attr *sq, struct efadv_wq_attr *rq, uint32_t inlen)
{
	cr_expect_eq(raw, &qp_raw);
	given_size = inlen;
	sq->max_batch = 16;
	rq->num_entries = 32;
	return 0;
}

static int max_sq_depth(struct ibv_context *context, struct efadv_sq_depth_attr *attr, uint32_t inlen)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(inlen, sizeof(*attr));
	return attr->max_inline_data > 32 ? -EINVAL : 256;
}

static int max_rq_depth(struct ibv_context *context, struct efadv_rq_depth_attr *attr, uint32_t inlen)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(inlen, sizeof(*attr));
	return 1024 / (int)attr->max_recv_sge;
}

Test(efa, a_region_tells_how_it_is_reached)
{
	struct efadv_mr_attr attr;
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));
	replace("efadv_query_mr", query_mr);
	made(vx_efa_mr_query(mr, &attr));
	cr_expect_eq(attr.rdma_read_ic_id, 3);
	cr_expect_eq(given_size, sizeof(attr));
}

Test(efa, queues_tell_where_they_are)
{
	struct efadv_wq_attr sq, rq;
	struct efadv_cq_attr attr;
	struct vx_efa_qp_init init = qp_init(NULL);
	struct vx_qp *qp;

	replace("efadv_query_qp_wqs", query_wqs);
	replace("efadv_query_cq", query_cq);
	made(vx_efa_qp_create(pd, &init, &qp));
	made(vx_efa_qp_query_wqs(qp, &sq, &rq));
	cr_expect_eq(sq.max_batch, 16);
	cr_expect_eq(rq.num_entries, 32);
	cr_expect_eq(given_size, sizeof(sq));
	cr_expect_eq(vx_efa_cq_query(cq, &attr), -EOPNOTSUPP);
	expect_reason("efadv_query_cq");
	cr_expect_eq(given_size, sizeof(attr));
}

Test(efa, depths_are_counted)
{
	struct efadv_sq_depth_attr sq = { .max_inline_data = 32 };
	struct efadv_rq_depth_attr rq = { .max_recv_sge = 2 };
	size_t depth;

	replace("efadv_get_max_sq_depth", max_sq_depth);
	replace("efadv_get_max_rq_depth", max_rq_depth);
	made(vx_efa_ctx_get_max_sq_depth(ctx, &sq, &depth));
	cr_expect_eq(depth, 256);
	made(vx_efa_ctx_get_max_rq_depth(ctx, &rq, &depth));
	cr_expect_eq(depth, 512);
	sq.max_inline_data = 33;
	cr_expect_eq(vx_efa_ctx_get_max_sq_depth(ctx, &sq, &depth), -EINVAL);
}

/* libefa would end the program. */
Test(efa, no_depth_is_of_receives_without_entries)
{
	struct efadv_rq_depth_attr rq = { .max_recv_sge = 0 };
	size_t depth;

	replace("efadv_get_max_rq_depth", max_rq_depth);
	cr_expect_eq(vx_efa_ctx_get_max_rq_depth(ctx, &rq, &depth), -EINVAL);
	expect_reason("max_recv_sge is 0, which libefa divides by");
}

static struct ibv_comp_cntr cntr_raw;
static struct efadv_comp_cntr_init_attr efa_cntr_attr;

static struct ibv_comp_cntr *create_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr, struct efadv_comp_cntr_init_attr *efa,
					 uint32_t inlen)
{
	cr_expect_eq(attr->comp_mask, 0);
	efa_cntr_attr = *efa;
	given_size = inlen;
	cntr_raw.context = context;
	return &cntr_raw;
}

static int destroy_cntr(struct ibv_comp_cntr *cntr)
{
	cr_expect_eq(cntr, &cntr_raw);
	ended++;
	return 0;
}

Test(efa, a_counter_counts_where_the_program_reads)
{
	uint64_t count;
	struct efadv_comp_cntr_init_attr attr = { .flags = EFADV_COMP_CNTR_INIT_WITH_COMP_EXTERNAL_MEM,
						  .comp_cntr_ext_mem = { .ptr = (uint8_t *)&count } };
	struct vx_comp_cntr *cntr;

	replace("efadv_create_comp_cntr", create_cntr);
	replace("ibv_destroy_comp_cntr", destroy_cntr);
	made(vx_efa_comp_cntr_create(ctx, &(struct vx_efa_comp_cntr_init){ .efadv_comp_cntr_init_attr = &attr }, &cntr));
	cr_expect_eq((void *)efa_cntr_attr.comp_cntr_ext_mem.ptr, &count);
	cr_expect_eq(given_size, sizeof(attr));
	made(vx_close(cntr));
	cr_expect_eq(ended, 1);
}

#endif
