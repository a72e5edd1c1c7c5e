/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_RANGE_H
#define VX_EXPLAIN_RANGE_H

#include "place.h"

/* How large a field may be: "0 to 31", "up to ibv_device_attr.max_qp_wr", "". To be freed. */
char *range_of(const char *tag, const struct place *at);

/* What is wrong with a value, which somebody wrote so; NULL: nothing is known to be. To be freed. */
char *out_of_range(const char *tag, const struct place *at, uint64_t value, const char *said);

#endif
