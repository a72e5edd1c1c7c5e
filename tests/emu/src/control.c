/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#define _GNU_SOURCE
#include "control.h"

#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "trace.h"

static const char *followed;
static off_t followed_to;
static int line_number;

void control_start(const char *list_or_file)
{
	if (list_or_file && strchr(list_or_file, '/'))
		followed = strdup(list_or_file);
	else if (list_or_file)
		fault_add_from("VERBSX_EMU_FAULT", list_or_file);
}

static void obey(const char *line)
{
	char source[512];

	line_number++;
	if (*line == '#')
		return;
	snprintf(source, sizeof(source), "%s:%d", followed, line_number);
	if (!strcmp(line, "clear"))
		fault_clear();
	else
		fault_add_from(source, line);
}

/* Whole lines only: the rest of the last one may be on its way */
static void obey_lines(char *text)
{
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = 0;
		obey(text);
		followed_to += end + 1 - text;
	}
}

void control_follow(void)
{
	char buffer[4096];
	FILE *f = followed ? fopen(followed, "re") : NULL;
	size_t n;

	if (!f)
		return;
	fseeko(f, followed_to, SEEK_SET);
	n = fread(buffer, 1, sizeof(buffer) - 1, f);
	buffer[n] = 0;
	obey_lines(buffer);
	fclose(f);
}
