/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any text read as a value of any enum: what is read is printed and read again as the same; what is not is an error
 * that says so. Input: 2 bytes that choose the enum, the text.
 */

#include <errno.h>

#include <verbsx/enum.h>
#include <verbsx/error.h>

#include "input.h"
#include "text/printer.h"

#define LONGEST 8192
#define UNTOUCHED 0x5a5a5a5a

static void check_value(const struct vx_enum_info *e, int64_t value)
{
	char text[LONGEST];
	int64_t back = ~value;

	must(vx_enum_snprint(text, sizeof(text), e, value) < sizeof(text));
	must(vx_enum_parse(e, text, &back) == 0 && back == value);
}

/* 300 is no value of ibv_rate, but the number in the name of IBV_RATE_300_GBPS; 1500 is nothing at all. */
static int is_refused(const struct vx_enum_info *e, int64_t number)
{
	return vx_enum_kind_of(e) == VX_ENUM_VALUES && !vx_enum_name(e, number);
}

/* C's own reading of numbers, where the text is one as a whole. */
static void check_number(const struct vx_enum_info *e, const char *text, int rc, int64_t value)
{
	char *end = NULL;
	int64_t number;

	errno = 0;
	number = strchr(text, '-') ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	if (end == text || *end)
		return;
	if (errno == 0 && is_refused(e, number))
		must(rc == -EINVAL);
	else
		must(rc == -errno);
	must(rc || value == number);
}

static void check_error(int rc, int64_t value)
{
	must(rc == -EINVAL || rc == -ERANGE);
	must(value == UNTOUCHED);
	must(vx_error()->code == rc);
	must(*vx_error()->reason && *vx_error_text());
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };
	const struct vx_enum_info *e = vx_enum_at(take_number(&in, 2) % vx_enum_count);
	char *text = take_text(&in);
	int64_t value = UNTOUCHED;
	int rc = vx_enum_parse(e, text, &value);

	if (rc == 0)
		check_value(e, value);
	else
		check_error(rc, value);
	check_number(e, text, rc, value);
	free(text);
	return 0;
}
