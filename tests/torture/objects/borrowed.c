/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Objects that another process made, here played by the same one, and objects that were made without libverbsx. */

#include "torture.h"

#define ADOPTED(call) { #call, NULL, BY_NULL }

static struct vx_pd *imported_pd;
static struct vx_mr *mr;
static struct ibv_pd *raw_pd;
static struct ibv_cq *raw_cq;

/* Libverbsx' own memory is all that can fail in these two. */
static int make_raw_pd(void)
{
	raw_pd = ibv_alloc_pd(vx_context_raw(stage.ctx));
	return raw_pd ? 0 : -1;
}

static int adopt_pd(void)
{
	return vx_pd_adopt(stage.ctx, raw_pd, &made.pd);
}

static int make_raw_cq(void)
{
	raw_cq = ibv_create_cq(vx_context_raw(stage.ctx), 4, NULL, NULL, 0);
	return raw_cq ? 0 : -1;
}

static int adopt_cq(void)
{
	return vx_cq_adopt(stage.ctx, raw_cq, &made.cq);
}

static int import_context(void)
{
	return vx_context_import(vx_context_raw(stage.ctx)->cmd_fd, &made.context);
}

static int import_other(void)
{
	return vx_context_import(vx_context_raw(stage.ctx)->cmd_fd, &stage.other);
}

static int import_pd(void)
{
	return vx_pd_import(stage.other, vx_pd_raw(stage.pd)->handle, &imported_pd);
}

static int import_pd_of_mr(void)
{
	int rc = import_other();

	rc = rc ? rc : import_pd();
	return rc ? rc : vx_mr_create(stage.pd, &(struct vx_mr_init){ .length = 64 }, &mr);
}

static int import_mr(void)
{
	struct vx_mr *here;

	return vx_mr_import(imported_pd, vx_mr_raw(mr)->handle, &here);
}

const struct method borrowed[] = {
	{ "adopting a pd", make_raw_pd, adopt_pd, ADOPTED(vx_pd_adopt) },
	{ "adopting a cq", make_raw_cq, adopt_cq, ADOPTED(vx_cq_adopt) },
	{ "importing a context", NULL, import_context, NAMED(ibv_import_device, BY_NULL) },
	{ "importing a pd", import_other, import_pd, NAMED(ibv_import_pd, BY_NULL) },
	{ "importing an mr", import_pd_of_mr, import_mr, NAMED(ibv_import_mr, BY_NULL) },
	{ 0 },
};
