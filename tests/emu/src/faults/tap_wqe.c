/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/tap_wqe.h"

#include <endian.h>
#include <string.h>

#include "bounds.h"
#include "engine/local.h"
#include "engine/opcode.h"
#include "engine/receive.h"
#include "faults/tap_line.h"
#include "packets/packet.h"
#include "src/mlx5_words.h"

#define FLAG(bits, value, word) { bits, value, word },

/* Names are lore, as libverbsx has them */
static const struct tap_flag ctrl_flags[] = { VX_WORDS_OF_MLX5_WQE_CTRL(FLAG){ 0, 0, NULL } };
static const struct tap_flag umr_flags[] = { VX_WORDS_OF_MLX5_WQE_UMR_CTRL_FLAG(FLAG){ 0, 0, NULL } };
static const struct tap_flag mkey_mask[] = { VX_WORDS_OF_MLX5_WQE_UMR_CTRL_MKEY_MASK(FLAG){ 0, 0, NULL } };

void tap_say_imm(struct tap_line *l, uint8_t recv_opcode, __be32 imm)
{
	switch (recv_opcode) {
	case MLX5_CQE_RESP_SEND_INV:
		tap_say(l, " invalidates");
		tap_say_key(l, be32toh(imm));
		break;
	case MLX5_CQE_RESP_SEND_IMM:
	case MLX5_CQE_RESP_WR_IMM:
		tap_say(l, " imm 0x%x", be32toh(imm));
		break;
	}
}

static void say_data(struct tap_line *l, const struct mlx5_wqe_data_seg *s)
{
	uint32_t n = be32toh(s->byte_count);

	if (n & MLX5_INLINE_SEG) {
		tap_say(l, " inline:%u", n & ~(uint32_t)MLX5_INLINE_SEG);
		return;
	}
	tap_say_address(l, be32toh(s->lkey), be64toh(s->addr));
	tap_say(l, ":%u", n);
}

static void say_umr(struct tap_line *l, const struct send_wqe *w)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = (const void *)(w->raw + UMR_CTRL);

	tap_say_key(l, be32toh(w->ctrl->imm));
	tap_say_flags(l, umr_flags, umr->flags);
	tap_say(l, " mask");
	tap_say_flags(l, mkey_mask, be64toh(umr->mkey_mask));
	tap_say(l, " octowords %u", be16toh(umr->klm_octowords));
}

static void say_mmo(struct tap_line *l, const struct send_wqe *w)
{
	say_data(l, (const void *)(w->raw + MMO_SOURCE));
	tap_say(l, " to");
	say_data(l, (const void *)(w->raw + MMO_DESTINATION));
}

static void say_address(struct tap_line *l, const struct packet *p)
{
	tap_say(l, " to");
	if (packet_is_for_group(p))
		tap_say(l, " group");
	else
		tap_say_qpn(l, p->dest_qpn, packet_is_here(p));
	if (p->service == SERVICE_UD)
		tap_say(l, " qkey 0x%x", p->qkey);
	else
		tap_say(l, " dc_key 0x%llx", (unsigned long long)p->dc_key);
}

static void say_segments(struct tap_line *l, const struct qp *q, const struct send_wqe *w)
{
	struct packet p;

	packet_fill(&p, q, w);
	if (w->av)
		say_address(l, &p);
	if (p.service == SERVICE_XRC)
		tap_say_object(l, SRQ, p.xrc_srqn);
	if (w->raddr) {
		tap_say(l, " at");
		tap_say_remote(l, &p, p.raddr);
	}
	if (w->atomic)
		tap_say(l, " swap_add 0x%llx", (unsigned long long)p.swap_add);
	if (w->opcode == MLX5_OPCODE_ATOMIC_CS)
		tap_say(l, " compare 0x%llx", (unsigned long long)p.compare);
	for (int i = 0; i < w->nseg; i++)
		say_data(l, w->seg[i]);
	tap_is_for(l, &p);
}

/* What local requests have after their control segment */
static const struct {
	uint8_t opcode;
	void (*say)(struct tap_line *l, const struct send_wqe *w);
} local_segments[] = { { MLX5_OPCODE_UMR, say_umr }, { OPCODE_MMO, say_mmo } };

static void say_local(struct tap_line *l, const struct send_wqe *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(local_segments); i++)
		if (local_segments[i].opcode == w->opcode)
			local_segments[i].say(l, w);
}

void tap_say_wqe(struct tap_line *l, const struct qp *q, const struct send_wqe *w)
{
	const struct opcode *op = opcode_find(w->opcode);
	struct send_wqe copy = *w;

	tap_say_flags(l, ctrl_flags, w->ctrl->fm_ce_se);
	if (!op)
		return;
	if (op->local) {
		say_local(l, w);
		return;
	}
	/* The engine has not taken it apart yet, and may never */
	copy.ctrl = (struct mlx5_wqe_ctrl_seg *)copy.raw;
	if (wqe_parse(q, &copy))
		tap_say(l, " malformed");
	else
		say_segments(l, q, &copy);
	tap_say_imm(l, op->recv_opcode, w->ctrl->imm);
}

void tap_say_recv_wqe(struct tap_line *l, const struct recv_wqe *w)
{
	for (const struct mlx5_wqe_data_seg *s = w->seg; s < w->seg + w->nseg; s++) {
		if (be32toh(s->lkey) == TERMINATE_KEY)
			break;
		if (s->byte_count)
			say_data(l, s);
	}
}
