/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "device.h"

#define QKEY 0x11111111
#define PSN 0x123456
#define DEPTH 8
#define SGES 2
#define INLINE 16
#define INIT_CONNECTED (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define INIT_DATAGRAM (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)

static struct vx_qp_init usual(enum ibv_qp_type type)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return (struct vx_qp_init){
		.send_cq = cq, .recv_cq = cq, .qp_type = type,
		.cap = { DEPTH, DEPTH, SGES, SGES, INLINE },
	};
}

/* A QP to be posted to the old way. */
static struct vx_qp *plain(enum ibv_qp_type type)
{
	struct vx_qp_init init = usual(type);
	struct vx_qp *qp;

	made(vx_qp_create(pd, &init, &qp));
	return qp;
}

/* A QP with the functions of ibv_wr_*(3). */
static struct vx_qp *extended(enum ibv_qp_type type)
{
	struct vx_qp_init init = usual(type);
	struct vx_qp *qp;

	init.send_ops_flags = IBV_QP_EX_WITH_SEND;
	made(vx_qp_create(pd, &init, &qp));
	cr_expect_not_null(ibv_qp_to_qp_ex(vx_qp_raw(qp)));
	return qp;
}

static struct ibv_qp_init_attr expect_state(struct vx_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init));
	cr_expect_eq(attr.qp_state, state, "state is %d, not %d", (int)attr.qp_state, (int)state);
	cr_expect_eq(vx_qp_raw(qp)->state, state);
	return init;
}

static void expect_new(struct vx_qp *qp, enum ibv_qp_type type)
{
	cr_expect_eq(vx_qp_raw(qp)->qp_type, type);
	cr_expect_eq(expect_state(qp, IBV_QPS_RESET).qp_type, type);
	closed(qp);
}

/* With attributes, upstream's QP goes as far as it can without a peer. */
static void expect_init(struct vx_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_LOCAL_WRITE };

	made(vx_qp_modify(qp, &attr, INIT_CONNECTED));
	expect_state(qp, IBV_QPS_INIT);
	closed(qp);
}

static void datagrams_to_rts(struct vx_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY, .sq_psn = PSN };

	made(vx_qp_modify(qp, &attr, INIT_DATAGRAM));
	attr.qp_state = IBV_QPS_RTR;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	expect_state(qp, IBV_QPS_RTS);
}

static void expect_keys(struct vx_qp *qp, uint32_t qkey)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(qp, &attr, IBV_QP_QKEY | IBV_QP_SQ_PSN, &init));
	cr_expect_eq(attr.qkey, qkey, "the Q_Key is 0x%x, not 0x%x", attr.qkey, qkey);
	cr_expect_eq(attr.sq_psn, PSN, "the PSN is 0x%x", attr.sq_psn);
}

#define QPTest(name) Twin(test_qp, QPTest, name)

QPTest(test_create_rc_qp_no_attr)
{
	expect_new(plain(IBV_QPT_RC), IBV_QPT_RC);
}

QPTest(test_create_uc_qp_no_attr)
{
	expect_new(plain(IBV_QPT_UC), IBV_QPT_UC);
}

QPTest(test_create_ud_qp_no_attr)
{
	expect_new(plain(IBV_QPT_UD), IBV_QPT_UD);
}

QPTest(test_create_rc_qp_ex_no_attr)
{
	expect_new(extended(IBV_QPT_RC), IBV_QPT_RC);
}

QPTest(test_create_uc_qp_ex_no_attr)
{
	expect_new(extended(IBV_QPT_UC), IBV_QPT_UC);
}

QPTest(test_create_ud_qp_ex_no_attr)
{
	expect_new(extended(IBV_QPT_UD), IBV_QPT_UD);
}

static void raw_to_rts(struct vx_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	made(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PORT));
	attr.qp_state = IBV_QPS_RTR;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	expect_state(qp, IBV_QPS_RTS);
}

QPTest(test_create_raw_qp_no_attr)
{
	need_ethernet();
	expect_new(plain(IBV_QPT_RAW_PACKET), IBV_QPT_RAW_PACKET);
}

QPTest(test_create_raw_qp_with_attr)
{
	need_ethernet();
	raw_to_rts(plain(IBV_QPT_RAW_PACKET));
}

QPTest(test_create_raw_qp_ex_no_attr)
{
	need_ethernet();
	expect_new(extended(IBV_QPT_RAW_PACKET), IBV_QPT_RAW_PACKET);
}

QPTest(test_create_raw_qp_ex_with_attr)
{
	need_ethernet();
	raw_to_rts(extended(IBV_QPT_RAW_PACKET));
}

QPTest(test_create_rc_qp_with_attr)
{
	expect_init(plain(IBV_QPT_RC));
}

QPTest(test_create_uc_qp_with_attr)
{
	expect_init(plain(IBV_QPT_UC));
}

QPTest(test_create_ud_qp_with_attr)
{
	datagrams_to_rts(plain(IBV_QPT_UD));
}

QPTest(test_create_rc_qp_ex_with_attr)
{
	expect_init(extended(IBV_QPT_RC));
}

QPTest(test_create_uc_qp_ex_with_attr)
{
	expect_init(extended(IBV_QPT_UC));
}

QPTest(test_create_ud_qp_ex_with_attr)
{
	datagrams_to_rts(extended(IBV_QPT_UD));
}

static void expect_caps(struct vx_qp *qp)
{
	struct ibv_qp_cap cap = expect_state(qp, IBV_QPS_RESET).cap;

	cr_expect_geq(cap.max_send_wr, DEPTH);
	cr_expect_geq(cap.max_recv_wr, DEPTH);
	cr_expect_geq(cap.max_send_sge, SGES);
	cr_expect_geq(cap.max_recv_sge, SGES);
	cr_expect_geq(cap.max_inline_data, INLINE);
}

static void expect_queried(enum ibv_qp_type type)
{
	expect_caps(plain(type));
	expect_caps(extended(type));
}

QPTest(test_query_rc_qp)
{
	expect_queried(IBV_QPT_RC);
}

QPTest(test_query_uc_qp)
{
	expect_queried(IBV_QPT_UC);
}

QPTest(test_query_ud_qp)
{
	expect_queried(IBV_QPT_UD);
}

QPTest(test_query_raw_qp)
{
	need_ethernet();
	expect_queried(IBV_QPT_RAW_PACKET);
}

QPTest(test_query_data_in_order)
{
	struct vx_qp *qp = plain(IBV_QPT_UD);
	int in_order = -1;

	datagrams_to_rts(qp);
	made(vx_qp_query_data_in_order(qp, IBV_WR_SEND, 0, &in_order));
	cr_expect(in_order == 0 || in_order == 1, "%d", in_order);
}

static void expect_modified(struct vx_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET, .qkey = 2 * QKEY };

	datagrams_to_rts(qp);
	expect_keys(qp, QKEY);
	made(vx_qp_modify(qp, &attr, IBV_QP_QKEY));
	expect_state(qp, IBV_QPS_RTS);
	expect_keys(qp, 2 * QKEY);
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	expect_state(qp, IBV_QPS_RESET);
	datagrams_to_rts(qp);
}

QPTest(test_modify_ud_qp)
{
	expect_modified(plain(IBV_QPT_UD));
	expect_modified(extended(IBV_QPT_UD));
}

/* Also where there are no raw QPs at all, the capability beyond the limit of the device is told. */
static void expect_refused_raw(struct vx_qp_init init)
{
	struct vx_qp *qp;

	init.qp_type = IBV_QPT_RAW_PACKET;
	init.send_ops_flags = IBV_QP_EX_WITH_SEND;
	refused(vx_qp_create(pd, &init, &qp));
}

QPTest(test_create_raw_qp_ex_with_illegal_caps_max_send_wr)
{
	struct vx_qp_init init = usual(IBV_QPT_RAW_PACKET);

	init.cap.max_send_wr = (uint32_t)limits.max_qp_wr + 1;
	expect_refused_raw(init);
	cr_expect_not_null(strstr(vx_error_text(), "max_send_wr"), "%s", vx_error_text());
}

QPTest(test_create_raw_qp_ex_with_illegal_caps_max_recv_wr)
{
	struct vx_qp_init init = usual(IBV_QPT_RAW_PACKET);

	init.cap.max_recv_wr = (uint32_t)limits.max_qp_wr + 1;
	expect_refused_raw(init);
	cr_expect_not_null(strstr(vx_error_text(), "max_recv_wr"), "%s", vx_error_text());
}

QPTest(test_create_raw_qp_ex_with_illegal_caps_max_send_sge)
{
	struct vx_qp_init init = usual(IBV_QPT_RAW_PACKET);

	init.cap.max_send_sge = (uint32_t)limits.max_sge + 1;
	expect_refused_raw(init);
	cr_expect_not_null(strstr(vx_error_text(), "max_send_sge"), "%s", vx_error_text());
}

QPTest(test_create_raw_qp_ex_with_illegal_caps_max_recv_sge)
{
	struct vx_qp_init init = usual(IBV_QPT_RAW_PACKET);

	init.cap.max_recv_sge = (uint32_t)limits.max_sge + 1;
	expect_refused_raw(init);
	cr_expect_not_null(strstr(vx_error_text(), "max_recv_sge"), "%s", vx_error_text());
}
