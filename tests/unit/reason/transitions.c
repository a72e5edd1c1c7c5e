/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * The table of transitions against who knows better: the kernel of the device at hand. It must take what the table calls
 * enough, refuse what lacks a bit that is needed, and refuse what has a bit that is not allowed.
 */

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#include "reason/reason_tables.h"
#include "reason/reason.h"
#include "unit/reason/transitions_qp.h"

TestSuite(transitions, .init = open_device, .fini = close_device, .timeout = 120);

#define TYPE(name) (1u << (name))

/* Which types cannot be made: raw packets take an Ethernet port, and soft-RoCE has the types of the first devices. */
static uint32_t types_lacking(void)
{
	if (is_emulated())
		return is_roce() ? 0 : TYPE(IBV_QPT_RAW_PACKET);
	return TYPE(IBV_QPT_XRC_SEND) | TYPE(IBV_QPT_XRC_RECV) | TYPE(IBV_QPT_RAW_PACKET) | TYPE(VX_QPT_DCI) | TYPE(VX_QPT_DCT);
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
	cr_expect_not_null(strstr(vx_error_text(), name), "%s is not in: %s", name, vx_error_text());
	cr_expect_not_null(strstr(vx_error_text(), words), "\"%s\" is not in: %s", words, vx_error_text());
}

/* A bit beside those that are enough. */
static void try_bit(unsigned int type, const struct vx_transition *row, uint32_t enough, uint32_t bit)
{
	const bool allowed = (row->optional | vx_transition_ignored(type)) & bit;
	int rc = tried(type, row, enough | bit);

	if (allowed && bit == IBV_QP_ALT_PATH && is_roce()) {
		cr_expect_eq(rc, -EINVAL);
		cr_expect_not_null(strstr(vx_error_text(), "RoCE has no alternate paths"), "%s", vx_error_text());
	} else if (allowed && bit == IBV_QP_RATE_LIMIT) {
		cr_expect_eq(rc, -EOPNOTSUPP, "no device here can pace");
	} else if (allowed) {
		cr_expect_eq(rc, 0, "type %d, %d -> %d with 0x%x: %s", type, row->from, row->to, bit, vx_error_text());
	} else {
		cr_expect(rc == -EINVAL || (rc == -EOPNOTSUPP && bit == IBV_QP_RATE_LIMIT), "type %d, %d -> %d with 0x%x: %d",
			  type, row->from, row->to, bit, rc);
		expect_reason(bit, "not allowed");
	}
}

static void try_without(unsigned int type, const struct vx_transition *row, uint32_t mask, uint32_t bit)
{
	cr_expect_eq(tried(type, row, mask), -EINVAL, "type %d, %d -> %d without 0x%x", type, row->from, row->to, bit);
	if (mask)
		expect_reason(bit, "which attr_mask lacks");
	else
		cr_expect_not_null(strstr(vx_error_text(), "attr_mask is 0: nothing is to change"), "%s", vx_error_text());
}

/* Each bit that there is, left out where it is needed, else beside what is enough. */
static void try_bits(unsigned int type, const struct vx_transition *row, uint32_t enough)
{
	struct vx_enumerator bit;
	size_t i;

	for (i = 0; vx_ibv_qp_attr_mask_at(i, &bit); i++)
		if (bit.value == IBV_QP_STATE)
			continue;
		else if (row->required & (uint32_t)bit.value)
			try_without(type, row, enough & ~(uint32_t)bit.value, (uint32_t)bit.value);
		else
			try_bit(type, row, enough, (uint32_t)bit.value);
}

static void try_row(unsigned int type, const struct vx_transition *row)
{
	const uint32_t enough = IBV_QP_STATE | row->required;

	cr_expect_eq(tried(type, row, enough), 0, "type %d, %d -> %d: %s", type, row->from, row->to, vx_error_text());
	try_bits(type, row, enough);
	if (row->from != row->to)
		return;
	/* A state that stays is implied where IBV_QP_STATE is not needed. */
	if (row->required & IBV_QP_STATE)
		try_without(type, row, row->optional, IBV_QP_STATE);
	else
		try_bits(type, row, 0);
}

static void try_absent(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct vx_qp *qp = qp_in(type, from);

	cr_expect_eq(change(qp, from, to, IBV_QP_STATE), -EINVAL, "type %d, %d -> %d", type, from, to);
	cr_expect(strstr(vx_error_text(), ", not to ") || strstr(vx_error_text(), " stays in "), "%s", vx_error_text());
	cr_expect_eq(vx_close(qp), 0);
}

static void try_pair(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const struct vx_transition *row = vx_transition_find(type, from, to);
	struct vx_transition own;

	if (!row) {
		try_absent(type, from, to);
		return;
	}
	own = *row; /* RESET and ERR have one row for all that lead there */
	own.from = from;
	own.to = to;
	try_row(type, &own);
}

/* Whether a QP gets to a state: a DCT ends its way in RTR, and soft-RoCE has no SQE, from which only unreliable types go on. */
static bool reaches(unsigned int type, enum ibv_qp_state state)
{
	size_t i;

	if (state == IBV_QPS_RESET || state == IBV_QPS_ERR)
		return state == IBV_QPS_RESET || vx_transition_find(type, IBV_QPS_INIT, state);
	if (state == IBV_QPS_SQE)
		return is_emulated() && vx_transition_find(type, state, IBV_QPS_RTS);
	for (i = 0; i < vx_transition_count; i++)
		if (vx_transitions[i].types & TYPE(type) && vx_transitions[i].to == state)
			return true;
	return false;
}

static void skip_lacking(unsigned int type)
{
	struct vx_qp *qp;

	if (!(types_lacking() & TYPE(type)))
		return;
	cr_assert_lt(make_qp(type, &qp), 0, "%s has %s after all", device_name(), vx_transition_type_name(type));
	cr_skip_test("%s has no such QPs", device_name());
}

static void try_type(unsigned int type)
{
	enum ibv_qp_state from, to;

	skip_lacking(type);
	for (from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
		for (to = IBV_QPS_RESET; to <= IBV_QPS_ERR && reaches(type, from); to++)
			if (from != IBV_QPS_RESET || to != IBV_QPS_RESET || type == VX_QPT_DCT)
				try_pair(type, from, to);
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
	const uint32_t known = TYPE(IBV_QPT_RC) | TYPE(IBV_QPT_UC) | TYPE(IBV_QPT_UD) | TYPE(IBV_QPT_XRC_SEND) |
			       TYPE(IBV_QPT_XRC_RECV) | TYPE(IBV_QPT_RAW_PACKET) | TYPE(VX_QPT_DCI) | TYPE(VX_QPT_DCT) |
			       TYPE(VX_QPT_WQ);
	uint32_t types = 0;
	size_t i;

	for (i = 0; i < vx_transition_count; i++)
		types |= vx_transitions[i].types;
	cr_expect_eq(types, known);
}

Test(transitions, from_reset_to_reset_take_no_attribute)
{
	const struct vx_transition same = { .from = IBV_QPS_RESET, .to = IBV_QPS_RESET };

	cr_expect_eq(tried(IBV_QPT_RC, &same, IBV_QP_STATE), 0, "%s", vx_error_text());
	cr_expect_eq(tried(IBV_QPT_RC, &same, IBV_QP_STATE | IBV_QP_PORT), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "IBV_QP_PORT is not allowed for RC here"), "%s", vx_error_text());
	cr_expect_eq(tried(IBV_QPT_RC, &same, IBV_QP_PORT), -EINVAL);
	expect_reason(IBV_QP_STATE, "attr_mask lacks");
}

/* Soft-RoCE believes a state that could be, such as SQD: a request must contradict itself there. */
Test(transitions, from_another_state_than_the_current_one_are_refused)
{
	struct vx_qp *qp = qp_in(IBV_QPT_UD, IBV_QPS_RTS);

	cr_expect_eq(change(qp, IBV_QPS_INIT, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_CUR_STATE), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "cur_qp_state = INIT, but the QP is in RTS"), "%s", vx_error_text());
	cr_expect_eq(state_of(qp), IBV_QPS_RTS);
}

Test(transitions, of_a_vendor_type_go_by_whether_it_has_an_srq)
{
	skip_lacking(VX_QPT_DCI);
	cr_expect_eq(vx_transition_type(vx_qp_raw(qp_in(VX_QPT_DCI, IBV_QPS_RESET))), VX_QPT_DCI);
	cr_expect_eq(vx_transition_type(vx_qp_raw(qp_in(VX_QPT_DCT, IBV_QPS_RESET))), VX_QPT_DCT);
}

static int poll_nothing(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	(void)cq;
	(void)count;
	(void)wc;
	return 0;
}

static const char *said_of(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to, int attr_mask)
{
	static char text[256];
	struct vx_failure failure = { .code = -EINVAL };

	failure.out = vx_out_in(text, sizeof(text));
	vx_reason_of_transition(&failure, type, from, to, attr_mask);
	vx_out_finish(&failure.out);
	return text;
}

/* As an SRD QP of EFA is, which takes a Q_Key. */
Test(transitions, of_a_vendor_type_of_another_provider_are_not_known)
{
	struct ibv_context context = { .ops.poll_cq = poll_nothing };
	struct ibv_qp srd = { .context = &context, .qp_type = IBV_QPT_DRIVER };

	cr_expect_eq(vx_transition_type(&srd), 0u);
	cr_expect_str_eq(said_of(vx_transition_type(&srd), IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_QKEY), "");
}

Test(transitions, are_not_refused_for_an_attribute_that_may_be_there)
{
	const int optional = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER;

	cr_expect_str_eq(said_of(IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_RTS, optional), "");
	cr_expect_str_eq(said_of(IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_RTS, optional | IBV_QP_QKEY), "IBV_QP_QKEY is not allowed for RC here");
}
