/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Lines as programs print them: "ibv_create_qp: Cannot allocate memory", "ibv_modify_qp on rxe0 qp 17, INIT -> RTR: Invalid
 * argument: RC needs IBV_QP_MIN_RNR_TIMER, which attr_mask lacks".
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain_counter.h"
#include "explain_dump.h"
#include "explain_message.h"
#include "explain_transition.h"
#include "explain_words.h"

/* The letters of names, and the dots between those of fields. */
static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The next name with an underscore, which words of a language do not have, NULL: none; its end is made a NUL. */
static char *next_name(char **rest)
{
	char *name = *rest, *end;

	for (; *name; name = end) {
		while (*name && (*name == '.' || !is_of_name(*name)))
			name++;
		for (end = name; is_of_name(*end); end++)
			;
		while (end > name && end[-1] == '.')
			end--;
		if (!memchr(name, '_', (size_t)(end - name)))
			continue;
		*rest = *end ? end + 1 : end;
		*end = '\0';
		return name;
	}
	return NULL;
}

static bool is_lower_in(const char *name)
{
	for (; *name && !islower((unsigned char)*name); name++)
		;
	return *name;
}

static size_t explain_function(struct report *r, const char *name)
{
	size_t found = explain_call(r, name);

	return found ? found : explain_own(r, name);
}

static bool is_function(const char *name)
{
	struct vx_call_info info;

	return vx_call_find(name, &info) || *own_words(name);
}

/* How something ended: rather what a line is about than what it mentions. */
static const struct outcome {
	const char *tag;
	const char *prefix; /* of its enumerators, which programs leave out as well */
} outcomes[] = {
	{ "ibv_wc_status", "IBV_WC_" }, { "ibv_event_type", "IBV_EVENT_" }, { "rdma_cm_event_type", "RDMA_CM_EVENT_" },
};

static const struct outcome *outcome_of(const char *name)
{
	const struct vx_enum_info *e;
	struct vx_enumerator at;
	size_t i;

	if (!vx_enumerator_find(name, &e, &at))
		return NULL;
	for (i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		if (!strcmp(vx_enum_tag(e), outcomes[i].tag))
			return &outcomes[i];
	return NULL;
}

static bool is_outcome(const char *name)
{
	return outcome_of(name);
}

/* Whether "state", "port_state" or the like stands before a place. */
static bool is_behind_state(const char *line, const char *place)
{
	static const char word[] = "state";
	size_t len = strlen(word);

	while (place > line && strchr(" :=", place[-1]))
		place--;
	return (size_t)(place - line) >= len && !strncasecmp(place - len, word, len);
}

/* Of a state rather than of an event that has the same name: "state: PORT_ACTIVE". @return whether it is one */
static bool add_port_state(struct topics *topics, const char *name)
{
	char *full = need_text("IBV_%s", name);
	const struct vx_enum_info *e;
	bool is_one = vx_enumerator_find(full, &e, NULL) && !strcmp(vx_enum_tag(e), "ibv_port_state");

	if (is_one)
		topics_add(topics, explain_enumerator, full);
	free(full);
	return is_one;
}

static void add_outcome(struct topics *topics, const char *name)
{
	char *full;
	size_t i;

	for (i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		full = need_text("%s%s", outcomes[i].prefix, name);
		if (outcome_of(full) == &outcomes[i])
			topics_add(topics, explain_enumerator, full);
		free(full);
	}
}

/* What is one with its prefix: "RNR_RETRY_EXC_ERR"; in capitals, as a word of a language is not. */
static void add_outcomes_less_prefix(struct topics *topics, const char *line)
{
	char *copy = need_text("%s", line), *rest = copy, *name;

	while ((name = next_name(&rest)))
		if (!is_lower_in(name) && !(is_behind_state(line, line + (name - copy)) && add_port_state(topics, name)))
			add_outcome(topics, name);
	free(copy);
}

static bool is_enumerator(const char *name)
{
	struct vx_enumerator at;

	return vx_enumerator_find(name, NULL, &at);
}

/* By its last part, the field, wherever that is. */
static size_t explain_last_part(struct report *r, const char *name)
{
	const char *dot = strrchr(name, '.');

	return explain_field_name(r, dot ? dot + 1 : name);
}

static bool is_field(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !is_enumerator(name) && !is_function(name) && has_field(dot ? dot + 1 : name);
}

/* Whether a name is any of what names are looked up for. Logs have the same ones again and again, and most are none: what came of it is kept. */
static bool is_any(const char *name)
{
	static struct {
		char *name;
		bool is_any;
	} kept[256], *at;
	size_t hash = 5381, i;

	for (i = 0; name[i]; i++)
		hash = hash * 33 + (unsigned char)name[i];
	at = &kept[hash % (sizeof(kept) / sizeof(kept[0]))];
	if (at->name && !strcmp(at->name, name))
		return at->is_any;
	free(at->name);
	at->name = need_text("%s", name);
	at->is_any = is_function(name) || is_enumerator(name) || is_field(name);
	return at->is_any;
}

static void add_names(struct topics *topics, const char *line, bool (*is_wanted)(const char *), reading explain)
{
	char *copy = need_text("%s", line), *rest = copy, *name;

	while ((name = next_name(&rest)))
		if (is_any(name) && is_wanted(name))
			topics_add(topics, explain, name);
	free(copy);
}

/* First what was called and how it ended, then what else is named; a completion that failed says nothing by its other fields. */
size_t explain_line(struct report *r, const char *text)
{
	struct topics topics = { .all = NULL };

	if (!strchr(text, ' '))
		return 0;
	add_names(&topics, text, is_function, explain_function);
	add_phrase_names(&topics, text);
	add_names(&topics, text, is_outcome, explain_enumerator);
	add_outcomes_less_prefix(&topics, text);
	add_values_said(&topics, text);
	add_dump(&topics, text);
	add_errno_said(&topics, text);
	add_numbers(&topics, text);
	if (topics_have(&topics, "ibv_wc_status"))	/* "poll CQ error status=12" is of no event that is called "CQ error" */
		topics_drop(&topics, "ibv_event_type");
	add_phrase_transitions(&topics, text);
	add_transition(&topics, text);
	add_names(&topics, text, is_enumerator, explain_enumerator);
	add_counters(&topics, text);
	if (!topics_have(&topics, "ibv_wc_status") && !topics_have_reading(&topics, explain_field_number))
		add_names(&topics, text, is_field, explain_last_part);
	add_beside(&topics, text);
	return topics_end(&topics, r);
}
