/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that another process made, here played by the same one. */

#include "torture.h"

static struct vx_pd *imported_pd;
static struct vx_mr *mr;

static int import_context(void)
{
	return vx_ctx_import(vx_ctx_raw(stage.ctx)->cmd_fd, &made.context);
}

static int import_other(void)
{
	return vx_ctx_import(vx_ctx_raw(stage.ctx)->cmd_fd, &stage.other);
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

const struct method imported[] = {
	{ "importing a context", NULL, import_context, NAMED(ibv_import_device, BY_NULL) },
	{ "importing a pd", import_other, import_pd, NAMED(ibv_import_pd, BY_NULL) },
	{ "importing an mr", import_pd_of_mr, import_mr, NAMED(ibv_import_mr, BY_NULL) },
	{ 0 },
};
