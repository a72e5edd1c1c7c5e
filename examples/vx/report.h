/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_REPORT_H
#define VX_REPORT_H

/*
 * What vx has to say, said once: as text for people or, with --json, as JSON. A report is an object with members, which
 * may be objects and lists in turn. Members of text are "name : value"; an item of a list has a heading.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbsx/print.h>

#define DEEPEST 8

struct report {
	bool json;
	bool one_line;		/* of JSON, as each of JSON Lines is; set behind report_start() */
	bool bold;		/* headings, on a terminal */
	bool brief;		/* of text only what something says, its value, and what to do */
	size_t width;		/* of the terminal; 0: lines are as long as they are */
	size_t depth;
	struct level {
		bool list;
		bool indented;	/* its members of text are set in */
		size_t members;
		int label;	/* width of the names, text only */
	} levels[DEEPEST];
};

/* Begin and end the object that is the whole. */
void report_start(struct report *r, bool json);
void report_finish(struct report *r);

/* In text all of it is set in, below a line that stands before it. */
void report_set_in(struct report *r);

/* An object that is a member: in text a block. */
void report_open(struct report *r, const char *key);

/* An object in a list, with its first members, kind and name: in text a heading of the two. */
void report_item(struct report *r, const char *kind, const char *name);

/* A list that is a member. In text only its items are seen. */
void report_list(struct report *r, const char *key);

void report_close(struct report *r);

/* How wide the names of the members to come are. */
void report_label(struct report *r, int width);

/* A member; key is NULL in a list. An empty or absent text is left out. */
void report_text(struct report *r, const char *key, const char *text);
void report_number(struct report *r, const char *key, int64_t number);

/* A number that is read in hexadecimal, as far as text goes. */
void report_hex(struct report *r, const char *key, uint64_t number);

/* A number with words that say in text what it is. */
void report_number_as(struct report *r, const char *key, int64_t number, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A number of 64 bits, with a unit in text: in JSON it is a string, as vx_snprint() prints those. */
void report_wide(struct report *r, const char *key, uint64_t number, const char *unit);

/* A value of an enum: in text its name, in JSON an object, as vx_snprint() prints it. */
void report_enum(struct report *r, const char *key, const char *tag, int64_t value);

/* A structure of rdma-core. */
void report_struct(struct report *r, const char *key, struct vx_type type, const void *ptr);

/* In text only some of its fields, as members of the object at hand; NULL ends their names. */
void report_fields(struct report *r, const char *key, struct vx_type type, const void *ptr, const char *const *names);

/* The last failure of libverbsx: on standard error and, in JSON, as the member "error". */
void report_error(struct report *r);

/* Only the member: who calls has said it in words of its own. */
void report_error_member(struct report *r);

/* ---- for table.c ---- */

/* What comes before a member. */
void report_member(struct report *r, const char *key);
size_t report_indent(const struct report *r);

/* ---- fold.c ---- */

/* A text and a newline; on a terminal folded at blanks and '|', to lines that begin at a column, as the first does. */
void put_folded(const struct report *r, const char *text, size_t column);

/* ---- json.c ---- */

void put_json_string(const char *text);

/* Numbers beyond 2^53 are strings of decimal digits, as in api.json. To be freed. */
char *json_number(int64_t number);
char *json_bits(uint64_t number);

/* A value of an enum as report_enum() puts it; to be freed. */
char *enum_text(const struct report *r, const char *tag, int64_t value);

/* ---- memory.c ---- */

/* As their namesakes, but end the program when memory is short. */
void *need_memory(void *memory, size_t size);
char *need_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
