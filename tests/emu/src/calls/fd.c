/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "calls/fd.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "bounds.h"
#include "calls/context.h"
#include "calls/devx_event.h"
#include "calls/event_pipe.h"
#include "calls/real.h"
#include "cm/cm.h"
#include "mad/umad.h"
#include "objects/channel.h"
#include "objects/object.h"

static struct {
	enum fd_type type;
	void *held;
} fds[MAX_FDS];

static void hold_context(void *held)
{
	((struct context *)held)->command_fds++;
}

static void drop_context(void *held)
{
	context_drop_command(held);
}

static void hold_channel(void *held)
{
	((struct channel *)held)->fds++;
}

static void drop_channel(void *held)
{
	struct channel *ch = held;

	ch->fds--;
	channel_put(ch);
}

static void drop_async(void *held)
{
	context_drop_async(held);
}

static void drop_mute(void *held)
{
	event_pipe_close(held);
	free(held);
}

static void drop_events(void *held)
{
	devx_channel_drop(held);
}

static void hold_cm(void *held)
{
	cm_file_hold(held);
}

static void drop_cm(void *held)
{
	cm_file_drop(held);
}

static void hold_umad(void *held)
{
	umad_file_hold(held);
}

static void drop_umad(void *held)
{
	umad_file_drop(held);
}

static void hold_issm(void *held)
{
	issm_hold(held);
}

static void drop_issm(void *held)
{
	issm_drop(held);
}

static const struct {
	void (*hold)(void *held); /* NULL: a copy of the descriptor is not followed */
	void (*drop)(void *held); /* NULL: nothing to let go */
} types[FD_TYPES] = {
	[FD_CONTEXT] = { hold_context, drop_context },
	[FD_CHANNEL] = { hold_channel, drop_channel },
	[FD_ASYNC] = { NULL, drop_async },
	[FD_MUTE] = { NULL, drop_mute },
	[FD_COMMANDS] = { NULL, drop_mute },
	[FD_EVENTS] = { NULL, drop_events },
	[FD_CM] = { hold_cm, drop_cm },
	[FD_UMAD] = { hold_umad, drop_umad },
	[FD_ISSM] = { hold_issm, drop_issm },
};

int fd_add(int fd, enum fd_type type, void *held)
{
	if (fd < 0 || fd >= MAX_FDS)
		return -1;
	fd_drop(fd); /* it was closed behind our back */
	fds[fd].held = held;
	fds[fd].type = type;
	if (types[type].hold)
		types[type].hold(held);
	return 0;
}

int fd_add_own(int fd)
{
	return fd_add(fd, FD_OWN, NULL);
}

void fd_close_own(int fd)
{
	if (fd_is_ours(fd))
		fd_forget(fd);
	REAL(close)(fd);
}

bool fd_is_own(int fd)
{
	return fd_is_ours(fd) && fds[fd].type == FD_OWN;
}

bool fd_is_ours(int fd)
{
	return fd >= 0 && fd < MAX_FDS && fds[fd].type != FD_NONE;
}

void *fd_held(int fd, enum fd_type type)
{
	return fd_is_ours(fd) && fds[fd].type == type ? fds[fd].held : NULL;
}

void fd_copied(int from, int to)
{
	int cancelling;

	if (!fd_is_ours(from))
		return;
	cancelling = device_enter();
	if (types[fds[from].type].hold)
		fd_add(to, fds[from].type, fds[from].held);
	device_leave(cancelling);
}

void fd_drop(int fd)
{
	enum fd_type type;

	if (!fd_is_ours(fd))
		return;
	type = fds[fd].type;
	fds[fd].type = FD_NONE;
	if (types[type].drop)
		types[type].drop(fds[fd].held);
}

int fd_next(unsigned int from, unsigned int last)
{
	for (; from <= last && from < MAX_FDS; from++)
		if (fds[from].type != FD_NONE)
			return from;
	return -1;
}

void fd_forget(int fd)
{
	fds[fd].type = FD_NONE;
}
