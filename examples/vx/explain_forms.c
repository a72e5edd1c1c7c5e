/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The forms that a name and its value come in: "timeout 14", "state: IBV_PORT_ACTIVE (4)", "wc[i].status". */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/objects.h>

#include "command.h"
#include "explain_short.h"
#include "explain_words.h"

#define BETWEEN " =:"		/* an attribute and its value */
#define NO_NAME "[0123456789"	/* a time, which most lines of logs begin with */
#define NOT_SPOKEN ",:;=<>[]{}'\""	/* lines of a log have these, and names none */

/*
 * A number with its words, in whichever order: "67.1 ms (14)", "12 (transport retry counter exceeded)"; NULL: it is none, or of more, as
 * that of "to register MR: memory management operation error (6)".
 */
static char *number_with_words(const char *value)
{
	const char *open = strrchr(value, '(');
	int64_t number;
	char *text;

	if (!open || open == value || value[strlen(value) - 1] != ')' || strcspn(value, "(,;") != (size_t)(open - value) ||
	    (strstr(value, ": ") && strstr(value, ": ") < open))
		return NULL;
	text = need_text("%.*s", (int)strlen(open) - 2, open + 1);
	if (!is_number(text, &number)) {
		free(text);
		text = need_text("%.*s", (int)strcspn(value, " ("), value);
	}
	if (is_number(text, &number))
		return text;
	free(text);
	return NULL;
}

/* The number of VX_NONE, which has a meaning where fields of this name take VX_NONE. */
static bool is_none(const char *field, const char *value)
{
	char *name = need_text(".%s ", field);
	bool takes_it = strstr(own_words("VX_NONE"), name);
	int64_t number;

	free(name);
	return takes_it && is_number(value, &number) && number == VX_NONE;
}

/*
 * What has a value: an attribute, an enum or "errno". The value is a number or, of an attribute, the name of one as well; words may
 * stand beside it.
 */
static size_t explain_value_of(struct report *r, const char *what, const char *value, const char *words)
{
	const struct vx_enum_info *e = enum_called(what);
	size_t found = explain_alone(r, what, value);
	int64_t number;

	found = found ? found : explain_word_value(r, what, value);
	if (found)
		return found;
	if (same_name(what, "errno"))	/* by its name, too */
		return explain_errno(r, value);
	if (e)
		found = explain_in_enum(r, e, value);
	if (found || (e && !has_field(what)))
		return found;
	if (!strpbrk(what, "_.") && has_field(what) && is_number(words, &number))	/* "pkey 0x7fff": what that is comes before a field that has one */
		found = explain_term(r, what);
	found += explain_field_value(r, what, value, words);
	if (is_none(what, value))
		found += explain_own(r, "VX_NONE");
	if (!found && has_field(what))
		found = explain_enumerator(r, value);
	return found;
}

/* What is behind the first '=', as another may be of the value: "NCCL_IB_HCA==mlx5_0"; of a line, more follows than a value. */
static size_t explain_setting(struct report *r, const char *what, const char *behind)
{
	const char *value = *behind == '=' ? behind + 1 : behind + strspn(behind, BETWEEN);

	return *value && !strchr(value, ' ') ? explain_variable(r, what, value) : 0;
}

size_t explain_pair(struct report *r, const char *text)
{
	size_t len = strcspn(text, BETWEEN), found = 0;
	char *what = need_text("%.*s", (int)len, text);
	const char *value = text + len + strspn(text + len, BETWEEN);
	char *number = number_with_words(value);

	if (len)
		found = explain_setting(r, what, text + len);
	if (len && *value && !strchr(NO_NAME, *text))
		found += explain_value_of(r, what, number ? number : value, value);
	free(number);
	free(what);
	return found;
}

size_t explain_spoken(struct report *r, const char *text)
{
	char *name, *blank;
	size_t found;

	if (strpbrk(text, NOT_SPOKEN))
		return 0;
	name = need_text("%s", text);
	for (blank = name; (blank = strchr(blank, ' ')); blank++)
		*blank = '_';
	found = strcmp(name, text) ? explain_text(r, name) : 0;
	free(name);
	return found;
}

size_t explain_spoken_pair(struct report *r, const char *text)
{
	char *joined = need_text("%s", text), *blank = strchr(joined, ' '), *what;
	size_t found = 0;

	if (blank) {
		*blank = '_';
		what = need_text("%.*s", (int)strcspn(joined, BETWEEN), joined);
		found = enum_called(what) ? explain_pair(r, joined) : 0;
		free(what);
	}
	free(joined);
	return found;
}

/* Of a line, more may follow that is about something else. */
static bool is_one_word(const char *value)
{
	return *value && !value[strcspn(value, " \t,;")];
}

/*
 * Of an attribute or a term whose value says nothing: "max_qp_wr 16384", "inline 200", "QP: ..." A word that is one of a language as
 * well, such as "port" and "device", is a field only where it stands alone or before a number.
 */
size_t explain_attribute_alone(struct report *r, const char *text)
{
	char *what = need_text("%.*s", (int)strcspn(text, BETWEEN), text);
	const char *rest = text + strlen(what), *value = rest + strspn(rest, BETWEEN);
	int64_t number;
	bool has_number = is_number(value, &number);
	const char *said = is_one_word(value) && !has_number ? value : NULL;
	size_t found = strpbrk(what, "_.") || !*value || has_number ? explain_field_said(r, what, said) : 0;

	if (!found && (*rest == ':' || has_number))
		found = explain_term(r, what);
	free(what);
	return found;
}

/* "timeout (14)" is a field with its value and no enumerator that has another number, "ACTIVE (4)" a name with its own. */
static size_t explain_with_number(struct report *r, const char *name, const char *digits)
{
	size_t found = explain_value_of(r, name, digits, digits);

	return found || has_field(name) || strchr(name, ' ') ? found : explain_text(r, name);
}

size_t explain_less_brackets(struct report *r, const char *text)
{
	const char *open = strchr(text, '(');
	size_t len = open ? (size_t)(open - text) : 0, found;
	char *head, *inner;
	int64_t number;

	if (!len || text[strlen(text) - 1] != ')')
		return 0;
	while (len && text[len - 1] == ' ')
		len--;
	head = need_text("%.*s", (int)len, text);
	inner = need_text("%.*s", (int)strcspn(open + 1 + strspn(open + 1, " "), " )"), open + 1 + strspn(open + 1, " "));
	found = is_number(inner, &number) ? explain_with_number(r, head, inner) : explain_text(r, head);
	free(inner);
	free(head);
	return found;
}

size_t explain_inner(struct report *r, const char *text)
{
	char *path = need_text("%.*s", (int)strcspn(text, BETWEEN), text);
	const char *dot = strrchr(path, '.'), *inner = dot ? text + (dot + 1 - path) : NULL;
	size_t found = 0;

	if (dot && has_field(dot + 1)) {
		found = explain_pair(r, inner);
		found = found ? found : explain_attribute_alone(r, inner);
	}
	free(path);
	return found;
}

size_t explain_of_c(struct report *r, const char *text)
{
	size_t head = strcspn(text, BETWEEN), found;
	char *plain, *out;

	if (!memchr(text, '[', head) && !memmem(text, head, "->", strlen("->")))
		return 0;
	out = plain = need_text("%s", text);
	for (; *text; text++) {
		if (*text == '[' && strchr(text, ']'))
			text = strchr(text, ']');
		else if (!strncmp(text, "->", strlen("->")))
			*out++ = '.', text++;
		else
			*out++ = *text;
	}
	*out = '\0';
	found = strchr(plain, '.') ? explain_field(r, plain) : 0;
	found = found ? found : explain_inner(r, plain);
	free(plain);
	return found;
}
