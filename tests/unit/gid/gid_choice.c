/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The GID that is chosen, and why the others are not, on tables of people who had to ask which one to use. */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "gid/gid_choice.h"

#define V1 IBV_GID_TYPE_ROCE_V1
#define V2 IBV_GID_TYPE_ROCE_V2
#define NONE IBV_GID_TYPE_IB
#define MOST 16

static struct vx_gid_row rows[MOST];
static union ibv_gid peer;
static struct vx_gid_route routes[4];
static struct vx_gid_table table;

static union ibv_gid gid_of(const char *text)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };
	bool ipv4 = !strchr(text, ':');

	cr_assert_eq(inet_pton(ipv4 ? AF_INET : AF_INET6, text, gid.raw + (ipv4 ? 12 : 0)), 1, "%s", text);
	return gid;
}

static void start(void)
{
	table = (struct vx_gid_table){ .rows = rows, .routes = routes, .ethernet = true };
}

TestSuite(gid_choice, .init = start);

static struct vx_gid_row *add(uint32_t index, const char *gid, uint32_t type, uint32_t ifindex)
{
	cr_assert_lt(table.count, MOST);
	rows[table.count] = (struct vx_gid_row){ .entry = { .gid = gid_of(gid), .gid_index = index, .gid_type = type, .ndev_ifindex = ifindex } };
	return &rows[table.count++];
}

/* Each address twice, as most drivers have it. */
static void add_pair(uint32_t index, const char *gid, uint32_t ifindex)
{
	add(index, gid, V1, ifindex);
	add(index + 1, gid, V2, ifindex);
}

static void set_peer(const char *text)
{
	peer = gid_of(text);
	table.peer = &peer;
}

static void add_route(const char *source, uint32_t ifindex)
{
	routes[table.route_count++] = (struct vx_gid_route){ gid_of(source), ifindex };
}

static const char *why(uint32_t index)
{
	static char text[512];
	struct vx_out out;
	size_t i;

	for (i = 0; i < table.count && rows[i].entry.gid_index != index; i++)
		continue;
	cr_assert_lt(i, table.count, "no GID %u", index);
	out = vx_out_in(text, sizeof(text));
	vx_gid_put_why(&out, &table, i, vx_gid_choose(&table));
	vx_out_finish(&out);
	return text;
}

#define expect_taken(index, reason) do { \
	size_t row = vx_gid_choose(&table); \
	cr_assert_neq(row, VX_NO_GID); \
	cr_expect_eq(rows[row].entry.gid_index, index, "GID %u is taken: %s", rows[row].entry.gid_index, why(rows[row].entry.gid_index)); \
	cr_expect_str_eq(why(index), reason); \
} while (0)

#define expect_left(index, reason) cr_expect_str_eq(why(index), reason)

static void add_nccl_769(void)
{
	add_pair(0, "fe80::ac0:ebff:feda:1cfb", 2);
	add_pair(2, "200.0.209.6", 2);
}

/* "Why could only GID index 3 work?" */
Test(gid_choice, of_four_is_the_one_of_roce_v2_and_ipv4)
{
	add_nccl_769();
	expect_taken(3, "the only one of RoCE v2, IPv4");
	expect_left(0, "RoCE v1, and GID 3 is RoCE v2");
	expect_left(1, "link-local, and GID 3 is IPv4");
	expect_left(2, "RoCE v1, and GID 3 is RoCE v2");
}

Test(gid_choice, is_that_which_the_route_to_the_peer_leaves_from)
{
	add_nccl_769();
	add_pair(4, "10.9.0.6", 2);
	set_peer("10.9.0.7");
	add_route("10.9.0.6", 0);
	expect_taken(5, "the route to 10.9.0.7 leaves from it");
	expect_left(4, "RoCE v1, and GID 5 is RoCE v2");
	expect_left(3, "to 10.9.0.7 the kernel sends from GID 5");
	expect_left(1, "IPv6, and the peer 10.9.0.7 is IPv4");
}

/* nccl#1573: a pod's network device has its GIDs from index 4 on; reading an empty one is an error. */
Test(gid_choice, is_of_a_table_that_begins_later)
{
	add_pair(4, "fe80::a4ed:ccff:fe8b:1994", 7);
	add_pair(6, "10.152.0.12", 7);
	expect_taken(7, "the only one of RoCE v2, IPv4");
}

/* nccl#1587: in another pod the IPv4 address comes first. */
Test(gid_choice, does_not_go_by_the_order_of_addresses)
{
	add_pair(6, "11.0.4.1", 7);
	add_pair(8, "fe80::e4ea:71ff:feb9:4970", 7);
	expect_taken(7, "the only one of RoCE v2, IPv4");
}

/* Mooncake#2747: private addresses were taken for those of an overlay network, and so the link-local one was chosen. */
Test(gid_choice, does_not_go_by_private_ranges)
{
	add(0, "fe80::690:81ff:fe37:a9e8", V2, 2);
	add(1, "10.102.9.101", V2, 2);
	expect_taken(1, "the only one of RoCE v2, IPv4");
	expect_left(0, "link-local, and GID 1 is IPv4");
}

/* uccl#803, ATOM#1748: drivers that have IPv6 only; the first is of no use behind a router. */
Test(gid_choice, of_ipv6_alone_is_the_one_that_is_not_link_local)
{
	add(0, "fe80::5e25:73ff:fe3b:6a10", V2, 2);
	add(1, "fd93:16d3:59b6:12e::1", V2, 2);
	expect_taken(1, "the only one of RoCE v2, IPv6");
	expect_left(0, "link-local, and GID 1 is IPv6");
}

/* Mooncake#946: both are of RoCE v2 and IPv4, and only the latter is an address of this container. */
Test(gid_choice, is_of_this_network_namespace)
{
	add(3, "26.208.8.250", V2, 9)->foreign = true;
	add(7, "26.208.8.252", V2, 4);
	expect_taken(7, "the only one of RoCE v2, IPv4");
	expect_left(3, "no network device here has the address: it is of another network namespace, or gone");
}

/* What the kernel cannot say of a link-local GID the others of its network device tell. */
Test(gid_choice, is_not_link_local_where_all_is_of_another_namespace)
{
	add(0, "fe80::1", V2, 9);
	add(1, "10.1.0.1", V2, 9)->foreign = true;
	vx_gid_judge_links(rows, table.count);
	expect_taken(1, "the only one of RoCE v2, IPv4; but no network device here has 10.1.0.1");
	expect_left(0, "link-local, and GID 1 is IPv4");
}

Test(gid_choice, of_a_network_device_of_another_namespace_is_not_taken)
{
	add(0, "fe80::1", V2, 9);
	add(1, "10.1.0.1", V2, 9)->foreign = true;
	add(2, "fe80::2", V2, 4);
	add(3, "fe80::3", V2, 5);
	add(4, "10.1.0.2", V2, 5);
	vx_gid_judge_links(rows, table.count);
	cr_expect(rows[0].foreign && !rows[2].foreign && !rows[3].foreign);
	expect_taken(4, "the only one of RoCE v2, IPv4");
	expect_left(0, "no network device here has the address: it is of another network namespace, or gone");
	expect_left(2, "link-local, and GID 4 is IPv4");
}

Test(gid_choice, says_where_its_address_is_of_another_namespace)
{
	add(3, "26.208.8.250", V2, 9)->foreign = true;
	expect_taken(3, "the only one of RoCE v2, IPv4; but no network device here has 26.208.8.250");
}

/* ucx#10939: the order where nothing is known of the peer. */
Test(gid_choice, has_the_order_of_ucx)
{
	static const struct { const char *gid; uint32_t type; } order[] = {
		{ "192.0.2.1", V2 }, { "2001:db8::1", V2 }, { "fe80::1", V2 }, { "192.0.2.1", V1 }, { "2001:db8::1", V1 }, { "fe80::1", V1 },
	};
	const size_t count = sizeof(order) / sizeof(order[0]);
	size_t first, i;

	for (first = 0; first < count; first++) {
		start();
		for (i = count; i-- > first;)
			add((uint32_t)(count - i), order[i].gid, order[i].type, 2);
		cr_expect_eq(vx_gid_choose(&table), count - 1 - first);
	}
}

/* libfabric#12673: other drivers have v2 only, and the same index is another address on each. */
Test(gid_choice, of_addresses_that_are_as_good_is_the_first)
{
	add(1, "10.0.0.1", V2, 2);
	add(2, "10.0.1.1", V2, 3);
	expect_taken(1, "the first of RoCE v2, IPv4");
	expect_left(2, "as good as GID 1, which comes first");
}

Test(gid_choice, takes_ipv4_addresses_of_a_link_for_what_they_are)
{
	add(0, "169.254.3.1", V2, 2);
	add(1, "2001:db8::1", V2, 2);
	expect_taken(1, "the only one of RoCE v2, IPv6");
	expect_left(0, "link-local, and GID 1 is IPv6");
}

/* nccl#2013: rails, several ports in one subnet. The kernel would send by the first one's network device. */
Test(gid_choice, of_another_rail_is_what_its_own_network_device_sends_from)
{
	add(2, "172.16.0.9", V2, 5);
	add(3, "10.0.0.4", V2, 5);
	set_peer("10.0.0.20");
	add_route("10.0.0.1", 0);
	add_route("10.0.0.4", 5);
	expect_taken(3, "its network device sends from it to 10.0.0.20");
	expect_left(2, "to 10.0.0.20 the kernel sends from GID 3");
}

Test(gid_choice, of_a_network_device_is_not_that_of_another)
{
	add(2, "10.0.0.4", V2, 6);
	add(3, "10.0.0.4", V2, 5);
	set_peer("10.0.0.20");
	add_route("10.0.0.4", 5);
	expect_taken(3, "its network device sends from it to 10.0.0.20");
}

Test(gid_choice, tells_of_a_route_that_leaves_from_elsewhere)
{
	add_nccl_769();
	set_peer("192.168.1.9");
	add_route("192.168.1.5", 0);
	expect_taken(3, "the only one of RoCE v2, IPv4; the route to 192.168.1.9 leaves from 192.168.1.5, which is no GID of this port");
	expect_left(0, "IPv6, and the peer 192.168.1.9 is IPv4");
}

Test(gid_choice, tells_that_there_is_no_route)
{
	add_nccl_769();
	set_peer("2001:db8::9");
	expect_taken(1, "the only one of RoCE v2, link-local; there is no route to 2001:db8::9");
	expect_left(3, "IPv4, and the peer 2001:db8::9 is IPv6");
}

Test(gid_choice, for_a_peer_of_the_link_is_of_the_link)
{
	add(0, "2001:db8::1", V2, 2);
	add(1, "fe80::1", V2, 2);
	set_peer("fe80::9");
	expect_taken(1, "the only one of RoCE v2, link-local; there is no route to fe80::9");
	expect_left(0, "IPv6, and GID 1 is link-local");
}

Test(gid_choice, of_one_version_is_not_left_for_an_address_without_a_route)
{
	add(0, "10.0.0.1", V1, 2);
	add(1, "10.9.0.1", V2, 2);
	set_peer("10.0.0.2");
	add_route("10.0.0.1", 0);
	expect_taken(0, "the route to 10.0.0.2 leaves from it");
	expect_left(1, "to 10.0.0.2 the kernel sends from GID 0");
}

/* Packets of RoCE v2 by IPv4 would have the last bytes of this group for their address. */
Test(gid_choice, for_a_group_is_of_its_family_but_with_roce_v1)
{
	add_nccl_769();
	set_peer("ff0e::1");
	expect_taken(1, "the only one of RoCE v2, link-local");
	expect_left(3, "IPv4, and the peer ff0e::1 is IPv6");
	expect_left(2, "RoCE v1, and GID 1 is RoCE v2");
	table.rows += 2;
	table.count = 1;
	cr_expect_eq(vx_gid_choose(&table), 0);
	start();
	add_nccl_769();
	set_peer("224.0.0.7");
	expect_taken(3, "the only one of RoCE v2, IPv4");
	expect_left(1, "IPv6, and the peer 224.0.0.7 is IPv4");
}

Test(gid_choice, of_infiniband_is_the_first)
{
	table.ethernet = false;
	add(0, "fe80::2:c903:a1:b2c4", NONE, 0);
	add(1, "2001:db8::2:c903:a1:b2c4", NONE, 0);
	set_peer("2001:db8::9");
	expect_taken(0, "the first of an InfiniBand port is its own");
	expect_left(1, "on InfiniBand GID 0 is taken, the port's own");
}

/* iWARP: what there is has nothing to do with RoCE, nor with the peer's address. */
Test(gid_choice, of_no_roce_is_the_first)
{
	add(0, "252:b400:101::", NONE, 2);
	set_peer("10.0.0.2");
	expect_taken(0, "the only one of no RoCE, IPv6; there is no route to 10.0.0.2");
}

Test(gid_choice, is_never_an_empty_entry)
{
	add(0, "::", V2, 0);
	add(1, "fe80::1", V1, 2);
	expect_taken(1, "the only one of RoCE v1, link-local");
	expect_left(0, "empty");
}

/* A path may say which. */
Test(gid_choice, is_the_one_that_is_asked_for)
{
	union ibv_gid own = gid_of("fe80::ac0:ebff:feda:1cfb");

	add_nccl_769();
	table.own = &own;
	cr_expect_eq(vx_gid_choose(&table), 1);
	table.type = V1;
	cr_expect_eq(vx_gid_choose(&table), 0);
	table.own = NULL;
	cr_expect_eq(vx_gid_choose(&table), 2);
}

static void expect_lack(const char *text)
{
	char lack[512];
	struct vx_out out;

	cr_expect_eq(vx_gid_choose(&table), VX_NO_GID);
	out = vx_out_in(lack, sizeof(lack));
	vx_gid_put_lack(&out, &table);
	vx_out_finish(&out);
	cr_expect_str_eq(lack, text);
}

Test(gid_choice, of_an_empty_table_is_none)
{
	expect_lack("has no GID: each comes with an address of its network device");
}

Test(gid_choice, that_is_asked_for_has_to_be_there)
{
	union ibv_gid own = gid_of("10.0.0.1");

	add(0, "fe80::1", V2, 2);
	table.own = &own;
	expect_lack("has no GID ::ffff:10.0.0.1");
	table.type = V1;
	expect_lack("has no GID ::ffff:10.0.0.1 of RoCE v1");
	table.own = NULL;
	set_peer("fe80::2");
	expect_lack("has no GID of RoCE v1 from which there is a way to fe80::2");
	table.ethernet = false;
	set_peer("10.0.0.2");
	expect_lack("has no GID of RoCE v1 from which there is a way to 10.0.0.2: "
		    "on InfiniBand librdmacm alone finds an address of IP, as vx_cm_client_connect()");
}

Test(gid_choice, is_of_the_family_of_the_peer)
{
	add(0, "fe80::1", V2, 2);
	add(1, "fd93::1", V2, 2);
	set_peer("10.0.0.2");
	expect_lack("has no GID of IPv4, as the peer 10.0.0.2 is, but 2 of IPv6");
	expect_left(1, "IPv6, and the peer 10.0.0.2 is IPv4");
}
