/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Paths as text, and back. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#include "path/path.h"
#include "path/path_key.h"
#include "text/printer.h"

static struct vx_path path;
static char text[2048];

static void read_path(const char *from)
{
	memset(&path, 0x5a, sizeof(path));
	cr_assert_eq(vx_path_parse(from, NULL, &path), 0, "%s: %s", from, vx_error_text());
}

static void expect_same(const char *from, const char *as)
{
	struct vx_path before;

	read_path(from);
	before = path;
	cr_expect_lt(vx_path_snprint(text, sizeof(text), &path), sizeof(text));
	cr_expect_str_eq(text, as);
	read_path(text);
	cr_expect_eq(memcmp(&path, &before, sizeof(path)), 0, "%s is read as another path", text);
}

/* What is read prints as it was written. */
static void expect_round(const char *as)
{
	expect_same(as, as);
}

static void expect_refused(const char *from, int code, const char *why)
{
	struct vx_path untouched;

	memset(&path, 0x5a, sizeof(path));
	untouched = path;
	cr_expect_eq(vx_path_parse(from, NULL, &path), code, "%s", from);
	cr_expect_eq(memcmp(&path, &untouched, sizeof(path)), 0, "%s", from);
	cr_expect_not_null(strstr(vx_error_text(), why), "%s", vx_error_text());
}

static union ibv_gid ipv4(unsigned char a, unsigned char b, unsigned char c, unsigned char d)
{
	return (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff, [12] = a, [13] = b, [14] = c, [15] = d } };
}

static bool is_gid(const union ibv_gid *a, union ibv_gid b)
{
	return !memcmp(a, &b, sizeof(b));
}

Test(path_text, begins_with_an_address_of_roce_v2)
{
	read_path("10.0.0.2 dqpn=0x105 path_mtu=4096 timeout=18");
	cr_expect(is_gid(&path.dgid, ipv4(10, 0, 0, 2)));
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V2);
	cr_expect_eq(path.dqpn, 0x105);
	cr_expect_eq(path.path_mtu, IBV_MTU_4096);
	cr_expect_eq(path.timeout, 18);
	cr_expect_eq(path.mask, 0);
	expect_round("10.0.0.2 dqpn=0x105 path_mtu=4096 timeout=18");
}

Test(path_text, begins_with_a_gid)
{
	expect_round("fe80::2:c903:a1:b2c4");
	cr_expect_eq(path.gid_type, 0);
	expect_round("::ffff:10.0.0.2");
	cr_expect(is_gid(&path.dgid, ipv4(10, 0, 0, 2)));
	expect_round("::ffff:10.0.0.2 gid_type=IBV_GID_TYPE_ROCE_V1");
	expect_same("10.0.0.2 gid_type=IBV_GID_TYPE_ROCE_V1", "::ffff:10.0.0.2 gid_type=IBV_GID_TYPE_ROCE_V1");
	expect_same("10.0.0.2 gid_type=0", "::ffff:10.0.0.2");
	expect_round("2001:db8::1 gid_type=IBV_GID_TYPE_ROCE_V2");
}

Test(path_text, begins_with_a_guid)
{
	expect_same("0002:c903:00a1:b2c4", "fe80::2:c903:a1:b2c4");
	expect_same("2:c903:a1:b2c4", "fe80::2:c903:a1:b2c4");
}

Test(path_text, begins_with_a_lid)
{
	expect_round("7");
	cr_expect_eq(path.dlid, 7);
	expect_same("0xbfff", "49151");
	expect_round("dlid=49152");
	expect_round("fe80::1 dlid=7 is_global=1");
}

Test(path_text, may_have_no_address)
{
	expect_round("");
	expect_same(" ,, dqpn=5  ,sl=2 , ", "dqpn=0x5 sl=2");
}

/* A port is one of a device: whoever reads the text has other ports. */
Test(path_text, without_a_device_has_no_port)
{
	read_path("7 port=2");
	cr_expect_eq(path.port_num, 2);
	vx_path_snprint(text, sizeof(text), &path);
	cr_expect_str_eq(text, "7");
}

Test(path_text, has_names_for_what_has_names)
{
	read_path("access=remote_write|IBV_ACCESS_LOCAL_WRITE,static_rate=IBV_RATE_10_GBPS,gid_type=1");
	cr_expect_eq(path.access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	cr_expect_eq(path.static_rate, IBV_RATE_10_GBPS);
	cr_expect_eq(path.gid_type, 1);
	expect_round("static_rate=IBV_RATE_10_GBPS access=IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE");
}

Test(path_text, says_that_0_is_meant)
{
	read_path("timeout=0 retry_cnt=0 sl=0");
	cr_expect_eq(path.mask, VX_PATH_TIMEOUT | VX_PATH_RETRY_CNT);
	expect_round("timeout=0 retry_cnt=0");
	expect_round("spsn=0x0");
	expect_same("mask=VX_PATH_SPSN", "spsn=0x0");
	expect_same("spsn=5 mask=VX_PATH_SPSN", "spsn=0x5 mask=VX_PATH_SPSN");
	expect_round("dpsn=0x0 timeout=7 mask=VX_PATH_TIMEOUT");
}

/* Each member in turn but those of a device, as large as it can be. */
Test(path_text, of_any_member_is_read_as_it_was)
{
	struct vx_path before, all = { .port_num = 0 };
	unsigned int i;

	for (i = VX_PATH_KEY_PORT_NUM + 1; i < VX_PATH_KEYS; i++) {
		const struct vx_path_key *key = &vx_path_keys[i];
		uint64_t value = key->form == VX_PATH_BYTES ? IBV_MTU_4096 : (UINT64_C(1) << key->bits) - 1;

		before = (struct vx_path){ .port_num = 0 };
		if (key->form == VX_PATH_GID)
			memset(vx_path_member(&before, key), 0xa5, key->size);
		else
			memcpy(vx_path_member(&before, key), &value, key->size);
		vx_path_snprint(text, sizeof(text), &before);
		read_path(text);
		cr_expect_eq(memcmp(&path, &before, sizeof(path)), 0, "%s", text);
		memcpy(vx_path_member(&all, key), vx_path_member(&before, key), key->size);
	}
	cr_expect_lt(vx_path_snprint(text, sizeof(text), &all), sizeof(text));
	read_path(text);
	cr_expect_eq(memcmp(&path, &all, sizeof(path)), 0, "%s", text);
}

Test(path_text, has_a_key_for_each_member)
{
	const struct vx_struct *s = vx_struct_find("vx_path");
	unsigned int i, k, found;

	for (i = 0; i < s->fields; i++) {
		const struct vx_field *f = vx_field_of(s, i);

		for (found = 0, k = 0; k < VX_PATH_KEYS; k++)
			if (!strcmp(vx_path_keys[k].name, vx_struct_text(f->name))) {
				cr_expect_eq(vx_path_keys[k].offset, f->offset);
				found++;
			}
		cr_expect(found == 1 || !strcmp(vx_struct_text(f->name), "reserved_"), "%s", vx_struct_text(f->name));
	}
}

/* Where text could not say it either. */
Test(path_text, has_as_many_bits_as_a_path_may_have)
{
	const struct vx_path_key *key;

	for (key = vx_path_keys; key < vx_path_keys + VX_PATH_KEYS; key++) {
		struct vx_path over = { 0 };

		if (key->bits <= 1 || key->bits >= 8 * key->size)
			continue;
		vx_store(vx_path_member(&over, key), key->size, 1u << key->bits);
		vx_error_clear();
		cr_expect_eq(vx_path_complete(&over), -EINVAL);
		cr_expect(strstr(vx_error_text(), key->name) && strstr(vx_error_text(), "but the most is"), "%s: %s", key->name, vx_error_text());
	}
}

/* What is not 0 is true. */
Test(path_text, has_one_word_for_what_is_true)
{
	struct vx_path global = { .dlid = 7, .is_global = 2 };

	vx_path_snprint(text, sizeof(text), &global);
	cr_expect_str_eq(text, "7 is_global=1");
}

/* It would be read as a path without it. */
Test(path_text, does_not_hide_what_a_newer_release_has_in_it)
{
	struct vx_path newer = { .dlid = 7, .reserved_ = { [2] = 5 } };

	vx_path_snprint(text, sizeof(text), &newer);
	cr_expect_str_eq(text, "7 reserved_");
	expect_refused(text, -EINVAL, "\"reserved_\" at column 3 is no key=value");
}

Test(path_text, is_cut_to_a_small_buffer)
{
	char small[6];

	read_path("10.0.0.2 dqpn=5");
	cr_expect_eq(vx_path_snprint(small, sizeof(small), &path), strlen("10.0.0.2 dqpn=0x5"));
	cr_expect_str_eq(small, "10.0.");
	cr_expect_eq(vx_path_snprint(NULL, 0, &path), strlen("10.0.0.2 dqpn=0x5"));
	cr_expect_eq(vx_path_snprint(small, sizeof(small), NULL), 0);
	cr_expect_str_eq(small, "");
}

Test(path_text, that_is_wrong_is_told_with_its_column)
{
	expect_refused("10.0.0.2   dqpn=0x1000000", -ERANGE, "\"dqpn=0x1000000\" at column 12 has more than 24 bits");
	expect_refused("retry_cnt=8", -ERANGE, "\"retry_cnt=8\" at column 1 has more than 3 bits");
	expect_refused("is_global=2", -ERANGE, "has more than 1 bit");
	expect_refused("qkey=99999999999999999999999999999999", -ERANGE, "has more than 32 bits");
	expect_refused("7 sl=", -EINVAL, "\"sl=\" at column 3 needs a number, decimal or with 0x");
	expect_refused("sl=010", -EINVAL, "needs a number");
	expect_refused("sl=0x", -EINVAL, "needs a number");
	expect_refused("sl=0b1", -EINVAL, "needs a number");
	expect_refused("sl=-1", -EINVAL, "needs a number");
	expect_refused("DLID=1", -EINVAL, "\"DLID=1\" at column 1 has a key that is no member of struct vx_path");
	expect_refused("10.0.0.2 dqp=5", -EINVAL, "\"dqp=5\" at column 10 has a key that is no member of struct vx_path; did you mean dqpn?");
	expect_refused("=5", -EINVAL, "has a key that is no member");
	expect_refused("dlid=1x", -EINVAL, "needs a number");
	expect_refused("7 sl=1 sl=1", -EINVAL, "\"sl=1\" at column 8 says something that was said before");
	expect_refused("7 dlid=7", -EINVAL, "says something that was said before");
	expect_refused("fe80::1 dgid=fe80::1", -EINVAL, "says something that was said before");
	expect_refused("port=1 port_num=1", -EINVAL, "says something that was said before");
	expect_refused("sl=1 7", -EINVAL, "\"7\" at column 6 is no key=value");
	expect_refused("path_mtu=1000", -EINVAL, "is no MTU: those are 256, 512, 1024, 2048 and 4096 bytes");
	expect_refused("dgid=10.0.0", -EINVAL, "needs a GID");
}

Test(path_text, that_begins_with_no_address_is_told_so)
{
	static const char *const bad[] = { "xx", "fe80::/", "fe80::1x", "Moo()", "10.0.0.256", "0:0:0", "0002:c903:00a1:b2c4:", "1:2:3:g",
					   "12345:1:1:1", ":1:2:3", "IBPath(DLID=1" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]) - 1; i++)
		expect_refused(bad[i], -EINVAL, "begins with no GID, IPv4 address, GUID or LID, and is no key=value");
	expect_refused(bad[i], -EINVAL, "has a key that is no member");
	expect_refused("0", -ERANGE, "\"0\" at column 1 is no LID of a port: those are from 1 to 0xbfff");
	expect_refused("0xc000", -ERANGE, "is no LID of a port");
}

Test(path_text, with_a_wrong_name_is_told_its_column_and_what_was_meant)
{
	expect_refused("7 static_rate=IBV_RATE_10_GPBS", -EINVAL, "column 15");
	cr_expect_not_null(strstr(vx_error_text(), "IBV_RATE_10_GBPS"), "%s", vx_error_text());
	expect_refused("7 access=IBV_ACCESS_LOCAL_WRITE|NONE", -EINVAL, "column 33");
}

Test(path_text, names_no_device_that_is_not_open)
{
	expect_refused("7%mlx5_9", -ENODEV, "\"7%mlx5_9\" at column 1 names a device that is not open");
	expect_refused("7%", -EINVAL, "lacks the name of a device");
	expect_refused("7%/1", -EINVAL, "lacks the name of a device");
	expect_refused("ctx=", -EINVAL, "lacks the name of a device");
}

Test(path_text, has_a_limit)
{
	static char many[5000];

	memset(many, ' ', 4096);
	read_path(many);
	many[4096] = ' ';
	expect_refused(many, -EINVAL, "the text is longer than 4096 bytes");
	memset(many, 'x', 600);
	many[600] = '\0';
	expect_refused(many, -EINVAL, "xxx...\" at column 1 is longer than any field");
}

Test(path_text, that_is_not_there_is_refused)
{
	cr_expect_eq(vx_path_parse(NULL, NULL, &path), -EINVAL);
	cr_expect_eq(vx_path_parse("7", NULL, NULL), -EINVAL);
}

Test(path_text, of_what_is_no_context_is_refused, .signal = VERBSX_CHECKS ? SIGABRT : 0)
{
	cr_expect_eq(vx_path_parse("7", (struct vx_ctx *)(void *)text, &path), -EINVAL);
}
