/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef EMU_RSS_H
#define EMU_RSS_H

#include <stdint.h>

#include "call.h"

/* MLX5_RX_HASH_... that may be asked for. */
extern const uint64_t rss_fields;

/* Whether create_qp with an indirection table asks for what there is: 0 or an errno. */
int rss_check(struct call *c);

#endif
