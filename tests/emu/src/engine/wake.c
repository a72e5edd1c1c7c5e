/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "engine/wake.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "calls/fd.h"
#include "objects/object.h"
#include "packets/fabric.h"
#include "packets/link.h"

static int event_fd = -1;
static bool sleeping;

int wake_start(void)
{
	/* A copy of the parent's is of no use */
	if (event_fd >= 0)
		fd_close_own(event_fd);
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return event_fd < 0 ? -1 : fd_add_own(event_fd);
}

bool wake_sleep(uint64_t ns, bool listen)
{
	struct pollfd p[] = {
		{ .fd = event_fd, .events = POLLIN },
		{ .fd = fabric_socket(), .events = POLLIN },
	};
	struct timespec t = { .tv_nsec = ns };
	uint64_t count;

	if (listen && link_sleep())
		t.tv_nsec = 0;
	sleeping = true;
	pthread_mutex_unlock(&device_lock);
	if (ppoll(p, 2, &t, NULL) > 0 && p[0].revents && read(event_fd, &count, sizeof(count)) < 0)
		p[0].revents = POLLNVAL;
	/* Closed behind our back: no loop without a pause */
	if ((p[0].revents | p[1].revents) & POLLNVAL)
		nanosleep(&t, NULL);
	pthread_mutex_lock(&device_lock);
	sleeping = false;
	link_wake();
	return p[1].revents & POLLIN;
}

void wake_up(void)
{
	static const uint64_t one = 1;

	if (sleeping && write(event_fd, &one, sizeof(one)) == sizeof(one))
		sleeping = false;
}
