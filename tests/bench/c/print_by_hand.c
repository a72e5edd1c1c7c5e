/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "print_by_hand.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>

#define LINE(format, ...) at += (size_t)snprintf(buf + at, len - at, format "\n", __VA_ARGS__)
#define NUMBER(field) LINE("%-25s : %d", #field, attr->field)

size_t device_by_hand(char *buf, size_t len, const struct ibv_device_attr *attr)
{
	size_t at = 0;

	LINE("%-25s : %s", "fw_ver", attr->fw_ver);
	LINE("%-25s : %016" PRIx64, "node_guid", (uint64_t)be64toh(attr->node_guid));
	LINE("%-25s : %016" PRIx64, "sys_image_guid", (uint64_t)be64toh(attr->sys_image_guid));
	LINE("%-25s : %#" PRIx64, "max_mr_size", attr->max_mr_size);
	LINE("%-25s : %#" PRIx64, "page_size_cap", attr->page_size_cap);
	LINE("%-25s : %#x", "vendor_id", attr->vendor_id);
	LINE("%-25s : %u", "vendor_part_id", attr->vendor_part_id);
	LINE("%-25s : %#x", "hw_ver", attr->hw_ver);
	NUMBER(max_qp);
	NUMBER(max_qp_wr);
	LINE("%-25s : %#x", "device_cap_flags", attr->device_cap_flags);
	NUMBER(max_sge);
	NUMBER(max_sge_rd);
	NUMBER(max_cq);
	NUMBER(max_cqe);
	NUMBER(max_mr);
	NUMBER(max_pd);
	NUMBER(max_qp_rd_atom);
	NUMBER(max_ee_rd_atom);
	NUMBER(max_res_rd_atom);
	NUMBER(max_qp_init_rd_atom);
	NUMBER(max_ee_init_rd_atom);
	NUMBER(atomic_cap);
	NUMBER(max_ee);
	NUMBER(max_rdd);
	NUMBER(max_mw);
	NUMBER(max_raw_ipv6_qp);
	NUMBER(max_raw_ethy_qp);
	NUMBER(max_mcast_grp);
	NUMBER(max_mcast_qp_attach);
	NUMBER(max_total_mcast_qp_attach);
	NUMBER(max_ah);
	NUMBER(max_fmr);
	NUMBER(max_map_per_fmr);
	NUMBER(max_srq);
	NUMBER(max_srq_wr);
	NUMBER(max_srq_sge);
	NUMBER(max_pkeys);
	NUMBER(local_ca_ack_delay);
	NUMBER(phys_port_cnt);
	return at;
}

size_t wc_by_hand(char *buf, size_t len, const struct ibv_wc *wc)
{
	size_t at = 0;

	LINE("%-14s : %#" PRIx64, "wr_id", wc->wr_id);
	LINE("%-14s : %s (%d)", "status", ibv_wc_status_str(wc->status), wc->status);
	LINE("%-14s : %d", "opcode", wc->opcode);
	LINE("%-14s : %u", "byte_len", wc->byte_len);
	LINE("%-14s : %#x", "imm_data", be32toh(wc->imm_data));
	LINE("%-14s : %u", "qp_num", wc->qp_num);
	LINE("%-14s : %u", "src_qp", wc->src_qp);
	LINE("%-14s : %#x", "wc_flags", wc->wc_flags);
	LINE("%-14s : %u", "pkey_index", wc->pkey_index);
	LINE("%-14s : %u", "slid", wc->slid);
	LINE("%-14s : %u", "sl", wc->sl);
	LINE("%-14s : %u", "dlid_path_bits", wc->dlid_path_bits);
	return at;
}
