/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What else ids can be asked and told, and objects of librdmacm that others have made. */

#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "pair.h"
#include "unit/trace/last_line.h"

TestSuite(cm_each, .init = open_device, .fini = close_device);

/* ---- options ---- */

Test(cm_each, options_are_set_each_by_its_type)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	struct vx_cm_channel *channel;
	struct vx_cm_id *first, *second;
	uint16_t port;

	made(vx_cm_channel_create(NULL, &channel));
	made(vx_cm_id_create(channel, NULL, &first));
	made(vx_cm_id_create(channel, NULL, &second));
	made(vx_cm_id_set_reuseaddr(first, true));
	made(vx_cm_id_set_reuseaddr(second, true));
	made(vx_cm_id_set_afonly(first, true));
	made(vx_cm_id_set_tos(first, 8));
	made(vx_cm_id_set_ack_timeout(first, 14));
	cr_expect_eq(vx_cm_id_set_tos(first, 256), -EINVAL);
	expect_reason("value is more than 255");
	made(vx_cm_id_bind_addr(first, (struct sockaddr *)&any));
	made(vx_cm_id_get_src_port(first, &port));
	any.sin6_port = htons(port);
	made(vx_cm_id_bind_addr(second, (struct sockaddr *)&any));
	made(vx_close(channel));
}

Test(cm_each, a_path_is_a_list_that_may_not_be_missing)
{
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	cr_expect_eq(vx_cm_id_set_ib_path(pair.active, NULL, 1), -EINVAL);
	expect_reason("values is NULL, but count = 1");
	made(vx_close(pair.channel));
}

/* ---- what an id knows ---- */

Test(cm_each, ports_are_in_the_order_of_bytes_of_the_host)
{
	uint16_t here, there;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_get_src_port(pair.listener, &here));
	made(vx_cm_id_get_dst_port(pair.active, &there));
	cr_expect_eq(here, there);
	made(vx_close(pair.channel));
}

Test(cm_each, a_port_in_a_trace_is_in_the_order_of_bytes_of_the_host)
{
	struct last_line last = { .call = "rdma_get_src_port" };
	struct pair pair;
	char result[16];
	uint16_t port;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_trace_callback(keep_line, &last));
	made(vx_cm_id_get_src_port(pair.listener, &port));
	made(vx_trace_callback(NULL, NULL));
	snprintf(result, sizeof(result), ") = %u <", port);
	expect_line_part(&last, result);
	made(vx_close(pair.channel));
}

/* What an id calls its context is the program's, and nothing to be asked. */
Test(cm_each, what_the_device_allows_is_asked_of_the_device)
{
	static char of_program[4096];
	struct vx_qp *qp;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	vx_cm_id_raw(pair.active)->context = of_program;
	cr_expect_eq(vx_cm_qp_create(pair.active, &(struct vx_cm_qp_init){ .cap.max_send_wr = 100000000 }, &qp), -EINVAL);
	expect_reason("cap.max_send_wr = 100000000, but the device allows max_qp_wr = ");
	made(vx_close(pair.channel));
}

Test(cm_each, what_it_lends_is_what_its_qp_was_made_with)
{
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	cr_expect_eq(vx_cm_id_qp(pair.active, &qp), -ENOENT);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_id_qp(pair.active, &qp));
	cr_expect_eq(qp, pair.active_qp);
	made(vx_cm_id_send_cq(pair.active, &cq));
	cr_expect_eq(vx_cq_raw(cq), vx_qp_raw(qp)->send_cq);
	made(vx_cm_id_send_cq_channel(pair.active, &channel));
	cr_expect_eq(vx_comp_channel_raw(channel), vx_cq_raw(cq)->channel);
	made(vx_close(pair.channel));
}

/* Extensions of the vendor's that the peers agree on, of QPs that are not librdmacm's. */
Test(cm_each, extensions_go_to_and_fro)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct ibv_ece own = { 0 }, peer = { 0 };
	struct vx_cm_event event;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	cr_expect_eq(vx_cm_id_set_local_ece(pair.active, &own), -EINVAL);
	expect_reason("ece.vendor_id is 0");
	own = (struct ibv_ece){ .vendor_id = 0x15b3, .options = 0x10 };
	made(vx_cm_id_set_local_ece(pair.active, &own));
	param.qp_num = 7;
	made(vx_cm_id_connect(pair.active, &param));
	event = next_event(pair.channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	made(vx_cm_id_get_remote_ece(event.id, &peer));
	cr_expect_eq(peer.vendor_id, 0x15b3);
	cr_expect_eq(event.conn->qp_num, 7);
	made(vx_cm_id_reject_ece(event.id, NULL, 0));
	event = next_event(pair.channel, RDMA_CM_EVENT_REJECTED);
	cr_expect_eq(event.reject, 35);
	made(vx_close(pair.channel));
}

/* ---- what only newer releases have ---- */

#define NEEDS_60(call) \
	do { \
		int rc = call; \
		if (VX_RDMA_CORE < 60) { \
			cr_expect_eq(rc, -EOPNOTSUPP); \
			expect_reason("needs rdma-core 60"); \
		} else { \
			cr_expect_lt(rc, 0); /* the emulated device's kernel has none of it */ \
		} \
	} while (0)

Test(cm_each, what_came_with_release_60_says_so)
{
	struct vx_cm_addrinfo *found;
	struct vx_cm_channel *channel;
	struct vx_cm_id *id;

	made(vx_cm_channel_create(NULL, &channel));
	made(vx_cm_id_create(channel, NULL, &id));
	NEEDS_60(vx_cm_id_resolve_addrinfo(id, "localhost", "7471", NULL));
	NEEDS_60(vx_cm_id_write_cm_event(id, (enum rdma_cm_event_type)18, 0, 7));
	NEEDS_60(vx_cm_found_create(id, NULL, &found));
	made(vx_close(channel));
}

/* ---- what others have made ---- */

Test(cm_each, channels_and_ids_of_others_are_adopted_or_borrowed)
{
	struct rdma_event_channel *raw_channel = rdma_create_event_channel();
	struct rdma_cm_id *raw_id;
	struct vx_cm_channel *channel, *same;
	struct vx_cm_id *id;

	cr_assert_eq(rdma_create_id(raw_channel, &raw_id, NULL, RDMA_PS_TCP), 0);
	made(vx_cm_channel_borrow(raw_channel, &channel));
	made(vx_cm_id_borrow(channel, raw_id, &id));
	made(vx_close(channel));
	made(vx_cm_channel_adopt(raw_channel, &channel));
	made(vx_cm_channel_adopt(raw_channel, &same));
	cr_expect_eq(channel, same);
	made(vx_cm_id_adopt(channel, raw_id, &id));
	made(vx_close(same));
	made(vx_close(channel));
}

Test(cm_each, addresses_of_others_are_adopted_or_borrowed)
{
	struct rdma_addrinfo *raw;
	struct vx_cm_addrinfo *addresses;

	cr_assert_eq(rdma_getaddrinfo(own_address(), "7471", NULL, &raw), 0);
	made(vx_cm_addrinfo_borrow(raw, &addresses));
	made(vx_close(addresses));
	made(vx_cm_addrinfo_adopt(raw, &addresses));
	made(vx_close(addresses));
}

/* A stranger's events are given without a handle, and acknowledged with the channel at the latest. */
Test(cm_each, events_of_ids_without_a_handle_are_given)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct vx_cm_channel *channel;
	struct vx_cm_id *listener;
	struct rdma_cm_id *stranger;
	struct vx_cm_event event;

	made(vx_cm_channel_create(NULL, &channel));
	made(vx_cm_id_create(channel, NULL, &listener));
	made(vx_cm_id_bind_addr(listener, (struct sockaddr *)&any));
	made(vx_cm_id_listen(listener, 0));
	cr_assert_eq(rdma_create_id(vx_cm_channel_raw(channel), &stranger, NULL, RDMA_PS_TCP), 0);
	cr_assert_eq(rdma_resolve_addr(stranger, NULL, address_of(listener), WITHIN), 0);
	event = next_event(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	cr_expect_null(event.id);
	cr_expect_eq(event.raw->id, stranger);
	vx_cm_event_ack(&event);
	vx_cm_event_ack(&event); /* nothing more */
	cr_expect_eq(rdma_destroy_id(stranger), 0);
	made(vx_close(channel));
}

Test(cm_each, an_event_that_was_acknowledged_leads_nowhere)
{
	struct vx_cm_event event;
	struct pair pair;
	char text[1024];

	pair_connect(&pair);
	made(vx_close(pair.active));
	event = next_event(pair.channel, RDMA_CM_EVENT_DISCONNECTED);
	cr_expect_not_null(event.conn);
	vx_cm_event_ack(&event);
	cr_expect(!event.conn && !event.ud && !event.raw);
	vx_snprint(text, sizeof(text), VX_TYPEOF(&event), &event, VX_COMPACT);
	cr_expect_null(strstr(text, "private_data_len"), "%s", text);
	made(vx_close(pair.channel));
}

/* Hints are no list that anybody made: a name would say nothing. */
Test(cm_each, hints_are_traced_by_what_is_in_them)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };
	struct vx_cm_addrinfo_init init = { .node = own_address(), .service = "7471", .hints = &hints };
	struct last_line last = { .call = "rdma_getaddrinfo" };
	struct vx_cm_addrinfo *addresses;

	made(vx_trace_callback(keep_line, &last));
	made(vx_cm_addrinfo_create(&init, &addresses));
	expect_line_part(&last, "hints={ai_flags=RAI_PASSIVE(0x1) ");
	expect_line_part(&last, " ai_port_space=RDMA_PS_TCP(262) ");
	made(vx_close(addresses));
	init.hints = NULL;
	made(vx_cm_addrinfo_create(&init, &addresses));
	made(vx_trace_callback(NULL, NULL));
	expect_line_part(&last, "hints=NULL, ");
	made(vx_close(addresses));
}

/* ---- endpoints ---- */

Test(cm_each, an_endpoint_does_not_keep_its_addresses)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };
	struct vx_cm_addrinfo *addresses;
	struct vx_cm_id *id;

	made(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = own_address(), .service = "7471", .hints = &hints }, &addresses));
	made(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses }, &id));
	made(vx_close(addresses));
	made(vx_cm_id_listen(id, 1));
	made(vx_close(id));
}

/* librdmacm keeps the raw objects of qp_init_attr, for the QP of each who asks. The port is free again when the endpoint is closed. */
Test(cm_each, an_endpoint_goes_with_what_its_qps_were_to_use)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .cap = { 4, 4, 1, 1, 0 } };
	struct vx_cm_addrinfo *addresses;
	void *used[3];
	struct vx_pd *own_pd;
	struct vx_ctx *cm;
	struct vx_cm_id *id;
	size_t count, i;

	made(vx_cm_contexts(&cm, 1, &count));
	made(vx_pd_create(cm, NULL, &own_pd));
	made(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = own_address(), .service = "7471", .hints = &hints }, &addresses));
	made(vx_cq_create(cm, NULL, (struct vx_cq **)&used[0]));
	made(vx_cq_create(cm, NULL, (struct vx_cq **)&used[1]));
	made(vx_srq_create(own_pd, NULL, (struct vx_srq **)&used[2]));
	for (i = 0; i <= 3; i++) {
		attr.send_cq = i > 0 ? NULL : vx_cq_raw(used[0]);
		attr.recv_cq = i > 1 ? NULL : vx_cq_raw(used[1]);
		attr.srq = i > 2 ? NULL : vx_srq_raw(used[2]);
		made(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses, .qp_init_attr = &attr }, &id));
		made(vx_cm_id_listen(id, 1));
		made(vx_close(i < 3 ? used[i] : id));
	}
	made(vx_close(own_pd));
	made(vx_close(addresses));
	made(vx_close(cm));
}

/* librdmacm writes the CQs that it makes into the structure, and they go with the first. */
Test(cm_each, one_structure_serves_for_any_number_of_endpoints)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_NUMERICHOST, .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .cap = { 4, 4, 1, 1, 0 } };
	struct vx_cm_addrinfo *addresses;
	struct vx_cm_id *id;
	int i;

	made(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = own_address(), .service = "7471", .hints = &hints }, &addresses));
	for (i = 0; i < 2; i++) {
		made(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses, .qp_init_attr = &attr }, &id));
		cr_expect_not_null(vx_cm_id_raw(id)->send_cq);
		cr_expect_null(attr.send_cq);
		cr_expect_eq(attr.qp_type, 0);
		made(vx_close(id));
	}
	made(vx_close(addresses));
}

/* That there are devices is known by then. */
Test(cm_each, names_and_addresses_that_are_wrong_are_not_taken_for_a_lack_of_devices)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_NUMERICHOST };
	struct vx_cm_addrinfo *addresses;
	struct vx_cm_id *id;
	int rc;

	cr_expect_eq(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "localhost", .service = "7471", .hints = &hints }, &addresses), -ENOENT);
	expect_reason("of node localhost and service 7471");
	cr_expect_str_eq(vx_error_text(), "rdma_getaddrinfo: Name or service not known, of node localhost and service 7471");
	cr_expect_eq(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "", .service = "7471", .hints = &hints }, &addresses), -ENOENT);
	expect_reason("Name or service not known, of node \"\" and service 7471");
	hints = (struct rdma_addrinfo){ .ai_port_space = RDMA_PS_TCP };
	made(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "198.51.100.1", .service = "7471", .hints = &hints }, &addresses));
	rc = vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses }, &id);
	if (rc != -ENETUNREACH) { /* that of a host without a route to other networks, such as a virtual machine's */
		cr_expect_eq(rc, -ENODEV);
		expect_reason("no RDMA device is behind the address; there are");
	}
	made(vx_close(addresses));
}

/* ---- the device goes ---- */

static void cause(const char *fault)
{
	int (*emu_fault)(const char *list, char *why, size_t size);
	void *function = dlsym(RTLD_DEFAULT, "vx_emu_fault");
	char why[256];

	if (!function)
		cr_skip_test("only the emulated device does so");
	memcpy(&emu_fault, &function, sizeof(function));
	cr_assert_eq(emu_fault(fault, why, sizeof(why)), 0, "%s", why);
}

Test(cm_each, nothing_is_made_on_a_device_that_was_removed)
{
	struct vx_ctx *lent;
	struct vx_pd *out;
	struct pair pair;
	struct vx_cm_event event;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_ctx(pair.active, &lent));
	cause("device_removal");
	event = next_event(pair.channel, RDMA_CM_EVENT_DEVICE_REMOVAL);
	cr_expect_not_null(event.id);
	cr_expect_eq(vx_pd_create(lent, NULL, &out), -EIO);
	made(vx_close(pair.channel));
	made(vx_close(lent));
}
