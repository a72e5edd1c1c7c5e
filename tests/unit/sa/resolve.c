/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What becomes of a question: on the emulated device, whose MADs get lost when they are to, and with functions in libibumad's place
 * that answer what no administrator would.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "unit/device.h"

#include "reach/umad.h"
#include "sa/mad.h"

#define SHORT 60 /* ms */
#define THREADS 4

static struct ibv_port_attr port;
static struct vx_path to_myself;

static void open_port(void)
{
	struct ibv_gid_entry gid;

	open_device();
	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_choose_gid(ctx, 1, NULL, &gid, NULL, 0));
	to_myself = (struct vx_path){ .ctx = ctx, .dgid = gid.gid };
}

static void close_port(void)
{
	vx_umad_replace(NULL);
	fail_calls(NULL);
	close_device();
}

TestSuite(resolve, .init = open_port, .fini = close_port, .timeout = 60);

static bool ethernet(void)
{
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

#define ONLY_INFINIBAND() do { if (ethernet()) cr_skip_test("an Ethernet port has no subnet"); } while (0)

static int resolve(struct vx_path *out, int timeout_ms)
{
	*out = to_myself;
	return vx_path_resolve(out, timeout_ms);
}

/* ---- arguments ---- */

Test(resolve, needs_a_path_with_a_context_and_a_peer)
{
	struct vx_path path = { .ctx = NULL };

	cr_expect_eq(vx_path_resolve(NULL, -1), -EINVAL);
	path.ctx = ctx;
	cr_expect_eq(vx_path_resolve(&path, -1), -EINVAL);
	expect_reason("where to? dgid");
	path = to_myself;
	path.port_num = 9;
	cr_expect_lt(vx_path_resolve(&path, -1), 0);
}

Test(resolve, is_answered_from_the_address_on_ethernet)
{
	struct vx_path path = to_myself;

	if (!ethernet())
		cr_skip_test("InfiniBand has an administrator");
	vx_umad_replace(&(struct vx_umad){ NULL });
	made(vx_path_resolve(&path, 0));
	cr_expect(path.is_global && path.hop_limit == 64 && path.path_mtu == port.active_mtu && path.packet_life_time == 16);
	cr_expect_eq(memcmp(&path.sgid, &to_myself.dgid, sizeof(path.sgid)), 0);
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V2);
	path = (struct vx_path){ .ctx = ctx, .dlid = 7 };
	cr_expect_eq(vx_path_resolve(&path, -1), -EINVAL);
}

Test(resolve, groups_are_not_joined_on_ethernet)
{
	struct vx_sa_group *group;

	if (!ethernet())
		cr_skip_test("InfiniBand has an administrator");
	cr_expect_eq(vx_sa_group_create(ctx, NULL, &group), -EOPNOTSUPP);
	expect_reason("vx_mcast_create() alone joins there");
}

/* ---- on the emulated device ---- */

Test(resolve, what_is_set_bounds_what_is_told)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	path.path_mtu = IBV_MTU_1024;
	path.static_rate = IBV_RATE_25_GBPS;
	path.qkey = 5;
	made(vx_path_resolve(&path, -1));
	cr_expect(path.path_mtu == IBV_MTU_1024 && path.static_rate == IBV_RATE_25_GBPS && path.qkey == 5);
	path = to_myself;
	path.static_rate = IBV_RATE_1200_GBPS;
	made(vx_path_resolve(&path, -1));
	cr_expect_eq(path.static_rate, IBV_RATE_100_GBPS);
}

Test(resolve, what_is_set_is_asked_for)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	path.sl = 3;
	path.traffic_class = 0x20;
	path.flow_label = 0x12345;
	made(vx_path_resolve(&path, -1));
	cr_expect(path.sl == 3 && path.traffic_class == 0x20 && path.flow_label == 0x12345);
	fail_calls("mad_drop#1-:PathRecord");
	path.sl = 4;
	cr_expect_eq(vx_path_resolve(&path, SHORT), -ETIMEDOUT);
	expect_reason("FlowLabel = 0x12345, TClass = 32, Reversible = 1, NumbPath = 1, P_Key = 0xffff, SL = 4");
}

Test(resolve, nobody_is_asked_without_time)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	cr_expect_eq(vx_path_resolve(&path, 0), -EAGAIN);
	expect_reason("the subnet administrator would have to be asked, and timeout_ms is 0");
	made(vx_path_resolve(&path, -1));
	made(resolve(&path, 0));
}

Test(resolve, a_lost_question_is_asked_again)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	fail_calls("mad_drop#1-2:PathRecord");
	made(resolve(&path, 6 * SHORT));
	cr_expect_eq(path.dlid, port.lid);
}

Test(resolve, as_often_as_the_path_says_and_no_more)
{
	struct vx_path path = to_myself;

	ONLY_INFINIBAND();
	fail_calls("mad_drop#1:PathRecord");
	path.mask = VX_PATH_RETRY_CNT;
	cr_expect_eq(vx_path_resolve(&path, SHORT), -ETIMEDOUT);
	expect_reason("did not answer 1 question in");
	expect_reason("is the subnet manager still there?");
	made(resolve(&path, SHORT));
}

Test(resolve, the_time_is_as_the_path_and_the_administrator_say)
{
	struct vx_path path = to_myself;
	struct timespec before, after;

	ONLY_INFINIBAND();
	fail_calls("mad_drop#1-:PathRecord");
	path.packet_life_time = 10; /* 4.2 ms; the emulated administrator needs RespTimeValue beside two of them */
	path.retry_cnt = 1;
	clock_gettime(CLOCK_MONOTONIC, &before);
	cr_expect_eq(vx_path_resolve(&path, -1), -ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &after);
	expect_reason("did not answer 2 questions in");
	cr_expect_lt(after.tv_sec - before.tv_sec, 20);
}

Test(resolve, what_was_told_is_kept_until_it_is_dropped)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	made(resolve(&path, -1));
	fail_calls("mad_drop#1-:PathRecord");
	made(resolve(&path, SHORT));
	cr_expect_eq(path.dlid, port.lid);
	path = to_myself;
	path.sl = 1;
	cr_expect_eq(vx_path_resolve(&path, SHORT), -ETIMEDOUT, "another question");
	made(vx_ctx_drop_paths(ctx));
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT);
}

Test(resolve, what_was_told_gets_old)
{
	struct timespec pause = { .tv_nsec = 30 * 1000000 };
	struct vx_path path;

	ONLY_INFINIBAND();
	made(vx_ctx_keep_paths(ctx, 20));
	made(resolve(&path, -1));
	nanosleep(&pause, NULL);
	fail_calls("mad_drop#1-:PathRecord");
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT);
	fail_calls(NULL);
	made(vx_ctx_keep_paths(ctx, 0));
	made(resolve(&path, -1));
	fail_calls("mad_drop#1-:PathRecord");
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT, "nothing is kept");
}

Test(resolve, an_event_of_the_port_ends_what_was_told)
{
	struct vx_async_event event;
	struct vx_path path;

	ONLY_INFINIBAND();
	made(resolve(&path, -1));
	send_event("SM_CHANGE", 1);
	made(vx_ctx_get_async_event(ctx, SOON, &event));
	cr_expect_eq(event.type, IBV_EVENT_SM_CHANGE);
	vx_async_event_ack(&event);
	fail_calls("mad_drop#1-:PathRecord");
	cr_expect_eq(resolve(&path, SHORT), -ETIMEDOUT);
}

static void *resolve_often(void *failed)
{
	struct vx_path path;
	int i;

	for (i = 0; i < 20; i++) {
		path = to_myself;
		path.sl = (uint8_t)(i % 4);
		if (vx_path_resolve(&path, -1) < 0 || path.dlid != port.lid)
			atomic_fetch_add((_Atomic int *)failed, 1);
		if (i % 7 == 6)
			vx_ctx_drop_paths(ctx);
	}
	return NULL;
}

Test(resolve, threads_ask_at_the_same_time)
{
	pthread_t threads[THREADS];
	_Atomic int failed = 0;
	int i;

	ONLY_INFINIBAND();
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, resolve_often, &failed), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_expect_eq(failed, 0);
}

/* ---- an administrator that is none ---- */

static struct {
	uint8_t buffer[64];	/* in front of a MAD */
	uint8_t question[VX_MAD_SIZE];
	void (*answer)(uint8_t *mad, int *length);
	int asked, open_code, register_code, send_code, receive_code;
	bool strange;		/* answers to others' questions come first */
} fake;

static int fake_open(const char *name, int number)
{
	(void)name, (void)number;
	return fake.open_code ? fake.open_code : 77;
}

static int fake_close(int id)
{
	cr_expect_eq(id, 77);
	return 0;
}

static int fake_register(int id, int class, int version, uint8_t rmpp, long *mask)
{
	cr_expect(id == 77 && class == 3 && version == 2 && rmpp == 1 && !mask);
	return fake.register_code;
}

static size_t fake_size(void)
{
	return sizeof(fake.buffer);
}

static void *fake_mad(void *umad)
{
	return (char *)umad + sizeof(fake.buffer);
}

static int fake_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
	(void)umad, (void)sl;
	cr_expect(dlid == port.sm_lid && dqp == 1 && (unsigned int)qkey == 0x80010000);
	return 0;
}

static int fake_set_pkey(void *umad, int index)
{
	(void)umad;
	return index;
}

static int fake_send(int id, int agent, void *umad, int length, int timeout_ms, int retries)
{
	(void)id, (void)agent, (void)timeout_ms;
	cr_expect(length == VX_MAD_SIZE && !retries);
	if (fake.send_code) {
		errno = -fake.send_code;
		return fake.send_code;
	}
	memcpy(fake.question, fake_mad(umad), VX_MAD_SIZE);
	fake.asked++;
	return 0;
}

static bool is_of_path(void)
{
	return vx_mad_get(fake.question, VX_MAD_HEADER_ATTRIBUTE_ID) == vx_mad_records[VX_PATH_RECORD].id;
}

static int fake_recv(int id, void *umad, int *length, int timeout_ms)
{
	uint8_t *mad = fake_mad(umad);

	(void)id;
	if (fake.receive_code && is_of_path()) {
		if (fake.receive_code == -ETIMEDOUT)
			nanosleep(&(struct timespec){ .tv_nsec = (timeout_ms < 50 ? timeout_ms : 50) * 1000000L }, NULL);
		return fake.receive_code;
	}
	memcpy(mad, fake.question, VX_MAD_SIZE);
	vx_mad_put(mad, VX_MAD_HEADER_METHOD, 0x81);
	*length = VX_MAD_SIZE;
	if (fake.strange) {
		vx_mad_put(mad, VX_MAD_HEADER_TRANSACTION_ID, 1);
		vx_mad_put(mad, VX_MAD_HEADER_STATUS, 0x0300);
		fake.strange = false;
	} else if (is_of_path()) {
		fake.answer(mad, length);
	}
	return 1;
}

static int fake_status(void *umad)
{
	(void)umad;
	return 0;
}

static const struct vx_umad fakes = { fake_open, fake_close, fake_register, fake_size, fake_mad, fake_set_addr, fake_set_pkey, fake_send, fake_recv,
				      fake_status };

static void answer_right(uint8_t *mad, int *length)
{
	uint8_t *record = mad + VX_MAD_RECORD;

	(void)length;
	vx_mad_put(record, VX_PATH_RECORD_DLID, 42);
	vx_mad_put(record, VX_PATH_RECORD_SLID, port.lid);
	vx_mad_put(record, VX_PATH_RECORD_MTU_SELECTOR, 2);
	vx_mad_put(record, VX_PATH_RECORD_MTU, IBV_MTU_2048);
	vx_mad_put(record, VX_PATH_RECORD_RATE_SELECTOR, 2);
	vx_mad_put(record, VX_PATH_RECORD_RATE, IBV_RATE_10_GBPS);
	vx_mad_put(record, VX_PATH_RECORD_PACKET_LIFE_TIME_SELECTOR, 2);
	vx_mad_put(record, VX_PATH_RECORD_PACKET_LIFE_TIME, 18);
	vx_mad_put(record, VX_PATH_RECORD_SL, 5);
}

static void answer_far(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	vx_mad_put(mad + VX_MAD_RECORD, VX_PATH_RECORD_HOP_LIMIT, 9);
}

static void answer_near(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	vx_mad_put(mad + VX_MAD_RECORD, VX_PATH_RECORD_HOP_LIMIT, 1);
}

static void answer_short(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	*length = 60;
}

static void answer_another(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	vx_mad_put(mad, VX_MAD_HEADER_ATTRIBUTE_ID, 0x11);
}

static void answer_elsewhere(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	mad[VX_MAD_RECORD + vx_mad_fields[VX_PATH_RECORD_DGID].offset / 8 + 15] ^= 1;
}

static void answer_mtu(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	vx_mad_put(mad + VX_MAD_RECORD, VX_PATH_RECORD_MTU, 6);
}

static void answer_lid(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	vx_mad_put(mad + VX_MAD_RECORD, VX_PATH_RECORD_DLID, 0xc001);
}

static void answer_busy(uint8_t *mad, int *length)
{
	(void)length;
	vx_mad_put(mad, VX_MAD_HEADER_STATUS, 1);
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static void answer_unsupported(uint8_t *mad, int *length)
{
	(void)length;
	vx_mad_put(mad, VX_MAD_HEADER_STATUS, 0x000c);
}

static void answer_denied(uint8_t *mad, int *length)
{
	*length = 24;
	vx_mad_put(mad, VX_MAD_HEADER_STATUS, 0x0700);
}

static int answered(void (*answer)(uint8_t *mad, int *length), struct vx_path *path, int timeout_ms)
{
	made(vx_ctx_drop_paths(ctx));
	fake.answer = answer;
	vx_umad_replace(&fakes);
	return resolve(path, timeout_ms);
}

Test(resolve, an_answer_fills_the_path)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	made(answered(answer_right, &path, -1));
	cr_expect(path.dlid == 42 && path.slid == port.lid && path.path_mtu == IBV_MTU_2048 && path.static_rate == IBV_RATE_10_GBPS &&
		  path.packet_life_time == 18 && path.sl == 5, "the selectors are no part of the values");
	cr_expect(!path.is_global);
	made(answered(answer_near, &path, -1));
	cr_expect(!path.is_global, "with one hop a packet stays in its subnet");
	made(answered(answer_far, &path, -1));
	cr_expect(path.is_global && path.hop_limit == 9);
}

Test(resolve, another_s_answer_is_left_alone)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	made(answered(answer_right, &path, -1));
	made(vx_ctx_drop_paths(ctx));
	fake.strange = true;
	made(resolve(&path, -1));
	cr_expect_eq(path.dlid, 42);
}

Test(resolve, a_damaged_answer_is_told_and_not_kept)
{
	static const struct {
		void (*answer)(uint8_t *mad, int *length);
		const char *words;
	} damaged[] = {
		{ answer_short, "answer has 60 bytes, and 114 at least are a record" },
		{ answer_another, "asked for a PathRecord (0x35), and answered with 0x11" },
		{ answer_elsewhere, "leads to another DGID" },
		{ answer_mtu, "MTU = 6, which no path has" },
		{ answer_lid, "DLID = 49153, which no path has" },
	};
	struct vx_path path;
	size_t i;

	ONLY_INFINIBAND();
	for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		cr_expect_eq(answered(damaged[i].answer, &path, -1), -EBADMSG);
		expect_reason(damaged[i].words);
		fake.answer = answer_right;
		made(resolve(&path, -1));
	}
}

Test(resolve, a_refusal_has_its_status_in_words)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	cr_expect_eq(answered(answer_unsupported, &path, -1), -EREMOTEIO);
	expect_reason("it does not know this method with this attribute (0x000c)");
	cr_expect_eq(answered(answer_denied, &path, -1), -EREMOTEIO);
	expect_reason("the request is denied (0x0700)");
}

Test(resolve, a_busy_administrator_is_waited_for)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	cr_expect_eq(answered(answer_busy, &path, SHORT), -EAGAIN);
	expect_reason("was busy for");
	cr_expect_gt(fake.asked, 2);
}

Test(resolve, what_libibumad_cannot_do_is_told)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	fake.receive_code = -ETIMEDOUT;
	cr_expect_eq(answered(answer_right, &path, SHORT), -ETIMEDOUT);
	fake.receive_code = -EIO;
	cr_expect_eq(answered(answer_right, &path, -1), -EIO);
	expect_reason("umad_recv on");
	fake.receive_code = -ENOSPC;
	cr_expect_eq(answered(answer_right, &path, -1), -EBADMSG);
	fake.send_code = -EPERM;
	cr_expect_eq(answered(answer_right, &path, -1), -EPERM);
	expect_reason("umad_send on");
	fake.register_code = -EPERM;
	cr_expect_eq(answered(answer_right, &path, -1), -EPERM);
	expect_reason("umad_register on");
	fake.open_code = -EIO;
	cr_expect_eq(answered(answer_right, &path, -1), -EIO);
	expect_reason("umad_open_port on");
}

Test(resolve, groups_need_what_makes_sense)
{
	static const struct {
		struct vx_sa_group_init init;
		const char *words;
	} wrong[] = {
		{ { .comp_mask = 1 }, "comp_mask" },
		{ { .mgid.raw = { 0xfe } }, "mgid does not begin with 0xff" },
		{ { .only_join = true }, "only_join of which group?" },
		{ { .join_state = 16 }, "join_state" },
		{ { .sl = 16 }, "sl = 16, but the most is 15" },
		{ { .flow_label = 1 << 20 }, "flow_label = 0x100000" },
		{ { .port_num = 300 }, "port_num = 300" },
	};
	struct vx_sa_group *group;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_expect_eq(vx_sa_group_create(ctx, &wrong[i].init, &group), -EINVAL, "%s", wrong[i].words);
		expect_reason(wrong[i].words);
	}
	cr_expect_eq(vx_sa_group_path(NULL, &to_myself), -EINVAL);
	cr_expect_eq(vx_ctx_keep_paths(NULL, 0), -EINVAL);
	cr_expect_eq(vx_ctx_drop_paths(NULL), -EINVAL);
}
