/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values in what objects are made with and changed by: bits of masks, what packets have no room for, and the zero that is meant. */

#include <errno.h>
#include <fcntl.h>

#include "unit/device.h"

TestSuite(kind_values, .init = open_device, .fini = close_device);

/* ---- bits ---- */

/* A bit that has no field goes along as it is, where somebody knows it; one that has a handle needs that handle. */
Test(kind_values, with_a_mask_of_the_callers_own)
{
	struct vx_cq_init zero_flags = { .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS };
	struct vx_cq_init no_domain = { .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
	struct vx_parent_domain_init no_field = { .comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT << 1 };
	struct vx_pd *domain;
	struct vx_cq *cq;

	made(vx_cq_create(ctx, &zero_flags, &cq));
	cr_expect_eq(vx_cq_create(ctx, &no_domain, &cq), -EINVAL);
	expect_reason("parent_domain is NULL, though comp_mask has IBV_CQ_INIT_ATTR_MASK_PD");
	cr_expect_lt(vx_parent_domain_create(pd, &no_field, &domain), 0);
	expect_reason("IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC of comp_mask needs rdma-core 64");
	cr_expect_eq(live("cq"), 1);
}

Test(kind_values, flags_that_rdma_core_would_ignore_are_refused)
{
	struct vx_xrcd *xrcd;

	cr_expect_eq(vx_xrcd_create(ctx, &(struct vx_xrcd_init){ .oflags = O_CREAT | O_TRUNC }, &xrcd), -EINVAL);
	expect_reason("vx_xrcd_create: Invalid argument: oflags has 0x200, which has no meaning there");
	made(vx_xrcd_create(ctx, &(struct vx_xrcd_init){ .oflags = O_CREAT | O_EXCL }, &xrcd));
}

Test(kind_values, a_change_by_bits_that_nobody_knows_is_refused)
{
	struct vx_srq *srq;

	made(vx_srq_create(pd, NULL, &srq));
	cr_expect_eq(vx_srq_modify(srq, &(struct ibv_srq_attr){ .srq_limit = 1 }, IBV_SRQ_LIMIT | 1 << 20), -EINVAL);
	expect_reason("vx_srq_modify: Invalid argument: srq_attr_mask has 0x100000, which is none of enum ibv_srq_attr_mask");
	made(vx_srq_modify(srq, &(struct ibv_srq_attr){ .srq_limit = 1 }, IBV_SRQ_LIMIT));
}

/* ---- what packets have no bits for ---- */

Test(kind_values, what_a_packet_has_no_bits_for_is_refused_instead_of_cut)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .timeout = 99, .sq_psn = 1u << 24 };
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_ah *ah;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_256, .ah_attr = { .dlid = 1, .port_num = 1 },
				     .min_rnr_timer = 32 };
	cr_expect_eq(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
						     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), -EINVAL);
	expect_reason("INIT -> RTR: Invalid argument: min_rnr_timer = 32, but the most is 31");
	cr_expect_eq(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7, .sl = 16 }, &ah), -EINVAL);
	expect_reason("vx_ah_create: Invalid argument: sl = 16, but the most is 15");
}

Test(kind_values, what_no_packet_and_no_queue_has_is_refused)
{
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_ah *ah;
	struct vx_xrcd *xrcd;

	cr_expect_eq(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7, .src_path_bits = 128 }, &ah), -EINVAL);
	expect_reason("src_path_bits = 128, but the most is 127");
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_xrcd_create(ctx, NULL, &xrcd));
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = cq, .recv_cq = cq }, &qp), -EINVAL);
	expect_reason("vx_qp_create: Invalid argument: recv_cq is given, but IBV_QPT_XRC_SEND receives nothing");
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = cq, .cap.max_recv_wr = 5 }, &qp), -EINVAL);
	expect_reason("cap.max_recv_wr is given, but IBV_QPT_XRC_SEND");
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd, .cap.max_recv_wr = 5 }, &qp), -EINVAL);
	expect_reason("cap.max_recv_wr is given, but IBV_QPT_XRC_RECV");
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd, .cap.max_send_wr = 5 }, &qp), -EINVAL);
	expect_reason("cap.max_send_wr is given, but IBV_QPT_XRC_RECV has no send queue");
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = cq, .cap.max_recv_wr = VX_NONE }, &qp));
}

/* Whoever looks for the call in a trace or in the kernel's log would not find it. */
Test(kind_values, what_was_refused_before_the_call_names_the_function)
{
	const struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .timeout = 32 };
	struct ibv_port_attr port;
	struct vx_cq *cq;
	struct vx_qp *qp;
	uint16_t pkey;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_eq(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_qp_modify");
	cr_expect_eq(vx_qp_modify(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS }, IBV_QP_STATE), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "ibv_modify_qp");
	cr_expect_eq(vx_ctx_query_port(ctx, 300, &port), -EINVAL);
	expect_reason("vx_ctx_query_port on mlx5_0: Invalid argument: port_num = 300, but");
	cr_expect_eq(vx_ctx_query_pkey(ctx, 300, 0, &pkey), -EINVAL);
	expect_reason("vx_ctx_query_pkey on mlx5_0: Invalid argument: port_num = 300, but");
	cr_expect_eq(vx_cq_resize(cq, 0x80000000u), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_cq_resize");
}

/* ---- VX_NONE ---- */

Test(kind_values, a_zero_that_is_meant_has_a_name)
{
	struct ibv_qp_init_attr made_with;
	struct ibv_qp_attr attr;
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq,
						    .cap = { .max_recv_wr = VX_NONE, .max_recv_sge = VX_NONE } }, &qp));
	made(vx_qp_query(qp, &attr, IBV_QP_CAP, &made_with));
	cr_expect_eq(made_with.cap.max_recv_wr, 0);
	cr_expect_geq(made_with.cap.max_send_wr, 128, "the default");
}

/* Then libmlx5 has -4 bytes of room for inline data, which the kernel does not look at. */
Test(kind_values, a_qp_may_have_no_sge_to_send_from)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_send_sge = VX_NONE }, &qp));
}

Test(kind_values, a_cq_beyond_an_int_is_told_as_it_was_asked_for)
{
	struct vx_cq *cq;

	cr_expect_eq(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 0x80000001u }, &cq), -EINVAL);
	expect_reason("vx_cq_create: Invalid argument: cqe is 0x80000001, and the most that a CQ may have is 0x7fffffff");
	cr_expect_eq(vx_cq_create(ctx, &(struct vx_cq_init){ .comp_vector = 0x80000001u }, &cq), -EINVAL);
	expect_reason("comp_vector is 0x80000001, which no device has");
}

Test(kind_values, where_zero_means_nothing_it_is_refused)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	cr_expect_eq(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = VX_NONE }, &cq), -EINVAL);
	expect_reason("vx_cq_create: Invalid argument: cqe is VX_NONE (0x80000000), which has no meaning there");
	made(vx_cq_create(ctx, NULL, &cq));
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .source_qpn = VX_NONE }, &qp), -EINVAL);
	expect_reason("source_qpn is VX_NONE (0x80000000), which has no meaning there");
}

/* A field of one bit that is signed, or a number that is not 0. */
Test(kind_values, a_truth_value_may_be_all_bits)
{
	struct ibv_qp_init_attr made_with;
	struct ibv_qp_attr attr;
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .sq_sig_all = -1 }, &qp));
	made(vx_qp_query(qp, &attr, IBV_QP_CAP, &made_with));
	cr_expect_neq(made_with.sq_sig_all, 0);
}

/* What a call gave that failed, or what was not set. */
Test(kind_values, a_failed_int_is_no_zero_that_is_meant)
{
	const uint32_t failed = (uint32_t)-1;
	struct vx_srq *srq;
	struct vx_cq *cq;
	struct vx_qp *qp;

	cr_expect_eq(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = failed }, &cq), -EINVAL);
	expect_reason("vx_cq_create: Invalid argument: cqe is 0xffffffff, and the most that a CQ may have is 0x7fffffff");
	cr_expect_eq(vx_cq_create(ctx, &(struct vx_cq_init){ .comp_vector = failed }, &cq), -EINVAL);
	expect_reason("comp_vector is 0xffffffff, which no device has");
	made(vx_cq_create(ctx, NULL, &cq));
	cr_expect_lt(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_send_wr = failed }, &qp), 0);
	expect_reason("cap.max_send_wr = 4294967295, but the device allows max_qp_wr = ");
	cr_expect_lt(vx_srq_create(pd, &(struct vx_srq_init){ .attr.max_sge = failed }, &srq), 0);
	expect_reason("attr.max_sge = 4294967295, but the device allows max_srq_sge = ");
}
