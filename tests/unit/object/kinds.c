/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Each kind that the emulated device has: with all defaults, with every field, and refused. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/device.h"

TestSuite(kind, .init = open_device, .fini = close_device);

static const char *name_of(const void *object)
{
	static char name[64];

	vx_object_name(name, sizeof(name), object);
	return name;
}

Test(kind, pd_has_a_raw_one_a_kind_and_a_name)
{
	const struct vx_object *object = (const struct vx_object *)pd;
	char expected[32];

	cr_expect_eq(vx_pd_raw(pd)->context, vx_ctx_raw(ctx));
	cr_expect_eq(object->raw, vx_pd_raw(pd));
	cr_expect_eq(object->front, object->raw);
	cr_expect_eq(vx_object_kind_of(pd), VX_OBJECT_PD);
	snprintf(expected, sizeof(expected), "mlx5_0 pd %u", vx_pd_raw(pd)->handle);
	cr_expect_str_eq(name_of(pd), expected);
}

Test(kind, td_and_parent_domain_by_default)
{
	struct vx_td *td;
	struct vx_pd *domain;

	made(vx_td_create(ctx, NULL, &td));
	cr_expect_str_eq(name_of(td), "mlx5_0 td #1");
	made(vx_parent_domain_create(pd, NULL, &domain));
	cr_expect_neq(vx_pd_raw(domain), vx_pd_raw(pd));
	cr_expect_eq(vx_object_kind_of(domain), VX_OBJECT_PARENT_DOMAIN);
}

Test(kind, opened_qp_that_the_provider_cannot_close_is_refused)
{
	struct vx_xrcd *xrcd;
	struct vx_qp *qp;

	made(vx_xrcd_create(ctx, NULL, &xrcd));
	cr_expect_eq(vx_opened_qp_create(ctx, &(struct vx_opened_qp_init){ .xrcd = xrcd, .qp_num = 1 }, &qp), -EOPNOTSUPP);
	expect_reason("libmlx5 crashes");
}

static int allocations;

static void *allocate(struct ibv_pd *raw, void *context, size_t size, size_t alignment, uint64_t type)
{
	(void)raw, (void)type;
	allocations++;
	*(int *)context += 1;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(struct ibv_pd *raw, void *context, void *memory, uint64_t type)
{
	(void)raw, (void)context, (void)type;
	allocations--;
	free(memory);
}

Test(kind, parent_domain_with_every_field_serves_a_cq_and_a_qp)
{
	int asked = 0;
	struct vx_td *td;
	struct vx_pd *domain;
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_td_create(ctx, NULL, &td));
	made(vx_parent_domain_create(pd, &(struct vx_parent_domain_init){ .td = td, .alloc = allocate, .free = release,
									   .pd_context = &asked }, &domain));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .parent_domain = domain }, &cq));
	made(vx_qp_create(domain, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_gt(asked, 1);
	cr_expect_eq(vx_close(td), 0, "%s", vx_error_text());
	cr_expect_eq(allocations, 0, "the QP, the CQ and the domain went first");
	cr_expect_eq(live("qp") + live("cq"), 0);
	cr_expect_eq(live("pd"), 1);
}

Test(kind, mw_is_of_type_1_by_default)
{
	struct vx_mw *first, *second;

	made(vx_mw_create(pd, NULL, &first));
	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &second));
	cr_expect_eq(vx_mw_raw(first)->type, IBV_MW_TYPE_1);
	cr_expect_eq(vx_mw_raw(second)->type, IBV_MW_TYPE_2);
	cr_expect_eq(live("mw"), 2);
	cr_expect_eq(vx_close(first), 0);
	cr_expect_eq(live("mw"), 1);
}

Test(kind, cq_by_default_is_plain_with_256_entries)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	cr_expect_geq(vx_cq_raw(cq)->cqe, 255);
}

Test(kind, cq_with_the_flags_of_a_plain_one_is_extended)
{
	struct ibv_poll_cq_attr attr = { 0 };
	struct vx_cq *cq;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_STANDARD_FLAGS }, &cq));
	cr_assert_not_null(vx_cq_ex(cq)->start_poll);
	cr_expect_eq(ibv_start_poll(vx_cq_ex(cq), &attr), ENOENT);
}

Test(kind, cq_that_is_refused_tells_the_call_that_was_made)
{
	struct vx_cq *cq;

	fail_calls("create_cq#1-2:EIO");
	cr_expect_eq(vx_cq_create(ctx, NULL, &cq), -EIO);
	cr_expect_str_eq(vx_error()->call, "ibv_create_cq");
	cr_expect_eq(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_STANDARD_FLAGS }, &cq), -EIO);
	cr_expect_str_eq(vx_error()->call, "ibv_create_cq_ex");
}

Test(kind, cq_with_every_field)
{
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	int mine;

	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1000, .cq_context = &mine, .channel = channel, .comp_vector = 0,
						     .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
						     .flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN }, &cq));
	cr_expect_geq(vx_cq_raw(cq)->cqe, 1000);
	cr_expect_eq(vx_cq_raw(cq)->cq_context, &mine);
	cr_expect_eq(vx_cq_raw(cq)->channel, vx_comp_channel_raw(channel));
	cr_expect_eq(vx_close(channel), 0, "and the CQ before it");
	cr_expect_eq(live("cq") + live("comp_channel"), 0);
}

Test(kind, srq_by_default_and_with_every_field_of_a_basic_one)
{
	struct vx_srq *srq;
	struct ibv_srq_attr attr;
	int mine;

	made(vx_srq_create(pd, NULL, &srq));
	made(vx_srq_create(pd, &(struct vx_srq_init){ .srq_context = &mine, .srq_type = IBV_SRQT_BASIC,
						      .attr = { .max_wr = 300, .max_sge = 2 } }, &srq));
	cr_expect_eq(vx_srq_raw(srq)->srq_context, &mine);
	made(vx_srq_query(srq, &attr));
	cr_expect_geq(attr.max_wr, 300);
}

Test(kind, srq_that_matches_no_tags_takes_no_operations)
{
	struct ibv_ops_wr op = { .opcode = IBV_WR_TAG_SYNC };
	struct vx_srq *srq;

	made(vx_srq_create(pd, NULL, &srq));
	cr_expect_lt(vx_srq_post_ops(srq, &op, NULL), 0);
	expect_reason("only an SRQ whose srq_type is IBV_SRQT_TM");
}

Test(kind, xrcd_and_what_needs_it)
{
	struct vx_xrcd *xrcd;
	struct vx_cq *cq;
	struct vx_srq *srq;
	struct vx_qp *target, *initiator;
	uint32_t number = 0;

	made(vx_xrcd_create(ctx, NULL, &xrcd));
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_srq_create(pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = xrcd, .cq = cq }, &srq));
	made(vx_srq_get_num(srq, &number));
	cr_expect_neq(number, 0);
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &target));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = cq }, &initiator));
	cr_expect_eq(vx_close(xrcd), 0, "%s", vx_error_text());
	cr_expect_eq(live("srq") + live("xrcd"), 0);
	cr_expect_eq(live("qp"), 1, "the initiator needs no domain");
}

Test(kind, xrcd_of_a_file)
{
	char path[] = "/tmp/verbsx-xrcd.XXXXXX";
	int fd = mkstemp(path);
	struct vx_xrcd *xrcd;

	cr_assert_geq(fd, 0);
	made(vx_xrcd_create(ctx, &(struct vx_xrcd_init){ .fd = fd, .oflags = O_CREAT }, &xrcd));
	cr_expect_eq(vx_close(xrcd), 0);
	close(fd);
	unlink(path);
}

/* As open(2) gives it where it fails. */
Test(kind, xrcd_of_no_descriptor)
{
	struct vx_xrcd *xrcd;

	cr_expect_eq(vx_xrcd_create(ctx, &(struct vx_xrcd_init){ .fd = -1 }, &xrcd), -EINVAL);
	expect_reason("vx_xrcd_create: Invalid argument: fd is below 0, which is no descriptor; 0 is none");
	made(vx_xrcd_create(ctx, &(struct vx_xrcd_init){ .oflags = O_CREAT }, &xrcd));
}

Test(kind, ah_by_default_and_with_every_field)
{
	struct vx_ah *ah;

	made(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 3 }, &ah));
	made(vx_ah_create(pd, &(struct vx_ah_init){ .grh = { .dgid.raw = { 0xfe, 0x80 }, .flow_label = 1, .sgid_index = 0,
							     .hop_limit = 2, .traffic_class = 3 },
						    .dlid = 7, .sl = 1, .src_path_bits = 0, .static_rate = IBV_RATE_10_GBPS,
						    .is_global = 1, .port_num = 1 }, &ah));
	cr_expect_eq(vx_ah_raw(ah)->pd, vx_pd_raw(pd));
}

static struct vx_cq *new_cq(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

Test(kind, qp_by_default_lacks_nothing_but_cqs)
{
	struct vx_cq *cq = new_cq();
	struct vx_qp *qp;

	cr_expect_eq(vx_qp_create(pd, NULL, &qp), -EINVAL);
	expect_reason("send_cq is NULL");
	cr_expect_eq(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq }, &qp), -EINVAL);
	expect_reason("recv_cq is NULL");
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_eq(vx_qp_raw(qp)->qp_type, IBV_QPT_RC);
}

Test(kind, qp_with_every_field_that_it_can_have)
{
	struct vx_cq *send = new_cq(), *recv = new_cq();
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct vx_srq *srq;
	struct vx_qp *qp;
	int mine;

	made(vx_srq_create(pd, NULL, &srq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_context = &mine, .send_cq = send, .recv_cq = recv, .srq = srq,
						    .cap = { .max_send_wr = 33, .max_send_sge = 3, .max_inline_data = 16 },
						    .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
						    .send_ops_flags = IBV_QP_EX_WITH_SEND }, &qp));
	cr_expect_eq(vx_qp_raw(qp)->qp_context, &mine);
	cr_expect_eq(vx_qp_raw(qp)->send_cq, vx_cq_raw(send));
	cr_expect_eq(vx_qp_raw(qp)->recv_cq, vx_cq_raw(recv));
	cr_expect_eq(vx_qp_raw(qp)->srq, vx_srq_raw(srq));
	cr_expect_not_null(vx_qp_ex(qp));
	made(vx_qp_query(qp, &attr, IBV_QP_CAP, &init));
	cr_expect_geq(init.cap.max_send_wr, 33);
	cr_expect_eq(init.cap.max_recv_wr, 0, "it receives from the SRQ");
	cr_expect_eq(init.sq_sig_all, 1);
}

Test(kind, qp_of_a_pd_and_two_cqs_takes_192_bytes_at_most)
{
	struct vx_cq *send = new_cq(), *recv = new_cq();
	struct vx_qp *qp;

	last_handle = 0;
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = send, .recv_cq = recv }, &qp));
	cr_expect_gt(last_handle, 0);
	cr_expect_leq(last_handle, 192, "%zu bytes", last_handle);
}

Test(kind, wq_without_a_cq_is_refused_before_rdma_core_looks_through_it)
{
	struct vx_wq *wq;

	cr_expect_eq(vx_wq_create(pd, NULL, &wq), -EINVAL);
	expect_reason("cq is NULL");
}

Test(kind, that_the_device_lacks_is_refused_and_leaves_nothing)
{
	struct vx_counters *counters;
	struct vx_flow_action *action;

	cr_expect_lt(vx_flow_action_create(ctx, NULL, &action), 0);
	expect_reason("ibv_create_flow_action_esp on mlx5_0");
	cr_expect_lt(vx_counters_create(ctx, NULL, &counters), 0);
	expect_reason("ibv_create_counters on mlx5_0");
}

Test(kind, that_the_headers_lack_says_which_release_has_it)
{
	struct vx_dmah *dmah;
	struct vx_comp_cntr *counter;
	struct vx_buf *buf;

	if (VX_RDMA_CORE >= 59)
		return;
	cr_expect_eq(vx_dmah_create(ctx, NULL, &dmah), -EOPNOTSUPP);
	expect_reason("needs rdma-core 59");
	cr_expect_eq(vx_comp_cntr_create(ctx, NULL, &counter), -EOPNOTSUPP);
	expect_reason("needs rdma-core 65");
	cr_expect_eq(vx_buf_create(pd, &(struct vx_buf_init){ .length = 1 }, &buf), -EOPNOTSUPP);
	expect_reason("needs rdma-core 64");
}

/* ---- plain and extended ones ---- */

Test(kind, what_is_plain_has_no_extended_form)
{
	struct vx_cq *plain, *extended;
	struct vx_qp *qp, *qp_ex;

	made(vx_cq_create(ctx, NULL, &plain));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED }, &extended));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = plain, .recv_cq = plain }, &qp));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = plain, .recv_cq = plain, .send_ops_flags = IBV_QP_EX_WITH_SEND },
			  &qp_ex));
	cr_expect_null(vx_cq_ex(plain));
	cr_expect_eq((void *)vx_cq_ex(extended), (void *)vx_cq_raw(extended));
	cr_expect_not_null(vx_cq_ex(extended)->start_poll);
	cr_expect_null(vx_qp_ex(qp));
	cr_expect_eq((void *)vx_qp_ex(qp_ex), (void *)vx_qp_raw(qp_ex));
	cr_expect_null(vx_cq_ex(NULL));
	cr_expect_null(vx_qp_ex(NULL));
}
