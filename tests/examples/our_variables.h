/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef OUR_VARIABLES_H
#define OUR_VARIABLES_H

/* What the second column of the guide's table speaks of. */

#include <verbsx/verbsx.h>

extern struct vx_ctx *ctx;
extern struct vx_pd *pd;
extern struct vx_cq *cq;
extern struct vx_wc *one;
extern struct vx_comp_channel *channel;
extern struct vx_comp_event event;
extern struct vx_async_event async;
extern struct vx_poller *poller;
extern struct vx_pool *pool;
extern struct vx_qp *qp;
extern struct vx_wr *wr;
extern struct vx_srq *srq;
extern struct vx_wq *wq;
extern struct vx_mr *mr;
extern struct vx_mw *mw;
extern struct vx_ah *ah;
extern struct vx_path path;
extern struct vx_peer peer;
extern struct ibv_qp_attr attr;
extern struct ibv_mw_bind binding;
extern struct ibv_send_wr request;
extern struct ibv_recv_wr receive;
extern struct ibv_ops_wr op;
extern struct ibv_sge sge;
extern struct ibv_wc wc[16];
extern struct ibv_gid_entry gid;
extern union ibv_gid there;
extern char text[1536], why[256];
extern void *memory;
extern uint64_t addr;
extern uint32_t rkey, lkey, length, qpn, qkey, buffer;
extern int mask, fd;

#endif
