/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_BED_H
#define VERBSX_TESTS_PARITY_BED_H

/* What the acceptance scenarios have: a CQ with a poller, and buffers. */

#include "device.h"

#define QKEY 0x1234
#define GRH 40
#define MESSAGE 256
#define BUFFERS 32
#define PATIENCE 20000 /* ms */

extern struct vx_comp_channel *channel;
extern struct vx_cq *cq;
extern struct vx_poller *poller;
extern struct vx_pool *pool;
extern struct vx_srq *srq; /* of new QPs; NULL: they have none */

void open_all(void);

struct vx_qp *new_qp(enum ibv_qp_type type);

/* The way to a QP at the same port, with the key of datagrams. */
struct vx_path way_to(struct vx_qp *peer);
void join(struct vx_qp *qp, struct vx_qp *peer, int access);

/* Two that are connected. */
void open_pair(enum ibv_qp_type type, struct vx_qp *qps[2]);

/* Send a buffer of the pool; a datagram by the way. */
void send_buffer(struct vx_qp *qp, const struct vx_path *to);

/* So many completions, which come one or more at a time. */
void take(struct ibv_wc *wc, int count);

#endif
