/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What must not be NULL and is: refused, where rdma-core would crash. */

#include <errno.h>

#include "unit/device.h"

static struct vx_cq *cq;
static struct vx_qp *qp;
static struct vx_srq *srq;
static struct vx_mw *mw;

static void open_with_more(void)
{
	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_srq_create(pd, NULL, &srq));
	made(vx_mw_create(pd, NULL, &mw));
}

TestSuite(nulls, .init = open_with_more, .fini = close_device);

static void expect_refused(int rc, const char *says)
{
	cr_expect_eq(rc, -EINVAL, "%s", says);
	cr_expect_str_eq(vx_error_text(), says);
}

Test(nulls, of_any_object)
{
	cr_expect_null(vx_give_back(NULL));
	cr_expect_str_eq(vx_error_text(), "vx_give_back: Invalid argument: the object is NULL");
	cr_expect_eq(vx_close(NULL), 0);
}

Test(nulls, of_devices)
{
	struct vx_device_list *list;
	__be64 guid;

	expect_refused(vx_device_list_get(NULL), "vx_device_list_get: Invalid argument: out is NULL");
	made(vx_device_list_get(&list));
	expect_refused(vx_device_guid(NULL, &guid), "vx_device_guid: Invalid argument: device is NULL");
	expect_refused(vx_device_guid(list->devices[0], NULL), "vx_device_guid: Invalid argument: guid is NULL");
	vx_device_list_free(list);
}

Test(nulls, of_what_is_looked_up)
{
	const struct vx_struct *s = VX_STRUCT(ibv_qp_attr).desc;
	enum ibv_mtu *none = NULL;

	expect_refused(vx_ibv_mtu_parse("3", none), "vx_ibv_mtu_parse on ibv_mtu: Invalid argument: the value is NULL");
	expect_refused(vx_enum_parse(VX_ENUM(ibv_mtu), "3", NULL),
		       "vx_enum_parse on ibv_mtu: Invalid argument: the value is NULL");
	cr_expect_not(vx_call_find(NULL, NULL));
	cr_expect(vx_call_find("ibv_create_qp", NULL));
	cr_expect_null(vx_man_page(NULL));
	cr_expect_null(vx_stands_for(NULL));
	cr_expect_eq(vx_release_of(NULL), 0);
	cr_expect(vx_enumerator_at(VX_ENUM(ibv_mtu), 0, NULL));
	cr_expect(vx_enumerator_find("IBV_MTU_1024", NULL, NULL));
	vx_struct_describe(s, NULL);
	vx_error_clear();
	cr_expect_eq(vx_fprint(NULL, VX_STRUCT(ibv_qp_attr), &(struct ibv_qp_attr){ 0 }, VX_TEXT), -EINVAL);
	cr_expect_eq(vx_error()->code, 0, "printing leaves the record as it was");
}

Test(nulls, of_a_context)
{
	struct ibv_ah_attr ah;
	struct ibv_wc wc = { 0 };
	struct vx_ctx *other;
	uint8_t mac[6];

	expect_refused(vx_ctx_open(NULL, &other), "vx_ctx_open: Invalid argument: name is NULL");
	expect_refused(vx_ctx_open("mlx5_0", NULL), "vx_ctx_open: Invalid argument: out is NULL");
	expect_refused(vx_ctx_open_index(0, NULL), "vx_ctx_open_index: Invalid argument: out is NULL");
	expect_refused(vx_ctx_open_device(NULL, &other), "vx_ctx_open_device: Invalid argument: device is NULL");
	expect_refused(vx_ctx_get_pkey_index(ctx, 1, 0xffff, NULL), "vx_ctx_get_pkey_index: Invalid argument: out is NULL");
	expect_refused(vx_ctx_init_ah_from_wc(ctx, 1, NULL, NULL, &ah),
		       "vx_ctx_init_ah_from_wc: Invalid argument: wc is NULL");
	expect_refused(vx_ctx_init_ah_from_wc(ctx, 1, &wc, NULL, NULL),
		       "vx_ctx_init_ah_from_wc: Invalid argument: ah_attr is NULL");
	expect_refused(vx_ctx_query_rt_values_ex(ctx, NULL),
		       "vx_ctx_query_rt_values_ex: Invalid argument: values is NULL");
	expect_refused(vx_ctx_resolve_eth_l2_from_gid(ctx, NULL, mac, NULL),
		       "vx_ctx_resolve_eth_l2_from_gid: Invalid argument: attr is NULL");
}

Test(nulls, of_a_qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	expect_refused(vx_qp_modify(qp, NULL, IBV_QP_STATE), "vx_qp_modify: Invalid argument: attr is NULL");
	expect_refused(vx_qp_modify_rate_limit(qp, NULL), "vx_qp_modify_rate_limit: Invalid argument: attr is NULL");
	expect_refused(vx_qp_query(qp, NULL, IBV_QP_STATE, &init), "vx_qp_query: Invalid argument: attr is NULL");
	expect_refused(vx_qp_query(qp, &attr, IBV_QP_STATE, NULL), "vx_qp_query: Invalid argument: init_attr is NULL");
	expect_refused(vx_qp_query_ece(qp, NULL), "vx_qp_query_ece: Invalid argument: ece is NULL");
	expect_refused(vx_qp_set_ece(qp, NULL), "vx_qp_set_ece: Invalid argument: ece is NULL");
	expect_refused(vx_qp_bind_mw(qp, NULL, &(struct ibv_mw_bind){ 0 }), "vx_qp_bind_mw: Invalid argument: mw is NULL");
	expect_refused(vx_qp_bind_mw(qp, mw, NULL), "vx_qp_bind_mw: Invalid argument: mw_bind is NULL");
}

Test(nulls, of_queues)
{
	expect_refused(vx_cq_modify(cq, NULL), "vx_cq_modify: Invalid argument: attr is NULL");
	expect_refused(vx_srq_get_num(srq, NULL), "vx_srq_get_num: Invalid argument: srq_num is NULL");
	expect_refused(vx_srq_modify(srq, NULL, IBV_SRQ_LIMIT), "vx_srq_modify: Invalid argument: srq_attr is NULL");
	expect_refused(vx_srq_query(srq, NULL), "vx_srq_query: Invalid argument: srq_attr is NULL");
}

Test(nulls, of_an_ah)
{
	struct vx_ah *ah;

	expect_refused(vx_ah_create_from_wc(pd, NULL, NULL, 1, &ah), "vx_ah_create_from_wc: Invalid argument: wc is NULL");
}
