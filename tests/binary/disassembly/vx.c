/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The functions of raw.c, as programs write them with libverbsx. */

#include <verbsx/verbsx.h>

int one(struct vx_qp *qp, uint64_t wr_id, uint32_t rkey, uint64_t to, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_rdma_write(wr, wr_id, IBV_SEND_SIGNALED, rkey, to);
	vx_wr_set_sge(wr, lkey, addr, length);
	return vx_wr_complete(wr);
}

int many(struct vx_qp *qp, int count, uint32_t rkey, uint64_t to, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct vx_wr *wr = vx_wr_start(qp);
	int i;

	for (i = 0; i < count; i++) {
		vx_wr_rdma_write(wr, (uint64_t)i, IBV_SEND_SIGNALED, rkey, to);
		vx_wr_set_sge(wr, lkey, addr, length);
	}
	return vx_wr_complete(wr);
}

int five(struct vx_qp *qp, struct vx_ah *ah, struct ibv_sge *list, void *data)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_send(wr, 1, 0);
	vx_wr_set_inline_data(wr, data, 32);
	vx_wr_rdma_read(wr, 2, 0, 3, 4);
	vx_wr_set_sge_list(wr, 2, list);
	vx_wr_atomic_fetch_add(wr, 3, 0, 3, 4, 5);
	vx_wr_set_sge(wr, 1, 2, 8);
	vx_wr_send_imm(wr, 4, 0, 7);
	vx_wr_set_ud_addr(wr, ah, 8, 9);
	vx_wr_set_sge(wr, 1, 2, 3);
	vx_wr_local_inv(wr, 5, IBV_SEND_SIGNALED, 9);
	return vx_wr_complete(wr);
}

int post(struct vx_qp *qp, struct ibv_send_wr *wr, int count)
{
	struct ibv_send_wr *bad;
	int i, rc;

	for (i = 0; i < count; i++) {
		rc = vx_qp_post_send(qp, wr, &bad);
		if (rc)
			return rc;
	}
	return 0;
}

int line(struct vx_qp *qp, int count, uint32_t rkey, uint64_t to, struct ibv_sge *sge)
{
	int i, rc;

	for (i = 0; i < count; i++) {
		rc = vx_qp_post_rdma_write(qp, (uint64_t)i, IBV_SEND_SIGNALED, sge, 1, rkey, to);
		if (rc)
			return rc;
	}
	return 0;
}

int drain(struct vx_cq *cq, struct ibv_wc *wc)
{
	int count = 0, rc;

	for (;;) {
		rc = vx_cq_poll(cq, 16, wc);
		if (rc < 0)
			return rc;
		if (!rc)
			return count;
		count += rc;
	}
}

long loop(struct vx_cq *cq)
{
	unsigned long sum = 0;
	struct vx_wc *wc;
	int rc;

	for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc))
		sum += vx_wc_wr_id(wc) + vx_wc_status(wc) + vx_wc_read_byte_len(wc);
	return rc < 0 ? rc : (long)sum;
}
