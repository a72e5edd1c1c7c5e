/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completions one by one on the device at hand, emulated or of a kernel: each once, and none that never was, whatever the provider. */

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#include "../examples/connect.h"

#define QKEY 0x1234

static struct vx_ctx *ctx;
static struct vx_cq *cq;
static struct vx_qp *qp;
static struct vx_ah *ah;
static struct ibv_sge entry;

static void make_all(void)
{
	struct vx_pd *pd;
	struct vx_mr *mr;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_QP_NUM }, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq, .send_ops_flags = IBV_QP_EX_WITH_SEND }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));
	must(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = QKEY }));
	ah = path_to_itself(ctx, pd);
	entry = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 64, vx_mr_lkey(mr) };
}

static void close_all(void)
{
	must(vx_close(ctx));
}

TestSuite(polled, .init = make_all, .fini = close_all, .timeout = 60);

/* The identity of the next completion; all that follow are of later requests. */
static uint64_t wait_for_one(void)
{
	struct vx_wc *wc;
	uint64_t wr_id = 0;
	int rc, count = 0;

	while (!count) {
		for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc)) {
			cr_assert_eq(vx_wc_status(wc), IBV_WC_SUCCESS);
			cr_assert_eq(vx_wc_read_qp_num(wc), vx_qp_raw(qp)->qp_num);
			wr_id = vx_wc_wr_id(wc);
			count++;
		}
		cr_assert_eq(rc, 0, "%s", vx_error_text());
	}
	cr_expect_eq(count, 1);
	return wr_id;
}

static void expect_none(void)
{
	struct vx_wc *wc;
	int i;

	for (i = 0; i < 1000; i++)
		cr_assert_eq(vx_cq_start_poll(cq, &wc), 0, "a completion that never was");
}

Test(polled, has_each_request_once_round_after_round)
{
	uint64_t round;

	for (round = 1; round < 200; round++) {
		must(vx_qp_post_send_to(qp, round, IBV_SEND_SIGNALED, &entry, 1, ah, vx_qp_raw(qp)->qp_num, QKEY));
		cr_assert_eq(wait_for_one(), round);
	}
	expect_none();
}

Test(polled, goes_on_where_the_loop_was_left)
{
	struct vx_wc *wc;
	uint64_t i, next = 1;
	struct vx_wr *wr = vx_wr_start(qp);

	for (i = 1; i <= 4; i++) {
		vx_wr_send(wr, i, IBV_SEND_SIGNALED);
		vx_wr_set_ud_addr(wr, ah, vx_qp_raw(qp)->qp_num, QKEY);
		vx_wr_set_sge(wr, entry.lkey, entry.addr, entry.length);
	}
	must(vx_wr_complete(wr));
	while (next <= 4) {
		if (vx_cq_start_poll(cq, &wc) != 1)
			continue;
		cr_assert_eq(vx_wc_wr_id(wc), next++);
		vx_wc_end(wc);
	}
	expect_none();
}

/* Structures of the same CQ, by what may stand before it. */
Test(polled, can_be_taken_as_structures)
{
	struct ibv_wc wc;
	int rc;

	must(vx_qp_post_send_to(qp, 5, IBV_SEND_SIGNALED, &entry, 1, ah, vx_qp_raw(qp)->qp_num, QKEY));
	while (!(rc = vx_cq_poll(cq, 1, &wc)))
		;
	cr_assert_eq(rc, 1);
	cr_expect_eq(wc.wr_id, 5);
	expect_none();
}

/* On a real queue: the list ends where there is no room, and goes on when there is. */
Test(polled, is_eagain_while_the_queue_is_full)
{
	uint64_t posted = 0, done = 0;
	int rc = 0;

	while (posted < 2000 && rc == 0) {
		rc = vx_qp_post_send_to(qp, posted, IBV_SEND_SIGNALED, &entry, 1, ah, vx_qp_raw(qp)->qp_num, QKEY);
		posted += rc == 0;
	}
	if (!strncmp(vx_ctx_name(ctx), "rxe", 3) && rc == 0)
		return; /* it sends in the call that posts */
	cr_assert_eq(rc, -EAGAIN, "%s", vx_error_text());
	cr_expect_not_null(strstr(vx_error()->reason, "the send queue is full (max_send_wr = "), "%s", vx_error_text());
	while (done < posted) {
		struct ibv_wc wc;

		done += (uint64_t)vx_cq_poll(cq, 1, &wc);
	}
	must(vx_qp_post_send_to(qp, 1, IBV_SEND_SIGNALED, &entry, 1, ah, vx_qp_raw(qp)->qp_num, QKEY));
	cr_expect_eq(wait_for_one(), 1);
}

static int send_by_list(void)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_send(wr, 7, IBV_SEND_SIGNALED);
	vx_wr_set_ud_addr(wr, ah, vx_qp_raw(qp)->qp_num, QKEY);
	vx_wr_set_sge(wr, entry.lkey, entry.addr, entry.length);
	return vx_wr_complete(wr);
}

/* There libmlx5 has written it over a request already, which the program can only know by this. */
Test(polled, says_what_becomes_of_a_list_while_the_queue_is_full)
{
	int rc = send_by_list();

	must(rc);
	cr_expect_eq(wait_for_one(), 7);
	if (strncmp(vx_ctx_name(ctx), "mlx5", 4))
		return;
	while (!(rc = vx_qp_post_send_to(qp, 1, 0, &entry, 1, ah, vx_qp_raw(qp)->qp_num, QKEY)))
		continue;
	cr_expect_eq(rc, -EAGAIN);
	rc = send_by_list();
	if (rc == -EAGAIN)
		return; /* of a checked QP */
	cr_expect_eq(rc, -ENOMEM);
	cr_expect_not_null(strstr(vx_error()->reason, "bytes inline; where it is full, libmlx5 has written this one over a request that was "
						      "posted before"), "%s", vx_error_text());
}
