/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a descriptor of a node behind which something waits is made of: as readable as there are things. */
#ifndef EMU_READY_H
#define EMU_READY_H

#include <stdbool.h>

struct ready {
	int fd, count_fd; /* the device's own; the program's is a copy of the first */
	int unit; /* bytes a thing: a number of a counter, or one in a pipe */
};

/* The program's descriptor, or -1 with errno. @writable: poll() says so as well. */
int ready_open(struct ready *r, int flags, bool writable);
void ready_close(struct ready *r);

/* One thing more, one less. */
void ready_up(struct ready *r, const char *what);
void ready_down(struct ready *r, const char *what);

/*
 * There is none: wait, with the device lock given up meanwhile. 0 or an errno. The program's descriptor may be closed by
 * now, but ours is of the same file.
 */
int ready_wait(const struct ready *r);

#endif
