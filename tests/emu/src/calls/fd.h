/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which descriptors of the process are ours. */
#ifndef EMU_FD_H
#define EMU_FD_H

#include <stdbool.h>

struct channel;
struct context;
struct devx_channel;

/*
 * Each takes a descriptor in; -1 where its number is too high. A mute one is an async
 * descriptor beside the first of its context, which alone gets the events.
 */
struct event_pipe;
int fd_add_context(int fd, struct context *ctx);
int fd_add_channel(int fd, struct channel *ch);
int fd_add_async(int fd, struct context *ctx);
int fd_add_mute(int fd, struct event_pipe *pipe);

/* One that the device keeps for itself: the program may not close it. */
int fd_add_own(int fd);
void fd_close_own(int fd);
bool fd_is_own(int fd);

/* Of DEVX: one that results of queries go to, and what is written to then; NULL if it is none. */
int fd_add_commands(int fd, struct event_pipe *pipe);
struct event_pipe *fd_commands(int fd);

/* Likewise, one that events go to. */
int fd_add_events(int fd, struct devx_channel *ch);
struct devx_channel *fd_events(int fd);

/* Of rdma_cm. */
struct cm_file;
int fd_add_cm(int fd, struct cm_file *f);
struct cm_file *fd_cm(int fd);

/* Of MADs, and of a subnet manager. */
struct umad_file;
struct issm_file;
int fd_add_umad(int fd, struct umad_file *f);
struct umad_file *fd_umad(int fd);
int fd_add_issm(int fd, struct issm_file *f);
bool fd_is_issm(int fd);

bool fd_is_ours(int fd);

/* The first of ours in a range, or -1. */
int fd_next(unsigned int from, unsigned int last);
struct context *fd_context(int fd);
struct channel *fd_channel(int fd);

/* The descriptor was duplicated. Takes the device lock. */
void fd_copied(int from, int to);

/* It goes away: let go what it held. The device lock is held. */
void fd_drop(int fd);

/* It goes away in a forked child, where what it held is the parent's. */
void fd_forget(int fd);

#endif
