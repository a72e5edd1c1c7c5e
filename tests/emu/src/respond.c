/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "respond.h"

#include <endian.h>
#include <infiniband/mlx5dv.h>

#include "mkey.h"
#include "qp.h"
#include "receive.h"
#include "wqe.h"

int respond_send(struct request *r)
{
	int rc = receive(r->to, r->srq, r->wqe->data, r->wqe->len, &r->recv);

	if (rc <= 0)
		return rc;
	/* It is negatively acknowledged: too long, or not accessible */
	qp_error(r->to, NO_EVENT);
	return rc == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR ? MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR :
							  MLX5_CQE_SYNDROME_REMOTE_OP_ERR;
}

int respond_send_inval(struct request *r)
{
	struct mkey *m = mkey_by_index(be32toh(r->recv.imm));
	int rc = respond_send(r);

	if (!rc && m && m->indirect && m->o.pd == r->to->o.pd)
		m->invalid = true;
	return rc;
}

static bool allows(const struct qp *q, uint32_t access)
{
	return q->attr.qp_access_flags & access;
}

/* An access of no length needs no valid key */
static int write_memory(const struct request *r)
{
	const struct send_wqe *w = r->wqe;

	if (!allows(r->to, IBV_ACCESS_REMOTE_WRITE))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	if (w->len && mkey_write(r->to->o.pd, be32toh(w->raddr->rkey), be64toh(w->raddr->raddr), w->len,
				 IBV_ACCESS_REMOTE_WRITE, w->data))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	return 0;
}

int respond_write(struct request *r)
{
	return write_memory(r);
}

int respond_write_imm(struct request *r)
{
	int rc = write_memory(r);

	return rc ? rc : receive(r->to, r->srq, NULL, 0, &r->recv);
}

int respond_read(struct request *r)
{
	struct send_wqe *w = r->wqe;

	if (!allows(r->to, IBV_ACCESS_REMOTE_READ))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	if (w->len && mkey_read(r->to->o.pd, be32toh(w->raddr->rkey), be64toh(w->raddr->raddr), w->len,
				IBV_ACCESS_REMOTE_READ, w->data))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	return wqe_scatter_response(r->from, w, w->data, w->len);
}

static uint64_t atomic_result(const struct send_wqe *w, uint64_t old)
{
	uint64_t operand = be64toh(w->atomic->swap_add);

	if (w->opcode == MLX5_OPCODE_ATOMIC_FA)
		return old + operand;
	return old == be64toh(w->atomic->compare) ? operand : old;
}

int respond_atomic(struct request *r)
{
	struct send_wqe *w = r->wqe;
	struct object *pd = r->to->o.pd;
	uint32_t key = be32toh(w->raddr->rkey);
	uint64_t address = be64toh(w->raddr->raddr), old, new;

	if (address % sizeof(old))
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	if (!allows(r->to, IBV_ACCESS_REMOTE_ATOMIC) ||
	    mkey_read(pd, key, address, sizeof(old), IBV_ACCESS_REMOTE_ATOMIC, &old))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	new = atomic_result(w, old);
	if (mkey_write(pd, key, address, sizeof(new), 0, &new))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	w->len = sizeof(old);
	return wqe_scatter_response(r->from, w, &old, sizeof(old));
}
