/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx explain -: a program's output with what it means, while the program runs. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "explain_stream.h"

/* A line of text comes before what it means, and as it is: who reads a log wants all of it. */
static size_t explain_line_of(const struct options *options, const char *line)
{
	struct report r;
	size_t found;
	char *text;

	if (!*line && options->json)
		return 0;
	text = without_indent(line);
	if (!options->json)
		puts(line);
	report_start(&r, options->json);
	if (r.json)
		report_text(&r, "text", line);
	else
		report_set_in(&r);
	report_list(&r, "matches");
	found = *text ? explain_all(&r, options->enum_tag, text) : 0;
	free(text);
	report_close(&r);
	report_finish(&r);
	fflush(stdout);
	return found;
}

int explain_stream(FILE *in, const struct options *options)
{
	char *line = NULL;
	size_t size = 0, found = 0;
	ssize_t len;

	while ((len = getline(&line, &size, in)) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		found += explain_line_of(options, line);
	}
	free(line);
	if (ferror(in)) {
		fprintf(stderr, "%s explain: standard input cannot be read: %s\n", program(), strerror(errno));
		return USAGE;
	}
	return found ? DONE : ABSENT;
}
