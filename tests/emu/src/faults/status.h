/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completion statuses and the syndromes of a CQE that stand for them. */
#ifndef EMU_STATUS_H
#define EMU_STATUS_H

/* Of a status that no CQE can say. */
#define NO_SYNDROME (-1)

/* By its name, with or without IBV_WC_; -2 where it is no status at all. */
#define NO_STATUS (-2)
int status_syndrome(const char *name);

/* The name of the status that libmlx5 makes of a syndrome, without IBV_WC_. */
const char *status_name(int syndrome);

#endif
