/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* DEVX: commands that a program sends to the device in its own mailboxes. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/context.h"
#include "calls/devx.h"
#include "calls/hca_cap.h"
#include "calls/prm.h"
#include "calls/prm_ft.h"
#include "calls/prm_qpc.h"
#include "calls/prm_rx.h"
#include "config.h"
#include "objects/object.h"

#define SYNDROME 0x1bad0 /* of all refusals: a number to search for */

struct devx_command {
	uint16_t object, method, opcode;
	size_t in_size; /* up to the last field that is used */
	devx_fn *run;
};

int devx_refuse(struct mailboxes *m, uint8_t status)
{
	prm_set(m->out, CMD_STATUS, status);
	prm_set(m->out, CMD_SYNDROME, SYNDROME);
	return EREMOTEIO;
}

/* Its answer is all that it does */
static int nop(struct call *c, struct mailboxes *m)
{
	(void)c;
	(void)m;
	return 0;
}

void devx_made(struct call *c, struct object *o)
{
	o->by_devx = true;
	call_put_handle(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, o->handle);
}

struct object *devx_object(const struct call *c, uint64_t handle)
{
	struct object *o = handle_object(c->ctx, handle);

	return o && o->by_devx ? o : NULL;
}

/* A row: how it comes, its opcode, its size up to the last field that is used, who does it */
#define GENERAL_COMMAND(opcode, size, run)                                        \
	{                                                                         \
		MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, opcode, size, run \
	}
#define CREATE(opcode, size, run)                                                          \
	{                                                                                  \
		MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, opcode, size, run \
	}
#define MODIFY(opcode, size, run)                                                          \
	{                                                                                  \
		MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, opcode, size, run \
	}
#define QUERY(opcode, size, run)                                                          \
	{                                                                                 \
		MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, opcode, size, run \
	}

static const struct devx_command commands[] = {
	GENERAL_COMMAND(CMD_QUERY_HCA_CAP, 8, query_hca_cap),
	GENERAL_COMMAND(CMD_NOP, MAILBOX_HEADER, nop),
	GENERAL_COMMAND(CMD_QUERY_ADAPTER, MAILBOX_HEADER, adapter_query),
	GENERAL_COMMAND(CMD_QUERY_VPORT_STATE, MAILBOX_HEADER, vport_state_query),
	GENERAL_COMMAND(CMD_QUERY_HCA_VPORT_CONTEXT, MAILBOX_HEADER, vport_query),
	GENERAL_COMMAND(CMD_QUERY_LAG, 8, lag_query),
	CREATE(CMD_CREATE_MKEY, 80, mkey_create),
	CREATE(CMD_CREATE_PSV, MAILBOX_HEADER, psv_create),
	CREATE(CMD_CREATE_CQ, CREATE_CQ_SIZE, cq_create_by_mailbox),
	CREATE(CMD_CREATE_QP, CREATE_QP_SIZE, qp_create_by_mailbox),
	MODIFY(CMD_RST2INIT_QP, QPC_AT + QPC_SIZE, qp_rst2init),
	MODIFY(CMD_INIT2INIT_QP, 12, qp_init2init),
	MODIFY(CMD_INIT2RTR_QP, QPC_AT + QPC_SIZE, qp_init2rtr),
	MODIFY(CMD_RTR2RTS_QP, QPC_AT + QPC_SIZE, qp_rtr2rts),
	MODIFY(CMD_RTS2RTS_QP, 276, qp_rts2rts),
	MODIFY(CMD_2ERR_QP, MAILBOX_HEADER, qp_2err),
	MODIFY(CMD_2RST_QP, MAILBOX_HEADER, qp_2rst),
	QUERY(CMD_QUERY_QP, MAILBOX_HEADER, qp_query_by_mailbox),
	MODIFY(CMD_MODIFY_SQ, MODIFY_SQ_SIZE, sq_modify),
	MODIFY(CMD_MODIFY_TIS, MODIFY_TIS_SIZE, tis_modify),
	QUERY(CMD_QUERY_TIS, MAILBOX_HEADER, tis_query),
	CREATE(CMD_CREATE_RMP, CREATE_RMP_SIZE, rmp_create),
	CREATE(CMD_ALLOC_PD, 8, pd_alloc),
	CREATE(CMD_ALLOC_XRCD, 8, xrcd_alloc),
	CREATE(CMD_ALLOC_TRANSPORT_DOMAIN, 8, transport_domain_alloc),
	CREATE(CMD_CREATE_RQ, CREATE_RQ_SIZE, rq_create),
	MODIFY(CMD_MODIFY_RQ, MODIFY_RQ_SIZE, rq_modify),
	CREATE(CMD_CREATE_RQT, CREATE_RQT_SIZE, rqt_create),
	CREATE(CMD_CREATE_TIR, CREATE_TIR_SIZE, tir_create),
	CREATE(CMD_CREATE_FLOW_TABLE, CREATE_FLOW_TABLE_SIZE, flow_table_create),
	QUERY(CMD_QUERY_FLOW_TABLE, 24, flow_table_query),
	CREATE(CMD_CREATE_FLOW_GROUP, CREATE_FLOW_GROUP_SIZE, flow_group_create),
	QUERY(CMD_QUERY_FLOW_GROUP, QUERY_FLOW_GROUP_SIZE, flow_group_query),
	CREATE(CMD_SET_FLOW_TABLE_ENTRY, SET_FTE_SIZE, flow_entry_set),
	MODIFY(CMD_SET_FLOW_TABLE_ENTRY, SET_FTE_SIZE, flow_entry_modify),
	QUERY(CMD_QUERY_FLOW_TABLE_ENTRY, QUERY_FTE_SIZE, flow_entry_query),
	CREATE(CMD_CREATE_DCT, CREATE_DCT_SIZE, dct_create),
	MODIFY(CMD_DRAIN_DCT, MAILBOX_HEADER, dct_drain),
	CREATE(CMD_ALLOC_FLOW_COUNTER, 8, flow_counter_alloc),
	QUERY(CMD_QUERY_FLOW_COUNTER, 32, flow_counter_query),
	CREATE(CMD_ALLOC_MODIFY_HEADER_CONTEXT, MODIFY_HEADER_ACTIONS_AT, flow_modify_header_alloc),
	CREATE(CMD_ALLOC_PACKET_REFORMAT_CONTEXT, REFORMAT_DATA_AT, flow_packet_reformat_alloc),
	CREATE(CMD_CREATE_XRQ, CREATE_XRQ_SIZE, xrq_create),
	CREATE(CMD_CREATE_GENERAL_OBJECT, MAILBOX_HEADER, general_create),
	MODIFY(CMD_MODIFY_GENERAL_OBJECT, MAILBOX_HEADER, general_modify),
	QUERY(CMD_QUERY_GENERAL_OBJECT, MAILBOX_HEADER, general_query),
};

static const struct devx_command *find_command(const struct ib_uverbs_ioctl_hdr *hdr, uint16_t opcode)
{
	for (const struct devx_command *d = commands; d < commands + ARRAY_SIZE(commands); d++)
		if (d->object == hdr->object_id && d->method == hdr->method_id && d->opcode == opcode)
			return d;
	return NULL;
}

static int run_mailbox(struct call *c, int in_id, int out_id)
{
	struct ib_uverbs_attr *in = call_attr(c, in_id), *out = call_attr(c, out_id);
	const struct devx_command *command;
	struct mailboxes m;

	if (!in || in->len < 8 || !out || out->len < MAILBOX_HEADER)
		return EINVAL;
	m = (struct mailboxes){ attr_data(in), in->len, (void *)(uintptr_t)out->data, out->len };
	memset(m.out, 0, m.out_len);
	out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	command = find_command(c->hdr, prm_get(m.in, CMD_OPCODE));
	if (!command)
		return devx_refuse(&m, STATUS_BAD_OP);
	return in->len < command->in_size ? EINVAL : command->run(c, &m);
}

static int devx_other(struct call *c)
{
	return run_mailbox(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
}

static int devx_create(struct call *c)
{
	struct ib_uverbs_attr *in = call_attr(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN);

	if (in && in->len >= MAILBOX_HEADER && !devx_is_creation(attr_data(in)))
		return EINVAL;
	return run_mailbox(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
}

static int devx_modify(struct call *c)
{
	return run_mailbox(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
}

static int devx_query(struct call *c)
{
	return run_mailbox(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT);
}

static int devx_destroy(struct call *c)
{
	return object_destroy(devx_object(c, call_value(c, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE)));
}

/* Interrupt vectors are the completion vectors */
static int query_eqn(struct call *c)
{
	uint32_t vector = call_value(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC);

	if (vector >= config.comp_vectors)
		return EINVAL;
	call_put_u32(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, vector);
	return 0;
}

static int query_uar(struct call *c)
{
	call_put_u32(c, MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX,
		     call_value(c, MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX));
	return 0;
}

const struct method devx_methods[] = {
	METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, "devx_other", devx_other),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, "devx_create", devx_create),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, "devx_destroy", devx_destroy),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, "devx_modify", devx_modify),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, "devx_query", devx_query),
	METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, "query_eqn", query_eqn),
	METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR, "query_uar", query_uar),
	{ 0 },
};
