/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The node of a port: MADs are read and written. */
#include "mad/umad.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bounds.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "engine/engine.h"
#include "engine/wake.h"
#include "faults/fault.h"
#include "nearest.h"
#include "mad/subnet.h"
#include "objects/object.h"
#include "objects/port.h"
#include "process.h"
#include "trace.h"

#define SEND "umad_send"

struct umad_file_list umad_files = LIST_HEAD_INITIALIZER(umad_files);

uint8_t umad_port_of(const char *path, const char *node)
{
	size_t n = strlen(node);
	unsigned int number;
	char end;

	if (!path || strncmp(path, node, n) || sscanf(path + n, "%u%c", &number, &end) != 1)
		return 0;
	return port_get(number + 1) ? number + 1 : 0;
}

bool umad_is_node(const char *path)
{
	return umad_port_of(path, UMAD_NODE);
}

static void free_file(struct umad_file *f)
{
	struct umad_recv *r;

	while ((r = STAILQ_FIRST(&f->recvs))) {
		STAILQ_REMOVE_HEAD(&f->recvs, link);
		free(r);
	}
	ready_close(&f->ready);
	free(f);
}

static int open_file(uint8_t port, int flags)
{
	struct umad_file *f = calloc(1, sizeof(*f));
	int fd = f ? ready_open(&f->ready, flags, true) : -1;

	if (fd < 0) {
		free(f);
		errno = EMFILE;
		return -1;
	}
	f->port = port;
	TAILQ_INIT(&f->sends);
	STAILQ_INIT(&f->recvs);
	LIST_INSERT_HEAD(&umad_files, f, link);
	if (!fd_add(fd, FD_UMAD, f))
		return fd;
	REAL(close)(fd);
	LIST_REMOVE(f, link);
	free_file(f);
	errno = EMFILE;
	return -1;
}

int umad_open(const char *path, int flags)
{
	int fd, cancelling;

	process_discover();
	cancelling = device_enter();
	engine_start();
	fd = open_file(umad_port_of(path, UMAD_NODE), flags);
	device_leave(cancelling);
	TRACE("umad open %s -> %d", path, fd);
	return fd;
}

void umad_file_hold(struct umad_file *f)
{
	f->fds++;
}

/* With the file go its agents; a call that waits in it keeps but the file */
void umad_file_drop(struct umad_file *f)
{
	if (--f->fds > 0)
		return;
	umad_unregister_all(f);
	LIST_REMOVE(f, link);
	if (!f->waiting)
		free_file(f);
}

/* Another thread may just have closed it; this one is not cancelled with the lock held */
static struct umad_file *begin(int fd, int *cancelling)
{
	struct umad_file *f = NULL;

	*cancelling = device_enter();
	errno = engine_is_here() ? EBADF : ENODEV;
	if (engine_is_here())
		f = fd_held(fd, FD_UMAD);
	if (f)
		f->waiting++;
	return f;
}

static void end(struct umad_file *f, int cancelling)
{
	if (f && !--f->waiting && f->fds <= 0)
		free_file(f);
	wake_up();
	device_leave(cancelling);
}

ssize_t umad_read(int fd, void *data, size_t size)
{
	int cancelling;
	struct umad_file *f = begin(fd, &cancelling);
	ssize_t n = f ? umad_get(f, data, size) : -errno;

	end(f, cancelling);
	if (n >= 0)
		return n;
	errno = -n;
	return -1;
}

/* The header without an index of a P_Key is the beginning of the one with it */
static int send(struct umad_file *f, const void *data, size_t size)
{
	size_t head = umad_header_size(f);
	struct ib_user_mad_hdr hdr = { 0 };

	if (size < head)
		return EINVAL;
	memcpy(&hdr, data, head);
	return umad_send(f, &hdr, (const char *)data + head, size - head);
}

ssize_t umad_write(int fd, const void *data, size_t size)
{
	int cancelling;
	struct umad_file *f = begin(fd, &cancelling);
	int rc = f ? fault_call(SEND) : errno;

	if (!rc)
		rc = send(f, data, size);
	TRACE(SEND " %zu bytes -> %s", size, rc ? fault_errno_name(rc) : "0");
	end(f, cancelling);
	if (!rc)
		return size;
	errno = rc;
	return -1;
}

static int register_agent(struct umad_file *f, void *arg)
{
	return umad_register(f, arg);
}

static int register_agent2(struct umad_file *f, void *arg)
{
	return umad_register2(f, arg);
}

static int unregister_agent(struct umad_file *f, void *arg)
{
	return umad_unregister(f, *(uint32_t *)arg);
}

static int enable_pkey(struct umad_file *f, void *arg)
{
	(void)arg;
	if (f->already_used)
		return EINVAL;
	f->use_pkey_index = true;
	return 0;
}

static const struct call_of_node {
	unsigned long request;
	const char *name;
	int (*run)(struct umad_file *f, void *arg);
} calls[] = {
	{ IB_USER_MAD_REGISTER_AGENT, "umad_register", register_agent },
	{ IB_USER_MAD_REGISTER_AGENT2, "umad_register", register_agent2 },
	{ IB_USER_MAD_UNREGISTER_AGENT, "umad_unregister", unregister_agent },
	{ IB_USER_MAD_ENABLE_PKEY, "umad_enable_pkey", enable_pkey },
	{ 0, SEND, NULL },
};

const char *umad_call_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].name;
	return NULL;
}

void umad_call_names(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		nearest_see(n, calls[i].name);
}

static const struct call_of_node *find_call(unsigned long request)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].request == request && calls[i].run)
			return &calls[i];
	return NULL;
}

int umad_ioctl(int fd, unsigned long request, void *arg)
{
	const struct call_of_node *c = find_call(request);
	int cancelling;
	struct umad_file *f = begin(fd, &cancelling);
	int rc = f ? ENOTTY : errno;

	if (f && c)
		rc = fault_call(c->name);
	if (!rc)
		rc = c->run(f, arg);
	TRACE("%s -> %s", c ? c->name : "an unknown call of umad", rc ? fault_errno_name(rc) : "0");
	end(f, cancelling);
	if (!rc)
		return 0;
	errno = rc;
	return -1;
}

void umad_forget(void)
{
	LIST_INIT(&umad_files);
	umad_cancel_segments(NULL);
	subnet_forget();
	mad_forget();
}
