/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Datagrams by librdmacm: who asks at an address is told where they go, and who gets one answers by the way that it came. */

#include <arpa/inet.h>

#include <verbsx/cm_post.h>

#include "example.h"

#define SOON 10000
#define GRH 40 /* bytes before each datagram that comes */
#define ROOM 64

struct end {
	struct vx_cm_id *id;
	struct vx_qp *qp;
	struct vx_pd *pd;
	struct vx_mr *mr; /* what comes, and behind it what goes */
};

static struct vx_cm_channel *channel;

/* Ids of this port space have QPs of UD, which librdmacm brings up at once; a datagram needs a receive that is there before it. */
static struct end end_of(struct vx_cm_id *id)
{
	struct end end = { .id = id };

	must(vx_cm_qp_create(id, NULL, &end.qp));
	must(vx_cm_id_pd(id, &end.pd));
	must(vx_mr_create(end.pd, &(struct vx_mr_init){ .length = GRH + 2 * ROOM }, &end.mr));
	must(vx_cm_id_post_recv(id, NULL, vx_mr_addr(end.mr), GRH + ROOM, end.mr));
	return end;
}

static struct vx_cm_id *listen_at(struct sockaddr_in *own)
{
	struct vx_cm_id *listener;
	uint16_t port;

	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, &listener));
	must(vx_cm_id_bind_addr(listener, (struct sockaddr *)own));
	must(vx_cm_id_listen(listener, 1));
	must(vx_cm_id_get_src_port(listener, &port));
	own->sin_port = htons(port);
	return listener;
}

static struct end ask(struct sockaddr_in *whom)
{
	struct vx_cm_id *id;
	struct end end;

	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, &id));
	must(vx_cm_id_resolve_addr(id, NULL, (struct sockaddr *)whom, SOON));
	must_come(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	must(vx_cm_id_resolve_route(id, SOON));
	must_come(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	end = end_of(id);
	must(vx_cm_id_connect(id, NULL));
	return end;
}

static struct end accept_next(void)
{
	struct end end = end_of(must_come(channel, RDMA_CM_EVENT_CONNECT_REQUEST).id);

	must(vx_cm_id_accept(end.id, NULL));
	return end;
}

/* By RDMA_UDP_QKEY, which all QPs of such ids have. */
static void send_text(const struct end *from, const char *text, struct vx_ah *ah, uint32_t qpn)
{
	char *out = (char *)vx_mr_addr(from->mr) + GRH + ROOM;
	struct ibv_wc wc;

	snprintf(out, ROOM, "%s", text);
	must(vx_cm_id_post_ud_send(from->id, NULL, out, ROOM, from->mr, IBV_SEND_SIGNALED, ah, qpn));
	must(vx_cm_id_get_send_comp(from->id, &wc));
	must_complete(&wc, from->qp);
}

static struct ibv_wc expect_text(const struct end *to, const char *text)
{
	const char *in = (const char *)vx_mr_addr(to->mr) + GRH;
	struct ibv_wc wc;

	must(vx_cm_id_get_recv_comp(to->id, &wc));
	must_complete(&wc, to->qp);
	printf("came: %s, %s what was sent\n", in, strcmp(in, text) ? "not" : "which is");
	return wc;
}

int main(int argc, char **argv)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	struct end asks, answers;
	struct vx_cm_event event;
	struct vx_ah *there, *back;
	struct ibv_wc wc;

	inet_pton(AF_INET, argc > 1 ? argv[1] : "10.1.0.1", &own.sin_addr);
	must(vx_cm_channel_create(NULL, &channel));
	listen_at(&own);
	asks = ask(&own);
	answers = accept_next();

	/* There is no connection: this tells where the other QP is, and nobody is told more. */
	event = must_come(channel, RDMA_CM_EVENT_ESTABLISHED);
	must(vx_cm_event_ah(&event, &there));
	printf("datagrams go to the QP %s, by the Q_Key %#x\n", event.ud->qp_num == vx_qp_raw(answers.qp)->qp_num ? "of who answers" : "of another", event.ud->qkey);
	send_text(&asks, "who is there?", there, event.ud->qp_num);
	wc = expect_text(&answers, "who is there?");

	must(vx_ah_create_from_wc(answers.pd, &wc, vx_mr_addr(answers.mr), vx_cm_id_raw(answers.id)->port_num, &back));
	send_text(&answers, "one who answers", back, wc.src_qp);
	expect_text(&asks, "one who answers");
	must(vx_close(channel));
	return 0;
}
