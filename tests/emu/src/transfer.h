/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The requester's side of a request to another process. */
#ifndef EMU_TRANSFER_H
#define EMU_TRANSFER_H

#include "message.h"

struct qp;

/* Of the request at the head of the send queue, from when it is sent until it is answered */
struct transfer {
	struct message out;
	struct parcel in; /* what it asked for */
	bool answered;
	uint8_t rnr_timer;
	int answer;
	uint64_t began_at, probe_at; /* ns */
};

/**
 * Send a request to another process.
 *
 * @param data  its data, which is taken over; of one that asks for data, only room
 * @return 0, or -1 without memory
 */
int transfer_start(struct qp *q, const struct packet *p, uint8_t *data);

/* 0, a syndrome or a stall; STALL_AWAY while it is on its way. */
int transfer_poll(struct qp *q);

/* It is of no more interest. */
void transfer_drop(struct qp *q);

/* A fragment of an answer. */
void transfer_answer(const struct header *h, const uint8_t *data, uint32_t n);

/* A datagram to the members of a group in all other processes; what is not taken is lost. */
void transfer_to_group(const struct packet *p, uint8_t *data);

#endif
