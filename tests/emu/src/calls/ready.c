/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "calls/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "calls/fd.h"
#include "calls/real.h"
#include "objects/object.h"
#include "trace.h"

/*
 * What is not writable cannot be written to: a command that comes while it is being closed, and nobody knows it any more, fails
 * as if it had been closed
 */
static int make(int fd[2], bool writable)
{
	if (!writable)
		return pipe2(fd, O_CLOEXEC | O_NONBLOCK);
	fd[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	fd[1] = fd[0] < 0 ? -1 : REAL(fcntl)(fd[0], F_DUPFD_CLOEXEC, 0);
	return fd[1] < 0 ? -1 : 0;
}

int ready_open(struct ready *r, int flags, bool writable)
{
	int fd[] = { -1, -1, -1 };

	if (!make(fd, writable)) {
		fd[2] = REAL(fcntl)(fd[0], flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
		REAL(fcntl)(fd[0], F_SETFL, flags & O_NONBLOCK);
	}
	if (fd[2] >= 0 && !fd_add_own(fd[0]) && !fd_add_own(fd[1])) {
		*r = (struct ready){ fd[0], fd[1], writable ? sizeof(uint64_t) : 1 };
		return fd[2];
	}
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			fd_close_own(fd[i]);
	errno = EMFILE;
	return -1;
}

void ready_close(struct ready *r)
{
	fd_close_own(r->fd);
	fd_close_own(r->count_fd);
}

void ready_up(struct ready *r, const char *what)
{
	uint64_t one = 1;

	if (REAL(write)(r->count_fd, &one, r->unit) < 0)
		complain("%s is not seen: %m", what);
}

void ready_down(struct ready *r, const char *what)
{
	uint64_t number;

	if (REAL(read)(r->fd, &number, r->unit) < 0)
		complain("%s is seen for ever: %m", what);
}

int ready_wait(const struct ready *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	int rc;

	if (REAL(fcntl)(r->fd, F_GETFL) & O_NONBLOCK)
		return EAGAIN;
	pthread_mutex_unlock(&device_lock);
	rc = poll(&p, 1, -1) < 0 ? errno : 0;
	pthread_mutex_lock(&device_lock);
	return rc;
}
