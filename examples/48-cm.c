/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm: an id for each side, events that tell how far it is, and messages that go by the ids' QPs. */

#include <arpa/inet.h>

#include <verbsx/cm_post.h>

#include "example.h"

#define SOON 10000

/* The next event, which is to be of a type; both sides are of this program, and of one channel. */
static struct vx_cm_event next(struct vx_cm_channel *channel, enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	char text[256];

	must(vx_cm_channel_get_event(channel, SOON, &event));
	vx_cm_event_text(text, sizeof(text), &event);
	printf("%s\n", text);
	if (event.type != type) {
		fprintf(stderr, "vx_cm_channel_get_event: %s: %s\n", text, strerror(-event.status));
		exit(1);
	}
	return event;
}

static struct vx_cm_id *listen_on(struct vx_cm_channel *channel, struct sockaddr_in *address)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct vx_cm_id *id;
	uint16_t port;

	must(vx_cm_id_create(channel, NULL, &id));
	must(vx_cm_id_bind_addr(id, (struct sockaddr *)&any));
	must(vx_cm_id_listen(id, 0));
	must(vx_cm_id_get_src_port(id, &port));
	address->sin_port = htons(port);
	return id;
}

/* Who asks: an address, a route, a QP, and the question. */
static struct vx_cm_id *ask(struct vx_cm_channel *channel, struct sockaddr_in *address)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct vx_cm_id *id;
	struct vx_qp *qp;

	must(vx_cm_id_create(channel, NULL, &id));
	must(vx_cm_id_resolve_addr(id, NULL, (struct sockaddr *)address, SOON));
	next(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	must(vx_cm_id_resolve_route(id, SOON));
	next(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	must(vx_cm_qp_create(id, NULL, &qp));
	param.private_data = "may I?";
	param.private_data_len = 7;
	must(vx_cm_id_connect(id, &param));
	return id;
}

/* Who answers, when the receive is there that the first message goes into. */
static struct vx_cm_id *answer(struct vx_cm_channel *channel, struct vx_mr **mr)
{
	struct vx_cm_event event = next(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct vx_pd *pd;
	struct vx_qp *qp;

	printf("asked: %s\n", (const char *)event.conn->private_data);
	must(vx_cm_qp_create(event.id, NULL, &qp));
	must(vx_cm_id_pd(event.id, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, mr));
	must(vx_cm_id_post_recv(event.id, NULL, vx_mr_addr(*mr), 2048, *mr));
	must(vx_cm_id_accept(event.id, NULL));
	vx_cm_event_ack(&event); /* or when the listener is closed */
	return event.id;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct vx_cm_channel *channel;
	struct vx_cm_id *asks, *answers;
	struct vx_mr *mr;
	struct ibv_wc wc;
	char *out;

	inet_pton(AF_INET, argc > 1 ? argv[1] : "10.1.0.1", &address.sin_addr);
	must(vx_cm_channel_create(NULL, &channel));
	listen_on(channel, &address);
	asks = ask(channel, &address);
	answers = answer(channel, &mr);
	next(channel, RDMA_CM_EVENT_ESTABLISHED);
	next(channel, RDMA_CM_EVENT_ESTABLISHED);

	/* The two share a device, and so the PD that librdmacm has for it. */
	out = (char *)vx_mr_addr(mr) + 2048;
	strcpy(out, "a message");
	must(vx_cm_id_post_send(asks, NULL, out, 10, mr, IBV_SEND_SIGNALED));
	must(vx_cm_id_get_send_comp(asks, &wc));
	must(vx_cm_id_get_recv_comp(answers, &wc));
	printf("came: %s\n", (const char *)vx_mr_addr(mr));

	/* Closing an id ends its connection; of what has happened nothing needs to be acknowledged. */
	must(vx_close(asks));
	next(channel, RDMA_CM_EVENT_DISCONNECTED);
	must(vx_close(channel));
	return 0;
}
