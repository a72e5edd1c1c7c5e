/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The node: channels of events, to which commands are written. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
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

static struct cm_file *new_file(int event_fd)
{
	struct cm_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->event_fd = event_fd;
	STAILQ_INIT(&f->events);
	LIST_INSERT_HEAD(&files, f, link);
	fd_add_own(event_fd);
	return f;
}

static void free_file(struct cm_file *f)
{
	LIST_REMOVE(f, link);
	fd_close_own(f->event_fd);
	free(f);
}

/* The program's descriptor is as readable as there are events */
static int open_file(int flags)
{
	int fd = eventfd(0, EFD_SEMAPHORE | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0) |
				    (flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
	int ours = fd < 0 ? -1 : REAL(fcntl)(fd, F_DUPFD_CLOEXEC, 0);
	struct cm_file *f = ours < 0 ? NULL : new_file(ours);

	if (f && !fd_add_cm(fd, f))
		return fd;
	if (f)
		free_file(f);
	else if (ours >= 0)
		REAL(close)(ours);
	if (fd >= 0)
		REAL(close)(fd);
	errno = EMFILE;
	return -1;
}

int cm_open(int flags)
{
	int fd;

	process_discover();
	pthread_mutex_lock(&device_lock);
	engine_start();
	fd = open_file(flags);
	pthread_mutex_unlock(&device_lock);
	TRACE("rdma_cm open -> %d", fd);
	return fd;
}

void cm_file_hold(struct cm_file *f)
{
	f->fds++;
}

static void destroy_ids(struct cm_file *f)
{
	struct cm_id *id;

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

static int command(int fd, struct cm_file *f, const struct rdma_ucm_cmd_hdr *h)
{
	int rc;

	pthread_mutex_lock(&device_lock);
	if (h->cmd == RDMA_USER_CM_CMD_GET_EVENT) {
		f->waiting++;
		rc = cm_event_get(fd, f, h + 1, h->out);
		f->waiting--;
	} else {
		rc = cm_command(f, h, h + 1);
	}
	wake_up();
	pthread_mutex_unlock(&device_lock);
	return rc;
}

ssize_t cm_write(int fd, struct cm_file *f, const void *data, size_t size)
{
	const struct rdma_ucm_cmd_hdr *h = data;
	int rc = EINVAL;

	if (size >= sizeof(*h) && h->in + sizeof(*h) <= size)
		rc = engine_is_here() ? command(fd, f, h) : ENODEV;
	if (!rc)
		return size;
	errno = rc;
	return -1;
}

void cm_end(void)
{
	while (!LIST_EMPTY(&cm_ids))
		cm_id_destroy(LIST_FIRST(&cm_ids));
	cm_serve();
}

void cm_forget(void)
{
	LIST_INIT(&cm_ids);
	LIST_INIT(&files);
}
