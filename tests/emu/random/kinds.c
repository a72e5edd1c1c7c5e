/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Objects: creating, using and destroying them. QPs are in qp.c. */
#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum {
	DM_SIZE = 4096,
	MANY_CQES = 1000, /* more than all queues together complete */
	TOO_MANY_CQES = 1 << 30
};

void *any(enum kind kind)
{
	uint32_t first = below(MAX_EACH);

	for (uint32_t i = 0; i < MAX_EACH; i++)
		if (world.object[kind][(first + i) % MAX_EACH])
			return world.object[kind][(first + i) % MAX_EACH];
	return NULL;
}

/* Objects of one PD, of one XRCD, have more to do with each other */
void *usual(enum kind kind)
{
	void *first = world.object[kind][0];

	return first && !one_in(6) ? first : any(kind);
}

bool is_live(enum kind kind, const void *object)
{
	for (int i = 0; i < MAX_EACH; i++)
		if (world.object[kind][i] == object)
			return true;
	return false;
}

/* ---- creating ---- */

static void *create_pd(void)
{
	return ibv_alloc_pd(world.ctx);
}

static void *create_dm(void)
{
	struct ibv_alloc_dm_attr attr = { .length = 4 * (1 + below(DM_SIZE / 4)) };

	return ibv_alloc_dm(world.ctx, &attr);
}

static void *create_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm)
{
	return ibv_reg_dm_mr(pd, dm, 4 * below(8), 4 * below(64), ACCESS_ALL | IBV_ACCESS_ZERO_BASED);
}

static void *create_mr(void)
{
	size_t offset = below(BUFFER_SIZE), size = 1 + below(BUFFER_SIZE - offset);
	struct ibv_pd *pd = usual(PD);
	struct ibv_dm *dm = any(DM);

	if (!pd)
		return NULL;
	if (dm && one_in(3))
		return create_dm_mr(pd, dm);
	if (one_in(2))
		return ibv_reg_mr(pd, buffer, BUFFER_SIZE, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	return ibv_reg_mr(pd, buffer + offset, size, below(0x40));
}

static void *create_channel(void)
{
	struct ibv_comp_channel *c = ibv_create_comp_channel(world.ctx);

	if (c)
		fcntl(c->fd, F_SETFL, O_NONBLOCK);
	return c;
}

static void *create_cq(void)
{
	return ibv_create_cq(world.ctx, one_in(8) ? 0 : MANY_CQES, NULL, one_in(2) ? any(CHANNEL) : NULL,
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
					     .pd = usual(PD),
					     .xrcd = usual(XRCD),
					     .cq = any(CQ) };
	struct ibv_srq *srq;

	if (attr.xrcd && attr.cq && one_in(2)) {
		attr.srq_type = IBV_SRQT_XRC;
		attr.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	}
	srq = attr.pd ? ibv_create_srq_ex(world.ctx, &attr) : NULL;
	/* By which it is known; rdma-core 44 forgets the one in @attr */
	if (srq && attr.srq_type == IBV_SRQT_XRC)
		srq->srq_context = &world;
	return srq;
}

bool is_xrc(const struct ibv_srq *srq)
{
	return srq->srq_context;
}

static void *create_mw(void)
{
	struct ibv_pd *pd = usual(PD);

	return pd ? ibv_alloc_mw(pd, one_in(3) ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2) : NULL;
}

static void *create_mkey(void)
{
	struct mlx5dv_mkey_init_attr attr = { .pd = usual(PD),
					      .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
					      .max_entries = 1 + below(8) };

	return attr.pd ? mlx5dv_create_mkey(&attr) : NULL;
}

/* To the port itself or to the group */
static void *create_ah(void)
{
	struct ibv_ah_attr attr = world.path;
	struct ibv_pd *pd = usual(PD);

	if (one_in(4)) {
		attr.is_global = 1;
		attr.grh.dgid = group;
		attr.dlid = 0xc001;
	} else if (one_in(4)) {
		attr.is_global = !attr.is_global;
	}
	return pd ? ibv_create_ah(pd, &attr) : NULL;
}

/* ---- destroying ---- */

static int destroy_pd(void *o)
{
	int rc = ibv_dealloc_pd(o);

	world.pd_refused |= rc;
	return rc;
}

static int destroy_dm(void *o)
{
	return ibv_free_dm(o);
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
	bool xrc = is_xrc(o);
	int rc = ibv_destroy_srq(o);

	world.xrc_srq_gone |= xrc && !rc;
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

/* ---- using ---- */

/* A size that is refused, or one that has room for all */
static void use_cq(void *o)
{
	struct ibv_cq *cq = o;
	int size = one_in(8) ? TOO_MANY_CQES : MANY_CQES + below(MANY_CQES);
	int rc = one_in(2) ? ibv_req_notify_cq(cq, one_in(2)) : ibv_resize_cq(cq, size);

	if (!rc && cq->cqe < MANY_CQES - 1)
		fail("a CQ has only %d entries", cq->cqe);
}

static void use_srq(void *o)
{
	struct ibv_srq_attr attr = { .srq_limit = below(MAX_WR) };

	if (ibv_modify_srq(o, &attr, IBV_SRQ_LIMIT))
		return;
	if (!ibv_query_srq(o, &attr) && attr.srq_limit >= attr.max_wr)
		fail("the limit of an SRQ is %u of %u", attr.srq_limit, attr.max_wr);
}

/* What was written is read back, unless a QP or a fault comes between */
static void use_dm(void *o)
{
	char text[16] = "device memory";
	uint64_t at = 4 * below(DM_SIZE / 4);

	if (!ibv_memcpy_to_dm(o, at, text, sizeof(text)) && ibv_memcpy_from_dm(text, o, at, sizeof(text)))
		fail("what can be written cannot be read");
}

static void use_mr(void *o)
{
	ibv_rereg_mr(o, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, one_in(4) ? below(0x40) : ACCESS_ALL);
}

static void use_qp(void *o)
{
	struct test_qp *t = o;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (is_dci(t) && one_in(2))
		mlx5dv_dci_stream_id_reset(t->qp, below(5));
	else if (t->member && !ibv_detach_mcast(t->qp, &group, 0))
		t->member = false;
	else if (!ibv_attach_mcast(t->qp, &group, 0))
		t->member = true;
	ibv_query_qp(t->qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init);
}

static const struct {
	void *(*create)(void);
	int (*destroy)(void *o);
	void (*use)(void *o);
} kinds[KINDS] = {
	[PD] = { create_pd, destroy_pd, NULL },
	[DM] = { create_dm, destroy_dm, use_dm },
	[MR] = { create_mr, destroy_mr, use_mr },
	[XRCD] = { create_xrcd, destroy_xrcd, NULL },
	[CHANNEL] = { create_channel, destroy_channel, NULL },
	[CQ] = { create_cq, destroy_cq, use_cq },
	[SRQ] = { create_srq, destroy_srq, use_srq },
	[QP] = { create_qp, destroy_qp, use_qp },
	[MW] = { create_mw, destroy_mw, NULL },
	[MKEY] = { create_mkey, destroy_mkey, NULL },
	[AH] = { create_ah, destroy_ah, NULL },
};

static void ensure(enum kind kind)
{
	if (!world.object[kind][0])
		world.object[kind][0] = kinds[kind].create();
}

/* QPs most, and what is needed for them before */
void random_create(void)
{
	static const enum kind helpful[] = { SRQ, SRQ, AH, AH, XRCD, CHANNEL, MKEY, MW, DM };
	enum kind kind = one_in(2) ? QP : below(KINDS);
	void **place = &world.object[kind][below(MAX_EACH)];

	ensure(PD);
	ensure(MR);
	ensure(CQ);
	ensure(helpful[below(ARRAY_SIZE(helpful))]);
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

void random_use(void)
{
	static const enum kind useful[] = { CQ, SRQ, SRQ, DM, MR, QP };
	enum kind kind = useful[below(ARRAY_SIZE(useful))];
	void *o = any(kind);

	if (o)
		kinds[kind].use(o);
}

static void leave_group(struct test_qp *t)
{
	if (t && t->member && ibv_detach_mcast(t->qp, &group, 0))
		fail("a member cannot leave the group");
}

void destroy_all(void)
{
	static const enum kind order[] = { QP, SRQ, CQ, CHANNEL, AH, MW, MKEY, MR, DM, XRCD, PD };

	for (int i = 0; i < MAX_EACH; i++)
		leave_group(world.object[QP][i]);
	for (int k = 0; k < KINDS; k++)
		for (int i = 0; i < MAX_EACH; i++) {
			void *o = world.object[order[k]][i];

			if (o && kinds[order[k]].destroy(o))
				fail("an object of kind %d is not destroyed: %s", order[k], strerror(errno));
		}
}
