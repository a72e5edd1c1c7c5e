/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_TOPICS_H
#define VX_TOPICS_H

/* What a line speaks of: names, each once, in the order in which they are explained. */

#include <stdbool.h>
#include <stddef.h>

#include "explain.h"

struct topics {
	struct topic {
		reading explain;
		char *name;
	} *all;
	size_t count;
};

void topics_add(struct topics *topics, reading explain, const char *name);

/* Whether one of them is a value of this enum. */
bool topics_have(const struct topics *topics, const char *tag);

/* Whether one of them is explained so. */
bool topics_have_reading(const struct topics *topics, reading explain);

/* Forget those that are values of this enum. */
void topics_drop(struct topics *topics, const char *tag);

/* Add those of another list, which is empty then. */
void topics_move(struct topics *topics, struct topics *from);

/* Explain them all and forget them. @return how many items came of it */
size_t topics_end(struct topics *topics, struct report *r);

#endif
