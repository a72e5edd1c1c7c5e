/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the patterns of lore say of a line: whole messages, and what numbers are. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/error.h>

#include "explain_words.h"
#include "pattern.h"

#define REJECT "vx_cm_event.reject"	/* why a peer of rdma_cm said no */
#define OTHERWISE "otherwise "	/* before a reading: only where none before it is one */
#define HEX "hex "		/* likewise: the number is one, with or without 0x */
#define LIKELY "likely "	/* an errno only where the line is of what uses verbs, or the number is negative */
#define FAILED (-1)		/* says no more than that, rather than EPERM */
#define MOST_NUMBERS 32		/* of a line that are looked at */

struct said {
	const char *pattern;
	struct vx_meaning meaning;
};

static const struct said messages[] = {
#define MESSAGE(pattern, says, causes, remedy) { pattern, { says, causes, remedy } },
#include "line_words.inc"
#undef MESSAGE
};

static const struct said beside_all[] = {
#define BESIDE(pattern, says, causes, remedy) { pattern, { says, causes, remedy } },
#include "line_words.inc"
#undef BESIDE
};

static const struct said changes[] = {
#define CHANGE(pattern, says, causes, remedy) { pattern, { says, causes, remedy } },
#include "line_words.inc"
#undef CHANGE
};

static const struct pattern numbers[] = {
#define NUMBER(text, names) { text, names },
#include "line_words.inc"
#undef NUMBER
};

static const char *const likely_errno[] = {
#define LIKELY_ERRNO(pattern) pattern,
#include "line_words.inc"
#undef LIKELY_ERRNO
};

static const struct pattern alone[] = {
#define ALONE(text, names) { text, names },
#include "line_words.inc"
#undef ALONE
};

static const struct pattern words[] = {
#define WORD(text, names) { text, names },
#include "line_words.inc"
#undef WORD
};

static const struct {
	uint64_t code;
	const char *status;
	const char *where;
} vendor_errs[] = {
#define VENDOR_ERR(code, status, where) { code, status, where },
#include "line_words.inc"
#undef VENDOR_ERR
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t put_message(struct report *r, const char *pattern, const struct vx_meaning *meaning)
{
	char *text = pattern_as_read(pattern);

	report_item(r, "message", text);
	report_meaning(r, meaning);
	report_close(r);
	free(text);
	return 1;
}

static size_t explain_as_message(struct report *r, const char *line, const char *patterns, const struct vx_meaning *meaning)
{
	char pattern[LONGEST_NAME];

	while (next_of_names(&patterns, pattern))
		if (has_pattern(line, pattern))
			return put_message(r, pattern, meaning);
	return 0;
}

size_t explain_whole_message(struct report *r, const char *line)
{
	size_t i, found = 0;

	for (i = 0; i < COUNT(messages) && !found; i++)
		found = explain_as_message(r, line, messages[i].pattern, &messages[i].meaning);
	return found;
}

static size_t explain_beside(struct report *r, const char *pattern)
{
	size_t i;

	for (i = 0; i < COUNT(beside_all); i++)
		if (!strcmp(beside_all[i].pattern, pattern))
			return put_message(r, pattern, &beside_all[i].meaning);
	return 0;
}

void add_beside(struct topics *topics, const char *line)
{
	size_t i;

	for (i = 0; i < COUNT(beside_all); i++)
		if (has_pattern(line, beside_all[i].pattern))
			topics_add(topics, explain_beside, beside_all[i].pattern);
}

void report_change(struct report *r, const char *transition)
{
	size_t i;

	for (i = 0; i < COUNT(changes); i++)
		if (!strcmp(changes[i].pattern, transition))
			report_meaning(r, &changes[i].meaning);
}

/* ---- numbers ---- */

/* The row of a code. @return their number: there is none */
static size_t row_of(uint64_t code)
{
	size_t i;

	for (i = 0; i < COUNT(vendor_errs) && vendor_errs[i].code != code; i++)
		;
	return i;
}

const char *status_seen_with(uint64_t code)
{
	size_t row = row_of(code);

	return row < COUNT(vendor_errs) ? vendor_errs[row].status : NULL;
}

/* What is known of a code: malloc()ed. */
static char *seen_with(uint64_t code)
{
	size_t row = row_of(code);

	if (row == COUNT(vendor_errs))
		return need_text("%s", "");
	return need_text("with %s by devices of NVIDIA, which says as much (%s)", vendor_errs[row].status, vendor_errs[row].where);
}

size_t explain_vendor_err(struct report *r, const char *text)
{
	uint64_t code = strtoull(text, NULL, 0);
	char *seen = seen_with(code);

	report_item(r, "vendor_err", text);
	report_number(r, "value", (int64_t)code);
	report_text(r, "says", "The device's own code for the error; there is no public table of such codes.");
	report_text(r, "seen", seen);
	report_close(r);
	free(seen);
	return 1;
}

/* Longer than a byte, as those of completions are. */
static size_t explain_firmware_syndrome(struct report *r, const char *text)
{
	report_item(r, "syndrome", text);
	report_text(r, "says", "The firmware's own code of why it refused a command, of DEVX or of the kernel's driver; there is no public table of such codes.");
	report_text(r, "remedy", "The status beside it, the first byte of the out mailbox, tells the kind of refusal; dmesg may have a line with both. NVIDIA's support can read the syndrome.");
	report_close(r);
	return 1;
}

size_t explain_field_number(struct report *r, const char *text)
{
	char *field = need_text("%.*s", (int)strcspn(text, " "), text);
	size_t found = explain_field_value(r, field, text + strlen(field) + 1, "");

	free(field);
	return found;
}

/* The same of a number that says nothing: what the field is. */
static size_t explain_field_alone(struct report *r, const char *text)
{
	char *field = need_text("%.*s", (int)strcspn(text, " "), text);
	size_t found = explain_field_number(r, text);

	found = found ? found : explain_field(r, field);
	free(field);
	return found;
}

/* What explains a number as a value of something, and by which name. */
static reading reading_as(const char *what, int64_t value, char *name)
{
	const char *enumerator;
	struct vx_errno_info info;

	if (!strcmp(what, "vendor_err")) {
		snprintf(name, LONGEST_NAME, "0x%" PRIx64, value);
		return value < 0 ? NULL : explain_vendor_err;
	}
	if (!strcmp(what, "firmware_syndrome")) {
		snprintf(name, LONGEST_NAME, "0x%" PRIx64, value);
		return value > UINT8_MAX ? explain_firmware_syndrome : NULL;
	}
	if (!strcmp(what, "reject"))
		what = REJECT;
	if (strchr(what, '.') && value >= 0) {
		snprintf(name, LONGEST_NAME, "%s %" PRId64, what, value);
		return explain_field_number;
	}
	if (!strcmp(what, "errno") || value < 0) {
		value = value == (uint32_t)value ? (int32_t)value : value;	/* "0xfffffffb" */
		if (value == FAILED || value != (int)value || !vx_errno_of((int)value, &info))
			return NULL;
		snprintf(name, LONGEST_NAME, "%s", info.name);
		return explain_errno;
	}
	enumerator = vx_enum_name(vx_enum_find(what), value);
	snprintf(name, LONGEST_NAME, "%s", enumerator ? enumerator : "");
	return enumerator ? explain_enumerator : NULL;
}

size_t explain_alone(struct report *r, const char *what, const char *text)
{
	char name[LONGEST_NAME], as[LONGEST_NAME];
	struct topics topics = { .all = NULL };
	const char *names = NULL, *end;
	reading explain;
	int64_t value;
	size_t i;

	for (i = 0; i < COUNT(alone); i++)
		if (same_name(alone[i].text, what))
			names = alone[i].names;
	end = names ? read_number(text, &value) : NULL;
	if (!end || *end)
		return 0;
	while (next_of_names(&names, as)) {
		const size_t skipped = strncmp(as, OTHERWISE, strlen(OTHERWISE)) ? 0 : strlen(OTHERWISE);

		explain = skipped && topics.count ? NULL : reading_as(as + skipped, value, name);
		if (explain)
			topics_add(&topics, explain == explain_field_number ? explain_field_alone : explain, name);
	}
	return topics_end(&topics, r);
}

size_t explain_word_value(struct report *r, const char *what, const char *text)
{
	const struct vx_enum_info *e;
	const char *names = "", *end;
	char tag[LONGEST_NAME];
	size_t i, found = 0;
	int64_t value;

	for (i = 0; i < COUNT(words); i++)
		if (same_name(words[i].text, what))
			names = words[i].names;
	while (next_of_names(&names, tag)) {
		e = vx_enum_find(tag);
		end = read_number(text, &value);
		if (!end || (!*end && vx_enum_kind_of(e) == VX_ENUM_FLAGS))
			found += explain_in_enum(r, e, text);
	}
	vx_error_clear();
	return found;
}

/* A line with one status of a completion, and one errno at most. */
static bool is_known(const struct topics *topics, const char *what)
{
	bool completed = topics_have(topics, "ibv_wc_status");

	if (!strcmp(what, "errno"))
		return completed || topics_have_reading(topics, explain_errno);
	return completed && !strcmp(what, "ibv_wc_status");
}

struct places {
	const char *taken[MOST_NUMBERS];
	size_t count;
};

static bool is_taken(const struct places *places, const char *place)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		if (places->taken[i] == place)
			return true;
	return places->count == MOST_NUMBERS;
}

/* Of which 0 is one like others, rather than that all is well. */
static bool is_state(const char *tag)
{
	return strstr(tag, "_state");
}

/* Whether an errno that nobody called one, "failed with 3", may be another number: one that calls of rdma-core do not end with. */
static bool is_guess(const char *pattern, int64_t value)
{
	struct vx_errno_info info;

	return value > 0 && !strstr(pattern, "errno") && vx_errno_of((int)value, &info) && !*info.says;
}

static bool is_hex(const struct pattern *row)
{
	return !strncmp(row->names, HEX, strlen(HEX));
}

/* Whether a line is of what uses verbs. */
static bool is_of_verbs(const char *line)
{
	size_t i;

	for (i = 0; i < COUNT(likely_errno); i++)
		if (has_pattern(line, likely_errno[i]))
			return true;
	return false;
}

/* Whether a number is what a pattern says. */
static bool take(struct topics *topics, const char *line, const struct pattern *row, int64_t value)
{
	const char *names = row->names + (is_hex(row) ? strlen(HEX) : 0);
	char name[LONGEST_NAME], what[LONGEST_NAME];
	reading explain;

	if (!strncmp(names, LIKELY, strlen(LIKELY))) {
		if (value >= 0 && !is_of_verbs(line))
			return true;
		names += strlen(LIKELY);
	}
	if (!*names && value >= 0)
		return true;
	if (!next_of_names(&names, what))
		strcpy(what, "errno");
	if (!strcmp(what, "count"))	/* a negative one is no errno either */
		return true;
	explain = reading_as(what, value, name);
	if (explain == explain_errno && is_guess(row->text, value))
		return true;
	if (explain && (value || is_state(what)) && !is_known(topics, explain == explain_errno ? "errno" : what))
		topics_add(topics, explain, name);
	return explain;
}

/* What a device adds of its own is told last, whichever pattern came first. */
void add_numbers(struct topics *topics, const char *line)
{
	struct topics beside = { .all = NULL };
	struct places places = { .count = 0 };
	struct number number, (*behind)(const char *, const char *, const char *);
	const char *after;
	size_t i;

	for (i = 0; i < COUNT(numbers); i++) {
		behind = is_hex(&numbers[i]) ? hex_behind : number_behind;
		for (after = line; (number = behind(line, numbers[i].text, after)).place; after = number.place)
			if (!is_taken(&places, number.place) &&
			    take(strstr(numbers[i].names, "vendor_err") ? &beside : topics, line, &numbers[i], number.value))
				places.taken[places.count++] = number.place;
	}
	topics_move(topics, &beside);
}
