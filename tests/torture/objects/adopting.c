/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of each kind, given back and taken over again: only libverbsx' own memory can fail, and then they stay the caller's. */

#include "torture.h"

static void *raw;

static int give_back(const char *kind)
{
	int rc = stage_make(kind);

	if (rc == 0)
		raw = vx_give_back(made.object);
	made.object = NULL;
	return rc ? rc : raw ? 0 : -1;
}

#define ADOPTING(kind, parent)                                        \
	static int give_##kind(void)                                  \
	{                                                             \
		return give_back(#kind);                              \
	}                                                             \
                                                                      \
	static int adopt_##kind(void)                                 \
	{                                                             \
		return vx_##kind##_adopt(parent, raw, &made.kind);    \
	}

ADOPTING(ah, stage.pd)
ADOPTING(comp_channel, stage.ctx)
ADOPTING(counters, stage.ctx)
ADOPTING(cq, stage.ctx)
ADOPTING(dm, stage.ctx)
ADOPTING(flow, stage.ud)
ADOPTING(flow_action, stage.ctx)
ADOPTING(mr, stage.pd)
ADOPTING(mw, stage.pd)
ADOPTING(pd, stage.ctx)
ADOPTING(qp, stage.pd)
ADOPTING(srq, stage.pd)
ADOPTING(td, stage.ctx)
ADOPTING(xrcd, stage.ctx)
ADOPTING(wq, stage.pd)
ADOPTING(ind_table, stage.ctx)

static int give_context(void)
{
	return give_back("context");
}

static int adopt_context(void)
{
	return vx_ctx_adopt(raw, &made.context);
}

#define ROW(kind) { "adopting a " #kind, give_##kind, adopt_##kind, { "vx_" #kind "_adopt", NULL, BY_NULL, NULL } }

const struct method adopting[] = {
	ROW(context), ROW(ah), ROW(comp_channel), ROW(counters), ROW(cq), ROW(dm), ROW(flow), ROW(flow_action), ROW(mr),
	ROW(mw), ROW(pd), ROW(qp), ROW(srq), ROW(td), ROW(xrcd), { 0 },
};

const struct method adopting_on_ethernet[] = {
	ROW(wq), ROW(ind_table), { 0 },
};
