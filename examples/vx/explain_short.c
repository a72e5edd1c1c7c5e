/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Short names, "RC" or "query_qp", of which many things may have one: what a newcomer would mean is explained, the rest is
 * listed behind it.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/error.h>

#include "explain_short.h"
#include "place.h"

/* What programs and logs speak of most; their order is that of all that has the same short name. */
static const char *const usual_enums[] = {
	"ibv_wc_status", "ibv_event_type", "rdma_cm_event_type", "ibv_wc_opcode", "ibv_wr_opcode", "ibv_qp_state",
	"ibv_qp_type", "ibv_port_state", "ibv_mtu", "ibv_rate", "ibv_access_flags", "ibv_send_flags",
};

/* The more general first. */
static const char *const prefixes[] = { "ibv_", "rdma_", "vx_", "mlx5" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum order { LESS_PREFIX, VALUE, STRUCT, FUNCTION, ENUM, OTHER_VALUE, FIELD, ORDERS };

/* Something that has the short name. */
struct match {
	const char *kind;
	char *name;
	const char *says;
	reading explain;
	size_t rank;
};

struct matches {
	struct match *all;
	size_t count;
};

static size_t usual_place(const char *tag)
{
	size_t i;

	for (i = 0; i < COUNT(usual_enums) && strcmp(usual_enums[i], tag); i++)
		;
	return i;
}

static size_t rank_of(const char *tag, enum order order)
{
	size_t i, usual = order == VALUE ? usual_place(tag) : COUNT(usual_enums);

	for (i = 0; i < COUNT(prefixes) && strncmp(prefixes[i], tag, strlen(prefixes[i])); i++)
		;
	if (order == VALUE && usual == COUNT(usual_enums))
		order = OTHER_VALUE;
	return (i * ORDERS + order) * (COUNT(usual_enums) + 1) + usual;
}

/* By the name that all fields that are meant have, of which this is the first. */
static size_t explain_field_of(struct report *r, const char *path)
{
	return explain_field_name(r, strrchr(path, '.') + 1);
}

/* Behind those that are as general. */
static void add(struct matches *matches, struct match match)
{
	size_t i, at = matches->count++;

	matches->all = need_memory(matches->all, matches->count * sizeof(match));
	for (i = 0; i < at; i++)
		if (!strcmp(matches->all[i].name, match.name) && matches->all[i].explain == match.explain) {
			matches->count--;
			free(match.name);
			return;
		}
	for (; at && matches->all[at - 1].rank > match.rank; at--)
		matches->all[at] = matches->all[at - 1];
	matches->all[at] = match;
}

static void add_enums(struct matches *matches, const char *text)
{
	const struct vx_enum_info *e;
	const char *tag;
	size_t i;

	for (i = 0; (e = vx_enum_at(i)); i++) {
		tag = vx_enum_tag(e);
		if (same_short_name(tag, text))
			add(matches, (struct match){ "enum", need_text("%s", tag), "", explain_enum, rank_of(tag, ENUM) });
	}
}

static bool is_end(const char *name, const char *text, size_t len)
{
	size_t whole = strlen(name);

	return whole >= len && !strncasecmp(name + whole - len, text, len);
}

/*
 * Whether the first name of a text may be one of an enum. vx_enum_parse() would say so as well, and of each that is none what is
 * closest to it: nobody reads that here, and for a line of a log it takes longer than all else.
 */
static bool may_have(const struct vx_enum_info *e, const char *text)
{
	size_t len = strcspn(text, " |("), i;
	const char *behind = text + len + strspn(text + len, " ");
	struct vx_enumerator at;

	if (*behind && !strchr("|(", *behind))
		return false;
	for (i = 0; vx_enumerator_at(e, i, &at); i++)
		if (is_end(at.name, text, len))
			return true;
	return is_end(vx_enum_tag(e), text, len);
}

/* Also what libverbsx prints: "IBV_ACCESS_REMOTE_READ|0x400000"; a number is a value of every enum. */
static void add_values(struct matches *matches, const char *text)
{
	const struct vx_enum_info *e;
	const char *name;
	int64_t value;
	size_t i;

	for (i = 0; isalpha((unsigned char)*text) && (e = vx_enum_at(i)); i++) {
		if (!may_have(e, text) || vx_enum_parse(e, text, &value) < 0)
			continue;
		name = vx_enum_name(e, value);
		if (name)
			add(matches, (struct match){ "enumerator", need_text("%s", name), what_it_says(name), explain_enumerator,
						     rank_of(vx_enum_tag(e), VALUE) });
		else
			add(matches, (struct match){ "value", need_text("%s", text), "", explain_word, rank_of("", VALUE) });
	}
	vx_error_clear();
}

/* Less no more than the prefix of the library: "PORT_DOWN" */
static void add_less_prefix(struct matches *matches, const char *text)
{
	const struct vx_enum_info *e;
	struct vx_enumerator at;
	size_t i, j;

	for (i = 0; strchr(text, '_') && !strchr(text, ' ') && (e = vx_enum_at(i)); i++)
		for (j = 0; vx_enumerator_at(e, j, &at); j++)
			if (same_short_name(at.name, text))
				add(matches, (struct match){ "enumerator", need_text("%s", at.name), what_it_says(at.name),
							     explain_enumerator, rank_of(vx_enum_tag(e), LESS_PREFIX) });
}

static void add_structs(struct matches *matches, const char *text)
{
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i;

	for (i = 0; (s = struct_at(i)); i++) {
		vx_struct_describe(s, &info);
		if (same_short_name(info.tag, text))
			add(matches, (struct match){ info.is_union ? "union" : "struct", need_text("%s", info.tag), own_words(info.tag),
						     explain_struct, rank_of(info.tag, STRUCT) });
	}
}

static void add_calls(struct matches *matches, const char *text)
{
	struct vx_call_info info;
	size_t i;

	for (i = 0; vx_call_at(i, &info); i++)
		if (same_short_name(info.name, text))
			add(matches, (struct match){ "function", need_text("%s", info.name), "", explain_call,
						     rank_of(info.name, FUNCTION) });
}

/* With the functions of rdma-core that it stands for. */
static size_t explain_own_whole(struct report *r, const char *name)
{
	return explain_own(r, name) + explain_wrapper(r, name);
}

/* Of libverbsx; its structures that are described are with the others. */
static void add_owns(struct matches *matches, const char *text)
{
	const struct own *own;
	size_t i;

	for (i = 0; (own = own_at(i)); i++)
		if (!strncmp(own->name, "vx_", strlen("vx_")) && same_short_name(own->name, text) && !is_described(own))
			add(matches, (struct match){ own->kind, need_text("%s", own->name), own->says, explain_own_whole,
						     rank_of(own->name, FUNCTION) });
}

struct found_fields {
	struct search search;
	char *first;			/* its path */
};

static size_t note_field(const struct place *at, void *data)
{
	struct found_fields *found = data;

	if (!same_name(at->field.name, found->search.text))
		return 0;
	if (!found->first)
		found->first = need_text("%s.%s", found->search.tag, at->path);
	return 1;
}

static void add_field_name(struct matches *matches, const char *text)
{
	struct found_fields found = { .search = { .text = text, .bare = true } };
	size_t count = search_everywhere(&found.search, note_field);

	if (count)
		add(matches, (struct match){ "field", found.first, count > 1 ? "and of other structures" : "", explain_field_of,
					     rank_of("", FIELD) });
}

static void add_names(struct matches *matches, const char *text)
{
	add_enums(matches, text);
	add_structs(matches, text);
	add_calls(matches, text);
	add_owns(matches, text);
	add_field_name(matches, text);
}

static void put_others(struct report *r, const char *text, const struct match *others, size_t count)
{
	static const struct column columns[] = {
		{ "kind", TEXT }, { "name", TEXT }, { "says", TEXT },
	};
	struct table t = TABLE(r, "others", columns);
	size_t i;

	if (!count || r->brief)
		return;
	report_item(r, "others", text);
	for (i = 0; i < count; i++) {
		table_text(&t, others[i].kind);
		table_text(&t, others[i].name);
		table_text(&t, others[i].says);
	}
	table_end(&t);
	report_close(r);
}

size_t explain_short(struct report *r, const char *text)
{
	struct matches matches = { .all = NULL };
	size_t i, first, found;

	add_less_prefix(&matches, text);
	add_values(&matches, text);
	if (!strchr(text, ' '))		/* as lines of logs have, and names do not */
		add_names(&matches, text);
	found = explain_term(r, text);
	for (first = found ? 0 : 1, i = 0; i < matches.count && i < first; i++)
		found += matches.all[i].explain(r, matches.all[i].name);
	put_others(r, text, matches.all + i, matches.count - i);
	for (i = 0; i < matches.count; i++)
		free(matches.all[i].name);
	free(matches.all);
	return found;
}
