/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* DEVX: commands that a program sends to the device in its own mailboxes. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "call.h"
#include "config.h"
#include "limits.h"
#include "mkey.h"
#include "prm.h"
#include "qp.h"

#define LOG_MAX_MMO 20
#define OUT_HEADER 16 /* bytes that every output mailbox has */

struct devx_command {
	uint16_t object, method, opcode;
	size_t in_size; /* up to the last field that is used */
	int (*run)(struct call *c, const void *in, void *out);
};

static int query_hca_cap(struct call *c, const void *in, void *out)
{
	struct ib_uverbs_attr *a = call_attr(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);

	/* The low bit of op_mod: current or maximum, which are the same */
	if (prm_get(in, CMD_OP_MOD) >> 1)
		return 0; /* of the others than the general ones it has none */
	if (a->len * 8u <= CAP_DMA_MMO_QP.offset)
		return EINVAL;
	prm_set(out, CAP_DMA_MMO_QP, config.mmo);
	prm_set(out, CAP_DMA_MMO_SQ, config.mmo);
	prm_set(out, CAP_LOG_DMA_MMO_MAX_SIZE, config.mmo ? LOG_MAX_MMO : 0);
	prm_set(out, CAP_QPC_EXTENSION, 1);
	return 0;
}

static int create_mkey(struct call *c, const void *in, void *out)
{
	struct object *pd = object_get(PD, prm_get(in, CREATE_MKEY_PD));
	struct mkey *m;

	if (!pd)
		return EINVAL;
	m = object_new(c->ctx, MKEY, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->indirect = m->invalid = true;
	prm_set(out, CREATE_MKEY_INDEX, m->o.handle);
	call_put_handle(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, m->o.handle);
	return 0;
}

static struct qp *qp_to_modify(struct call *c, const void *in, int state)
{
	struct qp *q = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, QP);

	return q && prm_get(in, QP_QPN) == q->qpn && (int)q->attr.qp_state == state ? q : NULL;
}

/* What it sets (MMO) every QP is able to here */
static int init2init_qp(struct call *c, const void *in, void *out)
{
	(void)out;
	return qp_to_modify(c, in, IBV_QPS_INIT) ? 0 : EINVAL;
}

/* Resets one stream of a DCI */
static int rts2rts_qp(struct call *c, const void *in, void *out)
{
	struct qp *q = qp_to_modify(c, in, IBV_QPS_RTS);

	if (!q)
		return EINVAL;
	if (!qp_stream_reset(q, prm_get(in, QPC_DCI_STREAM_CHANNEL_ID)))
		return 0;
	prm_set(out, CMD_STATUS, STATUS_BAD_PARAM);
	return EREMOTEIO;
}

static const struct devx_command commands[] = {
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, CMD_QUERY_HCA_CAP, 8, query_hca_cap },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, CMD_CREATE_MKEY, 32, create_mkey },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, CMD_INIT2INIT_QP, 12, init2init_qp },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, CMD_RTS2RTS_QP, 276, rts2rts_qp },
};

static const struct devx_command *find(const struct ib_uverbs_ioctl_hdr *hdr, uint16_t opcode)
{
	for (const struct devx_command *d = commands; d < commands + ARRAY_SIZE(commands); d++)
		if (d->object == hdr->object_id && d->method == hdr->method_id && d->opcode == opcode)
			return d;
	return NULL;
}

static void *cleared_out(struct ib_uverbs_attr *a)
{
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return memset((void *)(uintptr_t)a->data, 0, a->len);
}

static int run(struct call *c, int in_id, int out_id)
{
	struct ib_uverbs_attr *in = call_attr(c, in_id), *out = call_attr(c, out_id);
	const struct devx_command *command;

	if (!in || in->len < 8 || !out || out->len < OUT_HEADER)
		return EINVAL;
	command = find(c->hdr, prm_get(attr_data(in), CMD_OPCODE));
	if (!command)
		return EOPNOTSUPP;
	if (in->len < command->in_size)
		return EINVAL;
	return command->run(c, attr_data(in), cleared_out(out));
}

static int devx_other(struct call *c)
{
	return run(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
}

static int devx_create(struct call *c)
{
	return run(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
}

static int devx_modify(struct call *c)
{
	return run(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
}

static int devx_destroy(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, MKEY));
}

const struct method devx_methods[] = {
	METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, "devx_other", devx_other),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, "devx_create", devx_create),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, "devx_destroy", devx_destroy),
	METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, "devx_modify", devx_modify),
	{ 0 },
};
