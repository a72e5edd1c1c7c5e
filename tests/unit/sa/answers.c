/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What becomes of answers, with functions in libibumad's place that answer what no administrator would. */

#include <errno.h>
#include <string.h>

#include "resolve_bed.h"

#include "reach/umad.h"
#include "sa/mad.h"

TestSuite(answers, .init = open_port, .fini = close_port, .timeout = 60);

static struct {
	uint8_t buffer[64];	/* in front of a MAD */
	uint8_t question[VX_MAD_SIZE];
	void (*answer)(uint8_t *mad, int *length);
	int asked, open_code, register_code, send_code, receive_code;
	bool strange;		/* answers to others' questions come first */
	uint8_t group_rate;	/* of a group, which is otherwise as it was asked for */
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

static bool is_of_group(void)
{
	return vx_mad_get(fake.question, VX_MAD_HEADER_ATTRIBUTE_ID) == vx_mad_records[VX_MC_MEMBER_RECORD].id;
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
	} else if (is_of_group()) {
		vx_mad_put(mad + VX_MAD_RECORD, VX_MC_MEMBER_RECORD_RATE, fake.group_rate);
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

static void answer_faster_than_known(uint8_t *mad, int *length)
{
	answer_right(mad, length);
	vx_mad_put(mad + VX_MAD_RECORD, VX_PATH_RECORD_RATE, 60);
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

Test(answers, an_answer_fills_the_path)
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

/* What a newer fabric has is no mistake of the program: its packets go as fast as the port can. */
Test(answers, a_rate_that_is_not_known_is_no_limit)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	made(answered(answer_faster_than_known, &path, -1));
	cr_expect_eq(path.static_rate, IBV_RATE_MAX);
}

Test(answers, a_rate_of_a_group_that_is_not_known_is_no_limit)
{
	struct vx_sa_group *group;
	struct vx_path path;

	ONLY_INFINIBAND();
	vx_umad_replace(&fakes);
	fake.group_rate = IBV_RATE_10_GBPS;
	made(vx_sa_group_create(ctx, NULL, &group));
	made(vx_sa_group_path(group, &path));
	cr_expect_eq(path.static_rate, IBV_RATE_10_GBPS);
	fake.group_rate = 60;
	made(vx_sa_group_create(ctx, NULL, &group));
	made(vx_sa_group_path(group, &path));
	cr_expect_eq(path.static_rate, IBV_RATE_MAX);
}

Test(answers, another_s_answer_is_left_alone)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	made(answered(answer_right, &path, -1));
	made(vx_ctx_drop_paths(ctx));
	fake.strange = true;
	made(resolve(&path, -1));
	cr_expect_eq(path.dlid, 42);
}

Test(answers, a_damaged_answer_is_told_and_not_kept)
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

Test(answers, a_refusal_has_its_status_in_words)
{
	struct vx_path path;

	ONLY_INFINIBAND();
	cr_expect_eq(answered(answer_unsupported, &path, -1), -EREMOTEIO);
	expect_reason("it does not know this method with this attribute (0x000c)");
	cr_expect_eq(answered(answer_denied, &path, -1), -EREMOTEIO);
	expect_reason("the request is denied (0x0700)");
}

/* How long three questions take nobody knows where others have the cores. */
Test(answers, a_busy_administrator_is_waited_for)
{
	struct vx_path path;
	int timeout_ms;

	ONLY_INFINIBAND();
	for (timeout_ms = SHORT; fake.asked <= 2 && timeout_ms < 60000; timeout_ms *= 2) {
		fake.asked = 0;
		cr_expect_eq(answered(answer_busy, &path, timeout_ms), -EAGAIN);
		expect_reason("was busy for");
	}
	cr_expect_gt(fake.asked, 2);
}

Test(answers, what_libibumad_cannot_do_is_told)
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
