/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Posting requests, and waiting for what comes of them. */
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "bed.h"

void start(struct ibv_qp_ex *x, uint64_t wr_id, unsigned int flags)
{
	ibv_wr_start(x);
	x->wr_id = wr_id;
	x->wr_flags = flags;
}

void post_recv(struct ibv_qp *q, uint64_t wr_id, size_t offset, uint32_t len)
{
	struct ibv_sge s = { address(offset), len, bed.mr->lkey };
	struct ibv_recv_wr w = { .wr_id = wr_id, .sg_list = &s, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_recv(q, &w, &bad));
}

void post_send(struct ibv_qp *q, uint64_t wr_id, unsigned int flags, uint32_t len)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, wr_id, IBV_SEND_SIGNALED | flags);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), len);
	CHECK(!ibv_wr_complete(x));
}

void send_datagram(struct ibv_qp *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, 2, IBV_SEND_SIGNALED);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), 16);
	ibv_wr_set_ud_addr(x, ah, qpn, qkey);
	CHECK(!ibv_wr_complete(x));
}

void post_write(struct ibv_qp *q, uint64_t wr_id, uint32_t rkey, uint64_t to, const char *text)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, wr_id, IBV_SEND_SIGNALED | IBV_SEND_INLINE); /* of which librxe wants to be told */
	ibv_wr_rdma_write(x, rkey, to);
	ibv_wr_set_inline_data(x, (void *)text, strlen(text));
	CHECK(!ibv_wr_complete(x));
}

struct ibv_wc wait_wc(struct ibv_cq *cq)
{
	double end = now_ms() + PATIENCE;
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(cq, 1, &wc)) == 0 && now_ms() < end)
		usleep(100);
	cr_assert(n > 0, "a completion (ibv_poll_cq: %d)", n);
	return wc;
}

void expect_wc(uint64_t wr_id, enum ibv_wc_status status, int opcode)
{
	struct ibv_wc wc = wait_wc(bed.cq);

	if (wc.wr_id == wr_id && wc.status == status && (status || (int)wc.opcode == opcode))
		return;
	fprintf(stderr, "completion: wr_id %d status %s opcode %d\n", (int)wc.wr_id,
		ibv_wc_status_str(wc.status), wc.opcode);
	CHECK(!"the expected completion");
}

void expect_error(uint64_t wr_id, enum ibv_wc_status status)
{
	expect_wc(wr_id, status, -1);
}

/* A kernel may hand out the completion a moment before the state tells of the error. */
static bool is_in_error_soon(struct ibv_qp *q)
{
	double end = now_ms() + PATIENCE;

	while (state_of(q) != IBV_QPS_ERR && now_ms() < end)
		usleep(100);
	return state_of(q) == IBV_QPS_ERR;
}

void expect_own_error(enum ibv_wc_status status)
{
	expect_error(1, status);
	CHECK(is_in_error_soon(bed.a) && state_of(bed.b) == IBV_QPS_RTS);
	reconnect(bed.a, bed.b, NO_RNR_LIMIT);
}

void invalidate(struct ibv_qp *q, uint32_t key)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, 3, IBV_SEND_SIGNALED);
	ibv_wr_local_inv(x, key);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_LOCAL_INV);
}

int readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

void wait_readable(int fd)
{
	CHECK(readable(fd, PATIENCE));
}

struct ibv_async_event wait_async(enum ibv_event_type type)
{
	struct ibv_async_event e;

	wait_readable(bed.ctx->async_fd);
	CHECK(!ibv_get_async_event(bed.ctx, &e));
	if (e.event_type != type)
		fprintf(stderr, "event: %s\n", ibv_event_type_str(e.event_type));
	CHECK(e.event_type == type);
	ibv_ack_async_event(&e);
	return e;
}

void expect_qp_event(enum ibv_event_type type, const struct ibv_qp *q)
{
	if (!bed.soft_roce)
		CHECK(wait_async(type).element.qp == q);
}

double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
