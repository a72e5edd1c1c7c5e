/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Agents of programs: what the kernel lets them register, and which of them a MAD is for. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mad/umad.h"
#include "objects/port.h"
#include "packets/fabric.h"
#include "trace.h"

#define RMPP_VERSION 1
#define MAX_MGMT_VERSION 8
#define MAX_MGMT_CLASS 80 /* all but directed routes are below */
#define PLACE_SHIFT 16 /* in the upper half of an id */

static bool is_vendor_class(uint8_t mgmt_class)
{
	return mgmt_class >= CLASS_VENDOR_RANGE2_START && mgmt_class <= CLASS_VENDOR_RANGE2_END;
}

static bool has_rmpp(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SUBN_ADM || mgmt_class == CLASS_DEV_MGT || mgmt_class == CLASS_BIS ||
	       is_vendor_class(mgmt_class);
}

static bool is_smp_class(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SUBN_LID_ROUTED || mgmt_class == CLASS_SUBN_DIRECTED_ROUTE;
}

static bool has_oui(const struct umad_agent *a)
{
	return a->oui[0] || a->oui[1] || a->oui[2];
}

static int check_class(const struct umad_agent *a)
{
	if (!a->mgmt_class)
		return a->user_rmpp ? EINVAL : 0;
	if (a->mgmt_class_version >= MAX_MGMT_VERSION ||
	    (a->mgmt_class >= MAX_MGMT_CLASS && a->mgmt_class != CLASS_SUBN_DIRECTED_ROUTE))
		return EINVAL;
	if (is_vendor_class(a->mgmt_class) && !has_oui(a))
		return EINVAL;
	if (a->rmpp_version && !has_rmpp(a->mgmt_class))
		return EINVAL;
	return is_smp_class(a->mgmt_class) == !a->qpn ? 0 : EINVAL;
}

static bool is_same_class(const struct umad_agent *a, const struct umad_agent *b)
{
	return a->qpn == b->qpn && a->mgmt_class == b->mgmt_class &&
	       a->mgmt_class_version == b->mgmt_class_version &&
	       (!is_vendor_class(a->mgmt_class) || !memcmp(a->oui, b->oui, sizeof(a->oui)));
}

/* The agent at that port for which @fn is true */
static struct umad_agent *find_agent(uint8_t port, bool (*fn)(const struct umad_agent *a, const void *arg),
			       const void *arg, struct umad_file **file)
{
	struct umad_file *f;

	LIST_FOREACH(f, &umad_files, link)
	{
		if (f->port != port)
			continue;
		for (int i = 0; i < UMAD_MAX_AGENTS; i++) {
			if (!f->agents[i] || !fn(f->agents[i], arg))
				continue;
			*file = f;
			return f->agents[i];
		}
	}
	return NULL;
}

static bool overlaps(const struct umad_agent *a, const void *arg)
{
	const struct umad_agent *b = arg;

	return is_same_class(a, b) &&
	       ((a->method_mask[0] & b->method_mask[0]) || (a->method_mask[1] & b->method_mask[1]));
}

/* Who else gets what is not asked for */
static bool shares_class(const struct umad_agent *a, const void *arg)
{
	return a != arg && is_same_class(a, arg) && (a->method_mask[0] || a->method_mask[1]);
}

static void name_claim(char name[48], uint8_t port, const struct umad_agent *a)
{
	snprintf(name, 48, "mad-%u-%u-%02x-%u-%02x%02x%02x", port, a->qpn, a->mgmt_class,
		 a->mgmt_class_version, a->oui[0], a->oui[1], a->oui[2]);
}

/* On one host, agents of different processes are agents of one device */
static bool claim(uint8_t port, const struct umad_agent *a)
{
	char name[48];

	name_claim(name, port, a);
	return (!a->method_mask[0] && !a->method_mask[1]) || fabric_claim(name);
}

static int check_agent(const struct umad_file *f, const struct umad_agent *a)
{
	int rc = a->rmpp_version && a->rmpp_version != RMPP_VERSION ? EINVAL : check_class(a);
	struct umad_file *other;

	if (rc)
		return rc;
	if (!a->qpn && port_get(f->port)->ethernet)
		return EPROTONOSUPPORT;
	if (a->mgmt_class && find_agent(f->port, overlaps, a, &other))
		return EINVAL;
	return claim(f->port, a) ? 0 : EINVAL;
}

static int add(struct umad_file *f, const struct umad_agent *new, uint32_t *id)
{
	static uint16_t count;
	int rc = new->qpn > 1 ? EINVAL : 0;
	struct umad_agent *a;

	for (*id = 0; *id < UMAD_MAX_AGENTS && f->agents[*id]; ++*id)
		;
	if (!rc)
		rc = *id == UMAD_MAX_AGENTS ? ENOMEM : check_agent(f, new);
	a = rc ? NULL : malloc(sizeof(*a));
	if (!a)
		return rc ? rc : ENOMEM;
	*a = *new;
	a->id = *id;
	a->hi_tid = fabric_place() << PLACE_SHIFT | ++count;
	f->agents[*id] = a;
	f->already_used = true;
	TRACE("umad agent %u: QP %u class 0x%02x methods 0x%llx", a->id, a->qpn, a->mgmt_class,
	      (unsigned long long)a->method_mask[0]);
	return 0;
}

int umad_register(struct umad_file *f, struct ib_user_mad_reg_req *r)
{
	struct umad_agent a = { .qpn = r->qpn, .mgmt_class = r->mgmt_class, .rmpp_version = r->rmpp_version };

	if (a.mgmt_class) {
		a.mgmt_class_version = r->mgmt_class_version;
		memcpy(a.oui, r->oui, sizeof(a.oui));
		memcpy(a.method_mask, r->method_mask, sizeof(a.method_mask));
	}
	return add(f, &a, &r->id);
}

int umad_register2(struct umad_file *f, struct ib_user_mad_reg_req2 *r)
{
	struct umad_agent a = { .qpn = r->qpn, .mgmt_class = r->mgmt_class, .rmpp_version = r->rmpp_version };

	if (r->flags & ~IB_USER_MAD_REG_FLAGS_CAP) {
		r->flags = IB_USER_MAD_REG_FLAGS_CAP;
		return EINVAL;
	}
	if (a.mgmt_class && r->oui >> 24)
		return EINVAL;
	a.user_rmpp = r->flags & IB_USER_MAD_USER_RMPP;
	if (a.mgmt_class) {
		a.mgmt_class_version = r->mgmt_class_version;
		a.oui[0] = r->oui >> 16;
		a.oui[1] = r->oui >> 8;
		a.oui[2] = r->oui;
		memcpy(a.method_mask, r->method_mask, sizeof(a.method_mask));
	}
	if (!f->already_used)
		f->use_pkey_index = true;
	return add(f, &a, &r->id);
}

int umad_unregister(struct umad_file *f, uint32_t id)
{
	struct umad_agent *a = id < UMAD_MAX_AGENTS ? f->agents[id] : NULL;
	struct umad_file *other;
	char name[48];

	if (!a)
		return EINVAL;
	umad_cancel(f, a);
	umad_cancel_segments(a);
	f->agents[id] = NULL;
	name_claim(name, f->port, a);
	if (!find_agent(f->port, shares_class, a, &other))
		fabric_waive(name);
	free(a);
	return 0;
}

void umad_unregister_all(struct umad_file *f)
{
	for (uint32_t id = 0; id < UMAD_MAX_AGENTS; id++)
		umad_unregister(f, id);
}

static bool has_sent(const struct umad_agent *a, const void *arg)
{
	const struct mad_packet *p = arg;

	return a->hi_tid == be64toh(p->mad.tid) >> 32;
}

static bool wants(const struct umad_agent *a, const void *arg)
{
	const struct mad_packet *p = arg;
	const struct mad *m = &p->mad;
	uint8_t method = m->method & ~METHOD_RESP;

	if (a->qpn != p->to.qpn || a->mgmt_class != m->mgmt_class ||
	    a->mgmt_class_version != m->class_version)
		return false;
	if (is_vendor_class(a->mgmt_class) && memcmp(a->oui, m->vendor.oui, sizeof(a->oui)))
		return false;
	return a->method_mask[method / 64] >> method % 64 & 1;
}

static void hand_over(struct umad_file *f, const struct umad_agent *a, const struct mad_packet *p)
{
	struct ib_user_mad_hdr h = {
		.id = a->id,
		.length = umad_header_size(f) + p->size,
		.qpn = htobe32(p->from.qpn),
		.lid = htobe16(p->from.lid),
		.sl = p->sl,
		.path_bits = p->path_bits,
		.grh_present = p->has_grh,
		.hop_limit = p->hop_limit,
		.traffic_class = p->traffic_class,
		.flow_label = htobe32(p->flow_label),
		.pkey_index = p->pkey_index,
	};

	if (p->has_grh)
		memcpy(h.gid, p->sgid, GID_SIZE);
	if (!umad_segment(f, a, &h, p))
		umad_put(f, &h, &p->mad, p->size);
}

bool umad_deliver(const struct mad_packet *p)
{
	bool is_answer = mad_is_response(&p->mad);
	struct umad_file *f;
	struct umad_agent *a = find_agent(p->to.port, is_answer ? has_sent : wants, p, &f);

	if (!a || (is_answer && !umad_answered(f, a, &p->mad)))
		return false;
	hand_over(f, a, p);
	return true;
}

uint32_t umad_place_for(const struct mad_packet *p)
{
	const struct mad *m = &p->mad;
	struct umad_agent a = { .qpn = p->to.qpn,
				.mgmt_class = m->mgmt_class,
				.mgmt_class_version = m->class_version };
	char name[48];
	int owner;

	if (mad_is_response(m))
		return be64toh(m->tid) >> (32 + PLACE_SHIFT);
	if (is_vendor_class(m->mgmt_class))
		memcpy(a.oui, m->vendor.oui, sizeof(a.oui));
	name_claim(name, p->to.port, &a);
	owner = fabric_owner(name);
	return owner < 0 ? p->to.place : (uint32_t)owner;
}
