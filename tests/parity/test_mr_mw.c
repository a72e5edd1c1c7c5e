/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory windows: bound, written through, and no more once they are invalidated. */

#include "pair.h"

#define MWTest(name) Twin(test_mr, MWTest, name)

static struct vx_mw *new_mw(enum ibv_mw_type type)
{
	struct vx_mw *mw;

	made(vx_mw_create(pd, &(struct vx_mw_init){ .type = type }, &mw));
	return mw;
}

static struct ibv_mw_bind_info window(const struct pair *p, uint64_t length)
{
	return (struct ibv_mw_bind_info){
		.mr = vx_mr_raw(p->mr), .addr = (uintptr_t)vx_mr_addr(p->mr), .length = length,
		.mw_access_flags = length ? IBV_ACCESS_REMOTE_WRITE : 0,
	};
}

/* A length of 0 takes the window away. */
static void bind_type1(const struct pair *p, struct vx_mw *mw, uint64_t length)
{
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = window(p, length) };

	made(vx_qp_bind_mw(p->server, mw, &bind));
	cr_assert_eq(next(p), IBV_WC_SUCCESS);
}

/* The caller chooses the last byte of the key. */
static uint32_t bind_type2(const struct pair *p, struct vx_mw *mw)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };

	wr.bind_mw.mw = vx_mw_raw(mw);
	wr.bind_mw.rkey = ibv_inc_rkey(vx_mw_raw(mw)->rkey);
	wr.bind_mw.bind_info = window(p, ROOM);
	cr_assert_eq(done(p, p->server, wr), IBV_WC_SUCCESS);
	return wr.bind_mw.rkey;
}

MWTest(test_reg_mw_wrong_type)
{
	struct vx_mw *mw;

	refused(vx_mw_create(pd, &(struct vx_mw_init){ .type = (enum ibv_mw_type)3 }, &mw));
}

MWTest(test_mw_type1)
{
	struct vx_mw *mw = new_mw(IBV_MW_TYPE_1);
	struct pair p = connected();

	bind_type1(&p, mw, ROOM);
	cr_expect_eq(write_by(&p, vx_mw_raw(mw)->rkey), IBV_WC_SUCCESS);
}

MWTest(test_invalidate_mw_type1)
{
	struct vx_mw *mw = new_mw(IBV_MW_TYPE_1);
	struct pair p = connected();

	bind_type1(&p, mw, ROOM);
	cr_expect_eq(write_by(&p, vx_mw_raw(mw)->rkey), IBV_WC_SUCCESS);
	bind_type1(&p, mw, 0);
	cr_expect_eq(write_by(&p, vx_mw_raw(mw)->rkey), IBV_WC_REM_ACCESS_ERR);
}

MWTest(test_mw_type2)
{
	struct vx_mw *mw = new_mw(IBV_MW_TYPE_2);
	struct pair p = connected();

	cr_expect_eq(write_by(&p, bind_type2(&p, mw)), IBV_WC_SUCCESS);
	closed(mw); /* soft-RoCE destroys a QP that a window is bound to after 50 s */
}

MWTest(test_mw_type2_invalidate_local)
{
	struct vx_mw *mw = new_mw(IBV_MW_TYPE_2);
	struct pair p = connected();
	uint32_t rkey = bind_type2(&p, mw);
	struct ibv_send_wr invalidate = { .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = rkey };

	cr_expect_eq(write_by(&p, rkey), IBV_WC_SUCCESS);
	cr_expect_eq(done(&p, p.server, invalidate), IBV_WC_SUCCESS);
	cr_expect_eq(write_by(&p, rkey), IBV_WC_REM_ACCESS_ERR);
}

MWTest(test_mw_type2_invalidate_remote)
{
	struct vx_mw *mw = new_mw(IBV_MW_TYPE_2);
	struct pair p = connected();
	uint32_t rkey = bind_type2(&p, mw);
	struct ibv_send_wr invalidate = { .opcode = IBV_WR_SEND_WITH_INV, .invalidate_rkey = rkey };

	cr_expect_eq(write_by(&p, rkey), IBV_WC_SUCCESS);
	made(vx_qp_post_recv_one(p.server, 0, NULL, 0));
	cr_expect_eq(done(&p, p.client, invalidate), IBV_WC_SUCCESS);
	cr_expect_eq(next(&p), IBV_WC_SUCCESS, "sent and received");
	cr_expect_eq(write_by(&p, rkey), IBV_WC_REM_ACCESS_ERR);
}

MWTest(test_mw_type2_invalidate_dealloc)
{
	struct vx_mw *mw = new_mw(IBV_MW_TYPE_2);
	struct pair p = connected();
	uint32_t rkey = bind_type2(&p, mw);

	cr_expect_eq(write_by(&p, rkey), IBV_WC_SUCCESS);
	closed(mw);
	cr_expect_eq(write_by(&p, rkey), IBV_WC_REM_ACCESS_ERR);
}
