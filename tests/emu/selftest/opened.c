/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* XRC QPs that receive, opened again by their number. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "selftest.h"

/* A domain that a file names, and a QP in it; another context has the same domain */
static struct {
	int fd;
	struct ibv_context *guest;
	struct ibv_xrcd *xrcd, *guest_xrcd;
	struct ibv_qp *made;
	uint32_t number;
} s;

static struct ibv_xrcd *open_xrcd(struct ibv_context *ctx, int fd)
{
	struct ibv_xrcd_init_attr a = { .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					.fd = fd,
					.oflags = O_CREAT };
	struct ibv_xrcd *x = ibv_open_xrcd(ctx, &a);

	CHECK(x);
	return x;
}

static struct ibv_qp *make_target(struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex a = { .qp_type = IBV_QPT_XRC_RECV,
					 .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					 .xrcd = xrcd };
	struct ibv_qp *q = ibv_create_qp_ex(xrcd->context, &a);

	CHECK(q);
	return q;
}

static void set_up(void)
{
	const char *config = getenv("VERBSX_EMU_CONFIG");

	open_bed();
	if (!config || !strstr(config, "open_qp=on"))
		skip("open_qp is not on");
	s.fd = memfd_create("domain", 0);
	CHECK(s.fd >= 0);
	s.guest = ibv_open_device(bed.dev);
	CHECK(s.guest);
	s.xrcd = open_xrcd(bed.ctx, s.fd);
	s.guest_xrcd = open_xrcd(s.guest, s.fd);
	s.made = make_target(s.xrcd);
	s.number = s.made->qp_num;
}

static void tear_down(void)
{
	if (!s.guest) {
		close_bed();
		return;
	}
	CHECK(!s.made || !ibv_destroy_qp(s.made));
	CHECK(!ibv_close_xrcd(s.guest_xrcd) && !ibv_close_xrcd(s.xrcd) && !ibv_close_device(s.guest));
	close(s.fd);
	close_bed();
}

TestSuite(opened, .init = set_up, .fini = tear_down);

static struct ibv_qp *open_qp(struct ibv_xrcd *xrcd, enum ibv_qp_type type, uint32_t number)
{
	struct ibv_qp_open_attr a = { .comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
						   IBV_QP_OPEN_ATTR_TYPE | IBV_QP_OPEN_ATTR_CONTEXT,
				      .qp_num = number,
				      .xrcd = xrcd,
				      .qp_context = &s,
				      .qp_type = type };

	return ibv_open_qp(xrcd->context, &a);
}

/* As ibv_destroy_qp does, without what libmlx5 does afterwards: free a doorbell record that it never made */
static void close_qp(struct ibv_qp *q)
{
	uint32_t reported;

	CHECK(!call_kernel(q->context, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
			   (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_DESTROY_QP_HANDLE, .data = q->handle },
			   (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_DESTROY_QP_RESP, .len = 4, .data = (uintptr_t)&reported }));
}

static void expect_refused(struct ibv_xrcd *xrcd, enum ibv_qp_type type, uint32_t number)
{
	CHECK(!open_qp(xrcd, type, number) && errno == EINVAL);
}

static struct ibv_qp *open_target(struct ibv_xrcd *xrcd)
{
	struct ibv_qp *q = open_qp(xrcd, IBV_QPT_XRC_RECV, s.number);

	CHECK(q && q->qp_num == s.number && q->handle != s.made->handle && q->qp_context == &s);
	return q;
}

static void destroy_made(void)
{
	CHECK(!ibv_destroy_qp(s.made));
	s.made = NULL;
}

Test(opened, all_handles_are_of_one_qp)
{
	struct ibv_qp *here = open_target(s.xrcd), *there = open_target(s.guest_xrcd);

	to_init(there, ACCESS_ALL);
	CHECK(state_of(s.made) == IBV_QPS_INIT && state_of(here) == IBV_QPS_INIT);
	to_reset(s.made);
	CHECK(state_of(there) == IBV_QPS_RESET);
	close_qp(here);
	close_qp(there);
	CHECK(state_of(s.made) == IBV_QPS_RESET);
}

Test(opened, the_qp_lives_until_its_last_handle_is_closed)
{
	struct ibv_qp *here = open_target(s.xrcd), *there = open_target(s.guest_xrcd);

	destroy_made();
	to_init(here, ACCESS_ALL);
	close_qp(here);
	CHECK(state_of(there) == IBV_QPS_INIT);
	close_qp(there);
	expect_refused(s.xrcd, IBV_QPT_XRC_RECV, s.number);
}

Test(opened, the_qp_outlives_the_context_that_made_it)
{
	struct ibv_context *maker = ibv_open_device(bed.dev);
	struct ibv_xrcd *xrcd = open_xrcd(maker, s.fd);
	struct ibv_qp *made = make_target(xrcd), *q;

	q = open_qp(s.guest_xrcd, IBV_QPT_XRC_RECV, made->qp_num);
	CHECK(q);
	CHECK(!ibv_destroy_qp(made) && !ibv_close_xrcd(xrcd) && !ibv_close_device(maker));
	to_init(q, ACCESS_ALL);
	CHECK(state_of(q) == IBV_QPS_INIT);
	close_qp(q);
}

Test(opened, a_domain_is_in_use_while_a_qp_of_it_is_open)
{
	struct ibv_qp *q = open_target(s.guest_xrcd);

	destroy_made();
	CHECK(ibv_close_xrcd(s.guest_xrcd) == EBUSY);
	close_qp(q);
}

Test(opened, what_is_wrong_is_invalid)
{
	struct ibv_xrcd *other = open_xrcd(bed.ctx, -1);

	expect_refused(s.xrcd, IBV_QPT_XRC_RECV, s.number + 1);
	expect_refused(s.xrcd, IBV_QPT_XRC_RECV, bed.a->qp_num);
	expect_refused(s.xrcd, IBV_QPT_XRC_SEND, s.number);
	expect_refused(s.xrcd, IBV_QPT_RC, bed.a->qp_num);
	expect_refused(other, IBV_QPT_XRC_RECV, s.number);
	CHECK(!ibv_close_xrcd(other));
}

static struct ibv_qp *make_initiator(void)
{
	struct ibv_qp_init_attr_ex a = { .cap = { .max_send_wr = 4, .max_send_sge = 1 },
					 .send_cq = bed.cq,
					 .qp_type = IBV_QPT_XRC_SEND,
					 .comp_mask = IBV_QP_INIT_ATTR_PD,
					 .pd = bed.pd };
	struct ibv_qp *q = ibv_create_qp_ex(bed.ctx, &a);

	CHECK(q);
	return q;
}

static struct ibv_srq *make_srq(void)
{
	struct ibv_srq_init_attr_ex a = { .attr = { 4, 1, 0 },
					  .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
						       IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
					  .srq_type = IBV_SRQT_XRC,
					  .pd = bed.pd,
					  .xrcd = s.xrcd,
					  .cq = bed.cq };
	struct ibv_srq *srq = ibv_create_srq_ex(bed.ctx, &a);

	CHECK(srq);
	return srq;
}

#define RESPONDER (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

static void connect(struct ibv_qp *q, uint32_t peer, int own)
{
	struct ibv_qp_attr a = path_to(peer);

	to_init(q, ACCESS_ALL);
	a.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV | own));
}

static void start_sending(struct ibv_qp *q)
{
	struct ibv_qp_attr a = path_to(s.number);

	a.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void send_to(struct ibv_qp *from, uint32_t srq)
{
	struct ibv_sge sge = { address(0), 8, bed.mr->lkey };
	struct ibv_send_wr w = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	w.send_flags = IBV_SEND_SIGNALED;
	w.qp_type.xrc.remote_srqn = srq;
	CHECK(!ibv_post_send(from, &w, &bad));
}

Test(opened, what_is_connected_by_another_handle_receives_when_the_first_is_gone)
{
	struct ibv_qp *target = open_target(s.guest_xrcd), *from = make_initiator();
	struct ibv_srq *srq = make_srq();
	struct ibv_sge sge = { address(4096), 64, bed.mr->lkey };
	struct ibv_recv_wr w = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 }, *bad;
	uint32_t number;

	connect(target, from->qp_num, RESPONDER);
	connect(from, s.number, 0);
	start_sending(from);
	destroy_made();
	CHECK(!ibv_get_srq_num(srq, &number) && !ibv_post_srq_recv(srq, &w, &bad));
	send_to(from, number);
	expect_wc(2, 0, IBV_WC_RECV);
	expect_wc(1, 0, IBV_WC_SEND);
	close_qp(target);
	CHECK(!ibv_destroy_qp(from) && !ibv_destroy_srq(srq));
}
