/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A value's name: of a dense enum, of a flag, of an enum with values out of order. */
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <verbsx/enums.h>

#include "measure.h"
#include "names_by_hand.h"

#define LISTED(name) name,
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int statuses[] = { STATUSES(LISTED) };
static const int access_flags[] = { ACCESS_FLAGS(LISTED) };
static const int rates[] = { RATES(LISTED) };

/* All of them in turn, but not in their order. */
static int some_statuses[64], some_flags[64], some_rates[64];

TASK_EACH(loop, some_statuses, value)
TASK_EACH(status_vx, some_statuses, vx_ibv_wc_status_name(value))
TASK_EACH(status_rdma_core, some_statuses, ibv_wc_status_str((enum ibv_wc_status)value))
TASK_EACH(status_switch, some_statuses, status_by_switch(value))
TASK_EACH(status_pointers, some_statuses, status_by_pointers(value))
TASK_EACH(flag_vx, some_flags, vx_ibv_access_flags_name(value))
TASK_EACH(flag_switch, some_flags, access_by_switch(value))
TASK_EACH(flag_pointers, some_flags, access_by_pointers(value))
TASK_EACH(rate_vx, some_rates, vx_ibv_rate_name(value))
TASK_EACH(rate_switch, some_rates, rate_by_switch(value))
TASK_EACH(rate_pointers, some_rates, rate_by_pointers(value))

static const struct task tasks[] = {
	{ "loop", loop, 0 },
	{ "status.vx", status_vx, 0 },
	{ "status.rdma-core", status_rdma_core, 0 },
	{ "status.switch", status_switch, 0 },
	{ "status.pointers", status_pointers, 0 },
	{ "flag.vx", flag_vx, 0 },
	{ "flag.switch", flag_switch, 0 },
	{ "flag.pointers", flag_pointers, 0 },
	{ "rate.vx", rate_vx, 0 },
	{ "rate.switch", rate_switch, 0 },
	{ "rate.pointers", rate_pointers, 0 },
};

static void shuffle(int *out, const int *values, size_t count)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		out[i] = values[i * 7 % count];
}

/* Those that are compared must do the same. */
static int differ(const char *name, const char *by_switch, const char *by_pointers)
{
	if (name && by_switch && by_pointers && !strcmp(name, by_switch) && !strcmp(name, by_pointers))
		return 0;
	fprintf(stderr, "names: %s, by a switch %s, by pointers %s\n", name, by_switch, by_pointers);
	return 1;
}

static int any_differs(void)
{
	int i, wrong = 0;

	for (i = 0; i < 64; i++) {
		int status = some_statuses[i], flag = some_flags[i], rate = some_rates[i];

		wrong |= differ(vx_ibv_wc_status_name(status), status_by_switch(status),
				status_by_pointers(status));
		wrong |= differ(vx_ibv_access_flags_name(flag), access_by_switch(flag),
				access_by_pointers(flag));
		wrong |= differ(vx_ibv_rate_name(rate), rate_by_switch(rate), rate_by_pointers(rate));
	}
	return wrong;
}

int main(int argc, char **argv)
{
	shuffle(some_statuses, statuses, COUNT(statuses));
	shuffle(some_flags, access_flags, COUNT(access_flags));
	shuffle(some_rates, rates, COUNT(rates));
	if (any_differs())
		return 1;
	return measure(tasks, COUNT(tasks), argc, argv);
}
