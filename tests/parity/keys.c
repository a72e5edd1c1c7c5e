/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "keys.h"

#define REACHED (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

struct vx_qp *keys_qp(struct vx_pd *parent, struct vx_cq *cq, uint64_t operations, uint32_t qp_flags)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = operations };
	struct vx_mlx5_qp_init init = { .send_cq = cq, .recv_cq = cq, .mlx5dv_qp_init_attr = &attr, .cap.max_inline_data = 512,
					.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_INV |
							  IBV_QP_EX_WITH_LOCAL_INV };
	struct vx_qp *qp;

	if (qp_flags) {
		attr.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
		attr.create_flags = qp_flags;
	}
	made(vx_mlx5_qp_create(parent, &init, &qp));
	return qp;
}

struct keys open_keys(uint64_t operations, uint32_t qp_flags, uint32_t mkey_flags)
{
	struct vx_mlx5_mkey_init init = { .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | mkey_flags, .max_entries = MOST_ENTRIES };
	struct keys k;

	made(vx_mlx5_mkey_create(pd, &init, &k.mkey));
	made(vx_cq_create(ctx, NULL, &k.p.cq));
	k.p.client = keys_qp(pd, k.p.cq, operations, qp_flags);
	k.p.server = keys_qp(pd, k.p.cq, operations, qp_flags);
	made(vx_mlx5_qp_wr(k.p.client, &k.client));
	made(vx_mlx5_qp_wr(k.p.server, &k.server));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = KEYS_ROOM, .access = REACHED }, &k.p.mr));
	k.memory = vx_mr_addr(k.p.mr);
	connect_again(&k.p);
	return k;
}

struct ibv_sge keys_sge(const struct keys *k, size_t offset, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)k->memory + offset, length, vx_mr_lkey(k->p.mr) };
}

enum ibv_wc_status ended(const struct keys *k, struct vx_wr *wr)
{
	made(vx_wr_complete(wr));
	return next(&k->p);
}

static enum ibv_wc_status write_between(const struct keys *k, struct ibv_sge from, uint32_t rkey, uint64_t to)
{
	struct vx_wr *wr = vx_wr_start(k->p.client);

	vx_wr_rdma_write(wr, 1, IBV_SEND_SIGNALED, rkey, to);
	vx_wr_set_sge(wr, from.lkey, from.addr, from.length);
	return ended(k, wr);
}

enum ibv_wc_status write_in(const struct keys *k, size_t from, uint32_t length)
{
	return write_between(k, keys_sge(k, from, length), vx_mlx5_mkey_raw(k->mkey)->rkey, 0);
}

enum ibv_wc_status write_out(const struct keys *k, size_t to, uint32_t length)
{
	return write_between(k, (struct ibv_sge){ 0, length, vx_mlx5_mkey_raw(k->mkey)->lkey }, vx_mr_rkey(k->p.mr),
			     (uintptr_t)k->memory + to);
}

void configure_key(struct keys *k, size_t offset, uint32_t length, const struct mlx5dv_sig_block_attr *block,
		   const struct mlx5dv_crypto_attr *crypto)
{
	const struct ibv_sge data = keys_sge(k, offset, length);
	struct mlx5dv_mkey_conf_attr conf = { 0 };
	struct vx_wr *wr = vx_wr_start(k->p.client);

	vx_mlx5_wr_mkey_configure(&k->client, 0, IBV_SEND_SIGNALED, k->mkey, (uint8_t)(2 + !!block + !!crypto), &conf);
	vx_mlx5_wr_set_mkey_access_flags(&k->client, REACHED);
	vx_mlx5_wr_set_mkey_layout_list(&k->client, 1, &data);
	if (block)
		vx_mlx5_wr_set_mkey_sig_block(&k->client, block);
	if (crypto)
		vx_mlx5_wr_set_mkey_crypto(&k->client, crypto);
	done_by(k, wr);
}
