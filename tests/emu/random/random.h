/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the parts of the random programs share. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "numbers.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	MAX_EACH = 6, /* objects of a kind */
	MAX_STEPS = 128, /* of a program */
	MAX_WR = 16, /* of a queue */
	MAX_INLINE = 64,
	BUFFER_SIZE = 65536,
	QKEY = 0x1234,
	DC_KEY = 0xabcd,
	FIRST_LID = 7,
	FREE_ID = 0, /* of a request that is not counted */
	ACCESS_ALL = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC
};

enum kind {
	PD,
	DM,
	MR,
	XRCD,
	CHANNEL,
	CQ,
	SRQ,
	QP,
	MW,
	MKEY,
	AH,
	KINDS
};

/* Requests complete in the order in which they were posted */
struct counted_queue {
	uint32_t posted, completed;
};

/* A QP and what is known of it */
struct test_qp {
	struct ibv_qp *qp;
	const struct qp_type *type;
	uint32_t peer; /* the number that it was connected with */
	bool sends, receives; /* has such a queue */
	bool member; /* of the group */
	struct counted_queue sq, rq;
};

/* All that a program has made so far; a free place is NULL */
struct world {
	struct ibv_context *ctx;
	bool ethernet;
	struct ibv_ah_attr path; /* from the port to itself */
	void *object[KINDS][MAX_EACH];
	bool faulty; /* something was asked to go wrong */
	bool xrc_srq_gone; /* libmlx5 does not clean its CQ, and calls what is left there an error */
	bool pd_refused; /* to go: libmlx5 has forgotten what it needs to copy memory */
};
extern struct world world;

/* In the number of a receive request */
#define RECV_BIT (1u << 31)

extern char buffer[BUFFER_SIZE];
extern const union ibv_gid group; /* for multicast */

/* What was seen, in memory that is still there when the process of the programs has died */
struct record {
	unsigned long seed; /* of the program that runs */
	unsigned long statuses[IBV_WC_TM_RNDV_INCOMPLETE + 1];
	unsigned long cq_events, async_events[IBV_EVENT_WQ_FATAL + 1];
};
extern struct record *record;

/* Programs, the first with this seed, each only with those of its steps */
struct batch {
	unsigned long first, count;
	bool steps[MAX_STEPS];
};

/* program.c */
void run_programs(const struct batch *b);
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* shrink.c: find a few steps that are enough for the program to fail, and print them. */
bool run_in_child(const struct batch *b, bool quiet);
bool parse_steps(const char *list, bool steps[MAX_STEPS]);
void shrink(unsigned long seed);

/* kinds.c: an object of that kind, or NULL; mostly the first; its place in the table */
void *any(enum kind kind);
void *usual(enum kind kind);
bool is_live(enum kind kind, const void *object);
bool is_xrc(const struct ibv_srq *srq);
void random_create(void);
void random_destroy(void);
void destroy_all(void);
void random_use(void);

/* qp.c */
void *create_qp(void);
int destroy_qp(void *o);
struct test_qp *find_qp(uint32_t qpn);
bool change_state(struct test_qp *t, enum ibv_qp_state to);
void random_modify(void);
bool is_dci(const struct test_qp *t);

/* post.c */
void random_post(void);

/* complete.c: polling, events; let all that is outstanding complete, and check that it does. */
void poll_all(void);
void wait_and_poll(void);
void drain(void);

#endif
