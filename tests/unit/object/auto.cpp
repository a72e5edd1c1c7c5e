// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

// Handles that close themselves in C++, for auto.c.

#include <memory>

#include <verbsx/verbsx.h>

extern "C" {
int live(const char *kind);
void leave_in_cpp(struct vx_ctx *context, int by_exception, int *alive);
}

static void leave(struct vx_ctx *context, bool by_exception, int *alive)
{
	VX_AUTO struct vx_pd *pd = nullptr;
	VX_AUTO struct vx_mr *mr = nullptr;
	struct vx_mr_init init = {};
	struct vx_cq *cq = nullptr;
	std::unique_ptr<vx_cq, vx_closer> owned;

	init.length = 64;
	if (vx_pd_create(context, nullptr, &pd) < 0 || vx_mr_create(pd, &init, &mr) < 0)
		return;
	if (vx_cq_create(context, nullptr, &cq) < 0)
		return;
	owned.reset(cq);
	*alive = live("pd") + live("cq") + live("qp") + live("mr");
	if (by_exception)
		throw 1;
}

void leave_in_cpp(struct vx_ctx *context, int by_exception, int *alive)
{
	try {
		leave(context, by_exception != 0, alive);
	} catch (int) {
	}
}
