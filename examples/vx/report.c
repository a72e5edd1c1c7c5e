/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <verbsx/enum.h>
#include <verbsx/error.h>

#include "command.h"
#include "report.h"

#define INDENT 2
#define LABEL 8

static size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

static bool wants_colour(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

static struct level *top(struct report *r)
{
	return &r->levels[r->depth - 1];
}

size_t report_indent(const struct report *r)
{
	size_t i, levels = 0;

	for (i = 0; i < r->depth; i++)
		levels += r->levels[i].indented;
	return levels * INDENT;
}

static void put_indent(const struct report *r)
{
	size_t width = r->json ? r->depth * INDENT : report_indent(r);

	printf("%*s", (int)width, "");
}

/* Between members of JSON. */
static void put_newline(const struct report *r)
{
	if (r->one_line)
		return;
	putchar('\n');
	put_indent(r);
}

void report_member(struct report *r, const char *key)
{
	bool first = top(r)->members++ == 0;

	if (!r->json)
		return;
	fputs(first ? "" : r->one_line ? ", " : ",", stdout);
	put_newline(r);
	if (key) {
		put_json_string(key);
		printf(": ");
	}
}

static void push(struct report *r, bool list, bool indented)
{
	if (r->json)
		putchar(list ? '[' : '{');
	if (r->depth == DEEPEST)
		abort();
	r->levels[r->depth++] = (struct level){ .list = list, .indented = indented, .label = LABEL };
}

void report_start(struct report *r, bool json)
{
	*r = (struct report){ .json = json };
	if (!json) {
		r->bold = wants_colour();
		r->width = terminal_width();
	}
	push(r, false, false);
}

void report_set_in(struct report *r)
{
	top(r)->indented = true;
}

void report_finish(struct report *r)
{
	report_close(r);
	if (r->json)
		putchar('\n');
}

void report_close(struct report *r)
{
	struct level closed = *top(r);

	r->depth--;
	if (!r->json)
		return;
	if (closed.members)
		put_newline(r);
	putchar(closed.list ? ']' : '}');
}

void report_open(struct report *r, const char *key)
{
	report_member(r, key);
	if (!r->json) {
		put_indent(r);
		printf("%s:\n", key);
	}
	push(r, false, true);
}

static void put_heading(struct report *r, const char *kind, const char *name)
{
	if (top(r)->members > 1)
		putchar('\n');
	put_indent(r);
	printf("%s%s %s%s\n", r->bold ? "\033[1m" : "", kind, name, r->bold ? "\033[0m" : "");
}

void report_item(struct report *r, const char *kind, const char *name)
{
	report_member(r, NULL);
	if (!r->json)
		put_heading(r, kind, name);
	push(r, false, true);
	if (r->json) {
		report_text(r, "kind", kind);
		report_text(r, "name", name);
	}
}

void report_list(struct report *r, const char *key)
{
	report_member(r, key);
	push(r, true, false);
}

void report_label(struct report *r, int width)
{
	top(r)->label = width;
}

/* What somebody with a failure before him does not ask for: since when, on which page, of which type. */
static bool is_left_out(const struct report *r, const char *key)
{
	static const char *const wanted[] = { "value", "means", "text", "says", "causes", "remedy", "errors", "seen", "note" };
	size_t i;

	for (i = 0; r->brief && key && i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strcmp(wanted[i], key))
			return false;
	return r->brief && key;
}

static void put_value(struct report *r, const char *key, const char *text)
{
	size_t column = report_indent(r);

	if (is_left_out(r, key))
		return;
	put_indent(r);
	if (key) {
		printf("%-*s : ", top(r)->label, key);
		column += (size_t)top(r)->label + strlen(" : ");
	}
	put_folded(r, text, column);
}

void report_text(struct report *r, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	report_member(r, key);
	if (r->json)
		put_json_string(text);
	else
		put_value(r, key, text);
}

static void put_and_free(char *text)
{
	fputs(text, stdout);
	free(text);
}

void report_number_as(struct report *r, const char *key, int64_t number, const char *format, ...)
{
	char text[128];
	va_list args;

	report_member(r, key);
	if (r->json) {
		put_and_free(json_number(number));
		return;
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_value(r, key, text);
}

void report_number(struct report *r, const char *key, int64_t number)
{
	report_number_as(r, key, number, "%" PRId64, number);
}

void report_hex(struct report *r, const char *key, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	report_member(r, key);
	if (r->json)
		put_and_free(json_bits(number));
	else
		put_value(r, key, text);
}

void report_wide(struct report *r, const char *key, uint64_t number, const char *unit)
{
	char *text = need_text(r->json ? "%" PRIu64 : "%" PRIu64 " %s", number, unit);

	report_text(r, key, text);
	free(text);
}

char *enum_text(const struct report *r, const char *tag, int64_t value)
{
	const char *known = vx_enum_name(vx_enum_find(tag), value), *quote = known ? "\"" : "";
	char name[128], *number, *text;

	vx_enum_snprint(name, sizeof(name), vx_enum_find(tag), value);
	if (!r->json)
		return need_text("%s", name);
	number = json_number(value);
	text = need_text("{\"value\": %s, \"name\": %s%s%s}", number, quote, known ? known : "null", quote); /* as VX_JSON has it */
	free(number);
	return text;
}

void report_enum(struct report *r, const char *key, const char *tag, int64_t value)
{
	char *text = enum_text(r, tag, value);

	report_member(r, key);
	if (r->json)
		fputs(text, stdout);
	else
		put_value(r, key, text);
	free(text);
}

static char *struct_text(struct vx_type type, const void *ptr, int style)
{
	size_t size = vx_snprint(NULL, 0, type, ptr, style) + 1;
	char *text = need_memory(NULL, size);

	vx_snprint(text, size, type, ptr, style);
	return text;
}

/* A line of a structure, as the engine set it: where the value begins is where its further lines do. */
static void put_line(const struct report *r, const char *line)
{
	const char *colon = strstr(line, " : ");
	size_t column = colon ? (size_t)(colon - line) + strlen(" : ") : 0;

	printf("%.*s", (int)column, line);
	put_folded(r, line + column, column);
}

void report_struct(struct report *r, const char *key, struct vx_type type, const void *ptr)
{
	int indent = (int)(report_indent(r) / INDENT) + 1;
	char *text = struct_text(type, ptr, r->json ? VX_JSON : VX_TEXT | VX_INDENT * indent);
	char *line, *rest = text;

	report_member(r, key);
	if (r->json) {
		fputs(text, stdout);
	} else {
		put_indent(r);
		printf("%s:\n", key);
		while ((line = strsep(&rest, "\n")) && rest)
			put_line(r, line);
	}
	free(text);
}

static bool is_wanted(const char *name, size_t len, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == len && !strncmp(*names, name, len))
			return true;
	return false;
}

/* "name : value" */
static void take_line(struct report *r, char *line, const char *const *names)
{
	char *colon = strstr(line, " : ");
	size_t len = strcspn(line, " ");

	if (!colon || !is_wanted(line, len, names))
		return;
	line[len] = '\0';
	report_text(r, line, colon + strlen(" : "));
}

void report_fields(struct report *r, const char *key, struct vx_type type, const void *ptr, const char *const *names)
{
	char *text, *line, *rest;

	if (r->json) {
		report_struct(r, key, type, ptr);
		return;
	}
	rest = text = struct_text(type, ptr, VX_TEXT);
	while ((line = strsep(&rest, "\n")))
		take_line(r, line, names);
	free(text);
}

void report_error(struct report *r)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", program(), vx_error_text());
	report_error_member(r);
}

void report_error_member(struct report *r)
{
	const struct vx_error_info *error = vx_error();

	if (!r->json)
		return;
	report_open(r, "error");
	report_number(r, "code", error->code);
	report_text(r, "call", error->call);
	report_text(r, "object", error->object);
	report_text(r, "reason", error->reason);
	report_text(r, "text", vx_error_text());
	report_close(r);
}
