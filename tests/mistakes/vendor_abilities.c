/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is asked of an mlx5 device that it has not, or not of such an object; and what its builders refuse. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "mistakes.h"

/* ---- queues ---- */

static int make_qp(struct bench *b, enum ibv_qp_type type, struct mlx5dv_qp_init_attr attr)
{
	const struct vx_mlx5_qp_init init = { .send_cq = b->cq, .recv_cq = b->cq, .qp_type = type, .mlx5dv_qp_init_attr = &attr };

	return vx_mlx5_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int flagged_qp(struct bench *b, enum ibv_qp_type type, uint32_t flags)
{
	return make_qp(b, type, (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS, .create_flags = flags });
}

static int copies_of_ud(struct bench *b)
{
	return make_qp(b, IBV_QPT_UD, (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY });
}

static int credits_of_ud(struct bench *b)
{
	return flagged_qp(b, IBV_QPT_UD, MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE);
}

static int tunnels(struct bench *b)
{
	return flagged_qp(b, IBV_QPT_RAW_PACKET, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS);
}

/* A hash of what is in tunnels, and not a word of tunnels. */
static int inner_headers(struct bench *b)
{
	static uint8_t key[40];
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					    .create_flags = MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC };
	struct vx_mlx5_qp_init init = {
		.qp_type = IBV_QPT_RAW_PACKET, .mlx5dv_qp_init_attr = &attr,
		.rx_hash_conf = { .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ, .rx_hash_key_len = sizeof(key), .rx_hash_key = key,
				  .rx_hash_fields_mask = IBV_RX_HASH_DST_IPV6 | IBV_RX_HASH_INNER },
	};
	struct vx_wq *wq;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wq));
	must(vx_ind_table_create(b->ctx, &(struct vx_ind_table_init){ .wqs = &wq, .count = 1 }, &init.rwq_ind_tbl));
	return vx_mlx5_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int make_cq(struct bench *b, struct mlx5dv_cq_init_attr attr)
{
	return vx_mlx5_cq_create(b->ctx, &(struct vx_mlx5_cq_init){ .cqe = 16, .mlx5dv_cq_init_attr = &attr }, &(struct vx_cq *){ NULL });
}

static int compressed_by_strides(struct bench *b)
{
	return make_cq(b, (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
							.cqe_comp_res_format = MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX });
}

static int short_and_padded(struct bench *b)
{
	return make_cq(b, (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE | MLX5DV_CQ_INIT_ATTR_MASK_FLAGS,
							.cqe_size = 64, .flags = MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD });
}

static int padded_of_no_size(struct bench *b)
{
	return make_cq(b, (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_FLAGS, .flags = MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD });
}

static int long_strides(struct bench *b)
{
	struct mlx5dv_wq_init_attr attr = { .comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ,
					    .striding_rq_attrs = { .single_stride_log_num_of_bytes = 6, .single_wqe_log_num_of_strides = 9 } };

	return vx_mlx5_wq_create(b->pd, &(struct vx_mlx5_wq_init){ .cq = b->cq, .mlx5dv_wq_init_attr = &attr }, &(struct vx_wq *){ NULL });
}

/* ---- memory ---- */

static int umem_of_peers(struct bench *b)
{
	static char bytes[4096];
	const struct vx_mlx5_devx_umem_init init = { .addr = bytes, .size = sizeof(bytes), .access = IBV_ACCESS_REMOTE_WRITE };

	return vx_mlx5_devx_umem_create(b->ctx, &init, &(struct vx_mlx5_devx_umem *){ NULL });
}

static int deep_anchor(struct bench *b)
{
	return vx_mlx5_steering_anchor_create(b->ctx, &(struct vx_mlx5_steering_anchor_init){ .priority = 99 }, &(struct vx_mlx5_steering_anchor *){ NULL });
}

/* ---- requests ---- */

enum { ALL = MLX5DV_QP_EX_WITH_MEMCPY | MLX5DV_QP_EX_WITH_MKEY_CONFIGURE };

static struct vx_wr *begin(struct bench *b, uint64_t operations, bool checked, struct vx_mlx5_wr *mlx5)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = operations };
	struct vx_path path = { .mask = VX_PATH_SPSN };
	struct vx_qp *qp;

	must(vx_mlx5_qp_create(b->pd,
			       &(struct vx_mlx5_qp_init){ .send_cq = b->cq, .recv_cq = b->cq, .mlx5dv_qp_init_attr = &attr,
							  .send_ops_flags = IBV_QP_EX_WITH_SEND, .cap.max_inline_data = 256, .checked = checked },
			       &qp));
	must(vx_mlx5_qp_wr(qp, mlx5));
	must(vx_path_fill(&path, qp));
	vx_path_reverse(&path);
	must(vx_qp_to_rts(qp, &path));
	return vx_wr_start(qp);
}

static int copy(struct bench *b, uint64_t operations, size_t length)
{
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr = begin(b, operations, false, &mlx5);

	vx_mlx5_wr_memcpy(&mlx5, 7, IBV_SEND_SIGNALED, 1, 0, 2, 0, length);
	return vx_wr_complete(wr);
}

static int long_copy(struct bench *b)
{
	return copy(b, MLX5DV_QP_EX_WITH_MEMCPY, 2 << 20);
}

static int copy_of_nothing(struct bench *b)
{
	return copy(b, ALL, 0);
}

/* A key that was not made to sign. */
static int signature_of_any_key(struct bench *b)
{
	const struct mlx5dv_sig_block_attr block = { .check_mask = 1 };
	struct vx_mlx5_mkey *mkey;
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr;

	must(vx_mlx5_mkey_create(b->pd, NULL, &mkey));
	wr = begin(b, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, false, &mlx5);
	vx_mlx5_wr_mkey_configure(&mlx5, 7, IBV_SEND_SIGNALED, mkey, 1, &(struct mlx5dv_mkey_conf_attr){ 0 });
	vx_mlx5_wr_set_mkey_sig_block(&mlx5, &block);
	return vx_wr_complete(wr);
}

static int configured_by_nothing(struct bench *b)
{
	struct vx_mlx5_mkey *mkey;
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr;

	must(vx_mlx5_mkey_create(b->pd, NULL, &mkey));
	wr = begin(b, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, true, &mlx5);
	vx_mlx5_wr_mkey_configure(&mlx5, 7, IBV_SEND_SIGNALED, mkey, 1, NULL);
	return vx_wr_complete(wr);
}

static struct vx_wr *configure(struct bench *b, uint32_t flags, struct vx_mlx5_wr *mlx5)
{
	const struct vx_mlx5_mkey_init init = { .max_entries = 4, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE };
	struct vx_mlx5_mkey *mkey;
	struct vx_wr *wr;

	must(vx_mlx5_mkey_create(b->pd, &init, &mkey));
	wr = begin(b, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, false, mlx5);
	vx_mlx5_wr_mkey_configure(mlx5, 7, IBV_SEND_SIGNALED, mkey, 1, &(struct mlx5dv_mkey_conf_attr){ .conf_flags = flags });
	return wr;
}

static int configured_somehow(struct bench *b)
{
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr = configure(b, 0x80, &mlx5);

	vx_mlx5_wr_set_mkey_access_flags(&mlx5, IBV_ACCESS_LOCAL_WRITE);
	return vx_wr_complete(wr);
}

static int signed_from_five_on(struct bench *b)
{
	const struct mlx5dv_sig_crc crc = { .type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = 5 };
	const struct mlx5dv_sig_block_domain stored = { .sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc, .block_size = MLX5DV_BLOCK_SIZE_512 };
	const struct mlx5dv_sig_block_attr block = { .mem = &stored, .check_mask = MLX5DV_SIG_MASK_CRC32 };
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr = configure(b, 0, &mlx5);

	vx_mlx5_wr_set_mkey_sig_block(&mlx5, &block);
	return vx_wr_complete(wr);
}

static const struct mistake mistakes[] = {
	{ "copies by a UD QP", copies_of_ud, -EOPNOTSUPP, "the QP is of IBV_QPT_UD (4): it is RC QPs and DCIs that copy" },
	{ "credits of packets for a UD QP", credits_of_ud, -EINVAL, "the QP is of IBV_QPT_UD (4): credits by packets are of IBV_QPT_RC" },
	{ "completions compressed in a way that the device has not", compressed_by_strides, -EINVAL, "may be none that the device has: MLX5DV_CQE_RES_FORMAT_HASH|MLX5DV_CQE_RES_FORMAT_CSUM" },
	{ "short completions that are padded", short_and_padded, -EINVAL, "padded completions have cqe_size = 128" },
	{ "padded ones of a size that is left out", padded_of_no_size, -EINVAL, "padded completions have cqe_size = 128" },
	{ "a umem that peers write to and the device does not", umem_of_peers, -EINVAL, "IBV_ACCESS_REMOTE_WRITE needs IBV_ACCESS_LOCAL_WRITE" },
	{ "a copy of more than the device copies at once", long_copy, -EINVAL, "a copy has 1 to max_wr_memcpy_length bytes" },
	{ "a copy of nothing", copy_of_nothing, -EINVAL, "a copy has 1 to max_wr_memcpy_length bytes" },
	{ "a signature of a key that was not made for one", signature_of_any_key, -EINVAL, "its signature or encryption is what create_flags made it for" },
	{ "a key configured by a flag that nobody knows", configured_somehow, -EOPNOTSUPP, "a key is configured by a bit of conf_flags or comp_mask that libmlx5 does not know" },
	{ "a CRC that begins with 5", signed_from_five_on, -EINVAL, "a CRC's seed is 0 or all ones" },
	{ "a key configured by nothing", configured_by_nothing, -EINVAL, "request 1 (vx_mlx5_wr_mkey_configure, wr_id = 0x7): attr is NULL" },
	{ "tunnels of a device that knows none", tunnels, -EINVAL, "the device knows no tunnels (tunnel_offloads_caps = 0)", NULL, EMU_ROCE },
	{ "packets spread by what is in tunnels, and no tunnels", inner_headers, -EOPNOTSUPP, "create_flags of mlx5dv_qp_init_attr must have MLX5DV_QP_CREATE_TUNNEL_OFFLOADS", NULL, EMU_ROCE },
	{ "a striding receive queue of a device that has none", long_strides, -EINVAL, "the device has no striding receive queues (striding_rq_caps.supported_qpts = 0)", NULL, EMU_ROCE },
	{ "an anchor of a priority that no table has", deep_anchor, -ENOMEM, "priority = 99 may be more than there are", NULL, EMU_ROCE },
};

CHAPTER(vendor_abilities, "What mlx5 devices are asked for");
