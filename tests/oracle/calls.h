/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_ORACLE_CALLS_H
#define VERBSX_TESTS_ORACLE_CALLS_H

/*
 * The functions that each enum and each structure has of its own do what the general ones do. A program is made of this
 * file and a line for each enum and structure of the headers, as C and as C++.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/efa.h>
#include <verbsx/hns.h>
#include <verbsx/ionic.h>
#include <verbsx/mana.h>
#include <verbsx/mlx4.h>
#include <verbsx/mlx5.h>
#include <verbsx/verbsx.h>

#define LONGEST 4096

static int cases, failed;

static void check(bool holds, const char *tag, const char *what)
{
	cases++;
	if (holds)
		return;
	failed++;
	printf("%s: %s\n", tag, what);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The functions of one enum, as a table, so that what follows is written once. */
struct own {
	const char *tag;
	const struct vx_enum_info *e;
	const char *(*name)(int64_t value);
	size_t (*snprint)(char *buf, size_t len, int64_t value);
	int (*parse)(const char *text, int64_t *value);
	bool (*fits)(int64_t value);
	bool (*at)(size_t index, struct vx_enumerator *out);
};

static void check_value(const struct own *own, int64_t value)
{
	char ours[LONGEST] = "", general[LONGEST] = "";
	int64_t back = ~value;

	check(same_text(own->name(value), vx_enum_name(own->e, value)), own->tag, "_name");
	own->snprint(ours, sizeof(ours), value);
	vx_enum_snprint(general, sizeof(general), own->e, value);
	check(*ours && same_text(ours, general), own->tag, "_snprint");
	if (own->fits(value))
		check(own->parse(ours, &back) == 0 && back == value, own->tag, "_parse");
	else
		check(own->parse(ours, &back) == -ERANGE && back == ~value, own->tag, "_parse of what does not fit");
}

static void check_enum(const struct own *own)
{
	struct vx_enumerator at, general;
	size_t i;

	check(own->e && own->e == vx_enum_find(own->tag), own->tag, "VX_ENUM");
	for (i = 0; vx_enumerator_at(own->e, i, &general); i++) {
		check(own->at(i, &at) && at.value == general.value && same_text(at.name, general.name), own->tag,
		      "_at");
		check_value(own, general.value);
		check_value(own, general.value + 1);
	}
	check(i > 0 && !own->at(i, &at), own->tag, "_at ends");
	check_value(own, 0x7ffffff1);
}

static void check_struct(const char *tag, size_t size, struct vx_type by_name, struct vx_type by_type,
			 struct vx_type by_const)
{
	check(by_name.desc && by_name.desc == vx_struct_find(tag) && by_name.size == size, tag, "VX_STRUCT");
	check(by_type.desc == by_name.desc && by_type.size == size, tag, "VX_TYPEOF");
	check(by_const.desc == by_name.desc && by_const.size == size, tag, "VX_TYPEOF of const");
}

/* What each enum has of its own may be macros: as functions, in a shape that all share. */
#define TYPED(tag, type) \
	static const char *name_##tag(int64_t value) \
	{ \
		return vx_##tag##_name(value); \
	} \
	static size_t snprint_##tag(char *buf, size_t len, int64_t value) \
	{ \
		return vx_##tag##_snprint(buf, len, value); \
	} \
	static bool at_##tag(size_t index, struct vx_enumerator *out) \
	{ \
		return vx_##tag##_at(index, out); \
	} \
	static int parse_##tag(const char *text, int64_t *value) \
	{ \
		type typed; \
		int rc = vx_##tag##_parse(text, &typed); \
		if (rc == 0) \
			*value = (int64_t)typed; \
		return rc; \
	} \
	static bool fits_##tag(int64_t value) \
	{ \
		return (int64_t)(type)value == value; \
	}

#define ENUM(tag) \
	do { \
		const struct own own = { #tag, VX_ENUM_OF_##tag, name_##tag, snprint_##tag, parse_##tag, fits_##tag, at_##tag }; \
		check_enum(&own); \
	} while (0)

static int finish(void)
{
	printf("cases: %d\n", cases);
	return failed ? 1 : 0;
}

#endif
