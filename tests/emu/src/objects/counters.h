/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Counters of what flows match. */
#ifndef EMU_COUNTERS_H
#define EMU_COUNTERS_H

#include <stdint.h>

#include "objects/object.h"

struct counters;
struct mlx5_ib_flow_counters_data;

/**
 * A flow is to count in them.
 *
 * @param data  what is read at which index, with the first flow; NULL: as it is
 * @return 0 or an errno
 */
int counters_bind(struct counters *k, const struct mlx5_ib_flow_counters_data *data);

/* A flow that counted in them is no more. */
void counters_unbind(struct counters *k);

void counters_count(struct counters *k, uint32_t bytes);
void counters_release(struct object *o);

#endif
