/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ids of datagrams, and the groups that they join. */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <verbsx/cm_post.h>

#include "pair.h"

TestSuite(cm_datagrams, .init = open_device, .fini = close_device);

Test(cm_datagrams, datagrams_go_where_the_event_says)
{
	struct vx_cm_event event, asked;
	struct vx_ah *ah;
	struct ibv_wc wc;
	struct pair pair;
	static char sent[64] = "through librdmacm", room[sizeof(sent) + 40];

	pair_resolve(&pair, RDMA_PS_UDP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	cr_expect_eq(vx_qp_raw(pair.active_qp)->qp_type, IBV_QPT_UD, "as the id is of");
	made(vx_cm_id_connect(pair.active, NULL));
	asked = next_event(pair.channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	cr_expect_eq(asked.param, VX_CM_PARAM_UD);
	cr_expect_null(asked.conn);
	made(vx_cm_qp_create(asked.id, NULL, &pair.passive_qp));
	made(vx_cm_id_post_recv(asked.id, room, room, sizeof(room), pair_region(asked.id, room, sizeof(room))));
	made(vx_cm_id_accept(asked.id, NULL));
	event = next_event(pair.channel, RDMA_CM_EVENT_ESTABLISHED);
	cr_expect_eq(event.ud->qp_num, vx_qp_raw(pair.passive_qp)->qp_num);
	made(vx_cm_event_ah(&event, &ah));
	made(vx_cm_id_post_ud_send(pair.active, sent, sent, sizeof(sent), pair_region(pair.active, sent, sizeof(sent)), IBV_SEND_SIGNALED, ah,
				   event.ud->qp_num));
	cr_expect_eq(vx_cm_id_get_recv_comp(asked.id, &wc), 1, "%s", vx_error_text());
	cr_expect_str_eq(room + 40, sent);
	made(vx_close(pair.channel));
}

Test(cm_datagrams, a_group_is_left_by_its_handle)
{
	struct sockaddr_in group = { .sin_family = AF_INET, .sin_addr = { htonl(0xef010203) } };
	struct vx_cm_group *joined;
	struct vx_cm_event event;
	struct vx_ah *ah;
	struct pair pair;
	char name[64];

	pair_resolve(&pair, RDMA_PS_UDP);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_group_create(pair.active, &(struct vx_cm_group_init){ .addr = (struct sockaddr *)&group }, &joined));
	group.sin_addr.s_addr = 0; /* it was copied */
	vx_object_name(name, sizeof(name), joined);
	cr_expect_not_null(strstr(name, "239.1.2.3"), "%s", name);
	event = next_event(pair.channel, RDMA_CM_EVENT_MULTICAST_JOIN);
	cr_expect_eq(event.group, joined);
	made(vx_cm_event_ah(&event, &ah));
	made(vx_close(joined));
	cr_expect_eq(vx_cm_event_ah(&(struct vx_cm_event){ 0 }, &ah), -EINVAL);
	made(vx_close(pair.channel));
}

/* librdmacm has forgotten it by then, and knows no such group the next time. */
Test(cm_datagrams, a_group_that_the_kernel_did_not_let_go_is_closed_the_next_time)
{
	struct sockaddr_in group = { .sin_family = AF_INET, .sin_addr = { htonl(0xef010203) } };
	struct vx_cm_group *joined;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_UDP);
	made(vx_cm_group_create(pair.active, &(struct vx_cm_group_init){ .addr = (struct sockaddr *)&group }, &joined));
	next_event(pair.channel, RDMA_CM_EVENT_MULTICAST_JOIN);
	fail_calls("cm_leave_mcast#1:EIO");
	cr_expect_eq(vx_close(joined), -EIO);
	fail_calls(NULL);
	made(vx_close(joined));
	made(vx_close(pair.channel));
}

/* For which librdmacm would wait as for those of the id. */
Test(cm_datagrams, an_id_moves_with_events_of_its_groups_that_nobody_acknowledged)
{
	struct sockaddr_in group = { .sin_family = AF_INET };
	struct vx_cm_channel *other;
	struct vx_cm_group *joined;
	struct vx_cm_event events[2];
	struct pair pair;
	uint32_t i;

	pair_resolve(&pair, RDMA_PS_UDP);
	for (i = 0; i < 2; i++) {
		group.sin_addr.s_addr = htonl(0xef010203 + i);
		made(vx_cm_group_create(pair.active, &(struct vx_cm_group_init){ .addr = (struct sockaddr *)&group }, &joined));
		events[i] = next_event(pair.channel, RDMA_CM_EVENT_MULTICAST_JOIN);
	}
	made(vx_cm_channel_create(NULL, &other));
	made(vx_cm_id_migrate(pair.active, other));
	vx_cm_event_ack(&events[0]);
	made(vx_close(pair.channel));
	made(vx_close(joined));
	made(vx_close(other));
}
