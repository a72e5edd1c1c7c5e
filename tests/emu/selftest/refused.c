/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What is not emulated is refused: each call of the kernel's ABI, and each flag that asks for more. */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <sys/ioctl.h>

#include "selftest.h"

TestSuite(refused, .init = open_mlx5, .fini = close_bed);

#define DRIVER (1u << UVERBS_ID_NS_SHIFT)
#define METHODS 8 /* more than any object has, in each of the two name spaces */
#define BIT(id) (1u << (id))
#define DRIVER_BIT(id) (1u << (METHODS + (id)-DRIVER))
#define ANY_COMMAND IB_USER_VERBS_EX_CMD_MODIFY_CQ

/* The methods of each object that the kernel knows and this device does not: ESP, DMA-buf... */
static const struct {
	uint16_t object;
	uint32_t methods;
} unsupported[] = {
	{ UVERBS_OBJECT_DEVICE, BIT(UVERBS_METHOD_INFO_HANDLES) },
	{ UVERBS_OBJECT_MR, BIT(UVERBS_METHOD_REG_DMABUF_MR) },
	{ UVERBS_OBJECT_FLOW_ACTION,
	  BIT(UVERBS_METHOD_FLOW_ACTION_ESP_CREATE) | BIT(UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY) },
};

/* The methods of each object that are answered */
static const struct {
	uint16_t object;
	uint32_t methods;
} answered[] = {
	{ UVERBS_OBJECT_DEVICE,
	  BIT(UVERBS_METHOD_INVOKE_WRITE) | BIT(UVERBS_METHOD_QUERY_PORT) | BIT(UVERBS_METHOD_GET_CONTEXT) |
		  BIT(UVERBS_METHOD_QUERY_CONTEXT) | BIT(UVERBS_METHOD_QUERY_GID_TABLE) |
		  BIT(UVERBS_METHOD_QUERY_GID_ENTRY) | DRIVER_BIT(MLX5_IB_METHOD_QUERY_PORT) },
	{ UVERBS_OBJECT_PD, BIT(UVERBS_METHOD_PD_DESTROY) | DRIVER_BIT(MLX5_IB_METHOD_PD_QUERY) },
	{ UVERBS_OBJECT_CQ, BIT(UVERBS_METHOD_CQ_CREATE) | BIT(UVERBS_METHOD_CQ_DESTROY) },
	{ UVERBS_OBJECT_QP, BIT(UVERBS_METHOD_QP_CREATE) | BIT(UVERBS_METHOD_QP_DESTROY) },
	{ UVERBS_OBJECT_SRQ, BIT(UVERBS_METHOD_SRQ_CREATE) | BIT(UVERBS_METHOD_SRQ_DESTROY) },
	{ UVERBS_OBJECT_AH, BIT(UVERBS_METHOD_AH_DESTROY) },
	{ UVERBS_OBJECT_MR, BIT(UVERBS_METHOD_DM_MR_REG) | BIT(UVERBS_METHOD_MR_DESTROY) |
				    BIT(UVERBS_METHOD_QUERY_MR) | BIT(UVERBS_METHOD_ADVISE_MR) },
	{ UVERBS_OBJECT_MW, BIT(UVERBS_METHOD_MW_DESTROY) },
	{ UVERBS_OBJECT_XRCD, BIT(UVERBS_METHOD_XRCD_DESTROY) },
	{ UVERBS_OBJECT_RWQ_IND_TBL, BIT(UVERBS_METHOD_RWQ_IND_TBL_DESTROY) },
	{ UVERBS_OBJECT_FLOW, BIT(UVERBS_METHOD_FLOW_DESTROY) | DRIVER_BIT(MLX5_IB_METHOD_CREATE_FLOW) |
				      DRIVER_BIT(MLX5_IB_METHOD_DESTROY_FLOW) },
	{ UVERBS_OBJECT_FLOW_ACTION, BIT(UVERBS_METHOD_FLOW_ACTION_DESTROY) |
					     DRIVER_BIT(MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER) |
					     DRIVER_BIT(MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT) },
	{ MLX5_IB_OBJECT_FLOW_MATCHER,
	  DRIVER_BIT(MLX5_IB_METHOD_FLOW_MATCHER_CREATE) | DRIVER_BIT(MLX5_IB_METHOD_FLOW_MATCHER_DESTROY) },
	{ MLX5_IB_OBJECT_STEERING_ANCHOR, DRIVER_BIT(MLX5_IB_METHOD_STEERING_ANCHOR_CREATE) |
						  DRIVER_BIT(MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY) },
	{ UVERBS_OBJECT_COUNTERS, BIT(UVERBS_METHOD_COUNTERS_CREATE) | BIT(UVERBS_METHOD_COUNTERS_DESTROY) |
					  BIT(UVERBS_METHOD_COUNTERS_READ) },
	{ UVERBS_OBJECT_WQ, BIT(UVERBS_METHOD_WQ_CREATE) | BIT(UVERBS_METHOD_WQ_DESTROY) },
	{ UVERBS_OBJECT_DM,
	  BIT(UVERBS_METHOD_DM_ALLOC) | BIT(UVERBS_METHOD_DM_FREE) | DRIVER_BIT(MLX5_IB_METHOD_DM_QUERY) |
		  DRIVER_BIT(MLX5_IB_METHOD_DM_MAP_OP_ADDR) },
	{ UVERBS_OBJECT_ASYNC_EVENT, BIT(UVERBS_METHOD_ASYNC_EVENT_ALLOC) },
	{ MLX5_IB_OBJECT_DEVX, DRIVER_BIT(MLX5_IB_METHOD_DEVX_OTHER) |
				       DRIVER_BIT(MLX5_IB_METHOD_DEVX_QUERY_UAR) |
				       DRIVER_BIT(MLX5_IB_METHOD_DEVX_QUERY_EQN) |
				       DRIVER_BIT(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT) },
	{ MLX5_IB_OBJECT_DEVX_OBJ,
	  DRIVER_BIT(MLX5_IB_METHOD_DEVX_OBJ_CREATE) | DRIVER_BIT(MLX5_IB_METHOD_DEVX_OBJ_DESTROY) |
		  DRIVER_BIT(MLX5_IB_METHOD_DEVX_OBJ_MODIFY) | DRIVER_BIT(MLX5_IB_METHOD_DEVX_OBJ_QUERY) |
		  DRIVER_BIT(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY) },
	{ MLX5_IB_OBJECT_DEVX_UMEM,
	  DRIVER_BIT(MLX5_IB_METHOD_DEVX_UMEM_REG) | DRIVER_BIT(MLX5_IB_METHOD_DEVX_UMEM_DEREG) },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, DRIVER_BIT(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC) },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, DRIVER_BIT(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC) },
	{ MLX5_IB_OBJECT_VAR,
	  DRIVER_BIT(MLX5_IB_METHOD_VAR_OBJ_ALLOC) | DRIVER_BIT(MLX5_IB_METHOD_VAR_OBJ_DESTROY) },
	{ MLX5_IB_OBJECT_PP,
	  DRIVER_BIT(MLX5_IB_METHOD_PP_OBJ_ALLOC) | DRIVER_BIT(MLX5_IB_METHOD_PP_OBJ_DESTROY) },
	{ MLX5_IB_OBJECT_UAR,
	  DRIVER_BIT(MLX5_IB_METHOD_UAR_OBJ_ALLOC) | DRIVER_BIT(MLX5_IB_METHOD_UAR_OBJ_DESTROY) },
};

static const uint32_t commands[] = {
	IB_USER_VERBS_CMD_QUERY_DEVICE,
	IB_USER_VERBS_CMD_ALLOC_PD,
	IB_USER_VERBS_CMD_CREATE_AH,
	IB_USER_VERBS_CMD_REG_MR,
	IB_USER_VERBS_CMD_REREG_MR,
	IB_USER_VERBS_CMD_ALLOC_MW,
	IB_USER_VERBS_CMD_RESIZE_CQ,
	IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL,
	IB_USER_VERBS_CMD_QUERY_QP,
	IB_USER_VERBS_CMD_MODIFY_QP,
	IB_USER_VERBS_CMD_ATTACH_MCAST,
	IB_USER_VERBS_CMD_DETACH_MCAST,
	IB_USER_VERBS_CMD_CREATE_SRQ,
	IB_USER_VERBS_CMD_MODIFY_SRQ,
	IB_USER_VERBS_CMD_QUERY_SRQ,
	IB_USER_VERBS_CMD_OPEN_XRCD,
	IB_USER_VERBS_CMD_OPEN_QP,
	IB_USER_VERBS_EX_CMD_MODIFY_WQ,
	IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL,
	IB_USER_VERBS_EX_CMD_MODIFY_CQ,
	IB_USER_VERBS_EX_CMD_CREATE_FLOW,
};

static uint32_t unsupported_of(uint16_t object)
{
	for (size_t i = 0; i < SIZE(unsupported); i++)
		if (unsupported[i].object == object)
			return unsupported[i].methods;
	return 0;
}

static uint32_t answered_of(uint16_t object)
{
	for (size_t i = 0; i < SIZE(answered); i++)
		if (answered[i].object == object)
			return answered[i].methods;
	return 0;
}

static int call(uint16_t object, uint16_t method)
{
	struct ib_uverbs_ioctl_hdr h = { .length = sizeof(h), .object_id = object, .method_id = method };

	return ioctl(bed.ctx->cmd_fd, RDMA_VERBS_IOCTL, &h) ? errno : 0;
}

/* The probe of libibverbs has an answer of its own */
static int answer_to(uint16_t object, uint16_t method)
{
	uint32_t bit = BIT(method < DRIVER ? method : METHODS + method - DRIVER);

	if (unsupported_of(object) & bit)
		return EOPNOTSUPP;
	if (!(answered_of(object) & bit))
		return EPROTONOSUPPORT;
	return object == UVERBS_OBJECT_DEVICE && method == UVERBS_METHOD_INVOKE_WRITE ? ENOSPC : EINVAL;
}

static void walk_methods(uint16_t object)
{
	for (uint16_t m = 0; m < METHODS; m++) {
		cr_expect_eq(call(object, m), answer_to(object, m), "object %x, method %x", object, m);
		cr_expect_eq(call(object, DRIVER + m), answer_to(object, DRIVER + m), "object %x, method %x",
			     object, DRIVER + m);
	}
}

Test(refused, each_method_that_is_not_emulated)
{
	for (uint16_t o = 0; o <= UVERBS_OBJECT_ASYNC_EVENT + 1; o++)
		walk_methods(o);
	for (uint16_t o = MLX5_IB_OBJECT_DEVX; o <= MLX5_IB_OBJECT_STEERING_ANCHOR + 1; o++)
		walk_methods(o);
}

/* And is told of on stderr, as no capability says so */
Test(refused, operations_of_device_memory)
{
	struct ibv_alloc_dm_attr a = { .length = 64 };
	struct ibv_dm *dm = ibv_alloc_dm(bed.ctx, &a);

	CHECK(dm);
	CHECK(!mlx5dv_dm_map_op_addr(dm, 0) && errno == EOPNOTSUPP);
	CHECK(!ibv_free_dm(dm));
}

/* With a request that is too short for any */
static int send_command(uint32_t command)
{
	return call_kernel(bed.ctx, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
			   (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_CORE_IN, .len = 1 },
			   (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_WRITE_CMD, .len = 8, .data = command });
}

static int answer_to_command(uint32_t command)
{
	for (size_t i = 0; i < SIZE(commands); i++)
		if (commands[i] == command)
			return ENOSPC;
	return EOPNOTSUPP;
}

Test(refused, each_command_that_is_not_emulated)
{
	for (uint32_t n = 0; n <= ANY_COMMAND + 1; n++)
		cr_expect_eq(send_command(n), answer_to_command(n), "command %u", n);
}

static int try_qp(uint32_t create_flags, uint64_t dv_flags)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = bed.cq,
		.recv_cq = bed.cq,
		.qp_type = IBV_QPT_UD,
		.cap = { 1, 1, 1, 1, 0 },
		.pd = bed.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = create_flags,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = dv_flags ? MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS : 0,
		.create_flags = dv_flags,
	};
	struct ibv_qp *q = mlx5dv_create_qp(bed.ctx, &a, &dv);

	if (!q)
		return errno;
	CHECK(!ibv_destroy_qp(q));
	return 0;
}

Test(refused, flags_of_a_qp)
{
	static const uint32_t flags[] = { IBV_QP_CREATE_BLOCK_SELF_MCAST_LB, IBV_QP_CREATE_SCATTER_FCS,
					  IBV_QP_CREATE_CVLAN_STRIPPING, IBV_QP_CREATE_PCI_WRITE_END_PADDING,
					  1u << 31 };

	CHECK(!try_qp(0, 0));
	for (size_t i = 0; i < SIZE(flags); i++)
		cr_expect(try_qp(flags[i], 0), "flag %x", flags[i]);
	cr_expect(try_qp(0, MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE));
	cr_expect(try_qp(0, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS));
}

Test(refused, access_to_memory_that_is_unknown)
{
	struct ibv_mr *relaxed = ibv_reg_mr(bed.pd, bed.buf, 4096, IBV_ACCESS_RELAXED_ORDERING);

	CHECK(relaxed && !ibv_dereg_mr(relaxed));
	CHECK(!ibv_reg_mr(bed.pd, bed.buf, 4096, 1 << 12) && errno == EINVAL);
	CHECK(!ibv_reg_dmabuf_mr(bed.pd, 0, 4096, 0, 0, 0) && errno == EOPNOTSUPP);
}

/* As in kernels, which have it on InfiniBand only; it is kept, and nobody migrates to it */
Test(refused, another_path_on_ethernet)
{
	const int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_ALT_PATH;
	struct ibv_qp_attr a = path_to(bed.b->qp_num);
	struct ibv_qp_init_attr init;

	to_reset(bed.a);
	to_init(bed.a, 0);
	a.qp_state = IBV_QPS_RTR;
	a.alt_ah_attr = a.ah_attr;
	a.alt_port_num = 9;
	CHECK(ibv_modify_qp(bed.a, &a, mask) == EINVAL);
	a.alt_port_num = 1;
	a.alt_timeout = 17;
	if (bed.ethernet) {
		CHECK(ibv_modify_qp(bed.a, &a, mask) == EINVAL);
		return;
	}
	CHECK(!ibv_modify_qp(bed.a, &a, mask));
	CHECK(!ibv_query_qp(bed.a, &a, IBV_QP_ALT_PATH, &init));
	CHECK(a.alt_port_num == 1 && a.alt_timeout == 17);
}

Test(refused, a_rate_of_sending)
{
	struct ibv_qp_attr a = { .rate_limit = 1000 };

	CHECK(ibv_modify_qp(bed.a, &a, IBV_QP_RATE_LIMIT) == EINVAL);
}

/* libmlx5 sees by itself that the device has none */
Test(refused, tag_matching)
{
	struct ibv_srq_init_attr_ex a = {
		.attr = { 4, 1, 0 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_TM,
		.srq_type = IBV_SRQT_TM,
		.pd = bed.pd,
		.cq = bed.cq,
		.tm_cap = { 4, 1 },
	};

	CHECK(!ibv_create_srq_ex(bed.ctx, &a));
}

Test(refused, compression_of_completions_by_strides)
{
	struct ibv_cq_init_attr_ex a = { .cqe = 4 };
	struct mlx5dv_cq_init_attr dv = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
					  .cqe_comp_res_format = MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX };

	CHECK(!mlx5dv_create_cq(bed.ctx, &a, &dv));
}
