/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * MADs on their way: what stays in this process goes by a queue, so that nothing is called in the middle of something; the
 * rest by the fabric. What has nobody to go to is lost, as a datagram is.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "engine/clock.h"
#include "engine/wake.h"
#include "faults/fault.h"
#include "faults/tap.h"
#include "mad/mad.h"
#include "mad/umad.h"
#include "packets/fabric.h"
#include "packets/message.h"

struct letter {
	STAILQ_ENTRY(letter) link;
	uint64_t due; /* ns: of what is late on purpose */
	struct mad_packet *p;
};
static STAILQ_HEAD(letters, letter) arrived = STAILQ_HEAD_INITIALIZER(arrived);
static struct letters late = STAILQ_HEAD_INITIALIZER(late);

static void put(struct letters *to, struct mad_packet *p, uint64_t due)
{
	struct letter *l = malloc(sizeof(*l));

	if (!l) {
		free(p);
		return;
	}
	*l = (struct letter){ .due = due, .p = p };
	STAILQ_INSERT_TAIL(to, l, link);
	wake_up();
}

static struct mad_packet *take_out(struct letters *from)
{
	struct letter *l = STAILQ_FIRST(from);
	struct mad_packet *p = l->p;

	STAILQ_REMOVE_HEAD(from, link);
	free(l);
	return p;
}

/* The switch is wherever it is asked */
static void carry(struct mad_packet *p)
{
	struct address to = address_of_place(p->to.place);

	if (p->to.is_switch || p->to.place == fabric_place()) {
		put(&arrived, p, 0);
		return;
	}
	message_mad(&to, p, mad_packet_size(p));
	free(p);
}

static void tap(const struct mad_packet *p, bool out, const char *fate)
{
	char name[64];

	mad_name(name, sizeof(name), &p->mad);
	tap_mad(p->from.lid, p->to.lid, out, name, fate);
}

/* Past the faults that wait for it */
void mad_post(struct mad_packet *p)
{
	const struct fault *drop = fault_meet_mad(FAULT_MAD_DROP, mad_kind(&p->mad));
	const struct fault *delay = fault_meet_mad(FAULT_MAD_DELAY, mad_kind(&p->mad));

	tap(p, true, drop ? "lost" : delay ? "delayed" : NULL);
	if (drop)
		free(p);
	else if (delay)
		put(&late, p, clock_now() + delay->ms * NS_PER_MS);
	else
		carry(p);
}

void mad_receive(const void *data, size_t size)
{
	struct mad_packet head, *p;

	if (size < MAD_PACKET_HEAD)
		return;
	memcpy(&head, data, MAD_PACKET_HEAD);
	if (head.size > MAD_LONGEST || mad_packet_size(&head) != size)
		return;
	p = mad_packet_new(head.size);
	if (!p)
		return;
	memcpy(p, data, size);
	tap(p, false, NULL);
	put(&arrived, p, 0);
}

static bool serve_late(void)
{
	struct letter *l = STAILQ_FIRST(&late);

	if (!l || clock_now() < l->due)
		return false;
	carry(take_out(&late));
	return true;
}

bool mad_serve(void)
{
	bool busy = serve_late();

	while (!STAILQ_EMPTY(&arrived)) {
		mad_take(take_out(&arrived));
		busy = true;
	}
	return umad_serve() || busy;
}

void mad_forget(void)
{
	STAILQ_INIT(&arrived);
	STAILQ_INIT(&late);
}
