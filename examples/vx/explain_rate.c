/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * The speed of a port as ibstat, ibstatus and sysfs have it: "Rate: 100", "rate: 100 Gb/sec (4X EDR)". What verbs call a rate
 * is a number of ibv_rate.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

#define RATE "rate"
#define UNIT "Gb/sec"

struct rate {
	double speed;		/* of the port, in Gb/s */
	long lanes;		/* 0: it was not told */
	char name[16];		/* of the speed of a lane, "EDR"; "" where it was not told */
};

/* Behind "rate:", which may stand behind the path of its file. NULL: that is not there */
static const char *behind_rate(const char *text)
{
	const char *colon = strchr(text, ':'), *slash = colon ? memrchr(text, '/', (size_t)(colon - text)) : NULL;
	const char *at = slash ? slash + 1 : text;

	if (strncasecmp(at, RATE, strlen(RATE)))
		return NULL;
	at += strlen(RATE);
	at += strspn(at, " ");
	return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* "(4X EDR)", "(4X)" or "(FDR10)", up to the end. */
static bool read_lanes(const char *text, struct rate *rate)
{
	char *at;

	if (!*text)
		return true;
	if (*text++ != '(')
		return false;
	rate->lanes = strtol(text, &at, 10);
	if (rate->lanes && *at++ != 'X')
		return false;
	at += strspn(at, " ");
	if (*at != ')' && !isalpha((unsigned char)*at))
		return false;
	snprintf(rate->name, sizeof(rate->name), "%.*s", (int)strcspn(at, ")"), at);
	at += strcspn(at, ")");
	return *at == ')' && !at[1];
}

/* With the unit it is one wherever it stands, without it only behind "rate:". */
static bool read_rate(const char *text, struct rate *rate)
{
	const char *said = behind_rate(text);
	bool has_unit;
	char *at;

	*rate = (struct rate){ .speed = 0 };
	text = said ? said : text;
	if (!isdigit((unsigned char)*text))
		return false;
	rate->speed = strtod(text, &at);
	at += strspn(at, " ");
	has_unit = !strncmp(at, UNIT, strlen(UNIT));
	if (has_unit)
		at += strlen(UNIT);
	at += strspn(at, " ");
	return (said || has_unit) && rate->speed > 0 && read_lanes(at, rate);
}

/* "4 lanes of 25 Gb/s each, EDR", and what is known without lanes: malloc()ed */
static char *lanes_of(const struct rate *rate)
{
	const char *comma = *rate->name ? ", " : "";

	if (!rate->lanes)
		return need_text("%g Gb/s%s%s", rate->speed, comma, rate->name);
	return need_text("%g Gb/s: %ld lane%s of %g Gb/s%s%s", rate->speed, rate->lanes, rate->lanes == 1 ? "" : "s",
			 rate->speed / (double)rate->lanes, comma, rate->name);
}

size_t explain_rate(struct report *r, const char *text)
{
	struct rate rate;
	char *name, *value;

	if (!read_rate(text, &rate))
		return 0;
	name = need_text("%g Gb/s", rate.speed);
	value = lanes_of(&rate);
	report_item(r, RATE, name);
	report_text(r, "value", value);
	report_text(r, "says", "The speed of the port in Gb/s, active_width times active_speed of ibv_port_attr, and no number of enum ibv_rate.");
	report_text(r, "causes", "Where it is less than the device is made for: the cable, the switch or the peer has fewer lanes or slower ones; on a port that is down it says nothing.");
	report_close(r);
	free(value);
	free(name);
	return 1;
}
