/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What can be done with the objects that the emulated device has. */

#include <endian.h>

#include "torture.h"

/* What a method needs. */
#define NEEDED(function, kind)           \
	static int function(void)        \
	{                                \
		return stage_make(kind); \
	}

NEEDED(make_cq, "cq")
NEEDED(make_mr, "mr")
NEEDED(make_srq, "srq")
NEEDED(make_xrc_srq, "xrc srq")
NEEDED(make_wq, "wq")

static int open_by_name(void)
{
	return vx_ctx_open(vx_ctx_name(stage.ctx), &made.context);
}

static int query_pkeys(void)
{
	uint16_t pkeys[4];
	size_t count;

	return vx_ctx_query_pkey_table(stage.ctx, 1, pkeys, 4, &count);
}

static int find_pkey(void)
{
	uint32_t index;

	return vx_ctx_get_pkey_index(stage.ctx, 1, 0xffff, &index);
}

static int create_ah_from_wc(void)
{
	struct ibv_wc wc = { .slid = 7 };

	return vx_ah_create_from_wc(stage.pd, &wc, NULL, 1, &made.ah);
}

static int moderate_cq(void)
{
	return vx_cq_modify(made.cq, &(struct ibv_modify_cq_attr){ .attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { 4, 10 } });
}

static int get_srq_num(void)
{
	uint32_t number;

	return vx_srq_get_num(made.srq, &number);
}

static int modify_wq(void)
{
	return vx_wq_modify(made.wq, &(struct ibv_wq_attr){ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY });
}

static int query_device(void)
{
	struct ibv_device_attr attr;

	return vx_ctx_query_device(stage.ctx, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return vx_ctx_query_port(stage.ctx, 1, &attr);
}

static int query_gid(void)
{
	struct ibv_gid_entry entry;

	return vx_ctx_query_gid(stage.ctx, 1, 0, &entry);
}

static int query_gids(void)
{
	struct ibv_gid_entry entries[256];
	size_t count;

	return vx_ctx_query_gid_table(stage.ctx, entries, 256, &count);
}

static int query_device_ex(void)
{
	struct ibv_device_attr_ex attr;

	return vx_ctx_query_device_ex(stage.ctx, &attr);
}

static int query_pkey(void)
{
	uint16_t pkey;

	return vx_ctx_query_pkey(stage.ctx, 1, 0, &pkey);
}

static enum vx_mr_state state_of_mr;

static int make_whole_mr(void)
{
	state_of_mr = VX_MR_CHANGED;
	return make_mr();
}

/* As before, it can be changed once more; broken, it can only be closed, and another is changed in its place. */
static int change_mr(void)
{
	if (state_of_mr == VX_MR_BROKEN && (vx_close(made.mr) || make_whole_mr()))
		return vx_error()->code;
	return vx_mr_rereg(made.mr, &(struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_READ }, &state_of_mr);
}

static int resize_cq(void)
{
	return vx_cq_resize(made.cq, 1000);
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return vx_srq_query(made.srq, &attr);
}

static int modify_srq(void)
{
	return vx_srq_modify(made.srq, &(struct ibv_srq_attr){ .srq_limit = 1 }, IBV_SRQ_LIMIT);
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return vx_qp_query(stage.ud, &attr, IBV_QP_STATE, &init);
}

static int move_ud_to_init(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1 };

	return vx_qp_modify(stage.ud, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
}

const struct method methods[] = {
	{ "query of a device", NULL, query_device, NAMED(ibv_query_device, BY_CODE) },
	{ "extended query of a device", NULL, query_device_ex, { "ibv_query_device_ex", NULL, BY_CODE, NULL } },
	{ "opening by name", NULL, open_by_name, NAMED(ibv_open_device, BY_NULL) },
	{ "query of a pkey", NULL, query_pkey, NAMED(ibv_query_pkey, BY_MINUS_ONE) },
	{ "query of all pkeys", NULL, query_pkeys, { "ibv_query_port", NULL, BY_CODE, NULL } },
	{ "index of a pkey", NULL, find_pkey, NAMED(ibv_get_pkey_index, BY_MINUS_ONE) },
	{ "moderation of a cq", make_cq, moderate_cq, INLINE(ibv_modify_cq) },
	{ "number of an srq", make_xrc_srq, get_srq_num, IN_PLACE(ibv_get_srq_num) },
	{ "change of an mr", make_whole_mr, change_mr, { "ibv_rereg_mr", NULL, BY_CODE, NULL } },
	{ "query of a port", NULL, query_port, { "ibv_query_port", NULL, BY_CODE, NULL } },
	{ "query of a gid", NULL, query_gid, { "ibv_query_gid_ex", "_ibv_query_gid_ex", BY_CODE, NULL } },
	{ "query of all gids", NULL, query_gids, { "ibv_query_gid_table", NULL, BY_CODE, NULL } },
	{ "resize of a cq", make_cq, resize_cq, NAMED(ibv_resize_cq, BY_CODE) },
	{ "query of an srq", make_srq, query_srq, NAMED(ibv_query_srq, BY_CODE) },
	{ "change of an srq", make_srq, modify_srq, NAMED(ibv_modify_srq, BY_CODE) },
	{ "query of a qp", NULL, query_qp, NAMED(ibv_query_qp, BY_CODE) },
	{ "change of a qp", NULL, move_ud_to_init, NAMED(ibv_modify_qp, BY_CODE) },
	{ 0 },
};

/* What MADs take, and what is looked up before. */
#define BY_MADS(call) \
	{ #call, NULL, BY_CODE, "ibv_query_port ibv_query_device ibv_query_gid_table ibv_query_pkey umad_open_port umad_register umad_send umad_recv" }

static int resolve_path(void)
{
	return vx_path_resolve(&(struct vx_path){ .ctx = stage.ctx, .dlid = 1 }, -1);
}

static int keep_paths(void)
{
	int rc = vx_ctx_keep_paths(stage.ctx, 1000);

	return rc < 0 ? rc : vx_ctx_drop_paths(stage.ctx);
}

/* A group that there is while all of it fails, so that each try takes as many calls. */
static const struct vx_sa_group_init group = { .mgid.raw = { 0xff, 0x12, 0x12, 0x34, [15] = 1 } };

static int make_group(void)
{
	return vx_sa_group_create(stage.ctx, &group, &made.sa_group);
}

/* As another sort of member, which the port stays where the administrator could not be told that it leaves. */
static int join_and_leave(void)
{
	struct vx_sa_group_init init = group;
	struct vx_sa_group *second;
	struct vx_path path;
	int rc;

	init.join_state = VX_SA_NON_MEMBER;
	init.only_join = true;
	rc = vx_sa_group_create(stage.ctx, &init, &second);
	if (rc == 0)
		rc = vx_sa_group_path(second, &path);
	return rc < 0 ? rc : vx_close(second);
}

/* On Ethernet it takes a message to answer, and there is no subnet. */
const struct method infiniband_methods[] = {
	{ "path by the subnet administrator", NULL, resolve_path, BY_MADS(vx_path_resolve) },
	{ "keeping of paths", NULL, keep_paths, BY_MADS(vx_ctx_keep_paths) },
	{ "group of the subnet", make_group, join_and_leave, BY_MADS(vx_sa_group_create) },
	{ "ah from a completion", NULL, create_ah_from_wc, { "ibv_create_ah_from_wc", NULL, BY_NULL, NULL } },
	{ 0 },
};

const struct method ethernet_methods[] = {
	{ "change of a wq", make_wq, modify_wq, INLINE(ibv_modify_wq) },
	{ 0 },
};
