/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_STRESS_H
#define VERBSX_TESTS_STRESS_H

/* Threads that move data between QPs at random. What is random comes of a seed, and all that is moved is looked at. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/verbsx.h>

#define LARGEST 4096	/* bytes of a message */
#define RECEIVES 16	/* that each QP has posted */
#define UNDER_WAY 12	/* messages to a QP at most */
#define BUFFERS 16384

extern uint64_t seed;

/* End all, with what is needed to do it once more. */
#define must(holds) ((holds) ? (void)0 : give_up(__FILE__, __LINE__, #holds))
#define made(call) must((call) >= 0)
_Noreturn void give_up(const char *file, int line, const char *what);

/* ---- chance ---- */

struct chance {
	uint64_t state;
};

static inline uint64_t draw(struct chance *chance)
{
	uint64_t x = chance->state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static inline uint32_t draw_below(struct chance *chance, uint32_t bound)
{
	return (uint32_t)(draw(chance) % bound);
}

/* ---- data ---- */

void write_data(void *at, uint32_t length, uint64_t stamp);
bool is_data(const void *at, uint32_t length, uint64_t stamp);

/* ---- what all share ---- */

enum kind { SENDING = 1, WRITING, WRITING_WITH_IMM, READING, ADDING, KINDS };

/* A request with a buffer of a pool, by its index there. */
struct request {
	enum kind kind;
	uint32_t other;		/* the buffer at the other end */
	uint32_t length;
	uint64_t stamp;		/* of the data; of ADDING what was there before */
};

/* Buffers with what they are used for now. */
struct store {
	struct vx_pool *pool;
	struct request requests[BUFFERS];
};

struct shared {
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_xrcd *xrcd;	/* NULL: the device has none */
	struct store plain, datagrams;	/* which have room for a GRH */
};
extern struct shared shared;

/* ---- pairs.c ---- */

/* What is to come in, in order. */
struct expected {
	uint64_t stamp;
	uint32_t length;	/* of the data in the buffer; none where it went elsewhere */
	__be32 imm;
	bool has_imm;
};

struct side {
	struct vx_qp *qp;
	struct pair *pair;
	struct side *peer;
	struct vx_ah *ah;	/* to the peer, of datagrams */
	uint32_t sent;		/* requests that have not completed */
	uint32_t posted;	/* receives that have not completed */
	struct expected expected[UNDER_WAY];
	uint32_t from, count;	/* of these */
};

/* Receives that QPs share. */
struct sharing {
	struct vx_srq *srq;
	uint32_t number;	/* of XRC */
	uint32_t posted;	/* that have not completed */
};

struct pair {
	struct worker *worker;
	struct vx_cq *cq;
	enum ibv_qp_type type;	/* of XRC only the first sends */
	struct sharing *sharing; /* which both receive by; NULL: each has its own queue */
	struct store *store;
	struct side sides[2];
	bool ending;		/* what fails is to fail */
	uint32_t kept[2 * UNDER_WAY], keeps; /* buffers that what has failed may still come to, until both QPs are in ERR */
};

void open_pair(struct pair *pair, struct worker *worker, enum ibv_qp_type type, struct sharing *sharing, struct vx_cq *cq);
void join_pair(struct pair *pair);
void post_something(struct pair *pair);
void take_completion(struct side *side, const struct ibv_wc *wc);
void drain_pair(struct pair *pair);
void reset_pair(struct pair *pair);
void close_pair(struct pair *pair);

/* ---- posting.c ---- */

#define QKEY 0x5eed

/* A request on its way to the queue. */
struct posting {
	struct side *side;
	struct request request;
	uint64_t wr_id;
	struct ibv_sge sge;
	uint32_t rkey;
	uint64_t remote;
	__be32 imm;
	bool has_imm;
	unsigned int flags;
};

void post_in_some_way(struct posting *p);

/* ---- sharing.c ---- */

bool is_soft_roce(void);

/* An SRQ and, where there is XRC, one of that. */
void open_sharing(struct worker *worker);
/* @return how many buffers are lost with it, as they were still posted */
uint32_t close_sharing(struct worker *worker);

/* Have as many receives posted as there were at first. */
void fill_sharing(struct sharing *sharing);

/* The QPs of a pair of XRC. */
void open_sender(struct side *side, struct vx_qp_init init);
void open_receiver(struct side *side);

/* Take what is on its way to a QP that receives by XRC, which has no CQ of its own. */
void wait_for_quiet(struct worker *worker);

/* ---- mlx5.c ---- */

#define MOST_THREADS 32

/* What a worker does with what only mlx5 has. @return NULL: the device is not of mlx5 */
struct vendor *open_vendor(void);
void use_vendor(struct vendor *vendor, struct chance *chance);
void tell_of_vendors(void);

/* ---- worker.c ---- */

#define MOST_PAIRS 64

struct worker {
	struct chance chance;
	struct vx_cq *cq, *cq_ex;
	struct vx_poller *poller;
	struct vx_dispatcher *dispatcher;
	struct sharing srq, xrc;
	struct vendor *vendor;
	struct pair pairs[MOST_PAIRS];
	uint32_t count;
	_Atomic uint64_t moved, drained, joined;
	uint32_t lost;		/* buffers */
};

void open_worker(struct worker *worker, uint64_t number, uint32_t pairs);
void work_until(struct worker *worker, int64_t end);
void close_worker(struct worker *worker);

/* Hand on what has completed on the CQs of a worker, in any way. @return how many there were */
int collect(struct worker *worker);

/* Of any QP of a worker. */
void take_of_any(const struct ibv_wc *wc, void *worker);

int64_t now_ms(void);

/* ---- kill.c ---- */

/* For so long, processes are killed while another talks to them. @return the exit status */
int kill_peers(int64_t end);

#endif
