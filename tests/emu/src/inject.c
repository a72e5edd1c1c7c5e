/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#define _GNU_SOURCE
#include "inject.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async.h"
#include "clock.h"
#include "context.h"
#include "limits.h"
#include "qp.h"
#include "trace.h"

#define MAX_PENDING 64

struct injection {
	int type;
	uint32_t number; /* of the QP, CQ, SRQ or port; 0: the first one */
	uint64_t delay, due;
};

static struct injection pending[MAX_PENDING];
static int npending;
static char *followed;
static off_t followed_to;

int inject_event(const char *text)
{
	char name[128], *ms, *number;
	struct injection j = { 0 };

	snprintf(name, sizeof(name), "%s", text);
	ms = strchr(name, '@');
	if (ms)
		*ms++ = 0;
	number = strchr(name, ':');
	if (number)
		*number++ = 0;
	j.type = async_type(name);
	j.number = number ? strtoul(number, NULL, 0) : 0;
	j.delay = ms ? strtoul(ms, NULL, 0) * NS_PER_MS : 0;
	if (j.type < 0)
		complain("unknown event '%s'", name);
	if (j.type < 0 || npending == MAX_PENDING)
		return -1;
	pending[npending++] = j;
	return 0;
}

void inject_from(const char *list_or_file)
{
	char *copy = strdup(list_or_file), *save, *item;

	if (!copy)
		return;
	if (strchr(copy, '/')) {
		followed = copy;
		return;
	}
	for (item = strtok_r(copy, ", ", &save); item; item = strtok_r(NULL, ", ", &save))
		inject_event(item);
	free(copy);
}

/* Whole lines only: the rest of the last one may be on its way */
static void inject_lines(char *text)
{
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = 0;
		if (*text && *text != '#')
			inject_event(text);
		followed_to += end + 1 - text;
	}
}

void inject_follow(void)
{
	char buffer[4096];
	FILE *f = followed ? fopen(followed, "re") : NULL;
	size_t n;

	if (!f)
		return;
	fseeko(f, followed_to, SEEK_SET);
	n = fread(buffer, 1, sizeof(buffer) - 1, f);
	buffer[n] = 0;
	inject_lines(buffer);
	fclose(f);
}

static uint32_t number_of(const struct object *o)
{
	return o->kind == QP ? ((const struct qp *)o)->qpn : o->handle;
}

static struct object *target(enum kind kind, uint32_t number)
{
	for (uint32_t h = 1; h < MAX_OBJECTS && object_live(kind); h++) {
		struct object *o = object_get(kind, h);

		if (o && o->ctx->has_async && (!number || number == number_of(o)))
			return o;
	}
	return NULL;
}

static bool inject(const struct injection *j)
{
	enum kind kind = async_kind(j->type);
	struct object *o;

	if (kind == NONE)
		return async_port_event(j->number ? j->number : 1, j->type);
	o = target(kind, j->number);
	if (o)
		async_object_event(o, j->type);
	return o;
}

void inject_due(void)
{
	uint64_t now;
	int kept = 0;

	if (!npending || !context_count())
		return;
	now = clock_now();
	for (int i = 0; i < npending; i++) {
		struct injection *j = &pending[i];

		if (!j->due)
			j->due = now + j->delay;
		if (now < j->due || !inject(j))
			pending[kept++] = *j;
	}
	npending = kept;
}
