/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Receive work queues, tables of them and the QPs that spread packets over these: of Ethernet. */
#include "selftest.h"

TestSuite(wq, .init = open_mlx5, .fini = close_bed);

enum {
	TOEPLITZ_KEY_SIZE = 40
};

static struct ibv_wq *try_wq(uint32_t max_wr, uint32_t create_flags)
{
	struct ibv_wq_init_attr a = {
		.wq_type = IBV_WQT_RQ,
		.max_wr = max_wr,
		.max_sge = 1,
		.pd = bed.pd,
		.cq = bed.cq,
		.comp_mask = create_flags ? IBV_WQ_INIT_ATTR_FLAGS : 0,
		.create_flags = create_flags,
	};

	return ibv_create_wq(bed.ctx, &a);
}

static struct ibv_wq *make_wq(void)
{
	struct ibv_wq *w;

	if (!bed.ethernet)
		skip("WQs are of Ethernet");
	w = try_wq(4, 0);
	CHECK(w && w->wq_num);
	return w;
}

static int move(struct ibv_wq *w, enum ibv_wq_state state)
{
	struct ibv_wq_attr a = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state };

	return ibv_modify_wq(w, &a);
}

Test(wq, one_that_was_never_ready_cannot_fail)
{
	struct ibv_wq *w = make_wq();

	cr_expect_eq(move(w, IBV_WQS_ERR), EINVAL);
	CHECK(!move(w, IBV_WQS_RDY) && !move(w, IBV_WQS_ERR) && !move(w, IBV_WQS_RESET));
	CHECK(!ibv_destroy_wq(w));
}

static struct ibv_rwq_ind_table *make_table(struct ibv_wq *w)
{
	struct ibv_wq *both[] = { w, w };
	struct ibv_rwq_ind_table_init_attr a = { .log_ind_tbl_size = 1, .ind_tbl = both };
	struct ibv_rwq_ind_table *t = ibv_create_rwq_ind_table(bed.ctx, &a);

	CHECK(t);
	return t;
}

static struct ibv_qp *try_rss(struct ibv_rwq_ind_table *t, uint8_t key_len, uint64_t fields)
{
	uint8_t key[TOEPLITZ_KEY_SIZE] = { 1 };
	struct ibv_qp_init_attr_ex a = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = bed.pd,
		.rwq_ind_tbl = t,
		.rx_hash_conf = { IBV_RX_HASH_FUNC_TOEPLITZ, key_len, key, fields },
	};

	return ibv_create_qp_ex(bed.ctx, &a);
}

Test(wq, infiniband_has_none)
{
	if (bed.ethernet)
		skip("of InfiniBand");
	CHECK(!try_wq(4, 0) && errno == EOPNOTSUPP);
}

Test(wq, what_was_posted_is_flushed_in_the_error_state)
{
	struct ibv_wq *w = make_wq();
	struct ibv_sge sge = { address(0), 64, bed.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!move(w, IBV_WQS_RDY));
	CHECK(!ibv_post_wq_recv(w, &wr, &bad));
	CHECK(!readable(bed.channel->fd, 0) && !move(w, IBV_WQS_ERR));
	expect_error(7, IBV_WC_WR_FLUSH_ERR);
	CHECK(move(w, IBV_WQS_RDY) == EINVAL);
	CHECK(!move(w, IBV_WQS_RESET) && !move(w, IBV_WQS_RDY));
	CHECK(!ibv_destroy_wq(w));
}

Test(wq, its_fatal_event_can_be_asked_for)
{
	struct ibv_wq *w = make_wq();

	CHECK(!emu_fault("WQ_FATAL", NULL, 0));
	CHECK(wait_async(IBV_EVENT_WQ_FATAL).element.wq == w);
	CHECK(!ibv_destroy_wq(w));
}

Test(wq, what_a_table_or_a_qp_uses_stays)
{
	struct ibv_wq *w = make_wq();
	struct ibv_rwq_ind_table *t = make_table(w);
	struct ibv_qp *q = try_rss(t, TOEPLITZ_KEY_SIZE, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_PORT_TCP);

	CHECK(q);
	CHECK(ibv_destroy_wq(w) == EBUSY);
	CHECK(ibv_destroy_rwq_ind_table(t) == EBUSY);
	CHECK(!ibv_destroy_qp(q) && !ibv_destroy_rwq_ind_table(t) && !ibv_destroy_wq(w));
}

Test(wq, a_hash_has_a_whole_key_and_one_kind_of_address)
{
	struct ibv_wq *w = make_wq();
	struct ibv_rwq_ind_table *t = make_table(w);

	CHECK(!try_rss(t, TOEPLITZ_KEY_SIZE - 1, IBV_RX_HASH_SRC_IPV4) && errno == EINVAL);
	CHECK(!try_rss(t, TOEPLITZ_KEY_SIZE, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV6) && errno == EINVAL);
	CHECK(!ibv_destroy_rwq_ind_table(t) && !ibv_destroy_wq(w));
}

Test(wq, limits_and_capabilities_that_it_lacks)
{
	struct ibv_device_attr_ex d;
	struct ibv_wq *w = make_wq();

	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &d) && d.max_wq_type_rq);
	CHECK(d.rss_caps.max_rwq_indirection_table_size == 128);
	CHECK(!try_wq(d.orig_attr.max_qp_wr + 1, 0) && errno == EINVAL);
	CHECK(!try_wq(4, IBV_WQ_FLAGS_CVLAN_STRIPPING) && errno == EOPNOTSUPP);
	CHECK(!ibv_destroy_wq(w));
}
