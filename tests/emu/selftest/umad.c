/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* MADs as a program sends them by the node of its port: agents, answers in time and not, what the device tells. */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "../scenarios/peer.h"
#include "mad.h"

TestSuite(umad, .init = open_umad, .fini = close_umad);

static int refused(int node, struct ib_user_mad_reg_req r)
{
	return ioctl(node, IB_USER_MAD_REGISTER_AGENT, &r) ? errno : 0;
}

static struct user_mad ask_for(uint8_t mgmt_class, uint16_t attr, uint16_t lid)
{
	struct user_mad u = make(agent(fd, mgmt_class, 0), mgmt_class, GET, attr, lid);

	return ask(&u);
}

Test(umad, a_node_tells_what_it_is)
{
	struct user_mad u = ask_for(SUBN, 0x11, bed.lid);

	cr_assert_eq(u.mad.method, GET | RESP);
	cr_assert_eq(u.mad.status, 0);
	cr_assert_eq(u.mad.data[SMP_DATA + 2], 1, "a channel adapter");
	cr_assert_eq(u.hdr.lid, htobe16(bed.lid));
	CHECK(be64toh(u.mad.tid) >> 32 != 0x12345678);
}

Test(umad, a_directed_route_leads_to_the_switch_and_back_to_the_port)
{
	uint32_t id = agent(fd, DIRECTED, 0);
	struct user_mad u = make(id, DIRECTED, GET, 0x11, 0xffff), answer;

	memset(u.mad.data + SMP_DR_SLID, 0xff, 4);
	u.mad.hop_count = 1;
	u.mad.data[SMP_PATH + 1] = 1;
	answer = ask(&u);
	cr_assert_eq(answer.mad.status, htobe16(0x8000));
	cr_assert_eq(answer.mad.data[SMP_DATA + 2], 2, "a switch");
	u.mad.hop_count = 2;
	u.mad.data[SMP_PATH + 2] = answer.mad.data[SMP_DATA + 36]; /* where it came in */
	cr_assert_eq(ask(&u).mad.data[SMP_DATA + 2], 1);
	u.mad.data[SMP_PATH + 1] = 2; /* not the port of this node */
	CHECK(write(fd, &u, sizeof(u.hdr) + MAD_SIZE) < 0 && errno == EINVAL);
}

Test(umad, what_nobody_answers_comes_back_when_its_time_is_over)
{
	struct user_mad u = make(agent(fd, SUBN, 0), SUBN, GET, 0x11, NOBODY), back;
	double begun = now_ms();
	size_t size;

	u.hdr.timeout_ms = 60;
	u.hdr.retries = 1;
	CHECK(read(fd, &back, sizeof(back)) < 0 && errno == EAGAIN);
	post(fd, &u);
	back = wait_mad(fd, &size);
	CHECK(now_ms() - begun >= 119);
	cr_assert_eq(back.hdr.status, ETIMEDOUT);
	cr_assert_eq(size, HEADER);
	cr_assert_eq(be64toh(back.mad.tid) % (1ull << 32), 9);
}

Test(umad, an_answer_is_not_awaited_without_a_time)
{
	struct user_mad u = make(agent(fd, SUBN, 0), SUBN, GET, 0x11, bed.lid);

	u.hdr.timeout_ms = 0;
	post(fd, &u);
	CHECK(!readable(fd, 100));
}

Test(umad, one_that_is_lost_is_sent_again)
{
	struct user_mad u = make(agent(fd, SUBN, 0), SUBN, GET, 0x11, bed.lid);
	char why[128];

	cr_assert_eq(emu_fault("mad_drop:NodeInfo mad_delay#2:nodeinfo@150", why, sizeof(why)), 0, "%s", why);
	u.hdr.timeout_ms = 100;
	u.hdr.retries = 9;
	cr_assert_eq(ask(&u).mad.status, 0);
	emu_fail(NULL);
	cr_assert_eq(emu_fault("mad_drop:Nodes", why, sizeof(why)), -1);
}

Test(umad, its_calls_fail_as_others)
{
	struct user_mad u = make(agent(fd, SUBN, 0), SUBN, GET, 0x11, bed.lid);

	emu_fail("umad_send:ENOMEM");
	CHECK(write(fd, &u, sizeof(u.hdr) + MAD_SIZE) < 0 && errno == ENOMEM);
	emu_fail("umad_register:EPERM");
	cr_assert_eq(refused(fd, request(PERF)), EPERM);
	emu_fail(NULL);
}

Test(umad, agents_have_rules)
{
	struct ib_user_mad_reg_req r = request(SUBN);
	struct user_mad u = make(3, SUBN, GET, 0x11, bed.lid);
	uint32_t id = agent(fd, VENDOR, 1 << GET);

	cr_assert_eq(ioctl(fd, IB_USER_MAD_ENABLE_PKEY) ? errno : 0, EINVAL, "there is an agent already");
	r.qpn = 1;
	cr_assert_eq(refused(fd, r), EINVAL, "SMPs have QP 0");
	r.qpn = 2;
	cr_assert_eq(refused(fd, r), EINVAL);
	r = request(VENDOR);
	r.method_mask[0] = 1 << GET | 1 << SET;
	cr_assert_eq(refused(fd, r), EINVAL, "another has Get");
	r.method_mask[0] = 1 << SET;
	cr_assert_eq(refused(fd, r), 0);
	memset(r.oui, 0, sizeof(r.oui));
	cr_assert_eq(refused(fd, r), EINVAL, "whose class it is");
	r = request(PERF);
	r.rmpp_version = 1;
	cr_assert_eq(refused(fd, r), EINVAL, "it has no RMPP");
	CHECK(write(fd, &u, sizeof(u.hdr) + MAD_SIZE) < 0 && errno == EIO);
	u.hdr.id = 32;
	CHECK(write(fd, &u, sizeof(u.hdr) + MAD_SIZE) < 0 && errno == EINVAL);
	CHECK(write(fd, &u, sizeof(u.hdr) + 30) < 0 && errno == EINVAL);
	CHECK(!ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id));
	cr_assert_eq(ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id) ? errno : 0, EINVAL);
}

Test(umad, an_agent_of_the_newer_kind_may_not_ask_for_what_is_not_known)
{
	struct ib_user_mad_reg_req2 r = {
		.qpn = 1, .mgmt_class = VENDOR, .mgmt_class_version = 1, .oui = 0x1405, .flags = 6
	};

	CHECK(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &r) && errno == EINVAL);
	cr_assert_eq(r.flags, (uint32_t)IB_USER_MAD_REG_FLAGS_CAP);
	r.flags = 0;
	CHECK(!ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &r));
	r.oui = 1 << 24;
	CHECK(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &r) && errno == EINVAL);
}

Test(umad, a_request_for_which_there_is_no_agent_is_refused)
{
	cr_assert_eq(ask_for(VENDOR, 0, bed.lid).mad.status, htobe16(0xc));
	cr_assert_eq(ask_for(SUBN, 0x20, bed.lid).mad.status, htobe16(0xc), "no manager is here");
}

/* Two files, as of two programs; a blocking one waits */
Test(umad, an_agent_gets_what_it_has_asked_for_and_answers)
{
	int server = open_node(0);
	struct user_mad u = make(agent(fd, VENDOR, 0), VENDOR, GET, 0, bed.lid), got, answer;
	size_t size;

	agent(server, VENDOR, 1 << GET);
	u.mad.data[VENDOR_DATA] = 42;
	post(fd, &u);
	CHECK(read(server, &got, sizeof(got)) == (ssize_t)sizeof(got.hdr) + MAD_SIZE);
	cr_assert_eq(got.mad.data[VENDOR_DATA], 42);
	cr_assert_eq(got.hdr.qpn, htobe32(1));
	got.mad.method |= RESP;
	got.mad.data[VENDOR_DATA]++;
	got.hdr.timeout_ms = 0;
	post(server, &got);
	answer = wait_mad(fd, &size);
	cr_assert_eq(answer.mad.data[VENDOR_DATA], 43);
	post(server, &got); /* nobody waits for it any more */
	CHECK(!readable(fd, 50));
	CHECK(!close(server));
}

Test(umad, a_file_that_is_closed_takes_its_agents_along)
{
	int other = open_node(0);
	struct user_mad u = make(agent(other, VENDOR, 1 << GET), VENDOR, GET, 0, NOBODY);

	post(other, &u);
	CHECK(!close(other));
	agent(fd, VENDOR, 1 << GET);
}

Test(umad, packets_are_counted)
{
	struct user_mad u = make(agent(fd, PERF, 0), PERF, GET, 0x12, bed.lid);

	cr_assert_eq(status_of(&u), 0);
	u.mad.data[SMP_DATA + 1] = 7; /* PortSelect */
	cr_assert_eq(status_of(&u), 0x1c);
	u.mad.attr_id = htobe16(0x7777);
	cr_assert_eq(status_of(&u), 0xc);
	u.mad.attr_id = htobe16(1);
	CHECK(ask(&u).mad.data[SMP_DATA + 2] & 2); /* counters of 64 bits */
}

/* Data are counted by four bytes, with the 24 of a packet's headers */
Test(umad, what_goes_to_another_process_and_comes_is_counted)
{
	struct user_mad u;

	begin(NO_RNR_LIMIT);
	post_send(bed.a, 1, 0, 16);
	expect_wc(1, 0, IBV_WC_SEND);
	u = ask_for(PERF, 0x12, bed.lid);
	cr_assert_eq(get32(u.mad.data + SMP_DATA + 24), 40 / 4);
	cr_assert_eq(get32(u.mad.data + SMP_DATA + 28), 24 / 4);
	cr_assert_eq(get32(u.mad.data + SMP_DATA + 32), 1);
	cr_assert_eq(get32(u.mad.data + SMP_DATA + 36), 1);
	u.hdr.timeout_ms = TIME;
	u.mad.method = SET;
	u.mad.data[SMP_DATA + 2] = 0x40; /* CounterSelect: XmtPkts */
	u.mad.data[SMP_DATA + 3] = 0;
	u = ask(&u);
	cr_assert_eq(get32(u.mad.data + SMP_DATA + 32), 0);
	cr_assert_eq(get32(u.mad.data + SMP_DATA + 36), 1);
	end(0);
}

/* PortInfo of this port, which may be down, with one field changed, of so many bits */
static uint16_t set_port(int offset, int width, uint32_t value)
{
	struct user_mad u = make(agent(fd, DIRECTED, 0), DIRECTED, GET, 0x15, 0xffff), answer;
	uint8_t *at = u.mad.data + SMP_DATA + offset / 8;

	memset(u.mad.data + SMP_DR_SLID, 0xff, 4);
	answer = ask(&u);
	memcpy(u.mad.data + SMP_DATA, answer.mad.data + SMP_DATA, 64);
	if (width == 16)
		memcpy(at, (uint8_t[]){ value >> 8, value }, 2);
	else
		*at = offset % 8 ? (*at & 0xf0) | value : (*at & 0xf) | value << 4;
	u.mad.method = SET;
	answer = ask(&u);
	if (answer.mad.status == htobe16(0x8000)) /* it comes back */
		cr_expect_eq(get16(answer.mad.data + SMP_DATA + 16), first_port().lid);
	return be16toh(answer.mad.status) & 0x7fff;
}

enum { PI_LID = 128, PI_STATE = 260, PI_PHYS_STATE = 264 };

Test(umad, a_port_can_be_set)
{
	uint16_t lid = bed.lid;

	cr_assert_eq(set_port(PI_LID, 16, lid + 2), 0);
	wait_async(IBV_EVENT_LID_CHANGE);
	cr_assert_eq(first_port().lid, lid + 2);
	cr_assert_eq(set_port(PI_LID, 16, lid), 0);
	wait_async(IBV_EVENT_LID_CHANGE);
	cr_assert_eq(set_port(PI_STATE, 4, 4), 0, "as it is");
	CHECK(!readable(bed.ctx->async_fd, 0));
	cr_assert_eq(set_port(PI_STATE, 4, 1), 0);
	wait_async(IBV_EVENT_PORT_ERR);
	wait_async(IBV_EVENT_PORT_ACTIVE);
	cr_assert_eq(first_port().state, IBV_PORT_ACTIVE);
	cr_assert_eq(set_port(PI_PHYS_STATE, 4, 3), 0, "disabled");
	wait_async(IBV_EVENT_PORT_ERR);
	cr_assert_eq(first_port().state, IBV_PORT_DOWN);
	cr_assert_eq(first_port().phys_state, 3);
}

/* Programs read PortInfo, and write it back with what they change */
Test(umad, a_port_stays_disabled_until_it_polls)
{
	uint16_t lid = bed.lid;
	char why[128];

	cr_assert_eq(set_port(PI_PHYS_STATE, 4, 3), 0);
	wait_async(IBV_EVENT_PORT_ERR);
	cr_assert_eq(set_port(PI_LID, 16, lid + 2), 0);
	wait_async(IBV_EVENT_LID_CHANGE);
	cr_assert_eq(set_port(PI_LID, 16, lid), 0);
	wait_async(IBV_EVENT_LID_CHANGE);
	cr_assert_eq(set_port(PI_PHYS_STATE, 4, 0), 0, "no change");
	cr_assert_eq(emu_fault("port_up:1", why, sizeof(why)), 0, "%s", why);
	CHECK(first_port().state == IBV_PORT_DOWN && first_port().phys_state == 3);
	CHECK(!readable(bed.ctx->async_fd, 0));
	cr_assert_eq(set_port(PI_PHYS_STATE, 4, 2), 0);
	wait_async(IBV_EVENT_PORT_ACTIVE);
	CHECK(first_port().state == IBV_PORT_ACTIVE && first_port().phys_state == 5);
}

Test(umad, what_a_port_cannot_be_is_not_set)
{
	struct user_mad u = make(agent(fd, SUBN, 0), SUBN, SET, 0x15, SM_LID);

	cr_assert_eq(set_port(PI_LID, 16, 0), 0x1c);
	cr_assert_eq(set_port(PI_LID, 16, 0xc000), 0x1c, "a group's");
	cr_assert_eq(set_port(PI_STATE, 4, 3), 0x1c, "it was armed before");
	cr_assert_eq(set_port(PI_PHYS_STATE, 4, 1), 0x1c);
	cr_assert_eq(be16toh(ask(&u).mad.status), 0xc, "the switch's");
	CHECK(!readable(bed.ctx->async_fd, 0) && first_port().lid == bed.lid);
}

static bool is_manager(void)
{
	struct ibv_port_attr a;

	CHECK(!ibv_query_port(bed.ctx, 1, &a));
	return a.port_cap_flags & IBV_PORT_SM;
}

Test(umad, a_subnet_manager_says_so_while_its_node_is_open)
{
	int issm = open("/dev/infiniband/issm0", O_RDWR | O_NONBLOCK);

	CHECK(issm >= 0 && is_manager());
	CHECK(open("/dev/infiniband/issm0", O_RDWR | O_NONBLOCK) < 0 && errno == EAGAIN);
	CHECK(!close(issm) && !is_manager());
}
