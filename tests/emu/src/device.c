/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the device says of itself. */
#include <endian.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "call.h"
#include "limits.h"

static const struct ib_uverbs_query_device_resp device_resp = {
	.fw_ver = 22ull << 32 | 99 << 16 | 1,
	.max_mr_size = UINT64_MAX,
	.page_size_cap = 0xfffff000,
	.vendor_id = 0x2c9,
	.vendor_part_id = 4125,
	.max_qp = MAX_OBJECTS / 4,
	.max_qp_wr = MAX_QP_WR,
	.device_cap_flags = IB_UVERBS_DEVICE_RC_RNR_NAK_GEN | IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT |
			    IB_UVERBS_DEVICE_SYS_IMAGE_GUID | IB_UVERBS_DEVICE_MEM_WINDOW |
			    IB_UVERBS_DEVICE_XRC | IB_UVERBS_DEVICE_MEM_MGT_EXTENSIONS |
			    IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B,
	.max_sge = MAX_SGE,
	.max_sge_rd = MAX_SGE,
	.max_cq = MAX_OBJECTS / 4,
	.max_cqe = MAX_CQE - 1,
	.max_mr = MAX_OBJECTS / 4,
	.max_pd = MAX_OBJECTS / 4,
	.max_qp_rd_atom = MAX_RD_ATOMIC,
	.max_res_rd_atom = MAX_RD_ATOMIC * (MAX_OBJECTS / 4),
	.max_qp_init_rd_atom = MAX_RD_ATOMIC,
	.atomic_cap = IBV_ATOMIC_HCA,
	.max_mw = MAX_OBJECTS / 4,
	.max_mcast_grp = MAX_MCAST,
	.max_mcast_qp_attach = MAX_MCAST,
	.max_total_mcast_qp_attach = MAX_MCAST,
	.max_ah = INT32_MAX,
	.max_srq = MAX_OBJECTS / 4,
	.max_srq_wr = MAX_SRQ_WR,
	.max_srq_sge = MAX_SRQ_SGE,
	.max_pkeys = MAX_PKEYS,
	.local_ca_ack_delay = 16,
	.phys_port_cnt = 1,
};

static int query_device(struct call *c)
{
	struct ib_uverbs_ex_query_device_resp r = {
		.base = device_resp,
		.response_length = sizeof(r),
		.timestamp_mask = UINT64_MAX,
		.hca_core_clock = 1000000, /* kHz: timestamps are in ns */
		.device_cap_flags_ex = device_resp.device_cap_flags,
	};
	struct mlx5_ib_query_device_resp driver = {
		.response_length = sizeof(driver),
		.dci_streams_caps = { .max_log_num_concurent = 4, .max_log_num_errored = 4 },
	};

	r.base.node_guid = r.base.sys_image_guid = htobe64(NODE_GUID);
	call_reply(c, &r, sizeof(r));
	call_driver_out(c, &driver, sizeof(driver));
	return 0;
}

const struct method device_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_QUERY_DEVICE, "query_device", query_device),
	{ 0 },
};
