/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The node by which a subnet manager says that it is one: a capability of the port, while it is open. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "calls/fd.h"
#include "calls/ready.h"
#include "calls/real.h"
#include "engine/engine.h"
#include "mad/umad.h"
#include "objects/object.h"
#include "objects/port.h"
#include "objects/port_state.h"
#include "process.h"
#include "trace.h"

struct issm_file {
	uint8_t port;
	int fds;
};

/* Ethernet has none */
bool issm_is_node(const char *path)
{
	const struct port *p = port_get(umad_port_of(path, ISSM_NODE));

	return p && !p->ethernet;
}

static int open_file(uint8_t port, int flags)
{
	struct issm_file *f = calloc(1, sizeof(*f));
	int fd = f ? REAL(open)("/dev/null", O_RDWR | (flags & (O_CLOEXEC | O_NONBLOCK))) : -1;

	if (fd < 0) {
		free(f);
		return -1;
	}
	f->port = port;
	if (fd_add(fd, FD_ISSM, f)) {
		REAL(close)(fd);
		free(f);
		errno = EMFILE;
		return -1;
	}
	port_set_sm(port, true);
	return fd;
}

/* The kernel has the second one wait for the first */
int issm_open(const char *path, int flags)
{
	uint8_t port = umad_port_of(path, ISSM_NODE);
	bool waits = false;
	int fd = -1, cancelling;

	process_discover();
	do {
		if (waits)
			usleep(10000);
		cancelling = device_enter();
		engine_start();
		waits = port_get(port)->has_sm && !(flags & O_NONBLOCK);
		errno = EAGAIN;
		if (!port_get(port)->has_sm)
			fd = open_file(port, flags);
		device_leave(cancelling);
	} while (waits);
	TRACE("issm open %s -> %d", path, fd);
	return fd;
}

void issm_hold(struct issm_file *f)
{
	f->fds++;
}

void issm_drop(struct issm_file *f)
{
	if (--f->fds > 0)
		return;
	port_set_sm(f->port, false);
	free(f);
}
