/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Data that the device encrypts on the way through a key, by AES-XTS: in memory they lie encrypted, and come out as they were. */
/* It needs a device that encrypts: vx emu -c crypto=plaintext -- example-57-mlx5-crypto */

#include "connect.h"

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

enum { BLOCK = 512, PLAIN = 0, ENCRYPTED = 4096, OUT = 8192, SIZE = 12288 };

/* Both keys of a vector of IEEE 1619, which says what comes of the bytes 0 to 255, twice. */
static const char key[] = "\x27\x18\x28\x18\x28\x45\x90\x45\x23\x53\x60\x28\x74\x71\x35\x26\x31\x41\x59\x26\x53\x58\x97\x93\x23\x84\x62\x64\x33\x83\x27\x95";

struct encryption {
	struct vx_qp *qp;
	struct vx_cq *cq;
	struct vx_mr *mr;
	struct vx_mlx5_mkey *mkey;
	struct vx_mlx5_dek *dek;
	struct vx_mlx5_wr mlx5;
	uint8_t *memory;
};

static void post(struct encryption *e, struct vx_wr *wr)
{
	struct ibv_wc wc;

	must(vx_wr_complete(wr));
	must_poll(e->cq, &wc);
	must_complete(&wc, e->qp);
}

/* From now on the key is of what lies at ENCRYPTED: data are encrypted on the way in, and decrypted on the way out. */
static void encrypt(struct encryption *e)
{
	struct ibv_sge data = { (uintptr_t)e->memory + ENCRYPTED, BLOCK, vx_mr_lkey(e->mr) };
	struct mlx5dv_crypto_attr crypto = { .crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS, .data_unit_size = MLX5DV_BLOCK_SIZE_512,
					     .dek = vx_mlx5_dek_raw(e->dek) };
	struct mlx5dv_mkey_conf_attr conf = { 0 };
	struct vx_wr *wr = vx_wr_start(e->qp);

	vx_mlx5_wr_mkey_configure(&e->mlx5, 0, IBV_SEND_SIGNALED, e->mkey, 3, &conf);
	vx_mlx5_wr_set_mkey_access_flags(&e->mlx5, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	vx_mlx5_wr_set_mkey_layout_list(&e->mlx5, 1, &data);
	vx_mlx5_wr_set_mkey_crypto(&e->mlx5, &crypto);
	post(e, wr);
}

static void write_in(struct encryption *e)
{
	struct vx_wr *wr = vx_wr_start(e->qp);

	vx_wr_rdma_write(wr, 0, IBV_SEND_SIGNALED, vx_mlx5_mkey_raw(e->mkey)->rkey, 0);
	vx_wr_set_sge(wr, vx_mr_lkey(e->mr), (uintptr_t)e->memory + PLAIN, BLOCK);
	post(e, wr);
}

static void write_out(struct encryption *e)
{
	struct vx_wr *wr = vx_wr_start(e->qp);

	vx_wr_rdma_write(wr, 0, IBV_SEND_SIGNALED, vx_mr_rkey(e->mr), (uintptr_t)e->memory + OUT);
	vx_wr_set_sge(wr, vx_mlx5_mkey_raw(e->mkey)->lkey, 0, BLOCK);
	post(e, wr);
}

static void show(const char *what, const uint8_t *bytes)
{
	int i;

	printf("%s", what);
	for (i = 0; i < 16; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void open_all(struct vx_ctx *ctx, struct encryption *e)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE };
	struct vx_mlx5_mkey_init init = { .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO, .max_entries = 4 };
	struct vx_mlx5_qp_init qp = { .mlx5dv_qp_init_attr = &attr, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
				      .cap.max_inline_data = 256 }; /* what a key is configured with goes inline */
	struct vx_mlx5_dek_init dek = { .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN }; /* and no .crypto_login: a plain key */

	must(vx_pd_create(ctx, NULL, &dek.pd));
	memcpy(dek.key, key, sizeof(key) - 1);
	may_lack(ctx, vx_mlx5_dek_create(ctx, &dek, &e->dek));
	must(vx_mlx5_mkey_create(dek.pd, &init, &e->mkey));
	must(vx_cq_create(ctx, NULL, &e->cq));
	qp.send_cq = qp.recv_cq = e->cq;
	must(vx_mlx5_qp_create(dek.pd, &qp, &e->qp));
	must(vx_mlx5_qp_wr(e->qp, &e->mlx5));
	connect_to(e->qp, e->qp, IBV_ACCESS_REMOTE_WRITE);
	must(vx_mr_create(dek.pd, &(struct vx_mr_init){ .length = SIZE, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &e->mr));
	e->memory = vx_mr_addr(e->mr);
}

int main(void)
{
	struct encryption e;
	struct vx_ctx *ctx;
	int i;

	must(vx_ctx_open_index(0, &ctx));
	open_all(ctx, &e);
	for (i = 0; i < BLOCK; i++)
		e.memory[PLAIN + i] = (uint8_t)i;
	encrypt(&e);
	write_in(&e);
	write_out(&e);
	show("as it is : ", e.memory + PLAIN);
	show("in memory: ", e.memory + ENCRYPTED);
	show("came out : ", e.memory + OUT);
	printf("data are %s\n", memcmp(e.memory + OUT, e.memory + PLAIN, BLOCK) ? "wrong" : "right");
	must(vx_close(ctx));
	return 0;
}
