/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Memory on demand (ODP): its pages are looked for when the device comes to them, not when it is registered. */
#ifndef EMU_ODP_H
#define EMU_ODP_H

#include <stdbool.h>
#include <stdint.h>

struct ib_uverbs_ex_query_device_resp;

/* A region of the whole address space is asked for so. */
bool odp_is_implicit(uint64_t start, uint64_t len);

/* The capabilities, in verbs and in the mailbox of QUERY_HCA_CAP. */
void odp_put_verbs_caps(struct ib_uverbs_ex_query_device_resp *r);
void odp_put_caps(uint8_t *out);

#endif
