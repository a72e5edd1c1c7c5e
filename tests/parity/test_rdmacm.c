/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm: asynchronous and synchronous, of datagrams and groups; and what is sent by them. */

#include <arpa/inet.h>
#include <pthread.h>
#include <unistd.h>

#include <verbsx/cm_post.h>

#include "cm_ends.h"

#define CMTest(name) Twin(test_rdmacm, CMTestCase, name)

#define GRH GRH_ROOM
#define ROUNDS 10
#define ACK_TIMEOUT 21

static void make_qp(struct end *end)
{
	made(vx_cm_qp_create(end->id, NULL, &end->qp));
	make_memory(end);
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
