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

static int srq_too_soon(struct bench *b)
{
	struct vx_srq *out;

	return said(b, vx_cm_srq_create(begin(b), NULL, &out));
}

static int srq_of_a_foreign_pd(struct bench *b)
{
	struct vx_srq *out;

	return said(b, vx_cm_srq_create(resolved(b), &(struct vx_cm_srq_init){ .pd = b->pd }, &out));
}

static int srq_too_long(struct bench *b)
{
	struct vx_srq *out;

	return said(b, vx_cm_srq_create(resolved(b), &(struct vx_cm_srq_init){ .attr.max_wr = 1 << 20 }, &out));
}

static int qp_of_connections_on_datagrams(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_qp_create(resolved_as(RDMA_PS_UDP), &(struct vx_cm_qp_init){ .qp_type = IBV_QPT_RC }, &out));
}

static int qp_of_the_listener(struct bench *b)
{
	struct vx_qp *out;

	resolved(b);
	return said(b, vx_cm_qp_create(listener, NULL, &out));
}

static int cq_of_another_qp(struct bench *b)
{
	struct vx_cq *out;

	return said(b, vx_cm_id_send_cq(resolved(b), &out));
}

static int qp_that_is_not_there(struct bench *b)
{
	struct vx_qp *out;

	return said(b, vx_cm_id_qp(resolved(b), &out));
}

static int receive_without_anything(struct bench *b)
{
	static char buf[8];

	return said(b, vx_cm_id_post_recv(resolved(b), NULL, buf, sizeof(buf), NULL));
}

static int send_before_it_is_established(struct bench *b)
{
	static char buf[8];

	with_qp(routed_as(RDMA_PS_TCP));
	return said(b, vx_cm_id_post_send(id, NULL, buf, sizeof(buf), NULL, IBV_SEND_INLINE));
}

static int write_on_datagrams(struct bench *b)
{
	static char buf[8];

	with_qp(resolved_as(RDMA_PS_UDP));
	return said(b, vx_cm_id_post_write(id, NULL, buf, sizeof(buf), NULL, IBV_SEND_INLINE, 0, 0));
}

static int receive_too_many(struct bench *b)
{
	static char buf[8];
	struct vx_qp *out;
	struct vx_pd *pd;
	struct vx_mr *mr;
	int rc;

	must(vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .cap.max_recv_wr = 1 }, &out));
	must(vx_cm_id_pd(id, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .addr = buf, .length = sizeof(buf), .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	while (!(rc = vx_cm_id_post_recv(id, NULL, buf, sizeof(buf), mr)))
		continue;
	return said(b, rc);
}

/* ---- end points ---- */

static struct vx_cm_addrinfo *found(int flags, enum rdma_port_space ps)
{
	const struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = ps };
	struct vx_cm_addrinfo *out;

	must(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471", .hints = &hints }, &out));
	return out;
}

static int endpoint_of_nothing(struct bench *b)
{
	struct vx_cm_id *out;

	begin(b);
	return said(b, vx_cm_ep_create(NULL, &out));
}

static int endpoint_of(struct bench *b, const struct vx_cm_addrinfo_init *addresses, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr attr = { .cap = *cap };
	struct vx_cm_addrinfo *info;
	struct vx_cm_id *out;
	int rc;

	begin(b);
	must(vx_cm_addrinfo_create(addresses, &info));
	expect_answer(b);
	rc = said(b, vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = info, .qp_init_attr = &attr }, &out));
	must(vx_close(info));
	return rc;
}

static const struct ibv_qp_cap small = { 1, 1, 1, 1, 0 };

/* Nothing is looked up: all that there is are the hints. */
static int endpoint_of_hints(struct bench *b, const struct rdma_addrinfo *hints)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .hints = hints }, &small);
}

static int endpoint_of_no_host(struct bench *b)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .service = "7471" }, &small);
}

static int endpoint_of_a_host(struct bench *b)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471" }, &small);
}

static int endpoint_of_long_queues(struct bench *b)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471" }, &(struct ibv_qp_cap){ 100000, 1, 1, 1, 0 });
}

static int endpoint_of_much_inline(struct bench *b)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471" }, &(struct ibv_qp_cap){ 1, 1, 1, 1, 4096 });
}

static int endpoint_without_queues(struct bench *b)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471" }, &(struct ibv_qp_cap){ 0 });
}

static int endpoint_without_receives(struct bench *b)
{
	return endpoint_of(b, &(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471" }, &(struct ibv_qp_cap){ .max_send_wr = 1 });
}

static int listen_at_nothing(struct bench *b)
{
	return endpoint_of_hints(b, &(struct rdma_addrinfo){ .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP });
}

static int connect_to_nothing(struct bench *b)
{
	return endpoint_of_hints(b, &(struct rdma_addrinfo){ .ai_port_space = RDMA_PS_TCP });
}

static int endpoint_of_a_foreign_pd(struct bench *b)
{
	struct vx_cm_addrinfo *info = found(0, RDMA_PS_TCP);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
	struct vx_cm_id *out;
	int rc;

	begin(b);
	rc = said(b, vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = info, .pd = b->pd, .qp_init_attr = &attr }, &out));
	must(vx_close(info));
	return rc;
}

static int request_of_who_connects(struct bench *b)
{
	struct vx_cm_addrinfo *info = found(0, RDMA_PS_TCP);
	struct vx_cm_id *out, *request;
	int rc;

	begin(b);
	must(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = info }, &out));
	rc = said(b, vx_cm_request_create(out, NULL, &request));
	must(vx_close(out));
	must(vx_close(info));
	return rc;
}

static int request_whose_qp_is_too_large(struct bench *b)
{
	struct vx_cm_addrinfo *info = found(RAI_PASSIVE, RDMA_PS_TCP);
	struct ibv_qp_init_attr attr = { .cap = { 100000000, 1, 1, 1, 0 } };
	struct vx_cm_id *out, *request;
	int rc;

	begin(b);
	must(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = info, .qp_init_attr = &attr }, &out));
	must(vx_cm_id_listen(out, 1));
	must(vx_cm_id_resolve_addr(id, NULL, vx_cm_addrinfo_raw(info)->ai_src_addr, SOON));
	wait_for(RDMA_CM_EVENT_ADDR_RESOLVED);
	must(vx_cm_id_resolve_route(id, SOON));
	wait_for(RDMA_CM_EVENT_ROUTE_RESOLVED);
	with_qp(id);
	must(vx_cm_id_connect(id, NULL));
	rc = said(b, vx_cm_request_create(out, NULL, &request));
	must(vx_close(out));
	must(vx_close(info));
	return rc;
}

static int connect_who_listens(struct bench *b)
{
	struct vx_cm_addrinfo *info = found(RAI_PASSIVE, RDMA_PS_TCP);
	struct vx_cm_id *out;
	int rc;

	begin(b);
	must(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = info }, &out));
	rc = said(b, vx_cm_id_connect(out, NULL));
	must(vx_close(out));
	must(vx_close(info));
	return rc;
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
	{ "making the SRQ of an id that has no device yet", srq_too_soon, -EINVAL, "no device yet" },
	{ "giving the SRQ of an id a PD of another context", srq_of_a_foreign_pd, -EINVAL, "pd is of another context" },
	{ "asking for an SRQ of an id with more entries than it can have", srq_too_long, -EINVAL, "attr.max_wr = 1048576" },
	{ "making a QP of RC on an id of datagrams", qp_of_connections_on_datagrams, -EINVAL, "RDMA_PS_UDP and RDMA_PS_IPOIB have IBV_QPT_UD" },
	{ "making a QP of the id that listens", qp_of_the_listener, -EINVAL, "no device yet" },
	{ "asking an id without a QP for its CQ", cq_of_another_qp, -ENOENT, "there is no CQ that librdmacm made" },
	{ "asking an id for the QP that it has not", qp_that_is_not_there, -ENOENT, "there is no QP that librdmacm made" },
	{ "receiving by an id without a QP", receive_without_anything, -EINVAL, "the id has no QP" },
	{ "sending before the connection is established", send_before_it_is_established, -EINVAL, "the QP cannot send yet" },
	{ "writing by an id of datagrams, where libmlx5 crashes", write_on_datagrams, -EINVAL, "vx_cm_id_post_ud_send() says where to" },
	{ "more receives than an id's queue has room for", receive_too_many, -EAGAIN, "the receive queue is full" },
	{ "an endpoint of no address", endpoint_of_nothing, -EINVAL, "addrinfo is NULL" },
	{ "giving an endpoint a PD of another context", endpoint_of_a_foreign_pd, -EINVAL, "pd is of another context" },
	{ "an endpoint that listens, of hints without an address", listen_at_nothing, -EINVAL, "addrinfo has no ai_src_addr" },
	{ "an endpoint that connects, of hints without an address", connect_to_nothing, -EINVAL, "addrinfo has no ai_dst_addr" },
	{ "an endpoint of a port and no host, which is to listen and does not say so", endpoint_of_no_host, -EHOSTUNREACH, "RAI_PASSIVE" },
	{ "an endpoint of a host that does not answer", endpoint_of_a_host, -ETIMEDOUT, "nobody answers for ai_dst_addr", "cm_resolve_addr:ETIMEDOUT" },
	{ "an endpoint whose queue is longer than the device has one", endpoint_of_long_queues, -EINVAL, "cap.max_send_wr = 100000, but the device allows max_qp_wr" },
	{ "an endpoint whose requests are to carry more than the device takes", endpoint_of_much_inline, -EINVAL, "cap.max_inline_data = 4096 may be more than" },
	{ "an endpoint whose queues have no entries, where librdmacm crashes", endpoint_without_queues, -EINVAL, "has no CQ for a queue" },
	{ "an endpoint whose QP receives nothing, where librdmacm crashes as well", endpoint_without_receives, -EINVAL, "has no CQ for a queue" },
	{ "a request whose QP is larger than the device can", request_whose_qp_is_too_large, -EINVAL, "could not be made: who asked was rejected" },
	{ "waiting for a request by an endpoint that connects, for ever with librdmacm", request_of_who_connects, -EINVAL, "nobody asks one that connects" },
	{ "connecting by an endpoint to listen with", connect_who_listens, -EINVAL, "the route is not resolved" },
};

CHAPTER(connecting_queues, "What ids of librdmacm are made of");
