/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* MADs as a program sends them by the node of its port: agents, answers in time and not, what the device and the subnet tell. */
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_mad.h>

#include "../scenarios/peer.h"
#include "selftest.h"

enum {
	MAD_SIZE = 256,
	HEADER = 24, /* of a MAD, which is all that comes back of one that nobody answered */
	SM_LID = 1,
	NOBODY = 0x7777, /* a LID */
	FULL_MEMBER = 1,
	TIME = 5000 /* ms */
};

enum {
	SUBN = 0x01,
	SUBN_ADM = 0x03,
	PERF = 0x04,
	VENDOR = 0x32,
	DIRECTED = 0x81
};

enum {
	GET = 0x01,
	SET = 0x02,
	GET_TABLE = 0x12,
	DELETE = 0x15,
	RESP = 0x80
};

struct mad {
	uint8_t base_version, mgmt_class, class_version, method;
	__be16 status;
	uint8_t hop_pointer, hop_count;
	__be64 tid;
	__be16 attr_id, reserved;
	__be32 attr_mod;
	uint8_t data[MAD_SIZE - HEADER];
};

/* Offsets in its data */
enum {
	SMP_DR_SLID = 8,
	SMP_DATA = 40,
	SMP_PATH = 104,
	SA_ATTR_OFFSET = 20,
	SA_COMP_MASK = 24,
	SA_DATA = 32,
	VENDOR_OUI = 13,
	VENDOR_DATA = 16
};

struct user_mad {
	struct ib_user_mad_hdr hdr;
	struct mad mad;
	uint8_t more[2048];
};

static int fd = -1;

static int open_node(int flags)
{
	int node = open("/dev/infiniband/umad0", O_RDWR | flags);

	CHECK(node >= 0 && !ioctl(node, IB_USER_MAD_ENABLE_PKEY));
	return node;
}

static void open_umad(void)
{
	open_mlx5();
	if (bed.ethernet)
		skip("an Ethernet port has no subnet");
	fd = open_node(O_NONBLOCK);
}

static void close_umad(void)
{
	if (fd >= 0)
		CHECK(!close(fd));
	close_bed();
}

TestSuite(umad, .init = open_umad, .fini = close_umad);

static struct ib_user_mad_reg_req request(uint8_t mgmt_class)
{
	struct ib_user_mad_reg_req r = {
		.qpn = mgmt_class != SUBN && mgmt_class != DIRECTED,
		.mgmt_class = mgmt_class,
		.mgmt_class_version = mgmt_class == SUBN_ADM ? 2 : 1,
		.rmpp_version = mgmt_class == SUBN_ADM,
	};

	if (mgmt_class == VENDOR)
		memcpy(r.oui, (uint8_t[]){ 0, 0x14, 5 }, sizeof(r.oui));
	return r;
}

static uint32_t agent(int node, uint8_t mgmt_class, unsigned long methods)
{
	struct ib_user_mad_reg_req r = request(mgmt_class);

	r.method_mask[0] = methods;
	CHECK(!ioctl(node, IB_USER_MAD_REGISTER_AGENT, &r));
	return r.id;
}

static int refused(int node, struct ib_user_mad_reg_req r)
{
	return ioctl(node, IB_USER_MAD_REGISTER_AGENT, &r) ? errno : 0;
}

static struct user_mad make(uint32_t id, uint8_t mgmt_class, uint8_t method, uint16_t attr, uint16_t lid)
{
	struct user_mad u = {
		.hdr = { .id = id,
			 .timeout_ms = TIME,
			 .lid = htobe16(lid),
			 .qpn = htobe32(request(mgmt_class).qpn) },
		.mad = { .base_version = 1,
			 .mgmt_class = mgmt_class,
			 .method = method,
			 .tid = htobe64(0x1234567800000009),
			 .class_version = request(mgmt_class).mgmt_class_version,
			 .attr_id = htobe16(attr) },
	};

	if (mgmt_class == VENDOR)
		memcpy(u.mad.data + VENDOR_OUI, request(mgmt_class).oui, 3);
	return u;
}

static void post(int node, const struct user_mad *u)
{
	CHECK(write(node, u, sizeof(u->hdr) + MAD_SIZE) == (ssize_t)sizeof(u->hdr) + MAD_SIZE);
}

static struct user_mad wait_mad(int node, size_t *size)
{
	struct user_mad u;
	ssize_t n;

	wait_readable(node);
	n = read(node, &u, sizeof(u));
	CHECK(n >= (ssize_t)sizeof(u.hdr) + HEADER);
	*size = n - sizeof(u.hdr);
	cr_assert_eq(u.hdr.length, u.hdr.status ? 0 : (size_t)n);
	return u;
}

static struct user_mad ask(const struct user_mad *u)
{
	struct user_mad answer;
	size_t size;

	post(fd, u);
	answer = wait_mad(fd, &size);
	cr_assert_eq(answer.hdr.status, 0);
	CHECK(size >= MAD_SIZE || answer.mad.method == (GET_TABLE | RESP));
	CHECK(be64toh(answer.mad.tid) % (1ull << 32) == be64toh(u->mad.tid) % (1ull << 32));
	return answer;
}

static uint16_t status_of(const struct user_mad *u)
{
	return be16toh(ask(u).mad.status);
}

static struct user_mad ask_for(uint8_t mgmt_class, uint16_t attr, uint16_t lid)
{
	struct user_mad u = make(agent(fd, mgmt_class, 0), mgmt_class, GET, attr, lid);

	return ask(&u);
}

static uint16_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
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
	post(fd, &u);
	CHECK(read(fd, &back, sizeof(back)) < 0 && errno == EAGAIN);
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

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
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

static void put_gid(uint8_t *to)
{
	union ibv_gid gid;

	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &gid));
	memcpy(to, gid.raw, sizeof(gid));
}

static void put_mask(struct user_mad *u, uint64_t mask)
{
	__be64 value = htobe64(mask);

	memcpy(u->mad.data + SA_COMP_MASK, &value, sizeof(value));
}

static struct user_mad ask_for_path(void)
{
	struct user_mad u = make(agent(fd, SUBN_ADM, 0), SUBN_ADM, GET, 0x35, SM_LID);

	put_mask(&u, 1 << 2 | 1 << 3); /* DGID and SGID */
	put_gid(u.mad.data + SA_DATA + 8);
	put_gid(u.mad.data + SA_DATA + 24);
	return u;
}

Test(umad, the_subnet_administrator_knows_paths)
{
	struct user_mad u = ask_for_path(), answer = ask(&u);

	cr_assert_eq(answer.mad.status, 0);
	cr_assert_eq(get16(answer.mad.data + SA_DATA + 40), bed.lid);
	cr_assert_eq(get16(answer.mad.data + SA_DATA + 42), bed.lid);
	cr_assert_eq(get16(answer.mad.data + SA_DATA + 50), 0xffff);
	u.mad.data[SA_DATA + 8 + 15] ^= 0x55;
	cr_assert_eq(status_of(&u), 0x500);
}

/* The MTU of a path: MtuSelector in the upper two bits */
Test(umad, a_path_can_be_asked_for_that_is_large_enough)
{
	struct user_mad u = ask_for_path();

	put_mask(&u, 1 << 2 | 1 << 3 | 1 << 16 | 1 << 17);
	u.mad.data[SA_DATA + 54] = IBV_MTU_2048; /* greater */
	cr_assert_eq(ask(&u).mad.data[SA_DATA + 54], 2 << 6 | IBV_MTU_4096);
	u.mad.data[SA_DATA + 54] = 2 << 6 | IBV_MTU_1024;
	cr_assert_eq(ask(&u).mad.data[SA_DATA + 54], 2 << 6 | IBV_MTU_1024);
	u.mad.data[SA_DATA + 54] = IBV_MTU_4096;
	cr_assert_eq(status_of(&u), 0x300, "there is none");
	put_mask(&u, 1 << 2 | 1 << 3 | 1 << 18 | 1 << 19);
	u.mad.data[SA_DATA + 55] = 1 << 6 | IBV_RATE_100_GBPS; /* less */
	cr_assert_eq(ask(&u).mad.data[SA_DATA + 55], 2 << 6 | IBV_RATE_80_GBPS);
	u.mad.data[SA_DATA + 55] = IBV_RATE_120_GBPS; /* whose number is less */
	cr_assert_eq(status_of(&u), 0x300);
	put_mask(&u, 1 << 2 | 1 << 3 | 1 << 20 | 1 << 21);
	u.mad.data[SA_DATA + 56] = 1 << 6 | 1; /* a shorter life */
	cr_assert_eq(status_of(&u), 0x300);
}

/* NodeRecords, 112 bytes each, as one message of RMPP */
Test(umad, a_table_comes_as_a_whole_and_stays_until_there_is_room)
{
	struct user_mad u = make(agent(fd, SUBN_ADM, 0), SUBN_ADM, GET_TABLE, 0x11, SM_LID), got;
	size_t size;

	post(fd, &u);
	wait_readable(fd);
	CHECK(read(fd, &got, sizeof(got.hdr) - 1) < 0 && errno == EINVAL);
	CHECK(read(fd, &got, sizeof(got.hdr) + MAD_SIZE) < 0 && errno == ENOSPC);
	CHECK(got.hdr.length > sizeof(got.hdr) + MAD_SIZE);
	CHECK(readable(fd, 0));
	got = wait_mad(fd, &size);
	cr_assert_eq(get16(got.mad.data + SA_ATTR_OFFSET), 112 / 8);
	cr_assert_eq((size - HEADER - SA_DATA) % 112, 0);
	CHECK((size - HEADER - SA_DATA) / 112 >= 2); /* the switch, and this process */
	CHECK(!readable(fd, 0));
}

Test(umad, what_the_administrator_does_not_know_is_refused)
{
	struct user_mad u = make(agent(fd, SUBN_ADM, 0), SUBN_ADM, SET, 0x3b, SM_LID); /* ServiceAssociationRecord */

	cr_assert_eq(status_of(&u), 0xc);
	u.mad.method = GET;
	u.mad.class_version = 1;
	cr_assert_eq(status_of(&u), 0x4);
}

static struct user_mad join_of(uint64_t mask)
{
	struct user_mad u = make(agent(fd, SUBN_ADM, 0), SUBN_ADM, SET, 0x38, SM_LID);

	put_mask(&u, mask);
	memcpy(u.mad.data + SA_DATA, (uint8_t[]){ 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff }, 6);
	u.mad.data[SA_DATA + 15] = getpid();
	u.mad.data[SA_DATA + 14] = getpid() >> 8;
	put_gid(u.mad.data + SA_DATA + 16);
	u.mad.data[SA_DATA + 35] = 77; /* Q_Key */
	memset(u.mad.data + SA_DATA + 40, 0xff, 2); /* P_Key */
	u.mad.data[SA_DATA + 48] = 0x20 | FULL_MEMBER;
	return u;
}

#define JOIN (1 << 0 | 1 << 1 | 1 << 16)
#define CREATE (JOIN | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13)

Test(umad, a_port_joins_a_group_and_leaves)
{
	struct user_mad u = join_of(JOIN), answer;
	uint16_t mlid;

	cr_assert_eq(status_of(&u), 0x600, "the first one has to say what the group is like");
	put_mask(&u, CREATE);
	answer = ask(&u);
	cr_assert_eq(answer.mad.status, 0);
	mlid = get16(answer.mad.data + SA_DATA + 36);
	CHECK(mlid > 0xc000 && mlid < 0xffff);
	put_mask(&u, JOIN);
	cr_assert_eq(get16(ask(&u).mad.data + SA_DATA + 36), mlid);
	put_mask(&u, CREATE);
	u.mad.data[SA_DATA + 35] = 78;
	cr_assert_eq(status_of(&u), 0x200, "the group has another Q_Key");
	u.mad.method = GET;
	put_mask(&u, 1 << 0);
	cr_assert_eq(ask(&u).mad.data[SA_DATA + 35], 77);
	u.mad.method = DELETE;
	put_mask(&u, JOIN);
	cr_assert_eq(ask(&u).mad.method, DELETE | RESP);
	cr_assert_eq(status_of(&u), 0x200, "it is none of its members");
}

/* A record for each, to who is trusted with them */
static size_t members_of(struct user_mad u)
{
	struct user_mad got;
	size_t size;

	u.mad.method = GET_TABLE;
	u.mad.data[19] = 1; /* SM_Key */
	put_mask(&u, 1 << 0);
	post(fd, &u);
	got = wait_mad(fd, &size);
	cr_assert_eq(got.mad.status, 0);
	return (size - HEADER - SA_DATA) / 56;
}

Test(umad, a_forked_child_is_in_no_group)
{
	struct user_mad u = join_of(CREATE);

	cr_assert_eq(members_of(u), 0);
	cr_assert_eq(status_of(&u), 0);
	begin(NO_RNR_LIMIT);
	post_send(bed.a, 1, 0, 16);
	expect_wc(1, 0, IBV_WC_SEND);
	cr_assert_eq(members_of(u), 1);
	end(0);
}

Test(umad, only_a_full_member_makes_a_group_and_only_a_port_of_ours_joins)
{
	struct user_mad u = join_of(CREATE);

	u.mad.data[SA_DATA + 48] = 0x24; /* that only sends */
	cr_assert_eq(status_of(&u), 0x200);
	u = join_of(CREATE);
	u.mad.data[SA_DATA + 31] ^= 0x55;
	cr_assert_eq(status_of(&u), 0x500);
}

/* Of a ServiceRecord */
enum {
	SERVICE = 0x31,
	SERVICE_ID = SA_DATA,
	SERVICE_GID = SA_DATA + 8,
	SERVICE_P_KEY = SA_DATA + 24,
	SERVICE_LEASE = SA_DATA + 28,
	SERVICE_KEY = SA_DATA + 32,
	SERVICE_NAME = SA_DATA + 48,
	SERVICE_DATA8 = SA_DATA + 112,
	BY_ID = 1 << 0,
	BY_GID = 1 << 1,
	BY_P_KEY = 1 << 2,
	WITH_LEASE = 1 << 4,
	BY_NAME = 1 << 6,
	BY_DATA8 = 1 << 7
};

#define NAME_OF_SERVICE "selftest of the device"

static struct user_mad service_of(uint64_t mask)
{
	struct user_mad u = make(agent(fd, SUBN_ADM, 0), SUBN_ADM, SET, SERVICE, SM_LID);

	put_mask(&u, mask);
	memcpy(u.mad.data + SERVICE_ID, &(__be64){ htobe64(0x1000 + getpid()) }, 8);
	put_gid(u.mad.data + SERVICE_GID);
	memset(u.mad.data + SERVICE_P_KEY, 0xff, 2);
	u.mad.data[SERVICE_LEASE + 3] = 100;
	u.mad.data[SERVICE_KEY] = 5;
	snprintf((char *)u.mad.data + SERVICE_NAME, 64, "%s %d", NAME_OF_SERVICE, (int)getpid());
	u.mad.data[SERVICE_DATA8] = 9;
	return u;
}

Test(umad, a_port_tells_of_a_service_and_takes_it_back)
{
	struct user_mad u = service_of(BY_ID | BY_GID | BY_P_KEY | WITH_LEASE), found = u;

	found.mad.method = GET;
	put_mask(&found, BY_NAME);
	cr_assert_eq(status_of(&found), 0x300);
	cr_assert_eq(status_of(&u), 0);
	found = ask(&found);
	cr_assert_eq(found.mad.status, 0);
	CHECK(!memcmp(found.mad.data + SERVICE_GID, u.mad.data + SERVICE_GID, 16));
	CHECK(found.mad.data[SERVICE_LEASE + 3] > 50 && found.mad.data[SERVICE_LEASE + 3] <= 100);
	CHECK(found.mad.data[SERVICE_DATA8] == 9 && !found.mad.data[SERVICE_KEY]);
	u.mad.data[SERVICE_DATA8] = 10;
	cr_assert_eq(status_of(&u), 0);
	u.mad.data[SERVICE_KEY] = 6;
	cr_assert_eq(status_of(&u), 0x200, "it is of another key");
	u.mad.method = DELETE;
	cr_assert_eq(status_of(&u), 0x200, "it is of another key");
	u.mad.data[SERVICE_KEY] = 5;
	found = ask(&u);
	CHECK(!found.mad.status && found.mad.method == (DELETE | RESP) && found.mad.data[SERVICE_DATA8] == 10);
	cr_assert_eq(status_of(&u), 0x300);
}

Test(umad, a_service_is_found_by_each_of_its_data)
{
	struct user_mad u = service_of(BY_ID | BY_GID);

	cr_assert_eq(status_of(&u), 0);
	u.mad.method = GET;
	put_mask(&u, BY_NAME | BY_DATA8);
	cr_assert_eq(status_of(&u), 0);
	cr_assert_eq(get32(ask(&u).mad.data + SERVICE_LEASE), 0xffffffff, "for ever, where no lease was asked for");
	u.mad.data[SERVICE_DATA8] ^= 1;
	cr_assert_eq(status_of(&u), 0x300);
}

Test(umad, a_service_ends_with_its_lease)
{
	struct user_mad u = service_of(BY_ID | BY_GID | WITH_LEASE);

	u.mad.data[SERVICE_LEASE + 3] = 1;
	cr_assert_eq(status_of(&u), 0);
	u.mad.method = GET;
	put_mask(&u, BY_ID);
	cr_assert_eq(status_of(&u), 0);
	usleep(1100 * 1000);
	cr_assert_eq(status_of(&u), 0x300);
}

Test(umad, only_a_port_of_ours_tells_of_a_service_and_in_a_partition_of_its_own)
{
	struct user_mad u = service_of(BY_ID);

	cr_assert_eq(status_of(&u), 0x600);
	put_mask(&u, BY_ID | BY_GID | BY_P_KEY);
	u.mad.data[SERVICE_P_KEY] = 0x12;
	cr_assert_eq(status_of(&u), 0x200);
	u.mad.data[SERVICE_P_KEY] = 0xff;
	u.mad.data[SERVICE_GID + 15] ^= 0x55;
	cr_assert_eq(status_of(&u), 0x500);
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
