/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the parts of the programs share that tell what becomes of all they do. */
#ifndef AGREE_H
#define AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "../random/numbers.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	HALF = 16384, /* of the buffer: a's, then b's */
	MAX_WR = 16, /* of a queue */
	MAX_SGE = 3,
	MAX_INLINE = 64,
	QKEY = 0x1234,
	SIDES = 2
};

/* Registered in each of these ways, and keys that are nobody's */
enum key {
	KEY_ALL,
	KEY_READ_ONLY, /* by the device itself and others */
	KEY_OTHER_PD,
	REGIONS,
	KEY_WRONG = REGIONS,
	KEY_WINDOW,
	KEYS
};

/* A QP with a CQ of its own; they are connected with each other */
struct side {
	char name;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint32_t sends, receives; /* posted so far */
	uint32_t sent; /* completed so far */
	uint8_t *room[MAX_WR]; /* of a receive request */
};

struct bed {
	struct ibv_context *ctx;
	struct ibv_pd *pd, *other_pd;
	struct ibv_mr *mr[REGIONS];
	struct ibv_ah_attr path;
	enum ibv_qp_type type;
	struct ibv_srq *srq; /* of b, or NULL */
	uint32_t srq_receives;
	struct ibv_ah *ah; /* of UD */
	struct ibv_mw *mw; /* of RC */
	uint32_t mw_key; /* that it is bound with */
	bool bound;
	struct side side[SIDES];
};
extern struct bed bed;
extern uint8_t buffer[2 * HALF];

/* bed.c */
void open_bed(void);
void close_bed(void);
void make_qps(void);
void destroy_qps(void);
void bring_up(void);
bool is_up(void);
struct ibv_qp_attr attr_for(const struct side *s, enum ibv_qp_state to, int *mask);
uint32_t key_of(enum key key, bool remote);

/* step.c: a random thing, one line; then what became of it */
void random_step(void);

/* observe.c */
void fill_buffer(void);
void observe(void); /* all that happens until nothing does any more */
void tell(const char *what, int rc); /* how a call ended: 0 or an errno */
void die(const char *what) __attribute__((noreturn));

#endif
