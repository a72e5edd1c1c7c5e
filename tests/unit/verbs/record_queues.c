/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Indirection tables over work queues, and QPs of another process: what rdma-core is asked for. */

#include <errno.h>

#include "unit/trace/last_line.h"
#include "unit/record.h"

#define WQS 8

static struct ibv_wq wq_raw[WQS];
static struct vx_wq *wqs[WQS];
static struct ibv_rwq_ind_table table_raw;
static struct ibv_wq *table_of[WQS];
static uint32_t table_log;
static struct ibv_qp_open_attr open_attr;
static struct ibv_qp opened_raw;
static struct ibv_qp_init_attr_ex qp_attr;
static char order[16]; /* of what ended: t, w, q */

static void note(char what)
{
	order[strlen(order)] = what;
}

static struct ibv_wq *create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	static int next;

	(void)attr;
	wq_raw[next].context = context;
	return &wq_raw[next++];
}

static int destroy_wq(struct ibv_wq *wq)
{
	(void)wq;
	note('w');
	return 0;
}

static struct ibv_rwq_ind_table *create_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(attr->comp_mask, 0);
	table_log = attr->log_ind_tbl_size;
	memcpy(table_of, attr->ind_tbl, sizeof(*table_of) << table_log);
	table_raw = (struct ibv_rwq_ind_table){ .context = context, .ind_tbl_num = 77 };
	return &table_raw;
}

static int destroy_table(struct ibv_rwq_ind_table *table)
{
	cr_expect_eq(table, &table_raw);
	note('t');
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	qp_attr = *attr;
	opened_raw = (struct ibv_qp){ .context = context, .qp_num = attr->rwq_ind_tbl ? 0 : 0x55 };
	return &opened_raw;
}

static struct ibv_qp *open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	open_attr = *attr;
	opened_raw = (struct ibv_qp){ .context = context, .qp_num = attr->qp_num };
	return &opened_raw;
}

static int destroy_qp(struct ibv_qp *qp)
{
	cr_expect_eq(qp, &opened_raw);
	note('q');
	return 0;
}

static void record_all(void)
{
	struct vx_cq *cq;
	int i;

	open_device();
	provider()->create_wq = create_wq;
	provider()->destroy_wq = destroy_wq;
	provider()->create_rwq_ind_table = create_table;
	provider()->destroy_rwq_ind_table = destroy_table;
	provider()->create_qp_ex = create_qp;
	provider()->open_qp = open_qp;
	replace("ibv_destroy_qp", destroy_qp);
	made(vx_cq_create(ctx, NULL, &cq));
	for (i = 0; i < WQS; i++)
		made(vx_wq_create(pd, &(struct vx_wq_init){ .cq = cq }, &wqs[i]));
}

static struct vx_ind_table *make_table(size_t count)
{
	struct vx_ind_table *table;

	made(vx_ind_table_create(ctx, &(struct vx_ind_table_init){ .wqs = wqs, .count = count }, &table));
	return table;
}

TestSuite(queues, .init = record_all, .fini = close_device);

Test(queues, in_a_table)
{
	char name[64];
	int i;

	vx_object_name(name, sizeof(name), make_table(WQS));
	cr_expect_str_eq(name, "mlx5_0 ind_table 77");
	cr_expect_eq(table_log, 3);
	for (i = 0; i < WQS; i++)
		cr_expect_eq(table_of[i], &wq_raw[i]);
}

Test(queues, in_a_table_are_named_by_the_trace)
{
	static struct last_line line = { .call = "ibv_create_rwq_ind_table" };
	int i;

	for (i = 0; i < WQS; i++)
		wq_raw[i].wq_num = (uint32_t)i + 60;
	made(vx_trace_callback(keep_line, &line));
	make_table(2);
	made(vx_trace_callback(NULL, NULL));
	expect_line_part(&line, "init_attr={log_ind_tbl_size=2(1) ind_tbl=[\"mlx5_0 wq 60\",\"mlx5_0 wq 61\"] comp_mask=0}) = ");
}

Test(queues, of_a_table_print_in_one_column)
{
	char text[512];
	struct vx_ind_table *table = make_table(1);

	vx_snprint(text, sizeof(text), VX_TYPEOF(table), table, VX_TEXT);
	cr_expect_not_null(strstr(text, "object      : mlx5_0 ind_table 77\nuses        : "), "%s", text);
	cr_expect_not_null(strstr(text, "\nhandle      : 0\nind_tbl_num : 77\n"), "%s", text);
}

Test(queues, in_a_table_of_one)
{
	make_table(1);
	cr_expect_eq(table_log, 0);
	cr_expect_eq(table_of[0], &wq_raw[0]);
}

Test(queues, in_a_table_more_than_once)
{
	wqs[1] = wqs[3] = wqs[0];
	make_table(4);
	cr_expect_eq(table_of[1], &wq_raw[0]);
	cr_expect_eq(table_of[2], &wq_raw[2]);
	cr_expect_eq(table_of[3], &wq_raw[0]);
	cr_expect_eq(vx_close(wqs[0]), 0);
	cr_expect_str_eq(order, "tw");
}

Test(queues, take_the_table_along_and_that_its_qp)
{
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = make_table(2) }, &qp));
	cr_expect_eq(qp_attr.rwq_ind_tbl, &table_raw);
	cr_expect_eq(qp_attr.comp_mask, IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE);
	cr_expect_eq(vx_close(wqs[1]), 0);
	cr_expect_str_eq(order, "qtw");
}

/* Those that only spread packets have no number, and would all be "qp 0". */
Test(queues, are_spread_over_by_a_qp_with_a_name_of_its_own)
{
	const struct vx_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = make_table(2) };
	struct vx_qp *qp;
	char first[64], second[64];

	made(vx_qp_create(pd, &init, &qp));
	vx_object_name(first, sizeof(first), qp);
	cr_expect_eq(strncmp(first, "mlx5_0 qp #", strlen("mlx5_0 qp #")), 0, "%s", first);
	cr_expect_eq(vx_close(qp), 0);
	made(vx_qp_create(pd, &init, &qp));
	vx_object_name(second, sizeof(second), qp);
	cr_expect_str_neq(first, second);
}

/* rdma-core takes the handle of the send CQ wherever there is something to send. */
Test(queues, of_a_qp_that_sends_need_a_send_cq)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = make_table(2) };
	struct vx_qp *qp;

	made(vx_qp_create(pd, &init, &qp));
	cr_expect_eq(qp_attr.cap.max_send_wr, 0);
	cr_expect_eq(vx_close(qp), 0);
	init.cap.max_send_wr = VX_NONE;
	made(vx_qp_create(pd, &init, &qp));
	cr_expect_eq(qp_attr.cap.max_send_wr, 0);
	cr_expect_eq(vx_close(qp), 0);

	init.cap.max_send_wr = 1;
	cr_expect_eq(vx_qp_create(pd, &init, &qp), -EINVAL);
	expect_reason("send_cq is NULL");
}

Test(queues, that_make_no_table_are_refused)
{
	struct vx_ind_table *table;

	cr_expect_eq(vx_ind_table_create(ctx, NULL, &table), -EINVAL);
	expect_reason("wqs is NULL");
	cr_expect_eq(vx_ind_table_create(ctx, &(struct vx_ind_table_init){ .wqs = wqs, .count = 6 }, &table), -EINVAL);
	expect_reason("count = 6, which is no power of two");
	cr_expect_eq(vx_ind_table_create(ctx, &(struct vx_ind_table_init){ .wqs = wqs }, &table), -EINVAL);
	expect_reason("count = 0, which is no power of two below 2^31");
	wqs[2] = NULL;
	cr_expect_eq(vx_ind_table_create(ctx, &(struct vx_ind_table_init){ .wqs = wqs, .count = 4 }, &table), -EINVAL);
	expect_reason("wqs[2] is NULL");
}

/* ---- QPs that are opened ---- */

Test(queues, of_a_qp_that_is_opened)
{
	struct vx_xrcd *xrcd;
	struct vx_qp *qp, *again;
	char name[64];
	int mine;

	made(vx_xrcd_create(ctx, NULL, &xrcd));
	made(vx_opened_qp_create(ctx, &(struct vx_opened_qp_init){ .qp_num = 0x123, .xrcd = xrcd, .qp_context = &mine }, &qp));
	cr_expect_eq(open_attr.qp_num, 0x123);
	cr_expect_eq(open_attr.xrcd, vx_xrcd_raw(xrcd));
	cr_expect_eq(open_attr.qp_context, &mine);
	cr_expect_eq(open_attr.qp_type, IBV_QPT_XRC_RECV);
	cr_expect_eq(open_attr.comp_mask, IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_CONTEXT |
						  IBV_QP_OPEN_ATTR_TYPE);
	vx_object_name(name, sizeof(name), qp);
	cr_expect_str_eq(name, "mlx5_0 opened_qp 291#1");
	made(vx_opened_qp_create(ctx, &(struct vx_opened_qp_init){ .qp_num = 0x123, .xrcd = xrcd }, &again));
	vx_object_name(name, sizeof(name), again);
	cr_expect_str_eq(name, "mlx5_0 opened_qp 291#2", "it is open twice");
	cr_expect_eq(vx_close(again), 0);
	order[0] = '\0';
	cr_expect_eq(vx_close(xrcd), 0, "%s", vx_error_text());
	cr_expect_str_eq(order, "q");
}

Test(queues, of_a_qp_that_is_opened_in_no_domain_are_refused)
{
	struct vx_qp *qp;

	cr_expect_eq(vx_opened_qp_create(ctx, &(struct vx_opened_qp_init){ .qp_num = 1 }, &qp), -EINVAL);
	expect_reason("xrcd is NULL");
}
