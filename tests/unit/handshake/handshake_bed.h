/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_PATH_HANDSHAKE_BED_H
#define UNIT_PATH_HANDSHAKE_BED_H

/* What the tests of the states of a handshake have: two sides, of QPs that are none. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <verbsx/error.h>

#include "handshake/handshake.h"

#define QPS 3
#define USUAL_HOPS 64 /* where the program says nothing */

/* One side, with what became of its QPs. */
struct side {
	struct vx_shake shake;
	struct vx_connect_init init;
	struct vx_path told;
	uint8_t type;
	uint8_t link_layer;
	uint32_t first;				/* its QP numbers */
	bool same;				/* all of them the first */
	uint32_t fails_at;			/* moving this one, from 1 */
	int fails_with;
	uint32_t stuck;				/* so many cannot be put back */
	unsigned int moved, reset;
	struct vx_path paths[QPS];
};

extern struct side *one, *other; /* which connects, which accepts */

/* Make them, of so many QPs each; begin; end, and free. */
void both(uint32_t count, uint32_t count_there);
void begin(struct side *side);
void begin_both(void);
void end_both(void);

/* Hand over what is ready, so many bytes at a time. @return 0 or what the other side says to it */
int pass(struct side *from, struct side *to, size_t step);

/* All of it, without a failure. */
void succeed(size_t step);

#define expect_said(words) cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text())

#endif
