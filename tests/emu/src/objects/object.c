/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/object.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "calls/context.h"
#include "calls/devx_event.h"
#include "config.h"
#include "objects/counters.h"
#include "objects/cq.h"
#include "objects/devx_object.h"
#include "objects/dm.h"
#include "objects/exported.h"
#include "objects/flow.h"
#include "objects/flow_table.h"
#include "objects/handle.h"
#include "objects/leak.h"
#include "objects/mkey.h"
#include "objects/qp.h"
#include "objects/qp_open.h"
#include "objects/srq.h"
#include "objects/tir.h"
#include "objects/wq.h"
#include "trace.h"

/* In the order in which the kernel frees what a dying context leaves behind */
static const struct kind_info {
	enum kind kind;
	const char *name;
	void (*release)(struct object *o); /* let go what it uses, besides the PD */
	bool library_owned; /* libmlx5 keeps these for itself: no leak, not counted */
	const uint32_t *max; /* NULL: as many as there are numbers */
	bool (*outlives)(struct object *o); /* give up what can live on without the program's handle */
} kinds[] = {
	{ FLOW, "flow", flow_release, false, NULL, NULL },
	{ FLOW_ENTRY, "flow_entry", flow_entry_release, false, NULL, NULL },
	{ FLOW_GROUP, "flow_group", flow_group_release, false, NULL, NULL },
	{ FLOW_TABLE, "flow_table", flow_table_release, false, NULL, NULL },
	{ FLOW_ACTION, "flow_action", NULL, false, NULL, NULL },
	{ FLOW_COUNTER, "flow_counter", NULL, false, NULL, NULL },
	{ FLOW_MATCHER, "flow_matcher", NULL, false, NULL, NULL },
	{ STEERING_ANCHOR, "steering_anchor", NULL, false, NULL, NULL },
	{ COUNTERS, "counters", counters_release, false, NULL, NULL },
	{ OPENED_QP, "opened_qp", qp_opened_release, false, NULL, NULL },
	{ QP, "qp", qp_release, false, &config.max_qp, qp_outlives },
	{ AH, "ah", NULL, false, NULL, NULL },
	{ TIR, "tir", tir_release, false, NULL, NULL },
	{ TRANSPORT_DOMAIN, "transport_domain", NULL, false, NULL, NULL },
	{ RWQ_TABLE, "rwq_ind_table", rwq_table_release, false, NULL, NULL },
	{ WQ, "wq", wq_release, false, &config.max_qp, NULL },
	{ SRQ, "srq", srq_release, false, &config.max_srq, NULL },
	{ CQ, "cq", cq_release, false, &config.max_cq, NULL },
	{ MW, "mw", NULL, false, &config.max_mw, NULL },
	{ MKEY, "mkey", mkey_release, false, NULL, NULL },
	{ MR, "mr", mr_release, false, &config.max_mr, NULL },
	{ DM, "dm", dm_release, false, NULL, NULL },
	{ GENERAL, "devx", general_release, false, NULL, NULL },
	{ PSV, "psv", NULL, false, NULL, NULL },
	{ UMEM, "umem", NULL, false, NULL, NULL },
	{ VAR, "var", NULL, false, NULL, NULL },
	{ PP, "pp", NULL, false, NULL, NULL },
	{ UAR, "uar", NULL, true, NULL, NULL },
	{ XRCD, "xrcd", NULL, false, NULL, NULL },
	{ PD, "pd", NULL, false, &config.max_pd, NULL },
	{ CHANNEL, "comp_channel", NULL, false, NULL, NULL }, /* lives as long as its descriptor */
};

pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;

int device_enter(void)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	pthread_mutex_lock(&device_lock);
	return cancelling;
}

void device_leave(int cancelling)
{
	pthread_mutex_unlock(&device_lock);
	pthread_setcancelstate(cancelling, NULL);
}

static struct object *objects[MAX_OBJECTS];
static struct object *of_device[MAX_DEVICES][MAX_OBJECTS];
static int live[KINDS], leaked[KINDS], inherited[KINDS];
static uint32_t on_device[MAX_DEVICES][KINDS];
static uint32_t made[KINDS];

static const struct kind_info *kind_info(enum kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	abort();
}

const char *object_kind_name(enum kind kind)
{
	return kind_info(kind)->name;
}

/* Numbers go round, so that a stale one is not soon valid again; 0 is never one. */
static uint32_t free_number(struct object *const *table, uint32_t *last)
{
	for (int i = 1; i < MAX_OBJECTS; i++) {
		*last = *last % (MAX_OBJECTS - 1) + 1;
		if (!table[*last])
			return *last;
	}
	return 0;
}

/* There is a place of its own device where there is one of all */
static void give_index(struct object *o)
{
	static uint32_t last[MAX_DEVICES];

	o->index = free_number(of_device[o->device], &last[o->device]);
	of_device[o->device][o->index] = o;
}

static bool is_exhausted(const struct context *ctx, enum kind kind)
{
	const struct kind_info *info = kind_info(kind);

	return info->max && on_device[ctx->device][kind] >= *info->max;
}

void *object_new(struct context *ctx, enum kind kind, size_t size, struct object *pd)
{
	static uint32_t last;
	uint32_t number = is_exhausted(ctx, kind) ? 0 : free_number(objects, &last);
	struct object *o = number ? calloc(1, size) : NULL;

	if (!o)
		return NULL;
	o->kind = kind;
	o->number = number;
	o->ctx = ctx;
	if (handle_give(o)) {
		free(o);
		return NULL;
	}
	o->serial = ++made[kind];
	o->device = ctx->device;
	o->pd = pd;
	object_hold(pd);
	live[kind]++;
	on_device[o->device][kind]++;
	objects[number] = o;
	give_index(o);
	return o;
}

struct object *object_at(uint8_t device, uint32_t index)
{
	return index < MAX_OBJECTS ? of_device[device][index] : NULL;
}

void *object_get(enum kind kind, uint64_t number)
{
	struct object *o = number < MAX_OBJECTS ? objects[number] : NULL;

	return o && o->kind == kind ? o : NULL;
}

void object_hold(struct object *o)
{
	if (o)
		o->users++;
}

void object_drop(struct object *o)
{
	if (o)
		o->users--;
}

void object_free(struct object *o)
{
	const struct kind_info *info = kind_info(o->kind);

	if (info->release)
		info->release(o);
	object_drop(o->pd);
	live[o->kind] -= !o->imported;
	inherited[o->kind] -= o->inherited;
	exported_end(o);
	on_device[o->device][o->kind]--;
	objects[o->number] = NULL;
	of_device[o->device][o->index] = NULL;
	handle_take(o);
	free(o);
}

void object_lend(struct object *o)
{
	o->imported = true;
	live[o->kind]--;
}

int object_refuse(const struct object *o)
{
	complain("%s %u is of another process, which alone can change or free it: here, ibv_unimport_%s() ends it",
		 object_kind_name(o->kind), o->handle, object_kind_name(o->kind));
	return EOPNOTSUPP;
}

static void give_up(struct object *o)
{
	const struct kind_info *info = kind_info(o->kind);

	handle_take(o);
	if (!info->outlives || !info->outlives(o))
		object_free(o);
}

int object_destroy(struct object *o)
{
	if (!o)
		return ENOENT;
	if (o->users)
		return EBUSY;
	if (o->imported)
		return object_refuse(o);
	give_up(o);
	return 0;
}

static void free_kind(struct context *ctx, const struct kind_info *info, int count)
{
	for (uint32_t h = 1; h < MAX_OBJECTS && count; h++) {
		struct object *o = objects[h];

		if (!o || o->ctx != ctx || o->kind != info->kind)
			continue;
		count--;
		if (!info->library_owned && !o->imported && !o->inherited) {
			leaked[o->kind]++;
			leak_tell(o);
		}
		give_up(o);
	}
}

void object_inherit(void)
{
	memcpy(inherited, live, sizeof(inherited));
	memset(leaked, 0, sizeof(leaked));
	for (uint32_t h = 1; h < MAX_OBJECTS; h++)
		if (objects[h])
			objects[h]->inherited = !objects[h]->imported;
}

/* Of most kinds a context has nothing when it closes: who looks once does not search the table for each. */
void object_free_all(struct context *ctx)
{
	int count[KINDS] = { 0 };

	for (uint32_t h = 1; h < MAX_OBJECTS; h++)
		if (objects[h] && objects[h]->ctx == ctx)
			count[objects[h]->kind]++;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind != CHANNEL)
			free_kind(ctx, &kinds[i], count[kinds[i].kind]);
}

int object_live(enum kind kind)
{
	return live[kind];
}

int object_count(const char *kind_name)
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kind_name ? !strcmp(kind_name, kinds[i].name) : !kinds[i].library_owned)
			n += live[kinds[i].kind];
	return n;
}

static int leaks_of(const struct kind_info *info)
{
	return leaked[info->kind] + (info->library_owned ? 0 : live[info->kind] - inherited[info->kind]);
}

static void tell_live(void)
{
	for (uint32_t h = 1; h < MAX_OBJECTS; h++)
		if (objects[h] && !objects[h]->imported && !objects[h]->inherited && !kind_info(objects[h]->kind)->library_owned)
			leak_tell(objects[h]);
}

void object_report_leaks(int contexts)
{
	const char *separator = ":";
	int total = contexts;

	tell_live();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		total += leaks_of(&kinds[i]);
	fprintf(stderr, "verbsx-emu: leaked %d object%s", total, total == 1 ? "" : "s");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int n = leaks_of(&kinds[i]);

		if (!n)
			continue;
		fprintf(stderr, "%s %d %s", separator, n, kinds[i].name);
		separator = ",";
	}
	if (contexts)
		fprintf(stderr, "%s %d context", separator, contexts);
	fputc('\n', stderr);
	complaints += total;
}
