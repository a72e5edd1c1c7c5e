/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "wire.h"

#include "clock.h"
#include "fault.h"
#include "opcode.h"
#include "packet.h"
#include "port.h"
#include "port_state.h"
#include "qp.h"
#include "request.h"
#include "tap.h"

static int lose(const struct packet *p)
{
	tap_request(p, "lost");
	return STALL_PEER;
}

/* A bit of the payload arrives wrong. Without payload, the packet's own check finds it */
static int corrupt(const struct packet *p, uint8_t *data)
{
	if (!opcode_find(p->opcode)->sends_data || !p->len)
		return lose(p);
	data[0] ^= 1;
	tap_request(p, "corrupt");
	return 0;
}

static int pass(const struct packet *p)
{
	tap_request(p, NULL);
	return 0;
}

static int delay(struct qp *q, const struct packet *p, uint64_t ms)
{
	tap_request(p, "delayed");
	q->retry.released = true;
	retry_hold(q, ms * NS_PER_MS);
	return STALL_DELAY;
}

/* Each packet is counted once, for each fault, whatever happens to it */
static int meet_faults(struct qp *q, const struct packet *p, uint8_t *data)
{
	const struct fault *drop = fault_meet(FAULT_DROP, q);
	const struct fault *late = fault_meet(FAULT_DELAY, q);
	const struct fault *damage = fault_meet(FAULT_CORRUPT, q);

	if (drop)
		return lose(p);
	if (late)
		return delay(q, p, late->ms);
	return damage ? corrupt(p, data) : pass(p);
}

int wire_cross(struct qp *q, const struct packet *p, uint8_t *data)
{
	bool released = q->retry.released;

	q->retry.released = false;
	if (!port_is_up(port_get(q->attr.port_num)))
		return lose(p);
	return released ? pass(p) : meet_faults(q, p, data);
}

int wire_back(struct qp *q, const struct packet *p, const struct answer *a)
{
	bool lost = a->result != STALL_PEER && qp_is_reliable(q) && fault_meet(FAULT_DROP_ANSWER, q);

	tap_answer(p, a, lost ? "lost" : NULL);
	return lost ? STALL_PEER : a->result;
}
