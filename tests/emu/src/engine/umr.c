/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* UMR: a work request that fills, binds or invalidates an mkey. */
#include <endian.h>
#include <stdlib.h>

#include "bounds.h"
#include "engine/local.h"
#include "objects/cipher.h"
#include "objects/mkey.h"
#include "objects/qp.h"
#include "objects/signature.h"
#include "trace.h"

#define ANY_QPN 0xffffff
#define REPEAT_BLOCK_OP 0x400
#define BSF_SIZE 64 /* of signatures or of encryption; with both there are two */
#define BSF_IS_CIPHER 1 /* in the first byte */

static const struct {
	uint8_t device;
	uint32_t verbs;
} access_flags[] = {
	{ MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE },
	{ MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ, IBV_ACCESS_REMOTE_READ },
	{ MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE },
	{ MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC },
};

static uint32_t access_from(uint8_t device)
{
	uint32_t verbs = 0;

	for (size_t i = 0; i < ARRAY_SIZE(access_flags); i++)
		if (device & access_flags[i].device)
			verbs |= access_flags[i].verbs;
	return verbs;
}

static void set_repeat_block(struct mkey *m, const struct mlx5_wqe_umr_repeat_block_seg *block, size_t room)
{
	size_t n = be16toh(block->num_ent);

	n = n < MAX_STRIDED ? n : MAX_STRIDED;
	n = n < room ? n : room;
	m->repeat_count = be32toh(block->repeat_count);
	m->nstrided = n;
	for (size_t i = 0; i < n; i++)
		m->strided[i] = (struct strided){
			.bytes = be16toh(block->entries[i].byte_count),
			.stride = be16toh(block->entries[i].stride),
			.mkey = be32toh(block->entries[i].memkey),
			.address = be64toh(block->entries[i].va),
		};
}

/* The list is filled up with empty entries */
static void set_klms(struct mkey *m, const struct mlx5_wqe_data_seg *list, size_t n)
{
	m->nklm = 0;
	for (size_t i = 0; i < n && m->nklm < MAX_KLM; i++)
		if (list[i].byte_count)
			m->klm[m->nklm++] = (struct klm){
				.byte_count = be32toh(list[i].byte_count),
				.mkey = be32toh(list[i].lkey),
				.address = be64toh(list[i].addr),
			};
}

static void set_translation(struct mkey *m, const struct send_wqe *w, size_t octowords)
{
	const void *translation = w->raw + TRANSLATION;
	const struct mlx5_wqe_umr_repeat_block_seg *block = translation;
	size_t room = w->ds - TRANSLATION / SEGMENT;

	m->nklm = 0;
	m->repeat_count = 0;
	if (room && be32toh(block->op) == REPEAT_BLOCK_OP)
		set_repeat_block(m, block, room - 1);
	else
		set_klms(m, translation, octowords < room ? octowords : room);
}

static void take_one_bsf(struct mkey *m, const uint8_t *bsf, uint32_t qpn)
{
	if (*bsf & BSF_IS_CIPHER) {
		m->cipher = cipher_of(bsf, m->o.pd);
		m->incomputable |= !m->cipher;
	} else if (signature_is_wanted(bsf)) {
		m->signature = signature_of(bsf, qpn);
		m->incomputable |= !m->signature;
	}
}

static void forget_bsf(struct mkey *m)
{
	free(m->signature);
	cipher_free(m->cipher);
	m->signature = NULL;
	m->cipher = NULL;
	m->incomputable = false;
}

/* They follow the translation */
static void set_bsf(struct mkey *m, const struct send_wqe *w)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = (const void *)(w->raw + UMR_CTRL);
	uint32_t size = be16toh(umr->bsf_octowords) * SEGMENT;
	uint32_t at = TRANSLATION + be16toh(umr->klm_octowords) * SEGMENT;

	forget_bsf(m);
	m->incomputable = size % BSF_SIZE || at + size > (uint32_t)w->ds * SEGMENT;
	for (uint32_t i = 0; i < size && !m->incomputable; i += BSF_SIZE)
		take_one_bsf(m, w->raw + at + i, be32toh(w->ctrl->qpn_ds) >> 8);
}

static void fill(struct mkey *m, const struct send_wqe *w)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = (const void *)(w->raw + UMR_CTRL);
	const struct mlx5_wqe_mkey_context_seg *context = (const void *)(w->raw + MKEY_CONTEXT);
	uint32_t qpn = be32toh(context->qpn_mkey) >> 8;
	uint64_t mask = be64toh(umr->mkey_mask);

	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE || m->o.kind == MW)
		m->access = access_from(context->access_flags);
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN)
		m->len = be64toh(context->len);
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR)
		m->start = be64toh(context->start_addr);
	if (umr->klm_octowords)
		set_translation(m, w, be16toh(umr->klm_octowords));
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN && qpn != ANY_QPN)
		m->qpn = qpn;
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE)
		set_bsf(m, w);
	m->invalid = false;
	TRACE("umr key %x start %llx len %llu klm %d repeat %u", mkey_value(m), (unsigned long long)m->start,
	      (unsigned long long)m->len, m->nklm, m->repeat_count);
}

/* The MR below a window has to allow windows, and its own side to write what the peer is to */
static bool allows(const struct mkey *below, uint32_t access)
{
	const bool writes = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);

	return below->access & IBV_ACCESS_MW_BIND && (!writes || below->access & IBV_ACCESS_LOCAL_WRITE);
}

static int check_binding(struct mkey *m)
{
	const struct mkey *below = m->nklm ? mkey_by_index(m->o.device, m->klm[0].mkey) : NULL;

	if (m->o.kind != MW || (below && allows(below, m->access)))
		return 0;
	m->invalid = true;
	return MLX5_CQE_SYNDROME_MW_BIND_ERR;
}

/*
 * A window of type 2 has to be free, and gets its variant by being bound: which it had before nobody asks. libmlx5 names it by the rkey in
 * struct ibv_mw, whatever the program has there, and the kernel's own requests name a key by its new variant.
 */
static bool is_named(const struct mkey *m, uint32_t key, const struct mlx5_wqe_umr_ctrl_seg *umr)
{
	return umr->flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE ? m->invalid : mkey_value(m) == key;
}

int local_umr(struct qp *q, struct send_wqe *w)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = (const void *)(w->raw + UMR_CTRL);
	const struct mlx5_wqe_mkey_context_seg *context = (const void *)(w->raw + MKEY_CONTEXT);
	uint32_t key = be32toh(w->ctrl->imm);
	struct mkey *m = mkey_by_index(q->o.device, key);

	if (w->ds * SEGMENT < TRANSLATION)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (!m || !m->indirect || m->o.pd != q->o.pd || !is_named(m, key, umr) || !mkey_is_for_qp(m, q->qpn))
		return m && m->o.kind == MW ? MLX5_CQE_SYNDROME_MW_BIND_ERR :
					      MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (be64toh(umr->mkey_mask) & MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY)
		m->variant = be32toh(context->qpn_mkey);
	if (context->free & MLX5_WQE_MKEY_CONTEXT_FREE) { /* invalidate, unbind */
		m->invalid = true;
		m->qpn = 0;
		m->len = 0;
		return 0;
	}
	fill(m, w);
	return check_binding(m);
}
