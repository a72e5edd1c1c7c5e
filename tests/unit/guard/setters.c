/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Setters of data on the device at hand, emulated or of a kernel: what is set arrives, whatever the provider. librxe before 64 does not do
 * it, as the raw calls show; libverbsx stands before its QPs and CQs, also of those that were made without it.
 */

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#include "../examples/connect.h"

#define QKEY 0x1234
#define GRH 40
#define FIRST "the longer one"
#define SECOND " and more"
#define FIRST_LENGTH (sizeof(FIRST) - 1)
#define SECOND_LENGTH (sizeof(SECOND) - 1)

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static struct vx_qp *qp;
static struct vx_mr *mr;
static struct vx_ah *ah;
static char *sent, *received;

static void make_all(void)
{
	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_BYTE_LEN }, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq, .cap = { .max_send_sge = 3,
		.max_inline_data = 64 }, .send_ops_flags = IBV_QP_EX_WITH_SEND }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 8192, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	must(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = QKEY }));
	ah = path_to_itself(ctx, pd);
	sent = vx_mr_addr(mr);
	received = sent + 4096;
	strcpy(sent, FIRST);
	strcpy(sent + 512, SECOND);
}

static void close_all(void)
{
	must(vx_close(ctx));
}

TestSuite(setters, .init = make_all, .fini = close_all, .timeout = 60);

static bool is_wrong(void)
{
	return !strncmp(vx_ctx_name(ctx), "rxe", 3) && vx_release_running() < 64;
}

static struct ibv_sge entry_of(const char *from, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)from, length, vx_mr_lkey(mr) };
}

/* A list of one datagram to the QP itself, by front or raw, which lacks its data. */
static struct vx_wr *begin(struct ibv_qp_ex *ex)
{
	struct ibv_sge into = entry_of(received, 2048);
	struct vx_wr *wr = (struct vx_wr *)(void *)ex;

	must(vx_qp_post_recv_one(qp, 1, &into, 1));
	memset(received, 0, 2048);
	ibv_wr_start(ex);
	vx_wr_send(wr, 2, IBV_SEND_SIGNALED);
	vx_wr_set_ud_addr(wr, ah, vx_qp_raw(qp)->qp_num, QKEY);
	return wr;
}

static struct vx_wr *begin_here(void)
{
	return begin(vx_front(qp));
}

/* What is sent, in two parts. */
static void set_entries(struct vx_wr *wr)
{
	const struct ibv_sge list[] = { entry_of(sent, FIRST_LENGTH), entry_of(sent + 512, SECOND_LENGTH) };

	vx_wr_set_sge_list(wr, 2, list);
}

static void set_inline(struct vx_wr *wr)
{
	const struct ibv_data_buf list[] = { { sent, FIRST_LENGTH }, { sent + 512, SECOND_LENGTH } };

	vx_wr_set_inline_data_list(wr, 2, list);
}

/* How many completions there are, and how the request to send ended. */
static int take(int wanted, enum ibv_wc_status *status)
{
	struct vx_wc *wc;
	int rc, count = 0;

	while (count < wanted)
		for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc)) {
			count++;
			if (vx_wc_wr_id(wc) == 2)
				*status = vx_wc_status(wc);
		}
	return count;
}

static void expect_arrived(struct vx_wr *wr)
{
	enum ibv_wc_status status = IBV_WC_GENERAL_ERR;

	must(vx_wr_complete(wr));
	cr_assert_eq(take(2, &status), 2);
	cr_expect_eq(status, IBV_WC_SUCCESS);
	cr_expect_str_eq(received + GRH, FIRST SECOND);
}

Test(setters, of_one_entry_send_it)
{
	struct vx_wr *wr = begin_here();

	strcpy(sent, FIRST SECOND);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)sent, FIRST_LENGTH + SECOND_LENGTH);
	expect_arrived(wr);
}

Test(setters, of_a_list_of_entries_send_all_of_them)
{
	struct vx_wr *wr = begin_here();

	set_entries(wr);
	expect_arrived(wr);
}

Test(setters, of_data_inline_send_them)
{
	char data[] = FIRST SECOND;
	struct vx_wr *wr = begin_here();

	vx_wr_set_inline_data(wr, data, sizeof(data) - 1);
	memset(data, 0, sizeof(data));
	expect_arrived(wr);
}

Test(setters, of_a_list_of_data_inline_send_all_of_them)
{
	struct vx_wr *wr = begin_here();

	set_inline(wr);
	memset(sent, 0, FIRST_LENGTH);
	expect_arrived(wr);
}

Test(setters, of_what_was_adopted_do_so_too)
{
	struct ibv_qp *raw_qp = vx_give_back(qp);
	struct ibv_cq *raw_cq = vx_give_back(cq);
	struct vx_wr *wr;

	must(vx_cq_adopt(ctx, raw_cq, &cq));
	must(vx_qp_adopt(pd, raw_qp, &qp));
	wr = begin_here();
	set_entries(wr);
	expect_arrived(wr);
}

/* ---- what the provider makes of it ---- */

Test(setters, of_a_list_of_entries_fail_where_the_provider_is_wrong)
{
	struct vx_wr *wr = begin(ibv_qp_to_qp_ex(vx_qp_raw(qp)));
	enum ibv_wc_status status = IBV_WC_SUCCESS;

	set_entries(wr);
	if (!is_wrong()) {
		expect_arrived(wr);
		return;
	}
	must(vx_wr_complete(wr));
	take(1, &status);
	cr_expect_neq(status, IBV_WC_SUCCESS);
}

Test(setters, of_a_list_of_data_inline_send_nothing_where_the_provider_is_wrong)
{
	struct vx_wr *wr = begin(ibv_qp_to_qp_ex(vx_qp_raw(qp)));
	enum ibv_wc_status status = IBV_WC_GENERAL_ERR;

	set_inline(wr);
	if (!is_wrong()) {
		expect_arrived(wr);
		return;
	}
	must(vx_wr_complete(wr));
	take(2, &status);
	cr_expect_eq(status, IBV_WC_SUCCESS);
	cr_expect_str_empty(received + GRH);
}
