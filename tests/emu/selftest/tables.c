/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "tables.h"

struct made make_object(struct mailbox m, size_t length)
{
	struct made made = { .o = mailbox_create(&m, length) };

	cr_assert(made.o, "status %d", mailbox_status(&m));
	made.number = mailbox_get(&m, 72, 24);
	return made;
}

struct mailbox table_of(int type, int level)
{
	struct mailbox m = mailbox_of(CREATE_FLOW_TABLE);

	mailbox_set(&m, 128, 8, type);
	mailbox_set(&m, 200, 8, level);
	mailbox_set(&m, 216, 8, 3);
	return m;
}

/* Of the destination's port of UDP, or of whatever there is */
struct mailbox group_of(uint32_t of_table, int first, int last, bool by_port)
{
	struct mailbox m = mailbox_of(CREATE_FLOW_GROUP);

	mailbox_set(&m, 168, 24, of_table);
	mailbox_set(&m, 224, 32, first);
	mailbox_set(&m, 288, 32, last);
	mailbox_set(&m, 504, 8, by_port);
	mailbox_set(&m, PORT_MASK, 16, by_port ? 0xffff : 0);
	return m;
}

struct mailbox entry_of(struct place p, int action, int tag)
{
	struct mailbox m = mailbox_of(SET_FLOW_TABLE_ENTRY);

	mailbox_set(&m, 168, 24, p.table);
	mailbox_set(&m, 256, 32, p.index);
	mailbox_set(&m, 544, 32, p.group);
	mailbox_set(&m, 584, 24, tag);
	mailbox_set(&m, 624, 16, action);
	mailbox_set(&m, PORT_VALUE, 16, p.port);
	return m;
}

/* The same for what leaves */
struct mailbox leaving(struct mailbox m)
{
	mailbox_set(&m, 128, 8, TX);
	return m;
}

/* Each makes the mailbox longer by 8 bytes */
void add_destination(struct mailbox *m, int i, int type, uint32_t number)
{
	mailbox_set(m, 648, 24, i + 1);
	mailbox_set(m, 8 * ENTRY_LENGTH + 64 * i, 8, type);
	mailbox_set(m, 8 * ENTRY_LENGTH + 64 * i + 8, 24, number);
}

void add_counter(struct mailbox *m, int destinations, uint32_t number)
{
	mailbox_set(m, 680, 24, 1);
	mailbox_set(m, 8 * ENTRY_LENGTH + 64 * destinations, 32, number);
}

struct made make_forward(struct place p, int tag, int type, uint32_t number)
{
	struct mailbox m = entry_of(p, FORWARD, tag);

	add_destination(&m, 0, type, number);
	return make_object(m, ENTRY_LENGTH + 8);
}

uint64_t packets_counted(struct made counter)
{
	struct mailbox m = mailbox_of(QUERY_FLOW_COUNTER);

	mailbox_set(&m, 224, 32, counter.number);
	CHECK(!mailbox_query(counter.o, &m, 32));
	return mailbox_get(&m, 128, 64);
}

struct made make_counter(void)
{
	struct mailbox m = mailbox_of(ALLOC_FLOW_COUNTER);
	struct made made = { .o = mailbox_create(&m, 16) };

	CHECK(made.o);
	made.number = mailbox_get(&m, 64, 32);
	return made;
}

void destroy_all(struct made *made, size_t n)
{
	while (n--)
		cr_expect(!mlx5dv_devx_obj_destroy(made[n].o), "object %zu", n);
}

struct mailbox question(int opcode, uint32_t of_table)
{
	struct mailbox m = mailbox_of(opcode);

	mailbox_set(&m, 168, 24, of_table);
	return m;
}

void expect_fields(const struct mailbox *m, const struct change *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(mailbox_get(m, c[i].offset, c[i].width), c[i].value, "bit %d: 0x%llx", c[i].offset,
			     (unsigned long long)mailbox_get(m, c[i].offset, c[i].width));
}

void expect_refused(struct mailbox m, size_t length, struct change c)
{
	mailbox_set(&m, c.offset, c.width, c.value);
	cr_expect(!mailbox_create(&m, length) && mailbox_status(&m) == STATUS_BAD_PARAM, "bit %d", c.offset);
}
