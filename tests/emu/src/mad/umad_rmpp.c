/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Long answers for agents that do RMPP themselves (of rmpp_version 0), where the kernel does not put them together: a segment is a
 * MAD, and more come when the agent has acknowledged those before them.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "mad/rmpp.h"
#include "mad/umad.h"

struct transfer {
	LIST_ENTRY(transfer) link;
	struct umad_file *file;
	const struct umad_agent *agent;
	struct ib_user_mad_hdr hdr;
	uint32_t sent, segments;
	struct mad_packet *p;
};
static LIST_HEAD(, transfer) transfers = LIST_HEAD_INITIALIZER(transfers);

static void end(struct transfer *t)
{
	LIST_REMOVE(t, link);
	free(t->p);
	free(t);
}

static void send_segment(struct transfer *t, uint32_t number)
{
	uint32_t at = (number - 1) * RMPP_SEGMENT_DATA, left = t->p->size - RMPP_HEADERS - at;
	uint32_t n = left < RMPP_SEGMENT_DATA ? left : RMPP_SEGMENT_DATA;
	struct mad segment = t->p->mad;

	memset(segment.sa.data, 0, sizeof(segment.sa.data));
	memcpy(segment.sa.data, (const uint8_t *)&t->p->mad + RMPP_HEADERS + at, n);
	rmpp_put(segment.sa.rmpp, number, t->segments, t->p->size - RMPP_HEADERS);
	umad_put(t->file, &t->hdr, &segment, sizeof(segment));
	t->sent = number;
}

bool umad_segment(struct umad_file *f, const struct umad_agent *a, const struct ib_user_mad_hdr *hdr,
		  const struct mad_packet *p)
{
	struct transfer *t;

	if (a->rmpp_version || p->mad.mgmt_class != CLASS_SUBN_ADM || p->size <= MAD_SIZE)
		return false;
	t = calloc(1, sizeof(*t));
	if (!t)
		return false;
	*t = (struct transfer){ .file = f,
				.agent = a,
				.hdr = *hdr,
				.segments = rmpp_segments(p->size - RMPP_HEADERS),
				.p = mad_packet_copy(p) };
	t->hdr.length = umad_header_size(f) + MAD_SIZE;
	LIST_INSERT_HEAD(&transfers, t, link);
	if (t->p)
		send_segment(t, 1);
	else
		end(t);
	return true;
}

static struct transfer *find_transfer(const struct umad_agent *a, const struct mad *m)
{
	struct transfer *t;

	LIST_FOREACH(t, &transfers, link)
	{
		if (t->agent == a && (be64toh(t->p->mad.tid) & UINT32_MAX) == (be64toh(m->tid) & UINT32_MAX))
			return t;
	}
	return NULL;
}

/* So many have come, and so many may come now */
static void go_on(struct transfer *t, uint32_t come, uint32_t window)
{
	while (t->sent < window && t->sent < t->segments)
		send_segment(t, t->sent + 1);
	if (come >= t->segments)
		end(t);
}

bool umad_acknowledge(const struct umad_agent *a, const struct mad *m)
{
	struct transfer *t = m->mgmt_class == CLASS_SUBN_ADM ? find_transfer(a, m) : NULL;

	if (!t || !rmpp_is_control(m->sa.rmpp))
		return false;
	if (rmpp_is_ack(m->sa.rmpp))
		go_on(t, rmpp_segment(m->sa.rmpp), rmpp_window(m->sa.rmpp));
	else
		end(t);
	return true;
}

void umad_cancel_segments(const struct umad_agent *a)
{
	struct transfer *t, *next;

	for (t = LIST_FIRST(&transfers); t; t = next) {
		next = LIST_NEXT(t, link);
		if (!a || t->agent == a)
			end(t);
	}
}
