/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What mailboxes and the driver tell of the device and its ports besides verbs: QUERY_ADAPTER, QUERY_VPORT_STATE, ... */
#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm.h"
#include "config.h"
#include "objects/device.h"
#include "objects/port.h"
#include "objects/port_state.h"

/* Of QUERY_LAG */
static const struct field LAG_STATE = FIELD(QUERY_LAG_OUT_LAG_STATE);
static const struct field LAG_TX_REMAP_AFFINITY_2 = FIELD(QUERY_LAG_OUT_TX_REMAP_AFFINITY_2);
static const struct field LAG_TX_REMAP_AFFINITY_1 = FIELD(QUERY_LAG_OUT_TX_REMAP_AFFINITY_1);
#define LAG_CONTEXT_SIZE 16

static const struct field VPORT_PORT_NUM = FIELD(QUERY_HCA_VPORT_CONTEXT_PORT_NUM);

static const struct field VPORT_GRH_REQUIRED = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_GRH_REQUIRED);
static const struct field VPORT_PORT_PHYSICAL_STATE = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_PORT_PHYSICAL_STATE);
static const struct field VPORT_PORT_STATE = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_PORT_STATE);
static const struct field VPORT_STATE = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_VPORT_STATE);
static const struct field VPORT_SYSTEM_IMAGE_GUID = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_SYSTEM_IMAGE_GUID);
static const struct field VPORT_PORT_GUID = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_PORT_GUID);
static const struct field VPORT_NODE_GUID = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_NODE_GUID);
static const struct field VPORT_LID = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_LID);
static const struct field VPORT_SM_LID = FIELD(QUERY_HCA_VPORT_CONTEXT_OUT_SM_LID);

#define VPORT_CONTEXT_SIZE 524

/* Of QUERY_VPORT_STATE, whose modifier 0 means this function's own */
static const struct field VPORT_OTHER = FIELD(QUERY_VPORT_STATE_OTHER_VPORT);
static const struct field VPORT_ADMIN_STATE = FIELD(QUERY_VPORT_STATE_OUT_ADMIN_STATE);
static const struct field VPORT_OPER_STATE = FIELD(QUERY_VPORT_STATE_OUT_OPER_STATE);

enum {
	VPORT_DOWN,
	VPORT_UP
};

/* Of QUERY_ADAPTER */
static const struct field ADAPTER_IEEE_VENDOR_ID = FIELD(QUERY_ADAPTER_OUT_IEEE_VENDOR_ID);
static const struct field ADAPTER_VSD_VENDOR_ID = FIELD(QUERY_ADAPTER_OUT_VSD_VENDOR_ID);
#define ADAPTER_PSID_AT 256
#define ADAPTER_SIZE 272

int adapter_query(struct call *c, struct mailboxes *m)
{
	(void)c;
	if (m->out_len < ADAPTER_SIZE)
		return EINVAL;
	prm_set(m->out, ADAPTER_IEEE_VENDOR_ID, VENDOR_ID);
	prm_set(m->out, ADAPTER_VSD_VENDOR_ID, PCI_VENDOR_ID);
	memcpy(m->out + ADAPTER_PSID_AT, BOARD_ID, sizeof(BOARD_ID) - 1);
	return 0;
}

/* Of the first port: there are no functions but this one */
int vport_state_query(struct call *c, struct mailboxes *m)
{
	if (prm_get(m->in, CMD_OP_MOD) || prm_get(m->in, VPORT_OTHER))
		return devx_refuse(m, STATUS_BAD_PARAM);
	prm_set(m->out, VPORT_ADMIN_STATE, VPORT_UP);
	prm_set(m->out, VPORT_OPER_STATE, port_is_up(port_get(call_port(c, 1))) ? VPORT_UP : VPORT_DOWN);
	return 0;
}

/* Number 0 is the port of a device that has but one */
int vport_query(struct call *c, struct mailboxes *m)
{
	uint32_t number = prm_get(m->in, VPORT_PORT_NUM);
	const struct port *p = port_get(call_port(c, number ? number : 1));

	if (!p)
		return devx_refuse(m, STATUS_BAD_PARAM);
	if (m->out_len < VPORT_CONTEXT_SIZE)
		return EINVAL;
	prm_set(m->out, VPORT_GRH_REQUIRED, p->grh_required);
	prm_set(m->out, VPORT_PORT_PHYSICAL_STATE, p->phys_state);
	prm_set(m->out, VPORT_PORT_STATE, p->state);
	prm_set(m->out, VPORT_STATE, p->state);
	prm_set64(m->out, VPORT_SYSTEM_IMAGE_GUID, port_system_guid());
	prm_set64(m->out, VPORT_PORT_GUID, port_node_guid(p->device) + p->local);
	prm_set64(m->out, VPORT_NODE_GUID, port_node_guid(p->device));
	prm_set(m->out, VPORT_LID, p->lid);
	prm_set(m->out, VPORT_SM_LID, p->sm_lid);
	return 0;
}

/* Of the driver; there is no switch in the device, so nothing that it could tell more */
static int query_port(struct call *c)
{
	struct mlx5_ib_uapi_query_port r = { 0 };

	if (!call_port(c, call_value(c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM)))
		return EINVAL;
	call_put(c, MLX5_IB_ATTR_QUERY_PORT, &r, sizeof(r));
	return 0;
}

/* Where no ports are bonded, all of the answer is 0; where they are, both are up, so that each is used for its own QPs */
int lag_query(struct call *c, struct mailboxes *m)
{
	(void)c;
	if (!config.lag)
		return 0;
	if (m->out_len < LAG_CONTEXT_SIZE)
		return EINVAL;
	prm_set(m->out, LAG_STATE, 1);
	prm_set(m->out, LAG_TX_REMAP_AFFINITY_1, 1);
	prm_set(m->out, LAG_TX_REMAP_AFFINITY_2, 2);
	return 0;
}

const struct method vport_methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, "query_port_vport", query_port),
	{ 0 },
};
