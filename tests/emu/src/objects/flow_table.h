/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flow tables that mailboxes make, beside those of matchers, whose flows lead to them. */
#ifndef EMU_FLOW_TABLE_H
#define EMU_FLOW_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "calls/prm.h"
#include "objects/object.h"
#include "packets/fte.h"

#define MAX_DESTINATIONS 8
#define MAX_TABLE_LEVEL 64
#define LOG_MAX_TABLE_ENTRIES 24

struct flow_action;
struct flow_counter;

struct flow_table {
	struct object o;
	bool egress;
	bool reformats, decapsulates; /* what its entries may do, the latter of what comes */
	uint32_t level; /* from one table it goes on to those of a higher level only */
	uint32_t entries; /* as many as it can have */
	struct flow_table *miss; /* where it goes on with what no entry is for, or NULL */
	LIST_HEAD(, flow_group) groups;
	TAILQ_HEAD(, table_entry) list; /* by index */
};

/* Entries from one index up to another, with one mask */
struct flow_group {
	struct object o;
	LIST_ENTRY(flow_group) link;
	struct flow_table *table;
	uint32_t first, last;
	uint32_t criteria; /* which parts of it count */
	uint8_t mask[FTE_SIZE];
};

/* Of what a mailbox asks for: whether it is what there is not, which is told on stderr. */
bool flow_table_lacks(const uint8_t *in, struct field asked, const char *what);

/* Whether the mailbox of a group or an entry is for a table of that kind, and of this function. */
bool flow_table_fits(const struct flow_table *t, const uint8_t *in);

/* What an entry does, which can be changed */
struct flow_deeds {
	uint32_t action, tag;
	uint32_t ndestinations;
	struct object *destinations[MAX_DESTINATIONS]; /* TIRs and tables */
	struct flow_counter *counter; /* or NULL, as these */
	struct flow_action *modify, *reformat;
	uint32_t push[2]; /* tags, if the action says so */
};

struct table_entry {
	struct object o;
	TAILQ_ENTRY(table_entry) link;
	struct flow_group *group;
	uint32_t index;
	uint8_t value[FTE_SIZE];
	struct flow_deeds does;
};

void flow_group_release(struct object *o);
void flow_entry_release(struct object *o);
void flow_table_release(struct object *o);

#endif
