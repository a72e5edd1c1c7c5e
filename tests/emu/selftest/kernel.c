/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the kernel or the hardware refuses: a test that passes here must not fail there. */
#include <fcntl.h>
#include <unistd.h>

#include "selftest.h"

TestSuite(kernel, .init = open_mlx5, .fini = close_bed);

static const char text[] = "text that a program cannot write to";

/* INIT -> RTR of a new RC QP by that path: 0 or an errno */
static int try_path(struct ibv_ah_attr path)
{
	struct ibv_qp *q = make_rc(bed.cq, NULL);
	struct ibv_qp_attr a = path_to(q->qp_num);
	int rc;

	to_init(q, ACCESS_ALL);
	a.qp_state = IBV_QPS_RTR;
	a.ah_attr = path;
	rc = ibv_modify_qp(q, &a,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	CHECK(!ibv_destroy_qp(q));
	return rc;
}

Test(kernel, wants_the_port_in_a_path)
{
	struct ibv_ah_attr path = path_to_self(0);

	cr_expect_eq(try_path(path), 0);
	path.port_num = 0;
	cr_expect_eq(try_path(path), EINVAL);
}

Test(kernel, knows_the_rates)
{
	struct ibv_ah_attr path = path_to_self(0);

	path.static_rate = IBV_RATE_100_GBPS;
	cr_expect_eq(try_path(path), 0);
	path.static_rate = 100;
	cr_expect_eq(try_path(path), EINVAL);
	path.static_rate = 1;
	cr_expect_eq(try_path(path), EINVAL);
}

Test(kernel, connects_with_one_peer)
{
	struct ibv_ah_attr path = path_to_self(0);

	if (bed.ethernet)
		memset(&path.grh.dgid, 0, sizeof(path.grh.dgid));
	else
		path.dlid = 0xc001;
	cr_expect_eq(try_path(path), EINVAL);
}

Test(kernel, wants_a_groups_lid_for_a_group)
{
	static const union ibv_gid group = { .raw = { 0xff, 0x12, 0x40, 0x1b } };
	struct ibv_qp *q;

	if (bed.ethernet)
		skip("a group has a LID on InfiniBand alone");
	q = make_ud();
	cr_expect_eq(ibv_attach_mcast(q, &group, bed.lid), EINVAL);
	cr_expect_eq(ibv_attach_mcast(q, &group, 0xffff), EINVAL);
	CHECK(!ibv_attach_mcast(q, &group, 0xc001) && !ibv_detach_mcast(q, &group, 0xc001));
	CHECK(!ibv_destroy_qp(q));
}

Test(kernel, registers_no_memory_for_writing_that_is_read_only)
{
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, (void *)text, sizeof(text), IBV_ACCESS_REMOTE_READ);

	CHECK(mr);
	CHECK(!ibv_dereg_mr(mr));
	errno = 0;
	cr_expect_null(ibv_reg_mr(bed.pd, (void *)text, sizeof(text), IBV_ACCESS_LOCAL_WRITE));
	cr_expect_eq(errno, EFAULT);
	cr_expect_null(ibv_reg_mr(bed.pd, (void *)4096, 4096, 0));
	cr_expect_eq(errno, EFAULT);
}

Test(kernel, gives_no_xrc_srq_to_an_rc_qp)
{
	struct ibv_xrcd_init_attr xa = { .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					 .fd = -1,
					 .oflags = O_CREAT };
	struct ibv_xrcd *xrcd = ibv_open_xrcd(bed.ctx, &xa);
	struct ibv_srq_init_attr_ex sa = { .attr = { .max_wr = 4, .max_sge = 1 },
					   .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
							IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
					   .srq_type = IBV_SRQT_XRC,
					   .pd = bed.pd,
					   .xrcd = xrcd,
					   .cq = bed.cq };
	struct ibv_srq *srq = xrcd ? ibv_create_srq_ex(bed.ctx, &sa) : NULL;
	struct ibv_qp_init_attr qa = { .send_cq = bed.cq,
				       .recv_cq = bed.cq,
				       .srq = srq,
				       .qp_type = IBV_QPT_RC,
				       .cap = { 1, 1, 1, 1, 0 } };

	CHECK(srq);
	cr_expect_null(ibv_create_qp(bed.pd, &qa));
	cr_expect_eq(errno, EINVAL);
	CHECK(!ibv_destroy_srq(srq) && !ibv_close_xrcd(xrcd));
}

Test(kernel, aligns_device_memory_as_far_as_there_is_some)
{
	struct ibv_alloc_dm_attr a = { .length = 64, .log_align_req = 4096 };
	struct ibv_dm *dm;

	cr_expect_null(ibv_alloc_dm(bed.ctx, &a));
	cr_expect_eq(errno, EINVAL);
	a.log_align_req = 8;
	dm = ibv_alloc_dm(bed.ctx, &a);
	CHECK(dm);
	CHECK(!ibv_free_dm(dm));
}

/* librdmacm and perftest ask for all that an RC QP has */
Test(kernel, takes_no_offence_at_what_half_of_an_xrc_connection_has_no_use_for)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_SEND,
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = bed.pd,
					    .send_cq = bed.cq,
					    .cap = { .max_send_wr = 1, .max_send_sge = 1 } };
	struct ibv_qp *q = ibv_create_qp_ex(bed.ctx, &init);
	struct ibv_qp_attr a;

	CHECK(q);
	to_init(q, ACCESS_ALL);
	a = path_to(q->qp_num);
	a.qp_state = IBV_QPS_RTR;
	cr_expect_eq(ibv_modify_qp(q, &a,
				   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					   IBV_QP_MIN_RNR_TIMER),
		     0);
	CHECK(!ibv_destroy_qp(q));
}

/* mckey ends so */
Test(kernel, what_was_posted_before_a_qp_is_destroyed_is_sent)
{
	struct ibv_ah_attr path = path_to_self(0);
	struct ibv_ah *ah = ibv_create_ah(bed.pd, &path);
	struct ibv_qp *to = make_ud();
	int lost = 0;

	CHECK(ah);
	for (int i = 0; i < 50; i++) {
		struct ibv_qp *from = make_ud();
		struct ibv_wc wc = { .opcode = IBV_WC_SEND };

		post_recv(to, 1, 4096, 128);
		usleep(2000); /* the device has lain down */
		send_datagram(from, ah, to->qp_num, QKEY);
		CHECK(!ibv_destroy_qp(from));
		for (int ms = 0; ms < 1000 && ibv_poll_cq(bed.cq, 1, &wc) == 0; ms++)
			usleep(1000);
		lost += wc.opcode != IBV_WC_RECV;
		while (ibv_poll_cq(bed.cq, 1, &wc) > 0)
			;
	}
	cr_expect_eq(lost, 0, "%d of 50 were lost", lost);
	CHECK(!ibv_destroy_qp(to) && !ibv_destroy_ah(ah));
}

/* UCX looks for its address in the header of IPv4 or of IPv6 by this */
Test(kernel, tells_the_header_of_a_roce_datagram_in_the_place_of_the_sl)
{
	struct ibv_ah_attr path;
	struct ibv_qp *a, *b;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	if (!bed.ethernet)
		skip("InfiniBand has an SL there");
	a = make_ud();
	b = make_ud();
	path = path_to_self(3);
	ah = ibv_create_ah(bed.pd, &path);
	CHECK(ah);
	post_recv(b, 1, 4096, 128);
	send_datagram(a, ah, b->qp_num, QKEY);
	wc = wait_wc(bed.cq);
	cr_expect(wc.opcode == IBV_WC_RECV && wc.wc_flags & IBV_WC_GRH);
	cr_expect_eq(wc.sl, 2);
	expect_wc(2, 0, IBV_WC_SEND);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}
