/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "faults/control_socket.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "calls/fd.h"
#include "calls/real.h"
#include "faults/control.h"
#include "faults/fault.h"
#include "signals.h"
#include "trace.h"

#define NOT_OPEN (-1)
#define LONGEST_BINDING 1000 /* ms */

static const char *wanted;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static pid_t home; /* the process that listens */
static atomic_bool binding; /* a socket may come to be there */
static _Atomic pid_t removed; /* by a process that ends: in it none may. A child of vfork has our memory */
static int listener = NOT_OPEN, client = NOT_OPEN;
static char line[1024];
static size_t line_len;

void control_socket_start(const char *path)
{
	wanted = path ? strdup(path) : NULL;
}

static void fill_address(void)
{
	const char *mark = strstr(wanted, "%p");
	int before = mark ? (int)(mark - wanted) : (int)strlen(wanted);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.*s", before, wanted);
	if (mark)
		snprintf(address.sun_path + before, sizeof(address.sun_path) - before, "%d%s", (int)getpid(),
			 mark + 2);
}

/* Nobody listens at what a killed process left */
static bool is_stale(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool stale = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
		     errno == ECONNREFUSED;

	if (fd >= 0)
		REAL(close)(fd);
	return stale;
}

static int bind_in_place(int fd)
{
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	if (errno != EADDRINUSE || !is_stale())
		return -1;
	unlink(address.sun_path);
	return bind(fd, (struct sockaddr *)&address, sizeof(address));
}

/* A signal that ends the process finds the socket there, or keeps it from being made */
static int bind_address(int fd)
{
	int rc = -1;

	binding = true;
	errno = ECANCELED;
	if (removed != getpid())
		rc = bind_in_place(fd);
	binding = false;
	return rc;
}

/* Once a process: what a fork has copied is the parent's */
static void listen_here(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (listener != NOT_OPEN)
		fd_close_own(listener);
	if (client != NOT_OPEN)
		fd_close_own(client);
	listener = client = NOT_OPEN;
	home = getpid();
	fill_address();
	if (fd < 0 || bind_address(fd) || listen(fd, 4) || fd_add_own(fd)) {
		complain("VERBSX_EMU_CONTROL: %s: %s", address.sun_path, strerror(errno));
		address.sun_path[0] = 0;
		if (fd >= 0)
			REAL(close)(fd);
		return;
	}
	listener = fd;
	signals_start();
}

static void hang_up(void)
{
	fd_close_own(client);
	client = NOT_OPEN;
	line_len = 0;
}

static void answer(const char *text)
{
	char reply[MAX_WHY + 1];
	int n = snprintf(reply, sizeof(reply), "%s\n", text);

	if (send(client, reply, n, MSG_NOSIGNAL) != n)
		hang_up();
}

static void obey_lines(void)
{
	char why[MAX_WHY], *end;

	while (client != NOT_OPEN && (end = memchr(line, '\n', line_len))) {
		*end++ = 0;
		answer(control_obey(line, why, sizeof(why)) ? why : "ok");
		if (client == NOT_OPEN)
			return;
		line_len -= end - line;
		memmove(line, end, line_len);
	}
	if (client != NOT_OPEN && line_len == sizeof(line))
		hang_up();
}

static void read_client(void)
{
	ssize_t n = read(client, line + line_len, sizeof(line) - line_len);

	if (n > 0) {
		line_len += n;
		obey_lines();
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		hang_up();
	}
}

void control_socket_serve(void)
{
	if (!wanted)
		return;
	if (home != getpid())
		listen_here();
	if (listener == NOT_OPEN)
		return;
	if (client == NOT_OPEN) {
		client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (client != NOT_OPEN && fd_add_own(client)) {
			REAL(close)(client);
			client = NOT_OPEN;
		}
	}
	if (client != NOT_OPEN)
		read_client();
}

void control_socket_remove(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	removed = getpid();
	for (int i = 0; i < LONGEST_BINDING && binding; i++)
		nanosleep(&moment, NULL);
	if (address.sun_path[0] && home == getpid())
		unlink(address.sun_path);
}
