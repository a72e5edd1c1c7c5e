/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define GAP 2

struct table table_of(struct report *report, const char *key, const struct column *columns, size_t width)
{
	return (struct table){ .report = report, .key = key, .columns = columns, .width = width };
}

static enum column_kind kind_of_next(const struct table *t)
{
	return t->columns[t->count % t->width].kind;
}

static void add(struct table *t, char *cell)
{
	t->cells = need_memory(t->cells, (t->count + 1) * sizeof(*t->cells));
	t->cells[t->count++] = cell;
}

void table_text(struct table *t, const char *text)
{
	add(t, need_text("%s", text ? text : ""));
}

void table_number(struct table *t, int64_t number)
{
	const bool json = t->report->json;

	if (kind_of_next(t) == HEX)
		add(t, json ? json_bits((uint64_t)number) : need_text("0x%" PRIx64, (uint64_t)number));
	else
		add(t, json ? json_number(number) : need_text("%" PRId64, number));
}

void table_enum(struct table *t, const char *tag, int64_t value)
{
	add(t, enum_text(t->report, tag, value));
}

void table_flag(struct table *t, bool set)
{
	if (t->report->json)
		add(t, need_text(set ? "true" : "false"));
	else
		add(t, need_text(set ? "yes" : ""));
}

static size_t rows(const struct table *t)
{
	return t->count / t->width;
}

static const char *cell(const struct table *t, size_t row, size_t column)
{
	return t->cells[row * t->width + column];
}

/* ---- JSON ---- */

static void put_json_row(const struct table *t, size_t row)
{
	bool first = true;
	size_t i;

	report_member(t->report, NULL);
	putchar('{');
	for (i = 0; i < t->width; i++) {
		const char *text = cell(t, row, i);

		if (!*text)
			continue;
		printf("%s\"%s\": ", first ? "" : ", ", t->columns[i].key);
		first = false;
		if (t->columns[i].kind == TEXT)
			put_json_string(text);
		else
			fputs(text, stdout);
	}
	putchar('}');
}

static void put_json(const struct table *t)
{
	size_t i;

	report_list(t->report, t->key);
	for (i = 0; i < rows(t); i++)
		put_json_row(t, i);
	report_close(t->report);
}

/* ---- text ---- */

/* 0: the column is empty */
static size_t width_of(const struct table *t, size_t column)
{
	size_t i, width = 0;

	for (i = 0; i < rows(t); i++)
		if (strlen(cell(t, i, column)) > width)
			width = strlen(cell(t, i, column));
	if (width && strlen(t->columns[column].key) > width)
		width = strlen(t->columns[column].key);
	return width;
}

/* row: SIZE_MAX for the names of the columns */
static const char *text_of(const struct table *t, size_t row, size_t column)
{
	return row == SIZE_MAX ? t->columns[column].key : cell(t, row, column);
}

/* The last column in which something stands, so that no line ends in blanks. */
static size_t last_of(const struct table *t, const size_t *widths, size_t row)
{
	size_t last = t->width - 1;

	while (last && !(widths[last] && *text_of(t, row, last)))
		last--;
	return last;
}

static bool goes_right(const struct table *t, size_t column)
{
	return t->columns[column].kind >= NUMBER;
}

static void put_row(const struct table *t, const size_t *widths, size_t row)
{
	size_t i, last = last_of(t, widths, row);
	size_t column = report_indent(t->report);

	printf("%*s", (int)column, "");
	for (i = 0; i < last; i++) {
		if (!widths[i])
			continue;
		printf("%*s%*s", (int)widths[i] * (goes_right(t, i) ? 1 : -1), text_of(t, row, i), GAP, "");
		column += widths[i] + GAP;
	}
	if (goes_right(t, last))
		printf("%*s", (int)(widths[last] - strlen(text_of(t, row, last))), "");
	put_folded(t->report, text_of(t, row, last), column);
}

static void put_text(const struct table *t)
{
	size_t *widths = need_memory(NULL, t->width * sizeof(*widths));
	size_t i;

	for (i = 0; i < t->width; i++)
		widths[i] = width_of(t, i);
	if (rows(t)) {
		put_row(t, widths, SIZE_MAX);
		for (i = 0; i < rows(t); i++)
			put_row(t, widths, i);
	}
	free(widths);
}

void table_end(struct table *t)
{
	size_t i;

	if (t->report->json)
		put_json(t);
	else
		put_text(t);
	for (i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
}
