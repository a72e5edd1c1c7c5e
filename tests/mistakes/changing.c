/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Changing objects, binding windows, joining groups. */

#include "mistakes.h"

static int moderate(struct bench *b)
{
	return vx_cq_modify(b->cq, &(struct ibv_modify_cq_attr){ IBV_CQ_ATTR_MODERATE, { 16, 5000 } });
}

static int moderate_nothing(struct bench *b)
{
	return vx_cq_modify(b->cq, &(struct ibv_modify_cq_attr){ .moderate = { 16, 5 } });
}

static int long_resize(struct bench *b)
{
	return vx_cq_resize(b->cq, 1 << 24);
}

static int negative_resize(struct bench *b)
{
	return vx_cq_resize(b->cq, -1);
}

static int resize_to_nothing(struct bench *b)
{
	return vx_cq_resize(b->cq, 0);
}

static int resize_to_one(struct bench *b)
{
	expect_answer(b);
	return vx_cq_resize(b->cq, 1);
}

static struct vx_srq *some_srq(struct bench *b)
{
	struct vx_srq *srq;

	must(vx_srq_create(b->pd, &(struct vx_srq_init){ .attr.max_wr = 127 }, &srq));
	return srq;
}

static int modify_srq(struct bench *b, struct ibv_srq_attr attr, int mask)
{
	struct vx_srq *srq = some_srq(b);

	expect_answer(b);
	return vx_srq_modify(srq, &attr, mask);
}

static int high_srq_limit(struct bench *b)
{
	return modify_srq(b, (struct ibv_srq_attr){ .srq_limit = 5000 }, IBV_SRQ_LIMIT);
}

static int longer_srq(struct bench *b)
{
	return modify_srq(b, (struct ibv_srq_attr){ .max_wr = 1000 }, IBV_SRQ_MAX_WR);
}

static int srq_beyond_the_device(struct bench *b)
{
	return modify_srq(b, (struct ibv_srq_attr){ .max_wr = 100000 }, IBV_SRQ_MAX_WR);
}

static int unknown_srq_mask(struct bench *b)
{
	return modify_srq(b, (struct ibv_srq_attr){ .srq_limit = 8 }, IBV_SRQ_LIMIT | 1 << 8);
}

static int no_qp_mask(struct bench *b)
{
	return vx_qp_modify(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), &(struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT }, 0);
}

static int no_srq_mask(struct bench *b)
{
	return modify_srq(b, (struct ibv_srq_attr){ .srq_limit = 8 }, 0);
}

static int advise(struct bench *b)
{
	return vx_pd_advise_mr(b->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &(struct ibv_sge){ .length = 4096 }, 1);
}

static int advise_one(struct bench *b)
{
	struct ibv_sge sge = { .lkey = 0x777, .length = 4096 };

	expect_answer(b);
	return vx_pd_advise_mr(b->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1);
}

static int advise_nothing(struct bench *b)
{
	expect_answer(b);
	return vx_pd_advise_mr(b->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, NULL, 0);
}

static int read_lost_device(struct bench *b)
{
	struct vx_srq *srq = some_srq(b);

	expect_answer(b);
	return vx_srq_query(srq, &(struct ibv_srq_attr){ 0 });
}

static int pace(struct bench *b)
{
	return vx_qp_modify_rate_limit(qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), &(struct ibv_qp_rate_limit_attr){ .rate_limit = 1000000 });
}

static int extend(struct bench *b, struct ibv_ece ece)
{
	return vx_qp_set_ece(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), &ece);
}

static int foreign_extensions(struct bench *b)
{
	return extend(b, (struct ibv_ece){ .vendor_id = 0x8086, .options = 3 });
}

static int unknown_extensions(struct bench *b)
{
	return extend(b, (struct ibv_ece){ .vendor_id = 0x15b3, .comp_mask = 1 });
}

static struct ibv_mw_bind window_onto(struct bench *b, unsigned int access)
{
	struct ibv_mw_bind what = { .bind_info = { .length = 4096, .mw_access_flags = access } };
	struct vx_mr *mr;

	must(vx_mr_create(b->pd, &(struct vx_mr_init){ .length = 4096, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &mr));
	what.bind_info.mr = vx_mr_raw(mr);
	what.bind_info.addr = (uintptr_t)vx_mr_addr(mr);
	return what;
}

/* A region of one PD, a window perhaps of another. */
static int bind_window(struct bench *b, struct vx_pd *pd, enum ibv_mw_type type, unsigned int access)
{
	struct ibv_mw_bind what = window_onto(b, access);
	struct vx_mw *mw;

	must(vx_mw_create(pd, &(struct vx_mw_init){ .type = type }, &mw));
	return vx_qp_bind_mw(qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), mw, &what);
}

static int bind_type_2(struct bench *b)
{
	return bind_window(b, b->pd, IBV_MW_TYPE_2, IBV_ACCESS_REMOTE_WRITE);
}

static int bind_zero_based(struct bench *b)
{
	return bind_window(b, b->pd, IBV_MW_TYPE_1, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ZERO_BASED);
}

static int bind_in_another_pd(struct bench *b)
{
	struct vx_pd *pd;

	must(vx_pd_create(b->ctx, NULL, &pd));
	return bind_window(b, pd, IBV_MW_TYPE_1, IBV_ACCESS_REMOTE_WRITE);
}

/* Without a length as well, it would be unbound. */
static int bind_nothing(struct bench *b)
{
	struct ibv_mw_bind what = { .bind_info.length = 4096 };
	struct vx_mw *mw;

	must(vx_mw_create(b->pd, NULL, &mw));
	return vx_qp_bind_mw(qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), mw, &what);
}

static int bind_too_early(struct bench *b)
{
	struct ibv_mw_bind what = window_onto(b, IBV_ACCESS_REMOTE_WRITE);
	struct vx_mw *mw;

	must(vx_mw_create(b->pd, NULL, &mw));
	return vx_qp_bind_mw(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), mw, &what);
}

static int bind_by_datagrams(struct bench *b)
{
	struct ibv_mw_bind what = window_onto(b, IBV_ACCESS_REMOTE_WRITE);
	struct vx_mw *mw;

	must(vx_mw_create(b->pd, NULL, &mw));
	return vx_qp_bind_mw(qp_in(b, IBV_QPT_UD, IBV_QPS_RTS), mw, &what);
}

/* More than the queue has room for, which may be longer than was asked for. */
static int bind_without_polling(struct bench *b)
{
	struct ibv_mw_bind what = window_onto(b, IBV_ACCESS_REMOTE_WRITE);
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_RTS);
	struct vx_mw *mw;
	int i, rc = 0;

	must(vx_mw_create(b->pd, NULL, &mw));
	for (i = 0; i < 1000 && !rc; i++)
		rc = vx_qp_bind_mw(qp, mw, &what);
	return rc;
}

static int join_group(struct bench *b, enum ibv_qp_type type, struct vx_mcast_init group)
{
	struct vx_qp *qp = qp_in(b, type, IBV_QPS_INIT);

	expect_answer(b);
	return vx_mcast_create(qp, &group, &(struct vx_mcast *){ NULL });
}

static int join(struct bench *b, enum ibv_qp_type type, uint8_t first)
{
	return join_group(b, type, (struct vx_mcast_init){ .gid.raw = { first, 0x12, [15] = 1 }, .lid = 0xc001 });
}

static int join_ipv4(struct bench *b, enum ibv_qp_type type, uint8_t first, uint16_t lid)
{
	return join_group(b, type, (struct vx_mcast_init){ .gid.raw = { [10] = 0xff, 0xff, first, [15] = 5 }, .lid = lid });
}

static int join_by_lid(struct bench *b, uint16_t lid)
{
	return join_group(b, IBV_QPT_UD, (struct vx_mcast_init){ .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = lid });
}

static int join_by_the_lid_of_a_port(struct bench *b)
{
	return join_by_lid(b, 7);
}

static int join_by_a_high_lid(struct bench *b)
{
	return join_by_lid(b, 0xbfff);
}

static int join_by_the_lid_for_all(struct bench *b)
{
	return join_by_lid(b, 0xffff);
}

static int join_connected(struct bench *b)
{
	return join(b, IBV_QPT_RC, 0xff);
}

static int join_nobody(struct bench *b)
{
	return join(b, IBV_QPT_UD, 0xfe);
}

static int join_host_of_ipv4(struct bench *b)
{
	return join_ipv4(b, IBV_QPT_UD, 10, 0xc001);
}

static int join_nothing_of_ipv6(struct bench *b)
{
	return join_group(b, IBV_QPT_UD, (struct vx_mcast_init){ .gid.raw = { [12] = 224, [15] = 5 }, .lid = 0xc001 });
}

static int join_ipv4_connected(struct bench *b)
{
	return join_ipv4(b, IBV_QPT_RC, 224, 0xc001);
}

static int join_ipv4_without_lid(struct bench *b)
{
	return join_ipv4(b, IBV_QPT_UD, 239, 0);
}

static int join_one_more(struct bench *b)
{
	return join(b, IBV_QPT_UD, 0xff);
}

static const struct mistake mistakes[] = {
	{ "waiting longer for more completions than the device can", moderate, -EINVAL,
	  "moderate.cq_period = 5000, but the device allows cq_mod_caps.max_cq_period = 4095" },
	{ "moderation without its bit in the mask", moderate_nothing, -EINVAL, "attr_mask is 0: nothing is to change" },
	{ "extensions of another vendor", foreign_extensions, -EINVAL, "may not support vendor_id = 0x8086, options = 0x3" },
	{ "extensions with garbage in comp_mask", unknown_extensions, -EINVAL, "ece.comp_mask has 0x" },
	{ "a CQ grown beyond what the device has", long_resize, -ENOMEM, "cqe = 16777216, but the device allows max_cqe" },
	{ "a CQ of a negative size", negative_resize, -EINVAL, "cqe = 4294967295, but the device allows max_cqe" },
	{ "a CQ that shrinks to nothing", resize_to_nothing, -EINVAL, "cqe is 0" },
	{ "a CQ that shrinks below what waits in it", resize_to_one, -EINVAL,
	  "cqe = 1 may be fewer than the completions that wait in the queue", "resize_cq:EINVAL" },
	{ "an SRQ limit that is never reached", high_srq_limit, -EINVAL, "srq_limit = 5000, but the SRQ was made with max_wr = 255" },
	{ "an SRQ that is to grow", longer_srq, -EINVAL, "may not be able to resize an SRQ" },
	{ "an SRQ that is to grow beyond what the device has", srq_beyond_the_device, -EINVAL,
	  "max_wr = 100000, but the device allows max_srq_wr = 32767" },
	{ "an attribute that SRQs do not have", unknown_srq_mask, -EINVAL,
	  "srq_attr_mask has 0x100, which is none of enum ibv_srq_attr_mask" },
	{ "a limit of an SRQ without its bit in the mask", no_srq_mask, -EINVAL, "srq_attr_mask is 0: nothing is to change" },
	{ "a change of a QP without its bit in the mask", no_qp_mask, -EINVAL, "attr_mask is 0: nothing is to change" },
	{ "a rate for a device without pacing", pace, -EINVAL, "packet_pacing_caps.qp_rate_limit_max = 0" },
	{ "fetching pages ahead on a device that faults none", advise, -EOPNOTSUPP,
	  "the device or its provider does not support this call" },
	{ "fetching no pages ahead", advise_nothing, -ENOENT, "No such file or directory: num_sge is 0", "advise_mr:ENOENT" },
	{ "fetching pages ahead by an lkey of nothing", advise_one, -ENOENT, "an lkey of sg_list is that of no MR on demand",
	  "advise_mr:ENOENT" },
	{ "fetching pages ahead for another PD", advise_one, -EPERM,
	  "an lkey of sg_list is that of an MR of another PD, or of one that is not to be written to", "advise_mr:EPERM" },
	{ "fetching pages ahead beyond the end of the region", advise_one, -EFAULT,
	  "a part of sg_list is beyond its MR, or memory of it is not there", "advise_mr:EFAULT" },
	{ "asking an SRQ after the device was reset", read_lost_device, -EIO, "close the context and open it again", "query_srq:EIO" },
	{ "binding a window of type 2 by the call", bind_type_2, -EINVAL, "is bound by a send request, IBV_WR_BIND_MW" },
	{ "a window that counts from zero", bind_zero_based, -EINVAL, "only a window of type 2 can be zero based" },
	{ "a window and a region of two PDs", bind_in_another_pd, -EPERM, "bind_info.mr belongs to another PD than the window" },
	{ "a window onto no region", bind_nothing, -EINVAL, "bind_info.mr is missing" },
	{ "a window bound before the QP is connected", bind_too_early, -ENOMEM,
	  "Cannot allocate memory: the binding is a send request, and the QP is in IBV_QPS_INIT (1), before RTS" },
	{ "a window for datagrams", bind_by_datagrams, -EINVAL, "only connected QPs bind windows: qp_type is IBV_QPT_UD (4)" },
	{ "windows bound, and no completion polled", bind_without_polling, -ENOMEM,
	  "Cannot allocate memory: the binding is a send request, and the send queue is full (max_send_wr = 128)" },
	{ "a connected QP in a multicast group", join_connected, -EINVAL, "Invalid argument: only QPs of type IBV_QPT_UD join groups: this one is IBV_QPT_RC (2)" },
	{ "a connected QP in a group of IPv4", join_ipv4_connected, -EINVAL,
	  "Invalid argument: only QPs of type IBV_QPT_UD join groups: this one is IBV_QPT_RC (2)" },
	{ "groups until there are no more", join_one_more, -ENOMEM, "the device allows max_mcast_grp = 64", "attach_mcast:ENOMEM" },
	{ "a group by the LID of a port", join_by_the_lid_of_a_port, -EINVAL,
	  "Invalid argument: lid = 7, but those of groups are from 49152 (0xc000) to 65534 (0xfffe)" },
	{ "a group of IPv4 without a LID", join_ipv4_without_lid, -EINVAL,
	  "Invalid argument: lid = 0, but those of groups are from 49152 (0xc000) to 65534 (0xfffe)" },
	{ "a group by the LID that all have", join_by_the_lid_for_all, -EINVAL,
	  "Invalid argument: lid = 65535, but those of groups are from 49152 (0xc000) to 65534 (0xfffe)" },
	{ "a group by the last LID that a port may have", join_by_a_high_lid, -EINVAL,
	  "Invalid argument: lid = 49151, but those of groups are from 49152 (0xc000) to 65534 (0xfffe)" },
	{ "joining the group of one host", join_nobody, -EINVAL, "Invalid argument: gid is fe12::1, which is no group: those begin with ff" },
	{ "joining one host of IPv4", join_host_of_ipv4, -EINVAL, "Invalid argument: gid is ::ffff:10.0.0.5, which is no group: " },
	{ "joining what looks like a group of IPv4", join_nothing_of_ipv6, -EINVAL, "which is no group: those begin with ff" },
};

CHAPTER(changing, "Changing objects");
