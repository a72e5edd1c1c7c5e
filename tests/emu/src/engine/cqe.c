/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Writing completion queue entries, and the events they cause. */
#include <endian.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#include <rdma/ib_user_verbs.h>

#include "calls/async.h"
#include "calls/devx_event.h"
#include "calls/prm.h"
#include "engine/clock.h"
#include "engine/compress.h"
#include "faults/status.h"
#include "faults/tap.h"
#include "objects/channel.h"
#include "objects/cq.h"
#include "objects/signature.h"

#define INDEX_MASK 0xffffff
#define ARM_SOLICITED_ONLY (1u << 24)
#define FLAG_GRH (1u << 28)
#define L3_TYPE_SHIFT 24
#define APP_TAG_MATCHING 1

/* Of an entry with an error, these bytes are not what struct mlx5_cqe64 says */
enum {
	VENDOR_SYNDROME_BYTE = 54,
	SYNDROME_BYTE = 55
};

/* Of a signature error */
enum {
	SIG_BAD_REF_TAG = 1 << 11,
	SIG_BAD_APP_TAG = 1 << 12,
	SIG_BAD_GUARD = 1 << 13
};

struct cq_list cq_list = LIST_HEAD_INITIALIZER(cq_list);

uint32_t cq_used(const struct cq *cq)
{
	uint32_t ci = be32toh(*(volatile __be32 *)&cq->db[0]);

	return (cq->pi - ci) & INDEX_MASK;
}

/* Of 128 bytes, the entry proper is the second half */
struct mlx5_cqe64 *cq_entry(const struct cq *cq, uint32_t index)
{
	size_t end = (size_t)((index & (cq->size - 1)) + 1) * cq->cqe_size;

	return (struct mlx5_cqe64 *)(cq->buf + end - sizeof(struct mlx5_cqe64));
}

static struct mlx5_cqe64 *next_entry(struct cq *cq)
{
	compress_flush(cq);
	return cq_entry(cq, cq->pi);
}

/* The byte with the owner bit comes last: it makes the entry valid */
void cq_hand_over(struct cq *cq, uint8_t format, uint32_t entries)
{
	atomic_thread_fence(memory_order_release);
	*(volatile uint8_t *)&cq_entry(cq, cq->pi)->op_own = format | !!(cq->pi & cq->size);
	cq->pi += entries;
}

static void hand_over(struct cq *cq, uint8_t opcode)
{
	cq_hand_over(cq, opcode << 4, 1);
}

/* 1 if index @a is after @b, both of 24 bits */
static bool is_after(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) > 0;
}

/* Moderation: an event waits for more entries, for a time */
static bool is_held_back(struct cq *cq, uint32_t entries)
{
	uint64_t now;

	if ((entries & INDEX_MASK) >= cq->event_count)
		return false;
	now = clock_now();
	if (!cq->event_due)
		cq->event_due = now + cq->event_period * NS_PER_US;
	return now < cq->event_due;
}

/*
 * libmlx5 arms a CQ by writing consumer index and kind of request. Firing puts a value
 * there that it never writes, since all zeroes are a valid request.
 */
void cq_notify(struct cq *cq)
{
	struct ib_uverbs_comp_event_desc event = { .cq_handle = cq->o.user_handle };
	_Atomic uint32_t *armed = (_Atomic uint32_t *)&cq->db[1];
	uint32_t raw = atomic_load(armed), arm = be32toh(raw);
	uint32_t pi = arm & ARM_SOLICITED_ONLY ? cq->solicited_pi : cq->pi;

	/* Who arms before it polls has had its event for what it has not polled */
	if ((!cq->channel && !cq->o.by_devx) || raw == CQ_NOT_ARMED || !is_after(pi, arm) ||
	    !is_after(pi, cq->notified) || is_held_back(cq, pi - arm))
		return;
	if (!atomic_compare_exchange_strong(armed, &raw, CQ_NOT_ARMED))
		return;
	cq->event_due = 0;
	cq->notified = pi;
	if (cq->o.by_devx)
		devx_event_send(&cq->o, EVENT_COMP);
	else if (event_pipe_write(&cq->channel->pipe, &event, sizeof(event)))
		cq->comp_events++;
}

void cq_fill_entry(const struct cq *cq, struct mlx5_cqe64 *e, uint32_t qpn, const struct completion *c)
{
	uint8_t *bytes = (uint8_t *)e;

	memset(e, 0, offsetof(struct mlx5_cqe64, op_own));
	e->srqn_uidx = htobe32(c->uidx);
	e->sop_drop_qpn = htobe32((uint32_t)c->wqe_opcode << 24 | (c->is_steered ? c->flow_tag : qpn));
	e->wqe_counter = htobe16(c->wqe_counter);
	e->byte_cnt = htobe32(c->byte_count);
	e->imm_inval_pkey = c->imm;
	e->slid = htobe16(c->slid);
	e->flags_rqpn =
		htobe32(c->src_qpn | (c->has_grh ? FLAG_GRH : 0) | (uint32_t)c->l3_type << L3_TYPE_SHIFT);
	if (c->app_op) {
		e->app = APP_TAG_MATCHING;
		e->app_op = c->app_op;
		e->app_info = htobe16(c->app_info);
		e->tmh = c->tm.head;
	}
	e->timestamp = htobe64(cq->real_time ? clock_real_time() : clock_now());
	if (!c->syndrome)
		return;
	bytes[VENDOR_SYNDROME_BYTE] = status_vendor_code(c->syndrome, c->opcode == MLX5_CQE_RESP_ERR);
	bytes[SYNDROME_BYTE] = c->syndrome;
}

static bool has_room(struct cq *cq)
{
	if (cq->overrun)
		return false;
	cq->overrun = !cq->ignore_overrun && cq_used(cq) + compress_kept(cq) >= cq->size;
	if (cq->overrun)
		async_object_event(&cq->o, IBV_EVENT_CQ_ERR);
	return !cq->overrun;
}

void cq_push(struct cq *cq, uint32_t qpn, const struct completion *c)
{
	struct mlx5_cqe64 *e;

	if (!cq || !has_room(cq))
		return;
	tap_cqe(cq, qpn, c);
	if (compress_keep(cq, qpn, c))
		return;
	e = next_entry(cq);
	cq_fill_entry(cq, e, qpn, c);
	hand_over(cq, c->opcode);
	if (c->solicited || c->syndrome)
		cq->solicited_pi = cq->pi;
	cq_notify(cq);
}

/* What libmlx5 reads of one about a signature */
struct sig_err_cqe {
	uint8_t reserved[16];
	__be32 expected, actual, expected_ref, actual_ref;
	__be16 syndrome;
	uint8_t sig_type, domain; /* 0: of a block; 1: memory */
	__be32 mkey;
	__be64 offset;
	uint8_t reserved2[16];
};

static uint16_t sig_syndrome(const struct sig_error *e)
{
	if (!e->is_dif)
		return SIG_BAD_GUARD;
	return (e->differs >> 48 ? SIG_BAD_GUARD : 0) | (e->differs >> 32 & 0xffff ? SIG_BAD_APP_TAG : 0) |
	       (e->differs & UINT32_MAX ? SIG_BAD_REF_TAG : 0);
}

void cq_push_sig_error(struct cq *cq, const struct sig_error *error)
{
	struct mlx5_cqe64 *e;

	if (!cq || !has_room(cq))
		return;
	e = next_entry(cq);
	memset(e, 0, offsetof(struct mlx5_cqe64, op_own));
	*(struct sig_err_cqe *)e = (struct sig_err_cqe){ .expected = htobe32(error->expected >> 32),
							 .actual = htobe32(error->actual >> 32),
							 .expected_ref = htobe32(error->expected),
							 .actual_ref = htobe32(error->actual),
							 .syndrome = htobe16(sig_syndrome(error)),
							 .domain = !error->on_wire,
							 .mkey = htobe32(error->mkey),
							 .offset = htobe64(error->offset),
							 .reserved2[15] = e->op_own };
	hand_over(cq, MLX5_CQE_SIG_ERR);
	cq_notify(cq);
}

void cq_push_resize(struct cq *cq)
{
	next_entry(cq);
	hand_over(cq, MLX5_CQE_RESIZE_CQ);
}
