/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Errnos, and numbers of which nobody said what they are. */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain_words.h"
#include "table.h"

/* What programs and logs show as numbers. */
static const char *const usual_values[] = {
	"ibv_wc_status", "ibv_event_type", "rdma_cm_event_type", "ibv_wc_opcode", "ibv_wr_opcode", "ibv_qp_state",
	"ibv_qp_type", "ibv_port_state", "ibv_mtu", "ibv_rate",
};
static const char *const usual_flags[] = {
	"ibv_access_flags", "ibv_send_flags", "ibv_wc_flags", "ibv_qp_attr_mask", "ibv_device_cap_flags",
	"ibv_port_cap_flags",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put_errno(struct report *r, const struct vx_errno_info *info)
{
	report_item(r, "errno", info->name);
	report_number(r, "value", info->code);
	report_text(r, "text", strerror(info->code));
	report_meaning(r, &(struct vx_meaning){ info->says, info->causes, info->remedy });
	report_close(r);
}

/* Whether it is of the form of a number or a name of one, "E2BIG": of others it takes long to find that they are no errno. */
static bool may_be_errno(const char *text)
{
	text += strspn(text, " ");
	text += strspn(text, "-+");
	if (!isdigit((unsigned char)*text) && toupper((unsigned char)*text) != 'E')
		return false;
	while (isalnum((unsigned char)*text))
		text++;
	return !*text;
}

size_t explain_errno(struct report *r, const char *text)
{
	const char *name = text + (text[0] == '-' && text[1] == 'E');
	struct vx_errno_info info;

	if (!may_be_errno(text) || (!errno_named(name, &info) && !vx_errno_find(name, &info)))
		return 0;
	put_errno(r, &info);
	return 1;
}

static size_t add_errno(struct table *t, int64_t number)
{
	struct vx_errno_info info;

	if (number != (int)number || !vx_errno_of((int)number, &info))
		return 0;
	table_text(t, "errno");
	table_text(t, info.name);
	table_text(t, *info.says ? info.says : strerror(info.code));
	return 1;
}

/* People paste these as they are printed, in hexadecimal. */
static size_t add_vendor_err(struct table *t, int64_t number, const char *text)
{
	const char *status = status_seen_with((uint64_t)number);
	char *says;

	if (!status)
		return 0;
	says = need_text("the device's own code for an error, seen with %s", status);
	table_text(t, "vendor_err");
	table_text(t, text);
	table_text(t, says);
	free(says);
	return 1;
}

static size_t add_value(struct table *t, const char *tag, int64_t number)
{
	const char *name = vx_enum_name(vx_enum_find(tag), number);

	if (!name)
		return 0;
	table_text(t, tag);
	table_text(t, name);
	table_text(t, what_it_says(name));
	return 1;
}

/* A set of flags is a plausible reading when it has a name for each bit. */
static size_t add_flags(struct table *t, const char *tag, int64_t number)
{
	char text[1024];

	if (!number || vx_enum_snprint(text, sizeof(text), vx_enum_find(tag), number) >= sizeof(text) ||
	    strstr(text, "0x"))
		return 0;
	table_text(t, tag);
	table_text(t, text);
	table_text(t, strchr(text, '|') ? "" : what_it_says(text));
	return 1;
}

/* A negative number that was not written as one is a large one, with the highest of 64 bits set: no errno, and no value. */
static bool is_large(int64_t number, const char *text)
{
	return number < 0 && *text != '-';
}

static size_t add_all(struct table *t, int64_t number, const char *text)
{
	bool hex = strchr(text, 'x') || strchr(text, 'X'), large = is_large(number, text);
	size_t i, found = hex ? add_vendor_err(t, number, text) : 0;

	found += large ? 0 : add_errno(t, number);
	for (i = 0; !large && i < COUNT(usual_values); i++)
		found += add_value(t, usual_values[i], number);
	for (i = 0; hex && i < COUNT(usual_flags); i++)
		found += add_flags(t, usual_flags[i], number);
	return found;
}

size_t explain_number(struct report *r, int64_t number, const char *text)
{
	static const struct column columns[] = {
		{ "as", TEXT }, { "name", TEXT }, { "says", TEXT },
	};
	struct table t = TABLE(r, "readings", columns);

	if (!add_all(&t, number, text))
		return 0;
	report_item(r, "number", text);
	table_end(&t);
	report_close(r);
	return 1;
}
