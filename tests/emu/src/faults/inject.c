/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/inject.h"

#include <stdbool.h>

#include "bounds.h"
#include "calls/async.h"
#include "calls/context.h"
#include "calls/devx_event.h"
#include "cm/cm.h"
#include "engine/clock.h"
#include "objects/port_state.h"
#include "objects/qp_open.h"

static struct injection {
	struct fault fault;
	uint64_t due; /* 0: not known before a device is open */
} waiting[MAX_FAULTS];

static int nwaiting;

void inject_clear(void)
{
	nwaiting = 0;
}

void inject_report(void)
{
	for (int i = 0; i < nwaiting; i++)
		fault_tell_unmet(&waiting[i].fault);
}

int inject_waiting(void)
{
	return nwaiting;
}

static struct object *target(enum kind kind, uint32_t number)
{
	for (uint32_t h = 1; h < MAX_OBJECTS && object_live(kind); h++) {
		struct object *o = object_get(kind, h);

		if (o && o->ctx->has_async && fault_is_about(number, o))
			return o;
	}
	return NULL;
}

static bool send_event(const struct fault *f)
{
	enum kind kind = async_kind(f->value);
	struct object *o;

	if (kind == NONE)
		return async_port_event(f->number, f->value);
	o = target(kind, f->number);
	if (o && kind == QP)
		qp_event((struct qp *)o, f->value);
	else if (o)
		async_object_event(o, f->value);
	return o;
}

/* About a general object, given by its place in the order of creation, or about the device */
static bool send_devx_event(const struct fault *f)
{
	struct object *o = NULL;

	for (uint32_t h = 1; f->number && !o && h < MAX_OBJECTS && object_live(GENERAL); h++) {
		o = object_get(GENERAL, h);
		if (o && !fault_is_about(f->number, o))
			o = NULL;
	}
	return (o || !f->number) && devx_event_send(o, f->value);
}

static bool change_state(const struct fault *f)
{
	port_set_state(f->number, f->value);
	return true;
}

static bool flap(const struct fault *f)
{
	port_flap(f->number);
	return true;
}

static bool change_lid(const struct fault *f)
{
	port_set_lid(f->number, f->value);
	return true;
}

static bool change_speed(const struct fault *f)
{
	port_set_speed(f->number, f->value);
	return true;
}

static bool tell_ids(const struct fault *f)
{
	cm_tell(f->value, f->number);
	return true;
}

/* Each is false where it has to wait for somebody to go to */
static bool (*const happen[FAULT_ACTIONS])(const struct fault *f) = {
	[FAULT_EVENT] = send_event,	   [FAULT_DEVX_EVENT] = send_devx_event,
	[FAULT_PORT_STATE] = change_state, [FAULT_PORT_FLAP] = flap,
	[FAULT_LID] = change_lid,	   [FAULT_SPEED] = change_speed,
	[FAULT_CM_EVENT] = tell_ids,
};

void inject_add(const struct fault *f)
{
	waiting[nwaiting++] = (struct injection){ .fault = *f };
}

void inject_due(void)
{
	uint64_t now;
	int kept = 0;

	if (!nwaiting || !context_count())
		return;
	now = clock_now();
	for (int i = 0; i < nwaiting; i++) {
		struct injection *j = &waiting[i];

		if (!j->due)
			j->due = now + j->fault.ms * NS_PER_MS;
		if (now < j->due || !happen[j->fault.action](&j->fault))
			waiting[kept++] = *j;
	}
	nwaiting = kept;
}
