/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Values of a QP's attributes that are wrong: what the kernel refuses, and what the device has no bits for. */
#include "selftest.h"

TestSuite(values, .init = open_mlx5, .fini = close_bed);

enum {
	TO_INIT = IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS,
	TO_RTR = IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV |
		 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	TO_RTS = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		 IBV_QP_MAX_QP_RD_ATOMIC
};

#define QP(member) offsetof(struct ibv_qp_attr, member), sizeof(((struct ibv_qp_attr *)0)->member)

/* An attribute, a value for it, and what becomes of that: an errno, or (for no errno) what a query tells then */
static const struct row {
	const char *name;
	size_t at, size;
	uint32_t value;
	int rc;
	uint32_t told;
} to_init_rows[] = {
	{ "port_num 0", QP(port_num), 0, EINVAL, 0 },
	{ "port_num 3", QP(port_num), 3, EINVAL, 0 },
	{ "pkey_index 500", QP(pkey_index), 500, EINVAL, 0 },
}, to_rtr_rows[] = {
	{ "path_mtu 0", QP(path_mtu), 0, EINVAL, 0 },
	{ "path_mtu 6", QP(path_mtu), 6, EINVAL, 0 },
	{ "a path of port 0", QP(ah_attr.port_num), 0, EINVAL, 0 },
	{ "a path of port 3", QP(ah_attr.port_num), 3, EINVAL, 0 },
	{ "a rate that is none", QP(ah_attr.static_rate), 1, EINVAL, 0 },
	{ "800 Gb/s", QP(ah_attr.static_rate), IBV_RATE_800_GBPS, 0, IBV_RATE_800_GBPS },
	{ "1200 Gb/s, which mlx5's driver does not know", QP(ah_attr.static_rate), IBV_RATE_800_GBPS + 1, EINVAL, 0 },
	{ "max_dest_rd_atomic 0", QP(max_dest_rd_atomic), 0, 0, 1 },
	{ "max_dest_rd_atomic 17", QP(max_dest_rd_atomic), 17, EINVAL, 0 },
	{ "max_dest_rd_atomic 5", QP(max_dest_rd_atomic), 5, 0, 8 },
	{ "min_rnr_timer 32", QP(min_rnr_timer), 32, 0, 0 },
	{ "min_rnr_timer 45", QP(min_rnr_timer), 45, 0, 13 },
	{ "rq_psn of 25 bits", QP(rq_psn), 0x1000007, 0, 7 },
	{ "dest_qp_num of 32 bits", QP(dest_qp_num), 0xff000123, 0, 0x123 },
	{ "src_path_bits 128", QP(ah_attr.src_path_bits), 128, 0, 0 },
	{ "flow_label of 21 bits", QP(ah_attr.grh.flow_label), 0x100009, 0, 9 },
}, to_rts_rows[] = {
	{ "max_rd_atomic 0", QP(max_rd_atomic), 0, 0, 1 },
	{ "max_rd_atomic 17", QP(max_rd_atomic), 17, EINVAL, 0 },
	{ "max_rd_atomic 3", QP(max_rd_atomic), 3, 0, 4 },
	{ "timeout 99", QP(timeout), 99, 0, 3 },
	{ "timeout 32, which is for ever", QP(timeout), 32, 0, 0 },
	{ "retry_cnt 8", QP(retry_cnt), 8, 0, 0 },
	{ "rnr_retry 8", QP(rnr_retry), 8, 0, 0 },
	{ "sq_psn of 25 bits", QP(sq_psn), 0x1000007, 0, 7 },
}, lid_rows[] = {
	{ "dlid 0", QP(ah_attr.dlid), 0, EINVAL, 0 },
	{ "dlid 0xc000", QP(ah_attr.dlid), 0xc000, EINVAL, 0 },
	{ "sl 16", QP(ah_attr.sl), 16, 0, 0 },
	{ "sl 31", QP(ah_attr.sl), 31, 0, 15 },
}, gid_rows[] = {
	{ "no GRH", QP(ah_attr.is_global), 0, EINVAL, 0 },
	{ "sgid_index 200", QP(ah_attr.grh.sgid_index), 200, EINVAL, 0 },
	{ "sl 8", QP(ah_attr.sl), 8, 0, 0 },
};

/* Little-endian machines only, as are all that the device runs on */
static void put(struct ibv_qp_attr *a, const struct row *r, uint32_t value)
{
	memcpy((char *)a + r->at, &value, r->size);
}

static uint32_t get(const struct ibv_qp_attr *a, const struct row *r)
{
	uint32_t value = 0;

	memcpy(&value, (const char *)a + r->at, r->size);
	return value;
}

static void go_to(enum ibv_qp_state state)
{
	struct ibv_qp_attr a = path_to(bed.a->qp_num);

	to_reset(bed.a);
	if (state >= IBV_QPS_INIT)
		to_init(bed.a, ACCESS_ALL);
	a.qp_state = IBV_QPS_RTR;
	if (state >= IBV_QPS_RTR)
		CHECK(!ibv_modify_qp(bed.a, &a, TO_RTR));
}

static void try_row(const struct row *r, enum ibv_qp_state from, int mask)
{
	struct ibv_qp_attr a = path_to(bed.a->qp_num), told;
	struct ibv_qp_init_attr init;
	int rc;

	go_to(from);
	a.qp_state = from + 1;
	a.port_num = 1;
	a.qp_access_flags = ACCESS_ALL;
	put(&a, r, r->value);
	rc = ibv_modify_qp(bed.a, &a, mask);
	cr_assert_eq(rc, r->rc, "%s: %d", r->name, rc);
	CHECK(!ibv_query_qp(bed.a, &told, mask, &init));
	cr_assert_eq(told.qp_state, rc ? from : from + 1, "%s: state %d", r->name, told.qp_state);
	cr_assert(rc || get(&told, r) == r->told, "%s: told %x", r->name, get(&told, r));
}

static void try_rows(const struct row *rows, size_t count, enum ibv_qp_state from, int mask)
{
	for (const struct row *r = rows; r < rows + count; r++)
		try_row(r, from, mask);
}

Test(values, on_the_way_to_init)
{
	try_rows(to_init_rows, SIZE(to_init_rows), IBV_QPS_RESET, TO_INIT);
}

Test(values, on_the_way_to_rtr)
{
	try_rows(to_rtr_rows, SIZE(to_rtr_rows), IBV_QPS_INIT, TO_RTR);
}

Test(values, on_the_way_to_rts)
{
	try_rows(to_rts_rows, SIZE(to_rts_rows), IBV_QPS_RTR, TO_RTS);
}

Test(values, of_a_path_by_lid)
{
	if (bed.ethernet)
		skip("there are no LIDs");
	try_rows(lid_rows, SIZE(lid_rows), IBV_QPS_INIT, TO_RTR);
}

Test(values, of_a_path_by_gid)
{
	if (!bed.ethernet)
		skip("a LID is enough");
	try_rows(gid_rows, SIZE(gid_rows), IBV_QPS_INIT, TO_RTR);
}

/* In the context there are bits for what comes from afar, and the first two of these only where requests may be under way */
Test(values, a_query_tells_what_a_peer_may_do)
{
	const int from_afar = ACCESS_ALL & ~IBV_ACCESS_LOCAL_WRITE;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(bed.a, &a, IBV_QP_ACCESS_FLAGS, &init));
	cr_assert_eq(a.qp_access_flags, (unsigned int)from_afar);
	go_to(IBV_QPS_INIT);
	CHECK(!ibv_query_qp(bed.a, &a, IBV_QP_ACCESS_FLAGS, &init));
	cr_assert_eq(a.qp_access_flags, IBV_ACCESS_REMOTE_WRITE);
}

/* A path that is changed in SQD may begin at another port, to which the QP goes then */
Test(values, a_path_takes_the_qp_to_its_port)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD }, path = path_to(bed.b->qp_num);
	struct ibv_device_attr device;
	struct ibv_qp_init_attr init;

	CHECK(!ibv_query_device(bed.ctx, &device));
	if (device.phys_port_cnt < 2)
		skip("there is one port");
	CHECK(!ibv_modify_qp(bed.a, &a, IBV_QP_STATE));
	path.ah_attr.port_num = 2;
	CHECK(!ibv_modify_qp(bed.a, &path, IBV_QP_AV));
	CHECK(!ibv_query_qp(bed.a, &a, IBV_QP_PORT | IBV_QP_AV, &init));
	cr_assert_eq(a.port_num, 2);
	path.port_num = 1;
	cr_assert_eq(ibv_modify_qp(bed.a, &path, IBV_QP_AV | IBV_QP_PORT), EINVAL);
	path.ah_attr.port_num = 3;
	cr_assert_eq(ibv_modify_qp(bed.a, &path, IBV_QP_AV), EINVAL);
}

/* The field of the context is left as it is, at the logarithm of one: no limit of mlx5 keeps a QP from reading */
Test(values, with_a_limit_of_no_reads_they_go_one_by_one)
{
	struct ibv_sge s = { address(0), 8, bed.mr->lkey };
	struct ibv_send_wr w = { .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_qp_attr a = path_to(bed.b->qp_num);

	a.max_rd_atomic = 0;
	start_rc(bed.a, a);
	start_rc(bed.b, path_to(bed.a->qp_num));
	w.wr.rdma.remote_addr = address(4096);
	w.wr.rdma.rkey = bed.mr->rkey;
	for (w.wr_id = 0; w.wr_id < 3; w.wr_id++)
		CHECK(!ibv_post_send(bed.a, &w, &bad));
	for (int i = 0; i < 3; i++)
		expect_wc(i, 0, IBV_WC_RDMA_READ);
}

/* 8 has no bit in three: nothing is tried again, where 7 would be for ever */
Test(values, rnr_retry_8_gives_up_at_once)
{
	struct ibv_qp_attr a = path_to(bed.b->qp_num);

	a.rnr_retry = 8;
	start_rc(bed.a, a);
	start_rc(bed.b, path_to(bed.a->qp_num));
	post_send(bed.a, 1, 0, 16);
	expect_own_error(IBV_WC_RNR_RETRY_EXC_ERR);
}

/* The number of the QP has no such bit */
Test(values, psns_meet_in_24_bits)
{
	struct ibv_qp_attr a = path_to(bed.b->qp_num);

	a.sq_psn |= 0x55000000;
	a.rq_psn |= 0xaa000000;
	start_rc(bed.a, a);
	start_rc(bed.b, path_to(bed.a->qp_num));
	post_recv(bed.b, 2, 32768, 16);
	post_send(bed.a, 1, 0, 16);
	for (int i = 0; i < 2; i++)
		CHECK(!wait_wc(bed.cq).status);
}

/* bed.a begins so many packets ahead of what bed.b expects; negative: behind */
static void begin_ahead(int packets)
{
	struct ibv_qp_attr a = path_to(bed.b->qp_num);

	a.sq_psn += packets;
	start_rc(bed.a, a);
	start_rc(bed.b, path_to(bed.a->qp_num));
	post_recv(bed.b, 2, 32768, 16);
	post_send(bed.a, 1, 0, 16);
}

Test(values, a_psn_too_high_is_never_answered)
{
	begin_ahead(5);
	expect_own_error(IBV_WC_RETRY_EXC_ERR);
}

/* For the responder it is a message that it had before */
Test(values, a_psn_too_low_is_acknowledged_and_thrown_away)
{
	struct ibv_wc wc;

	begin_ahead(-5);
	expect_wc(1, 0, IBV_WC_SEND);
	CHECK(ibv_poll_cq(bed.cq, 1, &wc) == 0);
}
