/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Communication identifiers: one end of a connection, or a listener. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <infiniband/verbs.h>

#include "cm/cm.h"
#include "engine/clock.h"
#include "objects/port.h"

/* 4.096 us * 2^14: what the time on the way of a small fabric makes of it */
#define ACK_TIMEOUT 14

/* librdmacm keeps a table of so many */
#define MAX_NUMBER 0xffff

struct cm_id_list cm_ids = LIST_HEAD_INITIALIZER(cm_ids);

static struct cm_id_list by_number[CM_LISTS];

struct cm_id *cm_id_find(uint32_t number)
{
	struct cm_id *id;

	LIST_FOREACH(id, &by_number[number % CM_LISTS], of_number)
	{
		if (id->number == number)
			return id;
	}
	return NULL;
}

/* What the ids of this process differ by from those of who had its place before; 0: not chosen yet */
static uint16_t life;

static uint16_t this_life(void)
{
	while (!life)
		if (getrandom(&life, sizeof(life), 0) < 0)
			life = clock_now();
	return life;
}

void cm_begin_life(void)
{
	life = 0;
	LIST_INIT(&cm_ids);
	memset(by_number, 0, sizeof(by_number));
	cm_forget_numbers();
	cm_forget_waiting();
}

uint32_t cm_id_outside(const struct cm_id *id)
{
	return (uint32_t)this_life() << 16 | id->number;
}

uint32_t cm_number_inside(uint32_t outside)
{
	return outside & MAX_NUMBER;
}

struct cm_id *cm_id_meant(uint32_t outside)
{
	return outside >> 16 == this_life() ? cm_id_find(cm_number_inside(outside)) : NULL;
}

struct cm_id *cm_asked_by(unsigned int place, uint32_t number)
{
	struct cm_id *id;

	LIST_FOREACH(id, &cm_ids, link)
	{
		if (id->passive && id->peer == number && id->peer_place == place)
			return id;
	}
	return NULL;
}

/* They go round, so that what comes late is for nobody */
uint32_t cm_number(void)
{
	static uint32_t last;

	do {
		last = last % MAX_NUMBER + 1;
	} while (cm_id_find(last));
	return last;
}

/* Random, so that packets of an old connection do not fit into a new one */
static uint32_t new_psn(void)
{
	static uint32_t seed;

	seed = (seed ^ (uint32_t)clock_now()) * 2654435761u;
	return seed >> 8;
}

struct cm_id *cm_id_new(struct cm_file *f, uint16_t ps, uint8_t qp_type)
{
	struct cm_id *id = calloc(1, sizeof(*id));

	if (!id)
		return NULL;
	id->file = f;
	id->number = cm_number();
	id->ps = ps;
	id->qp_type = qp_type;
	id->ack_timeout = ACK_TIMEOUT;
	id->psn = new_psn();
	LIST_INSERT_HEAD(&cm_ids, id, link);
	LIST_INSERT_HEAD(&by_number[id->number % CM_LISTS], id, of_number);
	return id;
}

void cm_id_destroy(struct cm_id *id)
{
	cm_say_goodbye(id);
	cm_leave_all(id);
	cm_event_drop_of(id, NULL);
	LIST_REMOVE(id, link);
	LIST_REMOVE(id, of_number);
	cm_wait_for_nothing(id);
	cm_release_number(id);
	free(id);
}

static bool is_concerned(const struct cm_id *id, int type, const struct port *p)
{
	if (!id->port || !p)
		return id->port;
	return type == CM_DEVICE_REMOVAL ? id->port->device == p->device : id->port == p;
}

void cm_tell(int type, uint32_t port)
{
	const struct port *p = port_get(port);
	struct cm_id *id;

	LIST_FOREACH(id, &cm_ids, link)
	{
		if (is_concerned(id, type, p))
			cm_event_post(id, type, 0);
	}
}

bool cm_is_datagram(const struct cm_id *id)
{
	return id->qp_type == IBV_QPT_UD;
}
