/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Two devices of one process: each with ports, objects and events of its own, and a way from one to the other. */
#include <unistd.h>

#include "selftest.h"

enum {
	THERE = 32768 /* in its buffer, which both devices have registered */
};

/* The second device, as furnished as the bed needs it */
static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_port_attr port;
} other;

static struct ibv_qp *make_there(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr a = {
		.qp_type = type, .send_cq = other.cq, .recv_cq = other.cq, .cap = { 8, 8, 1, 1, 0 }, .sq_sig_all = 1
	};
	struct ibv_qp *q = ibv_create_qp(other.pd, &a);

	CHECK(q);
	return q;
}

static void open_devices(void)
{
	struct ibv_device **list;
	int n;

	open_mlx5();
	list = ibv_get_device_list(&n);
	if (n < 2) {
		ibv_free_device_list(list);
		skip("there is one device");
	}
	other.ctx = ibv_open_device(list[1]);
	CHECK(other.ctx && !ibv_query_port(other.ctx, 1, &other.port));
	other.pd = ibv_alloc_pd(other.ctx);
	other.cq = ibv_create_cq(other.ctx, 15, NULL, NULL, 0);
	CHECK(other.pd && other.cq);
	other.mr = ibv_reg_mr(other.pd, bed.buf, sizeof(bed.buf), ACCESS_ALL);
	CHECK(other.mr);
	other.qp = make_there(IBV_QPT_RC);
	ibv_free_device_list(list);
}

static void close_devices(void)
{
	CHECK(!readable(other.ctx->async_fd, 0));
	CHECK(!ibv_destroy_qp(other.qp) && !ibv_dereg_mr(other.mr) && !ibv_destroy_cq(other.cq));
	CHECK(!ibv_dealloc_pd(other.pd) && !ibv_close_device(other.ctx));
	close_bed();
}

TestSuite(devices, .init = open_devices, .fini = close_devices);

Test(devices, a_descriptor_leads_to_its_device)
{
	struct ibv_context *guest = ibv_import_device(dup(other.ctx->cmd_fd));

	CHECK(guest);
	cr_assert_str_eq(ibv_get_device_name(guest->device), ibv_get_device_name(other.ctx->device));
	CHECK(!ibv_close_device(guest));
}

/* From one device to port 1 of another */
static struct ibv_ah_attr path_between(struct ibv_context *to)
{
	struct ibv_ah_attr path = path_to_self(1);
	struct ibv_port_attr port;

	CHECK(!ibv_query_port(to, 1, &port));
	path.dlid = port.lid;
	if (path.is_global)
		CHECK(!ibv_query_gid(to, 1, 1, &path.grh.dgid));
	return path;
}

static void connect_to(struct ibv_qp *q, uint32_t dest, struct ibv_context *at)
{
	struct ibv_qp_attr a = path_to(dest);

	a.ah_attr = path_between(at);
	start_rc(q, a);
}

static void connect_devices(void)
{
	connect_to(bed.a, other.qp->qp_num, other.ctx);
	connect_to(other.qp, bed.a->qp_num, bed.ctx);
}

static void receive_there(uint64_t wr_id)
{
	struct ibv_sge sge = { address(THERE), 64, other.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_recv(other.qp, &wr, &bad));
}

static struct ibv_async_event event_there(void)
{
	struct ibv_async_event e;

	wait_readable(other.ctx->async_fd);
	CHECK(!ibv_get_async_event(other.ctx, &e));
	ibv_ack_async_event(&e);
	return e;
}

/* Faults count ports through all devices */
static void fault_there(const char *name)
{
	struct ibv_device_attr d;
	char list[32];

	CHECK(!ibv_query_device(bed.ctx, &d));
	snprintf(list, sizeof(list), "%s:%d", name, d.phys_port_cnt + 1);
	CHECK(!emu_fault(list, NULL, 0));
}

Test(devices, they_are_listed_in_the_order_of_their_numbers)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);

	for (int i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "mlx5_%d", i);
		cr_assert_str_eq(ibv_get_device_name(list[i]), name);
	}
	ibv_free_device_list(list);
}

Test(devices, each_has_guids_and_addresses_of_its_own)
{
	struct ibv_device_attr here, there;
	struct ibv_port_attr port;
	union ibv_gid a, b;

	CHECK(!ibv_query_device(bed.ctx, &here) && !ibv_query_device(other.ctx, &there));
	cr_assert_neq(here.node_guid, there.node_guid);
	cr_assert_eq(here.sys_image_guid, there.sys_image_guid, "they are of one card");
	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &a) && !ibv_query_gid(other.ctx, 1, 0, &b));
	CHECK(memcmp(&a, &b, sizeof(a)));
	CHECK(!ibv_query_port(bed.ctx, 1, &port));
	CHECK(bed.ethernet || port.lid != other.port.lid);
}

Test(devices, each_counts_its_ports_from_1)
{
	struct ibv_device_attr d;
	struct ibv_gid_entry entries[64];
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	ssize_t n;

	connect_devices();
	CHECK(!ibv_query_device(other.ctx, &d));
	CHECK(ibv_query_port(other.ctx, d.phys_port_cnt + 1, &other.port));
	CHECK(!ibv_query_qp(other.qp, &a, IBV_QP_PORT | IBV_QP_AV, &init));
	CHECK(a.port_num == 1 && a.ah_attr.port_num == 1);
	n = ibv_query_gid_table(other.ctx, entries, SIZE(entries), 0);
	CHECK(n > 0);
	for (ssize_t i = 0; i < n; i++)
		CHECK(entries[i].port_num >= 1 && entries[i].port_num <= d.phys_port_cnt);
}

Test(devices, a_message_goes_from_one_to_the_other)
{
	struct ibv_wc wc;

	connect_devices();
	receive_there(7);
	post_send(bed.a, 1, IBV_SEND_SIGNALED, 11);
	expect_wc(1, IBV_WC_SUCCESS, IBV_WC_SEND);
	wc = wait_wc(other.cq);
	CHECK(wc.wr_id == 7 && !wc.status && wc.qp_num == other.qp->qp_num);
	cr_assert_str_eq(bed.buf + THERE, "hello mlx5");
}

Test(devices, each_has_keys_of_its_own)
{
	connect_devices();
	post_write(bed.a, 1, other.mr->rkey, address(THERE), "written");
	expect_wc(1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
	cr_assert_str_eq(bed.buf + THERE, "written");
	post_write(bed.a, 2, bed.mr->rkey, address(THERE), "refused");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	cr_assert_str_eq(bed.buf + THERE, "written");
	CHECK(event_there().event_type == IBV_EVENT_QP_ACCESS_ERR);
}

/* Of the same part of the buffer */
static struct ibv_mr *region_of(struct ibv_pd *pd)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, bed.buf + THERE, 4096, ACCESS_ALL);

	CHECK(mr);
	return mr;
}

/* As on hardware: what goes by the key alone cannot tell the two apart */
Test(devices, each_counts_its_keys_from_the_same)
{
	struct ibv_mr *here = region_of(bed.pd), *there = region_of(other.pd), *passed[64];
	size_t count = 0;

	while (here->lkey != there->lkey && count < SIZE(passed)) {
		struct ibv_mr **behind = here->lkey < there->lkey ? &here : &there;

		passed[count++] = *behind;
		*behind = region_of((*behind)->pd);
	}
	cr_assert_eq(here->lkey, there->lkey);
	connect_devices();
	post_write(bed.a, 1, here->rkey, address(THERE), "written");
	expect_wc(1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
	cr_assert_str_eq(bed.buf + THERE, "written");
	CHECK(!ibv_dereg_mr(there));
	post_write(bed.a, 2, here->rkey, address(THERE), "refused");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(event_there().event_type == IBV_EVENT_QP_ACCESS_ERR);
	CHECK(!ibv_dereg_mr(here));
	while (count)
		CHECK(!ibv_dereg_mr(passed[--count]));
}

Test(devices, a_queue_pair_is_not_found_at_the_port_of_the_other)
{
	struct ibv_qp_attr a = path_to(other.qp->qp_num);

	connect_devices();
	a.timeout = 8;
	a.retry_cnt = 1;
	start_rc(bed.a, a); /* to our own port */
	receive_there(7);
	post_send(bed.a, 1, IBV_SEND_SIGNALED, 11);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
}

Test(devices, an_object_of_one_is_none_of_the_other)
{
	struct ibv_qp *ud = make_ud(), misled = *ud;
	union ibv_gid group = { .raw = { 0xff, 0x12, [15] = 9 } };

	CHECK(!ibv_attach_mcast(ud, &group, 0xc009) && !ibv_detach_mcast(ud, &group, 0xc009));
	misled.context = other.ctx;
	cr_assert_eq(ibv_attach_mcast(&misled, &group, 0xc009), ENOENT);
	CHECK(!ibv_destroy_qp(ud));
}

Test(devices, a_fault_of_a_port_is_told_on_its_device_alone)
{
	static const enum ibv_event_type order[] = { IBV_EVENT_PORT_ERR, IBV_EVENT_GID_CHANGE, IBV_EVENT_PORT_ACTIVE };

	fault_there("port_flap");
	for (size_t i = 0; i < SIZE(order); i++) {
		struct ibv_async_event e = event_there();

		CHECK(e.event_type == order[i] && e.element.port_num == 1);
	}
	CHECK(!readable(bed.ctx->async_fd, 0));
}

Test(devices, one_goes_on_while_the_port_of_the_other_is_down)
{
	fault_there("port_down");
	CHECK(event_there().event_type == IBV_EVENT_PORT_ERR);
	CHECK(!ibv_query_port(other.ctx, 1, &other.port) && other.port.state == IBV_PORT_DOWN);
	post_recv(bed.b, 2, THERE, 64);
	post_send(bed.a, 1, IBV_SEND_SIGNALED, 11);
	for (int i = 0; i < 2; i++)
		CHECK(!wait_wc(bed.cq).status);
}

Test(devices, a_datagram_goes_from_one_to_the_other)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	struct ibv_qp_attr next = { .qp_state = IBV_QPS_RTR };
	struct ibv_ah_attr path = path_between(other.ctx);
	struct ibv_qp *ud = make_ud(), *there = make_there(IBV_QPT_UD);
	struct ibv_sge sge = { address(THERE), 64, other.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 3, .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_ah *ah = ibv_create_ah(bed.pd, &path);
	struct ibv_wc wc;

	CHECK(ah);
	CHECK(!ibv_modify_qp(there, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	CHECK(!ibv_modify_qp(there, &next, IBV_QP_STATE) && !ibv_post_recv(there, &wr, &bad));
	send_datagram(ud, ah, there->qp_num, QKEY);
	CHECK(!wait_wc(bed.cq).status);
	wc = wait_wc(other.cq);
	CHECK(wc.wr_id == 3 && !wc.status && wc.src_qp == ud->qp_num);
	CHECK(!ibv_destroy_qp(there) && !ibv_destroy_qp(ud) && !ibv_destroy_ah(ah));
}

static struct ibv_qp *raw_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq, .cap = { 4, 4, 1, 1, 0 }, .sq_sig_all = 1
	};
	struct ibv_qp_attr m = { .port_num = 1 };
	struct ibv_qp *q = ibv_create_qp(pd, &a);

	CHECK(q);
	for (int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		m.qp_state = state;
		CHECK(!ibv_modify_qp(q, &m, IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PORT : 0)));
	}
	return q;
}

/* A frame to the MAC of its port 1: the link-local GID tells that */
static void address_frame(char *frame, struct ibv_context *to)
{
	union ibv_gid g;

	CHECK(!ibv_query_gid(to, 1, 0, &g));
	memcpy(frame, (const uint8_t[]){ g.raw[8] ^ 2, g.raw[9], g.raw[10], g.raw[13], g.raw[14], g.raw[15], 2, 0, 0, 0, 0, 1,
					 0x88, 0xb5 },
	       14);
}

static void send_as_it_is(struct ibv_qp *from)
{
	struct ibv_sge sge = { address(0), 64, bed.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	CHECK(!ibv_post_send(from, &wr, &bad));
}

static void send_frame(struct ibv_qp *from, struct ibv_context *to)
{
	address_frame(bed.buf, to);
	send_as_it_is(from);
}

/* A QP for frames on each device, which gets all that come to it */
static struct {
	struct ibv_qp *here, *there;
	struct ibv_flow *flows[2];
} raw;

static void open_raw(void)
{
	struct ibv_flow_attr all = { .type = IBV_FLOW_ATTR_ALL_DEFAULT, .size = sizeof(all), .port = 1 };
	struct ibv_sge sge = { address(THERE), 128, other.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (!bed.ethernet) {
		close_devices();
		cr_skip_test("frames are of Ethernet");
	}
	raw.here = raw_qp(bed.pd, bed.cq);
	raw.there = raw_qp(other.pd, other.cq);
	raw.flows[0] = ibv_create_flow(raw.here, &all);
	raw.flows[1] = ibv_create_flow(raw.there, &all);
	CHECK(raw.flows[0] && raw.flows[1]);
	post_recv(raw.here, 4, 16384, 128);
	CHECK(!ibv_post_recv(raw.there, &wr, &bad));
}

static void close_raw(void)
{
	CHECK(!ibv_destroy_flow(raw.flows[0]) && !ibv_destroy_flow(raw.flows[1]));
	CHECK(!ibv_destroy_qp(raw.here) && !ibv_destroy_qp(raw.there));
}

Test(devices, a_frame_comes_to_the_flows_of_the_device_that_has_its_mac)
{
	open_raw();
	send_frame(raw.here, other.ctx);
	expect_wc(1, IBV_WC_SUCCESS, IBV_WC_SEND);
	CHECK(wait_wc(other.cq).wr_id == 5 && !memcmp(bed.buf, bed.buf + THERE, 64));
	send_frame(raw.here, bed.ctx);
	for (int i = 0; i < 2; i++)
		CHECK(!wait_wc(bed.cq).status);
	close_raw();
}

Test(devices, a_frame_for_a_group_comes_to_both)
{
	open_raw();
	address_frame(bed.buf, bed.ctx);
	bed.buf[0] |= 1;
	send_as_it_is(raw.here);
	for (int i = 0; i < 2; i++)
		CHECK(!wait_wc(bed.cq).status);
	CHECK(wait_wc(other.cq).wr_id == 5 && !memcmp(bed.buf, bed.buf + THERE, 64));
	close_raw();
}
