/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A QP that spreads by hash what it receives over work queues. Upstream's test also sends; the emulated device makes
 * all of it but the flow, which is recorded.
 */

#include "flow.h"

#define CQS 2
#define LOG_QUEUES 3
#define QUEUES (1 << LOG_QUEUES)
#define DEPTH 512

static struct vx_wq *new_wq(struct vx_cq *cq)
{
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct vx_wq *wq;

	made(vx_wq_create(pd, &(struct vx_wq_init){ .cq = cq, .max_wr = DEPTH, .max_sge = (uint32_t)limits.max_sge }, &wq));
	cr_expect_eq(vx_wq_raw(wq)->wq_type, IBV_WQT_RQ);
	cr_expect_eq(vx_wq_raw(wq)->cq, vx_cq_raw(cq));
	made(vx_wq_modify(wq, &ready));
	cr_expect_eq(vx_wq_raw(wq)->state, IBV_WQS_RDY);
	return wq;
}

static struct vx_ind_table *new_table(void)
{
	struct vx_ind_table *table;
	struct vx_wq *wqs[QUEUES];
	struct vx_cq *cqs[CQS];
	int i;

	for (i = 0; i < CQS; i++)
		made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = DEPTH }, &cqs[i]));
	for (i = 0; i < QUEUES; i++)
		wqs[i] = new_wq(cqs[i % CQS]);
	made(vx_ind_table_create(ctx, &(struct vx_ind_table_init){ .wqs = wqs, .count = QUEUES }, &table));
	return table;
}

Twin(test_rss_traffic, RSSTrafficTest, test_rss_traffic)
{
	const struct vx_flow_spec eth = { .type = IBV_FLOW_SPEC_ETH, .val.eth = { .dst_mac = "01:00:5e:00:00:02" } };
	uint8_t key[40] = { 0x6d, 0x5a, 0x56, 0xda };
	struct vx_qp_init init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ, .rx_hash_key_len = sizeof(key), .rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4,
		},
	};
	struct vx_flow *flow;
	struct vx_qp *qp;

	need_ethernet();
	init.rwq_ind_tbl = new_table();
	made(vx_qp_create(pd, &init, &qp));
	record_flows();
	made(vx_flow_create(qp, &(struct vx_flow_init){ .specs = &eth, .count = 1 }, &flow));
	cr_expect_eq(flow_asked.qp, vx_qp_raw(qp));
	cr_expect_eq(flow_asked.attr.num_of_specs, 1);
	closed(init.rwq_ind_tbl);
	cr_expect_eq(flows_gone, 1, "the flow goes with its QP, and that with the table that it uses");
}
