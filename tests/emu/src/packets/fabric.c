/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "packets/fabric.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bounds.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "config.h"
#include "packets/fabric_links.h"
#include "trace.h"

#define DEFAULT_NAME "default"
#define NO_FABRIC "none"

/* Names in the directory */
#define LOCK "place-%u"
#define TOLD "told-%u"
#define TELLING "telling-%u"

#define MAX_PLACES 1024
#define ATTEMPTS 10 /* at a directory that others remove */

static char path[PATH_MAX];
int fabric_dir = -1;
static int lock_fd = -1, socket_fd = -1;
static unsigned int place;
static pid_t member;
char fabric_socket_name[NAME_SIZE];
static char lock_name[NAME_SIZE], told_name[NAME_SIZE], telling_name[NAME_SIZE];

unsigned int fabric_place(void)
{
	return place;
}

int fabric_socket(void)
{
	return socket_fd;
}

static void name_place(char name[NAME_SIZE], unsigned int of)
{
	snprintf(name, NAME_SIZE, SOCKET, of);
}

/* Runtime directories of users last as long as their sessions, but TMPDIR was asked for */
static const char *parent_directory(void)
{
	static const char *const variables[] = { "TMPDIR", "XDG_RUNTIME_DIR" };

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *value = REAL(getenv)(variables[i]);

		if (value && *value)
			return value;
	}
	return P_tmpdir;
}

/* It has to be the user's own, since anybody can make one of that name in /tmp */
static int open_directory(void)
{
	int flags = O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC;
	struct stat st;
	int fd;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -1;
	fd = REAL(open)(path, flags);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid())
		return fd;
	REAL(close)(fd);
	errno = EPERM;
	return -1;
}

static void each_entry(void (*fn)(const char *name, void *arg), void *arg)
{
	int fd = REAL(fcntl)(fabric_dir, F_DUPFD_CLOEXEC, 0);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			REAL(close)(fd);
		return;
	}
	rewinddir(d);
	while ((e = readdir(d)))
		fn(e->d_name, arg);
	closedir(d);
}

static void unlink_if_to(const char *name, void *arg)
{
	char target[NAME_SIZE];

	if (fabric_read_link(name, target) && !strcmp(target, arg))
		unlinkat(fabric_dir, name, 0);
}

/* What a process that is dead has left at a place; we hold the lock */
static void clear_place(unsigned int n)
{
	char name[NAME_SIZE];

	name_place(name, n);
	each_entry(unlink_if_to, name);
	unlinkat(fabric_dir, name, 0);
	snprintf(name, sizeof(name), TOLD, n);
	unlinkat(fabric_dir, name, 0);
	snprintf(name, sizeof(name), TELLING, n);
	unlinkat(fabric_dir, name, 0);
}

/* A lock on a file that was removed meanwhile is worth nothing */
static bool is_still_there(int fd, const char *name)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !fstatat(fabric_dir, name, &there, 0) && ours.st_ino == there.st_ino;
}

/* The lock of a place, or -1 if somebody has it */
static int lock_place(unsigned int n)
{
	char name[NAME_SIZE];
	int fd;

	snprintf(name, sizeof(name), LOCK, n);
	fd = openat(fabric_dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) && is_still_there(fd, name))
		return fd;
	REAL(close)(fd);
	return -1;
}

static void remove_if_dead(const char *name, void *arg)
{
	unsigned int n;
	char end;
	int fd;

	(void)arg;
	if (sscanf(name, LOCK "%c", &n, &end) != 1)
		return;
	fd = lock_place(n);
	if (fd < 0)
		return;
	clear_place(n);
	unlinkat(fabric_dir, name, 0);
	REAL(close)(fd);
}

void fabric_sweep(void)
{
	if (fabric_dir >= 0)
		each_entry(remove_if_dead, NULL);
}

static bool take_place(void)
{
	unsigned int places = config.one_host ? MAX_PLACES_A_HOST : MAX_PLACES;

	for (place = 0; place < places; place++) {
		lock_fd = lock_place(place);
		if (lock_fd < 0)
			continue;
		snprintf(lock_name, sizeof(lock_name), LOCK, place);
		snprintf(told_name, sizeof(told_name), TOLD, place);
		snprintf(telling_name, sizeof(telling_name), TELLING, place);
		return true;
	}
	place = 0;
	return false;
}

/* By way of the descriptor, as the path of a socket is limited to 108 bytes */
static socklen_t address(struct sockaddr_un *a, const char *name)
{
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/%s", fabric_dir, name);
	return sizeof(*a);
}

static bool open_socket(void)
{
	struct sockaddr_un a = { 0 };

	name_place(fabric_socket_name, place);
	unlinkat(fabric_dir, fabric_socket_name, 0);
	socket_fd = REAL(socket)(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return socket_fd >= 0 && !bind(socket_fd, (struct sockaddr *)&a, address(&a, fabric_socket_name));
}

static void keep(int fd)
{
	if (fd >= 0)
		fd_add_own(fd);
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		fd_close_own(*fd);
	*fd = -1;
}

void fabric_forget(void)
{
	close_one(&socket_fd);
	close_one(&lock_fd);
	close_one(&fabric_dir);
	fabric_links_forget();
	place = 0;
}

static bool join_once(void)
{
	fabric_dir = open_directory();
	if (fabric_dir < 0)
		return false;
	fabric_sweep();
	if (take_place() && open_socket())
		return true;
	fabric_forget();
	return false;
}

unsigned int fabric_join(const char *name)
{
	bool joined = false;
	int n;

	fabric_forget();
	if (name && !strcmp(name, NO_FABRIC))
		return 0;
	if (name && strchr(name, '/')) {
		complain("VERBSX_EMU_FABRIC: a name without slashes, not '%s'", name);
		return 0;
	}
	n = snprintf(path, sizeof(path), "%s/verbsx-emu-fabric.%u.%s", parent_directory(), geteuid(),
		     name ? name : DEFAULT_NAME);
	for (int i = 0; i < ATTEMPTS && !joined && n < (int)sizeof(path); i++)
		joined = join_once();
	if (!joined)
		complain("cannot join the fabric %s: %m", path);
	member = getpid();
	keep(fabric_dir);
	keep(lock_fd);
	keep(socket_fd);
	return place;
}

void fabric_leave(void)
{
	/* A child of vfork, which shares our memory, ends alone */
	if (socket_fd < 0 || member != getpid())
		return;
	fabric_links_remove();
	unlinkat(fabric_dir, told_name, 0);
	unlinkat(fabric_dir, telling_name, 0);
	unlinkat(fabric_dir, fabric_socket_name, 0);
	unlinkat(fabric_dir, lock_name, 0);
	rmdir(path);
}

/* Who reads it has the old or the new */
void fabric_tell(const void *data, size_t size)
{
	bool ok;
	int fd;

	if (socket_fd < 0)
		return;
	fd = openat(fabric_dir, telling_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	ok = REAL(write)(fd, data, size) == (ssize_t)size;
	REAL(close)(fd);
	if (!ok || renameat(fabric_dir, telling_name, fabric_dir, told_name))
		complain("the fabric is not told of a change: %m");
}

bool fabric_hear(unsigned int from, void *data, size_t size)
{
	char name[NAME_SIZE];
	bool ok;
	int fd;

	if (socket_fd < 0)
		return false;
	snprintf(name, sizeof(name), TOLD, from);
	fd = openat(fabric_dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = REAL(read)(fd, data, size) == (ssize_t)size;
	REAL(close)(fd);
	return ok;
}

struct visit {
	void (*fn)(unsigned int place, void *arg);
	void *arg;
};

static void visit_other(const char *name, void *arg)
{
	const struct visit *v = arg;
	unsigned int n;

	if (sscanf(name, SOCKET, &n) == 1 && n != place)
		v->fn(n, v->arg);
}

void fabric_each(void (*fn)(unsigned int place, void *arg), void *arg)
{
	struct visit v = { fn, arg };

	if (socket_fd >= 0)
		each_entry(visit_other, &v);
}

int fabric_connect(unsigned int to)
{
	int fd = REAL(socket)(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a = { 0 };
	char name[NAME_SIZE];
	int error;

	name_place(name, to);
	if (fd < 0 || !connect(fd, (struct sockaddr *)&a, address(&a, name)))
		return fd;
	error = errno;
	REAL(close)(fd);
	errno = error;
	return -1;
}
