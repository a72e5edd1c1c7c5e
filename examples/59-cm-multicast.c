/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Multicast by librdmacm: ids join a group by its address, as sockets do, and what one sends to it comes to the others. */

#include <arpa/inet.h>

#include <verbsx/cm_post.h>

#include "example.h"

#define SOON 10000
#define GRH 40 /* bytes before each datagram that comes */
#define ROOM 64

/* A member: the event of its joining tells how the group is reached. */
struct member {
	struct vx_cm_id *id;
	struct vx_cm_group *group;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_ah *ah;
	uint32_t qpn;
};

static struct vx_cm_channel *channel;

/* The address of the group leads to the device, as that of a peer does. */
static struct member join(struct sockaddr_in *own, struct sockaddr_in *group)
{
	struct member member;
	struct vx_cm_event event;
	struct vx_pd *pd;

	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, &member.id));
	must(vx_cm_id_resolve_addr(member.id, (struct sockaddr *)own, (struct sockaddr *)group, SOON));
	must_come(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	must(vx_cm_qp_create(member.id, NULL, &member.qp));
	must(vx_cm_id_pd(member.id, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = GRH + 2 * ROOM }, &member.mr));
	must(vx_cm_id_post_recv(member.id, NULL, vx_mr_addr(member.mr), GRH + ROOM, member.mr));
	must(vx_cm_group_create(member.id, &(struct vx_cm_group_init){ .addr = (struct sockaddr *)group }, &member.group));
	event = must_come(channel, RDMA_CM_EVENT_MULTICAST_JOIN);
	must(vx_cm_event_ah(&event, &member.ah));
	member.qpn = event.ud->qp_num;
	vx_cm_event_ack(&event);
	return member;
}

static void send_text(const struct member *from, const char *text)
{
	char *out = (char *)vx_mr_addr(from->mr) + GRH + ROOM;
	struct ibv_wc wc;

	snprintf(out, ROOM, "%s", text);
	must(vx_cm_id_post_ud_send(from->id, NULL, out, ROOM, from->mr, IBV_SEND_SIGNALED, from->ah, from->qpn));
	must(vx_cm_id_get_send_comp(from->id, &wc));
	must_complete(&wc, from->qp);
}

static void expect_text(const struct member *to, const char *text)
{
	const char *in = (const char *)vx_mr_addr(to->mr) + GRH;
	struct ibv_wc wc;

	must(vx_cm_id_get_recv_comp(to->id, &wc));
	must_complete(&wc, to->qp);
	printf("came: %s, %s what was sent\n", in, strcmp(in, text) ? "not" : "which is");
}

int main(int argc, char **argv)
{
	struct sockaddr_in own = { .sin_family = AF_INET }, group = { .sin_family = AF_INET };
	struct member sends, receives;
	char name[64];

	inet_pton(AF_INET, argc > 1 ? argv[1] : "10.1.0.1", &own.sin_addr);
	inet_pton(AF_INET, argc > 2 ? argv[2] : "239.1.2.3", &group.sin_addr);
	must(vx_cm_channel_create(NULL, &channel));
	sends = join(&own, &group);
	receives = join(&own, &group);
	vx_object_name(name, sizeof(name), receives.group);
	printf("joined: %s\n", name);
	printf("datagrams to the group go to QP %#x\n", receives.qpn);
	send_text(&sends, "to all who are there");
	expect_text(&receives, "to all who are there");

	/* A group is left by closing it, or with the id. */
	must(vx_close(receives.group));
	must(vx_close(channel));
	return 0;
}
