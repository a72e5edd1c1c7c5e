/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Work requests that only mlx5 has: a peer for each request, on streams of a DCI; keys that gather what lies apart; a copy by the device. */

#include "connect.h"

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

enum { SIZE = 4096, MESSAGE = 16, ROUNDS = 4, STREAMS_LOG = 2, DC_KEY = 0x1234 };

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static struct vx_mr *mr;
static char *memory;

static void wait_for_one(struct vx_qp *qp)
{
	struct ibv_wc wc;

	must_poll(cq, &wc);
	must_complete(&wc, qp);
}

static uint64_t at(size_t offset)
{
	return (uintptr_t)memory + offset;
}

/*
 * Builders of libmlx5 want another structure of a QP than those of libibverbs, which a struct vx_wr does not lead to. So struct vx_mlx5_wr has
 * both; vx_mlx5_qp_wr() fills it once for a QP, and vx_mlx5_wr_ functions take its address. vx_wr_ functions take what vx_wr_start() has
 * returned for this one list. Either way the request goes into the same list, which vx_wr_complete() posts.
 */

/* ---- DC: one DCI sends to any DCT whose number and key it knows ---- */

struct end {
	struct vx_srq *srq;
	struct vx_qp *dct, *dci;
	struct vx_mlx5_wr mlx5;
};

static struct end new_end(void)
{
	struct mlx5dv_qp_init_attr dct = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					   .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = DC_KEY } };
	struct mlx5dv_qp_init_attr dci = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS,
					   .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI, .dci_streams = { STREAMS_LOG, 0 } } };
	const struct vx_path path = { .mask = VX_PATH_SPSN };
	struct end end;

	must(vx_srq_create(pd, NULL, &end.srq));
	may_lack(ctx, vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .send_cq = cq, .recv_cq = cq, .srq = end.srq, .mlx5dv_qp_init_attr = &dct }, &end.dct));
	must(vx_mlx5_qp_create(pd,
			       &(struct vx_mlx5_qp_init){ .send_cq = cq, .recv_cq = cq, .mlx5dv_qp_init_attr = &dci, .send_ops_flags = IBV_QP_EX_WITH_SEND },
			       &end.dci));
	must(vx_qp_to_rtr(end.dct, &path));
	must(vx_qp_to_rts(end.dci, &path));
	must(vx_mlx5_qp_wr(end.dci, &end.mlx5));
	return end;
}

static void send_to(struct end *from, const struct end *to, struct vx_ah *ah, uint16_t stream, size_t offset)
{
	struct vx_wr *wr = vx_wr_start(from->dci);

	vx_wr_send(wr, stream, IBV_SEND_SIGNALED);
	vx_mlx5_wr_set_dc_addr_stream(&from->mlx5, ah, vx_qp_raw(to->dct)->qp_num, DC_KEY, stream);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), at(offset), MESSAGE);
	must(vx_wr_complete(wr));
}

/* The same by the stream of number 0, which a DCI without further ones has. */
static void send_without_stream(struct end *from, const struct end *to, struct vx_ah *ah, size_t offset)
{
	struct vx_wr *wr = vx_wr_start(from->dci);

	vx_wr_send(wr, 0, IBV_SEND_SIGNALED);
	vx_mlx5_wr_set_dc_addr(&from->mlx5, ah, vx_qp_raw(to->dct)->qp_num, DC_KEY);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), at(offset), MESSAGE);
	must(vx_wr_complete(wr));
}

static void ping_pong(void)
{
	struct end ends[2] = { new_end(), new_end() };
	struct vx_ah *ah = path_to_itself(ctx, pd);
	char expected[MESSAGE];
	int round;

	for (round = 0; round < ROUNDS; round++) {
		struct end *from = &ends[round % 2], *to = &ends[(round + 1) % 2];
		struct ibv_sge place = { at(MESSAGE), MESSAGE, vx_mr_lkey(mr) };

		snprintf(expected, sizeof(expected), "message %d", round);
		memcpy(memory, expected, sizeof(expected));
		must(vx_srq_post_recv(to->srq, &(struct ibv_recv_wr){ .sg_list = &place, .num_sge = 1 }, NULL));
		if (round)
			send_to(from, to, ah, (uint16_t)round, 0);
		else
			send_without_stream(from, to, ah, 0);
		wait_for_one(from->dci);
		wait_for_one(from->dci);
		printf("stream %d: %s\n", round, memcmp(memory + MESSAGE, expected, MESSAGE) ? "something else" : memory + MESSAGE);
	}
}

/* ---- keys ---- */

struct writer {
	struct vx_qp *qp;
	struct vx_mlx5_mkey *mkey;
	struct vx_mlx5_wr mlx5;
};

static struct writer new_writer(void)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					    .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED |
							      MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MEMCPY };
	struct writer w;

	may_lack(ctx, vx_mlx5_qp_create(pd,
					&(struct vx_mlx5_qp_init){ .send_cq = cq, .recv_cq = cq, .mlx5dv_qp_init_attr = &attr,
								   .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_LOCAL_INV },
					&w.qp));
	must(vx_mlx5_mkey_create(pd, &(struct vx_mlx5_mkey_init){ .max_entries = 8 }, &w.mkey));
	must(vx_mlx5_qp_wr(w.qp, &w.mlx5));
	connect_to(w.qp, w.qp, IBV_ACCESS_REMOTE_WRITE);
	return w;
}

/* What the key is of goes to the end of the memory; then the key is no more. */
static void write_by_key(struct writer *w, struct vx_wr *wr, uint32_t length)
{
	char *written = memory + SIZE / 2;

	must(vx_wr_complete(wr));
	wait_for_one(w->qp);
	memset(written, 0, SIZE / 2);
	wr = vx_wr_start(w->qp);
	vx_wr_rdma_write(wr, 0, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at(SIZE / 2));
	vx_wr_set_sge(wr, vx_mlx5_mkey_raw(w->mkey)->lkey, 0, length);
	must(vx_wr_complete(wr));
	wait_for_one(w->qp);
	wr = vx_wr_start(w->qp);
	vx_wr_local_inv(wr, 0, IBV_SEND_SIGNALED, vx_mlx5_mkey_raw(w->mkey)->rkey);
	must(vx_wr_complete(wr));
	wait_for_one(w->qp);
	printf("by key: %s\n", written);
}

static void use_keys(void)
{
	struct writer w = new_writer();
	const uint32_t lkey = vx_mr_lkey(mr);
	struct ibv_sge list[] = { { at(0), 7, lkey }, { at(512), 5, lkey } };
	struct mlx5dv_mr_interleaved every_third = { at(64), 1, 2, lkey };
	struct mlx5dv_mkey_conf_attr conf = { 0 };
	struct vx_wr *wr;

	memcpy(memory, "hello, ", 7);
	memcpy(memory + 512, "world", 5);
	memcpy(memory + 64, "c..o..l..u..m..n..", 18);

	wr = vx_wr_start(w.qp);
	vx_mlx5_wr_mr_list(&w.mlx5, 0, IBV_SEND_SIGNALED, w.mkey, IBV_ACCESS_LOCAL_WRITE, 2, list);
	write_by_key(&w, wr, 12);

	wr = vx_wr_start(w.qp);
	vx_mlx5_wr_mr_interleaved(&w.mlx5, 0, IBV_SEND_SIGNALED, w.mkey, IBV_ACCESS_LOCAL_WRITE, 6, 1, &every_third);
	write_by_key(&w, wr, 6);

	wr = vx_wr_start(w.qp);
	vx_mlx5_wr_mkey_configure(&w.mlx5, 0, IBV_SEND_SIGNALED, w.mkey, 2, &conf);	/* and so many setters */
	vx_mlx5_wr_set_mkey_access_flags(&w.mlx5, IBV_ACCESS_LOCAL_WRITE);
	vx_mlx5_wr_set_mkey_layout_list(&w.mlx5, 1, &list[1]);
	write_by_key(&w, wr, 5);

	wr = vx_wr_start(w.qp);
	vx_mlx5_wr_mkey_configure(&w.mlx5, 0, IBV_SEND_SIGNALED, w.mkey, 2, &conf);
	vx_mlx5_wr_set_mkey_layout_interleaved(&w.mlx5, 6, 1, &every_third);	/* in any order */
	vx_mlx5_wr_set_mkey_access_flags(&w.mlx5, IBV_ACCESS_LOCAL_WRITE);
	write_by_key(&w, wr, 6);

	wr = vx_wr_start(w.qp);
	vx_mlx5_wr_memcpy(&w.mlx5, 0, IBV_SEND_SIGNALED, lkey, at(1024), lkey, at(512), 6);
	must(vx_wr_complete(wr));
	wait_for_one(w.qp);
	printf("copied: %s\n", memory + 1024);
}

int main(void)
{
	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = SIZE, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	memory = vx_mr_addr(mr);
	ping_pong();
	use_keys();
	must(vx_close(ctx));
	return 0;
}
