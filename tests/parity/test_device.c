/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <unistd.h>

#include "device.h"

#define MANY_GIDS 1024
#define MEMBERS_KEY 0x7fff

static struct ibv_port_attr port_of(uint8_t port)
{
	struct ibv_port_attr attr;

	made(vx_ctx_query_port(ctx, port, &attr));
	return attr;
}

Twin(test_device, DeviceTest, test_dev_list)
{
	struct vx_device_list *list;

	made(vx_device_list_get(&list));
	cr_expect_gt(list->count, 0);
	vx_device_list_free(list);
}

Twin(test_device, DeviceTest, test_open_dev)
{
	struct vx_device_list *list;
	struct vx_ctx *one;
	size_t i;

	made(vx_device_list_get(&list));
	for (i = 0; i < list->count; i++) {
		made(vx_ctx_open_device(list->devices[i], &one));
		cr_expect_str_eq(vx_ctx_name(one), list->devices[i]->name);
		closed(one);
	}
	vx_device_list_free(list);
}

static void expect_sound(const struct ibv_device_attr *attr)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	cr_expect_neq(attr->node_guid, 0);
	cr_expect_neq(attr->sys_image_guid, 0);
	cr_expect_neq(attr->vendor_id, 0);
	cr_expect_gt(attr->phys_port_cnt, 0);
	cr_expect_gt(attr->max_pkeys, 0);
	cr_expect_gt(attr->max_mr_size, page);
	cr_expect_geq(attr->page_size_cap, page);
	cr_expect(attr->max_qp > 0 && attr->max_qp_wr > 0 && attr->max_sge > 0 && attr->max_sge_rd >= 0);
	cr_expect(attr->max_cq > 0 && attr->max_cqe > 0 && attr->max_mr > 0 && attr->max_pd > 0);
}

Twin(test_device, DeviceTest, test_query_device)
{
	expect_sound(&limits);
}

Twin(test_device, DeviceTest, test_query_device_ex)
{
	struct ibv_device_attr_ex ex;

	made(vx_ctx_query_device_ex(ctx, &ex));
	expect_sound(&ex.orig_attr);
	cr_expect_arr_eq(&ex.orig_attr.node_guid, &limits.node_guid, sizeof(limits.node_guid));
	cr_expect_eq(ex.orig_attr.max_qp, limits.max_qp);
	cr_expect_eq(ex.orig_attr.phys_port_cnt, limits.phys_port_cnt);
}

Twin(test_device, DeviceTest, test_phys_port_cnt_ex)
{
#if VX_RDMA_CORE >= 35
	struct ibv_device_attr_ex ex;

	made(vx_ctx_query_device_ex(ctx, &ex));
	cr_expect_eq(ex.phys_port_cnt_ex, limits.phys_port_cnt, "%u", ex.phys_port_cnt_ex);
#else
	cr_skip_test("the headers are older than rdma-core 35");
#endif
}

Twin(test_device, DeviceTest, test_query_port)
{
	struct ibv_port_attr attr;
	uint8_t port;

	for (port = 1; port <= limits.phys_port_cnt; port++) {
		attr = port_of(port);
		cr_expect_leq(attr.active_mtu, attr.max_mtu);
		cr_expect(attr.state >= IBV_PORT_DOWN && attr.state <= IBV_PORT_ACTIVE_DEFER);
		cr_expect(attr.link_layer == IBV_LINK_LAYER_INFINIBAND || attr.link_layer == IBV_LINK_LAYER_ETHERNET);
		cr_expect_gt(attr.max_msg_sz, 0x1000);
		cr_expect(attr.active_width && attr.active_width < 32, "the width is %u", attr.active_width);
		cr_expect_neq(attr.active_speed, 0);
		cr_expect_not_null(vx_ibv_mtu_name(attr.max_mtu));
		cr_expect_not_null(vx_ibv_mtu_name(attr.active_mtu));
	}
}

Twin(test_device, DeviceTest, test_query_port_bad_flow)
{
	struct ibv_port_attr attr;

	cr_expect_eq(vx_ctx_query_port(ctx, 0, &attr), -EINVAL);
	cr_expect_eq(vx_ctx_query_port(ctx, limits.phys_port_cnt + 1, &attr), -EINVAL);
}

Twin(test_device, DeviceTest, test_query_pkey)
{
	uint16_t pkey;
	uint8_t port;

	for (port = 1; port <= limits.phys_port_cnt; port++) {
		if (!port_of(port).pkey_tbl_len)
			continue;
		made(vx_ctx_query_pkey(ctx, port, 0, &pkey));
		cr_expect_eq(pkey & MEMBERS_KEY, MEMBERS_KEY, "the default partition is not first but 0x%x", pkey);
	}
}

/* What the plain call of rdma-core reads is the oracle. */
static void expect_as_ibv_query_gid(const struct ibv_gid_entry *entry)
{
	union ibv_gid gid;

	cr_assert_eq(ibv_query_gid(vx_ctx_raw(ctx), (uint8_t)entry->port_num, (int)entry->gid_index, &gid), 0);
	cr_expect_arr_eq(entry->gid.raw, gid.raw, sizeof(gid.raw));
}

Twin(test_device, DeviceTest, test_query_gid)
{
	struct ibv_gid_entry entry;
	uint8_t port;

	for (port = 1; port <= limits.phys_port_cnt; port++) {
		cr_assert_gt(port_of(port).gid_tbl_len, 0);
		made(vx_ctx_query_gid(ctx, port, 0, &entry));
		expect_as_ibv_query_gid(&entry);
	}
}

static void expect_type_of_link(const struct ibv_gid_entry *entry)
{
	if (port_of((uint8_t)entry->port_num).link_layer == IBV_LINK_LAYER_INFINIBAND)
		cr_expect_eq(entry->gid_type, IBV_GID_TYPE_IB);
	else
		cr_expect(entry->gid_type == IBV_GID_TYPE_ROCE_V1 || entry->gid_type == IBV_GID_TYPE_ROCE_V2);
}

Twin(test_device, DeviceTest, test_query_gid_ex)
{
	struct ibv_gid_entry entry;
	uint32_t index;
	int code;

	for (index = 0; index < (uint32_t)port_of(1).gid_tbl_len; index++) {
		code = vx_ctx_query_gid(ctx, 1, index, &entry);
		if (code == -ENODATA)
			continue;
		cr_assert_eq(code, 0, "%s", vx_error_text());
		cr_expect_eq(entry.port_num, 1);
		cr_expect_eq(entry.gid_index, index);
		expect_type_of_link(&entry);
	}
}

/* The first index at which the table of port 1 has no GID, or the length of the table. */
static uint32_t first_empty(void)
{
	static struct ibv_gid_entry entries[MANY_GIDS];
	uint32_t length = (uint32_t)port_of(1).gid_tbl_len, index;
	size_t count = 0, i;

	made(vx_ctx_query_gid_table(ctx, entries, MANY_GIDS, &count));
	for (index = 0; index < length; index++) {
		for (i = 0; i < count && (entries[i].port_num != 1 || entries[i].gid_index != index); i++)
			;
		if (i == count)
			break;
	}
	return index;
}

Twin(test_device, DeviceTest, test_query_gid_ex_bad_flow)
{
	struct ibv_gid_entry entry;
	uint32_t empty = first_empty();

	if (empty < (uint32_t)port_of(1).gid_tbl_len)
		cr_expect_eq(vx_ctx_query_gid(ctx, 1, empty, &entry), -ENODATA, "%s", vx_error_text());
	cr_expect_eq(vx_ctx_query_gid(ctx, 1, (uint32_t)port_of(1).gid_tbl_len, &entry), -EINVAL);
	cr_expect_eq(vx_ctx_query_gid(ctx, 0, 0, &entry), -EINVAL);
	cr_expect_eq(vx_ctx_query_gid(ctx, limits.phys_port_cnt + 1, 0, &entry), -EINVAL);
}

Twin(test_device, DeviceTest, test_query_gid_table)
{
	static struct ibv_gid_entry entries[MANY_GIDS];
	size_t count = 0, i;

	made(vx_ctx_query_gid_table(ctx, entries, MANY_GIDS, &count));
	cr_expect_gt(count, 0);
	for (i = 0; i < count; i++) {
		expect_as_ibv_query_gid(&entries[i]);
		expect_type_of_link(&entries[i]);
	}
}

Twin(test_device, DeviceTest, test_query_gid_table_bad_flow)
{
	struct ibv_gid_entry entry;
	size_t count;

	cr_expect_eq(vx_ctx_query_gid_table(ctx, &entry, 0, &count), -EINVAL);
}
