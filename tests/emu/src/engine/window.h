/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The requests of a send queue that are under way, and how far. */
#ifndef EMU_WINDOW_H
#define EMU_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/wqe.h"
#include "packets/packet.h"

#define NOT_CORRUPT UINT32_MAX

/* A request, from when its WQE is taken until its completion is written */
struct flight {
	TAILQ_ENTRY(flight) link;
	struct packet p; /* the message; cut to the packet that goes out */
	uint32_t psn; /* of its first packet */
	uint32_t packets; /* the numbers that it takes: of a read, for the response */
	uint32_t sent, acked; /* of them */
	uint32_t most; /* as many as were ever sent: after a retry, an answer to what went out before it still counts */
	uint32_t met; /* those that have met the faults that wait for them */
	bool lost; /* the last of these: it goes nowhere */
	uint32_t corrupt; /* one with a wrong bit */
	bool answered; /* with data */
	int syndrome; /* that it ends with, once all before it are complete */
	struct rendezvous *rendezvous; /* what it is for, where nobody posted it; or NULL */
	struct send_wqe wqe;
};

struct window {
	TAILQ_HEAD(flights, flight) flights;
	uint32_t count, reads; /* a read here is whatever is answered with data */
	uint64_t bytes;
	uint32_t session; /* another one after each reset: old answers are not for it */
};

struct qp;

void window_init(struct qp *q);

/* Whether the queue's next WQE may begin before those under way are complete. */
bool window_admits(const struct qp *q, const struct mlx5_wqe_ctrl_seg *ctrl);

/* Take the WQE at @at, which is not yet looked at; NULL without memory. */
struct flight *window_take(struct qp *q, const uint8_t *at);

/* Take one of WQEBB bytes that nobody posted. */
struct flight *window_take_own(struct qp *q, uint8_t *block);

/* Count its packets in, once it is described. */
void window_add(struct qp *q, struct flight *f);

bool flight_is_done(const struct flight *f);

/* Of a request that has ended, or of all. */
void window_drop(struct qp *q, struct flight *f);
void window_clear(struct qp *q);

/* The first one that is not all sent, and the one that a packet is of; or NULL. */
struct flight *window_unsent(const struct qp *q);
struct flight *window_find(const struct qp *q, uint32_t psn);

/* Whether something waits for an acknowledgement. */
bool window_is_waiting(const struct qp *q);

/* All up to this packet have arrived; false where a response is missing before it. */
bool window_acknowledge(struct qp *q, uint32_t psn);

/* The packets up to @to have gone out. */
void flight_sent(struct flight *f, uint32_t to);

/* Send again from this packet on. */
void window_rewind(struct qp *q, uint32_t psn);

#endif
