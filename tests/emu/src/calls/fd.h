/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which descriptors of the process are ours. */
#ifndef EMU_FD_H
#define EMU_FD_H

#include <stdbool.h>

/* What a descriptor is, and what it holds */
enum fd_type {
	FD_NONE,
	FD_CONTEXT, /* a context, which all copies of it hold, as they do with the others that can be copied */
	FD_CHANNEL, /* a channel */
	FD_ASYNC, /* the context whose async events it gets */
	FD_MUTE, /* the event_pipe of another async descriptor, which gets no events */
	FD_COMMANDS, /* of DEVX: the event_pipe that results of queries go to */
	FD_EVENTS, /* the devx_channel that events go to */
	FD_CM, /* a cm_file */
	FD_UMAD, /* a umad_file */
	FD_ISSM, /* an issm_file */
	FD_OWN, /* nothing: the device's own */
	FD_TYPES
};

/* Take one in; -1 where its number is too high. */
int fd_add(int fd, enum fd_type type, void *held);

/* What one of that type holds, or NULL. */
void *fd_held(int fd, enum fd_type type);

/* One that the device keeps for itself: the program may not close it. */
int fd_add_own(int fd);
void fd_close_own(int fd);
bool fd_is_own(int fd);

bool fd_is_ours(int fd);

/* The first of ours in a range, or -1. */
int fd_next(unsigned int from, unsigned int last);

/* The descriptor was duplicated. Takes the device lock. */
void fd_copied(int from, int to);

/* It goes away: let go what it held. The device lock is held. */
void fd_drop(int fd);

/* It goes away in a forked child, where what it held is the parent's. */
void fd_forget(int fd);

#endif
