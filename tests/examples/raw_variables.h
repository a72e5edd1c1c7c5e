/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef RAW_VARIABLES_H
#define RAW_VARIABLES_H

/* What the first column of the guide's table speaks of. */

#include <infiniband/verbs.h>

extern struct ibv_context *context;
extern struct ibv_pd *pd;
extern struct ibv_cq *cq, *event_cq;
extern struct ibv_cq_ex *cqx;
extern struct ibv_poll_cq_attr polling;
extern struct ibv_comp_channel *channel;
extern struct ibv_qp *qp;
extern struct ibv_qp_ex *qpx;
extern struct ibv_qp_attr attr;
extern struct ibv_srq *srq;
extern struct ibv_wq *wq;
extern struct ibv_mr *mr;
extern struct ibv_mw *mw;
extern struct ibv_mw_bind binding;
extern struct ibv_ah *ah;
extern struct ibv_ah_attr ah_attr;
extern struct ibv_grh *grh;
extern struct ibv_send_wr wr, *bad;
extern struct ibv_recv_wr receive, *bad_recv;
extern struct ibv_ops_wr op, *bad_op;
extern struct ibv_sge sge;
extern struct ibv_wc wc[16];
extern struct ibv_gid_entry gid;
extern struct ibv_async_event event;
extern void *event_context, *memory;
extern uint64_t addr;
extern uint32_t rkey, lkey, length, qpn, qkey, gid_index;
extern int mask;

#endif
