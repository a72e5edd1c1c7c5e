/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Objects made and closed on the emulated device, by libverbsx and by rdma-core alone; many of them closed at once. */
#include <stdlib.h>

#include <verbsx/verbsx.h>

#include "measure.h"
#include "must.h"
#include "object/object.h"

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static char memory[4096];

/* ---- one of each kind ---- */

static void pd_vx(void)
{
	struct vx_pd *made;

	must(!vx_pd_create(ctx, NULL, &made) && !vx_close(made), "pd");
}

static void pd_raw(void)
{
	struct ibv_pd *made = ibv_alloc_pd(vx_ctx_raw(ctx));

	must(made && !ibv_dealloc_pd(made), "pd of rdma-core");
}

static void cq_vx(void)
{
	struct vx_cq *made;

	must(!vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 16 }, &made) && !vx_close(made), "cq");
}

static void cq_raw(void)
{
	struct ibv_cq *made = ibv_create_cq(vx_ctx_raw(ctx), 16, NULL, NULL, 0);

	must(made && !ibv_destroy_cq(made), "cq of rdma-core");
}

static void mr_vx(void)
{
	struct vx_mr *made;

	must(!vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = sizeof(memory) }, &made) &&
	     !vx_close(made), "mr");
}

static void mr_raw(void)
{
	struct ibv_mr *made = ibv_reg_mr(vx_pd_raw(pd), memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);

	must(made && !ibv_dereg_mr(made), "mr of rdma-core");
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
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = vx_cq_raw(cq), .recv_cq = vx_cq_raw(cq), .cap = room, .qp_type = IBV_QPT_RC,
		.pd = vx_pd_raw(pd), .comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct ibv_qp *made = ibv_create_qp_ex(vx_ctx_raw(ctx), &attr);

	must(made && !ibv_destroy_qp(made), "qp of rdma-core");
}

static void ah_vx(void)
{
	struct vx_ah *made;

	must(!vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7 }, &made) && !vx_close(made), "ah");
}

static void ah_raw(void)
{
	struct ibv_ah_attr attr = { .dlid = 7, .port_num = 1 };
	struct ibv_ah *made = ibv_create_ah(vx_pd_raw(pd), &attr);

	must(made && !ibv_destroy_ah(made), "ah of rdma-core");
}

PAIR_OF(pd)
PAIR_OF(cq)
PAIR_OF(mr)
PAIR_OF(qp)
PAIR_OF(ah)

static const struct pair pairs[] = { PAIR(pd), PAIR(cq), PAIR(mr), PAIR(qp), PAIR(ah) };

/* ---- many ---- */

/* The PD closes them all. What the device keeps of an address handle on InfiniBand is nothing. */
static void report_closing(const char *name, unsigned int count)
{
	struct vx_pd *parent;
	struct vx_ah *ah;
	unsigned int i;
	uint64_t start;

	must(!vx_pd_create(ctx, NULL, &parent), "a pd for many");
	for (i = 0; i < count; i++)
		must(!vx_ah_create(parent, &(struct vx_ah_init){ .dlid = 7 }, &ah), "one of many");
	start = thread_time();
	must(!vx_close(parent), "closing many");
	report(name, (double)(thread_time() - start) / count);
}

/* Of the PD and two CQs. */
static void report_size(void)
{
	struct vx_cq *other;
	struct vx_qp *qp;

	must(!vx_cq_create(ctx, NULL, &other), "another cq");
	must(!vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = other }, &qp), "a qp of two cqs");
	report("size", (double)(sizeof(struct vx_node) + ((const struct vx_node *)qp)->uses * sizeof(struct vx_edge)));
	must(!vx_close(other), "closing it");
}

/* usage: objects TIMES ROUNDS MANY */
int main(int argc, char **argv)
{
	unsigned int many = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 1000000;
	int status;

	must(many >= 10, "MANY is 10 or more");
	must(stay_on_one_processor(), "one processor");
	must(!vx_ctx_open_index(0, &ctx), "the device");
	must(!vx_pd_create(ctx, NULL, &pd) && !vx_cq_create(ctx, NULL, &cq), "the parents");
	report_size();
	report_closing("close.tenth", many / 10);
	report_closing("close.all", many);
	status = measure_pairs(pairs, sizeof(pairs) / sizeof(pairs[0]), argc, argv);
	must(!vx_close(ctx), "closing the device");
	return status;
}
