/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "nothing.h"

#include <errno.h>

struct ibv_context nothing_context;
struct ibv_pd nothing_pd;
struct ibv_ah nothing_ah;
struct ibv_cq_ex nothing_cq;
struct ibv_qp_ex nothing_qp;
struct mlx5dv_qp_ex nothing_mlx5;
int nothing_code;

static struct ibv_device device = { .name = "nothing" };
static int left;

static void start(struct ibv_qp_ex *qp)
{
	(void)qp;
}

static int complete(struct ibv_qp_ex *qp)
{
	(void)qp;
	return 0;
}

static void rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	(void)qp, (void)rkey, (void)remote_addr;
}

static void set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	(void)qp, (void)lkey, (void)addr, (void)length;
}

static void copy(struct mlx5dv_qp_ex *qp, uint32_t to_key, uint64_t to, uint32_t from_key, uint64_t from, size_t length)
{
	(void)qp, (void)to_key, (void)to, (void)from_key, (void)from, (void)length;
}

static void set_dc_addr(struct mlx5dv_qp_ex *qp, struct ibv_ah *ah, uint32_t dctn, uint64_t key)
{
	(void)qp, (void)ah, (void)dctn, (void)key;
}

static void set_dc_addr_stream(struct mlx5dv_qp_ex *qp, struct ibv_ah *ah, uint32_t dctn, uint64_t key, uint16_t stream)
{
	(void)qp, (void)ah, (void)dctn, (void)key, (void)stream;
}

static void mr_list(struct mlx5dv_qp_ex *qp, struct mlx5dv_mkey *mkey, uint32_t access, uint16_t count, struct ibv_sge *sge)
{
	(void)qp, (void)mkey, (void)access, (void)count, (void)sge;
}

static void mr_interleaved(struct mlx5dv_qp_ex *qp, struct mlx5dv_mkey *mkey, uint32_t access, uint32_t repeat, uint16_t count,
			   struct mlx5dv_mr_interleaved *data)
{
	(void)qp, (void)mkey, (void)access, (void)repeat, (void)count, (void)data;
}

static void raw_wqe(struct mlx5dv_qp_ex *qp, const void *wqe)
{
	(void)qp, (void)wqe;
}

static void mkey_configure(struct mlx5dv_qp_ex *qp, struct mlx5dv_mkey *mkey, uint8_t setters, struct mlx5dv_mkey_conf_attr *attr)
{
	(void)qp, (void)mkey, (void)setters, (void)attr;
}

static void set_access(struct mlx5dv_qp_ex *qp, uint32_t access)
{
	(void)qp, (void)access;
}

static void set_list(struct mlx5dv_qp_ex *qp, uint16_t count, const struct ibv_sge *sge)
{
	(void)qp, (void)count, (void)sge;
}

static void set_interleaved(struct mlx5dv_qp_ex *qp, uint32_t repeat, uint16_t count, const struct mlx5dv_mr_interleaved *data)
{
	(void)qp, (void)repeat, (void)count, (void)data;
}

static void set_block(struct mlx5dv_qp_ex *qp, const struct mlx5dv_sig_block_attr *attr)
{
	(void)qp, (void)attr;
}

static void set_crypto(struct mlx5dv_qp_ex *qp, const struct mlx5dv_crypto_attr *attr)
{
	(void)qp, (void)attr;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	(void)qp;
	if (nothing_code)
		*bad_wr = wr;
	return nothing_code;
}

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	(void)cq, (void)entries;
	wc->wr_id = 7;
	wc->status = IBV_WC_SUCCESS;
	wc->opcode = IBV_WC_RDMA_WRITE;
	wc->qp_num = NOTHING_QPN;
	return 1;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	(void)cq, (void)attr;
	left = NOTHING_COMPLETIONS;
	return 0;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	cq->wr_id++;
	return --left ? 0 : ENOENT;
}

static void end_poll(struct ibv_cq_ex *cq)
{
	(void)cq;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 64;
}

void make_nothing(void)
{
	nothing_context.device = &device;
	nothing_context.ops.post_send = post_send;
	nothing_context.ops.poll_cq = poll_cq;
	nothing_mlx5 = (struct mlx5dv_qp_ex){ .wr_memcpy = copy, .wr_set_dc_addr = set_dc_addr, .wr_set_dc_addr_stream = set_dc_addr_stream,
		.wr_mr_list = mr_list, .wr_mr_interleaved = mr_interleaved, .wr_raw_wqe = raw_wqe, .wr_mkey_configure = mkey_configure,
		.wr_set_mkey_access_flags = set_access, .wr_set_mkey_layout_list = set_list, .wr_set_mkey_layout_interleaved = set_interleaved,
		.wr_set_mkey_sig_block = set_block, .wr_set_mkey_crypto = set_crypto };
	nothing_pd.context = &nothing_context;
	nothing_ah = (struct ibv_ah){ .context = &nothing_context, .pd = &nothing_pd };
	nothing_cq = (struct ibv_cq_ex){ .context = &nothing_context, .start_poll = start_poll, .next_poll = next_poll, .end_poll = end_poll,
		.read_byte_len = read_byte_len };
	nothing_qp = (struct ibv_qp_ex){ .qp_base = { .context = &nothing_context, .pd = &nothing_pd, .send_cq = (struct ibv_cq *)&nothing_cq,
		.recv_cq = (struct ibv_cq *)&nothing_cq, .qp_num = NOTHING_QPN, .qp_type = IBV_QPT_RC, .state = IBV_QPS_RTS },
		.wr_start = start, .wr_complete = complete, .wr_abort = start, .wr_rdma_write = rdma_write, .wr_set_sge = set_sge };
}
