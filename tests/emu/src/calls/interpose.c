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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rdma/rdma_user_ioctl.h>

#include "calls/call.h"
#include "calls/context.h"
#include "calls/fd.h"
#include "calls/pages.h"
#include "calls/real.h"
#include "engine/engine.h"
#include "engine/wake.h"
#include "limits.h"
#include "process.h"

#define PROTOCOL_RDMA 20

static bool is_device(const char *path)
{
	return path && !strcmp(path, DEVICE_NODE);
}

/* A path that exists and has the device number that sysfs gives */
static const char *existing(const char *path)
{
	return is_device(path) ? "/dev/null" : path;
}

static int mode_of(int flags, va_list ap)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, int) : 0;
}

#define INTERPOSE_OPEN(name)                                                                  \
	INTERPOSED int name(const char *path, int flags, ...)                                 \
	{                                                                                     \
		va_list ap;                                                                   \
		int mode;                                                                     \
                                                                                              \
		va_start(ap, flags);                                                          \
		mode = mode_of(flags, ap);                                                    \
		va_end(ap);                                                                   \
		return is_device(path) ? context_open(flags) : REAL(name)(path, flags, mode); \
	}
INTERPOSE_OPEN(open)
INTERPOSE_OPEN(open64)

INTERPOSED int stat(const char *restrict path, struct stat *restrict st)
{
	return REAL(stat)(existing(path), st);
}

INTERPOSED int stat64(const char *restrict path, struct stat64 *restrict st)
{
	return REAL(stat64)(existing(path), st);
}

/* What stat() is called in what was built with a C library before 2.33 */
int __xstat(int version, const char *path, struct stat *st);

INTERPOSED int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat(path, st);
}

INTERPOSED int access(const char *path, int mode)
{
	return REAL(access)(existing(path), mode);
}

/*
 * A forked child leaves the parent's context alone, and a child of vfork, which shares our
 * memory, must not change anything.
 */
static void let_go(int fd)
{
	if (!fd_is_ours(fd))
		return;
	if (engine_is_here()) {
		pthread_mutex_lock(&device_lock);
		fd_drop(fd);
		pthread_mutex_unlock(&device_lock);
	} else if (process_is_forked()) {
		fd_forget(fd);
	}
}

/* Daemons close whatever is open */
INTERPOSED int close(int fd)
{
	if (fd_is_own(fd)) {
		errno = EBADF;
		return -1;
	}
	let_go(fd);
	return REAL(close)(fd);
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

INTERPOSED void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (fd_context(fd))
		return pages_map(size, offset);
	return REAL(mmap)(addr, size, prot, flags, fd, offset);
}

INTERPOSED void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return mmap(addr, size, prot, flags, fd, offset);
}

static int device_ioctl(struct context *ctx, void *arg)
{
	int rc;

	pthread_mutex_lock(&device_lock);
	rc = call_dispatch(ctx, arg);
	wake_up();
	pthread_mutex_unlock(&device_lock);
	if (!rc)
		return 0;
	errno = rc;
	return -1;
}

INTERPOSED int ioctl(int fd, unsigned long request, ...)
{
	struct context *ctx = fd_context(fd);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (ctx && request == RDMA_VERBS_IOCTL)
		return device_ioctl(ctx, arg);
	return REAL(ioctl)(fd, request, arg);
}
