/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every kind that the emulated device has: one of each is made. */

#include <string.h>

#include "torture.h"

#define REG_MR { "ibv_reg_mr_iova2", "ibv_reg_mr_iova2", BY_NULL, NULL }

static char memory[4096];

static int open_context(void)
{
	return vx_ctx_open_index(0, &made.context);
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

/* Its CQ is checked with it. */
static int create_checked_qp(void)
{
	const struct vx_qp_init init = { .send_cq = stage.cq, .recv_cq = stage.cq, .send_ops_flags = IBV_QP_EX_WITH_SEND, .checked = true };

	return vx_qp_create(stage.pd, &init, &made.qp);
}

static int create_checked_cq(void)
{
	return vx_cq_create(stage.ctx, &(struct vx_cq_init){ .checked = true }, &made.cq);
}

static int create_checked_srq(void)
{
	return vx_srq_create(stage.pd, &(struct vx_srq_init){ .checked = true }, &made.srq);
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
	return vx_ind_table_create(stage.ctx, &(struct vx_ind_table_init){ .wqs = &stage.wq, .count = 1 }, &made.ind_table);
}

static int create_hashing_qp(void)
{
	static uint8_t key[40];
	const struct ibv_rx_hash_conf hash = { IBV_RX_HASH_FUNC_TOEPLITZ, sizeof(key), key, IBV_RX_HASH_SRC_IPV4 };

	return vx_qp_create(stage.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = stage.table,
							    .rx_hash_conf = hash }, &made.qp);
}

static int create_pool(void)
{
	return vx_pool_create(stage.pd, &(struct vx_pool_init){ .count = 4, .size = 64 }, &made.pool);
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
	{ "cq", create_cq, NAMED(ibv_create_cq, BY_NULL), NAMED(ibv_destroy_cq, BY_CODE) },
	{ "extended cq", create_cq_ex, INLINE(ibv_create_cq_ex), NAMED(ibv_destroy_cq, BY_CODE) },
	{ "srq", create_srq, { "ibv_create_srq_ex", NULL, BY_NULL, NULL }, NAMED(ibv_destroy_srq, BY_CODE) },
	{ "xrc srq", create_xrc_srq, INLINE(ibv_create_srq_ex), NAMED(ibv_destroy_srq, BY_CODE) },
	{ "xrcd", create_xrcd, INLINE(ibv_open_xrcd), INLINE(ibv_close_xrcd) },
	{ "qp", create_qp, { "ibv_create_qp_ex", NULL, BY_NULL, NULL }, NAMED(ibv_destroy_qp, BY_CODE) },
	{ "checked cq", create_checked_cq, NAMED(ibv_create_cq, BY_NULL), NAMED(ibv_destroy_cq, BY_CODE) },
	{ "checked srq", create_checked_srq, { "ibv_create_srq_ex", NULL, BY_NULL, NULL }, NAMED(ibv_destroy_srq, BY_CODE) },
	{ "checked qp", create_checked_qp, INLINE(ibv_create_qp_ex), NAMED(ibv_destroy_qp, BY_CODE) },
	{ "xrc target", create_xrc_target, INLINE(ibv_create_qp_ex), NAMED(ibv_destroy_qp, BY_CODE) },
	{ "pool", create_pool, REG_MR, NAMED(ibv_dereg_mr, BY_CODE) },
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
