/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What follows from a path alone. */

#include <string.h>

#include <criterion/criterion.h>
#include <verbsx/verbsx.h>

/* All that has a side: numbers below 100 here, above there. */
static const struct vx_path sided = {
	.port_num = 2, .pkey = 0x8001, .slid = 1, .dlid = 101, .sgid.raw = { 2 }, .dgid.raw = { 102 }, .sl = 5, .hop_limit = 3,
	.sqpn = 3, .dqpn = 103, .spsn = 4, .dpsn = 104, .srd_atomic = 5, .drd_atomic = 105, .sack_delay = 6, .dack_delay = 26,
	.access = IBV_ACCESS_REMOTE_READ, .mask = VX_PATH_TIMEOUT,
};

Test(path, never_changes_its_size)
{
	cr_expect_eq(sizeof(struct vx_path), 128);
}

static const char *shown(struct vx_path path)
{
	static char text[512];

	vx_snprint(text, sizeof(text), VX_TYPEOF(&path), &path, VX_COMPACT);
	return text;
}

Test(path, is_shown_by_what_is_known)
{
	struct vx_path path = { .dqpn = 0x105, .timeout = 14, .path_mtu = IBV_MTU_1024, .mask = VX_PATH_SPSN };

	cr_expect_str_eq(shown((struct vx_path){ 0 }), "{}");
	cr_expect_str_eq(shown(path), "{dqpn=0x105 path_mtu=IBV_MTU_1024(3) timeout=\"67.1 ms\"(14) mask=VX_PATH_SPSN(0x1)}");
}

Test(path, reversed_has_the_other_side_here)
{
	struct vx_path path = sided;

	vx_path_reverse(&path);
	cr_expect_eq(path.slid, 101);
	cr_expect_eq(path.sgid.raw[0], 102);
	cr_expect_eq(path.sqpn, 103);
	cr_expect_eq(path.spsn, 104);
	cr_expect_eq(path.srd_atomic, 105);
	cr_expect_eq(path.sack_delay, 26);
	cr_expect_eq(path.access, IBV_ACCESS_REMOTE_READ);
}

Test(path, reversed_twice_is_itself)
{
	struct vx_path path = sided;

	path.mask = VX_PATH_SPSN | VX_PATH_DRD_ATOMIC | VX_PATH_TIMEOUT | VX_PATH_HOP_LIMIT;
	vx_path_reverse(&path);
	cr_expect_eq(path.mask, VX_PATH_DPSN | VX_PATH_SRD_ATOMIC | VX_PATH_TIMEOUT | VX_PATH_HOP_LIMIT);
	vx_path_reverse(&path);
	path.mask = sided.mask;
	cr_expect_eq(memcmp(&path, &sided, sizeof(path)), 0);
}

Test(path, of_a_reply_goes_as_far_as_there_are_routers_if_it_is_global)
{
	struct vx_path path = sided;

	vx_path_reply(&path);
	cr_expect_eq(path.hop_limit, 3);
	path.is_global = 1;
	vx_path_reply(&path);
	cr_expect_eq(path.hop_limit, 255);
	cr_expect_eq(path.slid, 1);
}

static int timeout_of(uint8_t life, uint8_t delay)
{
	return vx_path_timeout(&(struct vx_path){ .packet_life_time = life, .dack_delay = delay, .mask = VX_PATH_DACK_DELAY });
}

Test(path, times_out_after_two_ways_and_the_delay)
{
	static const struct {
		uint8_t life, delay, timeout;
	} rows[] = {
		{ 0, 0, 2 },   { 0, 1, 2 },   { 1, 2, 3 },   { 0, 15, 16 },  { 16, 0, 18 },  { 16, 17, 18 }, { 17, 15, 19 }, { 18, 15, 20 },
		{ 18, 16, 20 }, { 18, 19, 20 }, { 18, 20, 21 }, { 27, 28, 29 }, { 29, 30, 31 }, { 30, 31, 31 }, { 31, 31, 31 }, { 255, 255, 31 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(timeout_of(rows[i].life, rows[i].delay), rows[i].timeout, "%d, %d", rows[i].life, rows[i].delay);
}

/* The logarithm of a double is off by one for some of these: 2^(n+1) + 2^(n+1) is 2^(n+2), and one more or less is not. */
Test(path, times_out_exactly_at_powers_of_two)
{
	int life;

	for (life = 0; life < 30; life++) {
		cr_expect_eq(timeout_of((uint8_t)life, (uint8_t)(life + 1)), life + 2, "life %d", life);
		cr_expect_eq(timeout_of((uint8_t)life, (uint8_t)life), life + 2, "life %d", life);
		if (life < 29)
			cr_expect_eq(timeout_of((uint8_t)life, (uint8_t)(life + 2)), life + 3, "life %d", life);
	}
}

Test(path, times_out_when_it_says)
{
	cr_expect_eq(vx_path_timeout(&(struct vx_path){ .timeout = 9, .dack_delay = 20 }), 9);
	cr_expect_eq(vx_path_timeout(&(struct vx_path){ .dack_delay = 20, .mask = VX_PATH_TIMEOUT }), 0);
}

Test(path, takes_the_peer_to_be_as_slow_as_this_side)
{
	struct vx_path path = { .packet_life_time = 10, .sack_delay = 20 };

	cr_expect_eq(vx_path_timeout(&path), 21);
	path.dack_delay = 12;
	cr_expect_eq(vx_path_timeout(&path), 13);
}

Test(path, has_a_udp_port_by_its_flow_label)
{
	uint32_t label;

	for (label = 0; label < 0x100000; label += 1021)
		cr_expect_eq(vx_path_udp_sport(&(struct vx_path){ .flow_label = label }), ibv_flow_label_to_udp_sport(label));
	cr_expect_eq(vx_path_udp_sport(&(struct vx_path){ .flow_label = 0xfffff }), ibv_flow_label_to_udp_sport(0xfffff));
	cr_expect_eq(vx_path_udp_sport(&(struct vx_path){ .flow_label = 0x512345 }), ibv_flow_label_to_udp_sport(0x12345));
}
