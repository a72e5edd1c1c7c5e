/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What programs send, until it is answered or nobody has in time. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/wake.h"
#include "mad/umad.h"
#include "objects/port.h"
#include "packets/fabric.h"

#define RMPP_HEADER 36 /* to its end; the kernel wants that much of a write */

/* A directed route begins at our port, unless there is a part by LID before it */
static bool is_sound(const struct umad_file *f, const struct mad *m)
{
	if (m->mgmt_class != CLASS_SUBN_DIRECTED_ROUTE || mad_is_response(m) || !m->hop_count ||
	    m->hop_pointer)
		return true;
	return m->smp.dr_slid != htobe16(PERMISSIVE_LID) || m->smp.initial_path[1] == port_local(f->port);
}

static void set_ends(struct mad_packet *p, const struct umad_file *f, const struct umad_agent *a,
		     const struct ib_user_mad_hdr *h)
{
	const struct port *port = port_get(f->port);

	p->from =
		(struct mad_end){ .place = fabric_place(), .port = f->port, .lid = port->lid, .qpn = a->qpn };
	p->to = (struct mad_end){ .lid = be16toh(h->lid), .qpn = be32toh(h->qpn) };
	p->sl = h->sl;
	p->path_bits = h->path_bits;
	p->pkey_index = h->pkey_index;
	p->has_grh = h->grh_present;
	memcpy(p->dgid, h->gid, GID_SIZE);
	if (port_gid(port, h->gid_index))
		memcpy(p->sgid, port_gid(port, h->gid_index)->raw, GID_SIZE);
	p->hop_limit = h->hop_limit;
	p->traffic_class = h->traffic_class;
	p->flow_label = be32toh(h->flow_label);
}

/* The upper half of a request's id says whose the answer is */
static void set_tid(struct mad *m, const struct umad_agent *a)
{
	if (!mad_is_response(m))
		m->tid = htobe64((uint64_t)a->hi_tid << 32 | (be64toh(m->tid) & UINT32_MAX));
}

static void try(struct umad_send *s)
{
	struct mad_packet *p = mad_packet_copy(s->p);

	s->due = clock_now() + s->hdr.timeout_ms * NS_PER_MS;
	s->tries--;
	if (!p)
		return;
	if (mad_route(p))
		mad_post(p);
	else
		free(p);
}

static void free_send(struct umad_file *f, struct umad_send *s)
{
	TAILQ_REMOVE(&f->sends, s, link);
	free(s->p);
	free(s);
}

/* The same id twice, both waiting: nobody could tell the answers apart */
static bool is_duplicate(const struct umad_file *f, const struct umad_agent *a, const struct mad *m)
{
	const struct umad_send *s;

	TAILQ_FOREACH(s, &f->sends, link)
	{
		if (s->agent == a && s->p->mad.tid == m->tid && s->p->mad.mgmt_class == m->mgmt_class &&
		    mad_is_response(&s->p->mad) == mad_is_response(m))
			return true;
	}
	return false;
}

static int post(struct umad_file *f, struct umad_agent *a, const struct ib_user_mad_hdr *hdr,
		struct mad_packet *p)
{
	struct umad_send *s;

	if (!is_sound(f, &p->mad) || is_duplicate(f, a, &p->mad))
		return EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return ENOMEM;
	*s = (struct umad_send){ .agent = a, .hdr = *hdr, .tries = 1 + hdr->retries, .p = mad_packet_copy(p) };
	TAILQ_INSERT_TAIL(&f->sends, s, link);
	if (s->p)
		try(s);
	if (!s->p || !hdr->timeout_ms)
		free_send(f, s);
	return 0;
}

int umad_send(struct umad_file *f, const struct ib_user_mad_hdr *hdr, const void *data, size_t size)
{
	struct umad_agent *a = hdr->id < UMAD_MAX_AGENTS ? f->agents[hdr->id] : NULL;
	struct mad_packet *p;
	int rc;

	if (size < RMPP_HEADER || size > MAD_LONGEST || hdr->id >= UMAD_MAX_AGENTS)
		return EINVAL;
	if (!a)
		return EIO;
	p = mad_packet_new(size);
	if (!p)
		return ENOMEM;
	memcpy(&p->mad, data, size);
	if (p->size < MAD_SIZE)
		p->size = MAD_SIZE; /* the rest is zero */
	set_ends(p, f, a, hdr);
	set_tid(&p->mad, a);
	rc = umad_acknowledge(a, &p->mad) ? 0 : post(f, a, hdr, p);
	free(p);
	return rc;
}

/* A route of either kind is of one class */
static uint8_t plain_class(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SUBN_DIRECTED_ROUTE ? 0 : mgmt_class;
}

bool umad_answered(struct umad_file *f, const struct umad_agent *a, const struct mad *m)
{
	struct umad_send *s;

	TAILQ_FOREACH(s, &f->sends, link)
	{
		if (s->agent != a || s->p->mad.tid != m->tid ||
		    plain_class(s->p->mad.mgmt_class) != plain_class(m->mgmt_class))
			continue;
		free_send(f, s);
		return true;
	}
	return false;
}

void umad_cancel(struct umad_file *f, const struct umad_agent *a)
{
	struct umad_send *s, *next;

	for (s = TAILQ_FIRST(&f->sends); s; s = next) {
		next = TAILQ_NEXT(s, link);
		if (s->agent == a)
			free_send(f, s);
	}
}

/* Of what nobody answered, the program gets the header back */
static void give_up(struct umad_file *f, struct umad_send *s)
{
	s->hdr.id = s->agent->id;
	s->hdr.status = ETIMEDOUT;
	umad_put(f, &s->hdr, &s->p->mad, MAD_HEADER);
	free_send(f, s);
}

static bool serve_file(struct umad_file *f)
{
	uint64_t now = TAILQ_EMPTY(&f->sends) ? 0 : clock_now();
	struct umad_send *s, *next;
	bool busy = false;

	for (s = TAILQ_FIRST(&f->sends); s; s = next) {
		next = TAILQ_NEXT(s, link);
		if (now < s->due)
			continue;
		if (s->tries)
			try(s);
		else
			give_up(f, s);
		busy = true;
	}
	return busy;
}

bool umad_serve(void)
{
	struct umad_file *f;
	bool busy = false;

	LIST_FOREACH(f, &umad_files, link)
	{
		busy |= serve_file(f);
	}
	return busy;
}
