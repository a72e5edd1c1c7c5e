/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A pipe that carries event records of one size to the program. */
#ifndef EMU_EVENT_PIPE_H
#define EMU_EVENT_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_pipe {
	int write_fd;
	int drain_fd; /* a second read end that does not block, to take events back */
};

/* The read end for the program, or -1. */
int event_pipe_open(struct event_pipe *p);
/* The same, but what is written in one piece is read in one piece; nothing can be taken back. */
int event_pipe_open_messages(struct event_pipe *p);

void event_pipe_close(struct event_pipe *p);

/* Whether there is nothing in one with messages that the program has not read. */
bool event_pipe_is_read(const struct event_pipe *p);

bool event_pipe_write(struct event_pipe *p, const void *record, size_t size);

/**
 * Take back the unread records that begin with @id.
 *
 * The kernel reports at destruction only the events that the program has read, and
 * libibverbs waits until just these are acknowledged.
 *
 * @return how many there were
 */
int event_pipe_take_back(struct event_pipe *p, size_t size, uint64_t id);

#endif
