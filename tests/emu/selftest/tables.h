/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flow tables, groups and entries by mailbox, and what else entries refer to. */
#ifndef TABLES_H
#define TABLES_H

#include "queues.h"

enum {
	CREATE_FLOW_TABLE = 0x930,
	QUERY_FLOW_TABLE = 0x932,
	CREATE_FLOW_GROUP = 0x933,
	QUERY_FLOW_GROUP = 0x935,
	SET_FLOW_TABLE_ENTRY = 0x936,
	QUERY_FLOW_TABLE_ENTRY = 0x937,
	ALLOC_FLOW_COUNTER = 0x939,
	QUERY_FLOW_COUNTER = 0x93b,
};

enum {
	TABLE_LENGTH = 64,
	GROUP_LENGTH = 1024,
	ENTRY_LENGTH = 832,
	RX = 0,
	TX = 1,
	ALLOW = 1,
	DROP = 2,
	FORWARD = 4,
	COUNT = 8,
	TO_TABLE = 1,
	TO_TIR = 2,
	PORT_MASK = 512 + 240, /* bits of an entry's value are as far from their beginning */
	PORT_VALUE = 1024 + 240
};

struct made {
	struct mlx5dv_devx_obj *o;
	uint32_t number;
};

/* The end of the test where it cannot be made */
struct made make_object(struct mailbox m, size_t length);
struct made make_counter(void);
uint64_t packets_counted(struct made counter);

/* The last one first */
void destroy_all(struct made *made, size_t n);

struct mailbox table_of(int type, int level);

/* Of the destination's port of UDP, or of whatever there is */
struct mailbox group_of(uint32_t table, int first, int last, bool by_port);

struct place {
	uint32_t table, group;
	int index;
	uint16_t port;
};

struct mailbox entry_of(struct place p, int action, int tag);

/* The same for what leaves */
struct mailbox leaving(struct mailbox m);

/* Each makes the mailbox longer by 8 bytes */
void add_destination(struct mailbox *m, int i, int type, uint32_t number);
void add_counter(struct mailbox *m, int destinations, uint32_t number);

struct made make_forward(struct place p, int tag, int type, uint32_t number);

struct change {
	int offset, width;
	uint64_t value;
};

/* With one field changed, there is no such object */
void expect_refused(struct mailbox m, size_t length, struct change c);

struct mailbox question(int opcode, uint32_t of_table);
void expect_fields(const struct mailbox *m, const struct change *c, size_t n);

#endif
