/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests between two RC QPs. */
#include <arpa/inet.h>
#include <unistd.h>

#include "bed.h"

TestSuite(connected, .init = open_bed, .fini = close_bed);

Test(connected, a_send_completes_at_both_ends)
{
	post_recv(bed.b, 77, 4096, 256);
	post_send(bed.a, 1, 0, 16);
	expect_wc(77, 0, IBV_WC_RECV);
	expect_wc(1, 0, IBV_WC_SEND);
	CHECK(!strcmp(bed.buf + 4096, "hello mlx5"));
}

Test(connected, a_read_sees_the_write_before_it)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	start(x, 2, IBV_SEND_INLINE); /* not signaled */
	ibv_wr_rdma_write(x, bed.mr->rkey, address(8192));
	ibv_wr_set_inline_data(x, "inline!", 8);
	x->wr_id = 3;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_read(x, bed.mr->rkey, address(8192));
	ibv_wr_set_sge(x, bed.mr->lkey, address(12288), 8);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_RDMA_READ);
	CHECK(!strcmp(bed.buf + 12288, "inline!"));
}

Test(connected, fetch_and_add_returns_the_old_value)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	uint64_t v[2] = { 40, 0 };

	memcpy(bed.buf + 16384, v, sizeof(v));
	start(x, 4, IBV_SEND_SIGNALED);
	ibv_wr_atomic_fetch_add(x, bed.mr->rkey, address(16384), 2);
	ibv_wr_set_sge(x, bed.mr->lkey, address(16392), 8);
	CHECK(!ibv_wr_complete(x));
	expect_wc(4, 0, IBV_WC_FETCH_ADD);
	memcpy(v, bed.buf + 16384, sizeof(v));
	CHECK(v[0] == 42 && v[1] == 40);
}

Test(connected, immediate_data_waits_for_the_receiver)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct ibv_wc wc;

	start(x, 9, IBV_SEND_SIGNALED);
	ibv_wr_send_imm(x, htonl(0xabcd));
	ibv_wr_set_sge(x, bed.mr->lkey, address(0), 0);
	CHECK(!ibv_wr_complete(x));
	usleep(2000);
	CHECK(!ibv_poll_cq(bed.cq, 1, &wc));
	post_recv(bed.b, 10, 4096, 64);
	wc = wait_wc(bed.cq);
	CHECK(wc.wr_id == 10 && wc.wc_flags & IBV_WC_WITH_IMM && wc.imm_data == htonl(0xabcd) &&
	      wc.byte_len == 0);
	expect_wc(9, 0, IBV_WC_SEND);
}

Test(connected, a_full_send_queue_refuses)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	ibv_wr_start(x);
	for (int i = 0; i < 200; i++) {
		x->wr_flags = 0;
		ibv_wr_rdma_write(x, bed.mr->rkey, address(0));
		ibv_wr_set_inline_data(x, "z", 1);
	}
	CHECK(ibv_wr_complete(x) == (bed.soft_roce ? ENOSPC : ENOMEM));
}
