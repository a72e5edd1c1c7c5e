/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* QPs of all types, brought to any state. */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>
#include <infiniband/mlx5dv.h>

#include <verbsx/verbsx.h>

#include "reason/reason.h"
#include "unit/reason/transitions_qp.h"

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;

void open_device(void)
{
	cr_assert_eq(vx_ctx_open_index(0, &ctx), 0, "%s", vx_error_text());
	cr_assert_eq(vx_pd_create(ctx, NULL, &pd), 0);
	cr_assert_eq(vx_cq_create(ctx, NULL, &cq), 0);
}

void close_device(void)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
}

bool is_roce(void)
{
	struct ibv_port_attr port;

	cr_assert_eq(vx_ctx_query_port(ctx, 1, &port), 0);
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

const char *device_name(void)
{
	return vx_ctx_name(ctx);
}

bool is_emulated(void)
{
	return !strcmp(device_name(), "mlx5_0");
}

static struct ibv_qp_attr attr_for(enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct ibv_gid_entry own;

	attr.qp_state = to;
	attr.cur_qp_state = from;
	attr.dest_qp_num = 0x105;
	attr.ah_attr.dlid = 7;
	attr.ah_attr.port_num = 1;
	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = 1;
	if (is_roce()) {
		cr_assert_eq(vx_ctx_query_gid(ctx, 1, 0, &own), 0);
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.dgid = own.gid;
	}
	return attr;
}

int change(struct vx_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, uint32_t mask)
{
	struct ibv_qp_attr attr = attr_for(from, to);

	return vx_qp_modify(qp, &attr, (int)mask);
}

static void step(struct vx_qp *qp, unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const struct vx_transition *row = vx_transition_find(type, from, to);

	cr_assert_eq(change(qp, from, to, IBV_QP_STATE | row->required), 0, "%s", vx_error_text());
}

/* What libibverbs knows as IBV_QPT_DRIVER is made by mlx5's own call; a DCT has an SRQ, which goes with it. */
static int make_dc(unsigned int type, struct vx_qp **out)
{
	struct mlx5dv_qp_init_attr dc = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr.dc_type = type == VX_QPT_DCI ? MLX5DV_DCTYPE_DCI : MLX5DV_DCTYPE_DCT,
	};
	struct ibv_qp_init_attr_ex init = VX_DEFAULT(ibv_qp_init_attr_ex);
	struct vx_srq *srq;
	struct ibv_qp *raw;

	init.qp_type = IBV_QPT_DRIVER;
	init.pd = vx_pd_raw(pd);
	init.send_cq = init.recv_cq = vx_cq_raw(cq);
	if (type == VX_QPT_DCT) {
		cr_assert_eq(vx_srq_create(pd, NULL, &srq), 0, "%s", vx_error_text());
		init.srq = vx_srq_raw(srq);
	}
	raw = mlx5dv_create_qp(vx_ctx_raw(ctx), &init, &dc);
	return raw ? vx_qp_adopt(pd, raw, out) : -errno;
}

int make_qp(unsigned int type, struct vx_qp **out)
{
	struct vx_qp_init init = { .qp_type = (enum ibv_qp_type)type };
	struct vx_xrcd *xrcd;
	int rc;

	if (type == VX_QPT_DCI || type == VX_QPT_DCT)
		return make_dc(type, out);
	if (type == IBV_QPT_XRC_RECV) {
		rc = vx_xrcd_create(ctx, NULL, &xrcd);
		if (rc < 0)
			return rc;
		init.xrcd = xrcd;
	} else {
		init.send_cq = cq;
		init.recv_cq = type == IBV_QPT_XRC_SEND ? NULL : cq;
	}
	return vx_qp_create(pd, &init, out);
}

/* Soft-RoCE refuses every change of a QP in SQD until its send queue has drained, and tells. */
static void wait_for_drain(const struct vx_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	do
		cr_assert_eq(ibv_query_qp(vx_qp_raw(qp), &attr, IBV_QP_STATE, &init), 0);
	while (attr.sq_draining);
}

enum ibv_qp_state state_of(const struct vx_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	cr_assert_eq(ibv_query_qp(vx_qp_raw(qp), &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

void let_fail(const char *list)
{
	((void (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_fail"))(list);
}

/* The send queue of an unreliable service stops when one of its requests fails. */
static void fail_a_send(struct vx_qp *qp)
{
	struct ibv_qp_attr attr = attr_for(IBV_QPS_RTS, IBV_QPS_RTS);
	struct ibv_ah *ah = ibv_create_ah(vx_pd_raw(pd), &attr.ah_attr);
	char frame[64] = "", list[64];
	struct ibv_sge sge = { .addr = (uintptr_t)frame, .length = sizeof(frame) };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	snprintf(list, sizeof(list), "LOC_QP_OP_ERR:%u", vx_qp_raw(qp)->qp_num);
	let_fail(list);
	cr_assert_not_null(ah);
	wr.wr.ud.ah = ah;
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &wr, &bad), 0);
	while (state_of(qp) != IBV_QPS_SQE)
		;
	cr_assert_eq(ibv_destroy_ah(ah), 0);
}

struct vx_qp *qp_in(unsigned int type, enum ibv_qp_state state)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD };
	const enum ibv_qp_state last = state == IBV_QPS_ERR ? IBV_QPS_INIT : state == IBV_QPS_SQE ? IBV_QPS_RTS : state;
	struct vx_qp *qp;
	size_t i;

	cr_assert_eq(make_qp(type, &qp), 0, "%s", vx_error_text());
	for (i = 1; i < sizeof(way) / sizeof(way[0]) && way[i] <= last; i++)
		step(qp, type, way[i - 1], way[i]);
	if (state == IBV_QPS_SQD)
		wait_for_drain(qp);
	else if (state == IBV_QPS_SQE)
		fail_a_send(qp);
	else if (state == IBV_QPS_ERR)
		step(qp, type, last, state);
	return qp;
}
