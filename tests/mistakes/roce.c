/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

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

	must(vx_ctx_query_gid(b->ctx, 1, 0, &own));
	attr.grh.dgid = own.gid;
	return vx_ctx_resolve_eth_l2_from_gid(b->ctx, &attr, mac, &vid);
}

static int atomics(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_INIT);
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET);

	attr.qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC;
	expect_answer(b);
	return vx_qp_modify(qp, &attr, TO_INIT);
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

	return vx_ah_create(b->pd, &(struct vx_ah_init){ .is_global = 1, .grh = attr.ah_attr.grh, .sl = 16 }, &(struct vx_ah *){ NULL });
}

static int address_of_many_path_bits(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	return vx_ah_create(b->pd, &(struct vx_ah_init){ .is_global = 1, .grh = attr.ah_attr.grh, .src_path_bits = 128 },
			    &(struct vx_ah *){ NULL });
}

/* A completion does not tell who sent the message: that is in the 40 bytes before it. */
static int address_without_header(struct bench *b)
{
	const struct ibv_wc wc = { .slid = 7, .src_qp = 5 };

	return vx_ah_create_from_wc(b->pd, &wc, NULL, 1, &(struct vx_ah *){ NULL });
}

static int address_of_a_wide_flow(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTR);

	attr.ah_attr.grh.flow_label = 0x123456;
	return vx_ah_create(b->pd, &(struct vx_ah_init){ .is_global = 1, .grh = attr.ah_attr.grh }, &(struct vx_ah *){ NULL });
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
	{ "connecting while the cable is out", port_down, -ENETUNREACH, "the port is IBV_PORT_DOWN", "modify_qp:ENETUNREACH",
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
	{ "an address of a completion without the header before its message", address_without_header, -EINVAL,
	  "wc_flags lacks IBV_WC_GRH, and on RoCE a GRH is all that tells who sent the message", NULL, EMU_ROCE },
	{ "an address with a flow label of more than 20 bits", address_of_a_wide_flow, -EINVAL,
	  "grh.flow_label = 0x123456, but the most is 0xfffff", NULL, EMU_ROCE },
	{ "an address with a service level of more than 4 bits", address_of_high_service, -EINVAL, "sl = 16, but the most is 15",
	  NULL, EMU_ROCE },
	{ "an address with path bits of more than 7 bits", address_of_many_path_bits, -EINVAL, "src_path_bits = 128, but the most is 127",
	  NULL, EMU_ROCE },
	{ "an address that nobody answers for", one_more_address, -ETIMEDOUT, "no route to grh.dgid, or its host is down",
	  "create_ah:ETIMEDOUT", EMU_ROCE },
	{ "addresses until there are no more", one_more_address, -ENOMEM, "max_ah = ", "create_ah:ENOMEM", EMU_ROCE },
	{ "an alternate path", alternate_path, -EINVAL, "RoCE has no alternate paths", NULL, ROCE },
	{ "a send queue longer than the device has", many_sends, -EINVAL, "cap.max_send_wr = 16777216, but", NULL, ROCE },
	{ "a CQ longer than the device has", long_cq, -EINVAL, "cqe = 16777216, but", NULL, ROCE },
	{ "XRC on a device without it", xrc_domain, -EOPNOTSUPP, "IBV_DEVICE_XRC", NULL, ROCE },
	{ "a window on a device without them", window_1, -EOPNOTSUPP, "lacks IBV_DEVICE_MEM_WINDOW)", NULL, EMU_ROCE },
	{ "a window of type 2 on a device without them", window_2, -EOPNOTSUPP, "lacks IBV_DEVICE_MEM_WINDOW_TYPE_2A", NULL, EMU_ROCE },
	{ "a time stamp from a device without a clock", stamped_cq, -EOPNOTSUPP,
	  "the device has no clock for IBV_WC_EX_WITH_COMPLETION_TIMESTAMP", NULL, SOFT_ROCE },
	{ "device memory of a device that has none", device_memory, -EOPNOTSUPP, "max_dm_size = ", NULL, SOFT_ROCE },
	{ "an address on a port that is not there", address_on_port_4, -EINVAL,
	  "Invalid argument: port_num = 4, but the device allows phys_port_cnt = 1", NULL, EMU_ROCE },
	{ "a MAC by way of an address that no interface has", mac_behind_nothing, -EINVAL,
	  "no network interface here may have the address of grh.sgid_index = 0", NULL, EMU_ROCE },
	{ "atomics on a device that has none", atomics, -EINVAL, "the device cannot do atomics (atomic_cap = IBV_ATOMIC_NONE)",
	  "modify_qp:EINVAL", EMU_ROCE },
	{ "from RESET straight to RTS", straight_to_rts, -EINVAL, "RC goes from RESET to INIT or RESET, not to RTS", NULL, ROCE },
	{ "no RNR timer", rtr_without_timer, -EINVAL, "RC needs IBV_QP_MIN_RNR_TIMER", NULL, ROCE },
};

CHAPTER(roce, "RoCE");
