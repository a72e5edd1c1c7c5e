/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/transmit.h"

#include <stdlib.h>
#include <infiniband/mlx5dv.h>

#include "engine/window.h"
#include "faults/tap.h"
#include "faults/wire.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "objects/sched.h"
#include "packets/answer.h"
#include "packets/message.h"
#include "packets/request.h"

#define RUNS_A_TURN 256

/* A request for data is one packet, but takes the numbers of the response */
static uint32_t numbers(const struct flight *f, uint32_t number)
{
	return f->answered ? f->packets - number : 1;
}

static void tap(const struct flight *f)
{
	tap_request(&f->p, f->corrupt == f->p.psn - f->psn ? "corrupt" : NULL);
}

/* To a QP of this process, which answers at once */
static void deliver(struct qp *q, struct flight *f)
{
	struct request r = { .p = f->p, .data = f->wqe.data ? f->wqe.data + f->p.offset : NULL };

	respond(&r);
	answer_take(q, &r.answer);
	free(r.room);
}

/* Packets from @first on, of another process: false where it has to read first */
static bool send_away(struct qp *q, struct flight *f, uint32_t first, uint32_t n)
{
	enum link_result rc = message_request(q, f, n);

	if (rc == LINK_NO_DATA)
		f->syndrome = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	if (f->syndrome || rc == LINK_FULL || (rc == LINK_STUCK && qp_is_reliable(q)))
		return false;
	q->retry.lost |= rc == LINK_DEAD;
	for (uint32_t i = 0; i < n; i += numbers(f, first + i)) {
		packet_cut(&f->p, first + i);
		tap(f);
	}
	return true;
}

static uint32_t bytes_of(const struct flight *f, uint32_t first, uint32_t n)
{
	uint32_t left = f->p.len - first * f->p.mtu;

	return left < n * f->p.mtu ? left : n * f->p.mtu;
}

/* What stays in this process does not come to the port */
static void count(const struct qp *q, const struct flight *f, uint32_t first, uint32_t n)
{
	port_count_xmit(port_get(q->attr.port_num), f->answered ? 1 : n, f->answered ? 0 : bytes_of(f, first, n));
}

static bool carry(struct qp *q, struct flight *f, uint32_t first, uint32_t n)
{
	bool here = packet_is_here(&f->p);

	packet_cut(&f->p, first);
	if (here)
		f->syndrome = wqe_gather(q, &f->wqe); /* its port may have got the address just now */
	if (f->syndrome || (!here && !send_away(q, f, first, n)))
		return false;
	flight_sent(f, first + n);
	if (!f->answered)
		sched_count(q, bytes_of(f, first, n));
	if (!here) {
		count(q, f, first, n);
		return true;
	}
	tap(f);
	if (packet_is_for_group(&f->p))
		message_to_group(&f->p, f->wqe.data);
	deliver(q, f);
	return true;
}

/* As many packets as go in one message; in this process, each goes alone */
static uint32_t longest_run(const struct flight *f)
{
	if (f->answered || packet_is_here(&f->p))
		return 1;
	return MESSAGE_DATA / f->p.mtu;
}

/* False when no more goes now */
static bool send_run(struct qp *q, struct flight *f)
{
	uint32_t first = f->sent, n = 0, run = longest_run(f);
	enum fate fate = WIRE_PASSES;

	for (; n < run && first + n < f->packets; n += numbers(f, first + n)) {
		packet_cut(&f->p, first + n);
		fate = wire_meet(q, f);
		if (fate != WIRE_PASSES)
			break;
	}
	if (n && !carry(q, f, first, n))
		return false;
	if (fate != WIRE_PASSES) {
		packet_cut(&f->p, first + n);
		tap_request(&f->p, fate == WIRE_LOST ? "lost" : "delayed");
	}
	if (fate == WIRE_LOST) {
		flight_sent(f, f->sent + numbers(f, f->sent));
		q->retry.lost = true;
	}
	if (!qp_is_reliable(q))
		f->acked = f->sent;
	return fate != WIRE_LATER;
}

bool transmit(struct qp *q)
{
	bool busy = false;
	struct flight *f;

	for (int i = 0; i < RUNS_A_TURN && !retry_is_holding(q) && !sched_is_holding(q) && (f = window_unsent(q)); i++) {
		if (!send_run(q, f))
			break;
		busy = true;
	}
	if (!q->retry.hold)
		retry_check(q);
	return busy;
}
