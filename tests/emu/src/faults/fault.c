/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "faults/fault.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "faults/inject.h"
#include "objects/qp.h"
#include "trace.h"

static struct fault faults[MAX_FAULTS];
static int nfaults;
static unsigned long calls;

const char *fault_errno_name(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : "an unknown errno";
}

static bool is_timed(const struct fault *f)
{
	return f->action >= FAULT_EVENT;
}

static int add(const char *list, bool of_environment, char *why, size_t size)
{
	struct fault parsed[MAX_FAULTS];
	int n = fault_parse(list, parsed, MAX_FAULTS, why, size);

	if (n < 0)
		return -1;
	if (nfaults + n > MAX_FAULTS || inject_waiting() + n > MAX_FAULTS) {
		snprintf(why, size, "more than %d faults wait", MAX_FAULTS);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		parsed[i].of_environment = of_environment;
		if (is_timed(&parsed[i]))
			inject_add(&parsed[i]);
		else
			faults[nfaults++] = parsed[i];
	}
	return 0;
}

int fault_add(const char *list, char *why, size_t size)
{
	return add(list, false, why, size);
}

int fault_add_from(const char *source, const char *list)
{
	char why[MAX_WHY];

	if (!add(list, true, why, sizeof(why)))
		return 0;
	complain("%s: %s", source, why);
	return -1;
}

/* A call fails in one way: of several for it, the last one did */
static bool has_happened(const struct fault *f)
{
	return f->action == FAULT_CALL ? f->met.times : f->seen >= f->first;
}

void fault_tell_unmet(const struct fault *f)
{
	complain("the fault %s never happened", f->text);
}

/* So that a failure which was asked for is not looked for in the program, or in what the device is said to allow */
static void tell_met(const struct fault *f)
{
	char times[64] = "", where[64] = "";

	if (f->met.times > 1)
		snprintf(times, sizeof(times), " %lu times, first", f->met.times);
	if (f->met.name)
		snprintf(where, sizeof(where), " at call %lu, %s", f->met.call, f->met.name);
	else if (f->met.qpn)
		snprintf(where, sizeof(where), " at QP 0x%x", f->met.qpn);
	say("the fault %s happened%s%s", f->text, times, where);
}

void fault_report(void)
{
	for (const struct fault *f = faults; f < faults + nfaults; f++)
		if (!has_happened(f))
			fault_tell_unmet(f);
		else if (f->of_environment)
			tell_met(f);
	inject_report();
}

void fault_clear(void)
{
	nfaults = 0;
	inject_clear();
}

/* The count goes on after the last one: a list may name the same occasion twice */
static bool is_due(struct fault *f)
{
	f->seen++;
	return f->seen >= f->first && f->seen <= f->last;
}

static void note_met(struct fault *f, const char *call, uint32_t qpn)
{
	if (f->met.times++)
		return;
	f->met.call = calls;
	f->met.name = call;
	f->met.qpn = qpn;
}

static bool is_met(struct fault *f, const char *call, uint32_t qpn)
{
	if (!is_due(f))
		return false;
	note_met(f, call, qpn);
	return true;
}

int fault_call(const char *name)
{
	struct fault *met = NULL;

	calls++;
	for (struct fault *f = faults; f < faults + nfaults; f++)
		if (f->action == FAULT_CALL && (!f->call || !strcmp(f->call, name)) && is_due(f))
			met = f;
	if (!met)
		return 0;
	note_met(met, name, 0);
	return met->value;
}

bool fault_is_about(uint32_t number, const struct object *o)
{
	if (!number)
		return true;
	return o->kind == QP && number >= QPN_BASE ? number == ((const struct qp *)o)->qpn :
						     number == o->serial;
}

const struct fault *fault_meet(enum fault_action action, const struct qp *q)
{
	const struct fault *met = NULL;

	for (struct fault *f = faults; f < faults + nfaults; f++)
		if (f->action == action && fault_is_about(f->number, &q->o) && is_met(f, NULL, q->qpn))
			met = f;
	return met;
}

const struct fault *fault_meet_mad(enum fault_action action, uint32_t type)
{
	const struct fault *met = NULL;

	for (struct fault *f = faults; f < faults + nfaults; f++)
		if (f->action == action && (!f->number || f->number == type) && is_met(f, NULL, 0))
			met = f;
	return met;
}

unsigned long fault_calls(void)
{
	return calls;
}
