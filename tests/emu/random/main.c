/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Random programs of create, modify, post, poll and destroy, with faults:
 *
 *	verbsx-emu-random [SEED [COUNT [STEPS]]]
 *
 * Program N has the seed SEED + N, so that SEED 1 runs one again; STEPS, such as 3-9,17, are those
 * of its steps that it has. The device is linked in or preloaded. A program fails when an object is left, a
 * completion or an event is missing, out of order or of nothing, or it hangs or crashes; then steps
 * that it does not need for this are taken away until few are left.
 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	DEFAULT_COUNT = 1000,
	MANY = 1000 /* programs see all that is below */
};

struct record *record;

static bool all_seen(void)
{
	static const enum ibv_wc_status statuses[] = {
		IBV_WC_SUCCESS,		 IBV_WC_LOC_LEN_ERR,  IBV_WC_LOC_QP_OP_ERR,  IBV_WC_LOC_PROT_ERR,
		IBV_WC_WR_FLUSH_ERR,	 IBV_WC_MW_BIND_ERR,  IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_ACCESS_ERR,
		IBV_WC_RETRY_EXC_ERR,	 IBV_WC_REM_OP_ERR,   IBV_WC_RNR_RETRY_EXC_ERR,
	};
	static const enum ibv_event_type events[] = { IBV_EVENT_SRQ_LIMIT_REACHED, IBV_EVENT_QP_LAST_WQE_REACHED,
						      IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR,
						      IBV_EVENT_SM_CHANGE };
	bool all = record->cq_events;

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (!record->statuses[statuses[i]] && !(all = false))
			printf("never seen: %s\n", ibv_wc_status_str(statuses[i]));
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (!record->async_events[events[i]] && !(all = false))
			printf("never seen: %s\n", ibv_event_type_str(events[i]));
	return all;
}

static void print_seen(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(record->statuses); i++)
		if (record->statuses[i])
			printf("%8lu %s\n", record->statuses[i], ibv_wc_status_str(i));
	printf("%8lu events of CQs\n", record->cq_events);
	for (size_t i = 0; i < ARRAY_SIZE(record->async_events); i++)
		if (record->async_events[i])
			printf("%8lu %s\n", record->async_events[i], ibv_event_type_str(i));
}

int main(int argc, char **argv)
{
	struct batch b = { .first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1,
			   .count = argc > 2 ? strtoul(argv[2], NULL, 0) : argc > 1 ? 1 : DEFAULT_COUNT };

	if (argc > 4 || !parse_steps(argc > 3 ? argv[3] : "1-", b.steps)) {
		fprintf(stderr, "usage: %s [SEED [COUNT [STEPS]]]\n", argv[0]);
		return 2;
	}
	record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (record == MAP_FAILED)
		return 2;
	/* Others on this machine are no concern of it, and it wants the first LID */
	setenv("VERBSX_EMU_FABRIC", "none", 0);
	if (!run_in_child(&b, false)) {
		shrink(record->seed);
		return 1;
	}
	print_seen();
	printf("%lu programs from seed %lu\n", b.count, b.first);
	return b.count < MANY || all_seen() ? 0 : 1;
}
