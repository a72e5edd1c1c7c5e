/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ids of librdmacm, and the queues that they have. */

#include <verbsx/cm_post.h>

#include "connection.h"

/* ---- what it is made of ---- */

static int qp_too_soon(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(begin(b), NULL, &out));
}

static int qp_of_another_port_space(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .qp_type = IBV_QPT_UD }, &out));
}

static int second_qp(struct bench *b)
{
	struct vx_qp *out;

	with_qp(resolved(b));
	return said(b, vx_cm_qp_create(id, NULL, &out));
}

static int second_srq(struct bench *b)
{
	struct vx_srq *out;

	must(vx_cm_srq_create(resolved(b), NULL, &out));
	return said(b, vx_cm_srq_create(id, NULL, &out));
}

static int qp_without_a_cq(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .cap.max_recv_wr = VX_NONE }, &out));
}

static int qp_of_another_context(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .send_cq = b->cq, .recv_cq = b->cq }, &out));
}

static int qp_of_a_foreign_pd(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .pd = b->pd }, &out));
}

static int qp_too_large(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .cap.max_send_sge = 1000 }, &out));
}

static int pd_too_soon(struct bench *b)
{
	struct vx_pd *out;

	return said(b, vx_cm_id_pd(begin(b), &out));
}

static int send_without_qp(struct bench *b)
{
	static char buf[8];

	return said(b, vx_cm_id_post_send(resolved(b), NULL, buf, sizeof(buf), NULL, IBV_SEND_INLINE));
}

static int wait_without_a_cq(struct bench *b)
{
	struct ibv_wc wc;

	return said(b, vx_cm_id_get_send_comp(resolved(b), &wc));
}

static int port_space_of_sockets(struct bench *b)
{
	begin(b);
	return said(b, vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = 6 }, &listener));
}

/* ---- what kernels answer to one that the emulated device does not mind ---- */

static int make_one(struct bench *b)
{
	begin(b);
	expect_answer(b);
	return said(b, vx_cm_id_create(channel, NULL, &listener));
}

static const struct mistake mistakes[] = {
	{ "making the QP of an id that has no device yet", qp_too_soon, -EINVAL, "no device yet" },
	{ "making a QP of UD on an id of connections", qp_of_another_port_space, -EINVAL, "RDMA_PS_TCP has IBV_QPT_RC" },
	{ "making a second QP of an id", second_qp, -EINVAL, "has a QP already" },
	{ "making a second SRQ of an id", second_srq, -EINVAL, "has an SRQ already" },
	{ "making a QP without a CQ that librdmacm would make none for", qp_without_a_cq, -EINVAL, "recv_cq is NULL" },
	{ "giving the QP of an id a CQ of another context", qp_of_another_context, -EINVAL, "send_cq is of another context" },
	{ "giving the QP of an id a PD of another context", qp_of_a_foreign_pd, -EINVAL, "pd is of another context" },
	{ "asking for a QP of an id with more entries of a request than it can have", qp_too_large, -EINVAL, "max_send_sge = 1000" },
	{ "asking an id for its PD before it has a device", pd_too_soon, -ENOENT, "there is no PD yet: the address of the id must be resolved" },
	{ "sending by an id without a QP", send_without_qp, -EINVAL, "the id has no QP" },
	{ "waiting for a completion of an id without CQs", wait_without_a_cq, -EINVAL, "librdmacm has made no CQ" },
	{ "a port space of sockets", port_space_of_sockets, -EINVAL, "none of enum rdma_port_space" },
	{ "making an id where the kernel has no rdma_ucm", make_one, -ENODEV, "modprobe rdma_ucm", "cm_create_id:ENODEV" },
	{ "making an id without rights", make_one, -EACCES, "/dev/infiniband/rdma_cm may not be opened", "cm_create_id:EACCES" },
};

CHAPTER(connecting_queues, "What ids of librdmacm are made of");
