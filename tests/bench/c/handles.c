/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What libverbsx adds to making and closing objects, alone: rdma-core is replaced by functions that do nothing. */
#include <verbsx/verbsx.h>

#include "measure.h"
#include "must.h"
#include "reach/loader.h"

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static char memory[4096];

/* ---- instead of rdma-core ---- */

static struct ibv_device device = { .name = "nothing" };
static struct ibv_context context = { .device = &device };

/* The parents, and what is made of them. */
static struct ibv_pd raw_pd = { .context = &context }, made_pd = { .context = &context };
static struct ibv_cq raw_cq = { .context = &context }, made_cq = { .context = &context };
static struct ibv_mr made_mr = { .context = &context };
static struct ibv_qp made_qp = { .context = &context };
static struct ibv_ah made_ah = { .context = &context };

static int end_nothing(void *object)
{
	keep((uintptr_t)object);
	return 0;
}

static struct ibv_pd *make_pd(struct ibv_context *of)
{
	keep((uintptr_t)of);
	return pd ? &made_pd : &raw_pd;
}

static struct ibv_cq *make_cq(struct ibv_context *of, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
{
	keep((uintptr_t)of + (uintptr_t)cq_context + (uintptr_t)channel + (uintptr_t)(cqe + comp_vector));
	return cq ? &made_cq : &raw_cq;
}

static struct ibv_mr *make_mr(struct ibv_pd *of, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	keep((uintptr_t)of + (uintptr_t)addr + length + iova + access);
	return &made_mr;
}

static struct ibv_qp *make_qp(struct ibv_pd *of, struct ibv_qp_init_attr *attr)
{
	keep((uintptr_t)of + (uintptr_t)attr);
	return &made_qp;
}

static struct ibv_ah *make_ah(struct ibv_pd *of, struct ibv_ah_attr *attr)
{
	keep((uintptr_t)of + (uintptr_t)attr);
	return &made_ah;
}

#define REPLACE(call, function) must(!vx_loader_replace(call, (vx_function)(function)), call)

static void replace_rdma_core(void)
{
	REPLACE("ibv_alloc_pd", make_pd);
	REPLACE("ibv_dealloc_pd", end_nothing);
	REPLACE("ibv_create_cq", make_cq);
	REPLACE("ibv_destroy_cq", end_nothing);
	REPLACE("ibv_reg_mr_iova2", make_mr);
	REPLACE("ibv_dereg_mr", end_nothing);
	REPLACE("ibv_create_qp", make_qp);
	REPLACE("ibv_destroy_qp", end_nothing);
	REPLACE("ibv_create_ah", make_ah);
	REPLACE("ibv_destroy_ah", end_nothing);
}

/* ---- one of each kind ---- */

static void pd_vx(void)
{
	struct vx_pd *made;

	must(!vx_pd_create(ctx, NULL, &made) && !vx_close(made), "pd");
}

static void pd_raw(void)
{
	must(!end_nothing(make_pd(&context)), "pd of nothing");
}

static void cq_vx(void)
{
	struct vx_cq *made;

	must(!vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 16 }, &made) && !vx_close(made), "cq");
}

static void cq_raw(void)
{
	must(!end_nothing(make_cq(&context, 16, NULL, NULL, 0)), "cq of nothing");
}

static void mr_vx(void)
{
	struct vx_mr *made;

	must(!vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = sizeof(memory) }, &made) &&
	     !vx_close(made), "mr");
}

static void mr_raw(void)
{
	must(!end_nothing(make_mr(&raw_pd, memory, sizeof(memory), (uintptr_t)memory, IBV_ACCESS_LOCAL_WRITE)), "mr of nothing");
}

static const struct ibv_qp_cap room = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1 };

static void qp_vx(void)
{
	struct vx_qp *made;

	must(!vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap = room }, &made) &&
	     !vx_close(made), "qp");
}

static void qp_raw(void)
{
	struct ibv_qp_init_attr attr = { .send_cq = &raw_cq, .recv_cq = &raw_cq, .cap = room, .qp_type = IBV_QPT_RC };

	must(!end_nothing(make_qp(&raw_pd, &attr)), "qp of nothing");
}

static void ah_vx(void)
{
	struct vx_ah *made;

	must(!vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7 }, &made) && !vx_close(made), "ah");
}

static void ah_raw(void)
{
	struct ibv_ah_attr attr = { .dlid = 7, .port_num = 1 };

	must(!end_nothing(make_ah(&raw_pd, &attr)), "ah of nothing");
}

PAIR_OF(pd)
PAIR_OF(cq)
PAIR_OF(mr)
PAIR_OF(qp)
PAIR_OF(ah)

static const struct pair pairs[] = { PAIR(pd), PAIR(cq), PAIR(mr), PAIR(qp), PAIR(ah) };

/* usage: handles [TIMES [ROUNDS]] */
int main(int argc, char **argv)
{
	replace_rdma_core();
	must(!vx_ctx_borrow(&context, &ctx), "the context");
	must(!vx_pd_create(ctx, NULL, &pd) && !vx_cq_create(ctx, NULL, &cq), "the parents");
	return measure_pairs(pairs, sizeof(pairs) / sizeof(pairs[0]), argc, argv);
}
