/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How large the value of a field may be, and what is wrong with one that is not. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain_range.h"

#define ENUM "enum "
#define LARGEST_TYPE 8	/* bytes */
#define MOST_LISTED 16	/* values of a field */

static const struct bound {
	const char *path;
	uint32_t number;
	const char *source;	/* the field that tells, rather than a number */
} bounds[] = {
#define BOUND(path, number, source) { path, number, source },
#include "bound_words.inc"
#undef BOUND
};

static const struct bound *bound_of(const char *tag, const struct place *at)
{
	size_t i, len = strlen(tag);

	for (i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (!strncmp(bounds[i].path, tag, len) && bounds[i].path[len] == '.' &&
		    !strcmp(bounds[i].path + len + 1, at->path))
			return &bounds[i];
	return NULL;
}

char *range_of(const char *tag, const struct place *at)
{
	const struct bound *bound = bound_of(tag, at);

	if (!bound)
		return need_text("%s", "");
	if (*bound->source)
		return need_text("up to %s", bound->source);
	return need_text("0 to %" PRIu32, bound->number);
}

/* The value by which such a text is meant: "1024" begins what field.code says of 3. */
static const char *text_of_code(const struct place *at, double said, uint64_t *value)
{
	const char *text;
	char *end;
	size_t i;

	for (i = 0; vx_struct_field_code_at(at->s, at->index, i, value, &text); i++)
		if (strtod(text, &end) == said && end > text)
			return text;
	return NULL;
}

static bool is_code(const struct place *at, uint64_t value)
{
	uint64_t known;
	size_t i;

	for (i = 0; vx_struct_field_code_at(at->s, at->index, i, &known, NULL); i++)
		if (known == value)
			return true;
	return i == 0;
}

/* " (IBV_MTU_1024)", where the type of a field has a name for the value. */
static char *name_in_type(const struct place *at, uint64_t value)
{
	const char *type = at->field.c_type, *name = NULL;

	if (!strncmp(type, ENUM, strlen(ENUM)))
		name = vx_enum_name(vx_enum_find(type + strlen(ENUM)), (int64_t)value);
	return name ? need_text(" (%s)", name) : need_text("%s", "");
}

/* ": 1 is 256 bytes, 2 is 512 bytes", and nothing where there are more than a line has room for: malloc()ed */
static char *all_codes(const struct place *at)
{
	char *all = need_text("%s", ""), *longer;
	const char *text;
	uint64_t value;
	size_t i;

	for (i = 0; vx_struct_field_code_at(at->s, at->index, i, &value, &text); i++) {
		longer = need_text("%s%s%" PRIu64 " is %s", all, i ? ", " : ": ", value, text);
		free(all);
		all = longer;
	}
	if (i > MOST_LISTED)
		*all = '\0';
	return all;
}

static char *wrong_code(const struct place *at, uint64_t value, const char *said)
{
	uint64_t meant;
	const char *text = text_of_code(at, (double)value, &meant);
	char *name, *wrong;

	if (!text) {
		name = all_codes(at);
		wrong = need_text("%s is none of its values%s", said, name);
		free(name);
		return wrong;
	}
	name = name_in_type(at, meant);
	wrong = need_text("%s is none of its values: %" PRIu64 " is %s%s", said, meant, text, name);
	free(name);
	return wrong;
}

static bool has_sign(const struct vx_field_info *field)
{
	return !strncmp(field->c_type, "int", strlen("int")) || !strncmp(field->c_type, ENUM, strlen(ENUM));
}

static bool is_too_wide(const struct vx_field_info *field, uint64_t value)
{
	unsigned int bits = 8 * (unsigned int)field->size;

	if (!bits || field->size >= LARGEST_TYPE || field->count)
		return false;
	if (has_sign(field) && (int64_t)value < 0)
		value = ~value << 1;	/* one bit more than its digits */
	return value >> bits;
}

char *out_of_range(const char *tag, const struct place *at, uint64_t value, const char *said)
{
	const struct bound *bound = bound_of(tag, at);
	const struct vx_field_info *field = &at->field;

	if (bound && !*bound->source && value > bound->number)
		return need_text("%s is out of range: 0 to %" PRIu32, said, bound->number);
	if (!is_code(at, value))
		return wrong_code(at, value, said);
	if (field->e && vx_enum_kind_of(field->e) == VX_ENUM_VALUES && !vx_enum_name(field->e, (int64_t)value))
		return need_text("%s is no value of %s", said, vx_enum_tag(field->e));
	if (is_too_wide(field, value) && *said == '-' && !has_sign(field))
		return need_text("%s is out of range: %s is never below 0", said, field->c_type);
	if (is_too_wide(field, value))
		return need_text("%s is out of range: %s has %zu bits", said, field->c_type, 8 * field->size);
	return NULL;
}
