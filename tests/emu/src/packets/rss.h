/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_RSS_H
#define EMU_RSS_H

#include <stdint.h>

#include "calls/call.h"
#include "packets/frame.h"

#define TOEPLITZ_KEY_SIZE 40

struct rss {
	uint8_t key[TOEPLITZ_KEY_SIZE];
	uint64_t fields; /* MLX5_RX_HASH_... */
};

/* MLX5_RX_HASH_... that may be asked for. */
extern const uint64_t rss_fields;

/* Whether create_qp with an indirection table asks for what there is: 0 or an errno. */
int rss_check(struct call *c);

/* What it asks for. */
void rss_set_up(struct rss *r, struct call *c);

/* 0 for a frame without the fields. */
uint32_t rss_hash(const struct rss *r, const struct headers *h);

#endif
