/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Messages of one process for another, in memory that they share: one writes, one reads, and neither waits for the
 * other. What is written is there as a whole or not at all, even if the writer dies in the middle.
 */
#ifndef EMU_RING_H
#define EMU_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define RING_SIZE (256 * 1024)

struct ring {
	struct ring_state *state; /* NULL: there is none */
	uint8_t *data; /* twice, one after the other: no message has a gap */
};

/* Make one: a descriptor of its memory, for the other process, or -1. */
int ring_make(struct ring *r);

/* Use that of another process. */
bool ring_use(struct ring *r, int fd);

/* Let go of our view. */
void ring_close(struct ring *r);

/* Write a message: false where the reader has to read first. */
bool ring_write(struct ring *r, const struct iovec *parts, int n);

/* The next message, until ring_next(), and its size; NULL for none. */
const void *ring_read(const struct ring *r, size_t *size);
void ring_next(struct ring *r);

/* What the reader says: that it does not look until it is woken, or that it does. */
void ring_set_asleep(struct ring *r, bool asleep);

/* Whether the reader has to be woken; said once. */
bool ring_wants_waking(struct ring *r);

#endif
