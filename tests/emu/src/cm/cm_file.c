/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The node: channels of events, to which commands are written. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "calls/fd.h"
#include "calls/real.h"
#include "cm/cm.h"
#include "engine/engine.h"
#include "engine/wake.h"
#include "objects/object.h"
#include "process.h"
#include "trace.h"

static LIST_HEAD(, cm_file) files = LIST_HEAD_INITIALIZER(files);

static void free_file(struct cm_file *f)
{
	LIST_REMOVE(f, link);
	ready_close(&f->ready);
	free(f);
}

static int open_file(int flags)
{
	struct cm_file *f = calloc(1, sizeof(*f));
	int fd = f ? ready_open(&f->ready, flags, false) : -1;

	if (fd < 0) {
		free(f);
		errno = EMFILE;
		return -1;
	}
	STAILQ_INIT(&f->events);
	LIST_INSERT_HEAD(&files, f, link);
	if (!fd_add(fd, FD_CM, f))
		return fd;
	REAL(close)(fd);
	free_file(f);
	errno = EMFILE;
	return -1;
}

int cm_open(int flags)
{
	int fd, cancelling;

	process_discover();
	cancelling = device_enter();
	engine_start();
	fd = open_file(flags);
	device_leave(cancelling);
	TRACE("rdma_cm open -> %d", fd);
	return fd;
}

void cm_file_hold(struct cm_file *f)
{
	f->fds++;
}

/* The events first: one that is a request has an id as well, which goes with it */
static void destroy_ids(struct cm_file *f)
{
	struct cm_id *id;

	cm_event_drop_all(f);
	do {
		LIST_FOREACH(id, &cm_ids, link)
		{
			if (id->file == f)
				break;
		}
		if (id)
			cm_id_destroy(id);
	} while (id);
}

/* With the channel go its ids; a call that waits in it keeps but the file */
void cm_file_drop(struct cm_file *f)
{
	if (--f->fds > 0)
		return;
	destroy_ids(f);
	if (!f->waiting)
		free_file(f);
}

static int get_event(struct cm_file *f, const struct rdma_ucm_cmd_hdr *h)
{
	int rc;

	f->waiting++;
	rc = cm_event_get(f, h + 1, h->out);
	f->waiting--;
	return rc;
}

/* Another thread may just have closed it. What does not wait is not cancelled, as in a kernel. */
static int command(int fd, const struct rdma_ucm_cmd_hdr *h)
{
	struct cm_file *f;
	int rc = EBADF, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (h->cmd == RDMA_USER_CM_CMD_GET_EVENT)
		pthread_setcancelstate(state, NULL);
	pthread_mutex_lock(&device_lock);
	f = fd_held(fd, FD_CM);
	if (f)
		rc = h->cmd == RDMA_USER_CM_CMD_GET_EVENT ? get_event(f, h) : cm_command(f, h, h + 1);
	wake_up();
	pthread_mutex_unlock(&device_lock);
	pthread_setcancelstate(state, NULL);
	return rc;
}

ssize_t cm_write(int fd, const void *data, size_t size)
{
	const struct rdma_ucm_cmd_hdr *h = data;
	const int before = errno;
	int rc = EINVAL;

	if (size >= sizeof(*h) && h->in + sizeof(*h) <= size)
		rc = engine_is_here() ? command(fd, h) : ENODEV;
	errno = rc ? rc : before;
	return rc ? -1 : (ssize_t)size;
}

void cm_end(void)
{
	struct cm_file *f;

	LIST_FOREACH(f, &files, link)
		cm_event_drop_all(f);
	while (!LIST_EMPTY(&cm_ids))
		cm_id_destroy(LIST_FIRST(&cm_ids));
	cm_serve();
}

void cm_forget(void)
{
	cm_begin_life();
	LIST_INIT(&files);
}
