/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Paths, the states that they bring a QP to, and what waits for completions. */

#include "torture.h"

static struct vx_poller *poller;
static struct vx_dispatcher *dispatcher;
static struct vx_handshake *handshakes[2];

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
	return vx_qp_drain(stage.ud, 20000, take, NULL);
}

/* Its marker has an address then, which stays with the PD. */
static int drain_and_move_to_rts(void)
{
	int rc = move_to_rts();

	if (rc == 0)
		rc = drain();
	if (rc == 0)
		rc = reset();
	return rc ? rc : move_to_rts();
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

static int begin_handshake(void)
{
	return vx_handshake_create(stage.ud, NULL, &handshakes[0]);
}

/* What one says is fed to the other. */
static int carry(struct vx_handshake *from, struct vx_handshake *to)
{
	unsigned char bytes[64];
	size_t size, used;
	int rc = 0;

	while (rc == 0 && (size = vx_handshake_take(from, bytes, sizeof(bytes))))
		rc = vx_handshake_feed(to, bytes, size, &used);
	return rc;
}

static int hold_dialogue(void)
{
	int rc = carry(handshakes[0], handshakes[1]);

	rc = rc ? rc : carry(handshakes[1], handshakes[0]);
	rc = rc ? rc : carry(handshakes[0], handshakes[1]);
	return rc ? rc : vx_handshake_step(handshakes[1], -1);
}

static struct vx_qp *peer;

static int make_peer(void)
{
	return vx_qp_create(stage.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = stage.cq, .recv_cq = stage.cq }, &peer);
}

static int connect_with_peer(void)
{
	const struct vx_handshake_init accepts = { .accepts = true };
	int rc = vx_qp_reset(stage.ud); /* which may be stuck where another try has left it */

	rc = rc ? rc : vx_qp_reset(peer);
	rc = rc ? rc : begin_handshake();
	if (rc)
		return rc;
	rc = vx_handshake_create(peer, &accepts, &handshakes[1]);
	if (rc == 0) {
		rc = hold_dialogue();
		vx_close(handshakes[1]);
	}
	vx_close(handshakes[0]);
	return rc;
}

static int make_qp(void)
{
	return stage_make("qp");
}

static int check_qp(void)
{
	return vx_qp_check(made.qp);
}

static int ask_room(void)
{
	uint32_t room;
	int rc = vx_qp_check(made.qp);

	return rc ? rc : vx_qp_room(made.qp, &room);
}

static int make_cq(void)
{
	return stage_make("extended cq");
}

static int check_cq(void)
{
	return vx_cq_check(made.cq);
}

static int make_srq(void)
{
	return stage_make("srq");
}

static int check_srq(void)
{
	return vx_srq_check(made.srq);
}

const struct method data_path[] = {
	{ "choice of a gid", NULL, choose_gid, { "ibv_query_gid_table", NULL, BY_CODE, "ibv_query_port ibv_query_device" } },
	{ "reasons of gids", NULL, explain_gids, { "ibv_query_gid_table", NULL, BY_CODE, "ibv_query_port ibv_query_device" } },
	{ "qp to init", NULL, move_to_init, NAMED(ibv_modify_qp, BY_CODE) },
	{ "qp to rtr", move_to_init, move_to_rtr, NAMED(ibv_modify_qp, BY_CODE) },
	{ "qp to rts", move_to_init, move_to_rts, NAMED(ibv_modify_qp, BY_CODE) },
	{ "qp to err", move_to_rts, move_to_err, NAMED(ibv_modify_qp, BY_CODE) },
	{ "reset of a qp", move_to_rts, reset, NAMED(ibv_modify_qp, BY_CODE) },
	{ "drain of a qp", drain_and_move_to_rts, drain, { "ibv_modify_qp", "ibv_modify_qp", BY_CODE, "ibv_query_qp" } },
	{ "ah of a path", NULL, keep_ah, { "ibv_create_ah", "ibv_create_ah", BY_NULL, "ibv_query_port ibv_query_device ibv_query_gid_table" } },
	{ "dropping of ahs", keep_ah, drop_ahs, NAMED(ibv_destroy_ah, BY_CODE) },
	{ "poller", NULL, make_poller, INLINE(vx_poller_create) },
	{ "poller that sleeps", make_cq_with_channel, make_sleeper, INLINE(vx_poller_create) },
	{ "dispatcher", NULL, make_dispatcher, INLINE(vx_dispatcher_create) },
	{ "handshake", NULL, begin_handshake, { "ibv_query_qp", "ibv_query_qp", BY_CODE, "ibv_query_port ibv_query_device ibv_query_gid_table" } },
	{ "handshake of two qps", make_peer, connect_with_peer, { "ibv_modify_qp", "ibv_modify_qp", BY_CODE,
		"ibv_query_qp ibv_query_port ibv_query_device ibv_query_gid_table ibv_get_pkey_index" } },
	{ "qp of a dispatcher", make_dispatcher, add_qp, INLINE(vx_dispatcher_add) },
	{ "check of a qp", make_qp, check_qp, { "ibv_query_qp", "ibv_query_qp", BY_CODE, NULL } },
	{ "room of a checked qp", make_qp, ask_room, { "ibv_query_qp", "ibv_query_qp", BY_CODE, NULL } },
	{ "check of a cq", make_cq, check_cq, INLINE(vx_cq_check) },
	{ "check of an srq", make_srq, check_srq, NAMED(ibv_query_srq, BY_CODE) },
	{ 0 },
};
