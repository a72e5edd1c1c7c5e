/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What is different on an Ethernet port. */
#include <arpa/inet.h>

#include "bed.h"

enum {
	GRH = 40,
	IPV4_HEADER = 20,
	UDP = 17,
	TABLE = 16
};

static void open_ethernet(void)
{
	open_bed();
	if (!bed.ethernet)
		skip("the port is not an Ethernet port");
}

TestSuite(roce, .init = open_ethernet, .fini = close_bed);

/* The index of the first GID of that type, of an IPv4 address or not; -1: none */
static int find_gid(unsigned int type, bool ipv4)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry e;

	for (int i = 0; i < TABLE; i++)
		if (!ibv_query_gid_ex(bed.ctx, 1, i, &e, 0) && e.gid_type == type &&
		    !memcmp(&e.gid, mapped, sizeof(mapped)) == ipv4)
			return i;
	return -1;
}

Test(roce, the_port_wants_a_grh)
{
	struct ibv_port_attr p;

	CHECK(!ibv_query_port(bed.ctx, 1, &p));
	CHECK(p.link_layer == IBV_LINK_LAYER_ETHERNET && p.lid == 0 && p.flags & IBV_QPF_GRH_REQUIRED);
}

Test(roce, each_address_is_there_for_both_versions)
{
	struct ibv_gid_entry v1, v2;

	skip_on_soft_roce("soft-RoCE has version 2 only");
	for (int i = 0; i < 4; i += 2) {
		CHECK(!ibv_query_gid_ex(bed.ctx, 1, i, &v1, 0) && v1.gid_type == IBV_GID_TYPE_ROCE_V1);
		CHECK(!ibv_query_gid_ex(bed.ctx, 1, i + 1, &v2, 0) && v2.gid_type == IBV_GID_TYPE_ROCE_V2);
		CHECK(!memcmp(&v1.gid, &v2.gid, sizeof(v1.gid)));
	}
	CHECK(ibv_query_gid_ex(bed.ctx, 1, 4, &v1, 0) == ENODATA);
}

Test(roce, the_table_of_gids_is_that_of_the_port)
{
	struct ibv_gid_entry entries[TABLE], one;
	ssize_t n = ibv_query_gid_table(bed.ctx, entries, TABLE, 0);

	CHECK(n >= 2);
	for (int i = 0; i < n; i++) {
		CHECK(!ibv_query_gid_ex(bed.ctx, 1, entries[i].gid_index, &one, 0));
		CHECK(!memcmp(&one, &entries[i], sizeof(one)));
	}
}

static int connect_by(struct ibv_ah_attr path)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = bed.b->qp_num,
				 .ah_attr = path };

	to_reset(bed.a);
	to_init(bed.a, 0);
	return ibv_modify_qp(bed.a, &a,
			     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

Test(roce, a_path_without_a_grh_is_refused)
{
	struct ibv_ah_attr path = path_to_self(0);

	path.is_global = 0;
	CHECK(connect_by(path) == EINVAL);
	CHECK(!ibv_create_ah(bed.pd, &path));
}

Test(roce, a_path_from_a_gid_that_is_not_there_is_refused)
{
	struct ibv_ah_attr path = path_to_self(0);

	path.grh.sgid_index = TABLE - 1;
	CHECK(connect_by(path) == ENODATA);
	CHECK(!ibv_create_ah(bed.pd, &path));
}

/* The kernel looks for the peer by its IP address, and finds none from an address of the other family */
Test(roce, a_path_from_an_address_of_another_family_is_refused)
{
	int ipv4 = find_gid(IBV_GID_TYPE_ROCE_V2, true), ipv6 = find_gid(IBV_GID_TYPE_ROCE_V2, false);
	struct ibv_ah_attr path = path_to_self(ipv4);

	CHECK(!connect_by(path));
	path.grh.sgid_index = ipv6;
	CHECK(connect_by(path) == EINVAL);
	errno = 0;
	CHECK(!ibv_create_ah(bed.pd, &path) && errno == EINVAL);
	path = path_to_self(ipv6);
	path.grh.sgid_index = ipv4;
	CHECK(connect_by(path) == EINVAL);
	CHECK(!ibv_create_ah(bed.pd, &path));
}

Test(roce, nobody_answers_from_another_gid)
{
	struct ibv_ah_attr path = path_to_self(0);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTS, .timeout = 1 };

	path.grh.dgid.raw[15] ^= 0x80;
	CHECK(!connect_by(path));
	CHECK(!ibv_modify_qp(bed.a, &a,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
	post_send(bed.a, 1, 0, 8);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
}

static uint16_t word(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

/* The version of IP, checked as a receiver would check it */
static int version_of(const uint8_t *grh)
{
	const uint8_t *ipv4 = grh + GRH - IPV4_HEADER;
	uint32_t sum = 0;

	for (int i = 0; i < IPV4_HEADER; i += 2)
		sum += word(ipv4 + i);
	sum = (sum & 0xffff) + (sum >> 16);
	return ipv4[0] == 0x45 && sum == 0xffff ? 4 : grh[0] >> 4;
}

static const uint8_t *receive_datagram(int gid_index)
{
	struct ibv_ah_attr path = path_to_self(gid_index);
	struct ibv_ah *ah = ibv_create_ah(bed.pd, &path);
	struct ibv_qp *a = make_ud(), *b = make_ud();
	struct ibv_wc wc;

	CHECK(ah);
	post_recv(b, 1, 4096, 128);
	send_datagram(a, ah, b->qp_num, QKEY);
	wc = wait_wc(bed.cq);
	CHECK(wc.wr_id == 1 && wc.byte_len == GRH + 16 && wc.wc_flags & IBV_WC_GRH && wc.slid == 0);
	CHECK(!strcmp(bed.buf + 4096 + GRH, "hello mlx5"));
	expect_wc(2, 0, IBV_WC_SEND);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
	return (const uint8_t *)bed.buf + 4096;
}

Test(roce, a_datagram_begins_with_the_header_of_its_version)
{
	int v1 = find_gid(IBV_GID_TYPE_ROCE_V1, false);
	const uint8_t *grh;

	if (v1 >= 0) {
		grh = receive_datagram(v1);
		CHECK(version_of(grh) == 6 && grh[6] == 0x1b);
	}
	grh = receive_datagram(find_gid(IBV_GID_TYPE_ROCE_V2, false));
	CHECK(version_of(grh) == 6 && grh[6] == UDP && word(grh + 4) == 8 + 12 + 8 + 16 + 4);
	skip_on_soft_roce("soft-RoCE puts no IPv4 header that checks before a datagram to itself");
	grh = receive_datagram(find_gid(IBV_GID_TYPE_ROCE_V2, true));
	CHECK(version_of(grh) == 4);
	CHECK(grh[29] == UDP);
	CHECK(word(grh + 22) == 20 + 8 + 12 + 8 + 16 + 4 && !memcmp(grh + 32, grh + 36, 4));
}

/* libibverbs takes the sender's address from the header */
Test(roce, a_datagram_can_be_answered)
{
	struct ibv_ah_attr from;
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	union ibv_gid own;
	int index = find_gid(IBV_GID_TYPE_ROCE_V2, true);

	receive_datagram(index);
	CHECK(!ibv_init_ah_from_wc(bed.ctx, 1, &wc, (struct ibv_grh *)(bed.buf + 4096), &from));
	CHECK(!ibv_query_gid(bed.ctx, 1, index, &own));
	CHECK(from.is_global && from.grh.sgid_index == index);
	CHECK(!memcmp(&from.grh.dgid, &own, sizeof(own)));
}

/* It is accepted, and what it sends is lost */
Test(roce, a_raw_packet_qp_sends_to_nobody)
{
	struct ibv_qp_init_attr init = {
		.send_cq = bed.cq, .recv_cq = bed.cq, .cap = { 4, 4, 1, 1, 0 }, .qp_type = IBV_QPT_RAW_PACKET
	};
	struct ibv_sge sge = { address(0), 64, bed.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 3,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *q;

	skip_on_soft_roce("soft-RoCE has no raw packet QPs");
	q = ibv_create_qp(bed.pd, &init);
	CHECK(q);
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PORT));
	a.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE));
	a.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE));
	CHECK(!ibv_post_send(q, &wr, &bad));
	expect_wc(3, 0, IBV_WC_SEND);
	CHECK(!ibv_destroy_qp(q));
}
