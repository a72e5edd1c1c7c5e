/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How far a trace follows what a request points to. */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data_bed.h"

TestSuite(trace_data_followed, .init = begin, .fini = end, .timeout = 60);

/* Of the entries that a list says, so many are there. */
static struct ibv_sge *end_of_a_page(uint32_t some)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_sge *last = (struct ibv_sge *)(void *)(pages + page) - some;
	uint32_t i;

	cr_assert_neq((void *)pages, MAP_FAILED);
	cr_assert_eq(mprotect(pages + page, page, PROT_NONE), 0);
	for (i = 0; i < some; i++)
		last[i] = entry;
	return last;
}

Test(trace_data_followed, of_a_checked_qp_follows_nothing_that_is_refused)
{
	struct ibv_sge *last = end_of_a_page(1);
	struct vx_wr *wr;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .checked = true, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE }, &qp));
	connect_to_itself();
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, last, 1000, 1, 2), -EINVAL);
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, last, 1000), -EINVAL);
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, 1, 2);
	vx_wr_set_sge_list(wr, 1000, last);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	cr_expect_eq(count, 0);
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, last, 1, vx_mr_rkey(mr), entry.addr + 8));
	cr_expect_eq(count, 1);
}

/* ---- entries that nobody takes ---- */

static struct ibv_qp_cap cap_of(struct vx_qp *of)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(of, &attr, IBV_QP_CAP, &init));
	return init.cap;
}

/* Of the calls that look for the reason there are lines as well. */
static void expect_cut(const char *call)
{
	unsigned int i;

	for (i = 0; i + 1 < count && strncmp(lines[i], call, strlen(call)) != 0;)
		i++;
	expect_begins(lines[i], call);
	cr_expect_not_null(strstr(lines[i], " lkey=#},...] num_sge=#"), "%s", lines[i]);
}

/* The provider refuses the request by its number of entries, and looks at none. */
Test(trace_data_followed, follows_no_more_entries_than_a_qp_takes)
{
	const struct ibv_qp_cap cap = cap_of(qp);
	struct vx_wr *wr;

	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, end_of_a_page(cap.max_send_sge), 1000, 1, 2), -EINVAL);
	expect_reason("it has 1000 entries, and the QP was made with max_send_sge = ");
	expect_cut("ibv_post_send(");
	cr_expect_eq(vx_qp_post_recv_one(qp, 7, end_of_a_page(cap.max_recv_sge), 1000), -EINVAL);
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, 0, 1, 2);
	vx_wr_set_sge_list(wr, 1000, end_of_a_page(cap.max_send_sge));
	cr_expect_lt(vx_wr_complete(wr), 0);
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, end_of_a_page(2), 2, vx_mr_rkey(mr), entry.addr + 16));
}

Test(trace_data_followed, follows_no_more_entries_than_an_srq_takes)
{
	struct ibv_srq_attr attr;
	struct vx_srq *srq;

	made(vx_srq_create(pd, &(struct vx_srq_init){ .attr = { .max_wr = 8, .max_sge = 1 } }, &srq));
	made(vx_srq_query(srq, &attr));
	cr_expect_eq(vx_srq_post_recv_one(srq, 1, end_of_a_page(attr.max_sge), 1000), -EINVAL);
	expect_cut("ibv_post_srq_recv(");
}
