/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "objects/imported.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls/bar.h"
#include "calls/context.h"
#include "calls/real.h"
#include "config.h"
#include "objects/exported.h"
#include "objects/mkey.h"
#include "objects/pages.h"
#include "packets/fabric.h"
#include "trace.h"

struct import {
	dev_t device;
	ino_t inode;
	uint32_t context; /* its number there, and 1 */
	const struct export_table *table; /* of that process */
};

static LIST_HEAD(, mkey) regions = LIST_HEAD_INITIALIZER(regions);

/* By a key one of each is found: so they have to differ in what they begin with */
static bool keys_differ(const struct export_table *t)
{
	if (mkey_place(t->place) != mkey_place(fabric_place()))
		return true;
	complain("a context of process %d cannot be imported: keys of there and of here are equal, as both are at the place %u of a "
		 "fabric. Processes that share a context need one that they share as well", t->pid, t->place);
	return false;
}

static const struct export_table *map_table(int fd)
{
	const struct export_table *t = REAL(mmap)(NULL, sizeof(*t), PROT_READ, MAP_SHARED, fd, BAR_EXPORTS);

	if (t == MAP_FAILED)
		return NULL;
	if (t->version == EXPORT_VERSION && keys_differ(t))
		return t;
	munmap((void *)t, sizeof(*t));
	return NULL;
}

struct import *import_open(int fd, uint8_t *device)
{
	struct import *i = calloc(1, sizeof(*i));
	struct stat st;

	if (i && !REAL(fstat)(fd, &st) && bar_whose(fd, &i->context, device) && *device < config.devices)
		i->table = map_table(fd);
	if (!i || !i->table) {
		free(i);
		return NULL;
	}
	i->device = st.st_dev;
	i->inode = st.st_ino;
	return i;
}

void import_close(struct import *i)
{
	if (i)
		munmap((void *)i->table, sizeof(*i->table));
	free(i);
}

bool import_is(const struct import *i, int fd)
{
	struct stat st;

	return !REAL(fstat)(fd, &st) && st.st_dev == i->device && st.st_ino == i->inode;
}

static bool is_there(const struct exported *e, const struct import *i)
{
	return __atomic_load_n(&e->context, __ATOMIC_ACQUIRE) == i->context;
}

static const struct exported *find(const struct import *i, enum kind kind, uint32_t handle)
{
	for (uint32_t n = 0; n < i->table->end && n < MAX_OBJECTS; n++) {
		const struct exported *e = &i->table->objects[n];

		if (is_there(e, i) && e->kind == kind && e->handle == handle)
			return e;
	}
	return NULL;
}

static void *stand_for(const struct exported *e, struct context *ctx, size_t size, struct object *pd)
{
	struct object *o = object_new(ctx, e->kind, size, pd);

	if (!o)
		return NULL;
	object_lend(o);
	if (!handle_name(o, e->handle))
		return o;
	object_free(o);
	return NULL;
}

static struct object *pd_of(const struct exported *e, struct context *ctx)
{
	const struct exported *pd = e->pd < MAX_OBJECTS ? &ctx->import->table->objects[e->pd] : NULL;

	return pd && is_there(pd, ctx->import) && pd->kind == PD ? import_object(ctx, PD, pd->handle) : NULL;
}

static struct mkey *stand_for_region(const struct exported *e, struct context *ctx)
{
	struct object *pd = pd_of(e, ctx);
	struct mkey *m = pd ? stand_for(e, ctx, sizeof(*m), pd) : NULL;

	if (!m)
		return NULL;
	m->exported = e;
	m->times = e->times;
	m->pid = ctx->import->table->pid;
	m->key = e->key;
	m->access = e->access;
	m->host = e->host;
	m->start = e->start;
	m->len = e->len;
	LIST_INSERT_HEAD(&regions, m, imported);
	return m;
}

void *import_object(struct context *ctx, enum kind kind, uint32_t handle)
{
	struct object *o = handle_object(ctx, handle);
	const struct exported *e;

	if (o)
		return o->kind == kind ? o : NULL;
	e = ctx->import ? find(ctx->import, kind, handle) : NULL;
	if (!e)
		return NULL;
	return kind == PD ? stand_for(e, ctx, sizeof(struct object), NULL) : stand_for_region(e, ctx);
}

struct mkey *import_of_key(uint8_t device, uint32_t key)
{
	struct mkey *m;

	LIST_FOREACH(m, &regions, imported)
	if (m->o.device == device && m->key >> 8 == key >> 8 && !import_is_gone(m))
		return m;
	return NULL;
}

bool import_is_gone(const struct mkey *m)
{
	return !__atomic_load_n(&m->exported->context, __ATOMIC_ACQUIRE) || m->exported->times != m->times;
}

int import_copy(const struct mkey *m, bool to_memory, uint64_t host, uint64_t len, void *buffer)
{
	if (to_memory)
		return pages_write_of(m->pid, host, len, buffer);
	return pages_read_of(m->pid, host, len, buffer);
}

void import_release(struct mkey *m)
{
	if (m->exported)
		LIST_REMOVE(m, imported);
}
