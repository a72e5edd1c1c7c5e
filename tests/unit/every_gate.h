/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_EVERY_GATE_H
#define VERBSX_TESTS_UNIT_EVERY_GATE_H

/* What the tests share that each function of a vendor's header gets by itself, see every_gate.py. */

#include <errno.h>
#include <string.h>

#include "vendors.h" /* before what has variables of these names */

#include "reach/loader.h"
#include "unit/device.h"

static struct ibv_context_ops of_its_own;

static int poll_nothing(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	(void)cq;
	(void)entries;
	(void)wc;
	return 0;
}

/* A provider goes by its functions: one is now of no vendor's library. That of soft-RoCE was of none before. */
static inline void be_of_another_vendor(void)
{
	of_its_own = vx_ctx_raw(ctx)->ops;
	vx_ctx_raw(ctx)->ops.poll_cq = poll_nothing;
}

static inline void be_of_its_own(void)
{
	vx_ctx_raw(ctx)->ops = of_its_own;
}

/* For what needs memory that nobody looks at. */
static uint64_t some_bytes[8];

static void *called_though_foreign(void)
{
	cr_expect(false, "a function was called that is of another vendor than the device");
	return NULL;
}

static inline void must_not_call(const char *call)
{
#if VERBSX_LOADER
	made(vx_loader_replace(call, (vx_function)called_though_foreign));
#else
	(void)call, (void)called_though_foreign;
#endif
}

#if VERBSX_LOADER
static int asked;

static void *no_object(void)
{
	asked++;
	errno = EPERM;
	return NULL;
}

static void *no_success(void)
{
	asked++;
	return (void *)(uintptr_t)EPERM;
}

/* Of what returns a code, and of what returns an object. */
static inline void fail_and_count(const char *call, bool code)
{
	made(vx_loader_replace(call, (vx_function)(code ? no_success : no_object)));
}
#endif

#define expect_gate() expect_reason(", and the device is of another vendor")

static inline struct vx_ctx *ctx_at_hand(void)
{
	return ctx;
}

static inline struct vx_pd *pd_at_hand(void)
{
	return pd;
}

static inline struct vx_cq *cq_at_hand(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

static inline struct vx_comp_channel *comp_channel_at_hand(void)
{
	struct vx_comp_channel *channel;

	made(vx_comp_channel_create(ctx, NULL, &channel));
	return channel;
}

/* Devices may have none: this one is somebody else's. */
static inline struct vx_xrcd *xrcd_at_hand(void)
{
	static struct ibv_xrcd raw;
	struct vx_xrcd *xrcd;

	raw.context = vx_ctx_raw(ctx);
	made(vx_xrcd_borrow(ctx, &raw, &xrcd));
	return xrcd;
}

static inline struct vx_srq *srq_at_hand(void)
{
	struct vx_srq *srq;

	made(vx_srq_create(pd, NULL, &srq));
	return srq;
}

static inline struct vx_qp *qp_at_hand(void)
{
	struct vx_cq *cq = cq_at_hand();
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

/* Where it leads differs from device to device: one of somebody else, whom nobody asks. */
static inline struct vx_ah *ah_at_hand(void)
{
	static struct ibv_ah raw;
	struct vx_ah *ah;

	raw = (struct ibv_ah){ .context = vx_ctx_raw(ctx), .pd = vx_pd_raw(pd) };
	made(vx_ah_borrow(pd, &raw, &ah));
	return ah;
}

static inline struct vx_mr *mr_at_hand(void)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));
	return mr;
}

/* Devices may have none: these are somebody else's, whom nobody asks. */
static inline struct vx_dm *dm_at_hand(void)
{
	static struct ibv_dm raw;
	struct vx_dm *dm;

	raw.context = vx_ctx_raw(ctx);
	made(vx_dm_borrow(ctx, &raw, &dm));
	return dm;
}

static inline struct vx_wq *wq_at_hand(void)
{
	static struct ibv_wq raw;
	struct vx_cq *cq = cq_at_hand();
	struct vx_wq *wq;

	raw = (struct ibv_wq){ .context = vx_ctx_raw(ctx), .pd = vx_pd_raw(pd), .cq = vx_cq_raw(cq) };
	made(vx_wq_borrow(pd, &raw, &wq));
	return wq;
}

static inline struct vx_ind_table *ind_table_at_hand(void)
{
	static struct ibv_rwq_ind_table raw;
	struct vx_ind_table *table;

	raw.context = vx_ctx_raw(ctx);
	made(vx_ind_table_borrow(ctx, &raw, &table));
	return table;
}

#endif
