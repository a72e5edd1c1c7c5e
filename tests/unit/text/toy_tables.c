/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <errno.h>
#include <stddef.h>

#include "text/table.h"
#include "toy.h"

/*
 * A pool of names is one string; the offset of a name in it is that of the member of the same name in a structure
 * of arrays as long as the names.
 */
#define POOL_MEMBER(id, text) char id[sizeof(text)];
#define POOL_TEXT(id, text) text "\0"

#define ENUM_NAMES(NAME) \
	NAME(color, "toy_color") NAME(red, "TOY_COLOR_RED") NAME(green, "TOY_COLOR_GREEN") \
	NAME(blue, "TOY_COLOR_BLUE") NAME(sky, "TOY_COLOR_SKY") NAME(last, "TOY_COLOR_LAST") \
	NAME(violet, "TOY_COLOR_VIOLET") \
	NAME(state, "toy_state") NAME(broken, "TOY_STATE_BROKEN") NAME(off, "TOY_STATE_OFF") NAME(on, "TOY_STATE_ON") \
	NAME(access, "toy_access") NAME(none, "TOY_ACCESS_NONE") NAME(read, "TOY_ACCESS_READ") \
	NAME(write, "TOY_ACCESS_WRITE") NAME(atomic, "TOY_ACCESS_ATOMIC") NAME(reserved, "TOY_ACCESS_RESERVED") \
	NAME(all, "TOY_ACCESS_ALL") NAME(far, "TOY_ACCESS_FAR") \
	NAME(check, "toy_check") NAME(guard, "TOY_CHECK_GUARD") NAME(tag, "TOY_CHECK_TAG") \
	NAME(crc, "TOY_CHECK_CRC") NAME(crc_c, "TOY_CHECK_CRC_C") \
	NAME(spec, "toy_spec") NAME(eth, "TOY_SPEC_ETH") NAME(ip, "TOY_SPEC_IP") NAME(inner, "TOY_SPEC_INNER") \
	NAME(size, "toy_size") NAME(s256, "TOY_SIZE_256") NAME(s4096, "TOY_SIZE_4096") \
	NAME(unknown, "unknown")

struct enum_pool {
	char none_at_all[1];
	ENUM_NAMES(POOL_MEMBER)
};

const char vx_enum_names[] = "\0" ENUM_NAMES(POOL_TEXT) VX_POOL_END;

#define E(id) offsetof(struct enum_pool, id)

enum { ROWS_COLOR = 0, ROWS_STATE = 6, ROWS_ACCESS = 9, ROWS_CHECK = 16, ROWS_SPEC = 20, ROWS_SIZE = 23 };
enum { SLOTS_COLOR = 0, SLOTS_STATE = 4, SLOTS_ACCESS = 7, SLOTS_SIZE = 48 };

const struct vx_enum_row vx_enum_rows[] = {
	[ROWS_COLOR] = { TOY_COLOR_RED, E(red), 33, 0 },
	{ TOY_COLOR_GREEN, E(green), 33, 0 },
	{ TOY_COLOR_BLUE, E(blue), 33, 0 },
	{ TOY_COLOR_SKY, E(sky), 44, VX_ENUMERATOR_ALIAS },
	{ TOY_COLOR_LAST, E(last), 33, VX_ENUMERATOR_SENTINEL },
	{ TOY_COLOR_VIOLET, E(violet), 56, 0 },
	[ROWS_STATE] = { TOY_STATE_BROKEN, E(broken), 33, 0 },
	{ TOY_STATE_OFF, E(off), 33, 0 },
	{ TOY_STATE_ON, E(on), 33, 0 },
	[ROWS_ACCESS] = { TOY_ACCESS_NONE, E(none), 33, 0 },
	{ TOY_ACCESS_READ, E(read), 33, 0 },
	{ TOY_ACCESS_WRITE, E(write), 33, 0 },
	{ TOY_ACCESS_ATOMIC, E(atomic), 33, 0 },
	{ TOY_ACCESS_RESERVED, E(reserved), 33, VX_ENUMERATOR_SENTINEL },
	{ TOY_ACCESS_ALL, E(all), 33, VX_ENUMERATOR_COMPOSITE },
	{ 0, E(far), 33, VX_ENUMERATOR_MACRO | VX_ROW_WIDE },
	[ROWS_CHECK] = { TOY_CHECK_GUARD, E(guard), 33, 0 },
	{ TOY_CHECK_TAG, E(tag), 33, 0 },
	{ TOY_CHECK_CRC, E(crc), 33, 0 },
	{ TOY_CHECK_CRC_C, E(crc_c), 33, VX_ENUMERATOR_ALIAS },
	[ROWS_SPEC] = { TOY_SPEC_ETH, E(eth), 33, 0 },
	{ TOY_SPEC_IP, E(ip), 33, 0 },
	{ TOY_SPEC_INNER, E(inner), 33, 0 },
	[ROWS_SIZE] = { TOY_SIZE_256, E(s256), 33, 0 },
	{ TOY_SIZE_4096, E(s4096), 33, 0 },
};

const int64_t vx_enum_wide_values[] = { (int64_t)TOY_ACCESS_FAR };

const vx_name vx_enum_slots[] = {
	[SLOTS_COLOR] = E(red), E(green), 0, E(blue),
	[SLOTS_STATE] = E(broken), E(off), E(on),
	[SLOTS_ACCESS] = E(read), E(write), 0, E(atomic), [SLOTS_ACCESS + 40] = E(far),
	[SLOTS_SIZE] = E(s256), 0, 0, 0, E(s4096),
};

enum { ENUM_COLOR, ENUM_STATE, ENUM_ACCESS, ENUM_CHECK, ENUM_SPEC, ENUM_SIZE, ENUMS };

const struct vx_enum_info vx_enums[] = {
	[ENUM_COLOR] = { 0, E(color), ROWS_COLOR, 6, SLOTS_COLOR, 4, VX_ENUM_VALUES, sizeof("TOY_COLOR_") - 1, 0 },
	[ENUM_STATE] = { -1, E(state), ROWS_STATE, 3, SLOTS_STATE, 3, VX_ENUM_VALUES, sizeof("TOY_STATE_") - 1, 0 },
	[ENUM_ACCESS] = { 0, E(access), ROWS_ACCESS, 7, SLOTS_ACCESS, 41, VX_ENUM_FLAGS, sizeof("TOY_ACCESS_") - 1, 0 },
	[ENUM_CHECK] = { 0, E(check), ROWS_CHECK, 4, 0, 0, VX_ENUM_FLAGS, sizeof("TOY_CHECK_") - 1, 0 },
	[ENUM_SPEC] = { 0, E(spec), ROWS_SPEC, 3, 0, 0, VX_ENUM_MIXED, sizeof("TOY_SPEC_") - 1, TOY_SPEC_INNER },
	[ENUM_SIZE] = { 1, E(size), ROWS_SIZE, 2, SLOTS_SIZE, 5, VX_ENUM_VALUES, sizeof("TOY_SIZE_") - 1, 0 },
	[ENUMS] = { 0, E(unknown), 0, 0, 0, 0, VX_ENUM_VALUES, 0, 0 },
};

const uint16_t vx_enum_count = ENUMS;

const uint16_t vx_enum_ids[] = { 0, 1 + ENUM_STATE, 0, 1 + ENUM_COLOR };

const uint16_t vx_enum_id_count = 4;

#define SAME(NAME, id) NAME(id, #id)

#define STRUCT_NAMES(NAME) \
	SAME(NAME, toy_gid) SAME(NAME, raw) SAME(NAME, global) SAME(NAME, prefix) SAME(NAME, id) \
	SAME(NAME, toy_kinds) SAME(NAME, number) SAME(NAME, negative) SAME(NAME, truth) SAME(NAME, color) \
	SAME(NAME, state) SAME(NAME, access) SAME(NAME, colors) SAME(NAME, speed) SAME(NAME, spec) SAME(NAME, text) \
	SAME(NAME, blob) SAME(NAME, pointer) SAME(NAME, function) SAME(NAME, list) SAME(NAME, big) \
	SAME(NAME, reserved) SAME(NAME, gid) \
	SAME(NAME, toy_forms) SAME(NAME, hex) SAME(NAME, page_sizes) SAME(NAME, log2) SAME(NAME, ack_timeout) \
	SAME(NAME, delay) SAME(NAME, retry) SAME(NAME, rate) SAME(NAME, clock) SAME(NAME, bytes) SAME(NAME, ns) \
	SAME(NAME, guid) SAME(NAME, mac) SAME(NAME, ipv4) SAME(NAME, ipv6) SAME(NAME, address) SAME(NAME, error) \
	SAME(NAME, fd) SAME(NAME, mode) SAME(NAME, protocol) SAME(NAME, version) SAME(NAME, pace) SAME(NAME, time) \
	SAME(NAME, plenty) SAME(NAME, wanted) SAME(NAME, rights) SAME(NAME, size) \
	SAME(NAME, toy_sge) SAME(NAME, addr) SAME(NAME, length) \
	SAME(NAME, toy_wr) SAME(NAME, next) SAME(NAME, sg_list) SAME(NAME, num_sge) SAME(NAME, opcode) SAME(NAME, wr) \
	SAME(NAME, near) SAME(NAME, far) SAME(NAME, key) SAME(NAME, note) SAME(NAME, numbers) SAME(NAME, key_len) \
	SAME(NAME, gids) SAME(NAME, log_gids) \
	SAME(NAME, toy_cap) SAME(NAME, max_wr) SAME(NAME, max_sge) \
	SAME(NAME, toy_attr) SAME(NAME, comp_mask) SAME(NAME, guarded) SAME(NAME, old) SAME(NAME, asked) \
	SAME(NAME, hidden) SAME(NAME, cap) SAME(NAME, caps) SAME(NAME, used) SAME(NAME, values) \
	SAME(NAME, toy_loose) SAME(NAME, u) \
	SAME(NAME, toy_front) SAME(NAME, newest) SAME(NAME, middle) SAME(NAME, oldest) SAME(NAME, chosen) \
	SAME(NAME, toy_tail) SAME(NAME, count) SAME(NAME, items) \
	SAME(NAME, speeds) NAME(speed_1, "2.5 Gb/s") NAME(speed_2, "5 \"Gb/s\"") NAME(errors, "errno") NAME(no_memory, "ENOMEM")

/* Of the second part: the last three structures. */
#define MORE_NAMES(NAME) \
	SAME(NAME, toy_node) SAME(NAME, value) SAME(NAME, left) SAME(NAME, right) \
	SAME(NAME, toy_rare) SAME(NAME, names) SAME(NAME, keys) SAME(NAME, one_flag) SAME(NAME, single) \
	SAME(NAME, address_len) SAME(NAME, many) SAME(NAME, toy_secret) SAME(NAME, salt)

struct struct_pool {
	char none_at_all[1];
	STRUCT_NAMES(POOL_MEMBER)
};

struct more_pool {
	MORE_NAMES(POOL_MEMBER)
};

const char vx_struct_names[] = "\0" STRUCT_NAMES(POOL_TEXT) VX_POOL_END;
const char vx_more_struct_names[] = MORE_NAMES(POOL_TEXT) VX_POOL_END;

#define AT(id, text) S_##id = offsetof(struct struct_pool, id),
#define MORE_AT(id, text) S_##id = sizeof(struct struct_pool) + offsetof(struct more_pool, id),

enum { STRUCT_NAMES(AT) MORE_NAMES(MORE_AT) };

#define S(id) S_##id

const struct vx_code_row vx_code_rows[] = { { 1, S(speed_1) }, { 2, S(speed_2) }, { ENOMEM, S(no_memory) } };
const struct vx_code vx_codes[] = { { S(speeds), 0, 2, 0 }, { S(errors), 2, 1, 0 } };
const uint16_t vx_errno_code = 1;

enum {
	RULE_NEAR = 1, RULE_FAR, RULE_GUARDED, RULE_OLD, RULE_ASKED, RULE_HIDDEN, RULE_CHOSEN, RULE_NOTE, RULE_NOTE_FAR,
};

#define UP(T, outer, inner) ((int16_t)((int)offsetof(T, outer) - (int)offsetof(T, inner)))

const struct vx_rule vx_rules[] = {
	[RULE_NEAR] = { UP(struct toy_wr, opcode, wr), 4, VX_RULE_ONE_OF, 0, 1, 0 },
	[RULE_FAR] = { UP(struct toy_wr, opcode, wr), 4, VX_RULE_ONE_OF, 1, 1, 0 },
	[RULE_GUARDED] = { offsetof(struct toy_attr, comp_mask), 4, VX_RULE_ANY_BIT, 0, 1, 0 },
	[RULE_OLD] = { offsetof(struct toy_attr, comp_mask), 4, VX_RULE_NO_BIT, 1, 1, 0 },
	[RULE_ASKED] = { 0, 0, VX_RULE_MASK, 2, 1, 0 },
	[RULE_HIDDEN] = { 0, 0, VX_RULE_NEVER, 0, 0, 0 },
	[RULE_CHOSEN] = { offsetof(struct toy_front, newest), 4, VX_RULE_ONE_OF, 3, 1, 0 },
	/* the note of a far work request: not of key 0, and only of a far one */
	[RULE_NOTE] = { 0, 8, VX_RULE_NONE_OF, 4, 1, RULE_NOTE_FAR },
	[RULE_NOTE_FAR] = { UP(struct toy_wr, opcode, wr), 4, VX_RULE_ONE_OF, 1, 1, 0 },
};

const uint64_t vx_rule_values[] = { 1, 2, 4, 7, 0 };

#define SIZE(T, m) sizeof(((T *)NULL)->m)
#define FIELD(T, m, k, ...) \
	{ .name = S(m), .offset = offsetof(T, m), .size = SIZE(T, m), .kind = VX_KIND_##k, __VA_ARGS__ }
#define ARRAY(T, m, k, n, ...) \
	{ .name = S(m), .offset = offsetof(T, m), .size = SIZE(T, m[0]), .count = n, .kind = VX_KIND_##k, __VA_ARGS__ }
#define FORM(m, k, f) FIELD(struct toy_forms, m, k, .form = VX_FORM_##f)

enum {
	FIELDS_GID = 0, FIELDS_GLOBAL = 2, FIELDS_KINDS = 4, FIELDS_FORMS = 21, FIELDS_SGE = 48, FIELDS_WR = 50,
	FIELDS_UNION = 61, FIELDS_NEAR = 63, FIELDS_FAR = 64, FIELDS_CAP = 66, FIELDS_ATTR = 68, FIELDS_LOOSE = 77,
	FIELDS_LOOSE_UNION = 78, FIELDS_FRONT = 80, FIELDS_TAIL = 84, FIELDS_NODE = 86, FIELDS_RARE = 89,
	FIELDS_SECRET = 98,
};

/* The tags of C's unnamed structures. */
typedef __typeof__(((union toy_gid *)NULL)->global) toy_gid_global;
typedef __typeof__(((struct toy_wr *)NULL)->wr) toy_wr_union;
typedef __typeof__(((struct toy_wr *)NULL)->wr.near) toy_wr_near;
typedef __typeof__(((struct toy_wr *)NULL)->wr.far) toy_wr_far;
typedef __typeof__(((struct toy_loose *)NULL)->u) toy_loose_union;

const struct vx_field vx_fields[] = {
	[FIELDS_GID] = ARRAY(union toy_gid, raw, BYTES, 16, .form = VX_FORM_GID),
	FIELD(union toy_gid, global, STRUCT, .ref = TOY_GID_GLOBAL, .flags = VX_FIELD_UNION),
	[FIELDS_GLOBAL] = FIELD(toy_gid_global, prefix, UINT, .flags = VX_FIELD_BIG_ENDIAN, .form = VX_FORM_HEX),
	FIELD(toy_gid_global, id, UINT, .flags = VX_FIELD_BIG_ENDIAN, .form = VX_FORM_HEX),

	[FIELDS_KINDS] = FIELD(struct toy_kinds, number, UINT, 0),
	FIELD(struct toy_kinds, negative, INT, 0),
	FIELD(struct toy_kinds, truth, BOOL, 0),
	FIELD(struct toy_kinds, color, ENUM, .ref = ENUM_COLOR),
	FIELD(struct toy_kinds, state, ENUM, .ref = ENUM_STATE),
	FIELD(struct toy_kinds, access, FLAGS, .ref = ENUM_ACCESS),
	FIELD(struct toy_kinds, colors, BITMAP, .ref = ENUM_COLOR),
	FIELD(struct toy_kinds, speed, CODE, .ref = 0),
	FIELD(struct toy_kinds, spec, ENUM, .ref = ENUM_SPEC),
	ARRAY(struct toy_kinds, text, STRING, 8, 0),
	ARRAY(struct toy_kinds, blob, BYTES, 4, 0),
	FIELD(struct toy_kinds, pointer, POINTER, 0),
	FIELD(struct toy_kinds, function, FUNCTION, 0),
	ARRAY(struct toy_kinds, list, UINT, 3, 0),
	FIELD(struct toy_kinds, big, UINT, .flags = VX_FIELD_BIG_ENDIAN),
	FIELD(struct toy_kinds, reserved, UINT, .flags = VX_FIELD_ZERO),
	FIELD(struct toy_kinds, gid, STRUCT, .ref = TOY_GID),

	[FIELDS_FORMS] = FORM(hex, UINT, HEX),
	FORM(page_sizes, UINT, PAGE_SIZES),
	FORM(log2, UINT, LOG2),
	FORM(ack_timeout, UINT, ACK_TIMEOUT),
	FORM(delay, UINT, DELAY),
	FORM(retry, UINT, RETRY),
	FORM(rate, UINT, RATE_KBPS),
	FORM(clock, UINT, CLOCK_KHZ),
	FORM(bytes, UINT, BYTES),
	FORM(ns, UINT, NS),
	FIELD(struct toy_forms, guid, UINT, .form = VX_FORM_GUID, .flags = VX_FIELD_BIG_ENDIAN),
	ARRAY(struct toy_forms, gid, BYTES, 16, .form = VX_FORM_GID),
	ARRAY(struct toy_forms, mac, BYTES, 6, .form = VX_FORM_MAC),
	FORM(ipv4, UINT, IPV4),
	ARRAY(struct toy_forms, ipv6, BYTES, 16, .form = VX_FORM_IPV6),
	FORM(address, BYTES, SOCKADDR),
	FORM(error, INT, ERRNO),
	FORM(fd, INT, FD),
	FORM(mode, INT, MODE),
	FIELD(struct toy_forms, protocol, CODE, .ref = 0, .form = VX_FORM_HEX),
	FORM(version, UINT, VERSION),
	FORM(pace, UINT, KBPS),
	FORM(time, BYTES, TIMESPEC),
	FORM(plenty, UINT, VX_NONE),
	FIELD(struct toy_forms, wanted, ENUM, .ref = ENUM_COLOR, .form = VX_FORM_DEFAULT),
	FIELD(struct toy_forms, rights, FLAGS, .ref = ENUM_ACCESS, .form = VX_FORM_DEFAULT),
	FIELD(struct toy_forms, size, UINT, .flags = VX_FIELD_LONG),

	[FIELDS_SGE] = FIELD(struct toy_sge, addr, UINT, .form = VX_FORM_HEX),
	FIELD(struct toy_sge, length, UINT, 0),

	[FIELDS_WR] = FIELD(struct toy_wr, id, UINT, 0),
	FIELD(struct toy_wr, next, STRUCT_POINTER, .ref = TOY_WR, .flags = VX_FIELD_LIST),
	FIELD(struct toy_wr, sg_list, STRUCT_POINTER, .ref = TOY_SGE, .length = 4),
	FIELD(struct toy_wr, num_sge, INT, 0),
	FIELD(struct toy_wr, opcode, UINT, 0),
	FIELD(struct toy_wr, wr, STRUCT, .ref = TOY_WR_UNION),
	FIELD(struct toy_wr, numbers, UINT_POINTER, .ref = 2, .length = 4),
	FIELD(struct toy_wr, key, BYTES_POINTER, .length = 9),
	FIELD(struct toy_wr, key_len, UINT, 0),
	FIELD(struct toy_wr, gids, STRUCT_POINTER, .ref = TOY_GID, .length = 11, .flags = VX_FIELD_LENGTH_POINTER),
	FIELD(struct toy_wr, log_gids, UINT, 0),
	[FIELDS_UNION] = FIELD(toy_wr_union, near, STRUCT, .ref = TOY_WR_NEAR, .rule = RULE_NEAR),
	FIELD(toy_wr_union, far, STRUCT, .ref = TOY_WR_FAR, .rule = RULE_FAR, .flags = VX_FIELD_UNION),
	[FIELDS_NEAR] = FIELD(toy_wr_near, key, UINT, 0),
	[FIELDS_FAR] = FIELD(toy_wr_far, key, UINT, 0),
	FIELD(toy_wr_far, note, TEXT_POINTER, .rule = RULE_NOTE),

	[FIELDS_CAP] = FIELD(struct toy_cap, max_wr, UINT, 0),
	FIELD(struct toy_cap, max_sge, UINT, 0),

	[FIELDS_ATTR] = FIELD(struct toy_attr, comp_mask, UINT, .form = VX_FORM_HEX),
	FIELD(struct toy_attr, guarded, UINT, .rule = RULE_GUARDED),
	FIELD(struct toy_attr, old, UINT, .rule = RULE_OLD),
	FIELD(struct toy_attr, asked, UINT, .rule = RULE_ASKED),
	FIELD(struct toy_attr, hidden, UINT, .rule = RULE_HIDDEN),
	FIELD(struct toy_attr, cap, STRUCT, .ref = TOY_CAP),
	ARRAY(struct toy_attr, caps, STRUCT, 2, .ref = TOY_CAP),
	FIELD(struct toy_attr, used, UINT, 0),
	ARRAY(struct toy_attr, values, UINT, 4, .length = 8),

	[FIELDS_LOOSE] = FIELD(struct toy_loose, u, STRUCT, .ref = TOY_LOOSE_UNION),
	[FIELDS_LOOSE_UNION] = FIELD(toy_loose_union, cap, STRUCT_POINTER, .ref = TOY_CAP),
	FIELD(toy_loose_union, number, UINT, .flags = VX_FIELD_UNION),

	[FIELDS_FRONT] = FIELD(struct toy_front, newest, UINT, 0),
	FIELD(struct toy_front, middle, UINT, 0),
	FIELD(struct toy_front, oldest, UINT, 0),
	FIELD(struct toy_front, chosen, UINT, .rule = RULE_CHOSEN),

	[FIELDS_TAIL] = FIELD(struct toy_tail, count, UINT, 0),
	ARRAY(struct toy_tail, items, UINT, VX_FLEXIBLE, .length = 1),

};

const struct vx_field vx_more_fields[] = {
	FIELD(struct toy_node, value, UINT, 0),
	FIELD(struct toy_node, left, STRUCT_POINTER, .ref = TOY_NODE),
	FIELD(struct toy_node, right, STRUCT_POINTER, .ref = TOY_NODE),

	[FIELDS_RARE - FIELDS_NODE] = ARRAY(struct toy_rare, names, STRING, 2, 0),
	ARRAY(struct toy_rare, keys, BYTES, 2, 0),
	FIELD(struct toy_rare, one_flag, ENUM, .ref = ENUM_ACCESS),
	FIELD(struct toy_rare, single, UINT_POINTER, .ref = 4),
	FIELD(struct toy_rare, address, BYTES_POINTER, .form = VX_FORM_SOCKADDR, .length = 6),
	FIELD(struct toy_rare, address_len, UINT, 0),
	FIELD(struct toy_rare, many, UINT_POINTER, .ref = 1, .length = 9),
	FIELD(struct toy_rare, blob, BYTES_POINTER, .length = 9),
	FIELD(struct toy_rare, length, UINT, 0),

	[FIELDS_SECRET - FIELDS_NODE] = FIELD(struct toy_secret, salt, UINT, .form = VX_FORM_HEX, .flags = VX_FIELD_SECRET),
	FIELD(struct toy_secret, key, BYTES, .flags = VX_FIELD_SECRET),
	FIELD(struct toy_secret, blob, BYTES_POINTER, .flags = VX_FIELD_SECRET, .length = 4),
	FIELD(struct toy_secret, length, UINT, 0),
	FIELD(struct toy_secret, many, POINTER_POINTER, .length = 4),
};

#define UNION VX_STRUCT_UNION
#define NESTED VX_STRUCT_NESTED

const struct vx_struct vx_structs[] = {
	[TOY_GID] = { S(toy_gid), 16, FIELDS_GID, 2, UNION | VX_STRUCT_ONE_VALUE, 33, 6, 0 },
	[TOY_GID_GLOBAL] = { 0, 16, FIELDS_GLOBAL, 2, NESTED, 33, 6, 0 },
	[TOY_KINDS] = { S(toy_kinds), sizeof(struct toy_kinds), FIELDS_KINDS, 17, 0, 33, 8, 0 },
	[TOY_FORMS] = { S(toy_forms), sizeof(struct toy_forms), FIELDS_FORMS, 27, 0, 33, 11, 0 },
	[TOY_SGE] = { S(toy_sge), sizeof(struct toy_sge), FIELDS_SGE, 2, 0, 33, 6, 0 },
	[TOY_WR] = { S(toy_wr), sizeof(struct toy_wr), FIELDS_WR, 11, 0, 33, 8, 0 },
	[TOY_WR_UNION] = { 0, sizeof(toy_wr_union), FIELDS_UNION, 2, UNION | NESTED, 33, 4, 0 },
	[TOY_WR_NEAR] = { 0, sizeof(toy_wr_near), FIELDS_NEAR, 1, NESTED, 33, 3, 0 },
	[TOY_WR_FAR] = { 0, sizeof(toy_wr_far), FIELDS_FAR, 2, NESTED, 33, 4, 0 },
	[TOY_CAP] = { S(toy_cap), sizeof(struct toy_cap), FIELDS_CAP, 2, 0, 33, 7, 0 },
	[TOY_ATTR] = { S(toy_attr), sizeof(struct toy_attr), FIELDS_ATTR, 9, 0, 33, 9, 0 },
	[TOY_LOOSE] = { S(toy_loose), sizeof(struct toy_loose), FIELDS_LOOSE, 1, 0, 33, 1, 0 },
	[TOY_LOOSE_UNION] = { 0, sizeof(toy_loose_union), FIELDS_LOOSE_UNION, 2, UNION | NESTED, 33, 6, 0 },
	[TOY_FRONT] = { S(toy_front), sizeof(struct toy_front), FIELDS_FRONT, 4, VX_STRUCT_GROWS_FRONT, 33, 6, 0 },
	[TOY_TAIL] = { S(toy_tail), sizeof(struct toy_tail), FIELDS_TAIL, 2, 0, 33, 5, 0 },
};

const struct vx_struct vx_more_structs[] = {
	{ S(toy_node), sizeof(struct toy_node), FIELDS_NODE, 3, 0, 33, 5, 0 },
	[TOY_RARE - TOY_NODE] = { S(toy_rare), sizeof(struct toy_rare), FIELDS_RARE, 9, 0, 33, 11, 0 },
	[TOY_SECRET - TOY_NODE] = { S(toy_secret), sizeof(struct toy_secret), FIELDS_SECRET, 5, 0, 33, 6, 0 },
};

const struct vx_core_rows vx_core = { TOY_NODE, FIELDS_NODE, sizeof(struct struct_pool) };

const uint16_t vx_struct_count = TOY_STRUCTS;

const uint16_t vx_struct_ids[] = { 0, 1 + TOY_SGE, 0, 1 + TOY_GID, 1 + TOY_SECRET };

const uint16_t vx_struct_id_count = 5;
