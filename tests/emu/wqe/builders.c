/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ibv_wr_*() and mlx5dv_wr_*() */
#include "wqe.h"

#include <arpa/inet.h>

void set_destination(struct ibv_qp_ex *x)
{
	switch (bed.qp->qp_type) {
	case IBV_QPT_UD:
		ibv_wr_set_ud_addr(x, bed.ah, REMOTE_QPN, REMOTE_QKEY);
		break;
	case IBV_QPT_XRC_SEND:
		ibv_wr_set_xrc_srqn(x, REMOTE_SRQN);
		break;
	case IBV_QPT_DRIVER:
		mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(x), bed.ah, REMOTE_QPN, DC_KEY);
		break;
	default:
		break;
	}
}

static struct ibv_qp_ex *start(const struct builder *self)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.qp);

	ibv_wr_start(x);
	x->wr_flags = self->flags;
	return x;
}

/* The rest of a request whose data are one entry */
static int finish(struct ibv_qp_ex *x, uint32_t length)
{
	struct ibv_sge s = sge(0, length);

	set_destination(x);
	ibv_wr_set_sge(x, s.lkey, s.addr, s.length);
	return ibv_wr_complete(x);
}

static int send_sge(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send(x);
	return finish(x, bed.length);
}

static int send_sge_list(const struct builder *self)
{
	struct ibv_sge list[] = { sge(0, bed.length), sge(64, 0), sge(128, 24), sge(256, 32) };
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send(x);
	set_destination(x);
	ibv_wr_set_sge_list(x, sizeof(list) / sizeof(list[0]), list);
	return ibv_wr_complete(x);
}

static int send_inline(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send(x);
	set_destination(x);
	ibv_wr_set_inline_data(x, buffer, bed.length);
	return ibv_wr_complete(x);
}

static int send_inline_list(const struct builder *self)
{
	struct ibv_data_buf list[] = { { buffer, bed.length }, { buffer + 20, 5 } };
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send(x);
	set_destination(x);
	ibv_wr_set_inline_data_list(x, 2, list);
	return ibv_wr_complete(x);
}

static int send_imm(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send_imm(x, htonl(IMMEDIATE));
	return finish(x, bed.length);
}

static int send_inv(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send_inv(x, REMOTE_KEY);
	return finish(x, bed.length);
}

static int rdma_write(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_rdma_write(x, REMOTE_KEY, address(8192));
	return finish(x, bed.length);
}

static int rdma_write_inline(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_rdma_write(x, REMOTE_KEY, address(8192));
	set_destination(x);
	ibv_wr_set_inline_data(x, buffer, bed.length);
	return ibv_wr_complete(x);
}

static int rdma_write_imm(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_rdma_write_imm(x, REMOTE_KEY, address(8192), htonl(IMMEDIATE));
	return finish(x, bed.length);
}

static int rdma_read(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_rdma_read(x, REMOTE_KEY, address(8192));
	return finish(x, bed.length);
}

static int atomic_cmp_swp(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_atomic_cmp_swp(x, REMOTE_KEY, address(8192), 3, 5);
	return finish(x, 8);
}

static int atomic_fetch_add(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_atomic_fetch_add(x, REMOTE_KEY, address(8192), 3);
	return finish(x, 8);
}

static int bind_mw(const struct builder *self)
{
	struct ibv_mw_bind_info info = {
		.mr = bed.mr, .addr = address(4096), .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE
	};
	struct ibv_qp_ex *x = start(self);

	ibv_wr_bind_mw(x, bed.mw, bed.mw_key, &info);
	return ibv_wr_complete(x);
}

static int local_inv(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_local_inv(x, REMOTE_KEY);
	return ibv_wr_complete(x);
}

static int send_tso(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send_tso(x, buffer, 54, 1000);
	return finish(x, 3000);
}

const struct builder wr_builders[] = {
	{ "ibv_wr_send, set_sge", ANY | RAW, send_sge, 0, IBV_SEND_SIGNALED },
	{ "ibv_wr_send, set_sge, solicited and fenced", ANY, send_sge, 0,
	  IBV_SEND_SOLICITED | IBV_SEND_FENCE },
	{ "ibv_wr_send, set_sge_list", ANY, send_sge_list, 0, 0 },
	{ "ibv_wr_send, set_inline_data", ANY | RAW, send_inline, 0, 0 },
	{ "ibv_wr_send, set_inline_data_list", ANY, send_inline_list, 0, 0 },
	{ "ibv_wr_send_imm", ANY, send_imm, 0, 0 },
	{ "ibv_wr_send_inv", CONNECTED, send_inv, 0, 0 },
	{ "ibv_wr_rdma_write, set_sge", CONNECTED, rdma_write, 0, 0 },
	{ "ibv_wr_rdma_write, set_inline_data", CONNECTED, rdma_write_inline, 0, 0 },
	{ "ibv_wr_rdma_write_imm", CONNECTED, rdma_write_imm, 0, 0 },
	{ "ibv_wr_rdma_read", RELIABLE, rdma_read, 0, 0 },
	{ "ibv_wr_atomic_cmp_swp", RELIABLE, atomic_cmp_swp, 0, 0 },
	{ "ibv_wr_atomic_fetch_add", RELIABLE, atomic_fetch_add, 0, 0 },
	{ "ibv_wr_bind_mw", CONNECTED, bind_mw, 0, 0 },
	{ "ibv_wr_local_inv", CONNECTED, local_inv, 0, 0 },
	{ "ibv_wr_send_tso", RAW, send_tso, 0, 0 },
	{ 0 },
};

/* Of mlx5 */

enum {
	LOCAL_AND_REMOTE = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	CHANNEL = 3 /* of the DCI */
};

static int mr_list(const struct builder *self)
{
	struct ibv_sge list[] = { sge(0, bed.length), sge(4096, 32) };
	struct ibv_qp_ex *x = start(self);

	mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(x), bed.mkey, LOCAL_AND_REMOTE, 2, list);
	return ibv_wr_complete(x);
}

static int mr_interleaved(const struct builder *self)
{
	struct mlx5dv_mr_interleaved layout[] = { { address(0), bed.length, 48, bed.mr->lkey },
						  { address(4096), 8, 0, bed.mr->lkey } };
	struct ibv_qp_ex *x = start(self);

	mlx5dv_wr_mr_interleaved(mlx5dv_qp_ex_from_ibv_qp_ex(x), bed.mkey, LOCAL_AND_REMOTE, 7, 2, layout);
	return ibv_wr_complete(x);
}

static int mkey_configure(const struct builder *self)
{
	struct mlx5dv_mkey_conf_attr attr = { 0 };
	struct ibv_sge list[] = { sge(0, bed.length), sge(4096, 32) };
	struct ibv_qp_ex *x = start(self);
	struct mlx5dv_qp_ex *mx = mlx5dv_qp_ex_from_ibv_qp_ex(x);

	mlx5dv_wr_mkey_configure(mx, bed.mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(mx, IBV_ACCESS_REMOTE_READ);
	mlx5dv_wr_set_mkey_layout_list(mx, 2, list);
	return ibv_wr_complete(x);
}

static int mkey_configure_interleaved(const struct builder *self)
{
	struct mlx5dv_mr_interleaved layout[] = { { address(0), bed.length, 48, bed.mr->lkey } };
	struct mlx5dv_mkey_conf_attr attr = { 0 };
	struct ibv_qp_ex *x = start(self);
	struct mlx5dv_qp_ex *mx = mlx5dv_qp_ex_from_ibv_qp_ex(x);

	mlx5dv_wr_mkey_configure(mx, bed.mkey, 1, &attr);
	mlx5dv_wr_set_mkey_layout_interleaved(mx, 7, 1, layout);
	return ibv_wr_complete(x);
}

/* A domain of memory that is guarded, and one of packets that is not */
static int mkey_sig_block(const struct builder *self)
{
	struct mlx5dv_sig_crc crc = { .type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = UINT32_MAX };
	struct mlx5dv_sig_block_domain memory = { .sig_type = MLX5DV_SIG_TYPE_CRC,
						  .sig.crc = &crc,
						  .block_size = MLX5DV_BLOCK_SIZE_512 };
	struct mlx5dv_sig_block_attr sig = { .mem = &memory, .check_mask = MLX5DV_SIG_MASK_CRC32 };
	struct mlx5dv_mkey_conf_attr attr = { 0 };
	struct ibv_sge list[] = { sge(0, 516) };
	struct ibv_qp_ex *x = start(self);
	struct mlx5dv_qp_ex *mx = mlx5dv_qp_ex_from_ibv_qp_ex(x);

	mlx5dv_wr_mkey_configure(mx, bed.sig_mkey, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(mx, LOCAL_AND_REMOTE);
	mlx5dv_wr_set_mkey_layout_list(mx, 1, list);
	mlx5dv_wr_set_mkey_sig_block(mx, &sig);
	return ibv_wr_complete(x);
}

static int mkey_crypto(const struct builder *self)
{
	struct mlx5dv_crypto_attr crypto = { .crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
					     .encrypt_on_tx = true,
					     .data_unit_size = MLX5DV_BLOCK_SIZE_512,
					     .initial_tweak = { 1, 2, 3 },
					     .keytag = { 4, 5, 6 },
					     .dek = bed.dek };
	struct mlx5dv_mkey_conf_attr attr = { 0 };
	struct ibv_sge list[] = { sge(0, 1024) };
	struct ibv_qp_ex *x = start(self);
	struct mlx5dv_qp_ex *mx = mlx5dv_qp_ex_from_ibv_qp_ex(x);

	mlx5dv_wr_mkey_configure(mx, bed.crypto_mkey, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(mx, LOCAL_AND_REMOTE);
	mlx5dv_wr_set_mkey_layout_list(mx, 1, list);
	mlx5dv_wr_set_mkey_crypto(mx, &crypto);
	return ibv_wr_complete(x);
}

static int memcpy_wr(const struct builder *self)
{
	struct ibv_qp_ex *x = start(self);

	mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(x), bed.mr->lkey, address(8192), bed.mr->lkey,
			 address(0), bed.length);
	return ibv_wr_complete(x);
}

static int raw_wqe(const struct builder *self)
{
	struct mlx5_wqe_ctrl_seg wqe = { 0 };
	struct ibv_qp_ex *x = start(self);

	mlx5dv_set_ctrl_seg(&wqe, 0, MLX5_OPCODE_NOP, 0, bed.qp->qp_num, MLX5_WQE_CTRL_CQ_UPDATE, 1, 0,
			    bed.length);
	mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(x), &wqe);
	return ibv_wr_complete(x);
}

static int dc_addr_stream(const struct builder *self)
{
	struct ibv_sge s = sge(0, bed.length);
	struct ibv_qp_ex *x = start(self);

	ibv_wr_send(x);
	mlx5dv_wr_set_dc_addr_stream(mlx5dv_qp_ex_from_ibv_qp_ex(x), bed.ah, REMOTE_QPN, DC_KEY, CHANNEL);
	ibv_wr_set_sge(x, s.lkey, s.addr, s.length);
	return ibv_wr_complete(x);
}

const struct builder mlx5dv_builders[] = {
	{ "mlx5dv_wr_mr_list", RC, mr_list, 0, IBV_SEND_INLINE },
	{ "mlx5dv_wr_mr_interleaved", RC, mr_interleaved, 0, IBV_SEND_INLINE },
	{ "mlx5dv_wr_mkey_configure, access_flags, layout_list", RC, mkey_configure, 0, IBV_SEND_INLINE },
	{ "mlx5dv_wr_mkey_configure, layout_interleaved", RC, mkey_configure_interleaved, 0,
	  IBV_SEND_INLINE },
	{ "mlx5dv_wr_mkey_configure, sig_block", GUARDED, mkey_sig_block, 0, IBV_SEND_INLINE },
	{ "mlx5dv_wr_mkey_configure, crypto", GUARDED, mkey_crypto, 0, IBV_SEND_INLINE },
	{ "mlx5dv_wr_memcpy", RC | DCI, memcpy_wr, 0, 0 },
	{ "mlx5dv_wr_raw_wqe", ANY, raw_wqe, 0, 0 },
	{ "mlx5dv_wr_set_dc_addr_stream", DCI, dc_addr_stream, 0, 0 },
	{ 0 },
};
