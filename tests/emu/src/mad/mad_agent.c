/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What takes a MAD that has come: the device's own agents, then those of programs; a request of nobody's is refused. */
#include <stdlib.h>
#include <string.h>

#include "mad/mad.h"
#include "mad/umad.h"

static void swap_ends(struct mad_packet *p)
{
	struct mad_end from = p->from;
	uint8_t sgid[GID_SIZE];

	p->from = p->to;
	p->to = from;
	memcpy(sgid, p->sgid, GID_SIZE);
	memcpy(p->sgid, p->dgid, GID_SIZE);
	memcpy(p->dgid, sgid, GID_SIZE);
}

static void send_back(struct mad_packet *p)
{
	swap_ends(p);
	mad_post(p);
}

static bool is_answered(struct mad_packet *p)
{
	return p->to.qpn ? pma_answer(&p->mad, &p->to) : sma_answer(&p->mad, &p->to);
}

/* As the kernel does it */
static bool refuse(struct mad *m)
{
	if (m->method != METHOD_GET && m->method != METHOD_SET)
		return false;
	mad_make_response(m, STATUS_UNSUP_METHOD_ATTR);
	return true;
}

static bool take_request(struct mad_packet *p)
{
	if (is_answered(p))
		return true;
	return (p->to.is_switch || !umad_deliver(p)) && refuse(&p->mad);
}

static struct mad_packet *ask_manager(struct mad_packet *p)
{
	struct mad_packet *answer = p->to.is_switch && p->to.qpn ? sa_answer(p) : NULL;

	if (!answer)
		return p;
	free(p);
	return answer;
}

void mad_take(struct mad_packet *p)
{
	bool back;

	if (mad_is_response(&p->mad)) {
		umad_deliver(p);
		free(p);
		return;
	}
	p = ask_manager(p);
	back = mad_is_response(&p->mad) || take_request(p);
	if (back)
		send_back(p);
	else
		free(p);
}
