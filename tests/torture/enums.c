/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Any value of any enum is printed, and what is printed is read back as the same value. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/enum.h>

#include "torture.h"

#define RANDOM_VALUES 40
#define LONGEST 8192

static void check_cut(const struct vx_enum_info *e, const char *whole, size_t whole_len, int64_t value)
{
	size_t len = torture_below(whole_len + 2);
	size_t kept = len && len <= whole_len ? len - 1 : whole_len;
	char *buf = malloc(len);

	torture_check(vx_enum_snprint(buf, len, e, value) == whole_len);
	torture_check(!len || (!memcmp(buf, whole, kept) && buf[kept] == '\0'));
	free(buf);
}

static void check_value(const struct vx_enum_info *e, int64_t value)
{
	char text[LONGEST];
	int64_t back = ~value;
	size_t len;

	torture_doing("enum %s, value %lld", vx_enum_tag(e), (long long)value);
	len = vx_enum_snprint(text, sizeof(text), e, value);
	torture_check(len > 0 && len < sizeof(text) && strlen(text) == len);
	torture_check(vx_enum_parse(e, text, &back) == 0);
	torture_check(back == value);
	check_cut(e, text, len, value);
}

static void check_name(const struct vx_enum_info *e, const struct vx_enumerator *at)
{
	int64_t back = ~at->value;
	int rc;

	torture_doing("enum %s, %s", vx_enum_tag(e), at->name);
	rc = vx_enum_parse(e, at->name, &back);
	if (at->flags & VX_ENUMERATOR_SENTINEL)
		torture_check(rc == -EINVAL && back == ~at->value);
	else
		torture_check(rc == 0 && back == at->value);
	check_value(e, at->value);
	check_value(e, (int64_t)((uint64_t)at->value + 1));
	check_value(e, (int64_t)((uint64_t)at->value - 1));
	check_value(e, (int64_t)(0 - (uint64_t)at->value));
}

static size_t check_names(const struct vx_enum_info *e)
{
	struct vx_enumerator at;
	size_t i;

	for (i = 0; vx_enumerator_at(e, i, &at); i++)
		check_name(e, &at);
	return i;
}

static void check_bits(const struct vx_enum_info *e)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		check_value(e, (int64_t)(UINT64_C(1) << bit));
		check_value(e, (int64_t)((UINT64_C(1) << bit) - 1));
		check_value(e, (int64_t)~(UINT64_C(1) << bit));
	}
}

/* Several enumerators together, as a set of flags is, with or without something unknown. */
static void check_sum(const struct vx_enum_info *e, size_t count)
{
	uint64_t sum = torture_below(4) ? 0 : torture_number();
	struct vx_enumerator at;
	size_t i;

	for (i = torture_below(5); i-- > 0; )
		if (vx_enumerator_at(e, torture_below(count), &at))
			sum |= (uint64_t)at.value;
	check_value(e, (int64_t)sum);
}

static void torture_enum(const struct vx_enum_info *e)
{
	size_t count = check_names(e), i;

	check_bits(e);
	check_value(e, INT64_MIN);
	check_value(e, INT64_MAX);
	for (i = 0; i < RANDOM_VALUES; i++) {
		check_value(e, (int64_t)torture_number());
		check_value(e, -(int64_t)(torture_number() >> 1));
		check_sum(e, count);
	}
}

void torture_round(void)
{
	const struct vx_enum_info *e;
	size_t i;

	for (i = 0; (e = vx_enum_at(i)); i++)
		torture_enum(e);
}
