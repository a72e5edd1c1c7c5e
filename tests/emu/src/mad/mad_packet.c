/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A MAD by itself. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "mad/mad.h"

#define BM_RESP 1 /* of the attribute modifier of the baseboard class */

struct mad_packet *mad_packet_new(size_t size)
{
	struct mad_packet *p = calloc(1, MAD_PACKET_HEAD + (size < MAD_SIZE ? MAD_SIZE : size));

	if (p)
		p->size = size;
	return p;
}

struct mad_packet *mad_packet_copy(const struct mad_packet *p)
{
	struct mad_packet *copy = mad_packet_new(p->size);

	if (copy)
		memcpy(copy, p, mad_packet_size(p));
	return copy;
}

bool mad_is_response(const struct mad *m)
{
	return m->method & METHOD_RESP || m->method == METHOD_TRAP_REPRESS ||
	       (m->mgmt_class == CLASS_BM && be32toh(m->attr_mod) & BM_RESP);
}

bool mad_is_smp(const struct mad *m)
{
	return m->mgmt_class == CLASS_SUBN_LID_ROUTED || m->mgmt_class == CLASS_SUBN_DIRECTED_ROUTE;
}

/* What answers a Set is called GetResp */
void mad_make_response(struct mad *m, uint16_t status)
{
	m->method = m->method == METHOD_SET ? METHOD_GET_RESP : m->method | METHOD_RESP;
	m->status = htobe16(status);
	if (m->mgmt_class != CLASS_SUBN_DIRECTED_ROUTE)
		return;
	m->status |= htobe16(STATUS_DIRECTION);
	m->hop_pointer = 0; /* it will have come back */
}
