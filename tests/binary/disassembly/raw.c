/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The data path as programs write it that have objects of rdma-core; vx.c is the same by libverbsx, function by function. */

#include <errno.h>
#include <string.h>

#include <infiniband/verbs.h>

#define SELDOM(condition) __builtin_expect(!!(condition), 0)

/* Where a program has them: behind something of its own. */
struct sender {
	void *own;
	struct ibv_qp *qp;
};

struct receiver {
	void *own;
	struct ibv_cq *cq;
};

__attribute__((cold)) int send_failed(const struct sender *s, int rc, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
__attribute__((cold)) int list_failed(const struct ibv_qp_ex *qp, int rc);
__attribute__((cold)) int poll_failed(const struct receiver *r, int rc);

int one(struct sender *s, uint64_t wr_id, uint32_t rkey, uint64_t to, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_qp_ex *qp = (struct ibv_qp_ex *)s->qp;
	int rc;

	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, rkey, to);
	ibv_wr_set_sge(qp, lkey, addr, length);
	rc = ibv_wr_complete(qp);
	return SELDOM(rc) ? list_failed(qp, rc) : 0;
}

int many(struct sender *s, int count, uint32_t rkey, uint64_t to, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_qp_ex *qp = (struct ibv_qp_ex *)s->qp;
	int i, rc;

	ibv_wr_start(qp);
	for (i = 0; i < count; i++) {
		qp->wr_id = (uint64_t)i;
		qp->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(qp, rkey, to);
		ibv_wr_set_sge(qp, lkey, addr, length);
	}
	rc = ibv_wr_complete(qp);
	return SELDOM(rc) ? list_failed(qp, rc) : 0;
}

int five(struct sender *s, struct ibv_ah **ah, struct ibv_sge *list, void *data)
{
	struct ibv_qp_ex *qp = (struct ibv_qp_ex *)s->qp;
	int rc;

	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = 0;
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, data, 32);
	qp->wr_id = 2;
	qp->wr_flags = 0;
	ibv_wr_rdma_read(qp, 3, 4);
	ibv_wr_set_sge_list(qp, 2, list);
	qp->wr_id = 3;
	qp->wr_flags = 0;
	ibv_wr_atomic_fetch_add(qp, 3, 4, 5);
	ibv_wr_set_sge(qp, 1, 2, 8);
	qp->wr_id = 4;
	qp->wr_flags = 0;
	ibv_wr_send_imm(qp, 7);
	ibv_wr_set_ud_addr(qp, ah ? *ah : NULL, 8, 9); /* no handle is no AH, which a checked QP refuses */
	ibv_wr_set_sge(qp, 1, 2, 3);
	qp->wr_id = 5;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_local_inv(qp, 9);
	rc = ibv_wr_complete(qp);
	return SELDOM(rc) ? list_failed(qp, rc) : 0;
}

int post(struct sender *s, struct ibv_send_wr *wr, int count)
{
	struct ibv_send_wr *bad;
	int i, rc;

	for (i = 0; i < count; i++) {
		rc = ibv_post_send(s->qp, wr, &bad);
		if (SELDOM(rc))
			return send_failed(s, rc, wr, &bad);
	}
	return 0;
}

int line(struct sender *s, int count, uint32_t rkey, uint64_t to, struct ibv_sge *sge)
{
	int i, rc;

	for (i = 0; i < count; i++) {
		struct ibv_send_wr *bad, wr = {
			.wr_id = (uint64_t)i, .sg_list = sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { .remote_addr = to, .rkey = rkey },
		};

		rc = ibv_post_send(s->qp, &wr, &bad);
		if (SELDOM(rc))
			return send_failed(s, rc, &wr, &bad);
	}
	return 0;
}

int drain(struct receiver *r, struct ibv_wc *wc)
{
	int count = 0, rc;

	for (;;) {
		rc = ibv_poll_cq(r->cq, 16, wc);
		if (SELDOM(rc < 0))
			return poll_failed(r, rc);
		if (!rc)
			return count;
		count += rc;
	}
}

long loop(struct receiver *r)
{
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)r->cq;
	struct ibv_poll_cq_attr attr = { 0 };
	unsigned long sum = 0;
	int rc = ibv_start_poll(cq, &attr);

	if (rc)
		return SELDOM(rc != ENOENT) ? poll_failed(r, rc) : 0;
	do {
		sum += cq->wr_id + cq->status + ibv_wc_read_byte_len(cq);
		rc = ibv_next_poll(cq);
	} while (!rc);
	ibv_end_poll(cq);
	return SELDOM(rc != ENOENT) ? poll_failed(r, rc) : (long)sum;
}
