/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_TRANSITION_H
#define VX_EXPLAIN_TRANSITION_H

#include "topics.h"

/* The one that a line names: "INIT -> RTR", "from IBV_QPS_RESET to IBV_QPS_INIT". */
void add_transition(struct topics *topics, const char *line);

#endif
