/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the device says of itself. */
#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "bounds.h"
#include "calls/call.h"
#include "config.h"
#include "engine/compress.h"
#include "objects/device.h"
#include "objects/odp.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "objects/tag_list.h"
#include "objects/wq.h"
#include "packets/rss.h"

/* Bytes of a message that says where its data are: headers, and what the program has added */
#define MAX_RNDV_HEADER 64

static const struct {
	const uint32_t *has;
	uint32_t flag;
} switchable[] = {
	{ &config.mw, IB_UVERBS_DEVICE_MEM_WINDOW | IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B },
	{ &config.xrc, IB_UVERBS_DEVICE_XRC },
};

static uint32_t cap_flags(void)
{
	uint32_t flags = IB_UVERBS_DEVICE_RC_RNR_NAK_GEN | IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT |
			 IB_UVERBS_DEVICE_SYS_IMAGE_GUID | IB_UVERBS_DEVICE_MEM_MGT_EXTENSIONS;

	for (size_t i = 0; i < ARRAY_SIZE(switchable); i++)
		if (*switchable[i].has)
			flags |= switchable[i].flag;
	return flags;
}

static struct ib_uverbs_query_device_resp device_resp(uint8_t device)
{
	return (struct ib_uverbs_query_device_resp){
		.fw_ver = 22ull << 32 | 99 << 16 | 1,
		.node_guid = htobe64(port_node_guid(device)),
		.sys_image_guid = htobe64(port_system_guid()),
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000,
		.vendor_id = VENDOR_ID,
		.vendor_part_id = 4125,
		.max_qp = config.max_qp,
		.max_qp_wr = config.max_qp_wr,
		.device_cap_flags = cap_flags(),
		.max_sge = config.max_sge,
		.max_sge_rd = config.max_sge,
		.max_cq = config.max_cq,
		.max_cqe = config.max_cqe,
		.max_mr = config.max_mr,
		.max_pd = config.max_pd,
		.max_qp_rd_atom = config.max_rd_atom,
		.max_res_rd_atom = config.max_rd_atom * config.max_qp,
		.max_qp_init_rd_atom = config.max_rd_atom,
		.atomic_cap = config.atomic ? IBV_ATOMIC_HCA : IBV_ATOMIC_NONE,
		.max_mw = config.mw ? config.max_mw : 0,
		.max_mcast_grp = config.max_mcast_grp,
		.max_mcast_qp_attach = config.max_mcast_grp,
		.max_total_mcast_qp_attach = config.max_mcast_grp,
		.max_ah = INT32_MAX,
		.max_srq = config.max_srq,
		.max_srq_wr = config.max_srq_wr,
		.max_srq_sge = config.max_srq_sge,
		.max_pkeys = MAX_PKEYS,
		.local_ca_ack_delay = 16,
		.phys_port_cnt = config.ports,
	};
}

/* Queues and QPs that only raw packets need */
static void put_ethernet_caps(struct ib_uverbs_ex_query_device_resp *r,
			      struct mlx5_ib_query_device_resp *driver)
{
	r->max_wq_type_rq = config.max_qp;
	r->rss_caps = (struct ib_uverbs_rss_caps){
		.supported_qpts = 1 << IBV_QPT_RAW_PACKET,
		.max_rwq_indirection_tables = config.max_qp,
		.max_rwq_indirection_table_size = 1 << LOG_MAX_TABLE,
	};
	driver->rss_caps = (struct mlx5_ib_rss_caps){
		.rx_hash_fields_mask = rss_fields | MLX5_RX_HASH_INNER, /* which a kernel always says */
		.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ,
	};
}

bool device_is_ethernet(uint8_t device)
{
	return port_get(port_number(device, 1))->ethernet;
}

bool device_matches_tags(uint8_t device)
{
	return config.tag_matching && !device_is_ethernet(device);
}

void device_name(char name[DEVICE_NAME], uint8_t device)
{
	size_t n = strlen(config.device);

	while (n && isdigit((unsigned char)config.device[n - 1]))
		n--;
	if (device)
		snprintf(name, DEVICE_NAME, "%.*s%lu", (int)n, config.device, strtoul(config.device + n, NULL, 10) + device);
	else
		snprintf(name, DEVICE_NAME, "%s", config.device);
}

static void put_tag_caps(struct ib_uverbs_ex_query_device_resp *r)
{
	r->tm_caps = (struct ib_uverbs_tm_caps){
		.max_rndv_hdr_size = MAX_RNDV_HEADER,
		.max_num_tags = MAX_TAGS,
		.flags = IBV_TM_CAP_RC,
		.max_ops = config.max_qp_wr,
		.max_sge = 1,
	};
}

static int query_device(struct call *c)
{
	struct ib_uverbs_ex_query_device_resp r = {
		.base = device_resp(call_device(c)),
		.response_length = sizeof(r),
		.max_dm_size = config.max_dm_size,
		.timestamp_mask = UINT64_MAX,
		.cq_moderation_caps = { .max_cq_moderation_count = CQ_MAX_COUNT,
					.max_cq_moderation_period = CQ_MAX_PERIOD },
		.hca_core_clock = 1000000, /* kHz: timestamps are in ns */
		.device_cap_flags_ex = cap_flags(),
	};
	struct mlx5_ib_query_device_resp driver = { .response_length = sizeof(driver),
						    .flags = MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD };

	driver.cqe_comp_caps = (struct mlx5_ib_cqe_comp_caps){
		.max_num = MAX_COMPRESSED, .supported_format = MLX5_IB_CQE_RES_FORMAT_HASH | MLX5_IB_CQE_RES_FORMAT_CSUM
	};
	odp_put_verbs_caps(&r);
	if (call_is_ethernet(c))
		put_ethernet_caps(&r, &driver);
	if (device_matches_tags(call_device(c)))
		put_tag_caps(&r);
	if (config.dc && config.dci_streams)
		driver.dci_streams_caps =
			(struct mlx5_ib_dci_streams_caps){ .max_log_num_concurent = LOG_MAX_STREAMS,
							   .max_log_num_errored = LOG_MAX_STREAMS };
	call_reply(c, &r, sizeof(r));
	call_driver_out(c, &driver, sizeof(driver));
	return 0;
}

const struct method device_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_QUERY_DEVICE, ib_uverbs_ex_query_device, "query_device", query_device),
	{ 0 },
};
