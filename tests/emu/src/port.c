/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The one port and its GID. */
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "limits.h"
#include "port_state.h"

static int query_port(struct call *c)
{
	const struct ib_uverbs_query_port_resp_ex r = {
		.legacy_resp = { .state = port_state.state,
				 .max_mtu = IBV_MTU_4096,
				 .active_mtu = IBV_MTU_4096,
				 .gid_tbl_len = MAX_GIDS,
				 .pkey_tbl_len = MAX_PKEYS,
				 .lid = port_state.lid,
				 .sm_lid = SM_LID,
				 .max_msg_sz = MAX_MESSAGE,
				 .max_vl_num = 4,
				 .subnet_timeout = 18,
				 .active_width = port_state.width,
				 .active_speed = port_state.speed,
				 .phys_state = port_state.phys_state,
				 .link_layer = IBV_LINK_LAYER_INFINIBAND },
	};

	if (call_value(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM) != 1)
		return EINVAL;
	call_put(c, UVERBS_ATTR_QUERY_PORT_RESP, &r, sizeof(r));
	return 0;
}

static const struct ib_uverbs_gid_entry *gid_entry(void)
{
	static struct ib_uverbs_gid_entry entry = { .port_num = 1 };

	entry.gid[0] = htobe64(GID_PREFIX);
	entry.gid[1] = htobe64(PORT_GUID);
	return &entry;
}

static int query_gid_table(struct call *c)
{
	struct ib_uverbs_attr *entries = call_attr(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);

	if (!entries || entries->len < sizeof(struct ib_uverbs_gid_entry))
		return EINVAL;
	call_put(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, gid_entry(),
		 sizeof(struct ib_uverbs_gid_entry));
	call_put_u64(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 1);
	return 0;
}

static int query_gid_entry(struct call *c)
{
	uint32_t index = call_value(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);

	if (call_value(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT) != 1 || index >= MAX_GIDS)
		return EINVAL;
	if (index)
		return ENODATA;
	call_put(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, gid_entry(), sizeof(struct ib_uverbs_gid_entry));
	return 0;
}

const struct method port_methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, "query_port", query_port),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, "query_gid_table", query_gid_table),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, "query_gid_entry", query_gid_entry),
	{ 0 },
};
