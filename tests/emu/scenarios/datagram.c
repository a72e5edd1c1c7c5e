/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* UD QPs and multicast. */
#include "bed.h"

TestSuite(datagram, .init = open_bed, .fini = close_bed);

enum {
	GRH = 40,
	MCAST_QPN = 0xffffff,
	MCAST_LID = 0xc001
};

static const union ibv_gid group = { .raw = { 0xff, 0x12, 0x40, 0x1b } };

static struct ibv_ah *make_ah(int multicast)
{
	struct ibv_ah_attr a = path_to_self(0);
	struct ibv_ah *ah;

	if (multicast) {
		a.is_global = 1;
		a.dlid = MCAST_LID;
		a.grh.dgid = group;
	}
	ah = ibv_create_ah(bed.pd, &a);
	CHECK(ah);
	return ah;
}

static struct ibv_wc expect_datagram(struct ibv_qp *from)
{
	struct ibv_wc wc = wait_wc(bed.cq);

	CHECK(wc.wr_id == 1 && wc.byte_len == GRH + 16 && wc.src_qp == from->qp_num && wc.slid == bed.lid);
	CHECK(!strcmp(bed.buf + 4096 + GRH, "hello mlx5"));
	expect_wc(2, 0, IBV_WC_SEND);
	return wc;
}

Test(datagram, a_datagram_leaves_room_for_the_grh)
{
	struct ibv_qp *a = make_ud(), *b = make_ud();
	struct ibv_ah *ah = make_ah(0);

	post_recv(b, 1, 4096, 128);
	send_datagram(a, ah, b->qp_num, QKEY);
	CHECK(!(expect_datagram(a).wc_flags & IBV_WC_GRH) == !bed.ethernet);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}

Test(datagram, a_wrong_qkey_is_silently_lost)
{
	struct ibv_qp *a = make_ud(), *b = make_ud();
	struct ibv_ah *ah = make_ah(0);

	post_recv(b, 1, 4096, 128);
	send_datagram(a, ah, b->qp_num, QKEY + 1);
	expect_wc(2, 0, IBV_WC_SEND);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}

Test(datagram, who_is_in_no_group_gets_nothing_of_it)
{
	struct ibv_qp *a = make_ud(), *b = make_ud();
	struct ibv_ah *ah = make_ah(1);

	post_recv(b, 1, 4096, 128);
	send_datagram(a, ah, MCAST_QPN, QKEY);
	expect_wc(2, 0, IBV_WC_SEND);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}

Test(datagram, a_group_member_receives)
{
	skip_on_soft_roce("soft-RoCE does not loop multicast back");

	struct ibv_qp *a = make_ud(), *b = make_ud();
	struct ibv_ah *ah = make_ah(1);

	CHECK(!ibv_attach_mcast(b, &group, MCAST_LID));
	CHECK(ibv_destroy_qp(b) == EBUSY);
	post_recv(b, 1, 4096, 128);
	send_datagram(a, ah, MCAST_QPN, QKEY);
	CHECK(expect_datagram(a).wc_flags & IBV_WC_GRH);
	CHECK(!memcmp(bed.buf + 4096 + 24, &group, sizeof(group)));
	CHECK(!ibv_detach_mcast(b, &group, MCAST_LID));
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}
