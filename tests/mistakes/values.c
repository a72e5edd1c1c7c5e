/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Attributes of a QP that its device, its port or the protocol cannot have. */

#include <verbsx/config.h>

#include "mistakes.h"

/* From the state before, with one attribute changed. */
static int modify(struct bench *b, struct ibv_qp_attr *attr, int mask)
{
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, attr->qp_state - 1);

	expect_answer(b);
	return vx_qp_modify(qp, attr, mask);
}

#define MODIFIED(name, state, mask, change) \
	static int name(struct bench *b) \
	{ \
		struct ibv_qp_attr attr = usual_attr(b, state); \
\
		change; \
		return modify(b, &attr, mask); \
	}

MODIFIED(port_0, IBV_QPS_INIT, TO_INIT, attr.port_num = 0)
MODIFIED(port_2, IBV_QPS_INIT, TO_INIT, attr.port_num = 2)
MODIFIED(far_pkey, IBV_QPS_INIT, TO_INIT, attr.pkey_index = 4)
MODIFIED(empty_pkey, IBV_QPS_INIT, TO_INIT, attr.pkey_index = 2)
MODIFIED(no_mtu, IBV_QPS_RTR, TO_RTR, attr.path_mtu = 0)
MODIFIED(mtu_in_bytes, IBV_QPS_RTR, TO_RTR, attr.path_mtu = (enum ibv_mtu)1024)
MODIFIED(mtu_9, IBV_QPS_RTR, TO_RTR, attr.path_mtu = (enum ibv_mtu)9)
MODIFIED(wide_qp_number, IBV_QPS_RTR, TO_RTR, attr.dest_qp_num = 0x01000105)
MODIFIED(wide_rq_psn, IBV_QPS_RTR, TO_RTR, attr.rq_psn = 0x12345678)
MODIFIED(wide_sq_psn, IBV_QPS_RTS, TO_RTS, attr.sq_psn = 0x12345678)
MODIFIED(long_timer, IBV_QPS_RTR, TO_RTR, attr.min_rnr_timer = 32)
MODIFIED(timeout_in_ms, IBV_QPS_RTS, TO_RTS, attr.timeout = 100)
MODIFIED(many_retries, IBV_QPS_RTS, TO_RTS, attr.retry_cnt = 10)
MODIFIED(many_rnr_retries, IBV_QPS_RTS, TO_RTS, attr.rnr_retry = 255)
MODIFIED(many_reads, IBV_QPS_RTS, TO_RTS, attr.max_rd_atomic = 128)
MODIFIED(many_reads_of_the_peer, IBV_QPS_RTR, TO_RTR, attr.max_dest_rd_atomic = 128)
MODIFIED(far_gid, IBV_QPS_RTR, TO_RTR, (attr.ah_attr.is_global = 1, attr.ah_attr.grh.sgid_index = 100,
					attr.ah_attr.grh.dgid.raw[0] = 0xfe))
MODIFIED(empty_gid, IBV_QPS_RTR, TO_RTR, (attr.ah_attr.is_global = 1, attr.ah_attr.grh.sgid_index = 3,
					  attr.ah_attr.grh.dgid.raw[0] = 0xfe))
MODIFIED(right_of_memory, IBV_QPS_INIT, TO_INIT, attr.qp_access_flags |= IBV_ACCESS_ON_DEMAND)
MODIFIED(no_right, IBV_QPS_INIT, TO_INIT, attr.qp_access_flags |= 1 << 15)
MODIFIED(no_alternate_gid, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH, (attr.alt_port_num = 1, attr.alt_ah_attr = attr.ah_attr,
								   attr.alt_ah_attr.is_global = 1))
MODIFIED(no_gid, IBV_QPS_RTR, TO_RTR, attr.ah_attr.is_global = 1)
MODIFIED(no_lid, IBV_QPS_RTR, TO_RTR, attr.ah_attr.dlid = 0)
MODIFIED(lid_of_a_group, IBV_QPS_RTR, TO_RTR, attr.ah_attr.dlid = 0xc001)
MODIFIED(another_own_lid, IBV_QPS_RTR, TO_RTR, attr.ah_attr.src_path_bits = 1)
MODIFIED(wide_flow_label, IBV_QPS_RTR, TO_RTR, (attr.ah_attr.is_global = 1, attr.ah_attr.grh.flow_label = 0x123456,
						attr.ah_attr.grh.dgid.raw[0] = 0xfe))
MODIFIED(migrate, IBV_QPS_RTS, TO_RTS | IBV_QP_PATH_MIG_STATE, attr.path_mig_state = IBV_MIG_REARM)
MODIFIED(high_service_level, IBV_QPS_RTR, TO_RTR, attr.ah_attr.sl = 16)
MODIFIED(many_path_bits, IBV_QPS_RTR, TO_RTR, attr.ah_attr.src_path_bits = 128)
MODIFIED(address_on_another_port, IBV_QPS_RTR, TO_RTR, attr.ah_attr.port_num = 2)
#if VX_RDMA_CORE < 45
MODIFIED(newer_right, IBV_QPS_INIT, TO_INIT, attr.qp_access_flags |= 1 << 8)
#endif
MODIFIED(alternate_port_0, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH, attr.alt_ah_attr = attr.ah_attr)
MODIFIED(empty_alternate_gid, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH, (attr.alt_port_num = 1, attr.alt_ah_attr = (struct ibv_ah_attr){
	.port_num = 1, .is_global = 1, .grh.sgid_index = 3 }))

MODIFIED(large_alternate, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH,
	 (attr.alt_port_num = 1, attr.alt_pkey_index = 4, attr.alt_timeout = 32,
	  attr.alt_ah_attr = (struct ibv_ah_attr){ .port_num = 2, .sl = 16, .src_path_bits = 128, .is_global = 1,
					       .grh = { .sgid_index = 100, .flow_label = 1 << 20 } }))
MODIFIED(alternate_port_2, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH, (attr.alt_port_num = 2, attr.alt_ah_attr = attr.ah_attr))

MODIFIED(address_on_port_0, IBV_QPS_RTR, TO_RTR, attr.ah_attr.port_num = 0)
MODIFIED(alternate_address_on_port_0, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH, attr.alt_port_num = 1)

/* This device has one port. */
static int address_on_the_other_port(struct bench *b)
{
	return alone(b, "another port", "VERBSX_EMU_CONFIG", "ports=2");
}

static int privileged_qkey(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_INIT);
	struct vx_qp *qp = qp_in(b, IBV_QPT_UD, IBV_QPS_RESET);

	attr.qkey = 0x80010000;
	expect_answer(b);
	return vx_qp_modify(qp, &attr, TO_INIT_UD);
}

static const struct mistake mistakes[] = {
	{ "a port number that was left 0", port_0, -EINVAL, "port_num is 0, and ports are counted from 1" },
	{ "a port that is not there", port_2, -EINVAL, "port_num = 2, but the device allows phys_port_cnt = 1" },
	{ "a P_Key index past the table", far_pkey, -EINVAL, "pkey_index = 4, but the port has pkey_tbl_len = 4" },
	{ "a P_Key that is not set", empty_pkey, -EINVAL, "pkey_index = 2 is an empty entry", "modify_qp:EINVAL" },
	{ "an MTU that was left 0", no_mtu, -EINVAL, "path_mtu is 0" },
	{ "an MTU in bytes", mtu_in_bytes, -EINVAL, "Invalid argument: path_mtu = 1024 is none of enum ibv_mtu: IBV_MTU_1024 is 3" },
	{ "an MTU that nobody has", mtu_9, -EINVAL, "Invalid argument: path_mtu = 9 is none of enum ibv_mtu" },
	{ "a QP number that came with other bytes", wide_qp_number, -EINVAL, "dest_qp_num = 16777477, but the most is 0xffffff" },
	{ "a random PSN of 32 bits for receiving", wide_rq_psn, -EINVAL, "rq_psn = 305419896, but the most is 0xffffff" },
	{ "a random PSN of 32 bits for sending", wide_sq_psn, -EINVAL, "sq_psn = 305419896, but the most is 0xffffff" },
	{ "an RNR timer that does not fit in 5 bits", long_timer, -EINVAL, "min_rnr_timer = 32, but the most is 31" },
	{ "a timeout in milliseconds", timeout_in_ms, -EINVAL, "but the most is 31" },
	{ "ten retries", many_retries, -EINVAL, "retry_cnt = 10, but the most is 7" },
	{ "255 for retries without end", many_rnr_retries, -EINVAL, "but the most is 7" },
	{ "more outstanding reads than the device can do", many_reads, -EINVAL,
	  "max_rd_atomic = 128, but the device allows max_qp_init_rd_atom = 16" },
	{ "more reads of the peer than the device can serve", many_reads_of_the_peer, -EINVAL,
	  "max_dest_rd_atomic = 128, but the device allows max_qp_rd_atom = 16" },
	{ "a GID index past the table", far_gid, -EINVAL,
	  "ah_attr.grh.sgid_index = 100, but the port has gid_tbl_len = 4" },
	{ "a GID that is not set", empty_gid, -ENODATA, "ah_attr.grh.sgid_index = 3 is an empty entry" },
	{ "a GID that is not set, by the driver of a device that says EINVAL", empty_gid, -EINVAL,
	  "ah_attr.grh.sgid_index = 3 is an empty entry", "modify_qp:EINVAL" },
	{ "a GRH without the peer's GID", no_gid, -EINVAL, "ah_attr.grh.dgid is all zero", "modify_qp:EINVAL" },
	{ "neither LID nor GID of the peer", no_lid, -EINVAL, "ah_attr.dlid is 0 and there is no GRH" },
	{ "the LID of a group for that of the peer", lid_of_a_group, -EINVAL, "ah_attr.dlid = 49153 is the LID of a group" },
	{ "a source LID that the port does not have", another_own_lid, -EINVAL,
	  "ah_attr.src_path_bits = 1, but the port has one LID (lmc = 0)", "modify_qp:EINVAL" },
	{ "a flow label of more than 20 bits", wide_flow_label, -EINVAL, "ah_attr.grh.flow_label = 0x123456, but the most is 0xfffff" },
	{ "path migration by a device that has none", migrate, -EINVAL, "path_mig_state needs a device with automatic path migration" },
	{ "a privileged Q_Key without the right to it", privileged_qkey, -EPERM,
	  "is privileged (its bit 31 is set), which takes the capability CAP_NET_RAW", "modify_qp:EPERM" },
	{ "path bits of more than 7 bits", many_path_bits, -EINVAL, "ah_attr.src_path_bits = 128, but the most is 127" },
	{ "a service level of more than 4 bits", high_service_level, -EINVAL, "ah_attr.sl = 16, but the most is 15" },
#if VX_RDMA_CORE < 45
	{ "a right that a newer rdma-core has", newer_right, -EINVAL, "IBV_ACCESS_FLUSH_GLOBAL of qp_access_flags needs rdma-core 45, and",
	  "modify_qp:EINVAL" },
#endif
	{ "a right of memory for the peers of a QP", right_of_memory, -EINVAL, "other rights in qp_access_flags are of memory", "modify_qp:EINVAL" },
	{ "a bit of qp_access_flags that is no right", no_right, -EINVAL, "qp_access_flags has 0x8000, which is none of enum ibv_access_flags",
	  "modify_qp:EINVAL" },
	{ "an alternate path with a GRH without the peer's GID", no_alternate_gid, -EINVAL, "alt_ah_attr.grh.dgid is all zero",
	  "modify_qp:EINVAL" },
	{ "an alternate path without a port", alternate_port_0, -EINVAL, "alt_port_num is 0" },
	{ "an alternate path on a port that is not there", alternate_port_2, -EINVAL,
	  "alt_port_num = 2, but the device allows phys_port_cnt = 1" },
	{ "an alternate path of which all is too large", large_alternate, -EINVAL,
	  "alt_timeout = 32, but the most is 31" },
	{ "an alternate path from a GID that is not set", empty_alternate_gid, -ENODATA,
	  "alt_ah_attr.grh.sgid_index = 3 is an empty entry" },
	{ "an address on a port that is not there", address_on_another_port, -EINVAL,
	  "ah_attr.port_num = 2, but the device allows phys_port_cnt = 1" },
	{ "an address on another port than the QP's", address_on_the_other_port, -EINVAL,
	  "Invalid argument: ah_attr.port_num = 2, but the QP is on port 1; alt_ah_attr.port_num = 1, but alt_port_num = 2" },
	{ "an address without a port", address_on_port_0, -EINVAL, "ah_attr.port_num is 0, and ports are counted from 1" },
	{ "an alternate path of which only the port is set", alternate_address_on_port_0, -EINVAL,
	  "alt_ah_attr.port_num is 0, and ports are counted from 1; alt_ah_attr.dlid is 0 and there is no GRH" },
};

CHAPTER(values, "Attributes of a QP");
