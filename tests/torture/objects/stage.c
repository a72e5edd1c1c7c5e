/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Every kind that the emulated device has, and what can be done with it. */

#include <endian.h>
#include <string.h>

#include "torture.h"

#define REG_MR { "ibv_reg_mr", "ibv_reg_mr_iova2", BY_NULL }

struct stage stage;
union made made;

static char memory[4096];

static int build_queues(void)
{
	int rc = vx_wq_create(stage.pd, &(struct vx_wq_init){ .cq = stage.cq, .max_wr = 8 }, &stage.wq);

	return rc ? rc : vx_ind_table_create(stage.ctx, &(struct vx_ind_table_init){ &stage.wq, 1 }, &stage.table);
}

static int look_at_port(void)
{
	struct ibv_port_attr port;
	int rc = vx_context_query_port(stage.ctx, 1, &port);

	stage.ethernet = rc == 0 && port.link_layer == IBV_LINK_LAYER_ETHERNET;
	return rc;
}

int stage_build(void)
{
	const struct vx_qp_init *ud;
	int rc;

	made.object = NULL;
	stage = (struct stage){ 0 };
	rc = vx_context_open_index(0, &stage.ctx);
	if (rc == 0)
		lacking_install(vx_context_raw(stage.ctx));
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
	const struct vx_object *object = made.object;
	int rc = object && object->kind == VX_OBJECT_CONTEXT ? stage_close_made() : 0;

	rc = rc ? rc : vx_close(stage.other);
	return rc ? rc : vx_close(stage.ctx);
}

/* ---- making one ---- */

static int open_context(void)
{
	return vx_context_open_index(0, &made.context);
}

static int create_pd(void)
{
	return vx_pd_create(stage.ctx, NULL, &made.pd);
}

static int create_td(void)
{
	return vx_td_create(stage.ctx, NULL, &made.td);
}

static int create_parent_domain(void)
{
	return vx_parent_domain_create(stage.pd, NULL, &made.pd);
}

static int create_mr(void)
{
	return vx_mr_create(stage.pd, &(struct vx_mr_init){ .addr = memory, .length = sizeof(memory) }, &made.mr);
}

static int create_mr_with_memory(void)
{
	return vx_mr_create(stage.pd, &(struct vx_mr_init){ .length = 1 }, &made.mr);
}

static int create_mr_of_dm(void)
{
	const int access = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE;

	return vx_mr_create(stage.pd, &(struct vx_mr_init){ .dm = stage.dm, .length = 64, .access = access }, &made.mr);
}

static int create_dm(void)
{
	return vx_dm_create(stage.ctx, &(struct vx_dm_init){ .length = 128 }, &made.dm);
}

static int create_mw(void)
{
	return vx_mw_create(stage.pd, NULL, &made.mw);
}

static int create_ah(void)
{
	const struct ibv_global_route grh = { .dgid.raw = { 0xfe, 0x80, [15] = 1 }, .hop_limit = 1 };

	return vx_ah_create(stage.pd, &(struct vx_ah_init){ .dlid = 7, .is_global = 1, .grh = grh }, &made.ah);
}

static int create_channel(void)
{
	return vx_comp_channel_create(stage.ctx, NULL, &made.comp_channel);
}

static int create_cq(void)
{
	return vx_cq_create(stage.ctx, &(struct vx_cq_init){ .cqe = 10, .channel = stage.channel }, &made.cq);
}

static int create_cq_ex(void)
{
	const struct vx_cq_init init = { .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };

	return vx_cq_create(stage.ctx, &init, &made.cq);
}

static int create_srq(void)
{
	return vx_srq_create(stage.pd, NULL, &made.srq);
}

static int create_xrc_srq(void)
{
	const struct vx_srq_init init = { .srq_type = IBV_SRQT_XRC, .xrcd = stage.xrcd, .cq = stage.cq };

	return vx_srq_create(stage.pd, &init, &made.srq);
}

static int create_xrcd(void)
{
	return vx_xrcd_create(stage.ctx, NULL, &made.xrcd);
}

static int create_qp(void)
{
	return vx_qp_create(stage.pd, &(struct vx_qp_init){ .send_cq = stage.cq, .recv_cq = stage.cq }, &made.qp);
}

static int create_xrc_target(void)
{
	const struct vx_qp_init init = { .qp_type = IBV_QPT_XRC_RECV, .xrcd = stage.xrcd };

	return vx_qp_create(stage.pd, &init, &made.qp);
}

static int create_wq(void)
{
	return vx_wq_create(stage.pd, &(struct vx_wq_init){ .cq = stage.cq, .max_wr = 8 }, &made.wq);
}

static int create_ind_table(void)
{
	return vx_ind_table_create(stage.ctx, &(struct vx_ind_table_init){ &stage.wq, 1 }, &made.ind_table);
}

static int create_hashing_qp(void)
{
	static uint8_t key[40];
	const struct ibv_rx_hash_conf hash = { IBV_RX_HASH_FUNC_TOEPLITZ, sizeof(key), key, IBV_RX_HASH_SRC_IPV4 };

	return vx_qp_create(stage.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = stage.table,
							    .rx_hash_conf = hash }, &made.qp);
}

static int move_ud_to_init(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1 };

	return vx_qp_modify(stage.ud, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
}

static int create_mcast(void)
{
	const struct vx_mcast_init init = { .gid.raw = { 0xff, 0x12 }, .lid = 0xc001 };

	return vx_mcast_create(stage.ud, &init, &made.mcast);
}

const struct kind kinds[] = {
	{ "context", open_context, NAMED(ibv_open_device, BY_NULL), NAMED(ibv_close_device, BY_MINUS_ONE) },
	{ "pd", create_pd, NAMED(ibv_alloc_pd, BY_NULL), NAMED(ibv_dealloc_pd, BY_CODE) },
	{ "td", create_td, INLINE(ibv_alloc_td), IN_PLACE(ibv_dealloc_td) },
	{ "parent domain", create_parent_domain, IN_PLACE(ibv_alloc_parent_domain), NAMED(ibv_dealloc_pd, BY_CODE) },
	{ "mr", create_mr, REG_MR, NAMED(ibv_dereg_mr, BY_CODE) },
	{ "mr with memory", create_mr_with_memory, REG_MR, NAMED(ibv_dereg_mr, BY_CODE) },
	{ "mr of dm", create_mr_of_dm, INLINE(ibv_reg_dm_mr), NAMED(ibv_dereg_mr, BY_CODE) },
	{ "dm", create_dm, INLINE(ibv_alloc_dm), INLINE(ibv_free_dm) },
	{ "mw", create_mw, INLINE(ibv_alloc_mw), INLINE(ibv_dealloc_mw) },
	{ "ah", create_ah, NAMED(ibv_create_ah, BY_NULL), NAMED(ibv_destroy_ah, BY_CODE) },
	{ "comp_channel", create_channel, NAMED(ibv_create_comp_channel, BY_NULL), NAMED(ibv_destroy_comp_channel, BY_CODE) },
	{ "cq", create_cq, { "ibv_create_cq_ex", "ibv_create_cq", BY_NULL }, NAMED(ibv_destroy_cq, BY_CODE) },
	{ "extended cq", create_cq_ex, INLINE(ibv_create_cq_ex), NAMED(ibv_destroy_cq, BY_CODE) },
	{ "srq", create_srq, { "ibv_create_srq_ex", NULL, BY_NULL }, NAMED(ibv_destroy_srq, BY_CODE) },
	{ "xrc srq", create_xrc_srq, INLINE(ibv_create_srq_ex), NAMED(ibv_destroy_srq, BY_CODE) },
	{ "xrcd", create_xrcd, INLINE(ibv_open_xrcd), INLINE(ibv_close_xrcd) },
	{ "qp", create_qp, { "ibv_create_qp_ex", NULL, BY_NULL }, NAMED(ibv_destroy_qp, BY_CODE) },
	{ "xrc target", create_xrc_target, INLINE(ibv_create_qp_ex), NAMED(ibv_destroy_qp, BY_CODE) },
	{ "mcast", create_mcast, NAMED(ibv_attach_mcast, BY_CODE), NAMED(ibv_detach_mcast, BY_CODE) },
	{ 0 },
};

const struct kind ethernet_kinds[] = {
	{ "wq", create_wq, INLINE(ibv_create_wq), INLINE(ibv_destroy_wq) },
	{ "ind_table", create_ind_table, INLINE(ibv_create_rwq_ind_table), INLINE(ibv_destroy_rwq_ind_table) },
	{ "hashing qp", create_hashing_qp, INLINE(ibv_create_qp_ex), NAMED(ibv_destroy_qp, BY_CODE) },
	{ 0 },
};

static int make_of(const struct kind *kind, const char *name)
{
	while (kind->name && strcmp(kind->name, name))
		kind++;
	return kind->name ? kind->create() : -1;
}

int stage_make(const char *kind)
{
	int rc = make_of(kinds, kind);

	rc = rc == -1 ? make_of(ethernet_kinds, kind) : rc;
	return rc == -1 ? make_of(lacking_kinds, kind) : rc;
}

/* ---- using it ---- */

static int open_by_name(void)
{
	return vx_context_open(vx_context_name(stage.ctx), &made.context);
}

static int query_pkeys(void)
{
	uint16_t pkeys[4];
	size_t count;

	return vx_context_query_pkey_table(stage.ctx, 1, pkeys, 4, &count);
}

static int find_pkey(void)
{
	int index;

	return vx_context_get_pkey_index(stage.ctx, 1, htobe16(0xffff), &index);
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

	return vx_context_query_device(stage.ctx, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return vx_context_query_port(stage.ctx, 1, &attr);
}

static int query_gid(void)
{
	struct ibv_gid_entry entry;

	return vx_context_query_gid(stage.ctx, 1, 0, &entry);
}

static int query_gids(void)
{
	struct ibv_gid_entry entries[256];
	size_t count;

	return vx_context_query_gid_table(stage.ctx, entries, 256, &count);
}

static int query_device_ex(void)
{
	struct ibv_device_attr_ex attr;

	return vx_context_query_device_ex(stage.ctx, &attr);
}

static int query_pkey(void)
{
	uint16_t pkey;

	return vx_context_query_pkey(stage.ctx, 1, 0, &pkey);
}

/* Broken or as before: it can be changed once more, or closed with all else. */
static int change_mr(void)
{
	enum vx_mr_state state;

	return vx_mr_rereg(made.mr, &(struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_READ }, &state);
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

const struct method methods[] = {
	{ "query of a device", NULL, query_device, NAMED(ibv_query_device, BY_CODE) },
	{ "extended query of a device", NULL, query_device_ex, { "ibv_query_device_ex", NULL, BY_CODE } },
	{ "opening by name", NULL, open_by_name, NAMED(ibv_open_device, BY_NULL) },
	{ "query of a pkey", NULL, query_pkey, NAMED(ibv_query_pkey, BY_MINUS_ONE) },
	{ "query of all pkeys", NULL, query_pkeys, { "ibv_query_port", NULL, BY_CODE } },
	{ "index of a pkey", NULL, find_pkey, NAMED(ibv_get_pkey_index, BY_MINUS_ONE) },
	{ "moderation of a cq", create_cq, moderate_cq, INLINE(ibv_modify_cq) },
	{ "number of an srq", create_xrc_srq, get_srq_num, IN_PLACE(ibv_get_srq_num) },
	{ "change of an mr", create_mr, change_mr, { "ibv_rereg_mr", NULL, BY_CODE } },
	{ "query of a port", NULL, query_port, { "ibv_query_port", NULL, BY_CODE } },
	{ "query of a gid", NULL, query_gid, { "ibv_query_gid_ex", "_ibv_query_gid_ex", BY_CODE } },
	{ "query of all gids", NULL, query_gids, { "ibv_query_gid_table", NULL, BY_CODE } },
	{ "resize of a cq", create_cq, resize_cq, NAMED(ibv_resize_cq, BY_CODE) },
	{ "query of an srq", create_srq, query_srq, NAMED(ibv_query_srq, BY_CODE) },
	{ "change of an srq", create_srq, modify_srq, NAMED(ibv_modify_srq, BY_CODE) },
	{ "query of a qp", NULL, query_qp, NAMED(ibv_query_qp, BY_CODE) },
	{ "change of a qp", NULL, move_ud_to_init, NAMED(ibv_modify_qp, BY_CODE) },
	{ 0 },
};

/* On Ethernet it takes a message to answer. */
const struct method infiniband_methods[] = {
	{ "ah from a completion", NULL, create_ah_from_wc, { "ibv_create_ah_from_wc", NULL, BY_NULL } },
	{ 0 },
};

const struct method ethernet_methods[] = {
	{ "change of a wq", create_wq, modify_wq, INLINE(ibv_modify_wq) },
	{ 0 },
};

/* ---- many ---- */

int stage_make_many(void)
{
	int (*const makers[])(void) = { create_mw, create_mr, create_ah, create_srq, create_qp, create_mcast };
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(makers) / sizeof(makers[0]) && !rc; i++)
		rc = makers[i]();
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
