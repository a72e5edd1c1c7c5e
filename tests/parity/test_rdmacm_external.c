/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm of QPs that it does not know: of a program's own, RC ones and DC ones of mlx5. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "cm_ends.h"

static void own_qp(struct end *end)
{
	struct vx_ctx *lent;
	struct vx_pd *lent_pd;

	made(vx_cm_id_ctx(end->id, &lent));
	made(vx_cm_id_pd(end->id, &lent_pd));
	made(vx_cq_create(lent, NULL, &end->cq));
	made(vx_qp_create(lent_pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RC, .send_cq = end->cq, .recv_cq = end->cq }, &end->qp));
	make_memory(end);
}

static void move(const struct end *end, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	made(vx_cm_id_init_qp_attr(end->id, &attr, &mask));
	made(vx_qp_modify(end->qp, &attr, mask));
}

static struct rdma_conn_param with_qp(const struct end *end)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.qp_num = vx_qp_raw(end->qp)->qp_num;
	param.responder_resources = param.initiator_depth = 1;
	return param;
}

static void next_of(const struct end *end)
{
	struct ibv_wc wc;
	int got;

	while (!(got = vx_cq_poll(end->cq, 1, &wc)))
		;
	cr_assert_eq(got, 1);
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
}

Twin(test_rdmacm, CMTestCase, test_rdmacm_async_traffic_external_qp)
{
	struct ends ends = routed(RDMA_PS_TCP);
	struct rdma_conn_param param;
	struct ibv_sge here, there;
	struct ibv_recv_wr recv = { .sg_list = &there, .num_sge = 1 };
	struct ibv_send_wr send = { .sg_list = &here, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };

	own_qp(&ends.active);
	param = with_qp(&ends.active);
	made(vx_cm_id_connect(ends.active.id, &param));
	ends.passive.id = expect(&ends, RDMA_CM_EVENT_CONNECT_REQUEST).id;
	own_qp(&ends.passive);
	move(&ends.passive, IBV_QPS_INIT);
	move(&ends.passive, IBV_QPS_RTR);
	move(&ends.passive, IBV_QPS_RTS);
	param = with_qp(&ends.passive);
	made(vx_cm_id_accept(ends.passive.id, &param));
	expect(&ends, RDMA_CM_EVENT_CONNECT_RESPONSE);
	move(&ends.active, IBV_QPS_INIT);
	move(&ends.active, IBV_QPS_RTR);
	move(&ends.active, IBV_QPS_RTS);
	made(vx_cm_id_establish(ends.active.id));
	expect(&ends, RDMA_CM_EVENT_ESTABLISHED);
	here = (struct ibv_sge){ (uintptr_t)ends.active.bytes, ROOM, vx_mr_raw(ends.active.mr)->lkey };
	there = (struct ibv_sge){ (uintptr_t)ends.passive.bytes, ROOM, vx_mr_raw(ends.passive.mr)->lkey };
	memset(ends.active.bytes, 'x', ROOM);
	made(vx_qp_post_recv(ends.passive.qp, &recv, NULL));
	made(vx_qp_post_send(ends.active.qp, &send, NULL));
	next_of(&ends.active);
	next_of(&ends.passive);
	cr_expect_eq(memcmp(ends.active.bytes, ends.passive.bytes, ROOM), 0);
	closed(ends.active.cq);
	closed(ends.passive.cq);
	closed(ends.channel);
}

/* ---- a DCI that asks, and a DCT that answers: what one has to know of the other is its number, and the way there ---- */

enum { KEY = 0xadb };

static struct vx_pd *begin_own(struct end *end)
{
	struct vx_ctx *lent;
	struct vx_pd *lent_pd;

	made(vx_cm_id_ctx(end->id, &lent));
	made(vx_cm_id_pd(end->id, &lent_pd));
	made(vx_cq_create(lent, NULL, &end->cq));
	make_memory(end);
	return lent_pd;
}

static struct vx_srq *own_dct(struct end *end)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					    .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = KEY } };
	struct vx_mlx5_qp_init init = { .mlx5dv_qp_init_attr = &attr };
	struct vx_pd *of = begin_own(end);

	made(vx_srq_create(of, NULL, &init.srq));
	init.send_cq = init.recv_cq = end->cq;
	made(vx_mlx5_qp_create(of, &init, &end->qp));
	made(vx_qp_to_rtr(end->qp, &(struct vx_path){ .mask = VX_PATH_SPSN }));
	return init.srq;
}

static struct vx_pd *own_dci(struct end *end)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_mlx5_qp_init init = { .mlx5dv_qp_init_attr = &attr, .send_ops_flags = IBV_QP_EX_WITH_SEND };
	struct vx_pd *of = begin_own(end);

	init.send_cq = init.recv_cq = end->cq;
	made(vx_mlx5_qp_create(of, &init, &end->qp));
	made(vx_qp_to_rts(end->qp, &(struct vx_path){ .mask = VX_PATH_SPSN }));
	return of;
}

/* As librdmacm would connect a QP to the one that has answered. */
static struct vx_ah *way_of(const struct end *end, struct vx_pd *of, uint32_t *number)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	struct vx_ah *ah;
	int mask;

	made(vx_cm_id_init_qp_attr(end->id, &attr, &mask));
	*number = attr.dest_qp_num;
	made(vx_ah_create(of,
			  &(struct vx_ah_init){ .grh = attr.ah_attr.grh, .dlid = attr.ah_attr.dlid, .sl = attr.ah_attr.sl,
						.src_path_bits = attr.ah_attr.src_path_bits, .static_rate = attr.ah_attr.static_rate,
						.is_global = attr.ah_attr.is_global, .port_num = attr.ah_attr.port_num },
			  &ah));
	return ah;
}

static void send_to(const struct end *from, struct vx_ah *ah, uint32_t number)
{
	struct vx_wr *wr = vx_wr_start(from->qp);
	struct vx_mlx5_wr mlx5;

	made(vx_mlx5_qp_wr(from->qp, &mlx5));
	vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	vx_mlx5_wr_set_dc_addr(&mlx5, ah, number, KEY);
	vx_wr_set_sge(wr, vx_mr_lkey(from->mr), (uintptr_t)from->bytes, ROOM);
	made(vx_wr_complete(wr));
}

Twin(test_mlx5_rdmacm, Mlx5CMTestCase, test_rdmacm_async_traffic_dc_external_qp)
{
	struct ends ends = routed(RDMA_PS_TCP);
	struct rdma_conn_param param;
	struct ibv_sge there;
	struct vx_srq *srq;
	struct vx_pd *of;
	struct vx_ah *ah;
	uint32_t number;

	of = own_dci(&ends.active);
	param = with_qp(&ends.active);
	made(vx_cm_id_connect(ends.active.id, &param));
	ends.passive.id = expect(&ends, RDMA_CM_EVENT_CONNECT_REQUEST).id;
	srq = own_dct(&ends.passive);
	param = with_qp(&ends.passive);
	made(vx_cm_id_accept(ends.passive.id, &param));
	expect(&ends, RDMA_CM_EVENT_CONNECT_RESPONSE);
	ah = way_of(&ends.active, of, &number);
	cr_expect_eq(number, vx_qp_raw(ends.passive.qp)->qp_num);
	made(vx_cm_id_establish(ends.active.id));
	expect(&ends, RDMA_CM_EVENT_ESTABLISHED);
	there = (struct ibv_sge){ (uintptr_t)ends.passive.bytes, ROOM, vx_mr_lkey(ends.passive.mr) };
	memset(ends.active.bytes, 'd', ROOM);
	made(vx_srq_post_recv(srq, &(struct ibv_recv_wr){ .sg_list = &there, .num_sge = 1 }, NULL));
	send_to(&ends.active, ah, number);
	next_of(&ends.active);
	next_of(&ends.passive);
	cr_expect_eq(memcmp(ends.active.bytes, ends.passive.bytes, ROOM), 0);
	closed(ah);
	closed(srq); /* and the DCT that receives by it */
	closed(ends.active.cq);
	closed(ends.passive.cq);
	closed(ends.channel);
}
