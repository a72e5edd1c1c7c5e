/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Signatures that the device puts in and looks at on the way through a key: a CRC-32 behind each block in memory, T10-DIF on the wire. */

#include "connect.h"

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

enum { BLOCK = 512, BLOCKS = 2, CRC = 4, DIF = 8, PLAIN = 0, SIGNED = 4096, OUT = 8192, SIZE = 12288 };

static struct vx_qp *qp;
static struct vx_cq *cq;
static struct vx_mr *mr;
static struct vx_mlx5_mkey *mkey;
static struct vx_mlx5_wr mlx5;
static uint8_t *memory;

static void post(struct vx_wr *wr)
{
	struct ibv_wc wc;

	must(vx_wr_complete(wr));
	must_poll(cq, &wc);
	must_complete(&wc, qp);
}

/* From now on the key is of what lies at SIGNED, with signatures as told. */
static void sign(const struct mlx5dv_sig_block_attr *block, uint32_t length)
{
	struct ibv_sge data = { (uintptr_t)memory + SIGNED, length, vx_mr_lkey(mr) };
	struct mlx5dv_mkey_conf_attr conf = { 0 };
	struct vx_wr *wr = vx_wr_start(qp);

	vx_mlx5_wr_mkey_configure(&mlx5, 0, IBV_SEND_SIGNALED, mkey, 3, &conf);
	vx_mlx5_wr_set_mkey_access_flags(&mlx5, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	vx_mlx5_wr_set_mkey_layout_list(&mlx5, 1, &data);
	vx_mlx5_wr_set_mkey_sig_block(&mlx5, block);
	post(wr);
}

/* Data go by a write into the key, or out of it: what is written counts without what the memory has beside it. */
static void write_in(uint32_t length)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_rdma_write(wr, 0, IBV_SEND_SIGNALED, vx_mlx5_mkey_raw(mkey)->rkey, 0);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)memory + PLAIN, length);
	post(wr);
}

static void write_out(uint32_t length)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_rdma_write(wr, 0, IBV_SEND_SIGNALED, vx_mr_rkey(mr), (uintptr_t)memory + OUT);
	vx_wr_set_sge(wr, vx_mlx5_mkey_raw(mkey)->lkey, 0, length);
	post(wr);
}

static const char *data_are(const uint8_t *where, size_t stride)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		if (memcmp(where + i * stride, memory + PLAIN + i * BLOCK, BLOCK))
			return "wrong";
	return "right";
}

static void show(const char *what, const uint8_t *signature, int length)
{
	int i;

	printf("%s", what);
	for (i = 0; i < length; i++)
		printf("%02x", signature[i]);
	printf("\n");
}

/* A completion tells nothing of a wrong signature: that is asked of the key. */
static void check(void)
{
	struct mlx5dv_mkey_err err;

	must(vx_mlx5_mkey_check(mkey, &err));
	vx_print(stdout, &err);
}

static void in_memory(void)
{
	const struct mlx5dv_sig_crc crc32 = { .type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = UINT32_MAX };
	const struct mlx5dv_sig_block_domain domain = { .sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc32, .block_size = MLX5DV_BLOCK_SIZE_512 };
	const struct mlx5dv_sig_block_attr block = { .mem = &domain, .check_mask = MLX5DV_SIG_MASK_CRC32 };

	sign(&block, BLOCKS * (BLOCK + CRC));
	write_in(BLOCKS * BLOCK);
	show("CRC-32 in memory: ", memory + SIGNED + BLOCK, CRC);
	write_out(BLOCKS * BLOCK);
	printf("read back: data are %s\n", data_are(memory + OUT, BLOCK));
	check();
	memory[SIGNED + BLOCK + CRC] ^= 1; /* the first byte of the second block */
	write_out(BLOCKS * BLOCK);
	check();
}

static void on_the_wire(void)
{
	const struct mlx5dv_sig_t10dif dif = { .bg_type = MLX5DV_SIG_T10DIF_CRC, .bg = UINT16_MAX, .app_tag = 0xabcd, .ref_tag = 100,
					       .flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP };
	const struct mlx5dv_sig_block_domain domain = { .sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = &dif, .block_size = MLX5DV_BLOCK_SIZE_512 };
	const struct mlx5dv_sig_block_attr block = { .wire = &domain, .check_mask = UINT8_MAX };

	sign(&block, BLOCKS * BLOCK);
	memcpy(memory + SIGNED, memory + PLAIN, BLOCKS * BLOCK);
	write_out(BLOCKS * (BLOCK + DIF));
	show("T10-DIF of block 0: ", memory + OUT + BLOCK, DIF);
	show("T10-DIF of block 1: ", memory + OUT + BLOCK + DIF + BLOCK, DIF);
	printf("on the wire: data are %s\n", data_are(memory + OUT, BLOCK + DIF));
	check();
}

int main(void)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE };
	struct vx_mlx5_mkey_init init = { .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, .max_entries = 4 };
	struct vx_mlx5_qp_init with = { .mlx5dv_qp_init_attr = &attr, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
					.cap.max_inline_data = 256 }; /* what a key is configured with goes inline */
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	int i;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	may_lack(ctx, vx_mlx5_mkey_create(pd, &init, &mkey));
	with.send_cq = with.recv_cq = cq;
	must(vx_mlx5_qp_create(pd, &with, &qp));
	must(vx_mlx5_qp_wr(qp, &mlx5));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = SIZE, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	memory = vx_mr_addr(mr);
	for (i = 0; i < BLOCKS * BLOCK; i++)
		memory[PLAIN + i] = (uint8_t)i;
	in_memory();
	on_the_wire();
	must(vx_close(ctx));
	return 0;
}
