/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * peers NAME [-b OWN-ADDRESS] [ADDRESS]: the other side of one of the programs of rdmacm-utils, as what they send each other has it; with
 * the server's address it is the client. A group is joined by the device of the own address. It ends with 0 when all has come that was to
 * come, and is what it should be.
 */

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/cm_post.h>
#include <verbsx/verbsx.h>

#define ROOM 256
#define GRH 40
#define COUNT 10	/* what ucmatose and udaddy send each other */
#define SIZE 100
#define WITHIN 20000 /* ms */

#define must(call) \
	do { \
		int rc_ = (call); \
		if (rc_ < 0) { \
			fprintf(stderr, "%s: %s\n", #call, vx_error_text()); \
			exit(1); \
		} \
	} while (0)

static void expect(int is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "not so: %s\n", what);
	exit(1);
}

struct end {
	struct vx_cm_id *listener, *id;
	struct vx_mr *mr;
	char *bytes; /* what comes in the first ROOM of them, what goes in the second, and what is read or written in the third */
};

/* ---- connections, by synchronous ids ---- */

static struct vx_cm_id *endpoint(const char *node, const char *service)
{
	const struct rdma_addrinfo hints = { .ai_flags = node ? 0 : RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .cap = { COUNT, COUNT, 1, 1, 0 } };
	struct vx_cm_addrinfo *found;
	struct vx_cm_id *id;

	must(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = node, .service = service, .hints = &hints }, &found));
	must(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = found, .qp_init_attr = &attr }, &id));
	must(vx_close(found));
	return id;
}

static void receive(const struct end *end, size_t size)
{
	must(vx_cm_id_post_recv(end->id, NULL, end->bytes, size, end->mr));
}

static void give(const struct end *end, size_t size)
{
	must(vx_cm_id_post_send(end->id, NULL, end->bytes + ROOM, size, end->mr, IBV_SEND_SIGNALED));
}

static void was_sent(const struct end *end)
{
	struct ibv_wc wc;

	must(vx_cm_id_get_send_comp(end->id, &wc));
	expect(wc.status == IBV_WC_SUCCESS, vx_ibv_wc_status_name(wc.status));
}

static void has_come(const struct end *end, size_t size)
{
	struct ibv_wc wc;

	must(vx_cm_id_get_recv_comp(end->id, &wc));
	expect(wc.status == IBV_WC_SUCCESS, vx_ibv_wc_status_name(wc.status));
	expect(wc.byte_len == size, "as many bytes have come");
}

static void make_memory(struct end *end)
{
	struct vx_pd *pd;

	must(vx_cm_id_pd(end->id, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 3 * ROOM, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
						   IBV_ACCESS_REMOTE_WRITE }, &end->mr));
	end->bytes = vx_mr_addr(end->mr);
}

/* Receives are posted before anybody can send. */
static struct end meet(const char *address, const char *service, size_t size, int receives)
{
	const struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7 };
	struct end end = { 0 };

	if (address) {
		end.id = endpoint(address, service);
	} else {
		end.listener = endpoint(NULL, service);
		must(vx_cm_id_listen(end.listener, 1));
		must(vx_cm_request_create(end.listener, NULL, &end.id));
	}
	make_memory(&end);
	while (receives--)
		receive(&end, size);
	must(address ? vx_cm_id_connect(end.id, &param) : vx_cm_id_accept(end.id, &param));
	return end;
}

static void part(const struct end *end)
{
	must(vx_close(end->id));
	must(vx_close(end->listener));
}

/* ---- rdma_server and rdma_client: 16 bytes each way ---- */

static void rdma_server(const char *address)
{
	const struct end end = meet(address, "7471", 16, 1);

	if (address)
		give(&end, 16);
	has_come(&end, 16);
	if (!address)
		give(&end, 16);
	was_sent(&end);
	part(&end);
}

/* ---- ucmatose: the server sends ten messages, then the client ---- */

static void give_all(const struct end *end)
{
	int i;

	for (i = 0; i < COUNT; i++)
		give(end, SIZE);
	for (i = 0; i < COUNT; i++)
		was_sent(end);
}

static void all_have_come(const struct end *end)
{
	int i;

	for (i = 0; i < COUNT; i++)
		has_come(end, SIZE);
}

static void ucmatose(const char *address)
{
	const struct end end = meet(address, "7471", SIZE, COUNT);

	if (!address)
		give_all(&end);
	all_have_come(&end);
	if (address)
		give_all(&end);
	part(&end);
}

/* ---- rping: the client tells where its data is, which the server reads, and writes to where the client tells next ---- */

#define PINGS 5
#define PING_SIZE 64

struct place {
	uint64_t addr;
	uint32_t rkey, size;
};

static void tell(const struct end *end, const void *addr, uint32_t size)
{
	const struct place place = { htobe64((uintptr_t)addr), htobe32(vx_mr_raw(end->mr)->rkey), htobe32(size) };

	memcpy(end->bytes + ROOM, &place, sizeof(place));
	give(end, sizeof(place));
	was_sent(end);
}

static struct place told(const struct end *end)
{
	struct place place;

	has_come(end, sizeof(place));
	memcpy(&place, end->bytes, sizeof(place));
	receive(end, sizeof(place));
	return (struct place){ be64toh(place.addr), be32toh(place.rkey), be32toh(place.size) };
}

static void ask_for_pings(const struct end *end)
{
	char *data = end->bytes + ROOM + ROOM / 2, *back = end->bytes + 2 * ROOM;
	int i;

	for (i = 0; i < PINGS; i++) {
		snprintf(data, PING_SIZE, "rdma-ping-%d: of libverbsx", i);
		tell(end, data, PING_SIZE);
		told(end);
		memset(back, 0, PING_SIZE);
		tell(end, back, PING_SIZE);
		told(end);
		expect(!strcmp(back, data), "what was written is what was read");
	}
}

/* The client ends it: it takes what it has not looked at yet for lost when the server does. */
static void answer_pings(const struct end *end)
{
	struct pollfd peer = { .fd = vx_cm_id_raw(end->id)->channel->fd, .events = POLLIN };
	char *data = end->bytes + 2 * ROOM;
	struct place place;
	int i;

	for (i = 0; i < PINGS; i++) {
		place = told(end);
		expect(place.size == PING_SIZE, "it is as long as it should be");
		must(vx_cm_id_post_read(end->id, NULL, data, place.size, end->mr, IBV_SEND_SIGNALED, place.addr, place.rkey));
		was_sent(end);
		expect(!strncmp(data, "rdma-ping-", 10), "it is a ping");
		tell(end, NULL, 0);
		place = told(end);
		must(vx_cm_id_post_write(end->id, NULL, data, place.size, end->mr, IBV_SEND_SIGNALED, place.addr, place.rkey));
		was_sent(end);
		tell(end, NULL, 0);
	}
	expect(poll(&peer, 1, WITHIN) == 1, "the peer has disconnected");
}

static void rping(const char *address)
{
	const struct end end = meet(address, "7174", sizeof(struct place), 1);

	(address ? ask_for_pings : answer_pings)(&end);
	part(&end);
}

/* ---- datagrams ---- */

static struct vx_cm_channel *channel;

static struct vx_cm_event next(enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	char text[256];

	must(vx_cm_channel_get_event(channel, WITHIN, &event));
	vx_cm_event_text(text, sizeof(text), &event);
	expect(event.type == type, text);
	return event;
}

static void make_qp(struct end *end)
{
	const struct vx_cm_qp_init init = { .cap = { .max_send_wr = COUNT, .max_recv_wr = COUNT } };
	struct vx_qp *qp;
	int i;

	must(vx_cm_qp_create(end->id, &init, &qp));
	make_memory(end);
	for (i = 0; i < COUNT; i++)
		receive(end, GRH + SIZE);
}

/* The receiver answers to the QP that the immediate data tell. */
static void give_datagrams(const struct end *end, struct vx_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct vx_qp *qp;
	struct ibv_sge sge = { (uintptr_t)end->bytes + ROOM, SIZE, vx_mr_raw(end->mr)->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM, .send_flags = IBV_SEND_SIGNALED };
	int i;

	must(vx_cm_id_qp(end->id, &qp));
	wr.imm_data = htobe32(vx_qp_raw(qp)->qp_num);
	wr.wr.ud.ah = vx_ah_raw(ah);
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = qkey;
	for (i = 0; i < COUNT; i++)
		must(vx_qp_post_send(qp, &wr, NULL));
	for (i = 0; i < COUNT; i++)
		was_sent(end);
}

static struct ibv_wc datagrams_have_come(const struct end *end)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < COUNT; i++) {
		must(vx_cm_id_get_recv_comp(end->id, &wc));
		expect(wc.status == IBV_WC_SUCCESS && wc.byte_len == GRH + SIZE, "a datagram has come");
	}
	return wc;
}

static struct sockaddr *address_of(const char *node, const char *service, struct vx_cm_addrinfo **found)
{
	const struct rdma_addrinfo hints = { .ai_flags = node ? RAI_NOROUTE : RAI_PASSIVE, .ai_port_space = RDMA_PS_UDP };
	const struct rdma_addrinfo *raw;

	must(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = node, .service = service, .hints = &hints }, found));
	raw = vx_cm_addrinfo_raw(*found);
	return node ? raw->ai_dst_addr : raw->ai_src_addr;
}

static void answer_datagrams(struct end *end)
{
	struct vx_ah *ah;
	struct vx_pd *pd;
	struct ibv_wc wc;

	must(vx_cm_id_listen(end->listener, 1));
	end->id = next(RDMA_CM_EVENT_CONNECT_REQUEST).id;
	make_qp(end);
	must(vx_cm_id_accept(end->id, NULL));
	wc = datagrams_have_come(end);
	must(vx_cm_id_pd(end->id, &pd));
	must(vx_ah_create_from_wc(pd, &wc, (struct ibv_grh *)end->bytes, (uint8_t)vx_cm_id_raw(end->id)->port_num, &ah));
	give_datagrams(end, ah, be32toh(wc.imm_data), RDMA_UDP_QKEY);
}

static void ask_for_datagrams(struct end *end, struct sockaddr *address)
{
	struct vx_cm_event event;
	struct vx_ah *ah;

	must(vx_cm_id_resolve_addr(end->id, NULL, address, WITHIN));
	next(RDMA_CM_EVENT_ADDR_RESOLVED);
	must(vx_cm_id_resolve_route(end->id, WITHIN));
	next(RDMA_CM_EVENT_ROUTE_RESOLVED);
	make_qp(end);
	must(vx_cm_id_connect(end->id, NULL));
	event = next(RDMA_CM_EVENT_ESTABLISHED);
	must(vx_cm_event_ah(&event, &ah));
	give_datagrams(end, ah, event.ud->qp_num, event.ud->qkey);
	datagrams_have_come(end);
}

static void udaddy(const char *address)
{
	struct vx_cm_addrinfo *found;
	struct sockaddr *at = address_of(address, "7174", &found);
	struct end end = { 0 };

	must(vx_cm_channel_create(NULL, &channel));
	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, address ? &end.id : &end.listener));
	if (address) {
		ask_for_datagrams(&end, at);
	} else {
		must(vx_cm_id_bind_addr(end.listener, at));
		answer_datagrams(&end);
	}
	must(vx_close(channel));
	must(vx_close(found));
}

/* ---- a group: who has an address sends to it ---- */

static const char *own_address;

static void mckey(const char *address)
{
	struct vx_cm_addrinfo *found, *own = NULL;
	struct sockaddr *group = address_of("239.1.2.3", "0", &found);
	struct end end = { 0 };
	struct vx_cm_group *joined;
	struct vx_cm_event event;
	struct vx_ah *ah;

	must(vx_cm_channel_create(NULL, &channel));
	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, &end.id));
	must(vx_cm_id_resolve_addr(end.id, own_address ? address_of(own_address, "0", &own) : NULL, group, WITHIN));
	next(RDMA_CM_EVENT_ADDR_RESOLVED);
	make_qp(&end);
	must(vx_cm_group_create(end.id, &(struct vx_cm_group_init){ .addr = group }, &joined));
	event = next(RDMA_CM_EVENT_MULTICAST_JOIN);
	fprintf(stderr, "joined\n"); /* the other side begins then */
	must(vx_cm_event_ah(&event, &ah));
	if (address)
		give_datagrams(&end, ah, event.ud->qp_num, event.ud->qkey);
	else
		datagrams_have_come(&end);
	must(vx_close(channel));
	must(vx_close(found));
	must(vx_close(own));
}

static const struct {
	const char *name;
	void (*speak)(const char *address);
} peers[] = {
	{ "rdma_server", rdma_server }, { "rping", rping }, { "ucmatose", ucmatose }, { "udaddy", udaddy }, { "mckey", mckey },
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	if (argc > 3 && !strcmp(argv[2], "-b")) {
		own_address = argv[3];
		argv += 2;
		argc -= 2;
	}
	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		if (!strcmp(name, peers[i].name)) {
			peers[i].speak(argc > 2 ? argv[2] : NULL);
			return 0;
		}
	fprintf(stderr, "usage: peers NAME [-b OWN-ADDRESS] [ADDRESS]\n");
	return 2;
}
