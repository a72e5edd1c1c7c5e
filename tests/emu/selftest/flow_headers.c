/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Entries of flow tables by mailbox that change headers: their fields, and those that go on and come off. */
#include "frames.h"
#include "matchers.h"
#include "tables.h"

TestSuite(flow_headers, .init = open_alone, .fini = close_bed);

enum {
	ALLOC_PACKET_REFORMAT_CONTEXT = 0x93d,
	ALLOC_MODIFY_HEADER_CONTEXT = 0x940,
	REFORMAT = 16,
	DECAP = 32,
	MODIFY = 64,
	POP = 128,
	PUSH = 256,
	POP_2 = 1024,
	PUSH_2 = 2048,
	TO_TUNNEL = 2, /* of layer 2, from layer 2 */
	FROM_TUNNEL_3 = 3, /* of layer 3, to layer 2 */
	TO_TUNNEL_3 = 4,
	MODIFY_LENGTH = 24, /* with one action */
	REFORMAT_AT = 34,
	/* Bits of mailboxes */
	MAY_REFORMAT = 192,
	MAY_DECAP = 193,
	REFORMAT_ID = 704,
	MODIFY_ID = 736,
	TAG = 512,
	TAG_2 = 768,
	RECEIVED_AT = 32768
};

/* The destination's port of UDP becomes 4000 */
static struct mailbox another_port(int type)
{
	struct mailbox m = mailbox_of(ALLOC_MODIFY_HEADER_CONTEXT);
	const __be64 change = change_of(MODIFY_SET, OUT_UDP_DPORT, 4000);

	mailbox_set(&m, 96, 8, type);
	mailbox_set(&m, 120, 8, 1);
	memcpy(m.in + 16, &change, sizeof(change));
	return m;
}

/* Headers of VXLAN, in @length bytes */
static struct mailbox tunnel(size_t *length)
{
	struct mailbox m = mailbox_of(ALLOC_PACKET_REFORMAT_CONTEXT);

	begin_frame(0x0800);
	ipv4(17);
	ports(5000, 4789, 8);
	word(0x08000000);
	word(7 << 8);
	mailbox_set(&m, 224, 8, TO_TUNNEL);
	mailbox_set(&m, 246, 10, frame_len);
	memcpy(m.in + REFORMAT_AT, bed.buf, frame_len);
	*length = REFORMAT_AT + frame_len;
	return m;
}

static struct mailbox with(struct mailbox m, int offset, int width, uint64_t value)
{
	mailbox_set(&m, offset, width, value);
	return m;
}

static int port_received(int entry)
{
	const uint8_t *frame = (const uint8_t *)bed.buf + RECEIVED_AT + ROOM * entry;

	return frame[36] << 8 | frame[37];
}

/* By way of a second table, where it is changed, to one queue, and as it is to the other, which has had a frame before */
Test(flow_headers, an_entry_modifies_what_goes_its_way_alone)
{
	struct made made[10];
	struct mailbox m;
	struct lead l;

	open_rqs();
	made[0] = make_object(direct(rqs[0].number), TIR_LENGTH);
	made[1] = make_object(direct(rqs[1].number), TIR_LENGTH);
	made[2] = make_object(another_port(RX), MODIFY_LENGTH);
	made[3] = make_object(table_of(RX, 2), TABLE_LENGTH);
	made[4] = make_object(group_of(made[3].number, 0, 0, false), GROUP_LENGTH);
	m = with(entry_of((struct place){ made[3].number, made[4].number, 0, 0 }, FORWARD | MODIFY, 0), MODIFY_ID, 32, made[2].number);
	add_destination(&m, 0, TO_TIR, made[0].number);
	made[5] = make_object(m, ENTRY_LENGTH + 8);
	made[6] = make_object(table_of(RX, 1), TABLE_LENGTH);
	made[7] = make_object(group_of(made[6].number, 0, 1, true), GROUP_LENGTH);
	made[8] = make_forward((struct place){ made[6].number, made[7].number, 0, 2001 }, 0, TO_TIR, made[1].number);
	m = entry_of((struct place){ made[6].number, made[7].number, 1, 2000 }, FORWARD, 0);
	add_destination(&m, 0, TO_TABLE, made[3].number);
	add_destination(&m, 1, TO_TIR, made[1].number);
	made[9] = make_object(m, ENTRY_LENGTH + 16);
	l = lead_to(made[6].o);
	send_to_port(2001);
	send_to_port(2000);
	CHECK(received(0) == 1 && received(1) == 2);
	CHECK(port_received(0) == 4000 && port_received(1) == 2000);
	CHECK(mlx5dv_devx_obj_destroy(made[2].o) == EBUSY);
	end_lead(l);
	destroy_all(made, SIZE(made));
	close_rqs();
}

static uint64_t octets_counted(struct made counter)
{
	struct mailbox m = mailbox_of(QUERY_FLOW_COUNTER);

	mailbox_set(&m, 224, 32, counter.number);
	CHECK(!mailbox_query(counter.o, &m, 32));
	return mailbox_get(&m, 192, 64);
}

/* A frame whose port has become another one goes into a tunnel and out of it again; it is counted in between */
Test(flow_headers, headers_go_on_what_leaves_and_come_off_what_comes)
{
	struct made made[11];
	struct lead in, out;
	struct mailbox m;
	size_t length;

	open_rqs();
	made[0] = make_object(direct(rqs[0].number), TIR_LENGTH);
	made[1] = make_object(another_port(TX), MODIFY_LENGTH);
	m = tunnel(&length);
	made[2] = make_object(m, length);
	made[3] = make_counter();
	made[4] = make_object(with(table_of(TX, 1), MAY_REFORMAT, 1, 1), TABLE_LENGTH);
	made[5] = make_object(leaving(group_of(made[4].number, 0, 0, true)), GROUP_LENGTH);
	m = leaving(entry_of((struct place){ made[4].number, made[5].number, 0, 2000 }, ALLOW | MODIFY | REFORMAT, 0));
	m = with(with(m, MODIFY_ID, 32, made[1].number), REFORMAT_ID, 32, made[2].number);
	made[6] = make_object(m, ENTRY_LENGTH);
	made[7] = make_object(with(table_of(RX, 1), MAY_DECAP, 1, 1), TABLE_LENGTH);
	made[8] = make_object(group_of(made[7].number, 0, 1, true), GROUP_LENGTH);
	m = entry_of((struct place){ made[7].number, made[8].number, 0, 4789 }, FORWARD | COUNT | DECAP, 0);
	add_destination(&m, 0, TO_TIR, made[0].number);
	add_counter(&m, 1, made[3].number);
	made[9] = make_object(m, ENTRY_LENGTH + 16);
	made[10] = make_forward((struct place){ made[7].number, made[8].number, 1, 2001 }, 0, TO_TIR, made[0].number);
	in = lead_to(made[7].o);
	out = lead_by(IBV_FLOW_ATTR_FLAGS_EGRESS,
		      &(struct mlx5dv_flow_action_attr){ .type = MLX5DV_FLOW_ACTION_DEST_DEVX, .obj = made[4].o });
	send_to_port(2001);
	CHECK(received(0) == 1 && port_received(0) == 2001 && octets_counted(made[3]) == 0);
	send_to_port(2000);
	CHECK(received(0) == 2 && port_received(1) == 4000);
	CHECK(octets_counted(made[3]) == frame_len + length - REFORMAT_AT);
	end_lead(out);
	end_lead(in);
	destroy_all(made, SIZE(made));
	close_rqs();
}

/* A table for what leaves, whose one entry is for port 2000 and does that besides letting it go */
static void make_way_out(struct made made[3], int action, struct change a, struct change b)
{
	struct mailbox m;

	made[0] = make_object(with(table_of(TX, 1), MAY_REFORMAT, 1, 1), TABLE_LENGTH);
	made[1] = make_object(leaving(group_of(made[0].number, 0, 0, true)), GROUP_LENGTH);
	m = leaving(entry_of((struct place){ made[0].number, made[1].number, 0, 2000 }, ALLOW | action, 0));
	made[2] = make_object(with(with(m, a.offset, a.width, a.value), b.offset, b.width, b.value), ENTRY_LENGTH);
}

/* The same of what comes, for whatever that is, on its way to a queue */
static void make_way_in(struct made made[4], int action, struct change a)
{
	struct mailbox m;

	made[0] = make_object(direct(rqs[0].number), TIR_LENGTH);
	made[1] = make_object(with(table_of(RX, 1), MAY_REFORMAT, 1, 1), TABLE_LENGTH);
	made[2] = make_object(group_of(made[1].number, 0, 0, false), GROUP_LENGTH);
	m = with(entry_of((struct place){ made[1].number, made[2].number, 0, 0 }, FORWARD | action, 0), a.offset, a.width, a.value);
	add_destination(&m, 0, TO_TIR, made[0].number);
	made[3] = make_object(m, ENTRY_LENGTH + 8);
}

static struct lead lead_out(struct made table)
{
	return lead_by(IBV_FLOW_ATTR_FLAGS_EGRESS,
		       &(struct mlx5dv_flow_action_attr){ .type = MLX5DV_FLOW_ACTION_DEST_DEVX, .obj = table.o });
}

static uint32_t word_received(int entry, int at)
{
	const uint8_t *frame = (const uint8_t *)bed.buf + RECEIVED_AT + ROOM * entry;

	return (uint32_t)frame[at] << 24 | frame[at + 1] << 16 | frame[at + 2] << 8 | frame[at + 3];
}

/* Of two that are put on, the second is the outer one, which comes off */
Test(flow_headers, tags_go_on_what_leaves_and_come_off_what_comes)
{
	struct made made[7];
	struct lead in, out;
	struct mailbox m;

	open_rqs();
	make_way_out(made, PUSH | PUSH_2, (struct change){ TAG, 32, 0x81006005 }, (struct change){ TAG_2, 32, 0x88a80007 });
	make_way_in(made + 3, POP, (struct change){ 0 });
	in = lead_to(made[4].o);
	out = lead_out(made[0]);
	send_to_port(2000);
	frame_len += 4;
	CHECK(received(0) == 1 && word_received(0, 12) == 0x81006005 && word_received(0, 16) >> 16 == 0x0800);
	m = leaving(question(QUERY_FLOW_TABLE_ENTRY, made[0].number));
	CHECK(!mailbox_query(made[2].o, &m, ENTRY_LENGTH));
	expect_fields(&m, (struct change[]){ { TAG, 32, 0x81006005 }, { TAG_2, 32, 0x88a80007 } }, 2);
	m = with(with(entry_of((struct place){ made[4].number, made[5].number, 0, 0 }, FORWARD | POP | POP_2, 0), 48, 16, 1), 216, 8, 1);
	CHECK(!mailbox_modify(made[6].o, &m, ENTRY_LENGTH));
	send_to_port(2000);
	CHECK(received(0) == 2 && word_received(1, 12) >> 16 == 0x0800 && port_received(1) == 2000);
	send_to_port(2001); /* without any */
	CHECK(received(0) == 3 && port_received(2) == 2001);
	end_lead(out);
	end_lead(in);
	destroy_all(made, SIZE(made));
	close_rqs();
}

/* Headers of GRE, or one of Ethernet */
static struct mailbox headers_of(int type, size_t *length)
{
	struct mailbox m = mailbox_of(ALLOC_PACKET_REFORMAT_CONTEXT);

	begin_frame(0x0800);
	if (type == TO_TUNNEL_3) {
		ipv4(47);
		word(0x0800);
	}
	mailbox_set(&m, 224, 8, type);
	mailbox_set(&m, 246, 10, frame_len);
	memcpy(m.in + REFORMAT_AT, bed.buf, frame_len);
	*length = REFORMAT_AT + frame_len;
	return m;
}

/* Which carries packets: the frame's own header of layer 2 is not in it, and another is before what comes out */
Test(flow_headers, a_tunnel_of_layer_3_has_no_other_layer_2)
{
	struct made made[9];
	struct lead in, out;
	struct mailbox m;
	size_t length;

	open_rqs();
	m = headers_of(TO_TUNNEL_3, &length);
	made[0] = make_object(m, length);
	m = headers_of(FROM_TUNNEL_3, &length);
	memcpy(m.in + REFORMAT_AT, "\2\3\4\5\6\7", 6);
	made[1] = make_object(m, length);
	make_way_out(made + 2, REFORMAT, (struct change){ REFORMAT_ID, 32, made[0].number }, (struct change){ 0 });
	make_way_in(made + 5, 0, (struct change){ 0 });
	in = lead_to(made[6].o);
	out = lead_out(made[2]);
	send_to_port(2000);
	frame_len += 24;
	CHECK(received(0) == 1 && word_received(0, 12) >> 16 == 0x0800 && word_received(0, 34) == 0x0800);
	CHECK(word_received(0, 38) >> 24 == 0x45 && word_received(0, 58) == (1000 << 16 | 2000));
	m = with(with(with(entry_of((struct place){ made[6].number, made[7].number, 0, 0 }, FORWARD | REFORMAT, 0), 48, 16, 1), 216, 8, 1),
		 REFORMAT_ID, 32, made[1].number);
	CHECK(!mailbox_modify(made[8].o, &m, ENTRY_LENGTH));
	send_to_port(2000);
	CHECK(received(0) == 2 && word_received(1, 0) == 0x02030405 && port_received(1) == 2000);
	end_lead(out);
	end_lead(in);
	destroy_all(made, SIZE(made));
	close_rqs();
}

Test(flow_headers, what_changes_them_can_be_queried_and_changed)
{
	struct made made[4];
	struct mailbox m, q;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	made[0] = make_object(another_port(RX), MODIFY_LENGTH);
	made[1] = make_object(with(table_of(RX, 1), MAY_DECAP, 1, 1), TABLE_LENGTH);
	made[2] = make_object(group_of(made[1].number, 0, 0, true), GROUP_LENGTH);
	m = with(entry_of((struct place){ made[1].number, made[2].number, 0, 0 }, DROP | MODIFY, 0), MODIFY_ID, 32, made[0].number);
	made[3] = make_object(m, ENTRY_LENGTH);
	q = question(QUERY_FLOW_TABLE, made[1].number);
	CHECK(!mailbox_query(made[1].o, &q, TABLE_LENGTH));
	expect_fields(&q, (struct change[]){ { MAY_REFORMAT, 1, 0 }, { MAY_DECAP, 1, 1 } }, 2);
	q = question(QUERY_FLOW_TABLE_ENTRY, made[1].number);
	CHECK(!mailbox_query(made[3].o, &q, TABLE_LENGTH));
	expect_fields(&q, (struct change[]){ { 624, 16, DROP | MODIFY }, { MODIFY_ID, 32, made[0].number }, { REFORMAT_ID, 32, 0 } }, 3);
	CHECK(mlx5dv_devx_obj_destroy(made[0].o) == EBUSY);
	m = with(with(with(m, 48, 16, 1), 216, 8, 1), 624, 16, DROP); /* op_mod, mask and action */
	CHECK(!mailbox_modify(made[3].o, &m, ENTRY_LENGTH));
	CHECK(!mlx5dv_devx_obj_destroy(made[0].o));
	destroy_all(made + 1, SIZE(made) - 1);
}

static void expect_no_context(void)
{
	static const struct change of_modify[] = {
		{ 96, 8, 4 }, /* of the switch */
		{ 120, 8, 0 }, { 120, 8, 2 }, /* none, and more than there are */
		{ 128, 4, 3 }, { 132, 12, 0xfff }, /* a copy, and no field */
	}, of_reformat[] = {
		{ 224, 8, 3 }, /* a header of layer 2 is shorter than that */
		{ 224, 8, 5 },
		{ 246, 10, 0 }, { 246, 10, 1023 },
	};
	size_t length;
	const struct mailbox into = tunnel(&length);

	for (size_t i = 0; i < SIZE(of_modify); i++)
		expect_refused(another_port(RX), MODIFY_LENGTH, of_modify[i]);
	for (size_t i = 0; i < SIZE(of_reformat); i++)
		expect_refused(into, length, of_reformat[i]);
}

/* What is for another direction, another purpose, or a table that was not made for it */
Test(flow_headers, what_cannot_be_is_refused)
{
	struct made made[8];
	struct mailbox m;
	size_t length;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	expect_no_context();
	expect_refused(table_of(TX, 1), TABLE_LENGTH, (struct change){ MAY_DECAP, 1, 1 });
	made[0] = make_object(another_port(RX), MODIFY_LENGTH);
	made[1] = make_object(another_port(TX), MODIFY_LENGTH);
	m = tunnel(&length);
	made[2] = make_object(m, length);
	made[3] = make_object(table_of(RX, 1), TABLE_LENGTH);
	made[4] = make_object(group_of(made[3].number, 0, 0, true), GROUP_LENGTH);
	m = with(entry_of((struct place){ made[3].number, made[4].number, 0, 0 }, DROP | MODIFY, 0), MODIFY_ID, 32, made[0].number);
	expect_refused(m, ENTRY_LENGTH, (struct change){ MODIFY_ID, 32, made[1].number });
	expect_refused(m, ENTRY_LENGTH, (struct change){ MODIFY_ID, 32, made[2].number });
	expect_refused(m, ENTRY_LENGTH, (struct change){ MODIFY_ID, 32, 0 });
	expect_refused(m, ENTRY_LENGTH, (struct change){ MODIFY_ID, 32, 0xffff });
	expect_refused(m, ENTRY_LENGTH, (struct change){ 624, 16, DROP | DECAP });
	expect_refused(m, ENTRY_LENGTH, (struct change){ 624, 16, DROP | MODIFY | PUSH });
	expect_refused(m, ENTRY_LENGTH, (struct change){ 624, 16, DROP | MODIFY | POP_2 });
	made[5] = make_object(table_of(TX, 1), TABLE_LENGTH);
	made[6] = make_object(leaving(group_of(made[5].number, 0, 0, true)), GROUP_LENGTH);
	m = leaving(entry_of((struct place){ made[5].number, made[6].number, 0, 0 }, ALLOW | MODIFY, 0));
	m = with(with(m, REFORMAT_ID, 32, made[2].number), MODIFY_ID, 32, made[1].number);
	expect_refused(m, ENTRY_LENGTH, (struct change){ MODIFY_ID, 32, made[0].number });
	expect_refused(m, ENTRY_LENGTH, (struct change){ 624, 16, ALLOW | REFORMAT });
	expect_refused(m, ENTRY_LENGTH, (struct change){ 624, 16, ALLOW | DECAP });
	expect_refused(m, ENTRY_LENGTH, (struct change){ 624, 16, ALLOW | MODIFY | POP });
	made[7] = make_object(m, ENTRY_LENGTH);
	destroy_all(made, SIZE(made));
}

Test(flow_headers, there_are_none_on_infiniband)
{
	struct mailbox m = another_port(RX);
	size_t length;

	if (bed.ethernet)
		skip("this port is of Ethernet");
	CHECK(!mailbox_create(&m, MODIFY_LENGTH) && mailbox_status(&m) == STATUS_BAD_OP);
	m = tunnel(&length);
	CHECK(!mailbox_create(&m, length) && mailbox_status(&m) == STATUS_BAD_OP);
}
