/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/sched.h"

#include <string.h>

#include "calls/prm.h"
#include "engine/clock.h"
#include "objects/devx_object.h"
#include "objects/object.h"
#include "objects/qp.h"

/* Fields of an element, after the header */
static const struct field SCHED_MODIFY_FIELD_SELECT = { 32, 32 };
static const struct field SCHED_HIERARCHY = { 64, 8 };
static const struct field SCHED_ELEMENT_TYPE = { 256, 8 };
static const struct field SCHED_TSAR_TYPE = { 296, 8 };
static const struct field SCHED_PARENT_ELEMENT_ID = { 320, 32 };
static const struct field SCHED_BW_SHARE = { 416, 32 };
static const struct field SCHED_MAX_AVERAGE_BW = { 448, 32 }; /* Mbit/s; 0: as much as there is */

#define ELEMENT_SIZE 60

enum {
	HIERARCHY_NIC = 3,
	ELEMENT_TSAR = 0,
	ELEMENT_QUEUE_GROUP = 4,
	TSAR_DWRR = 0
};

enum {
	SELECT_BW_SHARE = 1 << 0,
	SELECT_MAX_AVERAGE_BW = 1 << 1
};

/* The bandwidth is an average: what was not used for so long may still go out, as the device also sleeps */
#define MEMORY (10 * NS_PER_MS)

static bool is_of_type(uint32_t id, uint32_t type)
{
	const uint8_t *body = general_body(id, TYPE_SCHEDULING_ELEMENT);

	return body && prm_get(body, SCHED_ELEMENT_TYPE) == type;
}

/* The root is a node without limits; a leaf is never one */
static bool is_sound(const uint8_t *body)
{
	uint32_t type = prm_get(body, SCHED_ELEMENT_TYPE);

	if (prm_get(body, SCHED_PARENT_ELEMENT_ID))
		return (type == ELEMENT_TSAR || type == ELEMENT_QUEUE_GROUP) &&
		       is_of_type(prm_get(body, SCHED_PARENT_ELEMENT_ID), ELEMENT_TSAR);
	return type == ELEMENT_TSAR && !prm_get(body, SCHED_BW_SHARE) && !prm_get(body, SCHED_MAX_AVERAGE_BW);
}

uint8_t sched_admit(const uint8_t *body, size_t len, struct object **parent)
{
	if (len < ELEMENT_SIZE || prm_get(body, SCHED_HIERARCHY) != HIERARCHY_NIC ||
	    prm_get(body, SCHED_TSAR_TYPE) != TSAR_DWRR || !is_sound(body))
		return STATUS_BAD_PARAM;
	*parent = object_get(GENERAL, prm_get(body, SCHED_PARENT_ELEMENT_ID));
	return 0;
}

void sched_modify(uint8_t *body, const uint8_t *in)
{
	uint32_t select = prm_get(in, SCHED_MODIFY_FIELD_SELECT);

	if (select & SELECT_BW_SHARE)
		prm_set(body, SCHED_BW_SHARE, prm_get(in, SCHED_BW_SHARE));
	if (select & SELECT_MAX_AVERAGE_BW)
		prm_set(body, SCHED_MAX_AVERAGE_BW, prm_get(in, SCHED_MAX_AVERAGE_BW));
}

int sched_attach(struct qp *q, uint32_t leaf)
{
	struct object *o = leaf && is_of_type(leaf, ELEMENT_QUEUE_GROUP) ? object_get(GENERAL, leaf) : NULL;

	if (leaf && !o)
		return -1;
	object_hold(o);
	object_drop(q->sched_leaf);
	q->sched_leaf = o;
	return 0;
}

/* The element above, or 0 */
static uint32_t above(uint32_t id)
{
	return prm_get(general_body(id, TYPE_SCHEDULING_ELEMENT), SCHED_PARENT_ELEMENT_ID);
}

bool sched_is_holding(const struct qp *q)
{
	uint64_t now = q->sched_leaf ? clock_now() : 0;

	for (uint32_t id = q->sched_leaf ? q->sched_leaf->number : 0; id; id = above(id))
		if (*general_busy_until(id) > now)
			return true;
	return false;
}

void sched_count(const struct qp *q, uint32_t bytes)
{
	uint64_t now = q->sched_leaf ? clock_now() : 0;

	for (uint32_t id = q->sched_leaf ? q->sched_leaf->number : 0; id; id = above(id)) {
		uint32_t mbits = prm_get(general_body(id, TYPE_SCHEDULING_ELEMENT), SCHED_MAX_AVERAGE_BW);
		uint64_t *busy = general_busy_until(id);

		if (mbits)
			*busy = (*busy > now - MEMORY ? *busy : now - MEMORY) + bytes * 8000ull / mbits;
	}
}
