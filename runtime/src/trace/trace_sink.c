/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where traced calls go. */

#define _GNU_SOURCE /* secure_getenv(3), syscall(2), O_NOFOLLOW */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error/fail.h"
#include "know/tables.h"
#include "trace.h"

#if VERBSX_TRACING

#define LONGEST_PATH 4096

_Atomic(unsigned char) vx_trace_wanted = VX_TRACE_UNKNOWN;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Readers are calls that write their lines, writers change where these go. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int file = -1;
static bool file_may_break; /* it is no plain file: who reads it may leave */
static vx_trace_function function;
static void *function_data;

/*
 * Of a thread, whether it is in the caller's function: what that calls is not traced, nor may it change what it is called by.
 * The value of a key: thread-local storage has its price (see error.c).
 */
static pthread_key_t key;
static bool has_key;

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
	struct vx_out out = vx_out_in(buf, size);

	for (; *path; path++) {
		if (path[0] == '%' && path[1] == 'p') {
			vx_put_signed(&out, getpid());
			path++;
		} else {
			vx_put_char(&out, *path);
		}
	}
	return vx_out_finish(&out) < size ? 0 : -ENAMETOOLONG;
}

/* What is traced may be secret, and another user may have made a link of that name. */
static int create_file(const char *path)
{
	char name[LONGEST_PATH] = "";
	int rc = expand(path, name, sizeof(name));

	if (rc < 0)
		return rc;
	rc = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
	return rc < 0 ? -errno : rc;
}

/* The descriptor is -1 where there is to be no file. */
static int open_file(const char *path, int *fd, const char **why)
{
	const bool shown = path && !strcmp(path, "1");
	char *end;

	*fd = shown ? STDERR_FILENO : -1;
	*why = NULL;
	if (shown || !path || !*path || !strcmp(path, "0"))
		return 0;
	(void)strtoll(path, &end, 0); /* of any base, with a sign, blanks and a fraction; nan, inf and 1e3 are words */
	if (end > path && !end[strspn(end, ".0123456789 \t\n")]) {
		*why = "of numbers there are 0, which is off, and 1, standard error; a file of this name needs ./ before it";
		return -EINVAL;
	}
	*fd = create_file(path);
	if (*fd == -ELOOP)
		*why = "a symbolic link is not followed";
	return *fd < 0 ? *fd : 0;
}

static void set_file(int fd)
{
	struct stat about;
	int before;

	pthread_rwlock_wrlock(&lock);
	before = file;
	file = fd;
	file_may_break = fd >= 0 && (fstat(fd, &about) || !S_ISREG(about.st_mode));
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

/* The same without the SIGPIPE of a pipe that nobody reads, by which the program would end. */
static void write_quietly(const char *line, size_t len)
{
	const struct timespec at_once = { 0 };
	sigset_t broken, before, pending;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, &before);
	sigpending(&pending);
	write_line(line, len);
	if (!sigismember(&pending, SIGPIPE))
		sigtimedwait(&broken, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the environment ---- */

static _Atomic(uint32_t) data_most; /* calls of each object; 0: none */

static void set_data(unsigned int most)
{
	atomic_store_explicit(&data_most, most == 1 ? VX_TRACE_ALL : most, memory_order_relaxed);
	want(VX_TRACE_DATA, most != 0);
}

static void read_data(const char *text, bool has_sink)
{
	char *end;
	unsigned long most;

	if (!text || !*text)
		return;
	most = strtoul(text, &end, 10);
	if (*end || *text == '-' || most > UINT32_MAX) {
		fprintf(stderr, "libverbsx: VERBSX_TRACE_DATA=%s: 0 is off, 1 all calls of the data path, and N the first N of each object\n", text);
		return;
	}
	set_data((unsigned int)most);
	if (most && !has_sink)
		fprintf(stderr, "libverbsx: VERBSX_TRACE_DATA=%s: without VERBSX_TRACE, such as VERBSX_TRACE=1, calls are shown only where the program asks "
			"for it\n", text);
}

static void read_environment(void)
{
	const char *path = secure_getenv("VERBSX_TRACE");
	const char *why;
	char message[128];
	int fd, rc;

	has_key = !pthread_key_create(&key, NULL);
	rc = open_file(path, &fd, &why);
	if (rc < 0)
		fprintf(stderr, "libverbsx: VERBSX_TRACE=%s: %s%s%s\n", path, vx_code_text(rc, message, sizeof(message)),
			why ? ": " : "", why ? why : "");
	else if (fd >= 0)
		set_file(fd);
	read_data(secure_getenv("VERBSX_TRACE_DATA"), path);
	want(VX_TRACE_UNKNOWN, false);
}

/* When the library is closed by dlclose(3); its file, too, would be lost. */
__attribute__((destructor)) static void give_back(void)
{
	if (has_key)
		pthread_key_delete(key);
	has_key = false;
	if (file >= 0 && file != STDERR_FILENO)
		close(file);
	file = -1;
}

unsigned int vx_trace_sinks(void)
{
	pthread_once(&once, read_environment);
	if (!has_key || pthread_getspecific(key))
		return 0;
	return atomic_load_explicit(&vx_trace_wanted, memory_order_relaxed);
}

uint32_t vx_trace_data_most(void)
{
	pthread_once(&once, read_environment);
	return atomic_load_explicit(&data_most, memory_order_relaxed);
}

/* ---- calls ---- */

/* A thread that is cancelled in write(2) or in the program's function would take the lock along. */
void vx_trace_deliver(struct vx_trace_call *call, char *line, size_t len)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	pthread_rwlock_rdlock(&lock);
	if (file >= 0) {
		line[len] = '\n';
		(file_may_break ? write_quietly : write_line)(line, len + 1);
		line[len] = '\0';
	}
	if (function && !pthread_setspecific(key, &function)) {
		call->thread = syscall(SYS_gettid);
		function(call, function_data);
		pthread_setspecific(key, NULL);
	}
	pthread_rwlock_unlock(&lock);
	pthread_setcancelstate(cancelling, NULL);
}

/* ---- what the program asks for ---- */

/* The environment comes first, so that it does not undo what the program wants. */
static int may_change(const char *call)
{
	pthread_once(&once, read_environment);
	if (!has_key)
		return vx_fail(-EAGAIN, call, NULL, "the process has as many keys of threads as there may be");
	if (pthread_getspecific(key))
		return vx_fail(-EDEADLK, call, NULL, "called by a function that is told of calls");
	return 0;
}

int vx_trace_file(const char *path)
{
	const char *why;
	int fd, rc = may_change("vx_trace_file");

	if (rc < 0)
		return rc;
	rc = open_file(path, &fd, &why);
	if (rc < 0)
		return vx_fail(rc, "vx_trace_file", path, why ? "%s" : NULL, why);
	set_file(fd);
	return 0;
}

int vx_trace_callback(vx_trace_function wanted, void *data)
{
	int rc = may_change("vx_trace_callback");

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
	int rc = may_change("vx_trace_counting");
	uint16_t i;

	if (rc < 0)
		return rc;
	for (i = 0; on && i < vx_signature_count; i++)
		atomic_store_explicit(&vx_trace_counts[i], 0, memory_order_relaxed);
	want(VX_TRACE_COUNTING, on);
	return 0;
}

int vx_trace_count(const char *call, uint64_t *count)
{
	size_t index = vx_call_index(call);
	bool known = !call;
	uint64_t sum = 0;
	uint16_t i;

	if (!count)
		return vx_null_fail("vx_trace_count", "count");
	for (i = 0; i < vx_signature_count; i++) {
		if (call && vx_signatures[i].call != index)
			continue;
		sum += atomic_load_explicit(&vx_trace_counts[i], memory_order_relaxed);
		known = true;
	}
	if (!known)
		return vx_fail(-ENOENT, "vx_trace_count", NULL, "%s is no call that libverbsx makes", call);
	*count = sum;
	return 0;
}

int vx_trace_data(unsigned int most)
{
	int rc = may_change("vx_trace_data");

	if (rc == 0)
		set_data(most);
	return rc;
}

#endif
