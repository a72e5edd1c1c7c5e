/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the subnet administrator answers to MADs: paths, groups, services. */
#include <sys/ioctl.h>
#include <unistd.h>

#include "../scenarios/peer.h"
#include "mad.h"

TestSuite(umad_sa, .init = open_umad, .fini = close_umad);

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

Test(umad_sa, the_subnet_administrator_knows_paths)
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
Test(umad_sa, a_path_can_be_asked_for_that_is_large_enough)
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
Test(umad_sa, a_table_comes_as_a_whole_and_stays_until_there_is_room)
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

enum {
	RMPP_TYPE = 1,
	RMPP_FLAGS = 2,
	RMPP_SEGMENT = 4,
	RMPP_LENGTH = 8, /* of an ACK: the last segment that may come */
	SEGMENT_DATA = 200,
	ACTIVE = 1,
	FIRST = 2,
	LAST = 4,
	ACK = 2,
	STOP = 3
};

/* An agent to which the kernel leaves RMPP */
static struct user_mad table_request(void)
{
	struct ib_user_mad_reg_req r = request(SUBN_ADM);

	r.rmpp_version = 0;
	CHECK(!ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &r));
	return make(r.id, SUBN_ADM, GET_TABLE, 0x11, SM_LID);
}

static void say(const struct user_mad *of, uint8_t type, uint8_t segment, uint8_t window)
{
	struct user_mad u = *of;

	u.mad.method = GET_TABLE;
	memset(u.mad.data, 0, SA_DATA);
	u.mad.data[0] = 1;
	u.mad.data[RMPP_TYPE] = type;
	u.mad.data[RMPP_FLAGS] = ACTIVE;
	u.mad.data[RMPP_SEGMENT + 3] = segment;
	u.mad.data[RMPP_LENGTH + 3] = window;
	u.hdr.timeout_ms = 0;
	post(fd, &u);
}

static struct user_mad expect_segment(uint8_t number)
{
	size_t size;
	struct user_mad u = wait_mad(fd, &size);

	cr_assert_eq(size, MAD_SIZE);
	cr_assert_eq(u.mad.data[RMPP_SEGMENT + 3], number);
	cr_assert_eq(u.mad.data[RMPP_FLAGS] & FIRST, number == 1 ? FIRST : 0);
	return u;
}

Test(umad_sa, a_table_comes_in_segments_to_who_does_rmpp)
{
	struct user_mad u = table_request(), got;
	uint32_t all, segments, last;

	post(fd, &u);
	got = expect_segment(1);
	all = get32(got.mad.data + RMPP_LENGTH);
	CHECK(!readable(fd, 0));
	segments = (all + SEGMENT_DATA + 19) / (SEGMENT_DATA + 20);
	CHECK(segments >= 2);
	for (uint32_t n = 2; n <= segments; n++) {
		say(&u, ACK, n - 1, n);
		got = expect_segment(n);
	}
	CHECK(got.mad.data[RMPP_FLAGS] & LAST);
	last = get32(got.mad.data + RMPP_LENGTH) - 20;
	cr_assert_eq(((segments - 1) * SEGMENT_DATA + last) % 112, 0, "records of 112 bytes");
	say(&u, ACK, segments, segments + 1);
	CHECK(!readable(fd, 0));
}

Test(umad_sa, who_stops_gets_no_more_segments)
{
	struct user_mad u = table_request();

	post(fd, &u);
	expect_segment(1);
	say(&u, STOP, 1, 0);
	say(&u, ACK, 1, 100);
	CHECK(!readable(fd, 20));
}

Test(umad_sa, what_the_administrator_does_not_know_is_refused)
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

Test(umad_sa, a_port_joins_a_group_and_leaves)
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

Test(umad_sa, a_forked_child_is_in_no_group)
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

Test(umad_sa, only_a_full_member_makes_a_group_and_only_a_port_of_ours_joins)
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

Test(umad_sa, a_port_tells_of_a_service_and_takes_it_back)
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

Test(umad_sa, a_service_is_found_by_each_of_its_data)
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

Test(umad_sa, a_service_ends_with_its_lease)
{
	struct user_mad u = service_of(BY_ID | BY_GID | WITH_LEASE);
	double begun = now_ms();

	u.mad.data[SERVICE_LEASE + 3] = 1;
	cr_assert_eq(status_of(&u), 0);
	u.mad.method = GET;
	put_mask(&u, BY_ID);
	cr_assert(status_of(&u) == 0 || now_ms() - begun >= 1000);
	usleep(1100 * 1000);
	cr_assert_eq(status_of(&u), 0x300);
}

Test(umad_sa, only_a_port_of_ours_tells_of_a_service_and_in_a_partition_of_its_own)
{
	struct user_mad u = service_of(BY_ID);

	cr_assert_eq(status_of(&u), 0x600);
	put_mask(&u, BY_ID | BY_GID | BY_P_KEY);
	u.mad.data[SERVICE_P_KEY] = 0x12;
	cr_assert_eq(status_of(&u), 0x200);
	u.mad.data[SERVICE_P_KEY] = 0xff;
	u.mad.data[SERVICE_GID + 15] ^= 0x55;
	cr_assert_eq(status_of(&u), 0x500);
	u.mad.data[SERVICE_GID + 15] ^= 0x55;
	memset(u.mad.data + SERVICE_GID, 0, 8);
	cr_assert_eq(status_of(&u), 0, "OpenSM knows a port by its GUID alone");
	u.mad.method = DELETE;
	cr_assert_eq(status_of(&u), 0);
}
