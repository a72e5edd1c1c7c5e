/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_WAKE_H
#define VERBSX_SRC_WAKE_H

/* One descriptor, of epoll(7), that stands for others, and an eventfd(2) among them for who wakes those that sleep on it. */

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Safe in a handler of a signal, and with the graph's lock: an eventfd is full only after 2^64 writes that nobody has read. */
static inline void vx_ring(int wake)
{
	const uint64_t one = 1;
	const int saved = errno;

	if (write(wake, &one, sizeof(one)) < 0)
		errno = saved;
}

static inline void vx_unring(int wake)
{
	uint64_t count;

	if (read(wake, &count, sizeof(count)) < 0)
		errno = 0;
}

static inline int vx_watch(int watched, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(watched, EPOLL_CTL_ADD, fd, &event);
}

#endif
