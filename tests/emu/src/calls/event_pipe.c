/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "calls/event_pipe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "calls/real.h"

int event_pipe_open(struct event_pipe *p)
{
	char path[64];
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[0]);
	p->drain_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	p->write_fd = fd[1];
	fcntl(p->write_fd, F_SETFL, O_NONBLOCK);
	return fd[0];
}

int event_pipe_open_messages(struct event_pipe *p)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return -1;
	p->drain_fd = -1;
	p->write_fd = fd[1];
	fcntl(p->write_fd, F_SETFL, O_NONBLOCK);
	return fd[0];
}

void event_pipe_close(struct event_pipe *p)
{
	REAL(close)(p->write_fd);
	if (p->drain_fd >= 0)
		REAL(close)(p->drain_fd);
	p->write_fd = p->drain_fd = -1;
}

bool event_pipe_is_read(const struct event_pipe *p)
{
	int unread;

	return !REAL(ioctl)(p->write_fd, SIOCOUTQ, &unread) && !unread;
}

bool event_pipe_write(struct event_pipe *p, const void *record, size_t size)
{
	return write(p->write_fd, record, size) == (ssize_t)size;
}

int event_pipe_take_back(struct event_pipe *p, size_t size, uint64_t id)
{
	static uint8_t keep[65536]; /* as much as a pipe holds */
	size_t kept = 0;
	int taken = 0;
	uint64_t first;

	while (kept + size <= sizeof(keep) && read(p->drain_fd, keep + kept, size) == (ssize_t)size) {
		memcpy(&first, keep + kept, sizeof(first));
		if (first == id)
			taken++;
		else
			kept += size;
	}
	for (size_t i = 0; i < kept; i += size)
		if (!event_pipe_write(p, keep + i, size))
			break;
	return taken;
}
