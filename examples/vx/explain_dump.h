/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_DUMP_H
#define VX_EXPLAIN_DUMP_H

#include "topics.h"

/* The completion that libmlx5 and the kernel print as 16 words in hexadecimal when it has failed: its syndrome, and vendor_err. */
void add_dump(struct topics *topics, const char *text);

#endif
