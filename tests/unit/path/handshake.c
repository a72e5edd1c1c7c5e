/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The states of a handshake, of QPs that are none: what each side says, agrees on, and does when something goes wrong. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <verbsx/error.h>

#include "error/fail.h"
#include "path/handshake.h"

#define QPS 3

/* One side, with what became of its QPs. */
struct side {
	struct vx_shake shake;
	struct vx_connect_init init;
	struct vx_path told;
	uint8_t type;
	uint8_t link_layer;
	uint32_t first;				/* its QP numbers */
	uint32_t fails_at;			/* moving this one, from 1 */
	int fails_with;
	uint32_t stuck;				/* so many cannot be put back */
	unsigned int moved, reset;
	struct vx_path paths[QPS];
};

static struct side *side_of(struct vx_shake *shake)
{
	return (struct side *)(void *)shake;
}

static int fill(struct vx_shake *shake, uint32_t index, struct vx_path *path, struct vx_wire_entry *out)
{
	struct side *side = side_of(shake);

	path->sqpn = side->first + index;
	path->spsn = 100 * side->first + index;
	path->sgid.raw[15] = (uint8_t)side->first;
	path->slid = (uint16_t)side->first;
	out->qp_type = side->type;
	out->link_layer = side->link_layer;
	return 0;
}

static int move(struct vx_shake *shake, uint32_t index, const struct vx_path *path)
{
	struct side *side = side_of(shake);

	if (side->fails_at == index + 1 && side->fails_with)
		return vx_fail(side->fails_with, "ibv_modify_qp", NULL, NULL);
	if (side->fails_at == index + 1)
		return vx_qp_reset(NULL); /* as good a failure as any */
	side->moved++;
	side->paths[index] = *path;
	return 0;
}

static int reset(struct vx_shake *shake, uint32_t index)
{
	side_of(shake)->reset++;
	return index < side_of(shake)->stuck ? vx_fail(-EIO, "ibv_modify_qp", NULL, NULL) : 0;
}

static const struct vx_shake_ops ops = { fill, move, reset };

static struct side *new_side(bool connects, uint32_t count)
{
	static struct vx_qp *none[QPS];
	struct side *side = calloc(1, sizeof(*side));

	side->type = IBV_QPT_RC;
	side->link_layer = IBV_LINK_LAYER_ETHERNET;
	side->first = connects ? 10 : 20;
	side->shake.end = INT64_MAX;
	side->told = (struct vx_path){ .path_mtu = IBV_MTU_4096, .srd_atomic = 16, .drd_atomic = 16, .packet_life_time = 16, .sack_delay = 15 };
	side->init.path = &side->told;
	side->shake = (struct vx_shake){ .ops = &ops, .call = connects ? "vx_connect" : "vx_accept", .qps = none, .count = count,
					     .init = &side->init };
	return side;
}

static void begin(struct side *side)
{
	cr_assert_eq(vx_shake_begin(&side->shake, side->first == 10), 0, "%s", vx_error_text());
}

static void end(struct side *side)
{
	vx_shake_end(&side->shake);
	free(side);
}

/* Hand over what is ready, so many bytes at a time. @return 0 or what the other side says to it */
static int pass(struct side *from, struct side *to, size_t step)
{
	size_t size, used;
	const unsigned char *bytes = vx_shake_ready(&from->shake, &size);
	int rc = 0;

	while (size && rc == 0) {
		rc = vx_shake_feed(&to->shake, bytes, size < step ? size : step, &used);
		vx_shake_sent(&from->shake, used);
		bytes = vx_shake_ready(&from->shake, &size);
		if (!used)
			break;
	}
	return rc;
}

static struct side *one, *other;

static void both(uint32_t count, uint32_t count_there)
{
	one = new_side(true, count);
	other = new_side(false, count_there);
}

static void begin_both(void)
{
	begin(one);
	begin(other);
}

static void end_both(void)
{
	end(one);
	end(other);
}

#define expect_said(words) cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text())

static void succeed(size_t step)
{
	cr_assert_eq(pass(one, other, step), 0, "%s", vx_error_text());
	cr_expect(!vx_shake_is_over(&other->shake));
	cr_assert_eq(pass(other, one, step), 0, "%s", vx_error_text());
	cr_assert_eq(pass(one, other, step), 0, "%s", vx_error_text());
	cr_expect(vx_shake_is_over(&one->shake) && vx_shake_is_over(&other->shake));
	cr_expect_eq(one->shake.rc | other->shake.rc, 0);
}

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
		cr_expect_eq(other->shake.srqns[i], 0);
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
	cr_expect_eq(one->shake.paths[0].qkey, 2);
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

Test(handshake, is_refused_where_counts_differ)
{
	both(2, 3);
	expect_both_refuse(-EINVAL, "3 QPs here and 2 there: each needs a peer");
}

Test(handshake, is_refused_where_types_differ)
{
	both(2, 2);
	other->type = IBV_QPT_UC;
	expect_both_refuse(-EINVAL, "QP 1 of 2: type UC here and RC there are no peers");
}

Test(handshake, is_refused_where_both_xrc_send)
{
	both(1, 1);
	one->type = other->type = IBV_QPT_XRC_SEND;
	expect_both_refuse(-EINVAL, "type XRC_SEND here and XRC_SEND there are no peers");
}

Test(handshake, lets_xrc_send_to_who_receives)
{
	both(1, 1);
	one->type = IBV_QPT_XRC_SEND;
	other->type = IBV_QPT_XRC_RECV;
	begin_both();
	succeed(1000);
	end_both();
}

Test(handshake, is_refused_where_ports_are_of_different_kinds)
{
	both(1, 1);
	one->link_layer = IBV_LINK_LAYER_INFINIBAND;
	expect_both_refuse(-EINVAL, "one port is of InfiniBand, and the other of Ethernet");
}

Test(handshake, is_refused_where_one_speaks_roce_v1)
{
	both(1, 1);
	one->told.gid_type = IBV_GID_TYPE_ROCE_V1;
	other->told.gid_type = IBV_GID_TYPE_ROCE_V2;
	expect_both_refuse(-EINVAL, "one GID is of RoCE v1, and the other of v2");
}

Test(handshake, is_refused_where_partitions_differ)
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

Test(handshake, of_another_version_is_refused_on_both_sides)
{
	both(1, 1);
	cr_expect_eq(feed_with(4, 9), -EPROTONOSUPPORT);
	expect_said("the other side speaks version 9 of the handshake, this one 1");
	cr_expect_eq(pass(other, one, 1000), -EPROTONOSUPPORT);
	expect_said("the other side refused: the other side speaks version 9");
	end_both();
}

Test(handshake, of_garbage_is_not_answered)
{
	size_t size;

	both(1, 1);
	cr_expect_eq(feed_with(0, 'G'), -EPROTO);
	expect_said("byte 0 is 0x47");
	vx_shake_ready(&other->shake, &size);
	cr_expect_eq(size, 0);
	end_both();
}

Test(handshake, needs_flags_to_be_understood)
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
Test(handshake, refuses_numbers_that_there_are_not)
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

Test(handshake, of_two_that_connect_tells_so)
{
	both(1, 1);
	begin(one);
	cr_assert_eq(vx_shake_begin(&other->shake, true), 0);
	cr_expect_eq(pass(other, one, 1000), -EPROTO);
	expect_said("do both sides connect?");
	end_both();
}

Test(handshake, shows_no_control_characters_of_a_refusal)
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
Test(handshake, is_not_told_by_a_peer_to_go_on)
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

Test(handshake, does_not_go_on_where_a_qp_cannot_be_moved_for_now)
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

Test(handshake, takes_a_refusal_of_nothing_for_one)
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

Test(handshake, puts_all_back_where_one_cannot_be_moved)
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

Test(handshake, puts_all_back_where_the_other_side_then_fails)
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

Test(handshake, says_how_many_could_not_be_put_back)
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

Test(handshake, says_what_it_waited_for_when_it_is_ended)
{
	both(1, 1);
	begin_both();
	cr_expect_eq(vx_shake_fail(&one->shake, -ETIMEDOUT, "the time was up"), -ETIMEDOUT);
	expect_said("the time was up while waiting for the answer");
	cr_expect_eq(vx_shake_wants(&one->shake), 0);
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
