/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the C library says of errnos, and libibverbs of values: "Cannot allocate memory", "local protection error". */

#include <ctype.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "explain_message.h"
#include "pattern.h"

#define HIGHEST_ERRNO 4095
#define LONGEST_ERRNO 24
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The next errno behind a code; which have a name is found once, as each line of a log is looked through. @return 0: there is none */
static int next_errno(int code)
{
	static short next[HIGHEST_ERRNO + 2];
	struct vx_errno_info info;
	int i;

	for (i = HIGHEST_ERRNO; !next[HIGHEST_ERRNO + 1] && i; i--)
		next[i - 1] = vx_errno_of(i, &info) ? (short)i : next[i];
	next[HIGHEST_ERRNO + 1] = 1;	/* that it has been done */
	return next[code];
}

bool errno_named(const char *name, struct vx_errno_info *info)
{
	int code;

	for (code = 0; (code = next_errno(code));)
		if (vx_errno_of(code, info) && same_name(info->name, name))
			return true;
	return false;
}

/* What the C library says of one, which it translates each time. */
static const char *errno_text(int code)
{
	static char *texts[HIGHEST_ERRNO + 1];

	if (!texts[code])
		texts[code] = need_text("%s", strerror(code));
	return texts[code];
}

static size_t explain_errno_text(struct report *r, const char *text)
{
	struct vx_errno_info info;
	int code;

	for (code = 0; (code = next_errno(code));)
		if (same_name(errno_text(code), text))
			return vx_errno_of(code, &info) ? explain_errno(r, info.name) : 0;
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

static const char *value_text(size_t which, const struct vx_enumerator *at)
{
	const char *says = messages[which].of((int)at->value);

	return says ? says : "";
}

static size_t explain_value_text(struct report *r, size_t which, const char *text)
{
	const struct vx_enum_info *e = vx_enum_find(messages[which].tag);
	struct vx_enumerator at;
	size_t i;

	for (i = 0; vx_enumerator_at(e, i, &at); i++)
		if (same_name(value_text(which, &at), text))
			return explain_value(r, e, at.value);
	return 0;
}

size_t explain_message(struct report *r, const char *text)
{
	size_t i, found = *text ? explain_errno_text(r, text) : 0;

	for (i = 0; *text && i < COUNT(messages); i++)
		found += explain_value_text(r, i, text);
	return found;
}

/* ---- in lines ---- */

/* Not as a part of another word: a "transport error" is no "port error". */
static bool is_said(const char *line, const char *says)
{
	const char *place = line;

	if (!may_have(line, says, strlen(says)))
		return false;
	while (*says && (place = strcasestr(place, says)) && place > line && isalpha((unsigned char)place[-1]))
		place++;
	return *says && place;
}

/* "-EINVAL" */
static bool add_errno_named(struct topics *topics, const char *line)
{
	struct vx_errno_info info;
	char name[LONGEST_ERRNO];
	size_t len;

	for (; *line; line += len ? len : 1) {
		for (len = 0; isalnum((unsigned char)line[len]) || line[len] == '_'; len++)
			;
		if (*line != 'E')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, line);
		if (!name[strspn(name, CAPITALS)] && len < sizeof(name) && errno_named(name, &info)) {
			topics_add(topics, explain_errno, name);
			return true;
		}
	}
	return false;
}

/* By its name or, of two texts that are there, by the one that says more. */
void add_errno_said(struct topics *topics, const char *line)
{
	struct vx_errno_info info;
	size_t longest = 0;
	int code, best = 0;

	if (add_errno_named(topics, line))
		return;
	for (code = 0; (code = next_errno(code));) {
		const char *says = errno_text(code);

		if (strlen(says) <= longest || !is_said(line, says))
			continue;
		longest = strlen(says);
		best = code;
	}
	if (longest && vx_errno_of(best, &info))
		topics_add(topics, explain_errno, info.name);
}

/* What compilers and programs say of other things as well: only beside what completions, or events, have; and not of the others. */
static const struct {
	const char *says;
	const char *beside[8];
	const char *not_beside[4];
} said_of_much[] = {
	{ "fatal error", { "completion", "status", "wc", "wr_id", "cq", "qp", "work" }, { "QP event", "QP fatal error", "async event" } },
	{ "CQ error", { "event", "async", "cqn" }, { NULL } },
};

static bool is_beside(const char *line, const char *const *words)
{
	for (; *words; words++)
		if (is_said(line, *words))
			return true;
	return false;
}

static bool is_said_of_much(const char *line, const char *says)
{
	size_t i;

	for (i = 0; i < COUNT(said_of_much); i++)
		if (!strcasecmp(says, said_of_much[i].says))
			return !is_beside(line, said_of_much[i].beside) || is_beside(line, said_of_much[i].not_beside);
	return false;
}

/* One word alone, such as "down" or "success", says too little. */
void add_values_said(struct topics *topics, const char *line)
{
	const struct vx_enum_info *e;
	struct vx_enumerator at;
	size_t i, j;

	for (i = 0; i < COUNT(messages); i++) {
		e = vx_enum_find(messages[i].tag);
		for (j = 0; vx_enumerator_at(e, j, &at); j++)
			if (strchr(value_text(i, &at), ' ') && is_said(line, value_text(i, &at)) &&
			    !is_said_of_much(line, value_text(i, &at)))
				topics_add(topics, explain_enumerator, vx_enum_name(e, at.value));
	}
}
