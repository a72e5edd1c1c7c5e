/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the parts of the random programs share. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

enum {
	MAX_EACH = 6, /* objects of a kind */
	MAX_WR = 16, /* of a queue */
	MAX_INLINE = 64,
	QKEY = 0x1234,
	PORT_LID = 7
};

#define BUFFER_SIZE 65536
extern char buffer[BUFFER_SIZE];

enum kind {
	PD,
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
	bool sends, receives; /* has such a queue */
	struct counted_queue sq, rq;
};

/* All that a program has made so far; a free place is NULL */
struct world {
	struct ibv_context *ctx;
	void *object[KINDS][MAX_EACH];
};
extern struct world world;

/* Random numbers */
uint32_t below(uint32_t n);
bool one_in(uint32_t n);

/* An object of that kind, or NULL. */
void *any(enum kind kind);

/* Print what is wrong, with the seed, and end. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* One random thing. */
void random_create(void);
void random_destroy(void);
void random_modify(void);
void random_post(void);
void poll_all(void);

/* Let all that is outstanding complete, and check that it does. */
void drain(void);

/* Destroy all. */
void destroy_all(void);

#endif
