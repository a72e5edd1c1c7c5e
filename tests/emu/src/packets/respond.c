/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/respond.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>

#include "config.h"
#include "engine/receive.h"
#include "objects/mkey.h"
#include "objects/qp.h"
#include "packets/responder.h"

int request_response(struct request *r, const void *data, uint32_t len)
{
	r->room = malloc(len ? len : 1);
	if (!r->room)
		return MLX5_CQE_SYNDROME_REMOTE_OP_ERR;
	if (data)
		memcpy(r->room, data, len);
	r->answer.response = true;
	r->answer.data = r->room;
	r->answer.len = len;
	return 0;
}

int respond_send(struct request *r)
{
	const struct packet *p = &r->p;
	struct part part = { r->data, p->offset, p->size, packet_is_first(p), packet_is_last(p) };
	int rc = receive(r->to, r->srq, &r->from->incoming, &part, &r->recv);

	if (rc <= 0)
		return rc;
	/* It is negatively acknowledged: too long, or not accessible */
	qp_error(r->to, NO_EVENT);
	return rc == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR ? MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR :
							  MLX5_CQE_SYNDROME_REMOTE_OP_ERR;
}

int respond_send_inval(struct request *r)
{
	struct mkey *m = mkey_by_index(r->to->o.device, be32toh(r->recv.imm));
	int rc = respond_send(r);

	if (!rc && packet_is_last(&r->p) && m && m->indirect && m->o.pd == r->to->o.pd && mkey_is_for_qp(m, r->to->qpn))
		m->invalid = true;
	return rc;
}

/* Without resources for reads and atomics, only writes are possible */
static bool allows(const struct qp *q, uint32_t access)
{
	if (!q->dct && !q->attr.max_dest_rd_atomic && access != IBV_ACCESS_REMOTE_WRITE)
		return false;
	return q->attr.qp_access_flags & access;
}

/* 0, or the syndrome that an access of this kind meets before its key is looked at */
static int check_access(const struct request *r, uint32_t access)
{
	if (!allows(r->to, access))
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	return mkey_is_for_qp(mkey_by_index(r->to->o.device, r->p.rkey), r->to->qpn) ? 0 : MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
}

/* One of XRC that receives has no PD */
static struct object *domain(struct qp *q)
{
	return q->o.pd ? q->o.pd : &q->o;
}

/* The first packet says how long the message is: nothing is written of one that is too long */
static bool fits(const struct request *r)
{
	const struct packet *p = &r->p;

	return p->size == p->len || !packet_is_first(p) ||
	       !mkey_check(domain(r->to), p->rkey, p->raddr, p->len, IBV_ACCESS_REMOTE_WRITE);
}

/* An access of no length needs no valid key */
static int write_memory(const struct request *r)
{
	const struct packet *p = &r->p;
	int rc = check_access(r, IBV_ACCESS_REMOTE_WRITE);

	if (rc || !p->len)
		return rc;
	if (!fits(r) || mkey_write(domain(r->to), p->rkey, p->raddr + p->offset, p->size,
				   IBV_ACCESS_REMOTE_WRITE, r->data))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	return 0;
}

int respond_write(struct request *r)
{
	return write_memory(r);
}

int respond_write_imm(struct request *r)
{
	static const struct part no_data = { .first = true, .last = true };
	int rc = write_memory(r);

	if (rc || !packet_is_last(&r->p))
		return rc;
	return receive(r->to, r->srq, &r->from->incoming, &no_data, &r->recv);
}

int respond_read(struct request *r)
{
	const struct packet *p = &r->p;
	int rc = check_access(r, IBV_ACCESS_REMOTE_READ);

	if (rc)
		return rc;
	rc = request_response(r, NULL, p->size);
	if (rc || !p->size)
		return rc;
	if (mkey_read(domain(r->to), p->rkey, p->raddr + p->offset, p->size, IBV_ACCESS_REMOTE_READ, r->room))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	return 0;
}

static uint64_t atomic_result(const struct packet *p, uint64_t old)
{
	if (p->opcode == MLX5_OPCODE_ATOMIC_FA)
		return old + p->swap_add;
	return old == p->compare ? p->swap_add : old;
}

int respond_atomic(struct request *r)
{
	const struct packet *p = &r->p;
	struct object *pd = domain(r->to);
	int rc = check_access(r, IBV_ACCESS_REMOTE_ATOMIC);
	uint64_t old, new;

	if (rc)
		return rc;
	if (!config.atomic || p->raddr % sizeof(old) || p->len < sizeof(old))
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	if (mkey_read(pd, p->rkey, p->raddr, sizeof(old), IBV_ACCESS_REMOTE_ATOMIC, &old))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	new = atomic_result(p, old);
	if (mkey_write(pd, p->rkey, p->raddr, sizeof(new), 0, &new))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	return request_response(r, &old, sizeof(old));
}
