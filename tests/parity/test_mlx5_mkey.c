/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Keys of mlx5 that gather what lies apart, and are taken back by a peer; copies by the device; a request that the program builds itself. */

#include <verbsx/mlx5_wqe.h>

#include "keys.h"

enum { PIECE = 64, GAP = 192, PIECES = 2, THERE = KEYS_ROOM / 2, WHOLE = PIECES * PIECE };

#define Mkey(name) Twin(test_mlx5_mkey, Mlx5MkeyTest, name)

/* ---- data through a key of pieces ---- */

/* How a key gets its pieces, which begin at an offset. */
typedef void (*layout)(struct keys *k, struct vx_wr *wr, size_t offset);

#define REACHED (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static void list_of(const struct keys *k, size_t offset, struct ibv_sge list[PIECES])
{
	int i;

	for (i = 0; i < PIECES; i++)
		list[i] = keys_sge(k, offset + i * (PIECE + GAP), PIECE);
}

static struct mlx5dv_mr_interleaved stride_of(const struct keys *k, size_t offset)
{
	return (struct mlx5dv_mr_interleaved){ (uintptr_t)k->memory + offset, PIECE, GAP, vx_mr_lkey(k->p.mr) };
}

static void by_list(struct keys *k, struct vx_wr *wr, size_t offset)
{
	struct ibv_sge list[PIECES];

	(void)wr;
	list_of(k, offset, list);
	vx_mlx5_wr_mr_list(&k->client, 0, IBV_SEND_SIGNALED, k->mkey, REACHED, PIECES, list);
}

static void by_stride(struct keys *k, struct vx_wr *wr, size_t offset)
{
	struct mlx5dv_mr_interleaved stride = stride_of(k, offset);

	(void)wr;
	vx_mlx5_wr_mr_interleaved(&k->client, 0, IBV_SEND_SIGNALED, k->mkey, REACHED, PIECES, 1, &stride);
}

static void configure(struct keys *k)
{
	vx_mlx5_wr_mkey_configure(&k->client, 0, IBV_SEND_SIGNALED, k->mkey, 2, &(struct mlx5dv_mkey_conf_attr){ 0 });
	vx_mlx5_wr_set_mkey_access_flags(&k->client, REACHED);
}

static void by_new_list(struct keys *k, struct vx_wr *wr, size_t offset)
{
	struct ibv_sge list[PIECES];

	(void)wr;
	list_of(k, offset, list);
	configure(k);
	vx_mlx5_wr_set_mkey_layout_list(&k->client, PIECES, list);
}

static void by_new_stride(struct keys *k, struct vx_wr *wr, size_t offset)
{
	struct mlx5dv_mr_interleaved stride = stride_of(k, offset);

	(void)wr;
	configure(k);
	vx_mlx5_wr_set_mkey_layout_interleaved(&k->client, PIECES, 1, &stride);
}

static void lay_out(struct keys *k, layout how, size_t offset)
{
	struct vx_wr *wr = vx_wr_start(k->p.client);

	how(k, wr, offset);
	done_by(k, wr);
}

/* A message of the client's, which the server receives somewhere. */
static void send_message(const struct keys *k, struct ibv_sge from, struct ibv_sge to)
{
	struct vx_wr *wr;

	made(vx_qp_post_recv(k->p.server, &(struct ibv_recv_wr){ .sg_list = &to, .num_sge = 1 }, NULL));
	wr = vx_wr_start(k->p.client);
	vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	vx_wr_set_sge(wr, from.lkey, from.addr, from.length);
	done_by(k, wr);
	cr_assert_eq(next(&k->p), IBV_WC_SUCCESS);
}

static void expect_piece(const char *memory, const char *whole, int piece)
{
	int i;

	cr_expect(!memcmp(memory + piece * (PIECE + GAP), whole + piece * PIECE, PIECE), "piece %d differs", piece);
	for (i = PIECE; i < PIECE + GAP; i++)
		cr_assert_eq(memory[piece * (PIECE + GAP) + i], 'g', "what lies between pieces was written");
}

/* What the client has in pieces comes in one, and what it receives in one goes into pieces. */
static void gather_and_scatter(layout how)
{
	const uint64_t needed = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MKEY_CONFIGURE;
	struct keys k = open_keys(needed, 0, 0);
	const struct ibv_sge in_pieces = { 0, WHOLE, vx_mlx5_mkey_raw(k.mkey)->lkey };
	int i;

	for (i = 0; i < PIECES * (PIECE + GAP); i++)
		k.memory[i] = i % (PIECE + GAP) < PIECE ? (char)i : 'g';
	memset(k.memory + THERE, 0, WHOLE);
	lay_out(&k, how, 0);
	send_message(&k, in_pieces, keys_sge(&k, THERE, WHOLE));
	for (i = 0; i < PIECES; i++)
		expect_piece(k.memory, k.memory + THERE, i);
	memset(k.memory + THERE, 7, WHOLE);
	send_message(&k, keys_sge(&k, THERE, WHOLE), in_pieces);
	for (i = 0; i < PIECES; i++)
		expect_piece(k.memory, k.memory + THERE, i);
}

Mkey(test_mkey_list)
{
	gather_and_scatter(by_list);
}

Mkey(test_mkey_interleaved)
{
	gather_and_scatter(by_stride);
}

Mkey(test_mkey_list_new_api)
{
	gather_and_scatter(by_new_list);
}

Mkey(test_mkey_interleaved_new_api)
{
	gather_and_scatter(by_new_stride);
}

/* Of more pieces than the key was made for. */
Mkey(test_mkey_list_bad_flow)
{
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MR_LIST, 0, 0);
	struct ibv_sge list[MOST_ENTRIES + 60];
	struct vx_wr *wr = vx_wr_start(k.p.client);
	size_t i;

	for (i = 0; i < MOST_ENTRIES + 60; i++)
		list[i] = keys_sge(&k, i * PIECE, PIECE);
	vx_mlx5_wr_mr_list(&k.client, 0, IBV_SEND_SIGNALED, k.mkey, REACHED, MOST_ENTRIES + 60, list);
	refused(vx_wr_complete(wr));
}

/* ---- a key that a peer takes back ---- */

static enum ibv_wc_status write_by_server(const struct keys *k)
{
	struct vx_wr *wr = vx_wr_start(k->p.server);

	vx_wr_rdma_write(wr, 1, IBV_SEND_SIGNALED, vx_mlx5_mkey_raw(k->mkey)->rkey, 0);
	vx_wr_set_sge(wr, vx_mr_lkey(k->p.mr), (uintptr_t)k->memory + THERE, PIECE);
	return ended(k, wr);
}

Mkey(test_mkey_remote_invalidate)
{
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, 0, MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE);
	const uint32_t rkey = vx_mlx5_mkey_raw(k.mkey)->rkey;
	struct ibv_wc wc[2];
	struct vx_wr *wr;
	int i;

	lay_out(&k, by_new_list, 0);
	cr_assert_eq(write_by_server(&k), IBV_WC_SUCCESS);
	made(vx_qp_post_recv(k.p.client, &(struct ibv_recv_wr){ .wr_id = 5 }, NULL));
	wr = vx_wr_start(k.p.server);
	vx_wr_send_inv(wr, 1, IBV_SEND_SIGNALED, rkey);
	vx_wr_set_sge_list(wr, 0, NULL);
	made(vx_wr_complete(wr));
	for (i = 0; i < 2; i++)
		wc[i] = next_wc(&k.p);
	i = wc[1].opcode & IBV_WC_RECV ? 1 : 0;
	cr_expect_eq(wc[i].status, IBV_WC_SUCCESS);
	cr_expect(wc[i].wc_flags & IBV_WC_WITH_INV);
	cr_expect_eq(wc[i].invalidated_rkey, rkey);
	cr_expect_eq(write_by_server(&k), IBV_WC_REM_ACCESS_ERR, "nobody reaches anything by it any more");
}

/* ---- copies by the device ---- */

static enum ibv_wc_status copy(struct keys *k, struct ibv_sge to, struct ibv_sge from)
{
	struct vx_wr *wr = vx_wr_start(k->p.client);

	vx_mlx5_wr_memcpy(&k->client, 0, IBV_SEND_SIGNALED, to.lkey, to.addr, from.lkey, from.addr, from.length);
	return ended(k, wr);
}

#define Copy(name) Twin(test_mlx5_dma_memcpy, DmaGgaMemcpy, name)

Copy(test_dma_memcpy_data)
{
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MEMCPY, 0, 0);
	int i;

	for (i = 0; i < 1024; i++)
		k.memory[i] = (char)i;
	cr_expect_eq(copy(&k, keys_sge(&k, THERE, 1024), keys_sge(&k, 0, 1024)), IBV_WC_SUCCESS);
	cr_expect_eq(memcmp(k.memory + THERE, k.memory, 1024), 0);
}

/* Into a region that may not be written, of this PD or of another. */
static void copy_into(struct vx_pd *of, int access)
{
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MEMCPY, 0, 0);
	struct vx_mr *mr;

	made(vx_mr_create(of, &(struct vx_mr_init){ .length = 1024, .access = access }, &mr));
	memset(vx_mr_addr(mr), 'u', 1024);
	memset(k.memory, 'w', 1024);
	cr_expect_eq(copy(&k, (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 1024, vx_mr_lkey(mr) }, keys_sge(&k, 0, 1024)), IBV_WC_LOC_PROT_ERR);
	cr_expect_eq(*(char *)vx_mr_addr(mr), 'u');
}

Copy(test_dma_memcpy_protection_bad_flow)
{
	copy_into(pd, IBV_ACCESS_REMOTE_READ);
}

Copy(test_dma_memcpy_different_pd_bad_flow)
{
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	copy_into(other, IBV_ACCESS_LOCAL_WRITE);
}

/* One byte more than the device copies at once. */
Copy(test_dma_memcpy_large_data_bad_flow)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MEMCPY, 0, 0);
	struct vx_wr *wr;

	made(vx_mlx5_ctx_query_device(ctx, &caps));
	wr = vx_wr_start(k.p.client);
	vx_mlx5_wr_memcpy(&k.client, 0, IBV_SEND_SIGNALED, vx_mr_lkey(k.p.mr), (uintptr_t)k.memory, vx_mr_lkey(k.p.mr), (uintptr_t)k.memory,
			  caps.max_wr_memcpy_length + 1);
	refused(vx_wr_complete(wr));
}

/* ---- requests that a program builds itself, among others ---- */

struct raw_write {
	struct mlx5_wqe_ctrl_seg ctrl;
	struct mlx5_wqe_raddr_seg raddr;
	struct mlx5_wqe_data_seg data;
};

static struct raw_write raw_write_of(const struct keys *k, size_t from, size_t to)
{
	struct raw_write w = { .raddr = { .raddr = htobe64((uintptr_t)k->memory + to), .rkey = htobe32(vx_mr_rkey(k->p.mr)) } };

	mlx5dv_set_ctrl_seg(&w.ctrl, 0, MLX5_OPCODE_RDMA_WRITE, 0, vx_qp_raw(k->p.client)->qp_num, MLX5_WQE_CTRL_CQ_UPDATE, sizeof(w) / 16, 0, 0);
	mlx5dv_set_data_seg(&w.data, PIECE, vx_mr_lkey(k->p.mr), (uintptr_t)k->memory + from);
	return w;
}

Twin(test_mlx5_raw_wqe, RawWqeTest, test_mixed_raw_wqe_traffic)
{
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_RAW_WQE, 0, 0);
	struct raw_write raw;
	struct vx_wr *wr;
	int i;

	for (i = 0; i < 3 * PIECE; i++)
		k.memory[i] = (char)(i + 1);
	wr = vx_wr_start(k.p.client);
	for (i = 0; i < 3; i++) {
		raw = raw_write_of(&k, (size_t)i * PIECE, THERE + (size_t)i * PIECE);
		if (i % 2) {
			vx_mlx5_wr_raw_wqe(&k.client, (uint64_t)i, 0, &raw);
			continue;
		}
		vx_wr_rdma_write(wr, (uint64_t)i, IBV_SEND_SIGNALED, vx_mr_rkey(k.p.mr), (uintptr_t)k.memory + THERE + i * PIECE);
		vx_wr_set_sge(wr, vx_mr_lkey(k.p.mr), (uintptr_t)k.memory + i * PIECE, PIECE);
	}
	made(vx_wr_complete(wr));
	for (i = 0; i < 3; i++)
		cr_expect_eq(next(&k.p), IBV_WC_SUCCESS);
	cr_expect_eq(memcmp(k.memory + THERE, k.memory, 3 * PIECE), 0);
}
