/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef PINGPONG_H
#define PINGPONG_H

/*
 * What the programs of this folder share: options, the socket by which two processes meet, a device with what messages need, and
 * the figures. Without HOST a program is the server.
 */

#include "../example.h"

#include <stdbool.h>

#define QKEY 0x11111111
#define DEPTH 64	/* receives posted, or writes under way */
#define BATCH 16
#define MOST_QPS 8
#define TIMEOUT_MS 10000

struct options {
	const char *host;	/* NULL: the server */
	const char *port;
	uint32_t size, count;
	bool events, json;
	bool check;		/* whether messages are filled and looked at */
};

/* What one side tells the other beside where its QPs are. */
struct told {
	__be64 addr;
	__be32 rkey;
	__be32 srqn;
};

static inline struct told told_of(const struct vx_mr *mr)
{
	return (struct told){ .addr = htobe64((uintptr_t)vx_mr_addr(mr)), .rkey = htobe32(vx_mr_rkey(mr)) };
}

struct end {
	struct options options;
	int fd;			/* of the socket */
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_poller *poller;
	struct vx_pool *pool;
	struct vx_srq *srq;	/* which gets receives by itself, as that of XRC */
	struct vx_path paths[MOST_QPS];	/* to the peer's QPs */
	struct told peer;
};

/* ---- session.c ---- */

struct options parse_options(int argc, char **argv);
int open_socket(const struct options *options);

/* Wait until the other side is here as well. */
void meet(const struct end *end);

/* By errno, or 0: the other side has gone. */
void fail(const char *what);

/* ---- pingpong.c ---- */

/* A device, and a pool of buffers with room for a header before each message. */
struct end open_end(struct options options, uint32_t headroom, int access);

/* Have QPs ready to send to those of the other side, the first to the first; each side hears what the other tells. */
void connect_end(struct end *end, struct vx_qp *const *qps, uint32_t count, struct told mine, int access);

/* Messages are told apart by their number: each byte follows from that and its place. */
void fill_message(const struct end *end, char *message, uint32_t number);
void check_message(const struct end *end, const char *message, uint32_t number);

/* Take completions, at least one; where none comes in TIMEOUT_MS, or one has failed, the program ends. */
int take_some(struct end *end, struct ibv_wc *wc);

/* Adds to a request where the peer is, and tells by which QP it goes. */
typedef struct vx_qp *(*prepare_function)(struct end *end, uint32_t number, struct ibv_send_wr *wr);

/*
 * Both sides send a message in turn; the client has figures.
 *
 * @param receiver  the QP, or one of an SRQ, that gets receives again; NULL: end->srq does
 * @param grh       bytes before each message
 */
void play(struct end *end, struct vx_qp *receiver, uint32_t grh, prepare_function prepare, const char *name);

/* ---- figures.c ---- */

int64_t now_ns(void);

/*
 * What came of it, as text or JSON: percentiles of times in nanoseconds, and bandwidth over all.
 *
 * @param bytes  that were sent in all
 */
void report(const struct end *end, const char *name, int64_t *times, uint64_t bytes, int64_t total);

#endif
