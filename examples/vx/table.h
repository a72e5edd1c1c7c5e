/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_TABLE_H
#define VX_TABLE_H

/*
 * Rows that are alike: in text columns, as wide as they need to be; in JSON a list of objects. A column in which
 * nothing stands is left out, and so is an empty cell in JSON.
 */

#include <stddef.h>
#include <stdint.h>

#include "report.h"

enum column_kind {
	TEXT,
	NAMED,		/* a value of an enum, by its name; in JSON an object */
	FLAG,		/* "yes" or nothing; in JSON a truth value */
	NUMBER,		/* to the right */
	HEX,		/* a number that is read in hexadecimal */
};

struct column {
	const char *key;
	enum column_kind kind;
};

struct table {
	struct report *report;
	const char *key;
	const struct column *columns;
	size_t width;		/* columns */
	char **cells;
	size_t count;
};

#define TABLE(report, key, columns) table_of(report, key, columns, sizeof(columns) / sizeof((columns)[0]))

struct table table_of(struct report *report, const char *key, const struct column *columns, size_t width);

/* The next cell, from left to right. */
void table_text(struct table *t, const char *text);
void table_number(struct table *t, int64_t number);
void table_enum(struct table *t, const char *tag, int64_t value);
void table_flag(struct table *t, bool set);

/* Print what was collected. */
void table_end(struct table *t);

#endif
