/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What scenarios start from and end with. */

#include "torture.h"

struct stage stage;
union made made;

static int build_queues(void)
{
	int rc = vx_wq_create(stage.pd, &(struct vx_wq_init){ .cq = stage.cq, .max_wr = 8 }, &stage.wq);

	return rc ? rc : vx_ind_table_create(stage.ctx, &(struct vx_ind_table_init){ .wqs = &stage.wq, .count = 1 }, &stage.table);
}

static int look_at_port(void)
{
	struct ibv_port_attr port;
	int rc = vx_ctx_query_port(stage.ctx, 1, &port);

	stage.ethernet = rc == 0 && port.link_layer == IBV_LINK_LAYER_ETHERNET;
	return rc;
}

int stage_build(void)
{
	const struct vx_qp_init *ud;
	int rc;

	made.object = NULL;
	stage = (struct stage){ 0 };
	rc = vx_ctx_open_index(0, &stage.ctx);
	if (rc == 0)
		lacking_install(vx_ctx_raw(stage.ctx));
	rc = rc ? rc : vx_pd_create(stage.ctx, NULL, &stage.pd);
	rc = rc ? rc : vx_comp_channel_create(stage.ctx, NULL, &stage.channel);
	rc = rc ? rc : vx_cq_create(stage.ctx, NULL, &stage.cq);
	rc = rc ? rc : vx_xrcd_create(stage.ctx, NULL, &stage.xrcd);
	rc = rc ? rc : vx_dm_create(stage.ctx, &(struct vx_dm_init){ .length = 64 }, &stage.dm);
	ud = &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = stage.cq, .recv_cq = stage.cq };
	rc = rc ? rc : vx_qp_create(stage.pd, ud, &stage.ud);
	rc = rc ? rc : look_at_port();
	if (rc == 0)
		answered_inline();
	return rc || !stage.ethernet ? rc : build_queues();
}

/* What has gone is not there any more, nor is what depended on it. */
static int forget_made(int rc)
{
	if (rc == 0)
		made.object = NULL;
	return rc;
}

int stage_close_made(void)
{
	return forget_made(vx_close(made.object));
}

int stage_close_pd(void)
{
	return forget_made(vx_close(stage.pd));
}

/* All but a context goes with that of the stage. */
int stage_close(void)
{
	int rc = made.object && vx_object_kind_of(made.object) == VX_OBJECT_CTX ? stage_close_made() : 0;

	rc = rc ? rc : connections_close();
	rc = rc ? rc : vx_close(stage.other);
	return rc ? rc : vx_close(stage.ctx);
}

int stage_make_many(void)
{
	static const char *const some[] = { "mw", "mr", "ah", "srq", "qp", "mcast" };
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(some) / sizeof(some[0]) && !rc; i++)
		rc = stage_make(some[i]);
	return rc;
}

int stage_use(void)
{
	struct vx_pd *pd = NULL;
	struct vx_cq *cq = NULL;
	int rc;

	rc = vx_pd_create(stage.ctx, NULL, &pd);
	rc = rc ? rc : vx_cq_create(stage.ctx, NULL, &cq);
	rc = rc ? rc : vx_close(cq);
	return rc ? rc : vx_close(pd);
}
