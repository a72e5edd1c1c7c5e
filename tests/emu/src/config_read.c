/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* From a list or a file to settings, and what is said of mistakes. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_keys.h"
#include "nearest.h"
#include "trace.h"

/* Where a mistake is: "roce.conf:3", or the variable */
struct place {
	const char *name;
	int line; /* 0: no file */
};

__attribute__((format(printf, 2, 3))) static int mistake(const struct place *at, const char *format, ...)
{
	char what[768];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	if (at->line)
		complain("%s:%d: %s", at->name, at->line, what);
	else
		complain("%s: %s", at->name, what);
	return -1;
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	for (n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
		text[n - 1] = 0;
	return text;
}

static const struct config_key *find_key(const char *name)
{
	for (const struct config_key *k = config_keys; k < config_keys + config_nkeys; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

static int refuse_key(const char *name, const struct place *at)
{
	struct nearest n = { .word = name };
	char names[512] = "";

	for (const struct config_key *k = config_keys; k < config_keys + config_nkeys; k++) {
		nearest_see(&n, k->name);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", k->name);
	}
	if (n.name)
		return mistake(at, "there is no setting '%s': did you mean %s?", name, n.name);
	return mistake(at, "there is no setting '%s'. There are%s", name, names);
}

/* What is not KEY=VALUE */
static int refuse_text(const char *text, const struct place *at)
{
	const struct config_key *k = find_key(text);

	if (!k)
		return mistake(at, "'%s' is not key=value", text);
	return mistake(at, "%s wants a value after an =: %s", text, k->set(k, ""));
}

/* "key = value" */
static int set(char *text, const struct place *at)
{
	char *value = strchr(text, '=');
	const struct config_key *k;
	const char *wanted;

	if (!value)
		return refuse_text(text, at);
	*value++ = 0;
	text = trim(text);
	value = trim(value);
	k = find_key(text);
	if (!k)
		return refuse_key(text, at);
	wanted = k->set(k, value);
	return wanted ? mistake(at, "%s: '%s' is not %s", text, value, wanted) : 0;
}

/* No value has a comma in it */
static int set_all(char *list, const struct place *at)
{
	char *save, *item;
	int rc = 0;

	for (item = strtok_r(list, ",", &save); item && !rc; item = strtok_r(NULL, ",", &save)) {
		item = trim(item);
		rc = *item ? set(item, at) : 0;
	}
	return rc;
}

static int read_list(const char *list)
{
	const struct place at = { .name = "VERBSX_EMU_CONFIG" };
	char *copy = strdup(list);
	int rc = copy ? set_all(copy, &at) : -1;

	free(copy);
	return rc;
}

static int read_lines(FILE *f, const char *path)
{
	struct place at = { .name = path };
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	while (!rc && getline(&line, &size, f) >= 0) {
		at.line++;
		line[strcspn(line, "#")] = 0;
		rc = set_all(line, &at);
	}
	free(line);
	if (!rc && ferror(f)) { /* such as a folder */
		complain("cannot read the configuration '%s': %m", path);
		rc = -1;
	}
	return rc;
}

static int read_file(const char *path)
{
	const struct place at = { .name = "VERBSX_EMU_CONFIG" };
	FILE *f = fopen(path, "re");
	int rc;

	if (!f && find_key(path))
		return refuse_text(path, &at);
	if (!f) {
		complain("cannot read the configuration '%s': %m%s", path, strchr(path, '/') ? "" : "; a setting is key=value");
		return -1;
	}
	rc = read_lines(f, path);
	fclose(f);
	return rc;
}

int config_read(const char *list_or_file)
{
	if (strchr(list_or_file, '=') ? read_list(list_or_file) : read_file(list_or_file))
		return -1;
	if (config.devices * config.ports <= MAX_PORTS)
		return 0;
	complain("%u devices of %u ports: there is room for %d ports in all", config.devices, config.ports, MAX_PORTS);
	return -1;
}
