/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_PATTERN_H
#define VX_PATTERN_H

/* Patterns of lore: words in either case, and between them "*", which is any text. A word begins where one begins in the text. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pattern of lore, and what it stands for. */
struct pattern {
	const char *text;
	const char *names;	/* with '|' between */
};

#define LONGEST_NAME 128

/* The next of names with '|' between. @return false: there is none */
bool next_of_names(const char **names, char name[LONGEST_NAME]);

/* Whether a text has this in it. */
bool has_pattern(const char *text, const char *pattern);

/* False: it has not, in either case, as many bytes of a part. True: it may. */
bool may_have(const char *text, const char *part, size_t len);

/* A pattern without what is only of patterns: "libibverbs.so...cannot open shared object". malloc()ed */
char *pattern_as_read(const char *pattern);

/* A number, of either sign, and where it stands. */
struct number {
	const char *place;	/* NULL: there is none */
	int64_t value;
};

/*
 * The number behind a pattern, the last part of which begins at or behind a place: "status" and "status: (12)"; or where the
 * pattern has a "#", with the rest anywhere behind it: "status#vendor".
 */
struct number number_behind(const char *text, const char *pattern, const char *after);

/* The same of one in hexadecimal, with or without 0x: "f4". */
struct number hex_behind(const char *text, const char *pattern, const char *after);

/* Whether digits are "0b11", which newer C libraries read, and others do not: no number here. */
bool is_binary(const char *digits);

/* A decimal or hexadecimal number that stands for itself: neither "12ms" nor "1.2". @return where it ends, NULL: there is none */
const char *read_number(const char *text, int64_t *value);

#endif
