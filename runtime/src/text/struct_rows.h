/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_STRUCT_ROWS_H
#define VERBSX_SRC_STRUCT_ROWS_H

/* What the rows of structures and their fields are written with. For the generated tables alone. */

#include "struct_pool.h"
#include "table.h"

#define MEMBER(type, path) (((type *)0)->path)
#define ROW(is, field, at, of, ...) { .kind = VX_KIND_##is, .name = N(field), .offset = at, .size = sizeof(of), __VA_ARGS__ }

/* A field; one that is an array; one that is an array without a length; the same inside a nested structure. */
#define FIELD(type, field, is, ...) ROW(is, field, offsetof(type, field), MEMBER(type, field), __VA_ARGS__)
#define ARRAY(type, field, is, ...) \
	ROW(is, field, offsetof(type, field), MEMBER(type, field)[0], \
	    .count = sizeof(MEMBER(type, field)) / sizeof(MEMBER(type, field)[0]), __VA_ARGS__)
#define FLEXIBLE(type, field, is, ...) ROW(is, field, offsetof(type, field), MEMBER(type, field)[0], .count = VX_FLEXIBLE, __VA_ARGS__)
#define INNER_AT(type, in, field) (offsetof(type, in.field) - offsetof(type, in))
#define INNER_FIELD(type, in, field, is, ...) ROW(is, field, INNER_AT(type, in, field), MEMBER(type, in.field), __VA_ARGS__)
#define INNER_ARRAY(type, in, field, is, ...) \
	ROW(is, field, INNER_AT(type, in, field), MEMBER(type, in.field)[0], \
	    .count = sizeof(MEMBER(type, in.field)) / sizeof(MEMBER(type, in.field)[0]), __VA_ARGS__)
#define INNER_FLEXIBLE(type, in, field, is, ...) \
	ROW(is, field, INNER_AT(type, in, field), MEMBER(type, in.field)[0], .count = VX_FLEXIBLE, __VA_ARGS__)
#define SLOT_OFFSET(index, type) \
	((index) * sizeof(uint64_t) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint64_t) - sizeof(type) : 0))
/* What a call is given, an integer of 64 bits each, and what it returns, behind them. */
#define ARGUMENT(index, param, is, type, ...) ROW(is, param, SLOT_OFFSET(index, type), type, __VA_ARGS__)
#define RESULT(index, is, type, refers, as) \
	{ .kind = VX_KIND_##is, .offset = SLOT_OFFSET(index, type), .size = sizeof(type), .ref = refers, .form = as }
#define ABSENT(field) { .kind = VX_KIND_ABSENT, .name = N(field) }

#define HEADERS_SIZE(type) sizeof(type)
#define NESTED_SIZE(type, path) sizeof(MEMBER(type, path))

#endif
