/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completion statuses and the syndromes of a CQE that stand for them. */
#ifndef EMU_STATUS_H
#define EMU_STATUS_H

#include <stdbool.h>

struct nearest;

/* Of a status that no CQE can say. */
#define NO_SYNDROME (-1)

/* By its name, with or without IBV_WC_; -2 where it is no status at all. */
#define NO_STATUS (-2)
int status_syndrome(const char *name);

/* Show those that have a syndrome to nearest_see(). */
void status_names(struct nearest *n);

/* The vendor's code beside a syndrome, in a completion of a send or of a receive request. */
int status_vendor_code(int syndrome, bool receive);

/* The name of the status that libmlx5 makes of a syndrome, without IBV_WC_. */
const char *status_name(int syndrome);

#endif
