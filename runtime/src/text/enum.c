/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* From values to names. */

#include "ids.h"
#include "printer.h"
#include "give.h"

/* These share their value with a name that is to be preferred, or stand for no valid value. */
#define NEVER_PRINTED (VX_ENUMERATOR_ALIAS | VX_ENUMERATOR_SENTINEL)

const struct vx_enum_info *vx_enum_find(const char *name)
{
	size_t i;

	if (!name)
		return NULL;
	for (i = 0; i < vx_enum_count; i++)
		if (!strcmp(vx_enum_names + vx_enums[i].tag, name))
			return &vx_enums[i];
	return NULL;
}

const struct vx_enum_info *vx_enum_at(size_t index)
{
	return index < vx_enum_count ? &vx_enums[index] : NULL;
}

const struct vx_enum_info *vx_enum_by_id(uint32_t id)
{
	uint16_t place = id < vx_enum_id_count ? vx_enum_ids[id] : 0;

	return place ? &vx_enums[place - 1] : NULL;
}

const char *vx_enum_tag(const struct vx_enum_info *e)
{
	return vx_enum_names + vx_known_enum(e)->tag;
}

enum vx_enum_kind vx_enum_kind_of(const struct vx_enum_info *e)
{
	return (enum vx_enum_kind)vx_known_enum(e)->kind;
}

bool vx_enumerator_at_sized(const struct vx_enum_info *e, size_t index, struct vx_enumerator *out, size_t size)
{
	const struct vx_enum_row *row;
	struct vx_enumerator found;

	e = vx_known_enum(e);
	if (index >= e->rows)
		return false;
	row = &vx_enum_rows[e->row + index];
	found = (struct vx_enumerator){
		.name = vx_enum_names + row->name,
		.value = vx_row_value(row),
		.since = row->since,
		.flags = row->flags & ~VX_ROW_WIDE & UINT8_MAX,
	};
	return VX_GIVE(out, size, &found);
}

static const char *slot_name(const struct vx_enum_info *e, uint64_t index)
{
	vx_name name = vx_enum_slots[e->slot + index];

	return name ? vx_enum_names + name : NULL;
}

static const char *row_name(const struct vx_enum_info *e, int64_t value)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row];
	const struct vx_enum_row *end = row + e->rows;

	for (; row < end; row++)
		if (vx_row_value(row) == value && !(row->flags & NEVER_PRINTED))
			return vx_enum_names + row->name;
	return NULL;
}

const struct vx_enum_row *vx_enum_row_naming(const struct vx_enum_info *e, uint64_t number)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row], *end = row + e->rows;
	char word[24];
	size_t len = (size_t)snprintf(word, sizeof(word), "_%llu", (unsigned long long)number);

	for (; row < end; row++) {
		const char *at = strstr(vx_enum_names + row->name, word);

		if (at && (at[len] == '_' || at[len] == '\0'))
			return row;
	}
	return NULL;
}

/* Not by __builtin_popcountll(), which is a call of libgcc's where processors without the instruction are served. */
static inline bool is_one_bit(uint64_t value)
{
	return (value ^ (value - 1)) > value - 1;
}

static inline const char *flag_name(const struct vx_enum_info *e, unsigned int bit)
{
	if (!VX_USUALLY(e->kind == VX_ENUM_FLAGS && bit < e->slots))
		return row_name(e, (int64_t)(UINT64_C(1) << bit));
	return VX_USUALLY(vx_enum_slots[e->slot + bit]) ? vx_enum_names + vx_enum_slots[e->slot + bit] : NULL;
}

/* Most lookups are of a value in the dense part of an enum, or of one flag, and end with a slot. */
static inline const char *fast_name(const struct vx_enum_info *e, int64_t value)
{
	const uint64_t index = (uint64_t)value - (uint64_t)(int64_t)e->low;

	if (VX_USUALLY(e->kind == VX_ENUM_FLAGS))
		return VX_USUALLY(is_one_bit((uint64_t)value)) ? flag_name(e, (unsigned int)__builtin_ctzll((uint64_t)value)) : row_name(e, value);
	return VX_USUALLY(index < e->slots) ? slot_name(e, index) : row_name(e, value);
}

/* From the first byte of a line of code on, as it is hardly longer than one: else it depended on what lies before it how long it takes. */
__attribute__((aligned(64))) const char *vx_enum_name(const struct vx_enum_info *e, int64_t value)
{
	return e ? fast_name(e, value) : NULL;
}

bool vx_is_rate(uint8_t rate)
{
	return vx_enum_name(&vx_enums[ENUM_ibv_rate], rate);
}

/* The widest name of several bits that are all set; not a composite, whose bits have names of their own. */
static const struct vx_enum_row *widest_mask(const struct vx_enum_info *e, uint64_t set)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row];
	const struct vx_enum_row *end = row + e->rows;
	const struct vx_enum_row *widest = NULL;
	int width = 1;

	for (; row < end; row++) {
		uint64_t mask = (uint64_t)vx_row_value(row);

		if (row->flags & (NEVER_PRINTED | VX_ENUMERATOR_COMPOSITE) || (set & mask) != mask ||
		    __builtin_popcountll(mask) <= width)
			continue;
		widest = row;
		width = __builtin_popcountll(mask);
	}
	return widest;
}

static void join_name(struct vx_join *join, const char *name)
{
	vx_join_next(join);
	if (join->quoted)
		vx_put_char(join->out, '"');
	vx_put_known(join->out, name);
	if (join->quoted)
		vx_put_char(join->out, '"');
}

static uint64_t join_masks(struct vx_join *join, const struct vx_enum_info *e, uint64_t set)
{
	const struct vx_enum_row *row;

	while (set && (row = widest_mask(e, set))) {
		join_name(join, vx_enum_names + row->name);
		set &= ~(uint64_t)vx_row_value(row);
	}
	return set;
}

uint64_t vx_enum_join(struct vx_join *join, const struct vx_enum_info *e, uint64_t set, bool bitmap)
{
	uint64_t unknown = 0;

	for (; set; set &= set - 1) {
		unsigned int bit = (unsigned int)__builtin_ctzll(set);
		const char *name = bitmap ? fast_name(e, (int64_t)bit) : flag_name(e, bit);

		if (name)
			join_name(join, name);
		else
			unknown |= UINT64_C(1) << bit;
	}
	if (!bitmap)
		unknown = join_masks(join, e, unknown);
	if (unknown && !join->quoted) {
		vx_join_next(join);
		vx_put_hex(join->out, unknown);
	}
	return unknown;
}

/* Of an unknown value "ibv_wc_status(37)". */
static bool put_value(struct vx_out *out, const struct vx_enum_info *e, int64_t value)
{
	const char *name = fast_name(e, value);

	if (name)
		vx_put_known(out, name);
	else
		vx_put_format(out, "%s(%lld)", vx_enum_names + e->tag, (long long)value);
	return name;
}

static bool put_flags(struct vx_out *out, const struct vx_enum_info *e, uint64_t set)
{
	struct vx_join join = { .out = out, .between = "|" };

	if (!set)
		vx_put_char(out, '0');
	return !vx_enum_join(&join, e, set, false);
}

/* A value that no enumerator has as it stands: split into the value proper and the flags beside it. */
static bool put_mixed(struct vx_out *out, const struct vx_enum_info *e, int64_t value)
{
	uint64_t flags = (uint64_t)value & e->flag_bits;
	int64_t rest = (int64_t)((uint64_t)value & ~e->flag_bits);
	bool known = true;

	if (!flags || fast_name(e, value))
		return put_value(out, e, value);
	if (rest || fast_name(e, 0)) {
		known = put_value(out, e, rest);
		vx_put_char(out, '|');
	}
	return put_flags(out, e, flags) && known;
}

bool vx_enum_put(struct vx_out *out, const struct vx_enum_info *e, int64_t value)
{
	if (e->kind == VX_ENUM_FLAGS)
		return put_flags(out, e, (uint64_t)value);
	return e->kind == VX_ENUM_MIXED ? put_mixed(out, e, value) : put_value(out, e, value);
}

size_t vx_enum_snprint(char *buf, size_t len, const struct vx_enum_info *e, int64_t value)
{
	struct vx_out out = vx_out_in(buf, len);

	vx_enum_put(&out, vx_known_enum(e), value);
	return vx_out_finish(&out);
}
