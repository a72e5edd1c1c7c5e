/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The states of a handshake, of QPs that are none: what each side does when something goes wrong. */

#include "handshake_bed.h"

/* ---- what does not fit together ---- */

/* Both fail with the same code, and the one with the other's sentence. Nothing was moved. */
static void expect_both_refuse(int code, const char *sentence)
{
	begin_both();
	cr_expect_eq(pass(one, other, 1000), code);
	expect_said(sentence);
	cr_expect_eq(pass(other, one, 1000), code);
	expect_said("the other side refused: ");
	expect_said(sentence);
	cr_expect_eq(one->moved | other->moved | one->reset | other->reset, 0);
	end_both();
}

Test(handshake_fails, is_refused_where_counts_differ)
{
	both(2, 3);
	expect_both_refuse(-EINVAL, "3 QPs here and 2 there: each needs a peer");
}

/* The first connection of it would be the second one's as well. */
Test(handshake_fails, is_refused_where_a_qp_is_told_twice)
{
	both(3, 3);
	one->same = true;
	begin_both();
	cr_expect_eq(pass(one, other, SIZE_MAX), -EINVAL);
	expect_said("QPs 1 and 2 of 3 there are the same, qp 10: each is one peer's");
	cr_expect_eq(pass(other, one, SIZE_MAX), -EINVAL);
	expect_said("the other side refused: QPs 1 and 2 of 3 there are the same");
	cr_expect_eq(one->moved + other->moved, 0);
	end_both();
}

Test(handshake_fails, is_refused_where_types_differ)
{
	both(2, 2);
	other->type = IBV_QPT_UC;
	expect_both_refuse(-EINVAL, "QP 1 of 2: type UC here and RC there are no peers");
}

Test(handshake_fails, is_refused_where_both_xrc_send)
{
	both(1, 1);
	one->type = other->type = IBV_QPT_XRC_SEND;
	expect_both_refuse(-EINVAL, "type XRC_SEND here and XRC_SEND there are no peers");
}

Test(handshake_fails, lets_xrc_send_to_who_receives)
{
	both(1, 1);
	one->type = IBV_QPT_XRC_SEND;
	other->type = IBV_QPT_XRC_RECV;
	begin_both();
	succeed(1000);
	end_both();
}

Test(handshake_fails, is_refused_where_ports_are_of_different_kinds)
{
	both(1, 1);
	one->link_layer = IBV_LINK_LAYER_INFINIBAND;
	expect_both_refuse(-EINVAL, "one port is of InfiniBand, and the other of Ethernet");
}

Test(handshake_fails, is_refused_where_one_speaks_roce_v1)
{
	both(1, 1);
	one->told.gid_type = IBV_GID_TYPE_ROCE_V1;
	other->told.gid_type = IBV_GID_TYPE_ROCE_V2;
	expect_both_refuse(-EINVAL, "one GID is of RoCE v1, and the other of v2");
}

Test(handshake_fails, is_refused_where_partitions_differ)
{
	both(1, 1);
	one->told.pkey = 0x8001;
	other->told.pkey = 0xffff;
	expect_both_refuse(-EINVAL, "P_Key 0xffff here and 0x8001 there are of different partitions");
	both(1, 1);
	one->told.pkey = other->told.pkey = 0x0001;
	expect_both_refuse(-EINVAL, "both have P_Key 0x0001 as limited members of its partition, who do not hear each other");
	both(1, 1);
	one->told.pkey = 0x0001;
	other->told.pkey = 0x8001;
	begin_both();
	succeed(1000);
	end_both();
}

/* ---- what somebody else has made of the bytes ---- */

/* The offer of one with a byte changed. */
static int feed_with(size_t at, unsigned char value)
{
	unsigned char *bytes;
	size_t size, used;

	begin_both();
	bytes = (unsigned char *)(uintptr_t)vx_shake_ready(&one->shake, &size);
	bytes[at] = value;
	return vx_shake_feed(&other->shake, bytes, size, &used);
}

Test(handshake_fails, of_another_version_is_refused_on_both_sides)
{
	both(1, 1);
	cr_expect_eq(feed_with(4, 9), -EPROTONOSUPPORT);
	expect_said("the other side speaks version 9 of the handshake, this one 1");
	cr_expect_eq(pass(other, one, 1000), -EPROTONOSUPPORT);
	expect_said("the other side refused: the other side speaks version 9");
	end_both();
}

/* It may be that the other side's program has said something of its own before. */
Test(handshake_fails, of_garbage_is_told_to_both)
{
	both(1, 1);
	cr_expect_eq(feed_with(0, 'G'), -EPROTO);
	expect_said("byte 0 is 0x47");
	cr_expect_eq(pass(other, one, 1000), -EPROTO);
	expect_said("the other side refused: byte 0 is 0x47");
	end_both();
}

/* Who was answered does not listen any more: it would be its program that hears of it. */
Test(handshake_fails, of_garbage_in_place_of_the_last_message_is_not_answered)
{
	size_t size, used;

	both(1, 1);
	begin_both();
	cr_assert_eq(pass(one, other, 1000), 0);
	cr_assert_eq(pass(other, one, 1000), 0);
	cr_expect_eq(vx_shake_feed(&other->shake, "GET / HTTP/1.1\r\n", 16, &used), -EPROTO);
	expect_said("byte 0 is 0x47");
	vx_shake_ready(&other->shake, &size);
	cr_expect_eq(size, 0);
	end_both();
}

Test(handshake_fails, needs_flags_to_be_understood)
{
	both(1, 1);
	cr_expect_eq(feed_with(VX_WIRE_HEADER + 53, 1), -EINVAL);
	expect_said("QP 1 of 1: flags 0x10000 ask for something that only a newer libverbsx knows");
	end_both();
	both(1, 1);
	cr_expect_eq(feed_with(VX_WIRE_HEADER + 55, 1), 0, "flags of the lower half may be ignored");
	end_both();
}

/* A QP would be moved by what the device makes of them. */
Test(handshake_fails, refuses_numbers_that_there_are_not)
{
	both(1, 1);
	cr_expect_eq(feed_with(VX_WIRE_HEADER + 20, 1), -EINVAL);
	expect_said("QP 1 of 1: qpn 0x100000a has more than 24 bits");
	end_both();
	both(1, 1);
	cr_expect_eq(feed_with(VX_WIRE_HEADER + 24, 1), -EINVAL);
	expect_said("psn 0x10003e8 has more than 24 bits");
	end_both();
	both(1, 1);
	cr_expect_eq(feed_with(VX_WIRE_HEADER + 39, 0), -EINVAL);
	expect_said("mtu 0 is none of enum ibv_mtu");
	end_both();
	both(1, 1);
	cr_expect_eq(feed_with(VX_WIRE_HEADER + 39, 6), -EINVAL);
	end_both();
}

Test(handshake_fails, of_two_that_connect_tells_so)
{
	both(1, 1);
	begin(one);
	cr_assert_eq(vx_shake_begin(&other->shake, true), 0);
	cr_expect_eq(pass(other, one, 1000), -EPROTO);
	expect_said("do both sides connect?");
	end_both();
}

Test(handshake_fails, shows_no_control_characters_of_a_refusal)
{
	unsigned char bytes[VX_WIRE_HEADER + 7] = { 0 };
	size_t used;

	both(1, 1);
	begin_both();
	vx_wire_put_header(bytes, &(struct vx_wire_header){ .version = 1, .type = VX_WIRE_REFUSE, .length = 7 });
	vx_wire_put(bytes + 16, 4, EBUSY);
	memcpy(bytes + 20, "a\33b", 3);
	cr_expect_eq(vx_shake_feed(&one->shake, bytes, sizeof(bytes), &used), -EBUSY);
	expect_said("the other side refused: a?b");
	end_both();
}

/* Who takes steps would wait for what is over. */
Test(handshake_fails, is_not_told_by_a_peer_to_go_on)
{
	unsigned char bytes[VX_WIRE_HEADER + 5] = { 0 };
	size_t used;

	both(1, 1);
	begin_both();
	vx_wire_put_header(bytes, &(struct vx_wire_header){ .version = 1, .type = VX_WIRE_REFUSE, .length = 5 });
	vx_wire_put(bytes + 16, 4, EAGAIN);
	bytes[20] = 'a';
	cr_expect_eq(vx_shake_feed(&one->shake, bytes, sizeof(bytes), &used), -EPROTO);
	expect_said("the other side refused: a");
	end_both();
}

Test(handshake_fails, does_not_go_on_where_a_qp_cannot_be_moved_for_now)
{
	both(1, 1);
	other->fails_at = 1;
	other->fails_with = -EAGAIN;
	begin_both();
	cr_expect_eq(pass(one, other, 1000), -EBUSY);
	expect_said("Resource temporarily unavailable");
	cr_expect_eq(pass(other, one, 1000), -EBUSY);
	end_both();
}

Test(handshake_fails, takes_a_refusal_of_nothing_for_one)
{
	unsigned char bytes[VX_WIRE_HEADER];
	size_t used;

	both(1, 1);
	begin_both();
	vx_wire_put_header(bytes, &(struct vx_wire_header){ .version = 1, .type = VX_WIRE_REFUSE });
	cr_expect_eq(vx_shake_feed(&one->shake, bytes, sizeof(bytes), &used), -EPROTO);
	end_both();
}

/* ---- what fails when something was moved ---- */

Test(handshake_fails, puts_all_back_where_one_cannot_be_moved)
{
	both(3, 3);
	other->fails_at = 2;
	begin_both();
	cr_expect_eq(pass(one, other, 1000), -EINVAL);
	expect_said("vx_qp_reset");
	cr_expect_eq(other->moved, 1);
	cr_expect_eq(other->reset, 3);
	cr_expect_eq(pass(other, one, 1000), -EINVAL);
	expect_said("the other side refused: vx_qp_reset");
	cr_expect_eq(one->moved, 0);
	end_both();
}

Test(handshake_fails, puts_all_back_where_the_other_side_then_fails)
{
	both(1, 1);
	one->fails_at = 1;
	begin_both();
	cr_expect_eq(pass(one, other, 1000), 0);
	cr_expect_eq(other->moved, 1);
	cr_expect_eq(pass(other, one, 1000), -EINVAL);
	cr_expect_eq(pass(one, other, 1000), -EINVAL);
	expect_said("the other side refused: ");
	expect_said("the QPs are in RESET, and receives that were posted are gone");
	cr_expect_eq(other->reset, 1);
	end_both();
}

Test(handshake_fails, says_how_many_could_not_be_put_back)
{
	both(3, 3);
	other->stuck = 2;
	begin_both();
	cr_expect_eq(pass(one, other, 1000), 0);
	cr_expect_eq(vx_shake_fail(&other->shake, -ECONNRESET, "the peer was gone"), -ECONNRESET);
	expect_said("while waiting for the peer's READY; 2 of the QPs could not be brought back to RESET");
	cr_expect_eq(other->reset, 3);
	end_both();
}

Test(handshake_fails, says_what_it_waited_for_when_it_is_ended)
{
	both(1, 1);
	begin_both();
	cr_expect_eq(vx_shake_fail(&one->shake, -ETIMEDOUT, "the time was up"), -ETIMEDOUT);
	expect_said("the time was up while waiting for the answer");
	cr_expect_eq(vx_shake_wants(&one->shake), 0);
	end_both();
}
