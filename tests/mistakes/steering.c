/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Raw frames: what sends and receives them, spreads them, steers and counts them. */

#include <verbsx/mlx5.h>

#include "mistakes.h"

static int frames(struct bench *b)
{
	expect_answer(b);
	return vx_qp_create(b->pd, &(struct vx_qp_init){
		.qp_type = IBV_QPT_RAW_PACKET, .send_cq = b->cq, .recv_cq = b->cq }, &(struct vx_qp *){ NULL });
}

static int frames_that_write(struct bench *b)
{
	return vx_qp_create(b->pd, &(struct vx_qp_init){
		.qp_type = IBV_QPT_RAW_PACKET, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE, .send_cq = b->cq, .recv_cq = b->cq },
		&(struct vx_qp *){ NULL });
}

static int work_queue(struct bench *b, struct vx_wq_init init)
{
	init.cq = b->cq;
	expect_answer(b);
	return vx_wq_create(b->pd, &init, &(struct vx_wq *){ NULL });
}

static int plain_wq(struct bench *b)
{
	return work_queue(b, (struct vx_wq_init){ .max_wr = 16 });
}

static int long_wq(struct bench *b)
{
	return work_queue(b, (struct vx_wq_init){ .max_wr = 1u << 20 });
}

static int wide_wq(struct bench *b)
{
	return work_queue(b, (struct vx_wq_init){ .max_sge = 64 });
}

static int long_and_wide_wq(struct bench *b)
{
	return work_queue(b, (struct vx_wq_init){ .max_wr = 32768, .max_sge = 30 });
}

static int unknown_wq_flags(struct bench *b)
{
	return work_queue(b, (struct vx_wq_init){ .create_flags = 1 << 20 });
}

static int change_nothing(struct bench *b)
{
	struct vx_wq *wq;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wq));
	return vx_wq_modify(wq, &(struct ibv_wq_attr){ .wq_state = IBV_WQS_RDY });
}

static int last_of_all(struct bench *b)
{
	struct vx_flow_spec spec = { .type = IBV_FLOW_SPEC_ETH };
	struct vx_qp *qp;

	must(vx_qp_create(b->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = b->cq, .recv_cq = b->cq }, &qp));
	return vx_flow_create(qp, &(struct vx_flow_init){ .specs = &spec, .count = 1, .priority = 9999 }, &(struct vx_flow *){ NULL });
}

static int flow_of_one_peer(struct bench *b)
{
	return vx_flow_create(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), NULL, &(struct vx_flow *){ NULL });
}

/* What counts the packets of a flow. */
static struct vx_counters *used_counters(struct bench *b)
{
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS };
	struct vx_flow_spec specs[] = { { .type = IBV_FLOW_SPEC_ETH }, { .type = IBV_FLOW_SPEC_ACTION_COUNT } };
	struct vx_flow *flow;
	struct vx_qp *qp;

	must(vx_counters_create(b->ctx, NULL, &specs[1].counters));
	must(vx_counters_attach_point_flow(specs[1].counters, &packets, NULL));
	must(vx_qp_create(b->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = b->cq, .recv_cq = b->cq }, &qp));
	must(vx_flow_create(qp, &(struct vx_flow_init){ .specs = specs, .count = 2 }, &flow));
	return specs[1].counters;
}

static int count_more(struct bench *b)
{
	struct ibv_counter_attach_attr bytes = { .counter_desc = IBV_COUNTER_BYTES, .index = 1 };

	return vx_counters_attach_point_flow(used_counters(b), &bytes, NULL);
}

/* After a call of libmlx5 for it, what attaches would wait for ever. */
static int count_nothing(struct bench *b)
{
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS };
	struct vx_flow_spec spec = { .type = IBV_FLOW_SPEC_ACTION_COUNT };
	struct vx_qp *qp;
	int rc;

	must(vx_counters_create(b->ctx, NULL, &spec.counters));
	must(vx_qp_create(b->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = b->cq, .recv_cq = b->cq }, &qp));
	rc = vx_flow_create(qp, &(struct vx_flow_init){ .specs = &spec, .count = 1 }, &(struct vx_flow *){ NULL });
	must(vx_counters_attach_point_flow(spec.counters, &packets, NULL));
	return rc;
}

static int read_no_counters(struct bench *b)
{
	return vx_counters_read(used_counters(b), (uint64_t[]){ 0 }, 0, 0);
}

static int read_many_counters(struct bench *b)
{
	uint64_t sums[9];
	struct vx_counters *counters = used_counters(b);

	expect_answer(b);
	return vx_counters_read(counters, sums, 9, 0);
}

static int read_counters_somehow(struct bench *b)
{
	return vx_counters_read(used_counters(b), (uint64_t[]){ 0 }, 1, 0x80);
}

/* What is usual to spread packets by. */
static struct ibv_rx_hash_conf usual_hash(void)
{
	static uint8_t key[40];

	return (struct ibv_rx_hash_conf){
		.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ, .rx_hash_key_len = sizeof(key), .rx_hash_key = key,
		.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4,
	};
}

static int spread(struct bench *b, struct vx_qp_init init)
{
	struct vx_wq *wq;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wq));
	must(vx_ind_table_create(b->ctx, &(struct vx_ind_table_init){ .wqs = &wq, .count = 1 }, &init.rwq_ind_tbl));
	expect_answer(b);
	return vx_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int spread_by(struct bench *b, struct ibv_rx_hash_conf hash)
{
	return spread(b, (struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rx_hash_conf = hash });
}

static int spread_by_nothing(struct bench *b)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_fields_mask = 0;
	return spread_by(b, hash);
}

static int spread_by_fields_alone(struct bench *b)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_function = 0;
	return spread(b, (struct vx_qp_init){
		.qp_type = IBV_QPT_RAW_PACKET, .rx_hash_conf = hash, .comp_mask = IBV_QP_INIT_ATTR_RX_HASH });
}

static int spread_by_a_short_key(struct bench *b)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_key_len = 3;
	return spread_by(b, hash);
}

static int spread_by_strange_fields(struct bench *b)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_fields_mask = IBV_RX_HASH_IPSEC_SPI;
	return spread_by(b, hash);
}

/* What is usual, but by these fields. */
static int spread_by_fields(struct bench *b, uint64_t fields)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_fields_mask = fields;
	return spread_by(b, hash);
}

/* One that is, as it is to be. */
static struct vx_qp *spreading(struct bench *b, bool checked)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET, .rx_hash_conf = usual_hash(), .checked = checked };
	struct vx_wq *wq;
	struct vx_qp *qp;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wq));
	must(vx_ind_table_create(b->ctx, &(struct vx_ind_table_init){ .wqs = &wq, .count = 1 }, &init.rwq_ind_tbl));
	must(vx_qp_create(b->pd, &init, &qp));
	expect_answer(b);
	return qp;
}

static int ask_one_that_spreads(struct bench *b)
{
	return vx_qp_query(spreading(b, false), &(struct ibv_qp_attr){ 0 }, IBV_QP_STATE, &(struct ibv_qp_init_attr){ 0 });
}

static int move_one_that_spreads(struct bench *b)
{
	return vx_qp_to_init(spreading(b, false), NULL);
}

static int change_one_that_spreads(struct bench *b)
{
	return vx_qp_modify(spreading(b, false), &(struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT }, IBV_QP_STATE);
}

static int drain_one_that_spreads(struct bench *b)
{
	return vx_qp_drain(spreading(b, false), 100, NULL, NULL);
}

static int receive_by_one_that_spreads(struct bench *b)
{
	return vx_qp_post_recv_one(spreading(b, true), 1, NULL, 0);
}

static int receive_by_one_checked_later(struct bench *b)
{
	struct vx_qp *qp = spreading(b, false);

	must(vx_qp_check(qp));
	return vx_qp_post_recv_one(qp, 1, NULL, 0);
}

static int queues_of_one_that_spreads(struct bench *b)
{
	return vx_mlx5_qp_view(spreading(b, false), &(struct mlx5dv_qp){ .comp_mask = 0 });
}

static int spread_by_both_families(struct bench *b)
{
	return spread_by_fields(b, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_IPV6);
}

static int spread_by_both_ports(struct bench *b)
{
	return spread_by_fields(b, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_SRC_PORT_UDP);
}

static int spread_by_inner_headers(struct bench *b)
{
	return spread_by_fields(b, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER);
}

static int spread_by_another_function(struct bench *b)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_function = 1 << 1;
	return spread_by(b, hash);
}

static int spread_datagrams(struct bench *b)
{
	return spread(b, (struct vx_qp_init){ .qp_type = IBV_QPT_UD, .rx_hash_conf = usual_hash() });
}

static int spread_and_send(struct bench *b)
{
	return spread(b, (struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rx_hash_conf = usual_hash(), .send_cq = b->cq });
}

static int spread_without_vlans(struct bench *b)
{
	return spread(b, (struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rx_hash_conf = usual_hash(),
					      .create_flags = IBV_QP_CREATE_CVLAN_STRIPPING });
}

static int spread_over_nothing(struct bench *b)
{
	expect_answer(b);
	return vx_qp_create(b->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = b->cq, .recv_cq = b->cq,
							 .comp_mask = IBV_QP_INIT_ATTR_RX_HASH }, &(struct vx_qp *){ NULL });
}

static int spread_of_one_peer(struct bench *b)
{
	return spread(b, (struct vx_qp_init){ .rx_hash_conf = usual_hash() });
}

static int spread_by_a_key_of_nothing(struct bench *b)
{
	struct ibv_rx_hash_conf hash = usual_hash();

	hash.rx_hash_key = NULL;
	return spread_by(b, hash);
}

static int hash_without_a_table(struct bench *b)
{
	return vx_qp_create(b->pd, &(struct vx_qp_init){ .send_cq = b->cq, .recv_cq = b->cq, .rx_hash_conf.rx_hash_fields_mask = 1 },
			    &(struct vx_qp *){ NULL });
}

static int group_of_frames(struct bench *b)
{
	struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 } };

	return vx_mcast_create(qp_in(b, IBV_QPT_RAW_PACKET, IBV_QPS_RESET), &group, &(struct vx_mcast *){ NULL });
}

static int spread_over(struct bench *b, size_t count)
{
	struct vx_wq *wqs[256];
	size_t i;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wqs[0]));
	for (i = 1; i < count; i++)
		wqs[i] = wqs[0];
	expect_answer(b);
	return vx_ind_table_create(b->ctx, &(struct vx_ind_table_init){ .wqs = wqs, .count = count }, &(struct vx_ind_table *){ NULL });
}

static int spread_and_receive(struct bench *b)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET, .recv_cq = b->cq, .rx_hash_conf = usual_hash() };

	must(vx_srq_create(b->pd, NULL, &init.srq));
	return spread(b, init);
}

static int one_more_table(struct bench *b)
{
	return spread_over(b, 1);
}

static int long_table(struct bench *b)
{
	return spread_over(b, 256);
}

static int three_queues(struct bench *b)
{
	return spread_over(b, 3);
}

static const struct mistake mistakes[] = {
	{ "raw frames without the right to them", frames, -EPERM, "takes the capability CAP_NET_RAW", "create_qp:EPERM", EMU_ROCE },
	{ "RDMA writes as raw frames", frames_that_write, -EOPNOTSUPP, "IBV_QPT_RAW_PACKET has no RDMA, atomics, windows, invalidation or "
	  "immediate data, which send_ops_flags asks for", NULL, EMU_ROCE },
	{ "a WQ on a device without them", plain_wq, -EOPNOTSUPP, "the device has no WQs (max_wq_type_rq = 0)", NULL, SOFT_ROCE },
	{ "WQs until there are no more", plain_wq, -ENOMEM, "max_wq_type_rq = 16384", "create_wq:ENOMEM", EMU_ROCE },
	{ "a WQ longer than the device has", long_wq, -EINVAL, "max_wr = 1048576, but the device allows max_qp_wr = ", NULL, EMU_ROCE },
	{ "too many scatter/gather entries in a WQ", wide_wq, -EINVAL, "max_sge = 64, but the device allows max_sge = ", NULL, EMU_ROCE },
	{ "a WQ as long and as wide as the device allows", long_and_wide_wq, -EINVAL,
	  "max_wr = 32768 with max_sge = 30 may be more than the provider can lay out", "create_wq:EINVAL", EMU_ROCE },
	{ "a way to make WQs that nobody knows", unknown_wq_flags, -EOPNOTSUPP, "create_flags has 0x100000, which is none of enum", NULL, EMU_ROCE },
	{ "a state for a WQ without its bit in the mask", change_nothing, -EINVAL, "attr_mask is 0: nothing is to change", NULL, EMU_ROCE },
	{ "steering to a connected QP", flow_of_one_peer, -EINVAL, "only QPs of type UD and RAW_PACKET have flows", NULL, EMU_ROCE },
	{ "a flow that is to come last of all", last_of_all, -ENOMEM,
	  "Cannot allocate memory: the device or its provider may not support priority = 9999", NULL, EMU_ROCE },
	{ "a flow that counts in counters without any", count_nothing, -EINVAL, "vx_flow_create: Invalid argument: specs[0].counters has "
	  "nothing attached: vx_counters_attach_point_flow() comes before, and libmlx5 would leave it locked for ever", NULL, EMU_ROCE },
	{ "one more counter for a flow that counts already", count_more, -EBUSY,
	  "a flow counts in them already: what they count is chosen before", NULL, EMU_ROCE },
	{ "reading no counters", read_no_counters, -EINVAL, "ncounters is 0", NULL, EMU_ROCE },
	{ "reading more counters than there are", read_many_counters, -EINVAL, "ncounters = 9 may be more than were attached",
	  "read_counters:EINVAL", EMU_ROCE },
	{ "a way to read counters that nobody knows", read_counters_somehow, -EINVAL,
	  "flags has 0x80, which is none of enum ibv_read_counters_flags", NULL, EMU_ROCE },
	{ "packets spread by a hash of nothing", spread_by_nothing, -EINVAL, "rx_hash_conf.rx_hash_fields_mask is missing",
	  "create_qp:EINVAL", EMU_ROCE },
	{ "packets spread by no hash, as the mask insists", spread_by_fields_alone, -EOPNOTSUPP,
	  "Operation not supported: rwq_ind_tbl spreads packets by a hash: rx_hash_conf.rx_hash_function is missing", NULL, EMU_ROCE },
	{ "packets spread by a hash with a short key", spread_by_a_short_key, -EINVAL,
	  "Invalid argument: rx_hash_conf.rx_hash_key_len is not 40, the bytes of a Toeplitz key that providers take", NULL, EMU_ROCE },
	{ "packets spread by what the device cannot hash", spread_by_strange_fields, -EOPNOTSUPP,
	  "rx_hash_conf.rx_hash_fields_mask = IBV_RX_HASH_IPSEC_SPI (0x100), but the device hashes IBV_RX_HASH_SRC_IPV4|", NULL, EMU_ROCE },
	{ "packets spread by a function that it lacks", spread_by_another_function, -EOPNOTSUPP,
	  "rx_hash_conf.rx_hash_function = 0x2, but the device has IBV_RX_HASH_FUNC_TOEPLITZ (0x1)", NULL, EMU_ROCE },
	{ "packets spread by addresses of both families", spread_by_both_families, -EINVAL,
	  "rx_hash_conf.rx_hash_fields_mask has addresses of IPv4 and of IPv6: the two take a QP each", NULL, EMU_ROCE },
	{ "packets spread by ports of TCP and UDP", spread_by_both_ports, -EINVAL,
	  "rx_hash_conf.rx_hash_fields_mask has ports of TCP and of UDP: the two take a QP each", NULL, EMU_ROCE },
	{ "packets spread by what is in tunnels", spread_by_inner_headers, -EOPNOTSUPP,
	  "for which mlx5 has vx_mlx5_qp_create() with MLX5DV_QP_CREATE_TUNNEL_OFFLOADS", NULL, EMU_ROCE },
	{ "datagrams spread", spread_datagrams, -EOPNOTSUPP,
	  "the device spreads packets of IBV_QPT_RAW_PACKET (0x100), and the QP is of IBV_QPT_UD", NULL, EMU_ROCE },
	{ "packets spread by a QP that is to send as well", spread_and_send, -EOPNOTSUPP,
	  "rwq_ind_tbl is of a QP that only receives: send_cq must be zero", NULL, EMU_ROCE },
	{ "packets spread by a QP that strips VLANs", spread_without_vlans, -EOPNOTSUPP,
	  "create_flags must be zero with rwq_ind_tbl: they are those of each WQ", NULL, EMU_ROCE },
	{ "packets spread, as the mask insists, over nothing", spread_over_nothing, -EINVAL,
	  "comp_mask has IBV_QP_INIT_ATTR_RX_HASH, but rwq_ind_tbl is not given", "create_qp:EINVAL", EMU_ROCE },
	{ "the state of a QP that spreads packets", ask_one_that_spreads, -EOPNOTSUPP, "it is a QP that spreads packets, which has no states and no queues of its own", NULL, EMU_ROCE },
	{ "another state of one, by a path", move_one_that_spreads, -EOPNOTSUPP, "it is a QP that spreads packets, which has no states and no queues of its own", NULL, EMU_ROCE },
	{ "another state of one, by its attributes", change_one_that_spreads, -EOPNOTSUPP, "it is a QP that spreads packets, which has no states and no queues of its own", NULL, EMU_ROCE },
	{ "waiting for what was posted to one", drain_one_that_spreads, -EOPNOTSUPP, "it is a QP that spreads packets, which has no states and no queues of its own", NULL, EMU_ROCE },
	{ "a buffer for what one receives, checked", receive_by_one_that_spreads, -EINVAL, "it is a QP that spreads packets, which has no queues of its own: its WQs are posted to", NULL, EMU_ROCE },
	{ "the same of one that is checked later", receive_by_one_checked_later, -EINVAL, "it is a QP that spreads packets, which has no queues of its own: its WQs are posted to", NULL, EMU_ROCE },
	{ "where the queues of one lie", queues_of_one_that_spreads, -EINVAL, "it is a QP that spreads packets, which has no queues of its own: those are its WQs', vx_mlx5_wq_view()", NULL, EMU_ROCE },
	{ "packets spread by a key that is not there", spread_by_a_key_of_nothing, -EINVAL,
	  "rx_hash_conf.rx_hash_key_len is given, but rx_hash_conf.rx_hash_key is NULL", NULL, EMU_ROCE },
	{ "a hash to spread packets by, but no table", hash_without_a_table, -EINVAL,
	  "rx_hash_conf is given, but rwq_ind_tbl is not", NULL, EMU_ROCE },
	{ "raw frames in a multicast group", group_of_frames, -EINVAL,
	  "only QPs of type IBV_QPT_UD join groups: this one is IBV_QPT_RAW_PACKET (8)", NULL, EMU_ROCE },
	{ "packets spread, and the QP's type left out", spread_of_one_peer, -EINVAL,
	  "rwq_ind_tbl is given, but qp_type is neither IBV_QPT_RAW_PACKET nor IBV_QPT_UD", NULL, EMU_ROCE },
	{ "an indirection table, a CQ and an SRQ to receive by", spread_and_receive, -EINVAL,
	  "rwq_ind_tbl says where packets go: recv_cq must be zero; rwq_ind_tbl says where packets go: srq must be zero",
	  NULL, EMU_ROCE },
	{ "an indirection table of three", three_queues, -EINVAL, "count = 3, which is no power of two below 2^31", NULL, EMU_ROCE },
	{ "a longer indirection table than the device has", long_table, -EINVAL,
	  "count = 256 (8), but the device allows rss_caps.max_rwq_indirection_table_size = 128", NULL, EMU_ROCE },
	{ "indirection tables until there are no more", one_more_table, -ENOMEM, "rss_caps.max_rwq_indirection_tables = 16384",
	  "create_rwq_ind_table:ENOMEM", EMU_ROCE },
};

CHAPTER(steering, "Raw frames, WQs and flows");
