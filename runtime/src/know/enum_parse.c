/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* From text to values. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error/fail.h"
#include "text/printer.h"
#include "text/nearest.h"

#define BLANKS " \t\n\v\f\r"
#define SHOWN 64 /* how much of a text that is not understood is repeated */
#define FEW 8	 /* names, which are told where none was given */

/* The text at hand: from here to the end, of which the current piece ends at a '|' or at the end. */
struct reader {
	const struct vx_enum_info *e;
	const char *call; /* what was called, for who failed */
	const char *text; /* as the caller gave it, to tell columns */
	const char *piece;
	size_t len;
};

static int column(const struct reader *r, const char *where)
{
	return 1 + (int)(where - r->text);
}

static VX_COLD int fail_at(const struct reader *r, int code, const char *what, const char *name, const char *other)
{
	int shown = (int)(r->len < SHOWN ? r->len : SHOWN);

	return vx_fail(code, r->call, vx_enum_tag(r->e), "\"%.*s\" at column %d %s%s%s%s%s%s", shown, r->piece,
		       column(r, r->piece), what, name ? "; did you mean " : "", name ? name : "", other ? " or " : "",
		       other ? other : "", name ? "?" : "");
}

/* Of two that are as near, both are told. */
static VX_COLD int fail_unknown(const struct reader *r)
{
	const char *best[2] = { NULL, NULL };
	struct vx_nearest nearest = { .wanted = r->piece, .len = r->len, .names = best, .max = 2 };
	struct vx_enumerator at;
	size_t i;

	if (r->e->kind != VX_ENUM_VALUES && memchr(r->piece, ',', r->len))
		return fail_at(r, -EINVAL, "has a ',' where '|' joins names", NULL, NULL);
	if (r->e->kind == VX_ENUM_VALUES && memchr(r->piece, '|', r->len))
		return fail_at(r, -EINVAL, "has a '|', which joins flags, and this enum has none", NULL, NULL);
	for (i = 0; vx_enumerator_at(r->e, i, &at); i++)
		if (!(at.flags & VX_ENUMERATOR_SENTINEL))
			vx_nearest_try(&nearest, at.name, r->e->prefix);
	return fail_at(r, -EINVAL, r->e->rows ? "is no name of this enum" : "is no name: the enum is NULL", best[0],
		       nearest.distances[0] == nearest.distances[1] ? best[1] : NULL);
}

/* @return 0, -EINVAL where the text is no number, -ERANGE where it does not fit */
static int read_number(const char *text, size_t len, int64_t *value)
{
	bool negative = len && *text == '-', has_sign = negative || (len && *text == '+'), too_large;
	const char *digits = text + has_sign;
	unsigned long long number;
	int saved = errno;
	char *end;

	if (len <= has_sign || *digits < '0' || *digits > '9')
		return -EINVAL;
	if (*digits == '0' && len > 1u + has_sign && (digits[1] | 0x20) == 'b') /* 0b11 is 3 for newer C libraries, and 0 with something behind it for others */
		return -EINVAL;
	errno = 0;
	number = strtoull(digits, &end, 0);
	too_large = errno || (negative && number > (uint64_t)INT64_MAX + 1);
	errno = saved;
	*value = (int64_t)(negative ? 0 - number : number);
	return end != text + len ? -EINVAL : too_large ? -ERANGE : 0;
}

static size_t trimmed(const char **text, size_t len)
{
	size_t blank = strspn(*text, BLANKS);

	blank = blank < len ? blank : len;
	*text += blank;
	for (len -= blank; len && strchr(BLANKS, (*text)[len - 1]);)
		len--;
	return len;
}

static int read_piece(const struct reader *r, int64_t *value);

/* "ibv_wc_status(37)", as snprint writes what it does not know, and "IBV_QPS_RTS (3)", as a field prints: of flags behind the last. */
static int read_tagged(const struct reader *r, int64_t *value)
{
	const char *tag = vx_enum_tag(r->e), *open = memchr(r->piece, '(', r->len), *number = open ? open + 1 : NULL;
	struct reader head = *r;
	int64_t all;
	size_t len;

	if (!open || r->piece[r->len - 1] != ')')
		return -EINVAL;
	len = trimmed(&number, (size_t)(r->piece + r->len - 1 - number));
	head.len = trimmed(&head.piece, (size_t)(open - r->piece));
	if (head.len == strlen(tag) && !memcmp(head.piece, tag, head.len))
		return read_number(number, len, value);
	if (read_number(number, len, &all) < 0 || read_piece(&head, value) < 0)
		return -EINVAL;
	return (r->e->kind == VX_ENUM_VALUES ? *value != all : *value & ~all) ? -EINVAL : 0;
}

/* Of a name that begins with a prefix, the prefix or its first words: "IBV_", "IBV_QPS_". */
static bool is_of_prefix(const struct reader *r, const char *name, size_t more)
{
	return !more || more == r->e->prefix || (more < r->e->prefix && name[more - 1] == '_');
}

/* By its name, whole or without the prefix of the enum or what that begins with: of as many letters, which few others are. */
static const struct vx_enum_row *find_row(const struct reader *r)
{
	const struct vx_enum_row *row = &vx_enum_rows[r->e->row], *end = row + r->e->rows;
	const char *name;
	size_t more;

	for (; row < end; row++) {
		name = vx_enum_names + row->name;
		more = strlen(name) - r->len;
		if (is_of_prefix(r, name, more) && vx_same_start(r->piece, r->len, name + more))
			return row;
	}
	return NULL;
}

static int read_name(const struct reader *r, int64_t *value)
{
	const struct vx_enum_row *row = find_row(r);

	if (!row)
		return fail_unknown(r);
	if (row->flags & VX_ENUMERATOR_SENTINEL)
		return fail_at(r, -EINVAL, "stands for no valid value", NULL, NULL);
	*value = vx_row_value(row);
	return 0;
}

/* The names of an enum that has few. */
static VX_COLD const char *put_few(const struct vx_enum_info *e, char *text, size_t len)
{
	const char *before = ": there are ";
	struct vx_enumerator at;
	size_t i;
	struct vx_out out = vx_out_in(text, len);

	for (i = 0; e->rows <= FEW && vx_enumerator_at(e, i, &at); i++)
		if (!(at.flags & VX_ENUMERATOR_SENTINEL)) {
			vx_put_string(&out, before);
			vx_put_string(&out, at.name);
			before = ", ";
		}
	vx_out_finish(&out);
	return text;
}

/* "1024" is an MTU that IBV_MTU_1024 stands for, and "1500" none at all: who means the value 1500 writes "ibv_mtu(1500)". */
static int check_number(const struct reader *r, int64_t value)
{
	const struct vx_enum_row *meant;
	char few[FEW * SHOWN];

	if (r->e->kind != VX_ENUM_VALUES || !r->e->rows || vx_enum_name(r->e, value))
		return 0;
	meant = vx_enum_row_naming(r->e, (uint64_t)value);
	if (meant)
		return vx_fail(-EINVAL, r->call, vx_enum_tag(r->e), "%lld at column %d is the value of no enumerator; %s is %lld",
			       (long long)value, column(r, r->piece), vx_enum_names + meant->name, (long long)vx_row_value(meant));
	return vx_fail(-EINVAL, r->call, vx_enum_tag(r->e), "%lld at column %d is the value of no enumerator%s; write %s(%lld) where it is meant",
		       (long long)value, column(r, r->piece), put_few(r->e, few, sizeof(few)), vx_enum_tag(r->e), (long long)value);
}

static int read_piece(const struct reader *r, int64_t *value)
{
	int rc;

	if (!r->len)
		return vx_fail(-EINVAL, r->call, vx_enum_tag(r->e), "a name is missing at column %d",
			       column(r, r->piece));
	rc = read_number(r->piece, r->len, value);
	if (rc == 0)
		return check_number(r, *value);
	if (rc == -EINVAL)
		rc = read_tagged(r, value);
	if (rc == -ERANGE)
		return fail_at(r, rc, "does not fit in 64 bits", NULL, NULL);
	return rc == -EINVAL ? read_name(r, value) : rc;
}

/* Step to the piece that begins at @p text. @return where it ends */
static const char *next_piece(struct reader *r, const char *text)
{
	size_t len = r->e->kind == VX_ENUM_VALUES ? strlen(text) : strcspn(text, "|");

	r->piece = text;
	r->len = trimmed(&r->piece, len);
	return text + len;
}

static int parse_enum(const struct vx_enum_info *e, const char *text, int64_t *value, const char *call)
{
	struct reader r = { .e = vx_known_enum(e), .call = call, .text = text };
	uint64_t sum = 0;
	int64_t one;
	int rc;

	if (!text || !value)
		return vx_fail(-EINVAL, call, vx_enum_tag(e), "the %s is NULL", text ? "value" : "text");
	for (;; text++) {
		text = next_piece(&r, text);
		rc = read_piece(&r, &one);
		if (rc < 0)
			return rc;
		sum |= (uint64_t)one;
		if (!*text)
			break;
	}
	*value = (int64_t)sum;
	return 0;
}

/* An enum is an unsigned int in C unless an enumerator is negative. */
static bool fits(const struct vx_enum_info *e, int64_t value, size_t size)
{
	int64_t half;

	if (size == sizeof(value))
		return true;
	half = INT64_C(1) << (8 * size - 1);
	return e->low < 0 ? -half <= value && value < half : 0 <= value && value < 2 * half;
}

int vx_enum_parse_as(const struct vx_enum_info *e, const char *text, void *value, size_t size, const char *call)
{
	int64_t wide;
	int rc = parse_enum(e, text, value ? &wide : NULL, call);

	if (rc < 0)
		return rc;
	if (!size || size > sizeof(wide) || size & (size - 1))
		return vx_fail(-EINVAL, call, vx_enum_tag(e), "size = %zu, which is none of 1, 2, 4 and 8", size);
	if (!fits(vx_known_enum(e), wide, size))
		return vx_fail(-ERANGE, call, vx_enum_tag(e), "%lld is not of %zu bits", (long long)wide, 8 * size);
	memcpy(value, (const char *)&wide + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(wide) - size : 0), size);
	return 0;
}
