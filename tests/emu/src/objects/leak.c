/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "objects/leak.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

#include "bounds.h"
#include "calls/context.h"
#include "objects/cq.h"
#include "objects/mkey.h"
#include "objects/qp.h"
#include "objects/srq.h"
#include "trace.h"

bool leak_report, leak_names;

/* This library, and libibverbs, which who opens a device has called */
static bool is_between(const Dl_info *caller)
{
	Dl_info own;

	dladdr(&leak_report, &own);
	return caller->dli_fbase == own.dli_fbase || strstr(caller->dli_fname, "/libibverbs.so");
}

bool leak_is_of_librdmacm(void)
{
	void *callers[16];
	Dl_info caller;
	int n = leak_report ? backtrace(callers, ARRAY_SIZE(callers)) : 0;

	for (int i = 0; i < n; i++)
		if (dladdr(callers[i], &caller) && !is_between(&caller))
			return strstr(caller.dli_fname, "/librdmacm.so");
	return false;
}

static const char *qp_type(const struct qp *q)
{
	static const char *const types[] = {
		[IBV_QPT_RC] = "RC",
		[IBV_QPT_UC] = "UC",
		[IBV_QPT_UD] = "UD",
		[IBV_QPT_RAW_PACKET] = "RAW_PACKET",
		[IBV_QPT_XRC_SEND] = "XRC_SEND",
		[IBV_QPT_XRC_RECV] = "XRC_RECV",
	};

	if (q->dci || q->dct)
		return q->dci ? "DCI" : "DCT";
	return types[q->type];
}

static void describe_qp(const struct object *o, char *text, size_t size)
{
	const struct qp *q = (const struct qp *)o;

	snprintf(text, size, "%s, number 0x%x, ", qp_type(q), q->qpn);
}

static void describe_mkey(const struct object *o, char *text, size_t size)
{
	const struct mkey *m = (const struct mkey *)o;

	snprintf(text, size, "key 0x%x, %llu bytes, ", mkey_value(m), (unsigned long long)m->len);
}

static void describe_cq(const struct object *o, char *text, size_t size)
{
	snprintf(text, size, "%u entries, ", ((const struct cq *)o)->size);
}

static void describe_srq(const struct object *o, char *text, size_t size)
{
	snprintf(text, size, "%u entries, ", ((const struct srq *)o)->max_wr);
}

/* Of the other kinds there is nothing to say */
static void (*const describe[KINDS])(const struct object *o, char *text, size_t size) = {
	[QP] = describe_qp,   [MR] = describe_mkey, [MKEY] = describe_mkey,
	[MW] = describe_mkey, [CQ] = describe_cq,   [SRQ] = describe_srq,
};

/* Handles of the first context need no more to be told apart */
static void describe_parent(const struct object *o, char *text, size_t size)
{
	if (o->pd && o->ctx->number)
		snprintf(text, size, "pd %u of context %u", o->pd->handle, o->ctx->number);
	else if (o->pd)
		snprintf(text, size, "pd %u", o->pd->handle);
	else
		snprintf(text, size, "context %u", o->ctx->number);
}

void leak_tell(const struct object *o)
{
	char text[64] = "", parent[64];
	uint32_t name = o->handle == NO_HANDLE ? o->number : o->handle;

	if (!leak_names)
		return;
	if (describe[o->kind])
		describe[o->kind](o, text, sizeof(text));
	describe_parent(o, parent, sizeof(parent));
	say("leaked %s %u: %sof %s", object_kind_name(o->kind), name, text, parent);
}

void leak_tell_context(const struct context *ctx)
{
	if (!leak_names)
		return;
	if (ctx->lent)
		say("context %u is librdmacm's, which keeps it until the program ends", ctx->number);
	else
		say("leaked context %u", ctx->number);
}
