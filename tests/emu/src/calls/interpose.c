/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The functions of the C library that the device is reached by. Each passes on what is
 * none of our business.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <linux/close_range.h>
#include <unistd.h>
#include <rdma/rdma_user_ioctl.h>

#include "bounds.h"
#include "calls/bar.h"
#include "calls/call.h"
#include "calls/context.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "cm/cm.h"
#include "engine/engine.h"
#include "engine/wake.h"
#include "mad/umad.h"
#include "objects/object.h"
#include "process.h"
#include "sysfs/redirect.h"
#include "objects/imported.h"
#include "trace.h"

#define PROTOCOL_RDMA 20

static bool is_cm(const char *path)
{
	return path && !strcmp(path, CM_NODE);
}

static int open_cm(const char *path, int flags)
{
	(void)path;
	return cm_open(flags);
}

/* What there is in /dev/infiniband */
static const struct node {
	bool (*is)(const char *path);
	int (*open)(const char *path, int flags);
} nodes[] = {
	{ context_is_node, context_open },
	{ is_cm, open_cm },
	{ umad_is_node, umad_open },
	{ issm_is_node, issm_open },
};

static const struct node *node_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		if (nodes[i].is(path))
			return &nodes[i];
	return NULL;
}

/* A path that exists: the device has the number that sysfs gives */
static const char *existing(const char *path, char to[PATH_MAX])
{
	return node_of(path) ? "/dev/null" : sysfs_redirect(path, to);
}

static int mode_of(int flags, va_list ap)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, int) : 0;
}

#define INTERPOSE_OPEN(name)                                              \
	INTERPOSED int name(const char *path, int flags, ...)             \
	{                                                                 \
		const struct node *node; \
		char to[PATH_MAX];                                        \
		va_list ap;                                               \
		int mode;                                                 \
                                                                          \
		va_start(ap, flags);                                      \
		mode = mode_of(flags, ap);                                \
		va_end(ap);                                               \
		node = node_of(path); \
		if (node) \
			return node->open(path, flags); \
		return REAL(name)(sysfs_redirect(path, to), flags, mode); \
	}
INTERPOSE_OPEN(open)
INTERPOSE_OPEN(open64)

#define INTERPOSE_OPENAT(name)                                                 \
	INTERPOSED int name(int dir, const char *path, int flags, ...)         \
	{                                                                      \
		const struct node *node; \
		char to[PATH_MAX];                                             \
		va_list ap;                                                    \
		int mode;                                                      \
                                                                               \
		va_start(ap, flags);                                           \
		mode = mode_of(flags, ap);                                     \
		va_end(ap);                                                    \
		node = node_of(path); \
		if (node) \
			return node->open(path, flags); \
		return REAL(name)(dir, sysfs_redirect(path, to), flags, mode); \
	}
INTERPOSE_OPENAT(openat)
INTERPOSE_OPENAT(openat64)

/* What fortified programs call: without a mode */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

INTERPOSED int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

INTERPOSED int __open64_2(const char *path, int flags)
{
	return open64(path, flags);
}

/*
 * The functions of stat(), and what they are called in what was built with a C library before
 * 2.33. They do not call each other: sanitizers have their own of one kind call the other.
 */
int __xstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);

static int look_at(const char *path, struct stat *st)
{
	char to[PATH_MAX];

	return REAL(stat)(existing(path, to), st);
}

/* What the libraries want to be a character device: libibverbs that of sysfs */
static bool is_node(int fd)
{
	const struct context *ctx = fd_held(fd, FD_CONTEXT);

	return fd_held(fd, FD_CM) || fd_held(fd, FD_UMAD) || (ctx && (ctx->import ? import_is(ctx->import, fd) : bar_is_own(fd)));
}

/* By its number libibverbs finds the device of a descriptor that is imported */
static dev_t number_of(int fd)
{
	const struct context *ctx = fd_held(fd, FD_CONTEXT);

	return ctx ? context_node_number(ctx->device) : 0;
}

/* One that came from another process is looked at so by libibverbs, which is to import it */
static bool is_imported(int fd, mode_t mode, off_t size)
{
	return S_ISREG(mode) && bar_has_size(size) && !fd_is_own(fd) && context_import(fd);
}

#define LOOK_BEHIND(stat_fn, fstat_fn)                                                            \
	({                                                                                        \
		int rc = is_node(fd) ? REAL(stat_fn)("/dev/null", st) : REAL(fstat_fn)(fd, st);      \
                                                                                                  \
		if (!rc && !is_node(fd) && is_imported(fd, st->st_mode, st->st_size))             \
			rc = REAL(stat_fn)("/dev/null", st);                                      \
		if (!rc && is_node(fd) && number_of(fd))                                          \
			st->st_rdev = number_of(fd);                                              \
		rc;                                                                               \
	})

static int look_behind(int fd, struct stat *st)
{
	return LOOK_BEHIND(stat, fstat);
}

INTERPOSED int stat(const char *restrict path, struct stat *restrict st)
{
	return look_at(path, st);
}

INTERPOSED int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return look_at(path, st);
}

INTERPOSED int fstat(int fd, struct stat *st)
{
	return look_behind(fd, st);
}

INTERPOSED int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return look_behind(fd, st);
}

INTERPOSED int stat64(const char *restrict path, struct stat64 *restrict st)
{
	char to[PATH_MAX];

	return REAL(stat64)(existing(path, to), st);
}

INTERPOSED int fstat64(int fd, struct stat64 *st)
{
	return LOOK_BEHIND(stat64, fstat64);
}

INTERPOSED int access(const char *path, int mode)
{
	char to[PATH_MAX];

	return REAL(access)(existing(path, to), mode);
}

/*
 * A forked child leaves the parent's context alone, and a child of vfork, which shares our
 * memory, must not change anything.
 */
static void let_go(int fd)
{
	int cancelling;

	if (!fd_is_ours(fd) || fd_is_own(fd))
		return;
	if (engine_is_here()) {
		cancelling = device_enter();
		fd_drop(fd);
		device_leave(cancelling);
	} else if (process_is_forked()) {
		fd_forget(fd);
	}
}

/* Daemons close whatever is open. What goes well leaves errno as it was, as with all system calls. */
INTERPOSED int close(int fd)
{
	const int before = errno;

	if (fd_is_own(fd)) {
		errno = EBADF;
		return -1;
	}
	let_go(fd);
	errno = before;
	return REAL(close)(fd);
}

static int close_some(unsigned int first, unsigned int last, int flags)
{
	return first <= last ? REAL(close_range)(first, last, flags) : 0;
}

/* As with close(): what the device keeps for itself stays open */
INTERPOSED int close_range(unsigned int first, unsigned int last, int flags)
{
	unsigned int from = first;
	int rc = 0, fd;

	if (flags & CLOSE_RANGE_CLOEXEC || first > last)
		return REAL(close_range)(first, last, flags);
	for (fd = fd_next(first, last); fd >= 0 && !rc; fd = fd_next(fd + 1, last)) {
		let_go(fd);
		if (!fd_is_own(fd))
			continue;
		rc = fd ? close_some(from, fd - 1, flags) : 0;
		from = fd + 1;
	}
	return rc ? rc : close_some(from, last, flags);
}

INTERPOSED void closefrom(int first)
{
	close_range(first < 0 ? 0 : first, ~0u, 0);
}

INTERPOSED int dup(int fd)
{
	int copy = REAL(dup)(fd);

	fd_copied(fd, copy);
	return copy;
}

INTERPOSED int dup2(int from, int to)
{
	int copy;

	if (from != to)
		let_go(to);
	copy = REAL(dup2)(from, to);
	if (from != to)
		fd_copied(from, copy);
	return copy;
}

INTERPOSED int dup3(int from, int to, int flags)
{
	int copy;

	if (from != to)
		let_go(to);
	copy = REAL(dup3)(from, to, flags);
	fd_copied(from, copy);
	return copy;
}

#define INTERPOSE_FCNTL(name)                                 \
	INTERPOSED int name(int fd, int cmd, ...)             \
	{                                                     \
		va_list ap;                                   \
		void *arg;                                    \
		int rc;                                       \
                                                              \
		va_start(ap, cmd);                            \
		arg = va_arg(ap, void *);                     \
		va_end(ap);                                   \
		rc = REAL(name)(fd, cmd, arg);                \
		if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC) \
			fd_copied(fd, rc);                    \
		return rc;                                    \
	}
INTERPOSE_FCNTL(fcntl)
INTERPOSE_FCNTL(fcntl64)

/* With a working RDMA netlink, libibverbs would not look at sysfs */
INTERPOSED int socket(int domain, int type, int protocol)
{
	if (domain != AF_NETLINK || protocol != PROTOCOL_RDMA)
		return REAL(socket)(domain, type, protocol);
	process_discover();
	errno = EPROTONOSUPPORT;
	return -1;
}

/* Commands of librdmacm, MADs */
INTERPOSED ssize_t write(int fd, const void *data, size_t size)
{
	if (fd_held(fd, FD_UMAD))
		return umad_write(fd, data, size);
	return fd_held(fd, FD_CM) ? cm_write(fd, data, size) : REAL(write)(fd, data, size);
}

INTERPOSED ssize_t read(int fd, void *data, size_t size)
{
	return fd_held(fd, FD_UMAD) ? umad_read(fd, data, size) : REAL(read)(fd, data, size);
}

ssize_t __read_chk(int fd, void *data, size_t size, size_t room);

INTERPOSED ssize_t __read_chk(int fd, void *data, size_t size, size_t room)
{
	return fd_held(fd, FD_UMAD) ? umad_read(fd, data, size) : REAL(__read_chk)(fd, data, size, room);
}

/* Another thread may just have closed it */
static int device_ioctl(int fd, void *arg)
{
	const int before = errno;
	const int cancelling = device_enter();
	struct context *ctx = fd_held(fd, FD_CONTEXT);
	int rc = ctx ? call_dispatch(ctx, arg) : EBADF;

	wake_up();
	device_leave(cancelling);
	errno = rc ? rc : before;
	return rc ? -1 : 0;
}

/* The number may be another file's by now, as system calls can be made without the C library */
static bool is_context(int fd)
{
	if (!fd_held(fd, FD_CONTEXT))
		return false;
	if (!context_is_behind(fd_held(fd, FD_CONTEXT), fd))
		let_go(fd);
	return fd_held(fd, FD_CONTEXT);
}

INTERPOSED int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == RDMA_VERBS_IOCTL && is_context(fd))
		return device_ioctl(fd, arg);
	if (fd_held(fd, FD_UMAD))
		return umad_ioctl(fd, request, arg);
	return REAL(ioctl)(fd, request, arg);
}
