/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * All paths at once: tables of the emulated administrator, and those that none would send, by functions in libibumad's place.
 */

#include <errno.h>
#include <string.h>

#include "unit/device.h"

#include "reach/umad.h"
#include "sa/mad.h"

#define HEAD 64		/* bytes in front of a MAD */
#define RECORD 64	/* bytes between the beginnings of two */
#define MOST 300	/* records */
#define SOON_MS 2000

static struct ibv_port_attr port;
static struct vx_path to_all;

static void open_port(void)
{
	open_device();
	made(vx_ctx_query_port(ctx, 1, &port));
	to_all = (struct vx_path){ .ctx = ctx };
}

static void close_port(void)
{
	vx_umad_replace(NULL);
	fail_calls(NULL);
	close_device();
}

TestSuite(table, .init = open_port, .fini = close_port, .timeout = 60);

static bool ethernet(void)
{
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

#define ONLY_INFINIBAND() do { if (ethernet()) cr_skip_test("an Ethernet port has no subnet"); } while (0)

static struct vx_path to_myself(void)
{
	struct ibv_gid_entry gid;
	struct vx_path path = to_all;

	made(vx_ctx_choose_gid(ctx, 1, NULL, &gid, NULL, 0));
	path.dgid = gid.gid;
	return path;
}

/* ---- on the emulated device ---- */

Test(table, needs_its_arguments)
{
	struct vx_path none = { .ctx = NULL };
	size_t count;

	cr_expect_eq(vx_path_resolve_all(NULL, -1, NULL, 0, &count), -EINVAL);
	cr_expect_eq(vx_path_resolve_all(&to_all, -1, NULL, 0, NULL), -EINVAL);
	expect_reason("count");
	cr_expect_eq(vx_path_resolve_all(&to_all, -1, NULL, 1, &count), -EINVAL);
	expect_reason("paths");
	cr_expect_eq(vx_path_resolve_all(&none, -1, NULL, 0, &count), -EINVAL);
}

Test(table, on_ethernet_has_the_path_by_the_address)
{
	struct vx_path path = to_myself(), one, found[2];
	size_t count = 0;

	if (!ethernet())
		cr_skip_test("InfiniBand has an administrator");
	made(vx_path_resolve_all(&path, 0, found, 2, &count));
	one = path;
	made(vx_path_resolve(&one, 0));
	cr_expect_eq(count, 1);
	cr_expect_eq(memcmp(&found[0], &one, sizeof(one)), 0);
	cr_expect_eq(vx_path_resolve_all(&to_all, 0, found, 2, &count), -EINVAL);
	expect_reason("vx_path_resolve_all on");
}

Test(table, of_a_peer_has_what_resolving_gives)
{
	struct vx_path path = to_myself(), one, found[2];
	size_t count = 0;

	ONLY_INFINIBAND();
	path.path_mtu = IBV_MTU_1024;
	path.qkey = 5;
	one = path;
	made(vx_path_resolve_all(&path, SOON_MS, found, 2, &count));
	cr_assert_eq(count, 1);
	made(vx_path_resolve(&one, SOON_MS));
	cr_expect_eq(memcmp(&found[0], &one, sizeof(one)), 0);
	cr_expect_eq(one.path_mtu, IBV_MTU_1024);
}

/* With four ports it takes more than one MAD, which the true libibumad and the emulated kernel carry. */
Test(table, of_all_peers_has_each_port_of_the_machine)
{
	static struct vx_path found[1024];
	struct vx_end_ports *ports;
	size_t count = 0, i, k;

	ONLY_INFINIBAND();
	made(vx_path_resolve_all(&to_all, SOON_MS, found, 1024, &count));
	made(vx_end_ports_get(NULL, &ports));
	cr_assert(count >= ports->count && count <= 1024, "%zu", count);
	for (i = 0; i < ports->count; i++) {
		for (k = 0; k < count && found[k].dlid != ports->ports[i]->lid; k++)
			cr_expect_eq(found[k].slid, port.lid);
		cr_expect(k < count, "LID %u", ports->ports[i]->lid);
	}
	vx_end_ports_free(ports);
}

Test(table, without_records_says_what_was_asked)
{
	struct vx_path path = { .ctx = ctx, .dlid = 4711 };
	size_t count = 77;

	ONLY_INFINIBAND();
	cr_expect_eq(vx_path_resolve_all(&path, SOON_MS, NULL, 0, &count), -ENOENT);
	expect_reason("vx_path_resolve_all on");
	expect_reason("DLID = 4711, Reversible = 1: there is no such record (0x0300)");
	cr_expect_eq(count, 77);
	cr_expect_eq(vx_path_resolve_all(&path, 0, NULL, 0, &count), -EAGAIN);
}

/* ---- an administrator that is none ---- */

static struct {
	uint8_t mad[VX_MAD_RECORD + MOST * RECORD];
	int length;		/* of it; what does not fit waits, as with the kernel */
	int told;		/* as its length where it does not fit; 0: the truth */
	int reads;
	uint8_t question[VX_MAD_SIZE];
} fake;

static int fake_open(const char *name, int number)
{
	(void)name;
	return number;
}

static int fake_close(int id)
{
	(void)id;
	return 0;
}

static int fake_register(int id, int class, int version, uint8_t rmpp, long *mask)
{
	(void)id, (void)class, (void)version, (void)mask;
	cr_expect_eq(rmpp, 1);
	return 0;
}

static size_t fake_size(void)
{
	return HEAD;
}

static void *fake_mad(void *umad)
{
	return (uint8_t *)umad + HEAD;
}

static int fake_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
	(void)umad, (void)dlid, (void)dqp, (void)sl, (void)qkey;
	return 0;
}

static int fake_set_pkey(void *umad, int index)
{
	(void)umad, (void)index;
	return 0;
}

static int fake_send(int id, int agent, void *umad, int length, int timeout_ms, int retries)
{
	(void)id, (void)agent, (void)timeout_ms, (void)retries;
	cr_expect_eq(length, VX_MAD_SIZE);
	memcpy(fake.question, fake_mad(umad), VX_MAD_SIZE);
	return 0;
}

static int fake_recv(int id, void *umad, int *length, int timeout_ms)
{
	bool is_table = vx_mad_get(fake.question, VX_MAD_HEADER_METHOD) == 0x12;
	int there = is_table ? fake.length : VX_MAD_SIZE, first = there < VX_MAD_SIZE ? there : VX_MAD_SIZE;

	(void)id, (void)timeout_ms;
	if (is_table) {
		fake.reads++;
		memcpy(fake.mad, fake.question, 24);
		vx_mad_put(fake.mad, VX_MAD_HEADER_METHOD, 0x92);
	} else {
		memcpy(fake_mad(umad), fake.question, VX_MAD_SIZE);
		vx_mad_put(fake_mad(umad), VX_MAD_HEADER_METHOD, 0x81);
		return 1;
	}
	if (*length < there) {
		memcpy(fake_mad(umad), fake.mad, (size_t)first);
		*length = fake.told ? fake.told : there;
		return -ENOSPC;
	}
	memcpy(fake_mad(umad), fake.mad, (size_t)there);
	*length = there;
	return 1;
}

static int fake_status(void *umad)
{
	(void)umad;
	return 0;
}

static const struct vx_umad fakes = { fake_open, fake_close, fake_register, fake_size, fake_mad, fake_set_addr, fake_set_pkey, fake_send, fake_recv,
				      fake_status };

/* A table of this many paths, to LIDs from 100 on, each record so far behind the one before. */
static void make_table(unsigned int count, unsigned int stride)
{
	unsigned int i;

	memset(&fake, 0, sizeof(fake));
	vx_mad_put(fake.mad, VX_SA_HEADER_ATTRIBUTE_OFFSET, stride / 8);
	for (i = 0; i < count; i++) {
		uint8_t *record = fake.mad + VX_MAD_RECORD + i * stride;

		vx_mad_put(record, VX_PATH_RECORD_DLID, 100 + i);
		vx_mad_put(record, VX_PATH_RECORD_SLID, port.lid);
		vx_mad_put(record, VX_PATH_RECORD_MTU, IBV_MTU_2048);
	}
	fake.length = (int)(VX_MAD_RECORD + count * stride);
	vx_umad_replace(&fakes);
}

static int ask(struct vx_path *paths, size_t room, size_t *count)
{
	return vx_path_resolve_all(&to_all, SOON_MS, paths, room, count);
}

Test(table, may_be_longer_than_a_mad)
{
	static struct vx_path paths[MOST];
	size_t count = 0, i;

	ONLY_INFINIBAND();
	make_table(MOST, RECORD);
	made(ask(paths, MOST, &count));
	cr_expect_eq(fake.reads, 2, "the first tells how much room it takes");
	cr_assert_eq(count, MOST);
	for (i = 0; i < count; i++)
		cr_expect(paths[i].ctx == ctx && paths[i].dlid == 100 + i && paths[i].path_mtu == IBV_MTU_2048);
}

Test(table, has_more_than_there_is_room_for)
{
	struct vx_path paths[3] = { { .dlid = 0 } };
	size_t count = 0;

	ONLY_INFINIBAND();
	make_table(5, RECORD);
	made(ask(paths, 2, &count));
	cr_expect_eq(count, 5);
	cr_expect(paths[0].dlid == 100 && paths[1].dlid == 101 && !paths[2].dlid);
	make_table(3, RECORD);
	vx_mad_put(fake.mad + VX_MAD_RECORD + 2 * RECORD, VX_PATH_RECORD_MTU, 0);
	cr_expect_eq(ask(paths, 1, &count), -EBADMSG, "also those are looked at");
	expect_reason("MTU = 0");
}

/* A later version of the record may be longer; the last need not be padded. */
Test(table, has_records_as_far_apart_as_it_says)
{
	struct vx_path paths[3];
	size_t count = 0;

	ONLY_INFINIBAND();
	make_table(3, RECORD + 16);
	fake.length -= 16;
	made(ask(paths, 3, &count));
	cr_expect_eq(count, 3);
	cr_expect_eq(paths[2].dlid, 102);
}

Test(table, with_a_wrong_attribute_offset_is_refused)
{
	size_t count;

	ONLY_INFINIBAND();
	make_table(3, RECORD);
	vx_mad_put(fake.mad, VX_SA_HEADER_ATTRIBUTE_OFFSET, 7);
	cr_expect_eq(ask(NULL, 0, &count), -EBADMSG);
	expect_reason("has a record each 56 bytes (AttributeOffset), and a PathRecord has 58");
	vx_mad_put(fake.mad, VX_SA_HEADER_ATTRIBUTE_OFFSET, 0);
	cr_expect_eq(ask(NULL, 0, &count), -EBADMSG);
	vx_mad_put(fake.mad, VX_SA_HEADER_ATTRIBUTE_OFFSET, 0xffff);
	made(ask(NULL, 0, &count));
	cr_expect_eq(count, 1, "one, and what lies behind it before the next would");
}

Test(table, that_is_cut_is_refused)
{
	size_t count;

	ONLY_INFINIBAND();
	make_table(3, RECORD);
	fake.length -= 10;
	cr_expect_eq(ask(NULL, 0, &count), -EBADMSG);
	expect_reason("is cut: behind 2 records of 64 bytes it has 54 more");
	fake.length = 40;
	cr_expect_eq(ask(NULL, 0, &count), -EBADMSG);
	expect_reason("has 40 bytes, and 56 at least are the headers");
}

Test(table, of_nothing_is_as_a_status_that_says_so)
{
	size_t count;

	ONLY_INFINIBAND();
	make_table(0, 0);
	cr_expect_eq(ask(NULL, 0, &count), -ENOENT);
	expect_reason("there is no such record");
}

Test(table, is_not_believed_any_length)
{
	static const int wrong[] = { -1, 1, VX_MAD_SIZE, 0x7fffffff };
	size_t count, i;

	ONLY_INFINIBAND();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		make_table(MOST, RECORD);
		fake.told = wrong[i];
		cr_expect_eq(ask(NULL, 0, &count), -EBADMSG, "%d", wrong[i]);
		expect_reason("the answer has more than 16777216 bytes");
	}
}
