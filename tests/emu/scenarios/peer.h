/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Another process, forked from this one, which opens the device anew and is connected with bed.a. */
#ifndef PEER_H
#define PEER_H

#include <sys/types.h>

#include "bed.h"

enum {
	PEER_RECEIVED = 48000, /* where in its buffer the one message goes, */
	PEER_DATAGRAM = 49000, /* and the one datagram */
};

/* What each tells the other */
struct peer {
	struct ibv_ah_attr path;
	uint32_t qpn, ud_qpn, rkey;
	uint64_t buf;
};

struct child {
	pid_t pid;
	int fd;
	struct peer peer;
};
extern struct child child;

void begin(int rnr_retry);

/* Likewise; the other sends 16 bytes back while this process is stopped, which has to do that itself, and lets it go on */
void begin_with_reply(int rnr_retry);
void end(int status); /* as of waitpid */

/* Read or write its buffer */
void transfer(bool read, size_t local, size_t remote, uint32_t len);

#endif
