/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/*
 * The table of transitions against who knows better: the kernel of the device at hand. It must take what the table calls
 * enough, refuse what lacks a bit that is needed, and refuse what has a bit that is not allowed.
 */

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>
#include <infiniband/mlx5dv.h>

#include <verbsx/verbsx.h>

#include "transition.h"

static struct vx_context *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;

static void open_device(void)
{
	cr_assert_eq(vx_context_open_index(0, &ctx), 0, "%s", vx_error_text());
	cr_assert_eq(vx_pd_create(ctx, NULL, &pd), 0);
	cr_assert_eq(vx_cq_create(ctx, NULL, &cq), 0);
}

static void close_device(void)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
}

TestSuite(transitions, .init = open_device, .fini = close_device, .timeout = 120);

static bool is_roce(void)
{
	struct ibv_port_attr port;

	cr_assert_eq(vx_context_query_port(ctx, 1, &port), 0);
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* The emulated device has all types, raw packets on an Ethernet port only; soft-RoCE has those of the first devices. */
static bool has_type(unsigned int type)
{
	if (type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_UD)
		return true;
	return !strcmp(vx_context_name(ctx), "mlx5_0") && (type != IBV_QPT_RAW_PACKET || is_roce());
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
		cr_assert_eq(vx_context_query_gid(ctx, 1, 0, &own), 0);
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.dgid = own.gid;
	}
	return attr;
}

static int change(struct vx_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, uint32_t mask)
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
static struct vx_qp *made_dc(unsigned int type)
{
	struct mlx5dv_qp_init_attr dc = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr.dc_type = type == VX_QPT_DCI ? MLX5DV_DCTYPE_DCI : MLX5DV_DCTYPE_DCT,
	};
	struct ibv_qp_init_attr_ex init = VX_DEFAULT(ibv_qp_init_attr_ex);
	struct ibv_qp *raw;
	struct vx_srq *srq;
	struct vx_qp *qp;

	init.qp_type = IBV_QPT_DRIVER;
	init.pd = vx_pd_raw(pd);
	init.send_cq = init.recv_cq = vx_cq_raw(cq);
	if (type == VX_QPT_DCT) {
		cr_assert_eq(vx_srq_create(pd, NULL, &srq), 0, "%s", vx_error_text());
		init.srq = vx_srq_raw(srq);
	}
	raw = mlx5dv_create_qp(vx_context_raw(ctx), &init, &dc);
	cr_assert_not_null(raw, "%s", strerror(errno));
	cr_assert_eq(vx_qp_adopt(pd, raw, &qp), 0, "%s", vx_error_text());
	return qp;
}

static struct vx_qp *made_qp(unsigned int type)
{
	struct vx_qp_init init = { .qp_type = (enum ibv_qp_type)type };
	struct vx_xrcd *xrcd;
	struct vx_qp *qp;

	if (type == VX_QPT_DCI || type == VX_QPT_DCT)
		return made_dc(type);
	if (type == IBV_QPT_XRC_RECV) {
		cr_assert_eq(vx_xrcd_create(ctx, NULL, &xrcd), 0, "%s", vx_error_text());
		init.xrcd = xrcd;
	} else {
		init.send_cq = cq;
		init.recv_cq = type == IBV_QPT_XRC_SEND ? NULL : cq;
	}
	cr_assert_eq(vx_qp_create(pd, &init, &qp), 0, "%s", vx_error_text());
	return qp;
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

/* A QP in a state that can be asked for; NULL for the others. */
static struct vx_qp *qp_in(unsigned int type, enum ibv_qp_state state)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD };
	struct vx_qp *qp;
	size_t i;

	if (state > IBV_QPS_SQD)
		return NULL;
	qp = made_qp(type);
	for (i = 1; i < sizeof(way) / sizeof(way[0]) && way[i] <= state; i++)
		step(qp, type, way[i - 1], way[i]);
	if (state == IBV_QPS_SQD)
		wait_for_drain(qp);
	return qp;
}

static int tried(unsigned int type, const struct vx_transition *row, uint32_t mask)
{
	struct vx_qp *qp = qp_in(type, row->from);
	int rc = change(qp, row->from, row->to, mask);

	cr_expect_eq(vx_close(qp), 0);
	return rc;
}

static void expect_reason(uint32_t bit, const char *words)
{
	char name[64];

	vx_ibv_qp_attr_mask_snprint(name, sizeof(name), bit);
	cr_expect_not_null(strstr(vx_error()->reason, name), "%s is not in: %s", name, vx_error_text());
	cr_expect_not_null(strstr(vx_error()->reason, words), "\"%s\" is not in: %s", words, vx_error_text());
}

static void try_bit(unsigned int type, const struct vx_transition *row, uint32_t bit)
{
	const uint32_t enough = IBV_QP_STATE | row->required;
	int rc;

	if (row->required & bit) {
		cr_expect_eq(tried(type, row, enough & ~bit), -EINVAL, "type %d, %d -> %d without 0x%x", type, row->from,
			     row->to, bit);
		expect_reason(bit, "which attr_mask lacks");
	} else if (bit == IBV_QP_ALT_PATH && is_roce() && row->optional & bit) {
		cr_expect_eq(tried(type, row, enough | bit), -EINVAL);
		cr_expect_not_null(strstr(vx_error()->reason, "RoCE has no alternate paths"), "%s", vx_error_text());
	} else if (bit == IBV_QP_RATE_LIMIT && row->optional & bit) {
		cr_expect_eq(tried(type, row, enough | bit), -EOPNOTSUPP, "no device here can pace");
	} else if (row->optional & bit) {
		cr_expect_eq(tried(type, row, enough | bit), 0, "type %d, %d -> %d with 0x%x: %s", type, row->from, row->to, bit,
			     vx_error_text());
	} else {
		rc = tried(type, row, enough | bit);
		cr_expect(rc == -EINVAL || (rc == -EOPNOTSUPP && bit == IBV_QP_RATE_LIMIT), "type %d, %d -> %d with 0x%x: %d",
			  type, row->from, row->to, bit, rc);
		expect_reason(bit, "not allowed");
	}
}

static void try_row(unsigned int type, const struct vx_transition *row)
{
	struct vx_enumerator bit;
	size_t i;

	cr_expect_eq(tried(type, row, IBV_QP_STATE | row->required), 0, "%s", vx_error_text());
	for (i = 0; vx_ibv_qp_attr_mask_at(i, &bit); i++)
		if (bit.value != IBV_QP_STATE)
			try_bit(type, row, (uint32_t)bit.value);
}

static void try_absent(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct vx_qp *qp;

	if (vx_transition_find(type, from, to))
		return;
	qp = qp_in(type, from);
	cr_expect_eq(change(qp, from, to, IBV_QP_STATE), -EINVAL, "type %d, %d -> %d", type, from, to);
	cr_expect(strstr(vx_error()->reason, ", not to ") || strstr(vx_error()->reason, " stays in ") ||
			  strstr(vx_error()->reason, "in RESET already"), "%s", vx_error_text());
	cr_expect_eq(vx_close(qp), 0);
}

/* Whether a type gets to a state at all: a DCT ends its way in RTR. */
static bool reaches(unsigned int type, enum ibv_qp_state state)
{
	size_t i;

	for (i = 0; i < vx_transition_count; i++)
		if (vx_transitions[i].types & 1u << type && vx_transitions[i].to == state)
			return true;
	return state == IBV_QPS_RESET;
}

static void try_type(unsigned int type)
{
	enum ibv_qp_state from, to;
	size_t i;

	if (!has_type(type))
		cr_skip_test("%s has no such QPs", vx_context_name(ctx));
	for (from = IBV_QPS_RESET; from <= IBV_QPS_SQD; from++)
		for (to = IBV_QPS_RESET; to <= IBV_QPS_ERR && reaches(type, from); to++)
			try_absent(type, from, to);
	for (i = 0; i < vx_transition_count; i++)
		if (vx_transitions[i].types & 1u << type && vx_transitions[i].from <= IBV_QPS_SQD)
			try_row(type, &vx_transitions[i]);
}

Test(transitions, of_rc_are_those_of_the_kernel)
{
	try_type(IBV_QPT_RC);
}

Test(transitions, of_uc_are_those_of_the_kernel)
{
	try_type(IBV_QPT_UC);
}

Test(transitions, of_ud_are_those_of_the_kernel)
{
	try_type(IBV_QPT_UD);
}

Test(transitions, of_xrc_send_are_those_of_the_kernel)
{
	try_type(IBV_QPT_XRC_SEND);
}

Test(transitions, of_xrc_recv_are_those_of_the_kernel)
{
	try_type(IBV_QPT_XRC_RECV);
}

Test(transitions, of_raw_packet_are_those_of_the_kernel)
{
	try_type(IBV_QPT_RAW_PACKET);
}

Test(transitions, of_dci_are_those_of_the_kernel)
{
	try_type(VX_QPT_DCI);
}

Test(transitions, of_dct_are_those_of_the_kernel)
{
	try_type(VX_QPT_DCT);
}

Test(transitions, of_every_type_are_tried)
{
	const uint32_t known = 1u << IBV_QPT_RC | 1u << IBV_QPT_UC | 1u << IBV_QPT_UD | 1u << IBV_QPT_XRC_SEND |
			       1u << IBV_QPT_XRC_RECV | 1u << IBV_QPT_RAW_PACKET | 1u << VX_QPT_DCI | 1u << VX_QPT_DCT;
	uint32_t types = 0;
	size_t i;

	for (i = 0; i < vx_transition_count; i++)
		types |= vx_transitions[i].types;
	cr_expect_eq(types, known);
}

Test(transitions, of_a_vendor_type_go_by_whether_it_has_an_srq)
{
	struct ibv_qp dci = { .qp_type = IBV_QPT_DRIVER }, dct = { .qp_type = IBV_QPT_DRIVER, .srq = (struct ibv_srq *)1 };
	const struct vx_transition *row;

	row = vx_transition_find(vx_transition_type(&dci), IBV_QPS_INIT, IBV_QPS_RTR);
	cr_assert_not_null(row);
	cr_expect_eq(row->required, (uint32_t)IBV_QP_PATH_MTU);
	row = vx_transition_find(vx_transition_type(&dct), IBV_QPS_INIT, IBV_QPS_RTR);
	cr_assert_not_null(row);
	cr_expect_eq(row->required, (uint32_t)(IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER));
	cr_expect_null(vx_transition_find(vx_transition_type(&dct), IBV_QPS_RTR, IBV_QPS_RTS));
}
