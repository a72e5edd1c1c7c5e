/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_TRAFFIC_H
#define VERBSX_TESTS_PARITY_TRAFFIC_H

/*
 * One engine for all of upstream's tests that send. A row says what is sent between which QPs, by which functions, and how it
 * completes; what arrives is looked at byte by byte.
 */

#include "device.h"

#define MOST_QPS 2
#define ROOM_OF_END 4096

enum how_posted {
	BY_LIST,	/* vx_qp_post_send() and the functions of one line, in turn */
	BY_BUILDER,	/* vx_wr_...(), with an entry, a list of entries and inline data in turn */
};

enum how_taken {
	AS_STRUCTURES,	/* vx_cq_poll() */
	ONE_BY_ONE,	/* vx_cq_start_poll() and vx_wc_next(), of an extended CQ */
	BY_EVENTS,	/* after vx_comp_channel_get_event() */
	BY_POLLER,	/* vx_poller_poll(), which sleeps */
};

enum whose_memory {
	OF_REGION,
	OF_CALLER,	/* registered where it is */
	OF_PROCESS,	/* reached by an implicit region */
	OF_DEVICE,
};

struct traffic {
	enum ibv_wr_opcode op;
	enum ibv_qp_type type;		/* RC, which 0 is, UD or XRC_SEND */
	enum how_posted posted;
	uint64_t ops;			/* what else is to be built: of enum ibv_qp_create_send_ops_flags */
	enum how_taken taken;
	bool srq;			/* receives are of an SRQ; those of XRC always are */
	int qps;			/* of each end; 0 is 1 */
	bool empty;			/* messages have no bytes */
	int access;			/* of the regions, beyond what the operation needs */
	uint32_t flags;			/* of the regions */
	enum whose_memory memory;
	uint32_t on_demand;		/* IBV_ODP_SUPPORT_...: what the device must be able to do with such memory */
	int advice;			/* of enum ibv_advise_mr_advice, before anything is sent; 0 is none: add ADVISED */
	bool in_background;		/* the advice is not waited for */
	struct vx_pd *domain;		/* of all objects; NULL: of each end a PD of its own */

	/* What is wrong, so that the request fails. */
	bool fails;
	uint32_t wrong_lkey, wrong_rkey;	/* added to the keys */
	uint64_t wrong_addr;			/* added to the address there */
	bool closed_mr, closed_qp;		/* the peer's region, or QP, lets nothing be done */
};

#define ADVISED 0x100	/* advice of 0 is one, too */

struct region {
	struct vx_mr *mr;
	struct vx_dm *dm;
	char *memory;
	uint64_t addr;		/* by which requests know it */
};

struct end {
	const struct traffic *row;
	struct vx_pd *pd;
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct vx_poller *poller;
	struct vx_xrcd *xrcd;
	struct vx_srq *srq;
	uint32_t srqn;
	struct vx_qp *qps[MOST_QPS];		/* which send */
	struct vx_qp *receivers[MOST_QPS];	/* the same, but of XRC */
	struct vx_ah *way;			/* of datagrams to the other end */
	struct region out, in;
	uint32_t inline_room;
};

/* What goes from one end to the other. */
struct message {
	struct end *from, *to;
	int qp;			/* which */
	uint32_t number;
	uint32_t size;
};

#define QKEY 0x1234
#define GRH_OF(end) ((end)->row->type == IBV_QPT_UD ? 40 : 0)

/* ---- traffic.c ---- */

/* Messages back and forth, as the row says. */
void run(struct traffic row);

/* Ends that can send to each other. */
void open_ends(const struct traffic *row, struct end ends[2]);

/* ---- traffic_post.c ---- */

uint64_t bit_of(enum ibv_wr_opcode op); /* of enum ibv_qp_create_send_ops_flags */
int post(const struct message *m);
int post_receive(struct end *end, int qp, uint32_t number);

/* What the request compares, adds or swaps. */
uint64_t operand_of(uint32_t number);
uint64_t swap_of(uint32_t number);
__be32 imm_of(uint32_t number);

/* ---- traffic_take.c ---- */

/* Wait for the next completion of an end. */
struct ibv_wc take(struct end *end);

#endif
