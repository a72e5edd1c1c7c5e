/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * vx explain -: a program's output with what it means, while the program runs. Logs say the same again and again: what came of
 * a line is kept, and an answer that was there before is not given a second time.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "explain_stream.h"

#define KEPT 1024	/* the place of a line or an answer follows from its text, and another one there is forgotten */

struct answer {
	char *text;		/* as it is put out below the line, or JSON */
	size_t found;
};

static struct kept_line {
	char *line;
	struct answer answer;
} lines[KEPT];

static char *given[KEPT];

static size_t place_of(const char *text)
{
	size_t hash = 5381;

	for (; *text; text++)
		hash = hash * 33 + (unsigned char)*text;
	return hash % KEPT;
}

static size_t report_line(const struct options *options, const char *line)
{
	char *text = without_indent(line);
	struct report r;
	size_t found;

	report_start(&r, options->json);
	r.brief = options->values['b'] && !r.json;
	r.one_line = r.json;
	if (r.json)
		report_text(&r, "text", line);
	else
		report_set_in(&r);
	report_list(&r, "matches");
	found = *text ? explain_all(&r, options->enum_tag, text) : 0;
	report_close(&r);
	report_finish(&r);
	free(text);
	return found;
}

/* What report_line() writes, as a text: reports write to stdout, which is a file in memory meanwhile. */
static struct answer answer_to(const struct options *options, const char *line)
{
	struct answer answer = { .text = NULL };
	FILE *out = stdout, *memory;
	size_t size;

	memory = open_memstream(&answer.text, &size);
	if (!memory) {
		fprintf(stderr, "%s: %s\n", program(), strerror(errno));
		exit(ABSENT);
	}
	stdout = memory;
	answer.found = report_line(options, line);
	stdout = out;
	fclose(memory);
	return answer;
}

static const struct answer *kept_answer(const struct options *options, const char *line)
{
	struct kept_line *at = &lines[place_of(line)];

	if (at->line && !strcmp(at->line, line))
		return &at->answer;
	free(at->line);
	free(at->answer.text);
	*at = (struct kept_line){ need_text("%s", line), answer_to(options, line) };
	return &at->answer;
}

/* Whether it was given before; from now on it was. */
static bool was_given(const char *answer)
{
	char **at = &given[place_of(answer)];

	if (*at && !strcmp(*at, answer))
		return true;
	free(*at);
	*at = need_text("%s", answer);
	return false;
}

/* The headings of an answer, which are what is set in least. */
static void put_as_above(const char *answer)
{
	const char *before = "  as above: ";
	size_t len;

	for (; *answer; answer += len + (answer[len] == '\n')) {
		len = strcspn(answer, "\n");
		if (len <= strlen("  ") || answer[2] == ' ')
			continue;
		printf("%s%.*s", before, (int)(len - strlen("  ")), answer + strlen("  "));
		before = "; ";
	}
	putchar('\n');
}

static size_t length_less_end(const char *line, size_t len)
{
	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	return len;
}

/* What would end the text within a line, a NUL of a binary or the return of a progress bar, is between words for who reads it. */
static void as_words(char *line, size_t len)
{
	line[len] = '\0';
	while (len--)
		if (!line[len] || line[len] == '\r')
			line[len] = ' ';
}

/* A line of text comes before what it means, and as it is: who reads a log wants all of it. */
static size_t explain_line_of(const struct options *options, char *line, size_t len)
{
	const struct answer *answer;

	if (!len && options->json)
		return 0;
	if (!options->json) {
		fwrite(line, 1, len, stdout);
		putchar('\n');
	}
	fflush(stdout);
	as_words(line, len);
	answer = kept_answer(options, line);
	if (!options->json && answer->found && was_given(answer->text))
		put_as_above(answer->text);
	else
		fputs(answer->text, stdout);
	fflush(stdout);
	return answer->found;
}

int explain_stream(FILE *in, const struct options *options)
{
	char *line = NULL;
	size_t size = 0, found = 0;
	ssize_t len;

	while ((len = getline(&line, &size, in)) >= 0)
		found += explain_line_of(options, line, length_less_end(line, (size_t)len));
	free(line);
	if (ferror(in)) {
		fprintf(stderr, "%s explain: standard input cannot be read: %s\n", program(), strerror(errno));
		return USAGE;
	}
	return found ? DONE : ABSENT;
}
