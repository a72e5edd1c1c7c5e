/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Multicast groups, which a QP joins by an object and leaves by closing it. */

#include <errno.h>

#include "unit/device.h"

static const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
static struct vx_cq *cq;
static struct vx_qp *qp;

static struct vx_qp *new_qp(enum ibv_qp_type type)
{
	struct vx_qp *made_qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = type, .send_cq = cq, .recv_cq = cq }, &made_qp));
	return made_qp;
}

static void open_with_qp(void)
{
	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
	qp = new_qp(IBV_QPT_UD);
}

TestSuite(mcast, .init = open_with_qp, .fini = close_device);

Test(mcast, is_left_by_closing_the_membership)
{
	struct vx_mcast *mcast;

	made(vx_mcast_create(qp, &group, &mcast));
	cr_expect_eq(vx_object_kind_of(mcast), VX_OBJECT_MCAST);
	cr_expect_eq(vx_close(mcast), 0, "%s", vx_error_text());
	cr_expect_eq(ibv_detach_mcast(vx_qp_raw(qp), &group.gid, group.lid), EINVAL, "it is no member");
}

Test(mcast, is_left_by_closing_the_qp)
{
	struct vx_mcast *mcast;

	made(vx_mcast_create(qp, &group, &mcast));
	fail_calls("detach_mcast:EIO");
	cr_expect_eq(vx_close(qp), -EIO, "it leaves the group before it goes");
	expect_reason("ibv_detach_mcast on mlx5_0 mcast ff12::1#1");
	cr_expect_eq(live("qp"), 1);
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	cr_expect_eq(live("qp"), 0);
}

Test(mcast, of_many_groups)
{
	struct vx_mcast_init other = group;
	struct vx_mcast *first, *second;

	other.gid.raw[15] = 2;
	made(vx_mcast_create(qp, &group, &first));
	made(vx_mcast_create(qp, &other, &second));
	cr_expect_eq(vx_close(first), 0);
	cr_expect_eq(ibv_detach_mcast(vx_qp_raw(qp), &other.gid, other.lid), 0, "the other is a membership of its own");
	cr_expect_eq(vx_give_back(second), vx_qp_raw(qp));
}

Test(mcast, joined_twice_is_left_by_closing_both)
{
	struct vx_mcast *first, *second;

	made(vx_mcast_create(qp, &group, &first));
	made(vx_mcast_create(qp, &group, &second));
	cr_expect_eq(vx_close(first), 0, "%s", vx_error_text());
	made(vx_mcast_create(qp, &group, &first));
	cr_expect_eq(vx_close(second), 0, "%s", vx_error_text());
	cr_expect_eq(vx_close(first), 0, "%s", vx_error_text());
	cr_expect_eq(ibv_detach_mcast(vx_qp_raw(qp), &group.gid, group.lid), EINVAL, "it is no member");
}

Test(mcast, joined_twice_is_left_by_closing_the_qp)
{
	struct vx_mcast *first, *second;

	made(vx_mcast_create(qp, &group, &first));
	made(vx_mcast_create(qp, &group, &second));
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	cr_expect_eq(live("qp"), 0);
}

Test(mcast, left_behind_its_back_is_told_and_given_back)
{
	struct vx_mcast *mcast;

	made(vx_mcast_create(qp, &group, &mcast));
	cr_assert_eq(ibv_detach_mcast(vx_qp_raw(qp), &group.gid, group.lid), 0);
	cr_expect_eq(vx_close(mcast), -EINVAL);
	expect_reason("if it has left the group by ibv_detach_mcast(3), vx_give_back() of the membership forgets it");
	cr_expect_eq(vx_close(qp), -EINVAL);
	cr_expect_eq(vx_give_back(mcast), vx_qp_raw(qp));
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	cr_expect_eq(live("qp"), 0);
}

Test(mcast, without_a_group_is_refused)
{
	struct vx_mcast *mcast;

	cr_expect_eq(vx_mcast_create(qp, NULL, &mcast), -EINVAL);
	expect_reason("gid is all zero");
	cr_expect_eq(vx_mcast_create(NULL, &group, &mcast), -EINVAL);
	expect_reason("the parent is NULL");
}

Test(mcast, with_a_gid_of_no_group_is_explained)
{
	struct vx_mcast *mcast;

	cr_expect_eq(vx_mcast_create(qp, &(struct vx_mcast_init){ .gid.raw = { 0xfe, 0x80, [15] = 1 } }, &mcast), -EINVAL);
	expect_reason("gid is fe80::1, which is no group: those begin with ff, or are an IPv4 group behind ::ffff:");
}

Test(mcast, of_a_qp_that_cannot_is_explained)
{
	struct vx_mcast *mcast;

	cr_expect_eq(vx_mcast_create(new_qp(IBV_QPT_RC), &group, &mcast), -EINVAL);
	expect_reason("only QPs of type IBV_QPT_UD join groups: this one is IBV_QPT_RC (2)");
}
