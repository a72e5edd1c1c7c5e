/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Calls of the data path, as the trace shows them: of a QP that sends to itself. */

#include <errno.h>
#include <stdlib.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "data_bed.h"

TestSuite(trace_data, .init = begin, .fini = end, .timeout = 60);

Test(trace_data, shows_a_list_of_requests)
{
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	expect_line("ibv_post_send(qp=mlx5_0 qp #, wr={wr_id=0x7 next=NULL sg_list=[{addr=# length=6 lkey=#}] num_sge=1 opcode=IBV_WR_RDMA_WRITE(0) "
		    "send_flags=IBV_SEND_SIGNALED(0x2) wr={rdma={remote_addr=# rkey=#}}}) = 0 <0.#>");
	cr_expect_eq(count, 1);
}

/* A request has garbage where its QP has no look. */
static void send_garbage(struct vx_qp *to)
{
	struct ibv_send_wr wr;

	memset(&wr, 0x41, sizeof(wr));
	wr = (struct ibv_send_wr){ .wr_id = 7, .sg_list = &entry, .num_sge = 1, .opcode = IBV_WR_SEND, .wr = wr.wr, .qp_type = wr.qp_type };
	count = 0;
	vx_qp_post_send(to, &wr, NULL);
	cr_assert_gt(count, 0);
}

Test(trace_data, of_a_send_shows_what_its_type_of_qp_has)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_XRC_SEND };
	static const char *const shown[] = { " send_flags=0}) = ", " send_flags=0}) = ", " send_flags=0 qp_type={xrc={remote_srqn=#}}}) = " };
	struct vx_qp *other;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = types[i] == IBV_QPT_XRC_SEND ? NULL : cq, .qp_type = types[i] }, &other));
		send_garbage(other);
		cr_expect_not_null(strstr(lines[0], shown[i]), "%s", lines[0]);
	}
}

/* It may be gone, or may never have been there: to take a window back no provider looks for the region. */
Test(trace_data, of_what_has_no_handle_shows_the_address)
{
	struct ibv_send_wr wr = { .wr_id = 7, .opcode = IBV_WR_BIND_MW };
	struct vx_mw *mw;

	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &mw));
	wr.bind_mw.mw = vx_mw_raw(mw);
	memset(&wr.bind_mw.bind_info.mr, 0x41, sizeof(wr.bind_mw.bind_info.mr));
	count = 0;
	vx_qp_post_send(qp, &wr, NULL);
	cr_assert_gt(count, 0);
	cr_expect_not_null(strstr(lines[0], " bind_info={mr=# "), "%s", lines[0]);
}

Test(trace_data, shows_a_list_of_builders)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), entry.addr + 8);
	vx_wr_set_sge_list(wr, 1, &entry);
	vx_wr_rdma_write(wr, 8, 0, vx_mr_rkey(mr), entry.addr + 8);
	vx_wr_set_inline_data(wr, vx_mr_addr(mr), 5);
	cr_expect_eq(count, 0);
	made(vx_wr_complete(wr));
	expect_line("ibv_wr(qp=mlx5_0 qp #) "
		    "rdma_write(wr_id=0x7, wr_flags=IBV_SEND_SIGNALED(0x2), rkey=#, remote_addr=#) "
		    "set_sge_list(num_sge=1, sg_list=[{addr=# length=6 lkey=#}]) "
		    "rdma_write(wr_id=0x8, wr_flags=0, rkey=#, remote_addr=#) set_inline_data(addr=#, length=\"5 B\"(5)) = 0 <0.#>");
	cr_expect_eq(count, 1);
}

Test(trace_data, shows_no_data_that_are_inline)
{
	const struct ibv_data_buf list[] = { { (char *)"secret", 6 } };
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_rdma_write(wr, 7, 0, vx_mr_rkey(mr), entry.addr + 8);
	vx_wr_set_inline_data_list(wr, 1, list);
	made(vx_wr_complete(wr));
	cr_expect_not_null(strstr(lines[0], " set_inline_data_list(num_buf=1, buf_list=#) = 0 <0.#>"), "%s", lines[0]);
}

Test(trace_data, shows_nothing_of_a_list_that_was_dropped)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_send(wr, 1, 0);
	vx_wr_abort(wr);
	cr_expect_eq(count, 0);
	wr = vx_wr_start(qp);
	made(vx_wr_complete(wr));
	expect_line("ibv_wr(qp=mlx5_0 qp #) = 0 <0.#>");
}

Test(trace_data, shows_receives)
{
	made(vx_qp_post_recv_one(qp, 1, &entry, 1));
	expect_line("ibv_post_recv(qp=mlx5_0 qp #, wr={wr_id=0x1 next=NULL sg_list=[{addr=# length=6 lkey=#}] num_sge=1}) = 0 <0.#>");
}

Test(trace_data, shows_what_has_completed_and_counts_empty_polls)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 4; i++)
		cr_expect_eq(vx_cq_poll(cq, 1, &wc), 0);
	cr_expect_eq(count, 0);
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	wait_for_one();
	expect_begins(lines[1], "ibv_poll_cq(cq=mlx5_0 cq 3, num_entries=1, wc=[{wr_id=0x7 status=IBV_WC_SUCCESS(0) opcode=IBV_WC_RDMA_WRITE(1) "
				"qp_num=#}]) = 1 <0.#> (");
	cr_expect_not_null(strstr(lines[1], " empty polls before)"), "%s", lines[1]);
}

Test(trace_data, shows_what_failed)
{
	made(vx_qp_reset(qp));
	count = 0;
	cr_expect_lt(vx_qp_post_rdma_write(qp, 7, 0, &entry, 1, 1, 2), 0);
	cr_expect_not_null(strstr(lines[0], ") = 12 ENOMEM (Cannot allocate memory) <0.#>"), "%s", lines[0]);
}

/* Who is shown has no more builders for that. */
Test(trace_data, of_a_plain_qp_that_is_checked_tells_that_it_has_no_builders)
{
	struct vx_wr *wr;
	struct vx_qp *plain;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &plain));
	made(vx_qp_check(plain));
	wr = vx_wr_start(plain);
	vx_wr_send(wr, 7, 0);
	cr_expect_eq(vx_wr_complete(wr), -EOPNOTSUPP);
}

/* Nor has who is shown those that its provider lacks: of an RC QP of mlx5 the address of UD. */
Test(trace_data, of_a_qp_has_the_builders_and_setters_that_it_has)
{
	const struct ibv_qp_ex *front = vx_front(qp), *raw = vx_qp_ex(qp);

	cr_assert_neq(front, raw);
	cr_expect_not_null(front->wr_rdma_write);
	cr_expect_not_null(front->wr_set_sge);
	cr_assert_null(raw->wr_set_ud_addr);
	cr_expect_null(front->wr_set_ud_addr);
}

Test(trace_data, shows_srqs)
{
	struct vx_srq *srq;

	made(vx_srq_create(pd, &(struct vx_srq_init){ .attr = { .max_wr = 8, .max_sge = 1 } }, &srq));
	made(vx_srq_post_recv_one(srq, 1, &entry, 1));
	expect_line("ibv_post_srq_recv(srq=mlx5_0 srq 7, recv_wr={wr_id=0x1 next=NULL sg_list=[{addr=# length=6 lkey=#}] num_sge=1}) = 0 <0.#>");
}

Test(trace_data, counts_calls)
{
	uint64_t calls;
	struct ibv_wc wc;

	made(vx_trace_counting(true));
	made(vx_qp_post_rdma_write(qp, 7, 0, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	cr_expect_geq(vx_cq_poll(cq, 1, &wc), 0);
	cr_expect_geq(vx_cq_poll(cq, 1, &wc), 0);
	made(vx_trace_count("ibv_post_send", &calls));
	cr_expect_eq(calls, 1);
	made(vx_trace_count("ibv_poll_cq", &calls));
	cr_expect_eq(calls, 2);
	made(vx_trace_counting(false));
}

/* ---- extended CQs ---- */

static void begin_extended(void)
{
	make_all(1, IBV_WC_EX_WITH_BYTE_LEN);
	connect_to_itself();
}

TestSuite(trace_data_extended, .init = begin_extended, .fini = end, .timeout = 60);

Test(trace_data_extended, shows_each_completion)
{
	struct vx_wc *wc;
	int rc, seen = 0;
	uint64_t i;

	for (i = 7; i < 9; i++)
		made(vx_qp_post_rdma_write(qp, i, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	count = 0;
	while (seen < 2)
		for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc))
			cr_expect_eq(vx_wc_wr_id(wc), 7 + seen++);
	cr_assert_eq(count, 2);
	expect_begins(lines[0], "ibv_start_poll(cq=mlx5_0 cq 3) = 0 <0.#> {wr_id=0x7 status=IBV_WC_SUCCESS}");
	cr_expect_not_null(strstr(lines[1], "_poll(cq=mlx5_0 cq 3) = 0 <0.#> {wr_id=0x8 status=IBV_WC_SUCCESS}"), "%s", lines[1]);
}

/* ---- how much is shown ---- */

static void nothing(void)
{
}

TestSuite(trace_data_limits, .init = nothing, .fini = end, .timeout = 60);

Test(trace_data_limits, show_the_first_of_each_object)
{
	int i;

	make_all(2, 0);
	connect_to_itself();
	for (i = 0; i < 4; i++) {
		made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
		wait_for_one();
	}
	cr_expect_eq(count, 4, "%u", count);
	expect_begins(lines[2], "ibv_post_send(");
	expect_begins(lines[3], "ibv_poll_cq(");
}

/* ---- other objects ---- */

/* As what was made by libverbsx is, once; what it was before is left alone. */
Test(trace_data, shows_what_was_adopted)
{
	struct ibv_cq *raw_cq = ibv_create_cq(vx_ctx_raw(ctx), 16, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = { .send_cq = raw_cq, .recv_cq = raw_cq, .qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 4, .max_send_sge = 1 } };
	struct ibv_qp *raw = ibv_create_qp(vx_pd_raw(pd), &attr);

	made(vx_cq_adopt(ctx, raw_cq, &cq));
	made(vx_qp_adopt(pd, raw, &qp));
	connect_to_itself();
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	cr_expect_eq(count, 1);
	expect_begins(lines[0], "ibv_post_send(qp=mlx5_0 qp #, ");
	wait_for_one();
	cr_expect_eq(count, 2);
	expect_begins(lines[1], "ibv_poll_cq(cq=mlx5_0 cq ");
	made(vx_qp_borrow(pd, raw, &qp));
	count = 0;
	made(vx_qp_post_rdma_write(qp, 8, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	cr_expect_eq(count, 1);
}

#if VX_HAS_MLX5DV
static struct vx_qp *make_of_mlx5(bool is_checked)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST };
	struct vx_qp *out;

	made(vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .checked = is_checked,
			.cap = { .max_send_wr = 16, .max_send_sge = 1, .max_inline_data = 256 }, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
			.mlx5dv_qp_init_attr = &attr }, &out));
	return out;
}

static void expect_key_shown(bool is_checked)
{
	struct vx_mlx5_mkey *mkey;
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr;

	qp = make_of_mlx5(is_checked);
	connect_to_itself();
	made(vx_mlx5_mkey_create(pd, NULL, &mkey));
	made(vx_mlx5_qp_wr(qp, &mlx5));
	count = 0;
	wr = vx_wr_start(qp);
	vx_mlx5_wr_mr_list(&mlx5, 7, IBV_SEND_SIGNALED, mkey, IBV_ACCESS_LOCAL_WRITE, 1, &entry);
	vx_wr_rdma_write(wr, 8, 0, vx_mr_rkey(mr), entry.addr + 8);
	vx_wr_set_sge(wr, entry.lkey, entry.addr, entry.length);
	made(vx_wr_complete(wr));
	cr_expect_eq(count, 1);
	expect_begins(lines[0], "ibv_wr(qp=mlx5_0 mlx5_qp ##1) mr_list(wr_id=0x7, wr_flags=IBV_SEND_SIGNALED|IBV_SEND_INLINE(0xa), mkey=mlx5_0 mlx5_mkey #1, access_flags=IBV_ACCESS_LOCAL_WRITE(0x1), num_sges=1, ");
	cr_expect_not_null(strstr(lines[0], ", num_sges=1, sge=[{addr=# length=6 lkey=#}]) rdma_write(wr_id=0x8, "), "%s", lines[0]);
}

Test(trace_data, shows_what_only_mlx5_has)
{
	expect_key_shown(false);
}

Test(trace_data, shows_what_only_mlx5_has_of_a_checked_qp)
{
	expect_key_shown(true);
}
#endif

Test(trace_data_limits, may_be_in_the_environment)
{
	setenv("VERBSX_TRACE_DATA", "3", 1);
	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
	cr_expect_neq(((struct vx_object *)cq)->front, vx_cq_raw(cq));
}

Test(trace_data_limits, leave_objects_alone_that_are_not_to_be_shown)
{
	make_all(0, 0);
	cr_expect_eq(((struct vx_object *)qp)->front, vx_qp_raw(qp));
	cr_expect_eq(((struct vx_object *)cq)->front, vx_cq_raw(cq));
	connect_to_itself();
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), entry.addr + 8));
	cr_expect_eq(count, 0);
}
