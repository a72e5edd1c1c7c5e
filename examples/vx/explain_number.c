/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Errnos, and numbers of which nobody said what they are. */

#include <errno.h>
#include <string.h>

#include <infiniband/verbs.h>


#include "explain.h"
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

size_t explain_errno(struct report *r, const char *text)
{
	struct vx_errno_info info;

	if (!vx_errno_find(text, &info))
		return 0;
	put_errno(r, &info);
	return 1;
}

/* What the C library says of an errno. */
static size_t explain_errno_text(struct report *r, const char *text)
{
	struct vx_errno_info info;
	int code;

	for (code = 1; code < 4096; code++) {
		if (!same_name(strerror(code), text) || !vx_errno_of(code, &info))
			continue;
		put_errno(r, &info);
		return 1;
	}
	return 0;
}

/* What libibverbs says of a value. */
#define SAYS(call, type) \
	static const char *call##_of(int value) \
	{ \
		return call((enum type)value); \
	}
SAYS(ibv_wc_status_str, ibv_wc_status)
SAYS(ibv_event_type_str, ibv_event_type)
SAYS(ibv_port_state_str, ibv_port_state)
SAYS(ibv_node_type_str, ibv_node_type)

static const struct {
	const char *tag;
	const char *(*of)(int value);
} messages[] = {
	{ "ibv_wc_status", ibv_wc_status_str_of },
	{ "ibv_event_type", ibv_event_type_str_of },
	{ "ibv_port_state", ibv_port_state_str_of },
	{ "ibv_node_type", ibv_node_type_str_of },
};

static size_t explain_message_of(struct report *r, size_t which, const char *text)
{
	const struct vx_enum_info *e = vx_enum_find(messages[which].tag);
	struct vx_enumerator at;
	const char *says;
	size_t i;

	for (i = 0; vx_enum_at(e, i, &at); i++) {
		says = messages[which].of((int)at.value);
		if (says && same_name(says, text))
			return explain_value(r, e, at.value);
	}
	return 0;
}

size_t explain_message(struct report *r, const char *text)
{
	size_t i, found = explain_errno_text(r, text);

	for (i = 0; i < COUNT(messages); i++)
		found += explain_message_of(r, i, text);
	return found;
}

/* The errno whose text stands in a line; of two the one that says more. */
static int errno_in(const char *line)
{
	size_t longest = 0;
	int code, found = 0;

	for (code = 1; code < 4096; code++) {
		const char *says = strerror(code);
		struct vx_errno_info info;

		if (strlen(says) <= longest || !strcasestr(line, says) || !vx_errno_of(code, &info))
			continue;
		longest = strlen(says);
		found = code;
	}
	return found;
}

static size_t explain_message_within(struct report *r, size_t which, const char *line)
{
	const struct vx_enum_info *e = vx_enum_find(messages[which].tag);
	struct vx_enumerator at;
	const char *says;
	size_t i, found = 0;

	for (i = 0; vx_enum_at(e, i, &at); i++) {
		says = messages[which].of((int)at.value);
		if (says && strchr(says, ' ') && strcasestr(line, says))
			found += explain_value(r, e, at.value);
	}
	return found;
}

size_t explain_messages_in(struct report *r, const char *text)
{
	int code = errno_in(text);
	size_t i, found = code ? explain_errno_text(r, strerror(code)) : 0;

	for (i = 0; i < COUNT(messages); i++)
		found += explain_message_within(r, i, text);
	return found;
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

static size_t add_all(struct table *t, int64_t number, bool hex)
{
	size_t i, found = add_errno(t, number);

	for (i = 0; i < COUNT(usual_values); i++)
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

	if (!add_all(&t, number, strchr(text, 'x') || strchr(text, 'X')))
		return 0;
	report_item(r, "number", text);
	table_end(&t);
	report_close(r);
	return 1;
}
