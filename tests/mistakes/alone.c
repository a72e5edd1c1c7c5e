/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Mistakes that take a process of their own: libibverbs, once found, is not looked for again, nor are its devices. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mistakes.h"

#define FIRST_FREE_FD 3

/* A line without its end. */
static void read_line(FILE *from, char *line, size_t size)
{
	if (!fgets(line, (int)size, from))
		must(-EIO);
	line[strcspn(line, "\n")] = '\0';
}

/* This program, made to do one thing only. */
static FILE *start(const char *action)
{
	char path[PATH_MAX], command[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	FILE *out;

	must(length < 0 ? -errno : 0);
	snprintf(command, sizeof(command), "'%.*s' --alone '%s'", (int)length, path, action);
	out = popen(command, "r");
	must(out ? 0 : -errno);
	return out;
}

int alone(struct bench *b, const char *action, const char *variable, const char *value)
{
	char code[16];
	FILE *out;

	if (variable)
		setenv(variable, value, 1);
	out = start(action);
	if (variable)
		unsetenv(variable);
	read_line(out, code, sizeof(code));
	read_line(out, b->raw, sizeof(b->raw));
	read_line(out, b->sentence, sizeof(b->sentence));
	pclose(out);
	return atoi(code);
}

/* "import", or the name of a device to open. */
int do_alone(const char *action)
{
	static const struct mistake nothing;
	struct bench b = { .mistake = &nothing };
	int rc;

	if (!strcmp(action, "import"))
		rc = vx_context_import(FIRST_FREE_FD, &b.ctx);
	else
		rc = vx_context_open(action, &b.ctx);
	name_raw_result(&b, rc);
	printf("%d\n%s\n%s\n", rc, b.raw, rc < 0 ? vx_error_text() : "");
	return 0;
}
