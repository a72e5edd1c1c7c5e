/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#define _GNU_SOURCE
#include "fault.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "call.h"
#include "trace.h"

#define MAX_FAULTS 32
#define MAX_ERRNO 134

struct fault {
	const char *name; /* of the call; NULL: every call counts */
	unsigned long nth, seen;
	int err;
};

static struct fault faults[MAX_FAULTS];
static int nfaults;
static unsigned long calls;

const char *fault_errno_name(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : "an unknown errno";
}

/* 0 where it is none */
static int parse_errno(const char *text)
{
	if (isdigit((unsigned char)*text))
		return atoi(text);
	for (int err = 1; err < MAX_ERRNO; err++)
		if (strerrorname_np(err) && !strcasecmp(strerrorname_np(err), text))
			return err;
	return 0;
}

/* N:ERR or NAME[#K]:ERR */
static int parse_fault(const char *item, struct fault *f)
{
	char text[64], *err, *count;

	snprintf(text, sizeof(text), "%s", item);
	err = strchr(text, ':');
	if (!err)
		return -1;
	*err++ = 0;
	*f = (struct fault){ .nth = 1, .err = parse_errno(err) };
	count = strchr(text, '#');
	if (count) {
		*count++ = 0;
		f->nth = strtoul(count, NULL, 0);
	}
	if (isdigit((unsigned char)*text))
		f->nth = strtoul(text, NULL, 0);
	else if (!(f->name = call_name(text)))
		return -1;
	return f->err && f->nth ? 0 : -1;
}

void fault_list(const char *list)
{
	char *copy = list ? strdup(list) : NULL, *save = NULL, *item;

	nfaults = 0;
	for (item = copy ? strtok_r(copy, ", ", &save) : NULL; item; item = strtok_r(NULL, ", ", &save)) {
		if (nfaults == MAX_FAULTS)
			complain("more than %d failures asked for", MAX_FAULTS);
		else if (parse_fault(item, &faults[nfaults]))
			complain("VERBSX_EMU_FAIL: no such call or no such errno: %s", item);
		else
			nfaults++;
	}
	free(copy);
}

int fault_check(const char *name)
{
	int err = 0;

	calls++;
	for (struct fault *f = faults; f < faults + nfaults; f++)
		if ((!f->name || !strcmp(f->name, name)) && ++f->seen == f->nth)
			err = f->err;
	return err;
}

unsigned long fault_calls(void)
{
	return calls;
}
