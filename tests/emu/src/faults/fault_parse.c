/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The grammar of faults: NAME[#N[-[M]]][:ARGUMENT][@MS], separated by commas or blanks. */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <infiniband/verbs.h>

#include "bounds.h"
#include "calls/async.h"
#include "calls/call.h"
#include "cm/cm.h"
#include "faults/fault.h"
#include "faults/status.h"
#include "mad/mad.h"
#include "nearest.h"
#include "objects/port.h"
#include "objects/port_state.h"

#define SEPARATORS ", \t\r\n"
#define DELIMITERS "#:@" SEPARATORS
#define MAX_ERRNO 134
#define MAX_WORD 64
#define RECV_PREFIX "recv_"

enum argument {
	OBJECT, /* a number, or nothing for any */
	PORT, /* a number, or nothing for the first */
	ANY_PORT, /* a number, or nothing for all */
	VALUE, /* a number, with PORT= before it if not the first port is meant, or OBJECT= */
	ERRNO,
	CM_MAD, /* a message of the CM, or nothing for any */
	MAD, /* an attribute of MADs, or nothing for any */
	REASON /* of a rejection, or nothing for the consumer's */
};

static const struct {
	bool counted, timed, must_time;
	enum argument argument;
} actions[FAULT_ACTIONS] = {
	[FAULT_CALL] = { .counted = true, .argument = ERRNO },
	[FAULT_SEND] = { .counted = true, .argument = OBJECT },
	[FAULT_RECV] = { .counted = true, .argument = OBJECT },
	[FAULT_DROP] = { .counted = true, .argument = OBJECT },
	[FAULT_DROP_ANSWER] = { .counted = true, .argument = OBJECT },
	[FAULT_DELAY] = { .counted = true, .timed = true, .must_time = true, .argument = OBJECT },
	[FAULT_CORRUPT] = { .counted = true, .argument = OBJECT },
	[FAULT_CM_DROP] = { .counted = true, .argument = CM_MAD },
	[FAULT_CM_DELAY] = { .counted = true, .timed = true, .must_time = true, .argument = CM_MAD },
	[FAULT_CM_REJECT] = { .counted = true, .argument = REASON },
	[FAULT_MAD_DROP] = { .counted = true, .argument = MAD },
	[FAULT_MAD_DELAY] = { .counted = true, .timed = true, .must_time = true, .argument = MAD },
	[FAULT_CM_EVENT] = { .timed = true, .argument = ANY_PORT },
	[FAULT_EVENT] = { .timed = true, .argument = OBJECT },
	[FAULT_DEVX_EVENT] = { .timed = true, .argument = VALUE },
	[FAULT_PORT_STATE] = { .timed = true, .argument = PORT },
	[FAULT_PORT_FLAP] = { .timed = true, .argument = PORT },
	[FAULT_LID] = { .timed = true, .argument = VALUE },
	[FAULT_SPEED] = { .timed = true, .argument = VALUE },
};

static const struct {
	const char *name;
	enum fault_action action;
	int value;
} keywords[] = {
	{ "call", FAULT_CALL, 0 },
	{ "drop", FAULT_DROP, 0 },
	{ "drop_answer", FAULT_DROP_ANSWER, 0 },
	{ "delay", FAULT_DELAY, 0 },
	{ "corrupt", FAULT_CORRUPT, 0 },
	{ "port_down", FAULT_PORT_STATE, IBV_PORT_DOWN },
	{ "port_up", FAULT_PORT_STATE, IBV_PORT_ACTIVE },
	{ "port_flap", FAULT_PORT_FLAP, 0 },
	{ "devx_event", FAULT_DEVX_EVENT, 0 },
	{ "lid", FAULT_LID, 0 },
	{ "speed", FAULT_SPEED, 0 },
	{ "cm_drop", FAULT_CM_DROP, 0 },
	{ "cm_delay", FAULT_CM_DELAY, 0 },
	{ "cm_reject", FAULT_CM_REJECT, CM_REJ_CONSUMER },
	{ "mad_drop", FAULT_MAD_DROP, 0 },
	{ "mad_delay", FAULT_MAD_DELAY, 0 },
	{ "device_removal", FAULT_CM_EVENT, CM_DEVICE_REMOVAL },
	{ "addr_change", FAULT_CM_EVENT, CM_ADDR_CHANGE },
};

struct reader {
	const char *list, *at;
	char *why;
	size_t size;
	char word[MAX_WORD]; /* the last one, which begins at @word_at */
	const char *word_at;
};

static int refuse(const struct reader *r, const char *format, ...)
{
	int n = snprintf(r->why, r->size, "column %d: ", (int)(r->word_at - r->list) + 1);
	va_list ap;

	va_start(ap, format);
	if ((size_t)n < r->size)
		vsnprintf(r->why + n, r->size - n, format, ap);
	va_end(ap);
	return -1;
}

static void read_word(struct reader *r)
{
	size_t n = strcspn(r->at, DELIMITERS);

	r->word_at = r->at;
	snprintf(r->word, sizeof(r->word), "%.*s", (int)n, r->at);
	r->at += n;
}

/* The word after @mark, if it is there */
static bool read_after(struct reader *r, char mark)
{
	if (*r->at != mark)
		return false;
	r->at++;
	read_word(r);
	return true;
}

static int to_number(const struct reader *r, const char *text, unsigned long max, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || *value > max)
		return refuse(r, "no number up to %lu: '%s'", max, text);
	return 0;
}

/* A call by the name of the function that makes it, as messages have it: ibv_create_qp and ibv_create_qp_ex, rdma_connect */
static const char *to_call(const char *word, char *buf, size_t size)
{
	int length = (int)strlen(word);

	if (!strncmp(word, "rdma_", 5)) {
		snprintf(buf, size, "cm_%s", word + 5);
		return buf;
	}
	if (strncmp(word, "ibv_", 4))
		return word;
	length -= length > 7 && !strcmp(word + length - 3, "_ex") ? 3 : 0;
	snprintf(buf, size, "%.*s", length - 4, word + 4);
	return buf;
}

/* Without what a name may begin with, and need not */
static const char *bare(const char *word)
{
	static const char *const prefixes[] = { RECV_PREFIX, "IBV_WC_", "IBV_EVENT_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncasecmp(word, prefixes[i], strlen(prefixes[i])))
			word += strlen(prefixes[i]);
	return word;
}

/* Of all that can be asked for, those that are no kind of their own have a name each */
static int refuse_name(const struct reader *r)
{
	char call[MAX_WORD], names[256] = "";
	struct nearest n = { .word = to_call(bare(r->word), call, sizeof(call)) };

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		nearest_see(&n, keywords[i].name);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", keywords[i].name);
	}
	async_names(&n);
	status_names(&n);
	call_names(&n);
	if (n.name)
		return refuse(r, "no such call, event, status or fault: '%s': did you mean %s?", r->word, n.name);
	return refuse(r, "no such call, event, status or fault: '%s': there are %sand calls such as create_qp, events such as "
		      "SM_CHANGE, statuses such as RETRY_EXC_ERR", r->word, names);
}

static int find_status(struct reader *r, struct fault *f, const char *name, enum fault_action action)
{
	f->action = action;
	f->value = status_syndrome(name);
	if (f->value == NO_STATUS)
		return refuse_name(r);
	if (f->value == NO_SYNDROME)
		return refuse(r, "no completion of this device has the status '%s'", name);
	return 0;
}

static int find_name(struct reader *r, struct fault *f)
{
	size_t prefix = strlen(RECV_PREFIX);
	char call[MAX_WORD];

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strcmp(r->word, keywords[i].name)) {
			f->action = keywords[i].action;
			f->value = keywords[i].value;
			return 0;
		}
	f->call = call_name(to_call(r->word, call, sizeof(call)));
	if (f->call) {
		f->action = FAULT_CALL;
		return 0;
	}
	f->value = async_type(r->word);
	if (f->value >= 0) {
		f->action = FAULT_EVENT;
		return 0;
	}
	if (!strncasecmp(r->word, RECV_PREFIX, prefix))
		return find_status(r, f, r->word + prefix, FAULT_RECV);
	return find_status(r, f, r->word, FAULT_SEND);
}

/* N, N-M or N- */
static int read_count(struct reader *r, struct fault *f)
{
	char *dash;

	f->first = f->last = 1;
	if (!read_after(r, '#'))
		return 0;
	if (!actions[f->action].counted)
		return refuse(r, "nothing to count here");
	dash = strchr(r->word, '-');
	if (dash)
		*dash++ = 0;
	if (to_number(r, r->word, INT_MAX, &f->first))
		return -1;
	f->last = dash ? ULONG_MAX : f->first;
	if (dash && *dash && to_number(r, dash, INT_MAX, &f->last))
		return -1;
	return f->first && f->last >= f->first ? 0 : refuse(r, "counts go up from 1");
}

static const char *nearest_errno(const char *word)
{
	struct nearest n = { .word = word };

	for (int err = 1; err < MAX_ERRNO; err++)
		if (strerrorname_np(err))
			nearest_see(&n, strerrorname_np(err));
	return n.name;
}

static int read_errno(struct reader *r, struct fault *f)
{
	unsigned long number;

	for (int err = 1; err < MAX_ERRNO; err++)
		if (strerrorname_np(err) && !strcasecmp(strerrorname_np(err), r->word))
			f->value = err;
	if (f->value)
		return 0;
	if (!isdigit((unsigned char)*r->word))
		return nearest_errno(r->word) ? refuse(r, "no such errno: '%s': did you mean %s?", r->word, nearest_errno(r->word)) :
						refuse(r, "no such errno: '%s'", r->word);
	if (to_number(r, r->word, MAX_ERRNO - 1, &number))
		return -1;
	f->value = number;
	return number ? 0 : refuse(r, "0 is no errno");
}

static int read_port(struct reader *r, struct fault *f, const char *text)
{
	unsigned long number;

	if (to_number(r, text, UINT32_MAX, &number))
		return -1;
	f->number = number;
	return port_get(number) ? 0 : refuse(r, "no such port: '%s'", text);
}

static int read_object(struct reader *r, struct fault *f, const char *text)
{
	unsigned long number;

	if (to_number(r, text, UINT32_MAX, &number))
		return -1;
	f->number = number;
	return 0;
}

/* [PORT=]VALUE or [OBJECT=]VALUE */
static int read_value(struct reader *r, struct fault *f)
{
	char *text = strchr(r->word, '=');
	unsigned long number;

	if (text)
		*text++ = 0;
	if (text && (f->action == FAULT_DEVX_EVENT ? read_object(r, f, r->word) : read_port(r, f, r->word)))
		return -1;
	if (!text)
		text = r->word;
	if (to_number(r, text, f->action == FAULT_SPEED ? INT_MAX : UINT16_MAX, &number))
		return -1;
	f->value = number;
	if (f->action == FAULT_SPEED && !port_speed_ok(number))
		return refuse(r, "no speed of a port in Gb/s: '%s'", text);
	if (f->action == FAULT_LID && port_get(f->number)->ethernet)
		return refuse(r, "an Ethernet port has no LID");
	return 0;
}

static int read_mad(struct reader *r, struct fault *f)
{
	struct nearest n = { .word = r->word };

	f->number = mad_kind_by_name(r->word);
	if (f->number)
		return 0;
	mad_kind_names(&n);
	return n.name ? refuse(r, "no attribute of MADs: '%s': did you mean %s?", r->word, n.name) :
			refuse(r, "no attribute of MADs: '%s': they are as NodeInfo, PortInfo, PortCounters, PathRecord", r->word);
}

static int read_cm_mad(struct reader *r, struct fault *f)
{
	f->number = cm_mad_type(r->word);
	return f->number ? 0 : refuse(r, "no message of rdma_cm: '%s' is not REQ, REP, RTU, REJ, DREQ, DREP, SIDR_REQ, SIDR_REP or MRA", r->word);
}

static int read_reason(struct reader *r, struct fault *f)
{
	unsigned long number;

	if (to_number(r, r->word, UINT16_MAX, &number))
		return -1;
	f->value = number;
	return 0;
}

static bool is_about_port(const struct fault *f)
{
	return f->action == FAULT_PORT_STATE || f->action == FAULT_PORT_FLAP ||
	       (f->action == FAULT_EVENT && async_kind(f->value) == NONE);
}

static int read_argument(struct reader *r, struct fault *f)
{
	enum argument argument = actions[f->action].argument;

	f->number = is_about_port(f) || (argument == VALUE && f->action != FAULT_DEVX_EVENT) ? 1 : 0;
	if (!read_after(r, ':'))
		return argument == VALUE || argument == ERRNO ?
			       refuse(r, "'%s' wants %s after a colon", r->word,
				      argument == ERRNO ? "an errno" : "a number") :
			       0;
	if (argument == CM_MAD)
		return read_cm_mad(r, f);
	if (argument == MAD)
		return read_mad(r, f);
	if (argument == REASON)
		return read_reason(r, f);
	if (argument == ERRNO)
		return read_errno(r, f);
	if (argument == VALUE)
		return read_value(r, f);
	if (argument == ANY_PORT || is_about_port(f))
		return read_port(r, f, r->word);
	return read_object(r, f, r->word);
}

static int read_time(struct reader *r, struct fault *f)
{
	bool there = read_after(r, '@');
	unsigned long ms;

	if (!there && actions[f->action].must_time)
		return refuse(r, "a delay wants milliseconds after an @");
	if (!there)
		return 0;
	if (!actions[f->action].timed)
		return refuse(r, actions[f->action].counted ? "no time is wanted here; which one is said by a #, as in drop#3" : "no time is wanted here");
	if (to_number(r, r->word, INT_MAX, &ms))
		return -1;
	f->ms = ms;
	return 0;
}

static int read_fault(struct reader *r, struct fault *f)
{
	const char *begin = r->at;

	*f = (struct fault){ 0 };
	read_word(r);
	if (find_name(r, f) || read_count(r, f) || read_argument(r, f) || read_time(r, f))
		return -1;
	snprintf(f->text, sizeof(f->text), "%.*s", (int)(r->at - begin), begin);
	r->word_at = r->at;
	if (*r->at && !strchr(SEPARATORS, *r->at))
		return refuse(r, "not expected: '%c'", *r->at);
	return 0;
}

int fault_parse(const char *list, struct fault *faults, int max, char *why, size_t size)
{
	struct reader r = { .list = list, .at = list, .why = why, .size = size };
	int n = 0;

	for (;;) {
		r.at += strspn(r.at, SEPARATORS);
		if (!*r.at)
			return n;
		r.word_at = r.at;
		if (n == max)
			return refuse(&r, "more than %d faults", max);
		if (read_fault(&r, &faults[n++]))
			return -1;
	}
}
