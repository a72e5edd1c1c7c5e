/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/tap_line.h"

#include <stdarg.h>
#include <stdio.h>

#include "objects/mkey.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "packets/packet.h"

bool tap_raw;

void tap_say(struct tap_line *l, const char *format, ...)
{
	size_t room = sizeof(l->text) - l->len;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(l->text + l->len, room, format, ap);
	va_end(ap);
	l->len += n < (int)room ? n : (int)room - 1;
}

void tap_say_object(struct tap_line *l, enum kind kind, uint32_t number)
{
	const struct object *o = object_get(kind, number);
	const char *name = object_kind_name(kind);

	if (tap_raw)
		tap_say(l, " %s 0x%x", name, number);
	else if (o)
		tap_say(l, " %s%u", name, o->serial);
	else
		tap_say(l, " %s?", name);
}

void tap_say_qpn(struct tap_line *l, uint32_t qpn, bool is_here)
{
	const struct qp *q = qp_by_number(qpn);

	if (tap_raw)
		tap_say(l, " qp 0x%x", qpn);
	else if (!is_here)
		tap_say(l, " peer");
	else if (q)
		tap_say_object(l, QP, q->o.number);
	else
		tap_say(l, " qp?");
}

void tap_say_key(struct tap_line *l, uint32_t key)
{
	const struct mkey *m = mkey_by_index(l->device, key);

	if (tap_raw)
		tap_say(l, " 0x%x", key);
	else if (m && mkey_value(m) == key)
		tap_say_object(l, m->o.kind, m->o.number);
	else
		tap_say(l, " key?");
}

void tap_say_address(struct tap_line *l, uint32_t key, uint64_t address)
{
	const struct mkey *m = mkey_by_index(l->device, key);

	tap_say_key(l, key);
	if (tap_raw)
		tap_say(l, ":0x%llx", (unsigned long long)address);
	else if (m && mkey_value(m) == key)
		tap_say(l, "+0x%llx", (unsigned long long)(address - m->start));
}

void tap_is_for(struct tap_line *l, const struct packet *p)
{
	const struct port *to = packet_port(p);

	if (to)
		l->device = to->device;
}

void tap_say_remote(struct tap_line *l, const struct packet *p, uint64_t address)
{
	const uint8_t own = l->device;

	tap_is_for(l, p);
	if (packet_is_here(p) || tap_raw)
		tap_say_address(l, p->rkey, address);
	else
		tap_say(l, " peer");
	l->device = own;
}

void tap_say_flags(struct tap_line *l, const struct tap_flag *flags, uint64_t value)
{
	const char *separator = " ";

	for (const struct tap_flag *f = flags; f->name; f++) {
		if ((value & f->bits) != f->value)
			continue;
		tap_say(l, "%s%s", separator, f->name);
		separator = "|";
		value &= ~f->bits;
	}
	if (value)
		tap_say(l, "%s0x%llx", separator, (unsigned long long)value);
}
