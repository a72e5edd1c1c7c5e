/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* WQEs for the tap. */
#ifndef EMU_TAP_WQE_H
#define EMU_TAP_WQE_H

#include <stdint.h>
#include <linux/types.h>

struct qp;
struct recv_wqe;
struct send_wqe;
struct tap_line;

/* The immediate data or the key to invalidate that comes with MLX5_CQE_RESP_...; or nothing. */
void tap_say_imm(struct tap_line *l, uint8_t recv_opcode, __be32 imm);

/* All after the opcode: the flags of the control segment, and the other segments. */
void tap_say_wqe(struct tap_line *l, const struct qp *q, const struct send_wqe *w);
void tap_say_recv_wqe(struct tap_line *l, const struct recv_wqe *w);

#endif
