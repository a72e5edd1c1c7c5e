/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Receive queues by mailbox, TIRs, and flows that lead to what mailboxes have made. */
#ifndef QUEUES_H
#define QUEUES_H

#include "mailbox.h"

enum {
	RQS = 2,
	CREATE_LENGTH = 272, /* of RQs, and of tables of them without their numbers */
	TIR_LENGTH = 272,
	MEMORY = 8192,
	ROOM = 256,
	RST = 0,
	RDY = 1
};

/* A cyclic RQ at 1024 * its number, whose doorbell is at 64 * its number; entry i receives at 32768 + ROOM * i */
struct rq {
	struct mlx5dv_devx_obj *o;
	uint32_t number;
	struct ibv_cq *cq;
};

extern struct rq rqs[RQS];
extern struct mlx5dv_devx_umem *umem; /* their memory */
extern uint32_t domain_number; /* of a transport domain */

/* Also what open_raw() opens; they are ready */
void open_rqs(void);
void close_rqs(void);

struct mailbox rq_mailbox(int i, struct ibv_cq *cq);
int move_rq(const struct rq *rq, int from, int to);

/* A TIR with one queue */
struct mailbox direct(uint32_t rq);

/* All frames to an object, from the matcher on */
struct lead {
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow *flow;
};

struct lead lead_to(struct mlx5dv_devx_obj *o);
struct lead lead_by(uint32_t flags, struct mlx5dv_flow_action_attr *to); /* flags of the matcher */
void end_lead(struct lead l);

/* How many frames came to a queue, all of them as long as the last that was sent */
int received(int i);
uint32_t tag_received(int i); /* of the last */
void send_to_port(uint16_t port);

#endif
