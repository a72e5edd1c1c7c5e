/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Making QPs. */

#include <verbsx/config.h>

#include "mistakes.h"

static int make_qp(struct bench *b, struct vx_qp_init init)
{
	init.send_cq = b->cq;
	if (init.qp_type != IBV_QPT_XRC_SEND)
		init.recv_cq = b->cq;
	expect_answer(b);
	return vx_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int many_sends(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_send_wr = 100000 });
}

static int many_receives(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_recv_wr = 100000 });
}

static int many_send_parts(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_send_sge = 64 });
}

static int many_receive_parts(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_recv_sge = 64 });
}

static int many_of_both(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap = { .max_send_wr = 1u << 20, .max_recv_wr = 1u << 20 } });
}

static int all_sends(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_send_wr = 32768 });
}

static int all_sends_of_all_parts(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap = { .max_send_wr = 32768, .max_send_sge = 30, .max_inline_data = 64 } });
}

static int all_receives_of_all_parts(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap = { .max_recv_wr = 32768, .max_recv_sge = 30 } });
}

static int long_inline(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_inline_data = 4096 });
}

#if VX_RDMA_CORE < 45
static int operation_of_newer_ones(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .send_ops_flags = 1 << 11 });
}
#endif

static int datagrams_that_read(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ });
}

static int unreliable_atomics(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .qp_type = IBV_QPT_UC, .send_ops_flags = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD });
}

static int connected_segments(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO });
}

static int plain_qp(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_send_wr = 16 });
}

static int no_such_type(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .qp_type = (enum ibv_qp_type)77 });
}

static int raw_on_infiniband(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET });
}

static int vendor_type(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .qp_type = IBV_QPT_DRIVER });
}

static int tso(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .max_tso_header = 64 });
}

static int tso_of_no_header(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .comp_mask = IBV_QP_INIT_ATTR_MAX_TSO_HEADER });
}

static int scatter_fcs(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .create_flags = IBV_QP_CREATE_SCATTER_FCS });
}

static int unknown_create_flags(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .create_flags = 1u << 30 });
}

static int unknown_send_ops(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .send_ops_flags = UINT64_C(1) << 40 });
}

static int unknown_qp_mask(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .comp_mask = 1 << 20 });
}

static int receives_beside_an_srq(struct bench *b)
{
	struct vx_qp_init init = { .cap.max_recv_wr = 16 };

	must(vx_srq_create(b->pd, NULL, &init.srq));
	return make_qp(b, init);
}

static int inline_without_end(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_inline_data = 0x7fffffff });
}

static int xrc_sender(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND });
}

static int xrc_sender_with_srq(struct bench *b)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_XRC_SEND };

	must(vx_srq_create(b->pd, NULL, &init.srq));
	return make_qp(b, init);
}

/* Such an SRQ is made for it, whatever the type of the QP is. */
static int connected_with_xrc_srq(struct bench *b)
{
	struct vx_srq_init init = { .srq_type = IBV_SRQT_XRC, .cq = b->cq };
	struct vx_qp_init qp = { .send_cq = b->cq, .recv_cq = b->cq };

	must(vx_xrcd_create(b->ctx, NULL, &init.xrcd));
	must(vx_srq_create(b->pd, &init, &qp.srq));
	return vx_qp_create(b->pd, &qp, &(struct vx_qp *){ NULL });
}

static int xrc_without_domain(struct bench *b)
{
	return vx_qp_create(b->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV }, &(struct vx_qp *){ NULL });
}

static int xrc_with_cqs(struct bench *b)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_XRC_RECV, .send_cq = b->cq, .recv_cq = b->cq };

	must(vx_xrcd_create(b->ctx, NULL, &init.xrcd));
	return vx_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int xrc_target_with_queues(struct bench *b)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_XRC_RECV, .cap.max_send_wr = 1, .cap.max_recv_wr = 1 };

	must(vx_xrcd_create(b->ctx, NULL, &init.xrcd));
	return vx_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int xrc_sender_that_receives(struct bench *b)
{
	const struct vx_qp_init init = { .qp_type = IBV_QPT_XRC_SEND, .send_cq = b->cq, .recv_cq = b->cq };

	return vx_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int domain_of_a_plain_qp(struct bench *b)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RC };

	must(vx_xrcd_create(b->ctx, NULL, &init.xrcd));
	return make_qp(b, init);
}

static int qp_without_send_cq(struct bench *b)
{
	return vx_qp_create(b->pd, &(struct vx_qp_init){ .recv_cq = b->cq }, &(struct vx_qp *){ NULL });
}

static int qp_without_recv_cq(struct bench *b)
{
	return vx_qp_create(b->pd, &(struct vx_qp_init){ .send_cq = b->cq }, &(struct vx_qp *){ NULL });
}

static int cq_of_another_context(struct bench *b)
{
	struct vx_ctx *other;
	struct vx_cq *cq;
	int rc;

	must(vx_ctx_open_index(0, &other));
	must(vx_cq_create(other, NULL, &cq));
	rc = vx_qp_create(b->pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &(struct vx_qp *){ NULL });
	vx_close(other);
	return rc;
}

static int one_more_qp(struct bench *b)
{
	return make_qp(b, (struct vx_qp_init){ .cap.max_send_wr = 1 });
}

static const struct mistake mistakes[] = {
	{ "a send queue longer than the device has", many_sends, -EINVAL,
	  "cap.max_send_wr = 100000, but the device allows max_qp_wr = 32768" },
	{ "a receive queue longer than the device has", many_receives, -EINVAL,
	  "cap.max_recv_wr = 100000, but the device allows max_qp_wr = 32768" },
	{ "too many scatter/gather entries in a send", many_send_parts, -EINVAL,
	  "cap.max_send_sge = 64, but the device allows max_sge = 30" },
	{ "too many scatter/gather entries in a receive", many_receive_parts, -EINVAL, "cap.max_recv_sge = 64" },
	{ "both queues too long", many_of_both, -EINVAL, "cap.max_send_wr = 1048576, but" },
	{ "as many sends as the device allows, longer than the provider has them", all_sends, -EINVAL,
	  "ibv_create_qp_ex on mlx5_0: Invalid argument: cap.max_send_wr = 32768 with cap.max_send_sge = 1 and "
	  "cap.max_inline_data = 0 may be more than the provider can lay out" },
	{ "as many sends as the device allows, with all it allows in each", all_sends_of_all_parts, -EINVAL,
	  "cap.max_send_wr = 32768 with cap.max_send_sge = 30 and cap.max_inline_data = 64 may be more than" },
	{ "as many receives as the device allows, with all it allows in each", all_receives_of_all_parts, -EINVAL,
	  "cap.max_recv_wr = 32768 with cap.max_recv_sge = 30 may be more than", "create_qp:EINVAL" },
	{ "more inline data than the device takes", long_inline, -EINVAL,
	  "cap.max_send_wr = 128 with cap.max_send_sge = 1 and cap.max_inline_data = 4096 may be more than the provider can lay out" },
	{ "inline data without end", inline_without_end, -EINVAL,
	  "cap.max_inline_data = 2147483647 is more than a request can carry: at most 1073741823" },
	{ "a QP type that does not exist", no_such_type, -EINVAL, "qp_type = 77 is none of enum ibv_qp_type" },
#if VX_RDMA_CORE < 45
	{ "a send operation that a newer rdma-core has", operation_of_newer_ones, -EOPNOTSUPP,
	  "IBV_QP_EX_WITH_FLUSH of send_ops_flags needs rdma-core 45, and" },
#endif
	{ "a QP of a type that the device cannot do", plain_qp, -EOPNOTSUPP,
	  "the device or its provider may not support qp_type = IBV_QPT_RC (2)", "create_qp:EOPNOTSUPP" },
	{ "a QP of a type that only some devices can do", xrc_sender, -EINVAL,
	  "the device or its provider may not support qp_type = IBV_QPT_XRC_SEND (9)", "create_qp:EINVAL" },
	{ "Ethernet frames over InfiniBand", raw_on_infiniband, -EOPNOTSUPP, "an InfiniBand port has no IBV_QPT_RAW_PACKET" },
	{ "a DC QP by the ordinary call", vendor_type, -EINVAL, "mlx5dv_create_qp" },
	{ "segmentation by a device that does not do it", tso, -EINVAL, "tso_caps.max_tso = 0" },
	{ "segmentation of packets without a header", tso_of_no_header, -EINVAL,
	  "only IBV_QPT_RAW_PACKET and IBV_QPT_UD have TSO, which max_tso_header asks for" },
	{ "frame checksums from a device that strips them", scatter_fcs, -EINVAL, "IBV_QP_CREATE_SCATTER_FCS",
	  "create_qp:EINVAL" },
	{ "a way to make QPs that nobody knows", unknown_create_flags, -EINVAL,
	  "create_flags has 0x40000000, which is none of enum ibv_qp_create_flags" },
	{ "send operations that nobody knows", unknown_send_ops, -EOPNOTSUPP,
	  "send_ops_flags has 0x10000000000, which is none of enum ibv_qp_create_send_ops_flags" },
	{ "RDMA reads by datagrams", datagrams_that_read, -EOPNOTSUPP,
	  "Operation not supported: IBV_QPT_UD has no RDMA, atomics, windows or invalidation, which send_ops_flags asks for" },
	{ "atomics without reliability", unreliable_atomics, -EOPNOTSUPP,
	  "Operation not supported: IBV_QPT_UC has no RDMA reads and no atomics, which send_ops_flags asks for" },
	{ "segmentation on a connection", connected_segments, -EOPNOTSUPP,
	  "Operation not supported: only IBV_QPT_RAW_PACKET and IBV_QPT_UD have TSO, which send_ops_flags asks for" },
	{ "garbage in comp_mask of a QP", unknown_qp_mask, -EINVAL, "comp_mask has 0x100000, which is none of enum ibv_qp_init_attr_mask" },
	{ "a receive queue beside an SRQ", receives_beside_an_srq, -EINVAL, "a provider may refuse cap.max_recv_wr", "create_qp:EINVAL" },
	{ "an XRC sender with an SRQ", xrc_sender_with_srq, -EINVAL, "IBV_QPT_XRC_SEND receives nothing and takes no srq",
	  "create_qp:EINVAL" },
	{ "a connected QP with an SRQ for XRC", connected_with_xrc_srq, -EINVAL, "srq is of type IBV_SRQT_XRC" },
	{ "an XRC target without a domain", xrc_without_domain, -EINVAL, "needs xrcd" },
	{ "an XRC target with CQs, of which nothing would come", xrc_with_cqs, -EINVAL,
	  "recv_cq is given, but IBV_QPT_XRC_RECV has no queues" },
	{ "an XRC target with a send queue", xrc_target_with_queues, -EINVAL,
	  "cap.max_send_wr is given, but IBV_QPT_XRC_RECV has no send queue" },
	{ "an XRC target with a receive queue", xrc_target_with_queues, -EINVAL,
	  "cap.max_recv_wr is given, but IBV_QPT_XRC_RECV (10) has no receive queue" },
	{ "an XRC sender with a CQ for receives", xrc_sender_that_receives, -EINVAL,
	  "recv_cq is given, but IBV_QPT_XRC_SEND receives nothing" },
	{ "an XRC domain for a QP that is no XRC target", domain_of_a_plain_qp, -EINVAL,
	  "xrcd is given, but qp_type is not IBV_QPT_XRC_RECV" },
	{ "no CQ for sends", qp_without_send_cq, -EINVAL, "send_cq" },
	{ "no CQ for receives", qp_without_recv_cq, -EINVAL, "recv_cq" },
	{ "a CQ of another context", cq_of_another_context, -EINVAL, "belongs to another context" },
	{ "QPs until there are no more", one_more_qp, -ENOMEM, "max_qp = 16384", "create_qp:ENOMEM" },
};

CHAPTER(creating_qps, "Making QPs");
