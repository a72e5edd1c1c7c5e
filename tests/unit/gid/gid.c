/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The GID of a device's port: on Ethernet of 127.0.0.1, to which every machine has a route. */

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "unit/device.h"

static struct ibv_gid_entry taken;
static char why[512];
static bool ethernet;

static void open_port(void)
{
	struct ibv_port_attr attr;

	open_device();
	made(vx_ctx_query_port(ctx, 1, &attr));
	ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

TestSuite(gid, .init = open_port, .fini = close_device);

static union ibv_gid ipv4(const char *text)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	inet_pton(AF_INET, text, gid.raw + 12);
	return gid;
}

static int choose(const char *peer)
{
	union ibv_gid gid = ipv4(peer);

	return vx_ctx_choose_gid(ctx, 1, &gid, &taken, why, sizeof(why));
}

static void expect_why(const char *words)
{
	cr_expect_not_null(strstr(why, words), "%s", why);
}

Test(gid, of_infiniband_is_the_first)
{
	if (ethernet)
		return;
	made(choose("10.0.0.2"));
	cr_expect_eq(taken.gid_index, 0);
	cr_expect_str_eq(why, "GID 0 fe80::2:c903:a1:b2c4: the first of an InfiniBand port is its own");
}

Test(gid, of_a_peer_is_what_the_kernel_sends_from)
{
	if (!ethernet)
		return;
	made(choose("127.0.0.9"));
	cr_expect_eq(taken.gid_type, IBV_GID_TYPE_ROCE_V2);
	expect_why(" ::ffff:127.0.0.1 (RoCE v2");
	expect_why("): the route to 127.0.0.9 leaves from it");
}

Test(gid, without_a_peer_is_of_roce_v2_and_ipv4)
{
	if (!ethernet)
		return;
	made(vx_ctx_choose_gid(ctx, 0, NULL, &taken, why, sizeof(why)));
	cr_expect_eq(taken.gid_type, IBV_GID_TYPE_ROCE_V2);
	expect_why(": the only one of RoCE v2, IPv4");
}

Test(gid, goes_where_an_index_does)
{
	struct vx_ah_init init = { .is_global = 1 };
	struct vx_ah *ah;

	made(choose("127.0.0.1"));
	init.grh.dgid = taken.gid;
	init.grh.sgid_index = (uint8_t)taken.gid_index;
	made(vx_ah_create(pd, &init, &ah));
}

Test(gid, has_a_reason_that_fits_in_its_room)
{
	char small[8] = "xxxxxxx";

	made(vx_ctx_choose_gid(ctx, 1, NULL, &taken, small, sizeof(small)));
	cr_expect_eq(strlen(small), sizeof(small) - 1);
	cr_expect_eq(strncmp(small, "GID ", 4), 0, "%s", small);
	made(vx_ctx_choose_gid(ctx, 1, NULL, &taken, NULL, 0));
}

/* A program of older headers, or newer ones, has another size. */
Test(gid, has_the_size_of_the_program)
{
	struct { struct ibv_gid_entry entry; char more[8]; } larger;
	struct ibv_gid_entry before, smaller;

	made(vx_ctx_choose_gid(ctx, 1, NULL, &before, NULL, 0));
	memset(&larger, 0x5a, sizeof(larger));
	made(vx_ctx_choose_gid_sized(ctx, 1, NULL, &larger.entry, sizeof(larger), NULL, 0));
	cr_expect_eq(memcmp(&larger.entry, &before, sizeof(before)), 0);
	cr_expect_eq(larger.more[0], 0);
	memset(&smaller, 0x5a, sizeof(smaller));
	made(vx_ctx_choose_gid_sized(ctx, 1, NULL, &smaller, sizeof(smaller.gid), NULL, 0));
	cr_expect_eq(memcmp(&smaller.gid, &before.gid, sizeof(before.gid)), 0);
	cr_expect_eq(smaller.gid_index, 0x5a5a5a5a);
}

struct seen {
	size_t count, taken;
	uint32_t last;
};

static void see(const struct ibv_gid_entry *entry, bool is_taken, const char *reason, void *data)
{
	struct seen *seen = data;

	cr_expect(!seen->count || entry->gid_index > seen->last);
	cr_expect_neq(*reason, '\0');
	cr_expect_eq(entry->port_num, 1);
	seen->last = entry->gid_index;
	seen->count++;
	if (!is_taken)
		return;
	seen->taken++;
	cr_expect_eq(entry->gid_index, taken.gid_index);
	expect_why(reason);
}

Test(gid, is_the_one_that_is_shown_as_taken)
{
	union ibv_gid peer = ipv4("127.0.0.9");
	struct seen seen = { .count = 0 };

	made(choose("127.0.0.9"));
	made(vx_ctx_explain_gids(ctx, 1, &peer, see, &seen));
	cr_expect_eq(seen.count, ethernet ? 4 : 1, "%zu", seen.count);
	cr_expect_eq(seen.taken, 1);
}

Test(gid, for_an_ipv6_peer_is_ipv6)
{
	union ibv_gid peer = { .raw = { 0x20, 1, 0xd, 0xb8, [15] = 9 } };

	if (!ethernet)
		return;
	made(vx_ctx_choose_gid(ctx, 1, &peer, &taken, why, sizeof(why)));
	cr_expect_eq(taken.gid.raw[0], 0xfe);
}

Test(gid, of_a_port_that_is_not_there_is_an_error)
{
	cr_expect_eq(vx_ctx_choose_gid(ctx, 2, NULL, &taken, why, sizeof(why)), -EINVAL);
	expect_reason("port_num = 2, but the device allows phys_port_cnt = 1");
}

Test(gid, wants_what_it_needs)
{
	cr_expect_eq(vx_ctx_choose_gid(NULL, 1, NULL, &taken, NULL, 0), -EINVAL);
	expect_reason("ctx is NULL");
	cr_expect_eq(vx_ctx_choose_gid(ctx, 1, NULL, NULL, NULL, 0), -EINVAL);
	expect_reason("out is NULL");
	cr_expect_eq(vx_ctx_explain_gids(ctx, 1, NULL, NULL, NULL), -EINVAL);
	expect_reason("show is NULL");
}

Test(gid, are_those_of_a_context, .signal = VERBSX_CHECKS ? SIGABRT : 0)
{
	cr_expect_eq(vx_ctx_explain_gids((struct vx_ctx *)(void *)pd, 1, NULL, see, NULL), -EINVAL);
}

Test(gid, is_not_made_up_where_the_table_cannot_be_read)
{
	fail_calls("query_gid_table#1-:EIO");
	cr_expect_eq(vx_ctx_choose_gid(ctx, 1, NULL, &taken, why, sizeof(why)), -EIO);
	expect_reason("ibv_query_gid_table on mlx5_0");
}

static void *choose_cancelled(void *passed)
{
	union ibv_gid peer = ipv4("127.0.0.9");
	struct seen seen = { .count = 0 };

	pthread_cancel(pthread_self());
	made(choose("127.0.0.9"));
	made(vx_ctx_explain_gids(ctx, 1, &peer, see, &seen));
	*(bool *)passed = true;
	pthread_testcancel();
	return NULL;
}

/* Else the socket by which the kernel is asked would stay open. */
Test(gid, is_chosen_for_a_thread_that_is_cancelled)
{
	bool returned = false;
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, choose_cancelled, &returned), 0);
	pthread_join(thread, &left);
	cr_assert(returned);
	cr_expect_eq(left, PTHREAD_CANCELED, "later");
}
