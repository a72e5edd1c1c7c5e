/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm: asynchronous and synchronous, of datagrams and groups, with a QP of the program; and what is sent by them. */

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <verbsx/cm_post.h>

#include "device.h"

#define CMTest(name) Twin(test_rdmacm, CMTestCase, name)

#define WITHIN 20000 /* ms */
#define ROOM 64
#define GRH 40
#define ROUNDS 10
#define ACK_TIMEOUT 21

/* One end: its id, and memory that its QP reaches. */
struct end {
	struct vx_cm_id *id;
	struct vx_qp *qp;
	struct vx_cq *cq; /* where that is the program's */
	struct vx_mr *mr;
	char *bytes;
};

/* Both ends are under one channel of one process. */
struct ends {
	struct vx_cm_channel *channel;
	struct vx_cm_id *listener;
	struct end active, passive;
};

static const char *own_address(void)
{
	const char *said = getenv("CM_ADDRESS");

	return said ? said : "192.0.2.1";
}

static struct sockaddr *address(uint16_t port)
{
	static struct sockaddr_in in;

	in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	cr_assert_eq(inet_pton(AF_INET, own_address(), &in.sin_addr), 1);
	return (struct sockaddr *)&in;
}

static struct vx_cm_event expect(const struct ends *ends, enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	char text[256];

	made(vx_cm_channel_get_event(ends->channel, WITHIN, &event));
	vx_cm_event_text(text, sizeof(text), &event);
	cr_assert_eq(event.type, type, "%s", text);
	return event;
}

static void make_memory(struct end *end)
{
	struct vx_pd *lent;

	made(vx_cm_id_pd(end->id, &lent));
	made(vx_mr_create(lent, &(struct vx_mr_init){ .length = GRH + ROOM, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
						      IBV_ACCESS_REMOTE_WRITE }, &end->mr));
	end->bytes = vx_mr_addr(end->mr);
}

static void make_qp(struct end *end)
{
	made(vx_cm_qp_create(end->id, NULL, &end->qp));
	make_memory(end);
}

static struct ends routed(enum rdma_port_space ps)
{
	struct ends ends = { 0 };
	uint16_t port;

	made(vx_cm_channel_create(NULL, &ends.channel));
	made(vx_cm_id_create(ends.channel, &(struct vx_cm_id_init){ .ps = ps }, &ends.listener));
	made(vx_cm_id_bind_addr(ends.listener, address(0)));
	made(vx_cm_id_listen(ends.listener, 0));
	made(vx_cm_id_get_src_port(ends.listener, &port));
	made(vx_cm_id_create(ends.channel, &(struct vx_cm_id_init){ .ps = ps }, &ends.active.id));
	made(vx_cm_id_resolve_addr(ends.active.id, NULL, address(port), WITHIN));
	expect(&ends, RDMA_CM_EVENT_ADDR_RESOLVED);
	made(vx_cm_id_resolve_route(ends.active.id, WITHIN));
	expect(&ends, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return ends;
}

static void ask(struct ends *ends)
{
	make_qp(&ends->active);
	made(vx_cm_id_connect(ends->active.id, NULL));
	ends->passive.id = expect(ends, RDMA_CM_EVENT_CONNECT_REQUEST).id;
}

static void accept_that(struct ends *ends)
{
	make_qp(&ends->passive);
	made(vx_cm_id_accept(ends->passive.id, NULL));
}

static struct ends connected(uint8_t ack_timeout)
{
	struct ends ends = routed(RDMA_PS_TCP);

	if (ack_timeout)
		made(vx_cm_id_set_ack_timeout(ends.active.id, ack_timeout));
	ask(&ends);
	accept_that(&ends);
	expect(&ends, RDMA_CM_EVENT_ESTABLISHED);
	expect(&ends, RDMA_CM_EVENT_ESTABLISHED);
	return ends;
}

/* ---- traffic ---- */

static void receive(const struct end *to, size_t before)
{
	memset(to->bytes, 0, GRH + ROOM);
	made(vx_cm_id_post_recv(to->id, NULL, to->bytes, before + ROOM, to->mr));
}

static void sent(const struct end *from)
{
	struct ibv_wc wc;

	cr_assert_eq(vx_cm_id_get_send_comp(from->id, &wc), 1, "%s", vx_error_text());
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
}

static void arrived(const struct end *from, const struct end *to, size_t before)
{
	struct ibv_wc wc;

	cr_assert_eq(vx_cm_id_get_recv_comp(to->id, &wc), 1, "%s", vx_error_text());
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_eq(wc.byte_len, before + ROOM);
	cr_expect_eq(memcmp(to->bytes + before, from->bytes, ROOM), 0);
}

static void send_once(const struct end *from, const struct end *to, int fill)
{
	receive(to, 0);
	memset(from->bytes, fill, ROOM);
	made(vx_cm_id_post_send(from->id, NULL, from->bytes, ROOM, from->mr, IBV_SEND_SIGNALED));
	sent(from);
	arrived(from, to, 0);
}

static void send_both_ways(const struct ends *ends)
{
	int i;

	for (i = 1; i <= ROUNDS; i++) {
		send_once(&ends->active, &ends->passive, i);
		send_once(&ends->passive, &ends->active, 2 * i);
	}
}

/* By an event of UD, which tells where to. */
static void send_datagrams(const struct end *from, const struct end *to, const struct vx_cm_event *event)
{
	const uint32_t qpn = event->ud->qp_num;
	struct vx_ah *ah;
	int i;

	made(vx_cm_event_ah(event, &ah));
	for (i = 1; i <= ROUNDS; i++) {
		receive(to, GRH);
		memset(from->bytes, i, ROOM);
		made(vx_cm_id_post_ud_send(from->id, NULL, from->bytes, ROOM, from->mr, IBV_SEND_SIGNALED, ah, qpn));
		sent(from);
		arrived(from, to, GRH);
	}
	closed(ah);
}

/* ---- connections ---- */

CMTest(test_rdmacm_async_traffic)
{
	struct ends ends = connected(ACK_TIMEOUT);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(ends.active.qp, &attr, IBV_QP_TIMEOUT, &init));
	cr_expect_eq(attr.timeout, ACK_TIMEOUT);
	send_both_ways(&ends);
	closed(ends.channel);
}

CMTest(test_rdmacm_async_reject_traffic)
{
	struct ends ends = routed(RDMA_PS_TCP);
	struct vx_cm_event event;

	ask(&ends);
	made(vx_cm_id_reject(ends.passive.id, NULL, 0));
	event = expect(&ends, RDMA_CM_EVENT_REJECTED);
	cr_expect_eq(event.status, -ECONNREFUSED);
	cr_expect_eq(event.reject, 28, "the program said no");
	closed(ends.channel);
}

CMTest(test_rdmacm_async_read)
{
	struct ends ends = connected(0);

	memset(ends.passive.bytes, 'r', ROOM);
	made(vx_cm_id_post_read(ends.active.id, NULL, ends.active.bytes, ROOM, ends.active.mr, IBV_SEND_SIGNALED,
				(uintptr_t)ends.passive.bytes, vx_mr_raw(ends.passive.mr)->rkey));
	sent(&ends.active);
	cr_expect_eq(memcmp(ends.active.bytes, ends.passive.bytes, ROOM), 0);
	closed(ends.channel);
}

CMTest(test_rdmacm_async_write)
{
	struct ends ends = connected(0);

	memset(ends.active.bytes, 'w', ROOM);
	made(vx_cm_id_post_write(ends.active.id, NULL, ends.active.bytes, ROOM, ends.active.mr, IBV_SEND_SIGNALED,
				 (uintptr_t)ends.passive.bytes, vx_mr_raw(ends.passive.mr)->rkey));
	sent(&ends.active);
	cr_expect_eq(memcmp(ends.active.bytes, ends.passive.bytes, ROOM), 0);
	closed(ends.channel);
}

/* The endpoint that listens has a QP for each request. */
static void *answer(void *data)
{
	struct ends *ends = data;

	made(vx_cm_request_create(ends->listener, NULL, &ends->passive.id));
	make_memory(&ends->passive);
	made(vx_cm_id_accept(ends->passive.id, NULL));
	return NULL;
}

static struct vx_cm_id *endpoint(int flags, const char *service)
{
	const struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .cap = { 4, 4, 1, 1, 0 } };
	struct vx_cm_addrinfo *found;
	struct vx_cm_id *id;

	made(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = own_address(), .service = service, .hints = &hints }, &found));
	made(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = found, .qp_init_attr = &attr }, &id));
	closed(found);
	return id;
}

CMTest(test_rdmacm_sync_traffic)
{
	struct ends ends = { .listener = endpoint(RAI_PASSIVE, "7474") };
	pthread_t thread;

	made(vx_cm_id_listen(ends.listener, 1));
	cr_assert_eq(pthread_create(&thread, NULL, answer, &ends), 0);
	ends.active.id = endpoint(0, "7474");
	make_memory(&ends.active);
	made(vx_cm_id_connect(ends.active.id, NULL));
	pthread_join(thread, NULL);
	send_both_ways(&ends);
	closed(ends.active.id);
	closed(ends.listener);
}

/* ---- a QP that librdmacm does not know ---- */

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

CMTest(test_rdmacm_async_traffic_external_qp)
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

/* ---- datagrams ---- */

CMTest(test_rdmacm_async_udp_traffic)
{
	struct ends ends = routed(RDMA_PS_UDP);
	struct vx_cm_event event;

	ask(&ends);
	accept_that(&ends);
	event = expect(&ends, RDMA_CM_EVENT_ESTABLISHED);
	send_datagrams(&ends.active, &ends.passive, &event);
	closed(ends.channel);
}

/* Of this process alone: on a device that others have as well, theirs would come too. */
static struct sockaddr *group_address(void)
{
	static struct sockaddr_in in = { .sin_family = AF_INET };

	in.sin_addr.s_addr = htonl(0xef010000 | ((uint32_t)getpid() & 0xffff));
	return (struct sockaddr *)&in;
}

static struct end bound(struct vx_cm_channel *channel)
{
	struct end end = { 0 };

	made(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, &end.id));
	made(vx_cm_id_bind_addr(end.id, address(0)));
	make_qp(&end);
	return end;
}

/* A port hears what it sends itself. */
static struct ends bound_to_a_port(void)
{
	struct ends ends = { 0 };

	made(vx_cm_channel_create(NULL, &ends.channel));
	ends.active = bound(ends.channel);
	ends.passive = bound(ends.channel);
	return ends;
}

static struct vx_cm_event join_group(struct ends *ends, struct end *end, uint32_t flags, struct vx_cm_group **group)
{
	struct vx_cm_group_init init = { .addr = group_address(), .join_flags = flags };

	made(vx_cm_group_create(end->id, &init, group));
	return expect(ends, RDMA_CM_EVENT_MULTICAST_JOIN);
}

static void send_to_group(uint32_t flags)
{
	struct ends ends = bound_to_a_port();
	struct vx_cm_group *first, *second;
	struct vx_cm_event event;

	join_group(&ends, &ends.passive, flags, &first);
	event = join_group(&ends, &ends.active, flags, &second);
	cr_expect_eq(event.ud->qp_num, 0xffffff);
	send_datagrams(&ends.active, &ends.passive, &event);
	closed(ends.channel);
}

CMTest(test_rdmacm_async_multicast_traffic)
{
	send_to_group(0);
}

CMTest(test_rdmacm_async_ex_multicast_traffic)
{
	send_to_group(RDMA_MC_JOIN_FLAG_FULLMEMBER);
}

/* What is sent next goes to the one that is still there; of the other nothing completes. */
CMTest(test_rdmacm_async_ex_leave_multicast_traffic)
{
	struct ends ends = bound_to_a_port();
	struct end other = bound(ends.channel);
	struct vx_cm_group *left, *joined, *stays;
	struct vx_cm_event event;
	struct vx_cq *cq;
	struct ibv_wc wc;

	join_group(&ends, &other, RDMA_MC_JOIN_FLAG_FULLMEMBER, &stays);
	join_group(&ends, &ends.passive, RDMA_MC_JOIN_FLAG_FULLMEMBER, &left);
	event = join_group(&ends, &ends.active, RDMA_MC_JOIN_FLAG_FULLMEMBER, &joined);
	closed(left);
	receive(&ends.passive, GRH);
	send_datagrams(&ends.active, &other, &event);
	made(vx_cm_id_recv_cq(ends.passive.id, &cq));
	cr_expect_eq(vx_cq_poll(cq, 1, &wc), 0, "it hears the group still");
	closed(ends.channel);
}
