/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Two RC QPs that are made by commands alone, with WQEs and CQEs that are written and read where they are. */

#include <endian.h>
#include <time.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>
#include <verbsx/mlx5_wqe.h>

#include "pair.h"

#define PATIENCE_S 20
#define LENGTH 256
#define IMMEDIATE 0x12345678u

enum { DOORBELL = 0, CQ_DOORBELL = 64, CQES = 4096, RQ = 8192, LOG_ENTRIES = 4, ENTRIES = 1 << LOG_ENTRIES, SQ = RQ + 16 * ENTRIES, QUEUES = 16384 };
enum { ALL_STATES_PM = 3, ACCESS_GIVEN = 0xe }; /* of the manual's QPC */

struct end {
	uint8_t queues[QUEUES] __attribute__((aligned(4096)));
	uint8_t data[LENGTH];
	struct vx_mlx5_devx_umem *umem;
	struct vx_mlx5_devx_uar *uar;
	struct vx_mlx5_devx_obj *cq, *qp;
	struct vx_mr *mr;
	uint64_t cqn, qpn;
};

static struct end client, server;

/* ---- commands: of each the fields, and what is made ---- */

struct field {
	uint32_t field;
	uint64_t value;
};

static uint32_t in[272 / 4], out[272 / 4];

static void fill(uint32_t opcode, const struct field *fields, size_t count)
{
	size_t i;

	made(vx_mlx5_cmd_begin(in, sizeof(in), opcode));
	for (i = 0; i < count; i++)
		made(vx_mlx5_cmd_set(in, sizeof(in), fields[i].field, fields[i].value));
}

#define FILL(opcode, ...) fill(opcode, (const struct field[]){ __VA_ARGS__ }, sizeof((const struct field[]){ __VA_ARGS__ }) / sizeof(struct field))

/* It uses the memory of the queues and the page of doorbells, which stay as long as it does. */
static struct vx_mlx5_devx_obj *command(struct end *e, uint32_t number, uint64_t *value)
{
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out), .uses = (void *[]){ e->umem, e->uar, e->cq }, .count = e->cq ? 3 : 2 };
	struct vx_mlx5_devx_obj *obj;

	made(vx_mlx5_devx_obj_create(ctx, &init, &obj));
	made(vx_mlx5_cmd_get(out, sizeof(out), number, value));
	return obj;
}

static void make_cq(struct end *e)
{
	uint32_t eqn, umem = vx_mlx5_devx_umem_raw(e->umem)->umem_id;

	memset(e->queues + CQES, 0xff, 64 * ENTRIES); /* entries that are nobody's */
	made(vx_mlx5_ctx_devx_query_eqn(ctx, 0, &eqn));
	FILL(VX_MLX5_CMD_CREATE_CQ, { VX_MLX5_CREATE_CQ_LOG_CQ_SIZE, LOG_ENTRIES }, { VX_MLX5_CREATE_CQ_UAR_PAGE, vx_mlx5_devx_uar_raw(e->uar)->page_id },
	     { VX_MLX5_CREATE_CQ_C_EQN, eqn }, { VX_MLX5_CREATE_CQ_DBR_UMEM_VALID, 1 }, { VX_MLX5_CREATE_CQ_DBR_UMEM_ID, umem },
	     { VX_MLX5_CREATE_CQ_DBR_ADDR, CQ_DOORBELL }, { VX_MLX5_CREATE_CQ_CQ_UMEM_VALID, 1 }, { VX_MLX5_CREATE_CQ_CQ_UMEM_ID, umem },
	     { VX_MLX5_CREATE_CQ_CQ_UMEM_OFFSET, CQES });
	e->cq = command(e, VX_MLX5_CREATE_CQ_OUT_CQN, &e->cqn);
}

static void make_qp(struct end *e)
{
	uint32_t umem = vx_mlx5_devx_umem_raw(e->umem)->umem_id;
	struct mlx5dv_pd view = { 0 };

	made(vx_mlx5_pd_view(pd, &view));
	FILL(VX_MLX5_CMD_CREATE_QP, { VX_MLX5_CREATE_QP_PM_STATE, ALL_STATES_PM }, { VX_MLX5_CREATE_QP_PD, view.pdn },
	     { VX_MLX5_CREATE_QP_UAR_PAGE, vx_mlx5_devx_uar_raw(e->uar)->page_id }, { VX_MLX5_CREATE_QP_LOG_RQ_SIZE, LOG_ENTRIES },
	     { VX_MLX5_CREATE_QP_LOG_SQ_SIZE, LOG_ENTRIES }, { VX_MLX5_CREATE_QP_CQN_SND, e->cqn }, { VX_MLX5_CREATE_QP_CQN_RCV, e->cqn },
	     { VX_MLX5_CREATE_QP_DBR_UMEM_VALID, 1 }, { VX_MLX5_CREATE_QP_DBR_UMEM_ID, umem }, { VX_MLX5_CREATE_QP_DBR_ADDR, DOORBELL },
	     { VX_MLX5_CREATE_QP_WQ_UMEM_VALID, 1 }, { VX_MLX5_CREATE_QP_WQ_UMEM_ID, umem }, { VX_MLX5_CREATE_QP_WQ_UMEM_OFFSET, RQ });
	e->qp = command(e, VX_MLX5_CREATE_QP_OUT_QPN, &e->qpn);
}

static void open_end(struct end *e)
{
	memset(e, 0, sizeof(*e));
	made(vx_mlx5_devx_umem_create(ctx, &(struct vx_mlx5_devx_umem_init){ .addr = e->queues, .size = QUEUES }, &e->umem));
	made(vx_mlx5_devx_uar_create(ctx, &(struct vx_mlx5_devx_uar_init){ .flags = MLX5DV_UAR_ALLOC_TYPE_NC }, &e->uar));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = e->data, .length = LENGTH, .access = IBV_ACCESS_LOCAL_WRITE }, &e->mr));
	make_cq(e);
	make_qp(e);
}

static void transit(const struct end *e)
{
	made(vx_mlx5_devx_obj_modify(e->qp, in, sizeof(in), out, sizeof(out)));
}

static void to_rts(const struct end *e, const struct end *peer)
{
	struct ibv_port_attr port;
	struct ibv_gid_entry own;

	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_query_gid(ctx, 1, 0, &own));
	FILL(VX_MLX5_CMD_RST2INIT_QP, { VX_MLX5_RST2INIT_QP_QPN, e->qpn }, { VX_MLX5_RST2INIT_QP_PRIMARY_VHCA_PORT_NUM, 1 }, { VX_MLX5_RST2INIT_QP_PM_STATE, ALL_STATES_PM });
	transit(e);
	FILL(VX_MLX5_CMD_INIT2RTR_QP, { VX_MLX5_INIT2RTR_QP_QPN, e->qpn }, { VX_MLX5_INIT2RTR_QP_OPT_PARAM_MASK, ACCESS_GIVEN }, { VX_MLX5_INIT2RTR_QP_MTU, IBV_MTU_1024 },
	     { VX_MLX5_INIT2RTR_QP_LOG_MSG_MAX, 30 }, { VX_MLX5_INIT2RTR_QP_REMOTE_QPN, peer->qpn }, { VX_MLX5_INIT2RTR_QP_MIN_RNR_NAK, 12 },
	     { VX_MLX5_INIT2RTR_QP_PRIMARY_GRH, port.link_layer == IBV_LINK_LAYER_ETHERNET }, { VX_MLX5_INIT2RTR_QP_PRIMARY_RLID, port.lid },
	     { VX_MLX5_INIT2RTR_QP_PRIMARY_VHCA_PORT_NUM, 1 }, { VX_MLX5_INIT2RTR_QP_PRIMARY_HOP_LIMIT, 1 },
	     { VX_MLX5_INIT2RTR_QP_PRIMARY_RGID_RIP_127_64, be64toh(own.gid.global.subnet_prefix) },
	     { VX_MLX5_INIT2RTR_QP_PRIMARY_RGID_RIP_63_0, be64toh(own.gid.global.interface_id) });
	transit(e);
	FILL(VX_MLX5_CMD_RTR2RTS_QP, { VX_MLX5_RTR2RTS_QP_QPN, e->qpn }, { VX_MLX5_RTR2RTS_QP_PRIMARY_ACK_TIMEOUT, 14 }, { VX_MLX5_RTR2RTS_QP_RETRY_COUNT, 7 },
	     { VX_MLX5_RTR2RTS_QP_RNR_RETRY, 7 });
	transit(e);
}

/* ---- requests and completions, the n-th of each ---- */

static void ring(struct end *e, unsigned int which, unsigned int posted)
{
	__atomic_store_n((__be32 *)(void *)(e->queues + DOORBELL) + which, htobe32(posted), __ATOMIC_RELEASE);
}

static struct mlx5_wqe_data_seg data_of(const struct end *e)
{
	return (struct mlx5_wqe_data_seg){ htobe32(LENGTH), htobe32(vx_mr_lkey(e->mr)), htobe64((uintptr_t)e->data) };
}

static void post_recv(struct end *e, unsigned int n)
{
	((struct mlx5_wqe_data_seg *)(void *)(e->queues + RQ))[n % ENTRIES] = data_of(e);
	ring(e, MLX5_RCV_DBR, n + 1);
}

static void post_send_imm(struct end *e, unsigned int n)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)(e->queues + SQ + MLX5_SEND_WQE_BB * (n % ENTRIES));
	struct mlx5_wqe_data_seg *data = (void *)(ctrl + 1);

	mlx5dv_set_ctrl_seg(ctrl, (uint16_t)n, MLX5_OPCODE_SEND_IMM, 0, (uint32_t)e->qpn, MLX5_WQE_CTRL_CQ_UPDATE, 2, 0, htobe32(IMMEDIATE + n));
	*data = data_of(e);
	ring(e, MLX5_SND_DBR, n + 1);
	__atomic_store_n((uint64_t *)vx_mlx5_devx_uar_raw(e->uar)->reg_addr, *(uint64_t *)(void *)ctrl, __ATOMIC_RELEASE);
}

static const struct mlx5_cqe64 *completed(struct end *e, unsigned int n, uint8_t opcode)
{
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)(void *)(e->queues + CQES) + n % ENTRIES;
	const time_t end = time(NULL) + PATIENCE_S;
	uint8_t own;
	char text[512];

	do {
		cr_assert_lt(time(NULL), end, "nothing has completed");
		own = __atomic_load_n(&cqe->op_own, __ATOMIC_ACQUIRE);
	} while ((own & 1) != (n >> LOG_ENTRIES & 1) || own >> 4 == MLX5_CQE_INVALID);
	vx_mlx5_cqe_snprint(text, sizeof(text), cqe, sizeof(*cqe));
	cr_assert_eq(own >> 4, opcode, "%s", text);
	*(__be32 *)(void *)(e->queues + CQ_DOORBELL) = htobe32(n + 1);
	return cqe;
}

/* Upstream's asks for capabilities by commands of later firmware first, and is skipped where there are none: these queues are of any. */
Twin(test_mlx5_devx, Mlx5DevxRcTrafficTest, test_devx_rc_qp_send_imm_traffic)
{
	const struct mlx5_cqe64 *cqe;
	unsigned int n;

	open_end(&client);
	open_end(&server);
	to_rts(&client, &server);
	to_rts(&server, &client);
	for (n = 0; n < 3 * ENTRIES; n++) { /* more often than a queue has entries */
		memset(client.data, (int)n + 1, LENGTH);
		memset(server.data, 0, LENGTH);
		post_recv(&server, n);
		post_send_imm(&client, n);
		cqe = completed(&server, n, MLX5_CQE_RESP_SEND_IMM);
		cr_expect_eq(be32toh(cqe->imm_inval_pkey), IMMEDIATE + n);
		cr_expect_eq(be32toh(cqe->byte_cnt), LENGTH);
		completed(&client, n, MLX5_CQE_REQ);
		cr_assert_eq(memcmp(client.data, server.data, LENGTH), 0);
	}
	closed(client.umem); /* and what is in it */
	closed(server.umem);
}
