/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completion queues by mailbox. Their events are those of DEVX. */
#include <errno.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_qpc.h"
#include "config.h"
#include "engine/compress.h"
#include "objects/cq.h"
#include "objects/umem.h"

#define DBR_SIZE 8

/* Formats of the entries in an array; others have more in them */
enum {
	MINI_HASH,
	MINI_CHECKSUM
};

static bool is_compression_known(const uint8_t *in)
{
	return !prm_get(in, CQC_COMP_EN) ||
	       (prm_get(in, CQC_CQE_SZ) != CQE_SZ_128 && prm_get(in, CQC_MINI_FORMAT) <= MINI_CHECKSUM);
}

static bool is_known(const uint8_t *in)
{
	uint32_t log_size = prm_get(in, CQC_LOG_CQ_SIZE);

	return prm_get(in, CQC_CQE_SZ) <= CQE_SZ_128 && log_size &&
	       1ull << log_size <= config.max_cqe + 1ull && prm_get(in, CQC_EQN) < config.comp_vectors && is_compression_known(in);
}

static int set_memory(struct cq *cq, const uint8_t *in)
{
	cq->db = umem_use(prm_get(in, CQC_DBR_UMEM_ID), prm_get64(in, CQC_DBR_ADDR), DBR_SIZE, &cq->umem[0]);
	cq->buf = umem_use(prm_get(in, CREATE_CQ_UMEM_ID), prm_get64(in, CREATE_CQ_UMEM_OFFSET),
			   (uint64_t)cq->size * cq->cqe_size, &cq->umem[1]);
	return cq->db && cq->buf ? 0 : -1;
}

int cq_create_by_mailbox(struct call *c, struct mailboxes *m)
{
	struct cq *cq;

	if (!is_known(m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	cq = cq_new(c->ctx);
	if (!cq)
		return devx_refuse(m, STATUS_LIM);
	cq->size = 1u << prm_get(m->in, CQC_LOG_CQ_SIZE);
	cq->cqe_size = prm_get(m->in, CQC_CQE_SZ) == CQE_SZ_128 ? 128 : 64;
	cq->ignore_overrun = prm_get(m->in, CQC_OI);
	if (set_memory(cq, m->in)) {
		object_free(&cq->o);
		return devx_refuse(m, STATUS_BAD_PARAM);
	}
	if (prm_get(m->in, CQC_COMP_EN) && !compress_start(cq)) {
		object_free(&cq->o);
		return devx_refuse(m, STATUS_LIM);
	}
	cq->db[1] = CQ_NOT_ARMED;
	prm_set(m->out, CREATED_NUMBER, cq->o.number);
	devx_made(c, &cq->o);
	return 0;
}
