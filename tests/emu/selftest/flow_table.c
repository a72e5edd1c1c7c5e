/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flow tables by mailbox, with groups and entries, to which a flow of mlx5dv leads. */
#include "frames.h"
#include "tables.h"

TestSuite(flow_table, .init = open_alone, .fini = close_bed);

Test(flow_table, entries_lead_to_queues_with_their_tags)
{
	struct made made[6];
	struct lead l;

	open_rqs();
	made[0] = make_object(direct(rqs[0].number), TIR_LENGTH);
	made[1] = make_object(direct(rqs[1].number), TIR_LENGTH);
	made[2] = make_object(table_of(RX, 1), TABLE_LENGTH);
	made[3] = make_object(group_of(made[2].number, 0, 3, true), GROUP_LENGTH);
	made[4] = make_forward((struct place){ made[2].number, made[3].number, 0, 2000 }, 5, TO_TIR, made[0].number);
	made[5] = make_forward((struct place){ made[2].number, made[3].number, 3, 2001 }, 0, TO_TIR, made[1].number);
	l = lead_to(made[2].o);
	CHECK(l.flow);
	for (uint16_t port = 2000; port < 2003; port++)
		send_to_port(port);
	CHECK(received(0) == 1 && received(1) == 1);
	CHECK(tag_received(0) == 5 && tag_received(1) == 0);
	for (int i = 0; i < 4; i++)
		cr_expect(mlx5dv_devx_obj_destroy(made[i].o) == EBUSY, "object %d is used", i);
	end_lead(l);
	destroy_all(made, SIZE(made));
	close_rqs();
}

/* The first table counts and goes on; what it has no entry for goes to the last one by its miss, as does what the second has none for */
Test(flow_table, tables_go_on_to_tables)
{
	struct made made[10];
	struct mailbox m;
	struct lead l;

	open_rqs();
	made[0] = make_object(direct(rqs[0].number), TIR_LENGTH);
	made[1] = make_object(direct(rqs[1].number), TIR_LENGTH);
	made[2] = make_counter();
	made[3] = make_object(table_of(RX, 3), TABLE_LENGTH);
	m = table_of(RX, 2);
	mailbox_set(&m, 196, 4, 1);
	mailbox_set(&m, 232, 24, made[3].number);
	made[4] = make_object(m, TABLE_LENGTH);
	mailbox_set(&m, 200, 8, 1);
	made[5] = make_object(m, TABLE_LENGTH);
	made[6] = make_object(group_of(made[5].number, 1, 1, true), GROUP_LENGTH);
	m = entry_of((struct place){ made[5].number, made[6].number, 1, 2001 }, FORWARD | COUNT, 9);
	add_destination(&m, 0, TO_TABLE, made[4].number);
	add_destination(&m, 1, TO_TIR, made[1].number);
	add_counter(&m, 2, made[2].number);
	made[7] = make_object(m, ENTRY_LENGTH + 24);
	made[8] = make_object(group_of(made[3].number, 0, 7, false), GROUP_LENGTH);
	made[9] = make_forward((struct place){ made[3].number, made[8].number, 7, 0 }, 0, TO_TIR, made[0].number);
	l = lead_to(made[5].o);
	CHECK(l.flow);
	send_to_port(2000);
	CHECK(received(0) == 1 && received(1) == 0 && packets_counted(made[2]) == 0);
	send_to_port(2001);
	CHECK(received(0) == 2 && received(1) == 1 && packets_counted(made[2]) == 1);
	CHECK(tag_received(0) == 9);
	end_lead(l);
	destroy_all(made, SIZE(made));
	close_rqs();
}

Test(flow_table, an_entry_can_be_changed)
{
	struct made made[4];
	struct mailbox m;
	struct lead l;

	open_rqs();
	made[0] = make_object(direct(rqs[0].number), TIR_LENGTH);
	made[1] = make_object(table_of(RX, 1), TABLE_LENGTH);
	made[2] = make_object(group_of(made[1].number, 0, 0, false), GROUP_LENGTH);
	m = entry_of((struct place){ made[1].number, made[2].number, 0, 0 }, DROP, 0);
	made[3] = make_object(m, ENTRY_LENGTH);
	l = lead_to(made[1].o);
	send_to_port(2000);
	CHECK(received(0) == 0);
	mailbox_set(&m, 48, 16, 1); /* op_mod */
	mailbox_set(&m, 216, 8, 1 | 4); /* action and destinations, not the tag */
	mailbox_set(&m, 584, 24, 77);
	mailbox_set(&m, 624, 16, FORWARD);
	CHECK(mailbox_modify(made[3].o, &m, ENTRY_LENGTH) == EREMOTEIO && mailbox_status(&m) == STATUS_BAD_PARAM);
	add_destination(&m, 0, TO_TIR, made[0].number);
	CHECK(!mailbox_modify(made[3].o, &m, ENTRY_LENGTH + 8));
	send_to_port(2000);
	CHECK(received(0) == 1 && tag_received(0) == 0);
	CHECK(mlx5dv_devx_obj_destroy(made[0].o) == EBUSY);
	end_lead(l);
	destroy_all(made, SIZE(made));
	close_rqs();
}

static int change_status(struct made e, struct mailbox m, struct change c)
{
	mailbox_set(&m, c.offset, c.width, c.value);
	return mailbox_modify(e.o, &m, ENTRY_LENGTH) ? mailbox_status(&m) : 0;
}

/* The entry counts and drops; of the mailbox, what its mask names is taken and nothing else is looked at */
Test(flow_table, an_entry_is_changed_by_its_mask_alone)
{
	struct made made[4];
	struct mailbox m;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	made[0] = make_object(table_of(RX, 1), TABLE_LENGTH);
	made[1] = make_object(group_of(made[0].number, 0, 0, false), GROUP_LENGTH);
	made[2] = make_counter();
	m = entry_of((struct place){ made[0].number, made[1].number, 0, 0 }, DROP | COUNT, 0);
	add_counter(&m, 0, made[2].number);
	made[3] = make_object(m, ENTRY_LENGTH + 8);
	mailbox_set(&m, 216, 8, 2);
	cr_expect_eq(mailbox_modify(made[3].o, &m, ENTRY_LENGTH + 8), EINVAL, "it is a creation");
	mailbox_set(&m, 48, 16, 1);
	cr_expect_eq(change_status(made[3], m, (struct change){ 648, 24, 0xffff }), 0, "its list is not there");
	cr_expect_eq(change_status(made[3], m, (struct change){ 640, 1, 1 }), 0, "destinations are not changed");
	cr_expect_eq(change_status(made[3], m, (struct change){ 216, 8, 4 | 8 }), STATUS_BAD_PARAM, "its list is not there");
	cr_expect_eq(change_status(made[3], m, (struct change){ 216, 8, 1 | 16 }), STATUS_BAD_PARAM, "an unknown bit");
	cr_expect_eq(change_status(made[3], m, (struct change){ 192, 1, 1 }), STATUS_BAD_PARAM);
	CHECK(mlx5dv_devx_obj_destroy(made[2].o) == EBUSY);
	destroy_all(made, SIZE(made));
}

/* As they were asked for, and as they were changed */
Test(flow_table, what_was_made_can_be_queried)
{
	struct mailbox m;
	struct made made[5];

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	made[0] = make_object(table_of(RX, 3), TABLE_LENGTH);
	m = table_of(RX, 2);
	mailbox_set(&m, 196, 4, 1);
	mailbox_set(&m, 232, 24, made[0].number);
	made[1] = make_object(m, TABLE_LENGTH);
	made[2] = make_object(group_of(made[1].number, 2, 5, true), GROUP_LENGTH);
	made[3] = make_counter();
	m = entry_of((struct place){ made[1].number, made[2].number, 4, 2001 }, FORWARD | COUNT, 9);
	add_destination(&m, 0, TO_TABLE, made[0].number);
	add_counter(&m, 1, made[3].number);
	made[4] = make_object(m, ENTRY_LENGTH + 16);
	mailbox_set(&m, 48, 16, 1);
	mailbox_set(&m, 216, 8, 2);
	mailbox_set(&m, 584, 24, 10);
	CHECK(!mailbox_modify(made[4].o, &m, ENTRY_LENGTH + 16));

	m = question(QUERY_FLOW_TABLE, made[1].number);
	CHECK(!mailbox_query(made[1].o, &m, TABLE_LENGTH));
	expect_fields(&m, (struct change[]){ { 200, 8, 2 }, { 216, 8, 3 }, { 196, 4, 1 }, { 232, 24, made[0].number } }, 4);
	m = question(QUERY_FLOW_GROUP, made[1].number);
	mailbox_set(&m, 192, 32, made[2].number);
	CHECK(!mailbox_query(made[2].o, &m, TABLE_LENGTH));
	expect_fields(&m, (struct change[]){ { 224, 32, 2 }, { 288, 32, 5 }, { 504, 8, 1 }, { PORT_MASK, 16, 0xffff } }, 4);
	m = question(QUERY_FLOW_TABLE_ENTRY, made[1].number);
	mailbox_set(&m, 256, 32, 4);
	CHECK(!mailbox_query(made[4].o, &m, TABLE_LENGTH));
	expect_fields(&m, (struct change[]){ { 544, 32, made[2].number }, { 584, 24, 10 }, { 624, 16, FORWARD | COUNT },
					     { 648, 24, 1 }, { 680, 24, 1 }, { PORT_VALUE, 16, 2001 },
					     { 8 * ENTRY_LENGTH, 8, TO_TABLE }, { 8 * ENTRY_LENGTH + 8, 24, made[0].number },
					     { 8 * ENTRY_LENGTH + 64, 32, made[3].number } }, 9);
	mailbox_set(&m, 256, 32, 5);
	cr_expect_eq(mailbox_query(made[4].o, &m, TABLE_LENGTH), EINVAL, "another entry");
	m = question(QUERY_FLOW_TABLE, made[0].number);
	cr_expect_eq(mailbox_query(made[1].o, &m, TABLE_LENGTH), EINVAL, "another table");
	cr_expect_eq(mailbox_query(made[2].o, &m, TABLE_LENGTH), EINVAL, "it is a group");
	mailbox_set(&m, 128, 8, TX);
	cr_expect_eq(mailbox_query(made[0].o, &m, TABLE_LENGTH), EREMOTEIO, "it is of what comes");
	cr_expect_eq(mailbox_status(&m), STATUS_BAD_PARAM);
	destroy_all(made, SIZE(made));
}

/* What no entry is for leaves */
Test(flow_table, an_entry_keeps_a_frame_from_leaving)
{
	struct mlx5dv_flow_action_attr to_one = { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP };
	struct lead in, out;
	struct made made[4];

	open_raw();
	to_one.qp = one.qp;
	in = lead_by(0, &to_one);
	made[0] = make_object(table_of(TX, 1), TABLE_LENGTH);
	made[1] = make_object(leaving(group_of(made[0].number, 0, 1, true)), GROUP_LENGTH);
	made[2] = make_object(leaving(entry_of((struct place){ made[0].number, made[1].number, 0, 2001 }, DROP, 0)), ENTRY_LENGTH);
	made[3] = make_object(leaving(entry_of((struct place){ made[0].number, made[1].number, 1, 2002 }, ALLOW, 0)), ENTRY_LENGTH);
	out = lead_by(IBV_FLOW_ATTR_FLAGS_EGRESS,
		      &(struct mlx5dv_flow_action_attr){ .type = MLX5DV_FLOW_ACTION_DEST_DEVX, .obj = made[0].o });
	CHECK(in.flow && out.flow);
	for (uint16_t port = 2000; port < 2003; port++) {
		send_to_port(port);
		cr_expect_eq(got(&one), port != 2001, "port %d", port);
	}
	end_lead(out);
	end_lead(in);
	destroy_all(made, SIZE(made));
	close_raw();
}

Test(flow_table, what_cannot_be_is_refused)
{
	static const struct change of_table[] = {
		{ 128, 8, 4 }, /* of the switch */
		{ 194, 1, 1 }, /* software's */
		{ 64, 1, 1 }, /* another vport's */
		{ 195, 1, 1 }, /* where packets end */
		{ 196, 4, 2 }, { 196, 4, 1 }, /* a miss without a table */
		{ 200, 8, 65 }, { 216, 8, 25 },
	}, of_group[] = {
		{ 168, 24, 0xffff }, { 224, 32, 4 }, { 288, 32, 8 }, { 504, 8, 8 }, { 64, 1, 1 },
		{ 128, 8, TX }, /* its table is for what comes */
	}, of_entry[] = {
		{ 168, 24, 0xffff }, { 256, 32, 4 }, { 544, 32, 0xffff }, { 624, 16, 0 }, { 624, 16, ALLOW },
		{ 624, 16, FORWARD }, { 624, 16, DROP | COUNT }, { 624, 16, DROP | 0x40 }, /* a header changed, by nothing */
		{ 640, 1, 1 }, { 648, 24, 1 }, { 680, 24, 1 }, { 64, 1, 1 }, { 128, 8, TX },
		{ 192, 1, 1 }, /* whatever the level of where it goes is */
	};
	struct made made[4];
	struct mailbox m;
	struct lead l;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	for (size_t i = 0; i < SIZE(of_table); i++)
		expect_refused(table_of(RX, 1), TABLE_LENGTH, of_table[i]);
	made[0] = make_object(table_of(RX, 1), TABLE_LENGTH);
	for (size_t i = 0; i < SIZE(of_group); i++)
		expect_refused(group_of(made[0].number, 0, 3, true), GROUP_LENGTH, of_group[i]);
	made[1] = make_object(group_of(made[0].number, 0, 3, true), GROUP_LENGTH);
	expect_refused(group_of(made[0].number, 3, 5, true), GROUP_LENGTH, (struct change){ 0 }); /* 3 is of that one */
	m = entry_of((struct place){ made[0].number, made[1].number, 3, 2000 }, DROP, 0);
	for (size_t i = 0; i < SIZE(of_entry); i++)
		expect_refused(m, ENTRY_LENGTH, of_entry[i]);
	made[2] = make_object(m, ENTRY_LENGTH);
	CHECK(!mailbox_create(&m, ENTRY_LENGTH) && mailbox_status(&m) == STATUS_BAD_RES_STATE); /* its place is taken */
	made[3] = make_object(table_of(TX, 2), TABLE_LENGTH);
	mailbox_set(&m, 256, 32, 2);
	mailbox_set(&m, 624, 16, FORWARD);
	add_destination(&m, 0, TO_TABLE, made[3].number); /* for what leaves */
	expect_refused(m, ENTRY_LENGTH + 8, (struct change){ 0 });
	add_destination(&m, 0, TO_TABLE, made[0].number); /* which is not above itself */
	expect_refused(m, ENTRY_LENGTH + 8, (struct change){ 0 });
	l = lead_to(made[3].o);
	CHECK(!l.flow && errno == EINVAL);
	end_lead(l);
	destroy_all(made, SIZE(made));
}

Test(flow_table, there_is_none_on_infiniband)
{
	struct mailbox m = table_of(RX, 1);

	if (bed.ethernet)
		skip("this port is of Ethernet");
	CHECK(!mailbox_create(&m, TABLE_LENGTH) && mailbox_status(&m) == STATUS_BAD_OP);
}
