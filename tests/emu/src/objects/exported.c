/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/exported.h"

#include <stddef.h>
#include <unistd.h>

#include "calls/context.h"
#include "objects/mkey.h"
#include "objects/object.h"
#include "packets/fabric.h"

static struct export_table *table;

void exported_start(struct export_table *memory)
{
	table = memory;
	table->pid = getpid();
	table->place = fabric_place();
	table->version = EXPORT_VERSION;
}

void exported_forget(void)
{
	table = NULL;
}

/* Who reads it meanwhile finds none */
static struct exported *begin(const struct object *o)
{
	struct exported *e = &table->objects[o->number];

	__atomic_store_n(&e->context, 0, __ATOMIC_RELEASE);
	e->times++;
	e->handle = o->handle;
	e->kind = o->kind;
	if (table->end <= o->number)
		table->end = o->number + 1;
	return e;
}

static void finish(struct exported *e, const struct object *o)
{
	__atomic_store_n(&e->context, o->ctx->number + 1, __ATOMIC_RELEASE);
}

void exported_pd(const struct object *pd)
{
	if (table && !pd->imported)
		finish(begin(pd), pd);
}

/* Device memory is the process's own, and is not told of */
void exported_mr(const struct mkey *m)
{
	struct exported *e;

	if (!table || m->o.imported || m->dm)
		return;
	e = begin(&m->o);
	e->pd = m->o.pd->number;
	e->key = mkey_value(m);
	e->access = m->access;
	e->host = m->host;
	e->start = m->start;
	e->len = m->len;
	finish(e, &m->o);
}

void exported_end(const struct object *o)
{
	if (table && (o->kind == PD || o->kind == MR))
		__atomic_store_n(&table->objects[o->number].context, 0, __ATOMIC_RELEASE);
}
