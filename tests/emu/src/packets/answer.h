/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the responder says to a packet. */
#ifndef EMU_ANSWER_H
#define EMU_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

struct qp;

/* Instead of the syndrome of a NAK, or 0 for an ACK or a response */
enum {
	ANSWER_RNR = -1,
	ANSWER_SEQUENCE = -2, /* a packet is missing */
	ANSWER_DROPPED = -3, /* none, as of a packet that is lost: a device knows it by its timer alone */
	ANSWER_NONE = -4 /* none is asked for */
};

struct answer {
	int result;
	uint32_t psn; /* as the requester counts; of a response, its first packet's */
	uint8_t rnr_timer; /* as IBV_QP_MIN_RNR_TIMER */
	bool response; /* with data, which may be none */
	uint32_t mtu;
	uint32_t len;
	const uint8_t *data;
};

/* Call @fn with each packet of it. */
void answer_each(const struct answer *a, void (*fn)(const struct answer *packet, void *arg), void *arg);

/* To the requester; what comes too late is ignored. */
void answer_take(struct qp *q, const struct answer *a);

#endif
