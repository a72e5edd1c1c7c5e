/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/*
 * The table of transitions against who knows better: the kernel of the device at hand. It must take what the table calls
 * enough, refuse what lacks a bit that is needed, and refuse what has a bit that is not allowed.
 */

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

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

static struct ibv_qp_attr attr_for(enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct ibv_gid_entry own;

	attr.qp_state = to;
	attr.cur_qp_state = from;
	attr.dest_qp_num = 0x105;
	attr.ah_attr.dlid = 7;
	attr.ah_attr.port_num = 1;
	if (is_roce()) {
		cr_assert_eq(vx_context_query_gid(ctx, 1, 0, &own), 0);
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.dgid = own.gid;
	}
	return attr;
}

/* Beside what is needed some attributes make sense only with others, which no mask tells. */
#define NOT_TRIED (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

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

static struct vx_qp *made_qp(enum ibv_qp_type type)
{
	struct vx_qp_init init = { .qp_type = type };
	struct vx_xrcd *xrcd;
	struct vx_qp *qp;

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

/* A QP in a state that can be asked for; NULL for the others. */
static struct vx_qp *qp_in(enum ibv_qp_type type, enum ibv_qp_state state)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD };
	struct vx_qp *qp;
	size_t i;

	if (state > IBV_QPS_SQD)
		return NULL;
	qp = made_qp(type);
	for (i = 1; i < sizeof(way) / sizeof(way[0]) && way[i] <= state; i++)
		step(qp, type, way[i - 1], way[i]);
	return qp;
}

static int tried(enum ibv_qp_type type, const struct vx_transition *row, uint32_t mask)
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

static void try_bit(enum ibv_qp_type type, const struct vx_transition *row, uint32_t bit)
{
	const uint32_t enough = IBV_QP_STATE | row->required;

	if (row->required & bit) {
		cr_expect_eq(tried(type, row, enough & ~bit), -EINVAL, "type %d, %d -> %d without 0x%x", type, row->from,
			     row->to, bit);
		expect_reason(bit, "which attr_mask lacks");
	} else if (row->optional & bit) {
		cr_expect_eq(tried(type, row, enough | bit), 0, "0x%x: %s", bit, vx_error_text());
	} else {
		cr_expect_eq(tried(type, row, enough | bit), -EINVAL, "type %d, %d -> %d with 0x%x", type, row->from,
			     row->to, bit);
		expect_reason(bit, "not allowed");
	}
}

static void try_row(enum ibv_qp_type type, const struct vx_transition *row)
{
	uint32_t bit;

	cr_expect_eq(tried(type, row, IBV_QP_STATE | row->required), 0, "%s", vx_error_text());
	for (bit = IBV_QP_CUR_STATE; bit <= IBV_QP_DEST_QPN; bit <<= 1)
		if (!(bit & NOT_TRIED) && bit != IBV_QP_CAP)
			try_bit(type, row, bit);
}

static void try_type(enum ibv_qp_type type)
{
	size_t i;

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

/* Soft-RoCE has neither XRC nor raw packets; the emulated device has both, the latter on an Ethernet port only. */
static bool has_type(enum ibv_qp_type type)
{
	struct ibv_device_attr_ex device;

	cr_assert_eq(vx_context_query_device_ex(ctx, &device), 0, "%s", vx_error_text());
	return device.orig_attr.device_cap_flags & IBV_DEVICE_XRC && (type != IBV_QPT_RAW_PACKET || is_roce());
}

Test(transitions, of_xrc_send_are_those_of_the_kernel)
{
	if (has_type(IBV_QPT_XRC_SEND))
		try_type(IBV_QPT_XRC_SEND);
}

Test(transitions, of_xrc_recv_are_those_of_the_kernel)
{
	if (has_type(IBV_QPT_XRC_RECV))
		try_type(IBV_QPT_XRC_RECV);
}

Test(transitions, of_raw_packet_are_those_of_the_kernel)
{
	if (has_type(IBV_QPT_RAW_PACKET))
		try_type(IBV_QPT_RAW_PACKET);
}

static void try_absent(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct vx_qp *qp;

	if (vx_transition_find(type, from, to))
		return;
	qp = qp_in(type, from);
	cr_expect_eq(change(qp, from, to, IBV_QP_STATE), -EINVAL, "type %d, %d -> %d", type, from, to);
	cr_expect_not_null(strstr(vx_error()->reason, ", not to "), "%s", vx_error_text());
	cr_expect_eq(vx_close(qp), 0);
}

Test(transitions, that_the_table_lacks_are_refused)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	enum ibv_qp_state from, to;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (from = IBV_QPS_RESET; from <= IBV_QPS_SQD; from++)
			for (to = IBV_QPS_RESET; to <= IBV_QPS_SQD; to++)
				try_absent(types[i], from, to);
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
