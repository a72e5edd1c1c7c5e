/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Creating, moving and destroying. */
#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void *any(enum kind kind)
{
	uint32_t first = below(MAX_EACH);

	for (uint32_t i = 0; i < MAX_EACH; i++)
		if (world.object[kind][(first + i) % MAX_EACH])
			return world.object[kind][(first + i) % MAX_EACH];
	return NULL;
}

static void *create_pd(void)
{
	return ibv_alloc_pd(world.ctx);
}

static void *create_mr(void)
{
	size_t offset = below(BUFFER_SIZE), size = 1 + below(BUFFER_SIZE - offset);
	struct ibv_pd *pd = any(PD);

	return pd ? ibv_reg_mr(pd, buffer + offset, size, below(0x40)) : NULL;
}

static void *create_channel(void)
{
	return ibv_create_comp_channel(world.ctx);
}

/* With room for all that can complete */
static void *create_cq(void)
{
	return ibv_create_cq(world.ctx, one_in(8) ? 0 : 1000, NULL, one_in(2) ? any(CHANNEL) : NULL,
			     below(5));
}

static void *create_xrcd(void)
{
	struct ibv_xrcd_init_attr attr = { .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					   .fd = -1,
					   .oflags = O_CREAT };

	return ibv_open_xrcd(world.ctx, &attr);
}

static void *create_srq(void)
{
	struct ibv_srq_init_attr_ex attr = { .attr = { below(MAX_WR) + 1, below(4), below(3) },
					     .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
					     .srq_type = IBV_SRQT_BASIC,
					     .pd = any(PD),
					     .xrcd = any(XRCD),
					     .cq = any(CQ) };

	if (attr.xrcd && attr.cq && one_in(2)) {
		attr.srq_type = IBV_SRQT_XRC;
		attr.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	}
	return attr.pd ? ibv_create_srq_ex(world.ctx, &attr) : NULL;
}

/* An RC QP also fills mkeys */
static struct ibv_qp *make_qp(struct ibv_qp_init_attr_ex *attr)
{
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					  .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST };

	if (attr->qp_type == IBV_QPT_XRC_RECV) {
		attr->comp_mask = IBV_QP_INIT_ATTR_XRCD;
		return attr->xrcd ? ibv_create_qp_ex(world.ctx, attr) : NULL;
	}
	attr->comp_mask = IBV_QP_INIT_ATTR_PD;
	if (!attr->pd || !attr->send_cq)
		return NULL;
	if (attr->qp_type != IBV_QPT_RC || attr->srq)
		return ibv_create_qp_ex(world.ctx, attr);
	attr->comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	return mlx5dv_create_qp(world.ctx, attr, &dv);
}

static struct ibv_srq *basic_srq(void)
{
	struct ibv_srq *srq = one_in(3) ? any(SRQ) : NULL;
	uint32_t number;

	return srq && !ibv_get_srq_num(srq, &number) ? NULL : srq;
}

/* A CQ that is named all the same would be used after its end */
static void forget_receive_queue(struct ibv_qp_init_attr_ex *attr)
{
	attr->cap.max_recv_wr = attr->cap.max_recv_sge = 0;
	attr->recv_cq = NULL;
	if (attr->qp_type == IBV_QPT_XRC_RECV)
		attr->send_cq = NULL;
}

static void *create_qp(void)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC,	IBV_QPT_RC,	 IBV_QPT_UC,
						  IBV_QPT_UD, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV };
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = any(CQ),
		.recv_cq = any(CQ),
		.cap = { MAX_WR, MAX_WR, 1 + below(4), 1 + below(4), one_in(2) ? 0 : MAX_INLINE },
		.qp_type = types[below(7)],
		.sq_sig_all = 1,
		.pd = any(PD),
		.xrcd = any(XRCD),
	};
	bool xrc = attr.qp_type == IBV_QPT_XRC_SEND || attr.qp_type == IBV_QPT_XRC_RECV;
	struct test_qp *t = calloc(1, sizeof(*t));

	if (!xrc)
		attr.srq = basic_srq();
	else
		forget_receive_queue(&attr);
	if (t)
		t->qp = make_qp(&attr);
	if (t && t->qp) {
		t->sends = attr.qp_type != IBV_QPT_XRC_RECV;
		t->receives = !xrc && !attr.srq;
		return t;
	}
	free(t);
	return NULL;
}

static void *create_mw(void)
{
	struct ibv_pd *pd = any(PD);

	return pd ? ibv_alloc_mw(pd, IBV_MW_TYPE_2) : NULL;
}

static void *create_mkey(void)
{
	struct mlx5dv_mkey_init_attr attr = { .pd = any(PD),
					      .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
					      .max_entries = 1 + below(8) };

	return attr.pd ? mlx5dv_create_mkey(&attr) : NULL;
}

static void *create_ah(void)
{
	struct ibv_ah_attr attr = { .dlid = PORT_LID, .port_num = 1, .is_global = one_in(2) };
	struct ibv_pd *pd = any(PD);

	return pd ? ibv_create_ah(pd, &attr) : NULL;
}

static int destroy_pd(void *o)
{
	return ibv_dealloc_pd(o);
}

static int destroy_mr(void *o)
{
	return ibv_dereg_mr(o);
}

static int destroy_xrcd(void *o)
{
	return ibv_close_xrcd(o);
}

static int destroy_channel(void *o)
{
	return ibv_destroy_comp_channel(o);
}

static int destroy_cq(void *o)
{
	return ibv_destroy_cq(o);
}

static int destroy_srq(void *o)
{
	return ibv_destroy_srq(o);
}

static int destroy_qp(void *o)
{
	struct test_qp *t = o;
	int rc = ibv_destroy_qp(t->qp);

	if (!rc)
		free(t);
	return rc;
}

static int destroy_mw(void *o)
{
	return ibv_dealloc_mw(o);
}

static int destroy_mkey(void *o)
{
	return mlx5dv_destroy_mkey(o);
}

static int destroy_ah(void *o)
{
	return ibv_destroy_ah(o);
}

static const struct {
	void *(*create)(void);
	int (*destroy)(void *o);
} kinds[KINDS] = {
	[PD] = { create_pd, destroy_pd },	[MR] = { create_mr, destroy_mr },
	[XRCD] = { create_xrcd, destroy_xrcd }, [CHANNEL] = { create_channel, destroy_channel },
	[CQ] = { create_cq, destroy_cq },	[SRQ] = { create_srq, destroy_srq },
	[QP] = { create_qp, destroy_qp },	[MW] = { create_mw, destroy_mw },
	[MKEY] = { create_mkey, destroy_mkey }, [AH] = { create_ah, destroy_ah },
};

/* QPs most, and what is needed for them before */
void random_create(void)
{
	enum kind kind = one_in(2) ? QP : below(KINDS);
	void **place = &world.object[kind][below(MAX_EACH)];

	if (!world.object[PD][0])
		world.object[PD][0] = create_pd();
	if (!world.object[MR][0] && world.object[PD][0])
		world.object[MR][0] =
			ibv_reg_mr(world.object[PD][0], buffer, BUFFER_SIZE,
				   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
					   IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND);
	if (!world.object[CQ][0])
		world.object[CQ][0] = create_cq();
	if (!*place)
		*place = kinds[kind].create();
}

/* What is in use is refused, and stays */
void random_destroy(void)
{
	enum kind kind = below(KINDS);
	void **place = &world.object[kind][below(MAX_EACH)];

	if (*place && !kinds[kind].destroy(*place))
		*place = NULL;
}

void destroy_all(void)
{
	static const enum kind order[] = { QP, SRQ, CQ, CHANNEL, AH, MW, MKEY, MR, XRCD, PD };

	for (int k = 0; k < KINDS; k++)
		for (int i = 0; i < MAX_EACH; i++) {
			void *o = world.object[order[k]][i];

			if (o && kinds[order[k]].destroy(o))
				fail("an object of kind %d is not destroyed: %s", order[k], strerror(errno));
		}
}
