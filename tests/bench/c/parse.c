/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A value from its name, beside a look through all names by hand, which knows neither short names nor case. */
#include <stdio.h>

#include <infiniband/verbs.h>
#include <verbsx/parse.h>

#include "measure.h"
#include "names_by_hand.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const full_names[] = { "IBV_WC_LOC_LEN_ERR", "IBV_WC_RETRY_EXC_ERR", "IBV_WC_TM_ERR",
					  "IBV_WC_FATAL_ERR" };
static const char *const short_names[] = { "loc_len_err", "retry_exc_err", "tm_err", "fatal_err" };
static const char three_flags[] = "IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ";

static int64_t status(const char *name)
{
	enum ibv_wc_status value;

	return vx_ibv_wc_status_parse(name, &value) < 0 ? -1 : (int64_t)value;
}

static int64_t flags(const char *names)
{
	enum ibv_access_flags value;

	return vx_ibv_access_flags_parse(names, &value) < 0 ? -1 : (int64_t)value;
}

TASK(loop, i)
TASK(full_vx, status(full_names[i % 4]))
TASK(full_by_hand, status_of(full_names[i % 4]))
TASK(short_vx, status(short_names[i % 4]))
TASK(flags_vx, flags(three_flags))
TASK(flags_by_hand, access_of(three_flags))

static const struct task tasks[] = {
	{ "loop", loop, 0 },
	{ "full.vx", full_vx, 0 },
	{ "full.by hand", full_by_hand, 0 },
	{ "short.vx", short_vx, 0 },
	{ "flags.vx", flags_vx, 0 },
	{ "flags.by hand", flags_by_hand, 0 },
};

/* Those that are compared must do the same. */
static int any_differs(void)
{
	int i, wrong = flags(three_flags) != 7 || access_of(three_flags) != 7;

	for (i = 0; i < 4; i++)
		wrong |= status(full_names[i]) < 0 || status(full_names[i]) != status(short_names[i]) ||
			 status(full_names[i]) != status_of(full_names[i]);
	return wrong;
}

int main(int argc, char **argv)
{
	if (any_differs()) {
		fprintf(stderr, "parse: what is compared does not give the same values\n");
		return 1;
	}
	return measure(tasks, COUNT(tasks), argc, argv);
}
