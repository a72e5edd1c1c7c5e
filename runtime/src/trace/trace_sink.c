/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where traced calls go. */

#define _GNU_SOURCE /* secure_getenv(3), syscall(2) */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error/fail.h"
#include "trace_sink.h"

#if VERBSX_TRACING

#define LONGEST_PATH 4096

_Atomic(unsigned char) vx_trace_wanted = VX_TRACE_UNKNOWN;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Readers are calls that write their lines, writers change where these go. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int file = -1;
static vx_trace_function function;
static void *function_data;

/* In the function of the caller; what that calls is not traced, nor may it change what it is called by. */
static _Thread_local bool in_function;

static void want(unsigned int flag, bool on)
{
	if (on)
		atomic_fetch_or_explicit(&vx_trace_wanted, (unsigned char)flag, memory_order_relaxed);
	else
		atomic_fetch_and_explicit(&vx_trace_wanted, (unsigned char)~flag, memory_order_relaxed);
}

/* ---- the file ---- */

/* "%p" is the number of the process. Returns -ENAMETOOLONG where there is no room. */
static int expand(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	int n;

	for (; *path; path++) {
		bool number = path[0] == '%' && path[1] == 'p';

		n = number ? snprintf(buf + len, size - len, "%ld", (long)getpid()) :
			     snprintf(buf + len, size - len, "%c", *path);
		if (n < 0 || (size_t)n >= size - len)
			return -ENAMETOOLONG;
		len += (size_t)n;
		path += number;
	}
	return 0;
}

/* A descriptor, -1 where there is to be no file, or another negative errno. */
static int open_file(const char *path, int *fd)
{
	char name[LONGEST_PATH] = "";
	int rc;

	*fd = -1;
	if (!path || !*path || !strcmp(path, "0"))
		return 0;
	if (!strcmp(path, "1")) {
		*fd = STDERR_FILENO;
		return 0;
	}
	rc = expand(path, name, sizeof(name));
	if (rc < 0)
		return rc;
	*fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	return *fd < 0 ? -errno : 0;
}

static void set_file(int fd)
{
	int before;

	pthread_rwlock_wrlock(&lock);
	before = file;
	file = fd;
	want(VX_TRACE_TO_FILE, fd >= 0);
	pthread_rwlock_unlock(&lock);
	if (before >= 0 && before != STDERR_FILENO)
		close(before);
}

/* One write(2) a line: what a full disk or a closed pipe leaves out is no concern of the program. */
static void write_line(const char *line, size_t len)
{
	while (write(file, line, len) < 0 && errno == EINTR)
		;
}

/* ---- the environment ---- */

static void read_environment(void)
{
	const char *path = secure_getenv("VERBSX_TRACE");
	char message[128];
	int fd, rc;

	rc = open_file(path, &fd);
	if (rc < 0)
		fprintf(stderr, "libverbsx: VERBSX_TRACE=%s: %s\n", path, vx_code_text(rc, message, sizeof(message)));
	else if (fd >= 0)
		set_file(fd);
	want(VX_TRACE_UNKNOWN, false);
}

unsigned int vx_trace_sinks(void)
{
	if (in_function)
		return 0;
	pthread_once(&once, read_environment);
	return atomic_load_explicit(&vx_trace_wanted, memory_order_relaxed);
}

/* ---- calls ---- */

void vx_trace_deliver(struct vx_trace_call *call, char *line, size_t len)
{
	pthread_rwlock_rdlock(&lock);
	if (file >= 0) {
		line[len] = '\n';
		write_line(line, len + 1);
		line[len] = '\0';
	}
	if (function) {
		call->thread = syscall(SYS_gettid);
		in_function = true;
		function(call, function_data);
		in_function = false;
	}
	pthread_rwlock_unlock(&lock);
}

/* ---- what the program asks for ---- */

/* The environment comes first, so that it does not undo what the program wants. */
static int may_change(const char *call)
{
	if (in_function)
		return vx_fail(-EDEADLK, call, NULL, "called by a function that is told of calls");
	pthread_once(&once, read_environment);
	return 0;
}

int vx_trace_file(const char *path)
{
	int fd, rc;

	rc = may_change("vx_trace_file");
	if (rc < 0)
		return rc;
	rc = open_file(path, &fd);
	if (rc < 0)
		return vx_fail(rc, "vx_trace_file", path, NULL);
	set_file(fd);
	return 0;
}

int vx_trace_callback(vx_trace_function wanted, void *data)
{
	int rc;

	rc = may_change("vx_trace_callback");
	if (rc < 0)
		return rc;
	pthread_rwlock_wrlock(&lock);
	function = wanted;
	function_data = data;
	want(VX_TRACE_TO_FUNCTION, wanted != NULL);
	pthread_rwlock_unlock(&lock);
	return 0;
}

int vx_trace_counting(bool on)
{
	int rc;

	rc = may_change("vx_trace_counting");
	if (rc < 0)
		return rc;
	if (on)
		vx_trace_forget_counts();
	want(VX_TRACE_COUNTING, on);
	return 0;
}

#endif
