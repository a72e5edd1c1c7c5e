/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Fields of MADs: where they lie, by the specification's own pictures, and how they are told. */

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "sa/mad.h"

static const char *told(void (*put)(struct vx_out *, const struct vx_mad *), const struct vx_mad *mad)
{
	static char text[512];
	struct vx_out out = vx_out_in(text, sizeof(text));

	put(&out, mad);
	vx_out_finish(&out);
	return text;
}

static const char *told_status(uint16_t status)
{
	static char text[128];
	struct vx_out out = vx_out_in(text, sizeof(text));

	vx_mad_put_status(&out, status);
	vx_out_finish(&out);
	return text;
}

Test(mad, a_field_that_is_put_is_got_and_no_other_changes)
{
	uint8_t bytes[VX_MAD_SIZE], before[VX_MAD_SIZE];
	unsigned int i, other;

	for (i = 0; i < VX_MAD_FIELDS; i++) {
		enum vx_mad_field field = (enum vx_mad_field)i;
		uint64_t most = vx_mad_fields[i].width < 64 ? (UINT64_C(1) << vx_mad_fields[i].width) - 1 : UINT64_MAX;

		if (vx_mad_fields[i].width > 64)
			continue;
		memset(bytes, 0, sizeof(bytes));
		vx_mad_put(bytes, field, UINT64_MAX);
		cr_expect_eq(vx_mad_get(bytes, field), most, "field %u", i);
		memset(bytes, 0xff, sizeof(bytes));
		memcpy(before, bytes, sizeof(bytes));
		vx_mad_put(bytes, field, 0);
		cr_expect_eq(vx_mad_get(bytes, field), 0, "field %u", i);
		for (other = 0; other < sizeof(bytes) * 8; other++) {
			bool own = other >= vx_mad_fields[i].offset && other < vx_mad_fields[i].offset + vx_mad_fields[i].width;

			cr_expect_eq(bytes[other / 8] >> (7 - other % 8) & 1, !own, "field %u, bit %u", i, other);
		}
	}
}

Test(mad, fields_are_where_the_specification_has_them)
{
	uint8_t bytes[VX_MAD_SIZE] = { 0 };

	vx_mad_put(bytes, VX_MAD_HEADER_METHOD, 0x81);
	vx_mad_put(bytes, VX_MAD_HEADER_ATTRIBUTE_ID, 0x35);
	vx_mad_put(bytes, VX_SA_HEADER_COMPONENT_MASK, 0x80c);
	cr_expect_eq(bytes[3], 0x81);
	cr_expect_eq(bytes[17], 0x35);
	cr_expect_eq(bytes[54] << 8 | bytes[55], 0x80c);
	memset(bytes, 0, sizeof(bytes));
	vx_mad_put(bytes, VX_PATH_RECORD_DLID, 0x1234);
	vx_mad_put(bytes, VX_PATH_RECORD_REVERSIBLE, 1);
	vx_mad_put(bytes, VX_PATH_RECORD_NUMB_PATH, 0x7f);
	vx_mad_put(bytes, VX_PATH_RECORD_SL, 0xf);
	vx_mad_put(bytes, VX_PATH_RECORD_FLOW_LABEL, 0xabcde);
	cr_expect_eq(bytes[40] << 8 | bytes[41], 0x1234);
	cr_expect_eq(bytes[49], 0xff);
	cr_expect_eq(bytes[53], 0x0f);
	cr_expect(bytes[44] == 0x0a && bytes[45] == 0xbc && bytes[46] == 0xde);
}

/* As python-rdma's test has it: the mask is 4 with a DGID, and 20 with a DLID as well. */
Test(mad, what_is_asked_for_counts)
{
	union ibv_gid gid = { .raw = { 0xfe, 0x80, [15] = 1 } };
	struct vx_mad mad = { .record = VX_PATH_RECORD };

	cr_expect_str_eq(told(vx_mad_put_asked, &mad), "PathRecord");
	vx_mad_ask_gid(&mad, VX_PATH_RECORD_DGID, &gid);
	cr_expect_eq(vx_mad_get(mad.bytes, VX_SA_HEADER_COMPONENT_MASK), 4);
	vx_mad_ask(&mad, VX_PATH_RECORD_DLID, 7);
	cr_expect_eq(vx_mad_get(mad.bytes, VX_SA_HEADER_COMPONENT_MASK), 20);
	vx_mad_ask(&mad, VX_PATH_RECORD_P_KEY, 0x7fff);
	cr_expect_str_eq(told(vx_mad_put_asked, &mad), "PathRecord with DGID = fe80::1, DLID = 7, P_Key = 0x7fff");
}

Test(mad, statuses_have_words)
{
	cr_expect_str_eq(told_status(0x0300), "there is no such record (0x0300)");
	cr_expect_str_eq(told_status(0x0001), "busy (0x0001)");
	cr_expect_str_eq(told_status(0x000c), "it does not know this method with this attribute (0x000c)");
	cr_expect_str_eq(told_status(0x7f00), "a status that no specification has (0x7f00)");
}

Test(mad, a_record_is_as_long_as_its_last_field)
{
	cr_expect_eq(vx_mad_records[VX_PATH_RECORD].size, 58);
	cr_expect_eq(vx_mad_records[VX_MC_MEMBER_RECORD].size, 50);
}
