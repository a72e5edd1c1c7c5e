/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The states of a handshake, of QPs that are none: what each side says and agrees on. */

#include "handshake_bed.h"

Test(handshake, connects_each_with_its_like)
{
	uint32_t i;

	both(QPS, QPS);
	begin_both();
	succeed(1000);
	for (i = 0; i < QPS; i++) {
		cr_expect_eq(one->paths[i].dqpn, 20 + i);
		cr_expect_eq(one->paths[i].dpsn, 2000 + i);
		cr_expect_eq(one->paths[i].dgid.raw[15], 20);
		cr_expect_eq(one->paths[i].dlid, 20);
		cr_expect_eq(other->paths[i].dqpn, 10 + i);
		cr_expect_eq(other->paths[i].dpsn, 1000 + i);
	}
	end_both();
}

Test(handshake, does_not_mind_how_bytes_come)
{
	both(2, 2);
	begin_both();
	succeed(1);
	end_both();
}

Test(handshake, lets_both_reckon_the_same)
{
	both(1, 1);
	one->told = (struct vx_path){ .path_mtu = IBV_MTU_1024, .srd_atomic = 16, .drd_atomic = 1, .packet_life_time = 14, .sack_delay = 15, .sl = 3 };
	other->told = (struct vx_path){ .path_mtu = IBV_MTU_4096, .srd_atomic = 4, .drd_atomic = 8, .packet_life_time = 18, .sack_delay = 12,
					.flow_label = 7, .traffic_class = 9 };
	begin_both();
	succeed(64);
	cr_expect(one->paths[0].path_mtu == IBV_MTU_1024 && other->paths[0].path_mtu == IBV_MTU_1024);
	cr_expect(one->paths[0].srd_atomic == 8 && other->paths[0].drd_atomic == 8);
	cr_expect(one->paths[0].drd_atomic == 1 && other->paths[0].srd_atomic == 1);
	cr_expect(one->paths[0].packet_life_time == 18 && other->paths[0].packet_life_time == 18);
	cr_expect(one->paths[0].dack_delay == 12 && other->paths[0].dack_delay == 15);
	cr_expect(one->paths[0].sl == 3 && other->paths[0].sl == 3);
	cr_expect(one->paths[0].flow_label == 7 && one->paths[0].traffic_class == 9);
	end_both();
}

/* How far packets may go, the side knows whose program says so. */
static void expect_hops(uint8_t here, uint8_t there, uint8_t agreed_here, uint8_t agreed_there)
{
	both(1, 1);
	one->told.hop_limit = here;
	other->told.hop_limit = there;
	begin_both();
	succeed(64);
	cr_expect_eq(one->paths[0].hop_limit, agreed_here);
	cr_expect_eq(other->paths[0].hop_limit, agreed_there);
	end_both();
}

Test(handshake, has_packets_of_both_go_as_far_as_one_says)
{
	expect_hops(0, 0, USUAL_HOPS, USUAL_HOPS);
	expect_hops(3, 0, 3, 3);
	expect_hops(0, 3, 3, 3);
	expect_hops(3, 5, 3, 5);
}

/* Not even by one router. */
Test(handshake, has_packets_of_both_stay_in_the_subnet_where_one_says_so)
{
	both(1, 1);
	one->told.mask = VX_PATH_HOP_LIMIT;
	begin_both();
	succeed(64);
	cr_expect_eq(one->paths[0].hop_limit | other->paths[0].hop_limit, 0);
	cr_expect(one->paths[0].mask & VX_PATH_HOP_LIMIT);
	cr_expect(other->paths[0].mask & VX_PATH_HOP_LIMIT, "else it would be filled in once more");
	end_both();
	both(1, 1);
	one->told.mask = VX_PATH_HOP_LIMIT;
	other->told.hop_limit = 7;
	begin_both();
	succeed(64);
	cr_expect_eq(one->paths[0].hop_limit, 0);
	cr_expect_eq(other->paths[0].hop_limit, 7);
	end_both();
}

/* No reads either way: filling the path once more must not make them what the device can. */
Test(handshake, keeps_what_both_agreed_is_0)
{
	both(1, 1);
	one->told.srd_atomic = 0;
	begin_both();
	succeed(64);
	cr_expect_eq(other->paths[0].drd_atomic, 0);
	cr_expect(other->paths[0].mask & VX_PATH_DRD_ATOMIC);
	cr_expect(one->paths[0].mask & VX_PATH_SRD_ATOMIC);
	end_both();
}

Test(handshake, tells_the_numbers_of_srqs)
{
	uint32_t i, there[QPS] = { 7, 0xffffff, 9 }, here[QPS] = { 0 };

	both(QPS, QPS);
	other->init.srqns = there;
	begin_both();
	succeed(100);
	vx_shake_tell_peer(&one->shake, &(struct vx_peer){ .srqns = here });
	for (i = 0; i < QPS; i++) {
		cr_expect_eq(here[i], there[i]);
		cr_expect_eq(other->shake.pairs[i].theirs.srqn, 0);
	}
	end_both();
}

Test(handshake, carries_data_both_ways)
{
	both(1, 1);
	one->init.private_data = "where it is";
	one->init.private_data_len = 12;
	begin_both();
	succeed(100);
	cr_expect_eq(other->shake.size, 12);
	cr_expect_str_eq((char *)other->shake.data, "where it is");
	cr_expect_eq(one->shake.size, 0);
	end_both();
}

Test(handshake, tells_datagrams_the_key_of_whom_they_are_for)
{
	both(1, 1);
	one->type = other->type = IBV_QPT_UD;
	one->told.qkey = 1;
	other->told.qkey = 2;
	begin_both();
	succeed(100);
	cr_expect_eq(one->paths[0].qkey, 1, "its own, for ibv_modify_qp()");
	cr_expect_eq(one->shake.pairs[0].path.qkey, 2);
	end_both();
}

Test(handshake, takes_nothing_of_what_comes_behind_it)
{
	unsigned char bytes[VX_WIRE_HEADER + 100];
	const unsigned char *ready;
	size_t size, used;

	both(1, 1);
	begin_both();
	cr_assert_eq(pass(one, other, 1000) | pass(other, one, 1000), 0);
	ready = vx_shake_ready(&one->shake, &size);
	cr_assert_eq(size, VX_WIRE_HEADER);
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, ready, size);
	cr_expect_eq(vx_shake_feed(&other->shake, bytes, sizeof(bytes), &used), 0);
	cr_expect_eq(used, VX_WIRE_HEADER);
	cr_expect_eq(vx_shake_wants(&other->shake), 0);
	end_both();
}

/* ---- what a program gets wrong ---- */

Test(handshake, does_not_begin_with_too_much_or_nothing)
{
	both(0, 1);
	cr_expect_eq(vx_shake_begin(&one->shake, true), -EINVAL);
	expect_said("count is 0");
	other->init.private_data_len = 65537;
	cr_expect_eq(vx_shake_begin(&other->shake, true), -EINVAL);
	expect_said("init.private_data_len is 65537, and the most is 65536");
	other->init.private_data_len = 1;
	cr_expect_eq(vx_shake_begin(&other->shake, true), -EINVAL);
	expect_said("init.private_data is NULL");
	end_both();
}

/* Its port may need GIDs, which a port here would not send to it in its own subnet. */
Test(handshake, has_gids_where_either_side_has_them)
{
	both(1, 1);
	one->told.is_global = 1;
	begin_both();
	succeed(SIZE_MAX);
	cr_expect_eq(other->paths[0].is_global, 1);
	cr_expect_eq(one->paths[0].is_global, 1);
	end_both();
	both(1, 1);
	other->told.is_global = 1;
	begin_both();
	succeed(SIZE_MAX);
	cr_expect_eq(other->paths[0].is_global, 1);
	cr_expect_eq(one->paths[0].is_global, 1);
	end_both();
	both(1, 1);
	begin_both();
	succeed(SIZE_MAX);
	cr_expect_eq(one->paths[0].is_global | other->paths[0].is_global, 0);
	end_both();
}
