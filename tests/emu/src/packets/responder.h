/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a responder knows of a requester: how far it has come. */
#ifndef EMU_RESPONDER_H
#define EMU_RESPONDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "bounds.h"
#include "engine/receive.h"
#include "objects/gid.h"

/* An atomic is not to be done again for an answer that was lost */
struct atomic_result {
	bool done;
	uint32_t number;
	uint64_t old;
};

struct responder {
	uint32_t expected; /* packets received so far */
	bool complained; /* about one that is missing, which is still missing */
	bool open; /* not all of a message was received */
	struct incoming incoming;
	struct atomic_result atomics[MAX_RD_ATOMIC]; /* the last ones */
	uint32_t natomics;
};

/* One of those that send to a DCT */
struct initiator {
	LIST_ENTRY(initiator) link;
	uint32_t qpn;
	uint16_t lid;
	uint8_t gid[GID_SIZE];
	struct responder responder;
};
LIST_HEAD(initiators, initiator);

struct qp;

/* Forget all requesters. */
void responder_reset(struct qp *q);

#endif
