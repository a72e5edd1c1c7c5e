/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_BY_POST_H
#define VERBSX_SRC_BY_POST_H

/*
 * ibv_wr_post(3) made of ibv_post_send(3), for providers whose own is wrong: requests are collected, and go out as one list. Where the
 * provider then refuses one of them, those before it were posted; ibv_wr_post(3) would have posted none.
 */

#include "front/front.h"

/** Such a front of a QP, as large as its send queue: pages of it that no list has needed are not there. NULL with vx_error() filled. */
void *vx_by_post_new(const struct ibv_qp_ex *next, const char *call);

/** The same of a QP whose sizes are known. */
void *vx_by_post_with(const struct ibv_qp_ex *next, const struct ibv_qp_cap *cap, const char *call);

/* ---- for the functions that are generated ---- */

/* A request is begun, after those that are there; never NULL. */
struct ibv_send_wr *vx_by_post_begin(struct ibv_qp_ex *front, enum ibv_wr_opcode opcode);

/* The request that was begun last; never NULL. */
struct ibv_send_wr *vx_by_post_now(struct ibv_qp_ex *front);

/* ibv_post_send(3) has no such request: the list fails. */
void vx_by_post_cannot(struct ibv_qp_ex *front);

/* All of its builders, and the setters of addresses. Generated. */
void vx_by_post_steps(struct ibv_qp_ex *front);

#endif
