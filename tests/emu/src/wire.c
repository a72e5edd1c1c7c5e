/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "wire.h"

#include "clock.h"
#include "fault.h"
#include "opcode.h"
#include "packet.h"
#include "port_state.h"
#include "qp.h"
#include "request.h"

/* A bit of the payload arrives wrong. Without payload, the packet's own check finds it */
static int corrupt(const struct packet *p, uint8_t *data)
{
	if (!opcode_find(p->opcode)->sends_data || !p->len)
		return STALL_PEER;
	data[0] ^= 1;
	return 0;
}

static int delay(struct qp *q, uint64_t ms)
{
	q->retry.released = true;
	retry_hold(q, ms * NS_PER_MS);
	return STALL_DELAY;
}

/* Each packet is counted once, for each fault, whatever happens to it */
static int meet_faults(struct qp *q, const struct packet *p, uint8_t *data)
{
	const struct fault *drop = fault_meet(FAULT_DROP, q->qpn);
	const struct fault *late = fault_meet(FAULT_DELAY, q->qpn);
	const struct fault *damage = fault_meet(FAULT_CORRUPT, q->qpn);

	if (drop)
		return STALL_PEER;
	if (late)
		return delay(q, late->ms);
	return damage ? corrupt(p, data) : 0;
}

int wire_cross(struct qp *q, const struct packet *p, uint8_t *data)
{
	bool released = q->retry.released;

	q->retry.released = false;
	if (!port_is_up())
		return STALL_PEER;
	return released ? 0 : meet_faults(q, p, data);
}
