/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Address handles made of a completion. */

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit/device.h"

#define IB_NEXT_HEADER 0x1b

static struct ibv_grh grh;

static void open_with_grh(void)
{
	struct ibv_gid_entry entry;

	open_device();
	made(vx_ctx_query_gid(ctx, 1, 0, &entry));
	grh = (struct ibv_grh){ .version_tclass_flow = htobe32(6u << 28), .next_hdr = IB_NEXT_HEADER, .sgid = entry.gid, .dgid = entry.gid };
}

/* That the line of an address handle has this. */
static void expect_text(const struct vx_ah *ah, const char *part)
{
	char text[512];

	vx_snprint(text, sizeof(text), VX_TYPEOF(ah), ah, VX_COMPACT);
	cr_expect_not_null(strstr(text, part), "no %s in %s", part, text);
}

TestSuite(ah, .init = open_with_grh, .fini = close_device);

Test(ah, of_a_completion_without_grh)
{
	struct ibv_wc wc = { .slid = 7, .sl = 5, .dlid_path_bits = 1 };
	struct vx_ah *ah;

	made(vx_ah_create_from_wc(pd, &wc, NULL, 1, &ah));
	cr_expect_eq(vx_ah_raw(ah)->pd, vx_pd_raw(pd));
	expect_text(ah, "attr={dlid=7 sl=5 src_path_bits=1 static_rate=IBV_RATE_MAX(0) is_global=false port_num=1}}");
	cr_expect_eq(vx_close(ah), 0);
}

Test(ah, of_a_completion_with_grh)
{
	struct ibv_wc wc = { .slid = 7, .wc_flags = IBV_WC_GRH };
	struct vx_ah *ah;

	grh.sgid = (union ibv_gid){ .raw = { 0xfe, 0x80, [15] = 9 } };
	grh.version_tclass_flow = htobe32(6u << 28 | 0xabu << 20 | 0x54321);
	made(vx_ah_create_from_wc(pd, &wc, &grh, 1, &ah));
	cr_expect_eq(vx_object_kind_of(ah), VX_OBJECT_AH);
	expect_text(ah, "attr={grh={dgid=fe80::9 flow_label=0x54321 sgid_index=0 hop_limit=0 traffic_class=0xab} dlid=7 sl=0 ");
}

Test(ah, has_a_hop_limit_of_0_only_where_that_is_meant)
{
	struct vx_ah_init init = { .grh.dgid = grh.dgid };
	struct vx_ah *ah;

	made(vx_ah_create(pd, &init, &ah));
	expect_text(ah, " hop_limit=64 ");
	init.comp_mask = VX_AH_INIT_HOP_LIMIT;
	made(vx_ah_create(pd, &init, &ah));
	expect_text(ah, " hop_limit=0 ");
	init.grh.hop_limit = 3;
	made(vx_ah_create(pd, &init, &ah));
	expect_text(ah, " hop_limit=3 ");
}

Test(ah, of_others_shows_no_destination)
{
	struct vx_ah *ah;

	made(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7 }, &ah));
	made(vx_ah_adopt(pd, vx_give_back(ah), &ah));
	expect_text(ah, "handle=0}");
}

Test(ah, of_a_message_to_a_gid_that_is_not_there_is_explained)
{
	struct ibv_wc wc = { .slid = 7, .wc_flags = IBV_WC_GRH };
	struct vx_ah *ah;

	grh.dgid = (union ibv_gid){ .raw = { 0xfe, 0x80, [15] = 9 } };
	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, &grh, 1, &ah), -ENOENT);
	expect_reason("port 1 has no GID fe80::9, to which the message was sent");
}

/* As RoCE has it: the header of IPv4 with its sum, behind 20 bytes that nobody has set. */
Test(ah, of_a_message_to_an_ipv4_address_that_is_not_there_is_explained)
{
	static const unsigned char ipv4[20] = { 0x45, 0, 0, 84, 0, 0, 0x40, 0, 64, 17, 0x26, 0x47, 10, 0, 0, 1, 10, 0, 0, 2 };
	struct ibv_wc wc = { .slid = 7, .wc_flags = IBV_WC_GRH };
	unsigned char bytes[40] = { 0 };
	struct vx_ah *ah;

	memcpy(bytes + 20, ipv4, sizeof(ipv4));
	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, (struct ibv_grh *)bytes, 1, &ah), -ENOENT);
	expect_reason("port 1 has no GID ::ffff:10.0.0.2, to which the message was sent");
}

Test(ah, of_bytes_that_are_no_grh_is_explained)
{
	struct ibv_wc wc = { .slid = 7, .wc_flags = IBV_WC_GRH };
	struct vx_ah *ah;

	grh.next_hdr = 0;
	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, &grh, 1, &ah), -EPROTONOSUPPORT);
	expect_reason("the 40 bytes are no GRH");
}

Test(ah, of_a_port_that_is_not_there_is_explained)
{
	struct ibv_wc wc = { .slid = 7 };
	struct vx_ah *ah;

	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, NULL, 9, &ah), -EINVAL);
	expect_reason("port_num = 9, but");
}

Test(ah, of_a_grh_that_is_not_given_is_refused)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct vx_ah *ah;

	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, NULL, 1, &ah), -EINVAL);
	expect_reason("grh is NULL");
	cr_expect_eq(vx_ah_create_from_wc(NULL, &wc, &grh, 1, &ah), -EINVAL);
	expect_reason("the parent is NULL");
}

/* The kernel would not be asked: this is no word about the GIDs. */
Test(ah, of_a_message_while_gids_cannot_be_read_is_not_said_to_have_none)
{
	struct ibv_wc wc = { .slid = 7, .wc_flags = IBV_WC_GRH };
	struct vx_ah *ah;

	fail_calls("query_gid_entry#1-:EIO,query_gid_table#1-:EIO");
	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, &grh, 1, &ah), -EIO);
	cr_expect_null(strstr(vx_error()->reason, "GID"), "%s", vx_error_text());
}

/* Its fields are anything, such as those of the message before. */
Test(ah, of_a_completion_that_failed_is_refused)
{
	struct ibv_wc wc = { .slid = 7, .status = IBV_WC_WR_FLUSH_ERR };
	struct ibv_ah_attr attr;
	struct vx_ah *ah;

	cr_expect_eq(vx_ah_create_from_wc(pd, &wc, NULL, 1, &ah), -EINVAL);
	expect_reason("the request failed, so it tells of no path");
	cr_expect_eq(vx_ctx_init_ah_from_wc(ctx, 1, &wc, NULL, &attr), -EINVAL);
	expect_reason("the request failed, so it tells of no path");
}

/* libmlx5 takes four bits of it without a word. */
Test(ah, with_a_rate_that_is_none_is_refused)
{
	struct vx_ah_init init = { .dlid = 7, .static_rate = 40 };
	struct vx_ah *ah;

	cr_expect_eq(vx_ah_create(pd, &init, &ah), -EINVAL);
	expect_reason("static_rate is 0x28, which is none of enum ibv_rate");
	init.static_rate = IBV_RATE_10_GBPS;
	made(vx_ah_create(pd, &init, &ah));
}

Test(ah, to_the_lid_that_nobody_has_is_refused)
{
	struct vx_ah *ah;

	cr_expect_eq(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 0xffff }, &ah), -EINVAL);
	expect_reason("dlid is 0xffff, which is no LID of a port or a group");
	made(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 0xfffe }, &ah));
}

/* Providers make it, and whatever is sent there is lost. */
Test(ah, that_leads_nowhere_is_refused)
{
	struct vx_ah *ah;

	cr_expect_eq(vx_ah_create(pd, NULL, &ah), -EINVAL);
	expect_reason("dlid is 0, which is nobody's LID");
	cr_expect_eq(vx_ah_create(pd, &(struct vx_ah_init){ .sl = 3, .port_num = 1 }, &ah), -EINVAL);
	expect_reason("dlid is 0, which is nobody's LID");
	cr_expect_eq(vx_ah_create(NULL, NULL, &ah), -EINVAL);
	expect_reason("the parent is NULL");
	made(vx_ah_create(pd, &(struct vx_ah_init){ .grh.dgid = grh.dgid }, &ah));
}
