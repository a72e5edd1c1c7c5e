/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flow steering: which QP gets which of the frames that come to a port. */
#ifndef EMU_FLOW_H
#define EMU_FLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "objects/object.h"
#include "packets/flow_match.h"
#include "packets/fte.h"

#define MAX_FLOW_ACTIONS 8

/* Of a priority: first what lets others have a copy, then what does not */
#define FLOW_RANK(priority) (2u * (priority) + 1)
#define FLOW_LAST_PRIORITY 15

/* After all priorities */
enum {
	FLOW_RANK_MULTICAST = FLOW_RANK(FLOW_LAST_PRIORITY) + 1,
	FLOW_RANK_DEFAULT
};

struct call;
struct counters;
struct flow_action;
struct flow_counter;
struct flow_table;
struct matcher;
struct qp;
struct tir;

struct flow {
	struct object o;
	TAILQ_ENTRY(flow) link;
	uint32_t type; /* IBV_FLOW_ATTR_... */
	uint8_t port; /* 0: of mlx5dv, for all */
	bool dont_trap; /* others get a copy */
	bool drop, has_tag;
	uint32_t tag;
	uint32_t rank; /* those of a lower one come first */
	struct matches matches;
	struct counters *counters;
	struct qp *qp; /* NULL where there is none */
	/* Of mlx5dv, instead of matches and counters: */
	struct matcher *matcher;
	uint8_t value[FTE_SIZE];
	bool egress, miss; /* of what leaves; as if there were no such flow */
	struct tir *tir; /* instead of a QP */
	struct flow_table *table; /* likewise; alone of what leaves has one */
	struct flow_counter *counter;
	uint32_t nactions;
	struct flow_action *actions[MAX_FLOW_ACTIONS];
};

/* By rank and, in a rank, as they were made */
TAILQ_HEAD(flow_list, flow);
extern struct flow_list flow_list;

void flow_release(struct object *o);

/* Both ask for the same frames, with the same rank. */
bool flow_is_same_rule(const struct flow *a, const struct flow *b);

/* EEXIST where there is a flow of that rule, which does something else with them; or 0. */
int flow_check_conflicts(const struct flow *f);

/* Make one that is so, and use its QP; NULL without memory. */
struct flow *flow_new(struct call *c, const struct flow *wanted);

/* Let go what only one of mlx5dv uses. */
void flow_dv_release(struct flow *f);

#endif
