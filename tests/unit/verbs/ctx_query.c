/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>

#include "unit/verbs/ctx_device.h"

static struct vx_ctx *ctx;
static struct ibv_port_attr port;

static void open_and_query_port(void)
{
	ctx = open_first();
	cr_assert_eq(vx_ctx_query_port(ctx, 1, &port), 0, "%s", vx_error_text());
}

static void close_it(void)
{
	cr_expect_eq(vx_close(ctx), 0);
}

TestSuite(context_query, .init = open_and_query_port, .fini = close_it);

static void expect_reason(const char *part)
{
	cr_expect_not_null(strstr(vx_error()->reason, part), "\"%s\" is not in: %s", part, vx_error_text());
	cr_expect_str_eq(vx_error()->object, vx_ctx_name(ctx));
}

Test(context_query, device_gives_limits)
{
	struct ibv_device_attr attr;

	cr_assert_eq(vx_ctx_query_device(ctx, &attr), 0);
	cr_expect_geq(attr.phys_port_cnt, 1);
	cr_expect_gt(attr.max_qp, 0);
}

Test(context_query, device_ex_begins_with_what_device_gives)
{
	struct ibv_device_attr attr;
	struct ibv_device_attr_ex ex;

	cr_assert_eq(vx_ctx_query_device(ctx, &attr), 0);
	cr_assert_eq(vx_ctx_query_device_ex(ctx, &ex), 0);
	cr_expect_eq(ex.orig_attr.max_qp, attr.max_qp);
	cr_expect_eq(ex.orig_attr.node_guid, attr.node_guid);
}

Test(context_query, port_gives_its_state_and_tables)
{
	cr_expect_eq(port.state, IBV_PORT_ACTIVE);
	cr_expect_gt(port.gid_tbl_len, 0);
	cr_expect_gt(port.pkey_tbl_len, 0);
}

Test(context_query, port_that_is_not_there_names_those_that_are)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr other;

	vx_ctx_query_device(ctx, &attr);
	cr_expect_eq(vx_ctx_query_port(ctx, 0, &other), -EINVAL);
	expect_reason("port_num is 0, and ports are counted from 1");
	cr_expect_eq(vx_ctx_query_port(ctx, attr.phys_port_cnt + 1, &other), -EINVAL);
	expect_reason("but the device allows phys_port_cnt =");
}

Test(context_query, gid_gives_the_first_entry)
{
	struct ibv_gid_entry entry;

	cr_assert_eq(vx_ctx_query_gid(ctx, 1, 0, &entry), 0, "%s", vx_error_text());
	cr_expect_eq(entry.port_num, 1u);
	cr_expect_eq(entry.gid_index, 0u);
	cr_expect_neq(entry.gid.global.interface_id, 0u);
}

Test(context_query, gid_that_is_empty_says_so)
{
	struct ibv_gid_entry entry;
	uint32_t last = (uint32_t)port.gid_tbl_len - 1;

	cr_expect_eq(vx_ctx_query_gid(ctx, 1, last, &entry), -ENODATA);
	expect_reason("is empty");
}

Test(context_query, gid_past_the_table_names_its_length)
{
	struct ibv_gid_entry entry;

	cr_expect_eq(vx_ctx_query_gid(ctx, 1, 100000, &entry), -EINVAL);
	expect_reason("gid_index = 100000, but the port has gid_tbl_len =");
}

Test(context_query, gid_of_a_port_that_is_not_there_names_those_that_are)
{
	struct ibv_gid_entry entry;

	cr_expect_eq(vx_ctx_query_gid(ctx, 99, 0, &entry), -EINVAL);
	expect_reason("port_num = 99, but the device allows phys_port_cnt =");
}

Test(context_query, gid_table_gives_all_entries_that_gid_gives)
{
	size_t max = (size_t)port.gid_tbl_len, count = 0, singly = 0;
	struct ibv_gid_entry *entries = calloc(max, sizeof(*entries)), entry;
	uint32_t i;

	cr_assert_eq(vx_ctx_query_gid_table(ctx, entries, max, &count), 0, "%s", vx_error_text());
	for (i = 0; i < max; i++) {
		if (vx_ctx_query_gid(ctx, 1, i, &entry) < 0)
			continue;
		cr_assert_lt(singly, count);
		cr_expect_arr_eq(&entries[singly].gid, &entry.gid, sizeof(entry.gid));
		singly++;
	}
	cr_expect_eq(singly, count);
	free(entries);
}

Test(context_query, gid_table_may_have_more_room_than_there_are_entries)
{
	struct ibv_gid_entry *entries = calloc((size_t)port.gid_tbl_len, sizeof(*entries));
	size_t count = 0;

	cr_expect_eq(vx_ctx_query_gid_table(ctx, entries, 100000, &count), 0, "%s", vx_error_text());
	cr_expect_eq(vx_ctx_query_gid_table(ctx, entries, SIZE_MAX, &count), 0, "%s", vx_error_text());
	cr_expect_gt(count, 0);
	free(entries);
}

Test(context_query, gid_table_without_room_is_invalid_and_writes_nothing)
{
	struct ibv_gid_entry entry = { .gid_index = 55 };
	size_t count = 77;

	cr_expect_eq(vx_ctx_query_gid_table(ctx, &entry, 0, &count), -EINVAL);
	expect_reason("max_entries = 0 is too small");
	cr_expect_eq(count, 77u);
	cr_expect_eq(entry.gid_index, 55u);
}

Test(context_query, pkey_is_in_the_byte_order_of_the_host)
{
	uint16_t pkey = 0;

	cr_assert_eq(vx_ctx_query_pkey(ctx, 1, 0, &pkey), 0, "%s", vx_error_text());
	cr_expect_eq(pkey, 0xffff);
}

Test(context_query, pkey_past_the_table_names_its_length)
{
	uint16_t pkey;

	cr_expect_eq(vx_ctx_query_pkey(ctx, 1, 40000, &pkey), -EINVAL);
	expect_reason("index = 40000, but the port has pkey_tbl_len =");
}

Test(context_query, pkey_of_a_port_that_is_not_there_names_those_that_are)
{
	uint16_t pkey;

	cr_expect_eq(vx_ctx_query_pkey(ctx, 99, 0, &pkey), -EINVAL);
	expect_reason("port_num = 99, but the device allows phys_port_cnt =");
}

Test(context_query, pkey_table_has_the_length_that_the_port_says)
{
	size_t max = (size_t)port.pkey_tbl_len + 1, count = 0;
	uint16_t *pkeys = calloc(max, sizeof(*pkeys));

	cr_assert_eq(vx_ctx_query_pkey_table(ctx, 1, pkeys, max, &count), 0, "%s", vx_error_text());
	cr_expect_eq(count, (size_t)port.pkey_tbl_len);
	cr_expect_eq(pkeys[0], 0xffff);
	free(pkeys);
}

Test(context_query, pkey_table_without_room_is_invalid_and_writes_nothing)
{
	size_t max = (size_t)port.pkey_tbl_len, count = 77;
	uint16_t *pkeys = calloc(max, sizeof(*pkeys));

	pkeys[0] = 0x1111;
	cr_expect_eq(vx_ctx_query_pkey_table(ctx, 1, pkeys, max - 1, &count), -EINVAL);
	expect_reason("is too small: the port has pkey_tbl_len =");
	cr_expect_eq(count, 77u);
	cr_expect_eq(pkeys[0], 0x1111);
	free(pkeys);
}

Test(context_query, pkey_table_of_a_port_that_does_not_fit_was_asked_by_that_call)
{
	uint16_t pkeys[1];

	cr_expect_eq(vx_ctx_query_pkey_table(ctx, 300, pkeys, 1, &(size_t){ 0 }), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_ctx_query_pkey_table");
	expect_reason("port_num = 300, but the device allows phys_port_cnt =");
}

#if VX_RDMA_CORE < 62

Test(context_query, port_speed_names_the_release_that_has_it)
{
	uint64_t mbps;

	cr_expect_eq(vx_ctx_query_port_speed(ctx, 1, &mbps), -EOPNOTSUPP);
	cr_expect_not_null(strstr(vx_error()->reason, "needs rdma-core 62, this was built with"), "%s", vx_error_text());
}

#else

Test(context_query, port_speed_is_in_megabits_or_not_supported)
{
	uint64_t mbps = 0;
	int rc = vx_ctx_query_port_speed(ctx, 1, &mbps);

	if (rc == 0)
		cr_expect(mbps >= 100 && mbps % 100 == 0);
	else
		cr_expect_eq(rc, -EOPNOTSUPP, "%s", vx_error_text());
}

#endif
