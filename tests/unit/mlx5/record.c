/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What the emulated device refuses, by functions in the place of libmlx5's that take down what they are given: scheduling, views,
 * reserved QP numbers, regions and what is imported; what each uses is ended after it.
 */

#include <errno.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_event.h>

#include "ended.h"

TestSuite(mlx5_record, .init = open_device, .fini = close_device);

enum { NODE = 1, LEAF, OBJECT };

/* ---- rates ---- */

static struct mlx5dv_sched_node *node_create(struct ibv_context *context, const struct mlx5dv_sched_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_null(attr->parent);
	cr_expect_eq(attr->flags, MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW);
	cr_expect_eq(attr->max_avg_bw, 100);
	return RAW(NODE);
}

static struct mlx5dv_sched_leaf *leaf_create(struct ibv_context *context, const struct mlx5dv_sched_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq((void *)attr->parent, RAW(NODE));
	return RAW(LEAF);
}

static int node_destroy(struct mlx5dv_sched_node *node)
{
	end(node);
	return 0;
}

static int leaf_destroy(struct mlx5dv_sched_leaf *leaf)
{
	end(leaf);
	return 0;
}

Test(mlx5_record, a_leaf_goes_before_its_node)
{
	struct vx_mlx5_sched_node *node;
	struct vx_mlx5_sched_leaf *leaf;

	replace("mlx5dv_sched_node_create", node_create);
	replace("mlx5dv_sched_leaf_create", leaf_create);
	replace("mlx5dv_sched_node_destroy", node_destroy);
	replace("mlx5dv_sched_leaf_destroy", leaf_destroy);
	made(vx_mlx5_sched_node_create(ctx, &(struct vx_mlx5_sched_node_init){ .flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW, .max_avg_bw = 100 }, &node));
	cr_expect_eq(vx_mlx5_sched_leaf_create(ctx, NULL, &leaf), -EINVAL);
	expect_reason("parent is NULL");
	made(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = node }, &leaf));
	made(vx_close(node));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], LEAF);
	cr_expect_eq(ended[1], NODE);
}

/* ---- what is asked for ---- */

static uint64_t asked;

static int query_device(struct ibv_context *context, struct mlx5dv_context *attrs)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	asked = attrs->comp_mask;
	attrs->comp_mask = MLX5DV_CONTEXT_MASK_SWP;
	return 0;
}

/* A newer libmlx5 would write what a newer program asks for behind the structure that the library has of it. */
Test(mlx5_record, what_the_library_has_no_place_for_is_not_asked_for)
{
	struct mlx5dv_context device = { .comp_mask = UINT64_MAX };

	replace("mlx5dv_query_device", query_device);
	made(vx_mlx5_ctx_query_device(ctx, &device));
	cr_expect(asked & MLX5DV_CONTEXT_MASK_SWP);
	cr_expect_lt(asked, 1ull << 32);
	cr_expect_eq(device.comp_mask, MLX5DV_CONTEXT_MASK_SWP);
}

static int init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	cr_expect_eq(type, MLX5DV_OBJ_RWQ);
	cr_expect_eq(obj->rwq.in->wq_num, 7);
	obj->rwq.out->wqe_cnt = 64;
	return 0;
}

/* The emulated device has WQs on Ethernet only. */
Test(mlx5_record, the_view_of_a_wq_is_that_of_a_receive_queue)
{
	struct ibv_wq raw = { .context = vx_ctx_raw(ctx), .pd = vx_pd_raw(pd), .wq_num = 7 };
	struct mlx5dv_rwq view;
	struct vx_wq *wq;

	replace("mlx5dv_init_obj", init_obj);
	made(vx_wq_borrow(pd, &raw, &wq));
	made(vx_mlx5_wq_view(wq, &view));
	cr_expect_eq(view.wqe_cnt, 64);
	cr_expect_null(view.buf);
	made(vx_close(wq));
}

/* ---- numbers ---- */

#if VX_RDMA_CORE >= 34
static uint32_t given_back;

static int qpn_alloc(struct ibv_context *context, uint32_t *qpn)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	*qpn = 0x123;
	return 0;
}

static int qpn_dealloc(struct ibv_context *context, uint32_t qpn)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	given_back = qpn;
	return 0;
}

Test(mlx5_record, a_reserved_number_is_given_back)
{
	struct vx_mlx5_qpn *qpn;

	replace("mlx5dv_reserved_qpn_alloc", qpn_alloc);
	replace("mlx5dv_reserved_qpn_dealloc", qpn_dealloc);
	made(vx_mlx5_qpn_create(ctx, NULL, &qpn));
	cr_expect_eq(vx_mlx5_qpn_qpn(qpn), 0x123);
	made(vx_close(qpn));
	cr_expect_eq(given_back, 0x123);
}
#endif

/* ---- regions of dma-bufs ---- */

#if VX_RDMA_CORE >= 54
static struct ibv_mr mr_raw;

static struct ibv_mr *reg_dmabuf(struct ibv_pd *raw, uint64_t offset, size_t length, uint64_t iova, int fd, int access, int mlx5_access)
{
	cr_expect_eq(raw, vx_pd_raw(pd));
	cr_expect_eq(offset, 4096);
	cr_expect_eq(length, 64);
	cr_expect_eq(iova, 0x10000);
	cr_expect_eq(fd, 5);
	cr_expect_eq(access, IBV_ACCESS_LOCAL_WRITE);
	cr_expect_eq(mlx5_access, MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT);
	mr_raw = (struct ibv_mr){ .context = raw->context, .pd = raw, .length = length, .lkey = 9 };
	return &mr_raw;
}

static int dereg(struct ibv_mr *raw)
{
	cr_expect_eq(raw, &mr_raw);
	ended_of++;
	return 0;
}

Test(mlx5_record, a_region_of_a_dma_buf_is_reached_directly)
{
	struct vx_mlx5_mr_init init = { .offset = 4096, .length = 64, .iova = 0x10000, .fd = -1,
					.mlx5_access = MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT };
	struct vx_mr *mr;

	replace("mlx5dv_reg_dmabuf_mr", reg_dmabuf);
	replace("ibv_dereg_mr", dereg);
	cr_expect_eq(vx_mlx5_mr_create(pd, &init, &mr), -EINVAL);
	expect_reason("fd is below 0");
	init.fd = 5;
	made(vx_mlx5_mr_create(pd, &init, &mr));
	cr_expect_eq(vx_mr_raw(mr), &mr_raw);
	cr_expect_null(vx_mr_memory(mr));
	made(vx_close(pd));
	cr_expect_eq(ended_of, 1);
	made(vx_pd_create(ctx, NULL, &pd));
}
#endif

/* ---- what other processes made ---- */

#if VX_RDMA_CORE >= 63
static void *imported;

static struct mlx5dv_devx_obj *import_obj(struct ibv_context *context, void *data)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	imported = data;
	return RAW(OBJECT);
}

static void unimport_obj(struct mlx5dv_devx_obj *obj)
{
	end(obj);
}

static struct mlx5dv_devx_umem *import_umem(struct ibv_context *context, void *data)
{
	return (void *)import_obj(context, data);
}

static void unimport_umem(struct mlx5dv_devx_umem *umem)
{
	end(umem);
}

static struct mlx5dv_var *import_var(struct ibv_context *context, void *data)
{
	return (void *)import_obj(context, data);
}

static void unimport_var(struct mlx5dv_var *var)
{
	end(var);
}

Test(mlx5_record, memory_that_is_imported_is_left_to_its_owner)
{
	struct vx_mlx5_devx_umem *umem;
	struct vx_mlx5_var *var;
	char data[16];

	replace("mlx5dv_devx_umem_import", import_umem);
	replace("mlx5dv_devx_umem_unimport", unimport_umem);
	replace("mlx5dv_var_import", import_var);
	replace("mlx5dv_var_unimport", unimport_var);
	made(vx_mlx5_devx_umem_import(ctx, data, &umem));
	made(vx_close(umem));
	made(vx_mlx5_var_import(ctx, data, &var));
	made(vx_close(var));
	cr_expect_eq(ended_of, 2);
	cr_expect_eq(vx_mlx5_var_import(ctx, NULL, &var), -EINVAL);
}

Test(mlx5_record, what_is_imported_is_left_to_its_owner)
{
	struct vx_mlx5_devx_obj *obj;
	char data[16];

	replace("mlx5dv_devx_obj_import", import_obj);
	replace("mlx5dv_devx_obj_unimport", unimport_obj);
	made(vx_mlx5_devx_obj_import(ctx, data, &obj));
	cr_expect_eq(imported, data);
	made(vx_close(obj));
	cr_assert_eq(ended_of, 1);
	cr_expect_eq(ended[0], OBJECT);
}
#endif

/* ---- what a device has not ---- */

/* It tells what it is asked for, as libmlx5 does. */
static int able_device(struct ibv_context *context, struct mlx5dv_context *attrs)
{
	(void)context;
	attrs->comp_mask &= MLX5DV_CONTEXT_MASK_STRIDING_RQ | MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS;
	if (attrs->comp_mask & MLX5DV_CONTEXT_MASK_STRIDING_RQ)
		attrs->striding_rq_caps = (struct mlx5dv_striding_rq_caps){ 6, 13, 9, 16, 1u << IBV_QPT_RAW_PACKET };
	if (attrs->comp_mask & MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS)
		attrs->tunnel_offloads_caps = MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN;
	return 0;
}

static struct ibv_wq *no_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr, struct mlx5dv_wq_init_attr *mlx5_attr)
{
	(void)context;
	(void)attr;
	cr_expect_eq(mlx5_attr->striding_rq_attrs.single_stride_log_num_of_bytes, 14);
	errno = EINVAL;
	return NULL;
}

Test(mlx5_record, strides_that_are_too_long_are_told_by_what_the_device_has)
{
	struct mlx5dv_wq_init_attr attr = { .comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ,
					    .striding_rq_attrs = { .single_stride_log_num_of_bytes = 14, .single_wqe_log_num_of_strides = 17 } };
	struct vx_mlx5_wq_init init = { .mlx5dv_wq_init_attr = &attr };
	struct vx_wq *wq;

	made(vx_cq_create(ctx, NULL, &init.cq));
	replace("mlx5dv_query_device", able_device);
	replace("mlx5dv_create_wq", no_wq);
	cr_expect_eq(vx_mlx5_wq_create(pd, &init, &wq), -EINVAL);
	expect_reason("single_stride_log_num_of_bytes = 16384 (14), but the device allows striding_rq_caps.max_single_stride_log_num_of_bytes = 8192 (13)");
	expect_reason("single_wqe_log_num_of_strides = 131072 (17), but the device allows striding_rq_caps.max_single_wqe_log_num_of_strides = 65536 (16)");
}

static struct ibv_qp *no_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct mlx5dv_qp_init_attr *mlx5_attr)
{
	(void)context;
	(void)attr;
	cr_expect_eq(mlx5_attr->create_flags, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS);
	errno = EINVAL;
	return NULL;
}

static void expect_no_word_of(const char *words)
{
	cr_expect_null(strstr(vx_error_text(), words), "%s", vx_error_text());
}

Test(mlx5_record, what_a_device_has_is_not_said_to_lack)
{
	struct mlx5dv_wq_init_attr striding = { .comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ, .striding_rq_attrs = { 14, 17, 0 } };
	struct mlx5dv_qp_init_attr tunnels = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS, .create_flags = MLX5DV_QP_CREATE_TUNNEL_OFFLOADS };
	struct vx_mlx5_wq_init init = { .mlx5dv_wq_init_attr = &striding };
	struct vx_wq *wq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &init.cq));
	replace("mlx5dv_query_device", able_device);
	replace("mlx5dv_create_wq", no_wq);
	replace("mlx5dv_create_qp", no_qp);
	cr_expect_eq(vx_mlx5_wq_create(pd, &init, &wq), -EINVAL);
	expect_no_word_of("the device has no striding receive queues");
	cr_expect_eq(vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = init.cq, .recv_cq = init.cq,
								      .mlx5dv_qp_init_attr = &tunnels }, &qp), -EINVAL);
	expect_no_word_of("the device knows no tunnels");
}

/* ---- what is out of memory ---- */

static struct mlx5dv_mkey *no_mkey(struct mlx5dv_mkey_init_attr *attr)
{
	cr_expect_eq(attr->max_entries, 60000);
	errno = ENOMEM;
	return NULL;
}

Test(mlx5_record, a_key_that_the_device_has_no_room_for_is_told_by_its_entries)
{
	struct vx_mlx5_mkey *mkey = NULL;

	replace("mlx5dv_create_mkey", no_mkey);
	cr_expect_eq(vx_mlx5_mkey_create(pd, &(struct vx_mlx5_mkey_init){ .max_entries = 60000 }, &mkey), -ENOMEM);
	expect_reason("max_entries = 60000 may be more than the device takes, or it has no mkey left");
	cr_expect_null(mkey);
}

static ssize_t lost_events(struct mlx5dv_devx_event_channel *channel, struct mlx5dv_devx_async_event_hdr *data, size_t length)
{
	(void)channel;
	(void)data;
	(void)length;
	errno = EOVERFLOW;
	return -1;
}

Test(mlx5_record, events_that_are_lost_are_told_of_however_they_are_read)
{
	const char *lost = "the kernel had no memory for events: some are lost";
	struct mlx5dv_devx_async_event_hdr event;
	struct vx_mlx5_event_channel *channel;
	uint16_t port_change = 9;
	size_t length = 7;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	made(vx_mlx5_event_channel_subscribe(channel, NULL, sizeof(port_change), &port_change, 0));
	send_event("devx_event", port_change);
	replace("mlx5dv_devx_get_event", lost_events);
	cr_expect_eq(vx_mlx5_event_channel_get_event(channel, &event, sizeof(event), &length), -EOVERFLOW);
	expect_reason(lost);
	vx_error_clear();
	cr_expect_eq(vx_mlx5_event_channel_wait(channel, SOON, &event, sizeof(event), &length), -EOVERFLOW);
	expect_reason(lost);
	cr_expect_eq(length, 7);
}
