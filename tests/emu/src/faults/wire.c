/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/wire.h"

#include "engine/clock.h"
#include "engine/opcode.h"
#include "engine/window.h"
#include "faults/fault.h"
#include "faults/tap.h"
#include "objects/port.h"
#include "objects/port_state.h"
#include "objects/qp.h"
#include "packets/answer.h"

static enum fate lose(struct flight *f)
{
	f->lost = true;
	return WIRE_LOST;
}

/* A bit of the payload arrives wrong. Without payload, the packet's own check finds it */
static enum fate corrupt(struct qp *q, struct flight *f, uint32_t number)
{
	if (!opcode_find(f->p.opcode)->sends_data || !f->p.size || wqe_gather(q, &f->wqe))
		return lose(f);
	f->wqe.data[f->p.offset] ^= 1;
	f->corrupt = number;
	return WIRE_PASSES;
}

static enum fate delay(struct qp *q, uint64_t ms)
{
	retry_hold(q, ms * NS_PER_MS);
	return WIRE_LATER;
}

/* Each packet is counted once, for each fault, whatever happens to it */
static enum fate meet_faults(struct qp *q, struct flight *f, uint32_t number)
{
	const struct fault *drop = fault_meet(FAULT_DROP, q);
	const struct fault *late = fault_meet(FAULT_DELAY, q);
	const struct fault *damage = fault_meet(FAULT_CORRUPT, q);

	f->met = number + 1;
	f->lost = false;
	if (drop)
		return lose(f);
	if (late)
		return delay(q, late->ms);
	return damage ? corrupt(q, f, number) : WIRE_PASSES;
}

enum fate wire_meet(struct qp *q, struct flight *f)
{
	uint32_t number = f->p.psn - f->psn;

	if (!port_is_up(port_get(q->attr.port_num)))
		return WIRE_LOST;
	if (number >= f->met)
		return meet_faults(q, f, number);
	return f->lost && number == f->met - 1 ? WIRE_LOST : WIRE_PASSES;
}

/* The request that is answered or, where none has that PSN, the first that is under way */
static const struct flight *answered(const struct qp *q, const struct answer *a)
{
	const struct flight *f = window_find(q, a->psn);

	return f ? f : TAILQ_FIRST(&q->window.flights);
}

bool wire_back(struct qp *q, const struct answer *a)
{
	const struct flight *f = answered(q, a);
	bool lost = fault_meet(FAULT_DROP_ANSWER, q);

	if (f)
		tap_answer(&f->p, a, lost ? "lost" : NULL);
	return !lost;
}
