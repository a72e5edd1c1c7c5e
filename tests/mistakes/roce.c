/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* What only an Ethernet port can get wrong, and what the kernel itself says. */

#include <string.h>

#include "mistakes.h"

static int connect_with(struct bench *b, struct ibv_qp_attr *attr)
{
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_INIT);

	expect_answer(b);
	return vx_qp_modify(qp, attr, TO_RTR);
}

static int no_grh(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	attr.ah_attr = (struct ibv_ah_attr){ .dlid = 7, .port_num = 1 };
	return connect_with(b, &attr);
}

static int large_mtu(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	attr.path_mtu = IBV_MTU_4096;
	return connect_with(b, &attr);
}

/* The device's thread moves the port. */
static void wait_for_port(struct bench *b, enum ibv_port_state state)
{
	struct ibv_port_attr port;

	do
		must(vx_context_query_port(b->ctx, 1, &port));
	while (port.state != state);
}

static int port_down(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_INIT);
	int rc;

	cause("port_down");
	wait_for_port(b, IBV_PORT_DOWN);
	expect_answer(b);
	rc = vx_qp_modify(qp, &attr, TO_RTR);
	cause("port_up");
	wait_for_port(b, IBV_PORT_ACTIVE);
	return rc;
}

static int empty_gid(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	attr.ah_attr.grh.sgid_index = 100;
	return connect_with(b, &attr);
}

static int other_kind_of_gid(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	attr.ah_attr.grh.sgid_index = 0;
	return connect_with(b, &attr);
}

static int many_sends(struct bench *b)
{
	return vx_qp_create(b->pd, &(struct vx_qp_init){
		.send_cq = b->cq, .recv_cq = b->cq, .cap.max_send_wr = 1u << 24 }, &(struct vx_qp *){ NULL });
}

static int long_cq(struct bench *b)
{
	return vx_cq_create(b->ctx, &(struct vx_cq_init){ .cqe = 1u << 24 }, &(struct vx_cq *){ NULL });
}

static int xrc_domain(struct bench *b)
{
	return vx_xrcd_create(b->ctx, NULL, &(struct vx_xrcd *){ NULL });
}

static int window(struct bench *b, enum ibv_mw_type type)
{
	return vx_mw_create(b->pd, &(struct vx_mw_init){ .type = type }, &(struct vx_mw *){ NULL });
}

static int window_1(struct bench *b)
{
	return window(b, IBV_MW_TYPE_1);
}

static int window_2(struct bench *b)
{
	return window(b, IBV_MW_TYPE_2);
}

static int stamped_cq(struct bench *b)
{
	return vx_cq_create(b->ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP },
			    &(struct vx_cq *){ NULL });
}

static int device_memory(struct bench *b)
{
	return vx_dm_create(b->ctx, &(struct vx_dm_init){ .length = 4096 }, &(struct vx_dm *){ NULL });
}

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

static int read_no_counters(struct bench *b)
{
	return vx_counters_read(used_counters(b), (uint64_t[]){ 0 }, 0, 0);
}

static int read_counters_somehow(struct bench *b)
{
	return vx_counters_read(used_counters(b), (uint64_t[]){ 0 }, 1, 0x80);
}

static int address_on_port_4(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	return vx_ah_create(b->pd, &(struct vx_ah_init){ .is_global = 1, .grh = attr.ah_attr.grh, .port_num = 4 },
			    &(struct vx_ah *){ NULL });
}

/* No network interface belongs to the device. */
static int mac_behind_nothing(struct bench *b)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct ibv_gid_entry own;
	uint8_t mac[6];
	uint16_t vid;

	must(vx_context_query_gid(b->ctx, 1, 0, &own));
	attr.grh.dgid = own.gid;
	return vx_context_resolve_eth_l2_from_gid(b->ctx, &attr, mac, &vid);
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
	return spread_by(b, hash);
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

static int spread_of_one_peer(struct bench *b)
{
	return spread(b, (struct vx_qp_init){ .rx_hash_conf = usual_hash() });
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

static int atomics(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_INIT);
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET);

	attr.qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC;
	expect_answer(b);
	return vx_qp_modify(qp, &attr, TO_INIT);
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

static int address_without_grh(struct bench *b)
{
	return vx_ah_create(b->pd, &(struct vx_ah_init){ .dlid = 7, .port_num = 1 }, &(struct vx_ah *){ NULL });
}

/* That of the peer is made up: only the own one is looked at. */
static int address_from(struct bench *b, uint8_t index)
{
	struct vx_ah_init init = { .is_global = 1, .grh.sgid_index = index, .port_num = 1 };

	init.grh.dgid = (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1 } };
	expect_answer(b);
	return vx_ah_create(b->pd, &init, &(struct vx_ah *){ NULL });
}

static int address_from_empty_gid(struct bench *b)
{
	return address_from(b, 15);
}

static int address_from_other_kind(struct bench *b)
{
	return address_from(b, 0);
}

static int address_past_the_table(struct bench *b)
{
	return address_from(b, 200);
}

static int address_of_high_service(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	expect_answer(b);
	return vx_ah_create(b->pd, &(struct vx_ah_init){ .is_global = 1, .grh = attr.ah_attr.grh, .sl = 16 }, &(struct vx_ah *){ NULL });
}

static int one_more_address(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);
	struct vx_ah_init init = { .is_global = 1, .grh = attr.ah_attr.grh, .port_num = 1 };

	expect_answer(b);
	return vx_ah_create(b->pd, &init, &(struct vx_ah *){ NULL });
}

static int alternate_path(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_INIT);

	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = 1;
	expect_answer(b);
	return vx_qp_modify(qp, &attr, TO_RTR | IBV_QP_ALT_PATH);
}

static int straight_to_rts(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTS);

	return vx_qp_modify(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), &attr, TO_RTS);
}

static int rtr_without_timer(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	return vx_qp_modify(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), &attr, TO_RTR & ~IBV_QP_MIN_RNR_TIMER);
}

static const struct mistake mistakes[] = {
	{ "connecting by LID, as over InfiniBand", no_grh, -EINVAL, "RoCE needs a GRH", NULL, ROCE },
	{ "an MTU above that of the Ethernet interface", large_mtu, -EINVAL,
	  "path_mtu = 4096 bytes (5), but the port allows active_mtu = 1024 bytes (3)", "modify_qp:EINVAL", EMU_ROCE },
	{ "connecting while the cable is out", port_down, -ENETUNREACH, "port 1 is IBV_PORT_DOWN", "modify_qp:ENETUNREACH",
	  EMU_ROCE },
	{ "a GID that is not set", empty_gid, -ENODATA, "ah_attr.grh.sgid_index = 100 is an empty entry", NULL, SOFT_ROCE },
	{ "a link-local GID to reach an IPv4 address", other_kind_of_gid, -EINVAL, "of another kind than dgid",
	  "modify_qp:EINVAL", ROCE },
	{ "an address by LID", address_without_grh, -EINVAL, "RoCE needs a GRH", NULL, ROCE },
	{ "an address from a GID that is not set", address_from_empty_gid, -ENODATA, "grh.sgid_index = 15 is an empty entry", NULL,
	  ROCE },
	{ "an address from a link-local GID to IPv4", address_from_other_kind, -EINVAL, "of another kind than dgid",
	  "create_ah:EINVAL", ROCE },
	{ "an address from a GID past the end of the table", address_past_the_table, -EINVAL,
	  "grh.sgid_index = 200, but the port has gid_tbl_len = ", NULL, EMU_ROCE },
	{ "an address with a service level of more than 4 bits", address_of_high_service, -EINVAL, "sl = 16, but the most is 15",
	  "create_ah:EINVAL", EMU_ROCE },
	{ "an address that nobody answers for", one_more_address, -ETIMEDOUT, "no route to grh.dgid, or its host is down",
	  "create_ah:ETIMEDOUT", EMU_ROCE },
	{ "addresses until there are no more", one_more_address, -ENOMEM, "max_ah = ", "create_ah:ENOMEM", EMU_ROCE },
	{ "an alternate path", alternate_path, -EINVAL, "RoCE has no alternate paths", "modify_qp:EINVAL", ROCE },
	{ "a send queue longer than the device has", many_sends, -EINVAL, "cap.max_send_wr = 16777216, but", NULL, ROCE },
	{ "a CQ longer than the device has", long_cq, -EINVAL, "cqe = 16777216, but", NULL, ROCE },
	{ "XRC on a device without it", xrc_domain, -EOPNOTSUPP, "IBV_DEVICE_XRC", NULL, ROCE },
	{ "a window on a device without them", window_1, -EOPNOTSUPP, "lacks IBV_DEVICE_MEM_WINDOW)", NULL, EMU_ROCE },
	{ "a window of type 2 on a device without them", window_2, -EOPNOTSUPP, "lacks IBV_DEVICE_MEM_WINDOW_TYPE_2A", NULL, EMU_ROCE },
	{ "a time stamp from a device without a clock", stamped_cq, -EOPNOTSUPP,
	  "the device has no clock for IBV_WC_EX_WITH_COMPLETION_TIMESTAMP", NULL, SOFT_ROCE },
	{ "device memory of a device that has none", device_memory, -EOPNOTSUPP, "max_dm_size = ", NULL, SOFT_ROCE },
	{ "raw frames without the right to them", frames, -EPERM, "takes the capability CAP_NET_RAW", "create_qp:EPERM", EMU_ROCE },
	{ "RDMA writes as raw frames", frames_that_write, -EOPNOTSUPP, "IBV_QPT_RAW_PACKET has no RDMA, atomics, windows, invalidation or "
	  "immediate data, which send_ops_flags asks for", NULL, EMU_ROCE },
	{ "a WQ on a device without them", plain_wq, -EOPNOTSUPP, "the device has no WQs (max_wq_type_rq = 0)", NULL, SOFT_ROCE },
	{ "WQs until there are no more", plain_wq, -ENOMEM, "max_wq_type_rq = 16384", "create_wq:ENOMEM", EMU_ROCE },
	{ "a WQ longer than the device has", long_wq, -EINVAL, "max_wr = 1048576, but the device allows max_qp_wr = ", NULL, EMU_ROCE },
	{ "too many scatter/gather entries in a WQ", wide_wq, -EINVAL, "max_sge = 64, but the device allows max_sge = ", "create_wq:EINVAL", EMU_ROCE },
	{ "a WQ as long and as wide as the device allows", long_and_wide_wq, -EINVAL,
	  "max_wr = 32768 with max_sge = 30 may be more than the provider can lay out", "create_wq:EINVAL", EMU_ROCE },
	{ "a way to make WQs that nobody knows", unknown_wq_flags, -EOPNOTSUPP, "create_flags has 0x100000, which is none of enum", NULL, EMU_ROCE },
	{ "a state for a WQ without its bit in the mask", change_nothing, -EINVAL, "attr_mask is 0: nothing is to change", NULL, EMU_ROCE },
	{ "steering to a connected QP", flow_of_one_peer, -EINVAL, "only QPs of type UD and RAW_PACKET have flows", NULL, EMU_ROCE },
	{ "a flow that is to come last of all", last_of_all, -ENOMEM,
	  "Cannot allocate memory: the device or its provider may not support priority = 9999", NULL, EMU_ROCE },
	{ "one more counter for a flow that counts already", count_more, -EBUSY,
	  "a flow counts in them already: what they count is chosen before", NULL, EMU_ROCE },
	{ "reading no counters", read_no_counters, -EINVAL, "ncounters is 0", NULL, EMU_ROCE },
	{ "a way to read counters that nobody knows", read_counters_somehow, -EINVAL,
	  "flags has 0x80, which is none of enum ibv_read_counters_flags", NULL, EMU_ROCE },
	{ "an address on a port that is not there", address_on_port_4, -EINVAL,
	  "Invalid argument: port_num = 4, but the device allows phys_port_cnt = 1", NULL, EMU_ROCE },
	{ "a MAC by way of an address that no interface has", mac_behind_nothing, -EINVAL,
	  "no network interface here may have the address of grh.sgid_index = 0", NULL, EMU_ROCE },
	{ "packets spread by a hash of nothing", spread_by_nothing, -EINVAL, "rx_hash_conf.rx_hash_fields_mask is missing",
	  "create_qp:EINVAL", EMU_ROCE },
	{ "packets spread by no hash", spread_by_fields_alone, -EOPNOTSUPP,
	  "Operation not supported: rwq_ind_tbl spreads packets by a hash: rx_hash_conf.rx_hash_function is missing", NULL, EMU_ROCE },
	{ "packets spread by a hash with a short key", spread_by_a_short_key, -EINVAL,
	  "Invalid argument: rx_hash_conf.rx_hash_key_len is not 40, the bytes of a Toeplitz key that providers take", NULL, EMU_ROCE },
	{ "packets spread by what the device cannot hash", spread_by_strange_fields, -EOPNOTSUPP,
	  "may not support rx_hash_conf.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ (0x1), rx_hash_conf.rx_hash_fields_mask = ",
	  "create_qp:EOPNOTSUPP", EMU_ROCE },
	{ "packets spread, and the QP's type left out", spread_of_one_peer, -EINVAL,
	  "rwq_ind_tbl is given, but qp_type is neither IBV_QPT_RAW_PACKET nor IBV_QPT_UD", NULL, EMU_ROCE },
	{ "an indirection table, a CQ and an SRQ to receive by", spread_and_receive, -EINVAL,
	  "rwq_ind_tbl says where packets go: recv_cq must be zero; rwq_ind_tbl says where packets go: srq must be zero",
	  "create_qp:EINVAL", EMU_ROCE },
	{ "atomics on a device that has none", atomics, -EINVAL, "the device cannot do atomics (atomic_cap = IBV_ATOMIC_NONE)",
	  "modify_qp:EINVAL", EMU_ROCE },
	{ "an indirection table of three", three_queues, -EINVAL, "count = 3, which is no power of two", NULL, EMU_ROCE },
	{ "a longer indirection table than the device has", long_table, -EINVAL, "log_ind_tbl_size = 256 (8)", NULL, EMU_ROCE },
	{ "indirection tables until there are no more", one_more_table, -ENOMEM, "rss_caps.max_rwq_indirection_tables = 16384",
	  "create_rwq_ind_table:ENOMEM", EMU_ROCE },
	{ "from RESET straight to RTS", straight_to_rts, -EINVAL, "RC goes from RESET to INIT or RESET, not to RTS", NULL, ROCE },
	{ "no RNR timer", rtr_without_timer, -EINVAL, "RC needs IBV_QP_MIN_RNR_TIMER", NULL, ROCE },
};

CHAPTER(roce, "RoCE");
