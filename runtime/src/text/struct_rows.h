/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_STRUCT_ROWS_H
#define VERBSX_SRC_STRUCT_ROWS_H

/* What the rows of structures and their fields are written with. For the generated tables alone. */

#include "struct_pool.h"
#include "table.h"

#define MEMBER(type, path) (((type *)0)->path)

/* Kind, name and place of a field; one that is an array; one that is an array without a length; the same inside a nested structure. */
#define FIELD(type, field, is, ...) \
	{ .kind = VX_KIND_##is, .name = N(field), .offset = offsetof(type, field), \
	  .size = sizeof(MEMBER(type, field)), __VA_ARGS__ }
#define ARRAY(type, field, is, ...) \
	{ .kind = VX_KIND_##is, .name = N(field), .offset = offsetof(type, field), \
	  .size = sizeof(MEMBER(type, field)[0]), \
	  .count = sizeof(MEMBER(type, field)) / sizeof(MEMBER(type, field)[0]), __VA_ARGS__ }
#define FLEXIBLE(type, field, is, ...) \
	{ .kind = VX_KIND_##is, .name = N(field), .offset = offsetof(type, field), \
	  .size = sizeof(MEMBER(type, field)[0]), .count = VX_FLEXIBLE, __VA_ARGS__ }
#define INNER_FIELD(type, in, field, is, ...) \
	{ .kind = VX_KIND_##is, .name = N(field), .offset = offsetof(type, in.field) - offsetof(type, in), \
	  .size = sizeof(MEMBER(type, in.field)), __VA_ARGS__ }
#define INNER_ARRAY(type, in, field, is, ...) \
	{ .kind = VX_KIND_##is, .name = N(field), .offset = offsetof(type, in.field) - offsetof(type, in), \
	  .size = sizeof(MEMBER(type, in.field)[0]), \
	  .count = sizeof(MEMBER(type, in.field)) / sizeof(MEMBER(type, in.field)[0]), __VA_ARGS__ }
#define INNER_FLEXIBLE(type, in, field, is, ...) \
	{ .kind = VX_KIND_##is, .name = N(field), .offset = offsetof(type, in.field) - offsetof(type, in), \
	  .size = sizeof(MEMBER(type, in.field)[0]), .count = VX_FLEXIBLE, __VA_ARGS__ }
#define SLOT_OFFSET(index, type) \
	((index) * sizeof(uint64_t) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint64_t) - sizeof(type) : 0))
/* What a call is given, an integer of 64 bits each, and what it returns, behind them. */
#define ARGUMENT(index, param, is, type, ...) \
	{ .kind = VX_KIND_##is, .name = N(param), .offset = SLOT_OFFSET(index, type), .size = sizeof(type), __VA_ARGS__ }
#define RESULT(index, is, type, refers, as) \
	{ .kind = VX_KIND_##is, .offset = SLOT_OFFSET(index, type), .size = sizeof(type), .ref = refers, .form = as }
#define ABSENT(field) { .kind = VX_KIND_ABSENT, .name = N(field) }

#define BIG_ENDIAN_ VX_FIELD_BIG_ENDIAN
#define ZERO_ VX_FIELD_ZERO
#define LIST_ VX_FIELD_LIST
#define EACH_ VX_FIELD_EACH
#define LONG_ VX_FIELD_LONG
#define UNION_ VX_FIELD_UNION
#define LENGTH_POINTER_ VX_FIELD_LENGTH_POINTER
#define LENGTH_BYTES_ VX_FIELD_LENGTH_BYTES
#define DEFAULT_ VX_FIELD_DEFAULT
#define SECRET_ VX_FIELD_SECRET

#define HEADERS_SIZE(type) sizeof(type)
#define NESTED_SIZE(type, path) sizeof(MEMBER(type, path))
#define GROWS_FRONT VX_STRUCT_GROWS_FRONT
#define HIDDEN VX_STRUCT_HIDDEN
#define NESTED VX_STRUCT_NESTED
#define ONE_VALUE VX_STRUCT_ONE_VALUE
#define UNION VX_STRUCT_UNION
#define FILLED VX_STRUCT_FILLED

#endif
