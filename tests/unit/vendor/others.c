/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only devices of mlx4, hns, MANA and ionic have: what their providers are asked for. */

#include <verbsx/hns.h>
#include <verbsx/ionic.h>
#include <verbsx/mana.h>
#include <verbsx/mlx4.h>

#include "unit/vendor/bed.h"

#include <infiniband/mlx4dv.h>

TestSuite(vendor, .init = open_device, .fini = close_device);

static struct ibv_qp qp_raw;
static struct ibv_qp_init_attr_ex qp_attr;
static const void *given_attr;
static unsigned int given_type;
static int ended;

static int destroy_qp(struct ibv_qp *qp)
{
	cr_expect_eq(qp, &qp_raw);
	ended++;
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	qp_attr = *attr;
	qp_raw = (struct ibv_qp){ .context = context, .pd = attr->pd, .send_cq = attr->send_cq, .recv_cq = attr->recv_cq, .qp_type = attr->qp_type };
	return &qp_raw;
}

static void expect_usual_qp(struct vx_qp *qp)
{
	cr_expect_eq(vx_qp_raw(qp), &qp_raw);
	cr_expect_eq(qp_attr.pd, vx_pd_raw(pd));
	cr_expect_eq(qp_attr.qp_type, IBV_QPT_RC);
	cr_expect_gt(qp_attr.cap.max_recv_wr, 0);
	made(vx_close(pd));
	cr_expect_eq(ended, 1, "before its PD");
	made(vx_pd_create(ctx, NULL, &pd));
}

/* ---- mlx4 ---- */

static uint32_t inline_receives;

static struct ibv_qp *create_mlx4_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct mlx4dv_qp_init_attr *mlx4)
{
	inline_receives = mlx4->inl_recv_sz;
	return create_qp(context, attr);
}

Test(vendor, a_qp_of_mlx4_receives_inline)
{
	struct mlx4dv_qp_init_attr attr = { .comp_mask = MLX4DV_QP_INIT_ATTR_MASK_INL_RECV, .inl_recv_sz = 64 };
	struct vx_cq *cq = some_cq();
	struct vx_qp *qp;

	be_of("mlx4");
	replace("mlx4dv_create_qp", create_mlx4_qp);
	replace("ibv_destroy_qp", destroy_qp);
	made(vx_mlx4_qp_create(pd, &(struct vx_mlx4_qp_init){ .mlx4dv_qp_init_attr = &attr, .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_eq(inline_receives, 64);
	expect_usual_qp(qp);
}

static int query_mlx4(struct ibv_context *context, struct mlx4dv_context *attrs)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	attrs->max_inl_recv_sz = 512;
	return 0;
}

static int set_mlx4(struct ibv_context *context, enum mlx4dv_set_ctx_attr_type type, void *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	given_type = type;
	given_attr = attr;
	return type == MLX4DV_SET_CTX_ATTR_BUF_ALLOCATORS ? 0 : ENOTSUP;
}

Test(vendor, a_context_of_mlx4_is_asked_and_told)
{
	struct mlx4dv_ctx_allocators allocators = { .data = &ended };
	struct mlx4dv_context attrs;
	uint8_t range = 4;

	be_of("mlx4");
	replace("mlx4dv_query_device", query_mlx4);
	replace("mlx4dv_set_context_attr", set_mlx4);
	made(vx_mlx4_ctx_query_device(ctx, &attrs));
	cr_expect_eq(attrs.max_inl_recv_sz, 512);
	made(vx_mlx4_ctx_set_context_attr(ctx, MLX4DV_SET_CTX_ATTR_BUF_ALLOCATORS, &allocators));
	cr_expect_eq(given_attr, &allocators);
	cr_expect_eq(vx_mlx4_ctx_set_context_attr(ctx, MLX4DV_SET_CTX_ATTR_LOG_WQS_RANGE_SZ, &range), -ENOTSUP);
	cr_expect_eq(vx_mlx4_ctx_set_context_attr(ctx, MLX4DV_SET_CTX_ATTR_BUF_ALLOCATORS, NULL), -EINVAL, "libmlx4 would crash");
}

static int init_mlx4(struct mlx4dv_obj *obj, uint64_t type)
{
	cr_expect_eq(type, MLX4DV_OBJ_CQ);
	cr_expect_eq(obj->cq.out->comp_mask, MLX4DV_CQ_MASK_UAR);
	obj->cq.out->cqn = 7;
	obj->cq.out->cqe_cnt = obj->cq.in->cqe + 1;
	return 0;
}

/* A newer libmlx4 would write what a newer program asks for behind the structure that the library has of it. */
Test(vendor, the_view_of_a_cq_of_mlx4_is_that_of_one_object)
{
	struct mlx4dv_cq view = { .comp_mask = UINT64_MAX };
	struct vx_cq *cq = some_cq();

	be_of("mlx4");
	replace("mlx4dv_init_obj", init_mlx4);
	made(vx_mlx4_cq_view(cq, &view));
	cr_expect_eq(view.cqn, 7);
	cr_expect_eq((int)view.cqe_cnt, vx_cq_raw(cq)->cqe + 1);
}

/* ---- MANA ---- */

#if VX_RDMA_CORE >= 44
#include <infiniband/manadv.h>

static int init_mana(struct manadv_obj *obj, uint64_t type)
{
	cr_expect_eq(type, MANADV_OBJ_CQ);
	obj->cq.out->cq_id = 9;
	return obj->cq.in->handle == UINT32_MAX ? EINVAL : 0;
}

Test(vendor, the_view_of_a_cq_of_mana_has_its_number)
{
	struct manadv_cq view;
	struct vx_cq *cq = some_cq();

	be_of("mana");
	replace("manadv_init_obj", init_mana);
	made(vx_mana_cq_view(cq, &view));
	cr_expect_eq(view.cq_id, 9);
	cr_expect_eq(view.count, 0, "what is not filled is zero");
}

static int set_mana(struct ibv_context *context, enum manadv_set_ctx_attr_type type, void *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	given_type = type + 1;
	given_attr = attr;
	return 0;
}

Test(vendor, a_context_of_mana_is_told)
{
	struct manadv_ctx_allocators allocators = { .data = &ended };

	be_of("mana");
	replace("manadv_set_context_attr", set_mana);
	made(vx_mana_ctx_set_context_attr(ctx, MANADV_CTX_ATTR_BUF_ALLOCATORS, &allocators));
	cr_expect_eq(given_type, MANADV_CTX_ATTR_BUF_ALLOCATORS + 1);
	cr_expect_eq(given_attr, &allocators);
}
#endif

#if VX_RDMA_CORE >= 65
static struct ibv_pd pd_raw;

static struct ibv_pd *alloc_pd(struct ibv_context *context, uint32_t flags)
{
	cr_expect_eq(flags, MANADV_PD_FLAGS_SHORT_PDN);
	pd_raw.context = context;
	return &pd_raw;
}

static int dealloc_pd(struct ibv_pd *raw)
{
	cr_expect_eq(raw, &pd_raw);
	ended++;
	return 0;
}

Test(vendor, a_pd_of_mana_has_a_short_number)
{
	struct vx_pd *short_pd;

	be_of("mana");
	made(vx_close(pd));
	replace("manadv_alloc_pd", alloc_pd);
	replace("ibv_dealloc_pd", dealloc_pd);
	made(vx_mana_pd_create(ctx, &(struct vx_mana_pd_init){ .flags = MANADV_PD_FLAGS_SHORT_PDN }, &short_pd));
	cr_expect_eq(vx_pd_raw(short_pd), &pd_raw);
	made(vx_close(short_pd));
	cr_expect_eq(ended, 1);
}
#endif

/* ---- hns ---- */

#if VX_RDMA_CORE >= 51
#include <infiniband/hnsdv.h>

static uint8_t congestion;

static struct ibv_qp *create_hns_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct hnsdv_qp_init_attr *hns)
{
	congestion = hns->congest_type;
	return create_qp(context, attr);
}

static int query_hns(struct ibv_context *context, struct hnsdv_context *attrs)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	attrs->comp_mask = HNSDV_CONTEXT_MASK_CONGEST_TYPE;
	attrs->congest_type = HNSDV_QP_CREATE_ENABLE_DIP;
	return 0;
}

Test(vendor, a_qp_of_hns_controls_congestion_as_it_is_told)
{
	struct hnsdv_qp_init_attr attr = { .comp_mask = HNSDV_QP_INIT_ATTR_MASK_QP_CONGEST_TYPE, .congest_type = HNSDV_QP_CREATE_ENABLE_LDCP };
	struct vx_cq *cq = some_cq();
	struct hnsdv_context attrs;
	struct vx_qp *qp;

	be_of("hns");
	replace("hnsdv_query_device", query_hns);
	replace("hnsdv_create_qp", create_hns_qp);
	replace("ibv_destroy_qp", destroy_qp);
	made(vx_hns_ctx_query_device(ctx, &attrs));
	cr_expect_eq(attrs.congest_type, HNSDV_QP_CREATE_ENABLE_DIP);
	made(vx_hns_qp_create(pd, &(struct vx_hns_qp_init){ .hnsdv_qp_init_attr = &attr, .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_eq(congestion, HNSDV_QP_CREATE_ENABLE_LDCP);
	expect_usual_qp(qp);
}
#else

/* What headers lack of which a release is built, it says. */
Test(vendor, a_qp_of_hns_is_of_a_newer_release)
{
	struct vx_qp *qp = NULL;

	be_of("hns");
	cr_expect_eq(vx_hns_qp_create(pd, NULL, &qp), -EOPNOTSUPP);
	expect_reason("needs rdma-core 51");
	cr_expect_null(qp);
}
#endif

/* ---- ionic ---- */

#if VX_RDMA_CORE >= 61

static uint8_t mask;
static bool wanted[3];

static uint8_t udma_count(struct ibv_context *context)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	return 2;
}

static uint8_t udma_mask(struct ibv_context *context)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	return 3;
}

static uint8_t pd_mask(struct ibv_pd *raw)
{
	cr_expect_eq(raw, vx_pd_raw(pd));
	return mask;
}

static int set_mask(struct ibv_pd *raw, uint8_t to)
{
	cr_expect_eq(raw, vx_pd_raw(pd));
	mask = to;
	return to & ~3 ? EINVAL : 0;
}

static int set_cmb(struct ibv_pd *raw, bool enable, bool expdb, bool require)
{
	cr_expect_eq(raw, vx_pd_raw(pd));
	wanted[0] = enable;
	wanted[1] = expdb;
	wanted[2] = require;
	return 0;
}

Test(vendor, pipelines_of_ionic_are_chosen)
{
	uint8_t number;

	be_of("ionic");
	replace("ionic_dv_ctx_get_udma_count", udma_count);
	replace("ionic_dv_ctx_get_udma_mask", udma_mask);
	replace("ionic_dv_pd_get_udma_mask", pd_mask);
	replace("ionic_dv_pd_set_udma_mask", set_mask);
	made(vx_ionic_ctx_get_udma_count(ctx, &number));
	cr_expect_eq(number, 2);
	made(vx_ionic_ctx_get_udma_mask(ctx, &number));
	cr_expect_eq(number, 3);
	made(vx_ionic_pd_set_udma_mask(pd, 2));
	made(vx_ionic_pd_get_udma_mask(pd, &number));
	cr_expect_eq(number, 2);
	cr_expect_eq(vx_ionic_pd_set_udma_mask(pd, 4), -EINVAL);
	expect_reason("ionic_dv_pd_set_udma_mask");
	cr_expect_lt(vx_ionic_pd_set_udma_mask(pd, 0x102), 0, "no byte");
}

Test(vendor, queues_of_ionic_may_lie_in_the_device)
{
	be_of("ionic");
	replace("ionic_dv_pd_set_sqcmb", set_cmb);
	replace("ionic_dv_pd_set_rqcmb", set_cmb);
	made(vx_ionic_pd_set_sqcmb(pd, true, false, true));
	cr_expect(wanted[0] && !wanted[1] && wanted[2]);
	made(vx_ionic_pd_set_rqcmb(pd, true, true, false));
	cr_expect(wanted[0] && wanted[1] && !wanted[2]);
}

#endif
