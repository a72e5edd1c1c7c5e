/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Paths, the states that they bring a QP to, and what waits for completions. */

#include "torture.h"

static struct vx_poller *poller;
static struct vx_dispatcher *dispatcher;

static int choose_gid(void)
{
	struct ibv_gid_entry entry;

	return vx_ctx_choose_gid(stage.ctx, 1, NULL, &entry, NULL, 0);
}

static void see_gid(const struct ibv_gid_entry *entry, bool taken, const char *why, void *data)
{
	(void)entry, (void)taken, (void)why, (void)data;
}

static int explain_gids(void)
{
	return vx_ctx_explain_gids(stage.ctx, 1, NULL, see_gid, NULL);
}

static int move_to_init(void)
{
	return vx_qp_to_init(stage.ud, NULL);
}

static int move_to_rtr(void)
{
	return vx_qp_to_rtr(stage.ud, NULL);
}

static int move_to_rts(void)
{
	return vx_qp_to_rts(stage.ud, NULL);
}

static int move_to_err(void)
{
	return vx_qp_to_err(stage.ud);
}

static int reset(void)
{
	return vx_qp_reset(stage.ud);
}

static void take(const struct ibv_wc *wc, void *data)
{
	(void)wc, (void)data;
}

static int drain(void)
{
	return vx_qp_drain(stage.ud, 1000, take, NULL);
}

/* Twice the same: the second is from the cache. */
static int keep_ah(void)
{
	struct vx_path path = { .ctx = stage.ctx, .dlid = 7, .is_global = 1, .dgid.raw = { 0xfe, 0x80, [15] = 1 } };
	struct vx_ah *ah;
	int rc = vx_pd_ah(stage.pd, &path, &ah);

	return rc ? rc : vx_pd_ah(stage.pd, &path, &ah);
}

static int drop_ahs(void)
{
	return vx_pd_drop_ahs(stage.pd);
}

static int make_poller(void)
{
	return vx_poller_create(stage.cq, NULL, &poller);
}

static int make_cq_with_channel(void)
{
	return stage_make("cq");
}

static int make_sleeper(void)
{
	return vx_poller_create(made.cq, NULL, &poller);
}

static int make_dispatcher(void)
{
	return vx_dispatcher_create(stage.cq, NULL, &dispatcher);
}

static int add_qp(void)
{
	return vx_dispatcher_add(dispatcher, stage.ud, take, NULL);
}

const struct method data_path[] = {
	{ "choice of a gid", NULL, choose_gid, { "ibv_query_gid_table", NULL, BY_CODE, "ibv_query_port ibv_query_device" } },
	{ "reasons of gids", NULL, explain_gids, { "ibv_query_gid_table", NULL, BY_CODE, "ibv_query_port ibv_query_device" } },
	{ "qp to init", NULL, move_to_init, NAMED(ibv_modify_qp, BY_CODE) },
	{ "qp to rtr", move_to_init, move_to_rtr, NAMED(ibv_modify_qp, BY_CODE) },
	{ "qp to rts", move_to_init, move_to_rts, NAMED(ibv_modify_qp, BY_CODE) },
	{ "qp to err", move_to_rts, move_to_err, NAMED(ibv_modify_qp, BY_CODE) },
	{ "reset of a qp", move_to_rts, reset, NAMED(ibv_modify_qp, BY_CODE) },
	{ "drain of a qp", move_to_rts, drain, { "ibv_modify_qp", "ibv_modify_qp", BY_CODE, "ibv_query_qp" } },
	{ "ah of a path", NULL, keep_ah, { "ibv_create_ah", "ibv_create_ah", BY_NULL, "ibv_query_port ibv_query_device ibv_query_gid_table" } },
	{ "dropping of ahs", keep_ah, drop_ahs, NAMED(ibv_destroy_ah, BY_CODE) },
	{ "poller", NULL, make_poller, INLINE(vx_poller_create) },
	{ "poller that sleeps", make_cq_with_channel, make_sleeper, INLINE(vx_poller_create) },
	{ "dispatcher", NULL, make_dispatcher, INLINE(vx_dispatcher_create) },
	{ "qp of a dispatcher", make_dispatcher, add_qp, INLINE(vx_dispatcher_add) },
	{ 0 },
};
