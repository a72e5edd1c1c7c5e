/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a request of a checked QP was that failed, which its completion does not tell. */

#include <string.h>

#include "unit/post/bed.h"

#define NO_KEY 0xdead00

static struct vx_mr *mr;
static struct vx_cq *done;

static void open_checked(void)
{
	struct vx_qp_init init = { .checked = true, .send_ops_flags = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE,
				   .cap = { .max_send_wr = 16, .max_recv_wr = 4, .max_send_sge = 1 } };

	open_device();
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 100 }, &done));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	init.send_cq = init.recv_cq = done;
	made(vx_qp_create(pd, &init, &qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ }));
	connect_to(qp, qp);
}

TestSuite(guard_opcode, .init = open_checked, .fini = close_device);

static struct ibv_sge entry(void)
{
	return (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 8, vx_mr_lkey(mr) };
}

/* Those that have a length are refused by the peer. */
static void write_one(uint64_t wr_id, bool is_refused)
{
	struct ibv_sge sge = entry();

	made(vx_qp_post_rdma_write(qp, wr_id, IBV_SEND_SIGNALED, &sge, is_refused, NO_KEY, 0));
}

static void read_one(uint64_t wr_id)
{
	struct vx_wr *wr = vx_wr_start(qp);
	struct ibv_sge sge = entry();

	vx_wr_rdma_read(wr, wr_id, IBV_SEND_SIGNALED, NO_KEY, 0);
	vx_wr_set_sge(wr, sge.lkey, sge.addr, sge.length);
	made(vx_wr_complete(wr));
}

static struct ibv_wc take_one(void)
{
	struct ibv_wc wc;

	while (!vx_cq_poll(done, 1, &wc))
		;
	return wc;
}

static void expect_told(enum ibv_wc_status status, uint64_t wr_id, const char *words)
{
	char text[1536];
	struct ibv_wc wc = take_one();

	cr_assert_eq(wc.status, status);
	cr_assert_eq(wc.wr_id, wr_id);
	vx_wc_error(text, sizeof(text), &wc, qp, VX_WC_UNKNOWN);
	cr_expect_not_null(strstr(text, words), "%s", text);
}

Test(guard_opcode, is_remembered_of_what_builders_made)
{
	read_one(7);
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, "IBV_WC_REM_ACCESS_ERR (10) of IBV_WC_RDMA_READ on mlx5_0 qp ");
}

Test(guard_opcode, is_remembered_of_what_was_posted)
{
	write_one(7, true);
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, "IBV_WC_REM_ACCESS_ERR (10) of IBV_WC_RDMA_WRITE on mlx5_0 qp ");
}

Test(guard_opcode, is_that_of_the_request_under_way)
{
	write_one(7, false);
	write_one(8, false);
	take_one();
	take_one();
	read_one(7);
	write_one(8, true);
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, " of IBV_WC_RDMA_READ on ");
	expect_told(IBV_WC_WR_FLUSH_ERR, 8, " of IBV_WC_RDMA_WRITE on ");
}

Test(guard_opcode, is_not_guessed_among_requests_that_look_alike)
{
	read_one(7);
	write_one(7, true);
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, "IBV_WC_REM_ACCESS_ERR (10) on mlx5_0 qp ");
}

Test(guard_opcode, is_not_told_of_what_may_be_a_receive)
{
	made(vx_qp_post_recv_one(qp, 8, NULL, 0));
	write_one(7, true);
	write_one(8, true);
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, " of IBV_WC_RDMA_WRITE on ");
	expect_told(IBV_WC_WR_FLUSH_ERR, 8, "IBV_WC_WR_FLUSH_ERR (5) on mlx5_0 qp ");
}

/* Of these more complete than are signaled, which is not to be taken for the next life's. */
Test(guard_opcode, is_remembered_when_more_has_completed_than_was_signaled)
{
	struct ibv_sge sge = entry();
	uint32_t room;
	int i;

	write_one(1, false);
	take_one();
	write_one(7, true);
	for (i = 2; i < 6; i++)
		made(vx_qp_post_rdma_write(qp, (uint64_t)i, 0, &sge, 1, NO_KEY, 0));
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, " of IBV_WC_RDMA_WRITE on ");
	for (i = 2; i < 5; i++)
		take_one();
	made(vx_qp_room(qp, &room));
	expect_told(IBV_WC_WR_FLUSH_ERR, 5, " of IBV_WC_RDMA_WRITE on ");
}

Test(guard_opcode, is_that_of_the_life_of_the_qp_in_which_it_failed)
{
	read_one(7);
	take_one();
	made(vx_qp_reset(qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	write_one(6, false);
	take_one();
	write_one(7, true);
	expect_told(IBV_WC_REM_ACCESS_ERR, 7, " of IBV_WC_RDMA_WRITE on ");
}

/* Of providers' own opcodes all are of sends, though they are beyond those of receives. */
Test(guard_opcode, of_a_provider_is_that_of_a_send)
{
	const struct ibv_wc wc = { .status = IBV_WC_LOC_PROT_ERR, .qp_num = vx_qp_raw(qp)->qp_num };
	const struct { enum ibv_wc_opcode opcode; const char *whose; } of[] = { { IBV_WC_SEND, " to qp " }, { IBV_WC_RECV_RDMA_WITH_IMM, " from qp " }, { IBV_WC_DRIVER1, " to qp " } };
	char text[1536];
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		vx_wc_error(text, sizeof(text), &wc, qp, of[i].opcode);
		cr_expect_not_null(strstr(text, of[i].whose), "%s", text);
	}
}
