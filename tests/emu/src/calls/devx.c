/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* DEVX: commands that a program sends to the device in its own mailboxes. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm.h"
#include "config.h"
#include "limits.h"
#include "objects/mkey.h"
#include "objects/qp.h"

#define LOG_MAX_MMO 20
#define LOG_MAX_DEKS 14
#define IMPORT_AES_XTS 4 /* keys come encrypted */
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

static void put_general_caps(uint8_t *out)
{
	prm_set(out, CAP_GENERAL_OBJ_TYPES_HIGH, UINT32_MAX);
	prm_set(out, CAP_GENERAL_OBJ_TYPES_LOW, UINT32_MAX);
	prm_set(out, CAP_DMA_MMO_QP, config.mmo);
	prm_set(out, CAP_DMA_MMO_SQ, config.mmo);
	prm_set(out, CAP_LOG_DMA_MMO_MAX_SIZE, config.mmo ? LOG_MAX_MMO : 0);
	prm_set(out, CAP_QPC_EXTENSION, 1);
	prm_set(out, CAP_SHO, config.signature);
	prm_set(out, CAP_SIGNATURE_MKEY, config.signature);
	prm_set(out, CAP_CRYPTO, config.crypto);
	prm_set(out, CAP_AES_XTS_SINGLE_BLOCK, config.crypto);
	prm_set(out, CAP_AES_XTS_MULTI_BLOCK, config.crypto);
}

static void put_crypto_caps(uint8_t *out)
{
	prm_set(out, CRYPTO_WRAPPED_OPERATIONAL, config.crypto);
	prm_set(out, CRYPTO_WRAPPED_IMPORT_METHOD, config.crypto ? IMPORT_AES_XTS : 0);
	prm_set(out, CRYPTO_LOG_MAX_NUM_DEKS, config.crypto ? LOG_MAX_DEKS : 0);
}

static const struct {
	uint32_t group;
	void (*put)(uint8_t *out);
} caps[] = {
	{ CAP_GROUP_GENERAL, put_general_caps },
	{ CAP_GROUP_CRYPTO, put_crypto_caps },
};

/* Of the groups that are not in the table it has no capability */
static int query_hca_cap(struct call *c, struct mailboxes *m)
{
	/* The low bit of op_mod: current or maximum, which are the same */
	uint32_t group = prm_get(m->in, CMD_OP_MOD) >> 1;

	(void)c;
	if (m->out_len * 8 <= CAP_DMA_MMO_QP.offset)
		return EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(caps); i++)
		if (caps[i].group == group)
			caps[i].put(m->out);
	return 0;
}

static int create_mkey(struct call *c, struct mailboxes *m)
{
	struct object *pd = object_get(PD, prm_get(m->in, CREATE_MKEY_PD));
	struct mkey *key;

	if (!pd)
		return EINVAL;
	if ((prm_get(m->in, CREATE_MKEY_BSF_EN) && !config.signature && !config.crypto) ||
	    (prm_get(m->in, CREATE_MKEY_CRYPTO_EN) && !config.crypto))
		return devx_refuse(m, STATUS_BAD_PARAM);
	key = object_new(c->ctx, MKEY, sizeof(*key), pd);
	if (!key)
		return ENOMEM;
	key->indirect = key->invalid = true;
	prm_set(m->out, CREATE_MKEY_INDEX, key->o.handle);
	call_put_handle(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, key->o.handle);
	return 0;
}

static struct qp *qp_to_modify(struct call *c, const struct mailboxes *m, int state)
{
	struct qp *q = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, QP);

	return q && prm_get(m->in, QP_QPN) == q->qpn && (int)q->attr.qp_state == state ? q : NULL;
}

/* What it sets (MMO) every QP is able to here */
static int init2init_qp(struct call *c, struct mailboxes *m)
{
	return qp_to_modify(c, m, IBV_QPS_INIT) ? 0 : EINVAL;
}

/* Resets one stream of a DCI */
static int rts2rts_qp(struct call *c, struct mailboxes *m)
{
	struct qp *q = qp_to_modify(c, m, IBV_QPS_RTS);

	if (!q)
		return EINVAL;
	if (!qp_stream_reset(q, prm_get(m->in, QPC_DCI_STREAM_CHANNEL_ID)))
		return 0;
	return devx_refuse(m, STATUS_BAD_PARAM);
}

static const struct devx_command commands[] = {
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, CMD_QUERY_HCA_CAP, 8, query_hca_cap },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, CMD_CREATE_MKEY, 80, create_mkey },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, CMD_CREATE_PSV, MAILBOX_HEADER,
	  psv_create },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, CMD_INIT2INIT_QP, 12, init2init_qp },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, CMD_RTS2RTS_QP, 276, rts2rts_qp },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, CMD_CREATE_GENERAL_OBJECT, MAILBOX_HEADER,
	  general_create },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, CMD_MODIFY_GENERAL_OBJECT, MAILBOX_HEADER,
	  general_modify },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, CMD_QUERY_GENERAL_OBJECT, MAILBOX_HEADER,
	  general_query },
};

static const struct devx_command *find(const struct ib_uverbs_ioctl_hdr *hdr, uint16_t opcode)
{
	for (const struct devx_command *d = commands; d < commands + ARRAY_SIZE(commands); d++)
		if (d->object == hdr->object_id && d->method == hdr->method_id && d->opcode == opcode)
			return d;
	return NULL;
}

static int run(struct call *c, int in_id, int out_id)
{
	struct ib_uverbs_attr *in = call_attr(c, in_id), *out = call_attr(c, out_id);
	const struct devx_command *command;
	struct mailboxes m;

	if (!in || in->len < 8 || !out || out->len < MAILBOX_HEADER)
		return EINVAL;
	m = (struct mailboxes){ attr_data(in), in->len, (void *)(uintptr_t)out->data, out->len };
	memset(m.out, 0, m.out_len);
	out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	command = find(c->hdr, prm_get(m.in, CMD_OPCODE));
	if (!command)
		return devx_refuse(&m, STATUS_BAD_OP);
	return in->len < command->in_size ? EINVAL : command->run(c, &m);
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

static int devx_query(struct call *c)
{
	return run(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT);
}

static int devx_destroy(struct call *c)
{
	return object_destroy(devx_object(call_value(c, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE)));
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
