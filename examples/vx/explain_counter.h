/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_COUNTER_H
#define VX_EXPLAIN_COUNTER_H

#include "topics.h"

/* The counters of a line, but those that are 0: "link mlx5_0/1 rx_write_requests 0 out_of_sequence 12". */
void add_counters(struct topics *topics, const char *line);

/* The name of each, malloc()ed. @return NULL: there is none more */
char *counter_name(size_t i);

#endif
