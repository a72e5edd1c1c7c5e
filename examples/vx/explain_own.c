/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What libverbsx itself has: functions, structures, macros, and variables of the environment. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "explain.h"
#include "place.h"
#include "table.h"

#define MANY 3	/* functions that one stands for: more are listed, a line each */

/* Sorted by name. */
static const struct own owns[] = {
#define OWN(kind, name, header, declared, says, takes, returns) { kind, name, header, declared, says, takes, returns },
#include "own_words.inc"
#undef OWN
};

const struct own *own_at(size_t index)
{
	return index < sizeof(owns) / sizeof(owns[0]) ? &owns[index] : NULL;
}

const char *own_words(const char *name)
{
	const struct own *own;
	size_t i;

	for (i = 0; (own = own_at(i)); i++)
		if (*own->name == *name && !strcmp(own->name, name))
			return own->says;
	return "";
}

/* The fields of a structure, which have its name before theirs. */
static void put_fields(struct report *r, const char *tag)
{
	static const struct column columns[] = {
		{ "declared", TEXT }, { "says", TEXT },
	};
	struct table t = TABLE(r, "fields", columns);
	const struct own *own;
	size_t i, len = strlen(tag);

	for (i = 0; (own = own_at(i)); i++) {
		if (strncmp(own->name, tag, len) || own->name[len] != '.')
			continue;
		table_text(&t, own->declared);
		table_text(&t, own->says);
	}
	table_end(&t);
}

static size_t put_own(struct report *r, const struct own *own, const char *value)
{
	report_item(r, own->kind, own->name);
	report_text(r, "value", value);
	report_text(r, "says", own->says);
	report_text(r, "declared", own->declared);
	report_text(r, "header", own->header);
	report_text(r, "takes", own->takes);
	report_text(r, "returns", own->returns);
	if (*own->header)
		put_fields(r, own->name);
	report_close(r);
	return 1;
}

bool is_described(const struct own *own)
{
	char tag[64];

	snprintf(tag, sizeof(tag), "%.*s", (int)strcspn(own->name, "."), own->name);
	return vx_struct_find(tag) != NULL;
}

static bool is_term(const struct own *own)
{
	return *own->kind == 't' && !strcmp(own->kind, "term");	/* thousands are nothing with a 't' */
}

size_t explain_own(struct report *r, const char *text)
{
	const struct own *own;
	size_t i, found = 0;

	for (i = 0; (own = own_at(i)); i++)
		if (same_name(own->name, text) && !is_described(own) && !is_term(own))
			found += put_own(r, own, NULL);
	return found;
}

size_t explain_variable(struct report *r, const char *name, const char *value)
{
	const struct own *own;
	size_t i, found = 0;

	for (i = 0; (own = own_at(i)); i++)
		if (!strcmp(own->kind, "variable") && same_name(own->name, name))
			found += put_own(r, own, value);
	return found;
}

/* The specification writes P_Key. */
static bool same_term(const char *term, const char *text)
{
	for (; *term && *text; term++, text++) {
		text += *text == '_' && *term != '_';
		if (tolower((unsigned char)*term) != tolower((unsigned char)*text))
			return false;
	}
	return *term == *text;
}

/* Whether a term's text begins with a name: "Queue pair, struct ibv_qp: ..." */
static bool is_spelled_out(const char *says, const char *text)
{
	size_t len = strlen(text);

	return len && !strncasecmp(says, text, len) && says[len] && strchr(",:", says[len]);
}

size_t explain_term(struct report *r, const char *text)
{
	const struct own *own;
	size_t i, found = 0;

	for (i = 0; (own = own_at(i)); i++)
		if (is_term(own) && (same_term(own->name, text) || is_spelled_out(own->says, text)))
			found += put_own(r, own, NULL);
	return found;
}

#define HAVE "VERBSX_HAVE_"

/* What tells a program that its headers have a function. */
size_t explain_have(struct report *r, const char *text)
{
	const struct own *own;
	char *says;
	size_t i;

	if (strncasecmp(text, HAVE, strlen(HAVE)))
		return 0;
	for (i = 0; (own = own_at(i)) && (strcmp(own->kind, "function") || !same_name(own->name, text + strlen(HAVE))); i++)
		;
	if (!own)
		return 0;
	says = need_text("Defined where the headers of libverbsx have %s(), for a program that works with older ones too.", own->name);
	put_own(r, &(struct own){ .kind = "macro", .name = text, .header = "verbsx/have.h", .declared = "", .says = says }, NULL);
	free(says);
	return 1 + put_own(r, own, NULL);
}

/* ---- what a function stands for ---- */

/* Whether it is all that stands for a function: "vx_close()". */
static bool is_alone(const char *text, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(text, name, len) && !strcmp(text + len, "()");
}

/* Whether it has a part in that: "an extended CQ, chosen by vx_cq_create()". */
static bool is_named(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (; text; text = strchr(text, ' '), text += text != NULL)
		if (!strncasecmp(text, name, len) && text[len] == '(')
			return true;
	return false;
}

typedef bool (*relation)(const char *text, const char *name);

static bool stands(const struct vx_call_info *info, const char *name, relation how)
{
	const char *wrapper = vx_stands_for(info->name);

	return wrapper && how(wrapper, name);
}

static size_t count_calls(const char *name, relation how)
{
	struct vx_call_info info;
	size_t i, count = 0;

	for (i = 0; vx_call_at(i, &info); i++)
		count += stands(&info, name, how);
	return count;
}

static void list_calls(struct report *r, const char *name, relation how)
{
	static const struct column columns[] = {
		{ "function", TEXT }, { "library", TEXT }, { "since", NUMBER },
	};
	struct table t = TABLE(r, "functions", columns);
	struct vx_call_info info;
	size_t i;

	report_item(r, "wrapper", name);
	for (i = 0; vx_call_at(i, &info); i++) {
		if (!stands(&info, name, how))
			continue;
		table_text(&t, info.name);
		table_text(&t, info.library);
		table_number(&t, info.since);
	}
	table_end(&t);
	report_close(r);
}

/* By the functions of rdma-core that it stands for; those where it only has a part, if there are no others. */
size_t explain_wrapper(struct report *r, const char *text)
{
	relation how = is_name(text) && count_calls(text, is_alone) ? is_alone : is_named;
	size_t i, count = is_name(text) ? count_calls(text, how) : 0;
	struct vx_call_info info;

	if (count > MANY)
		list_calls(r, text, how);
	for (i = 0; count <= MANY && vx_call_at(i, &info); i++)
		if (stands(&info, text, how))
			explain_call(r, info.name);
	return count;
}
