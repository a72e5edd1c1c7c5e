/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef PINGPONG_H
#define PINGPONG_H

/*
 * What the programs of this folder share: options, the socket by which two processes meet, a device with what messages need, and
 * the figures. Without HOST a program is the server.
 */

#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "../example.h"

#define QKEY 0x11111111
#define DEPTH 64	/* receives posted, or writes under way */
#define BATCH 16

struct options {
	const char *host;	/* NULL: the server */
	const char *port;
	uint32_t size, count;
	bool events, json;
};

/* What one side tells the other. */
struct told {
	union ibv_gid gid;
	uint32_t lid, qpn, psn, mtu, srqn, rkey;
	uint64_t addr;
};

struct end {
	struct options options;
	int fd;			/* of the socket */
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_poller *poller;
	struct vx_pool *pool;
	struct vx_srq *srq;	/* which gets receives by itself, as that of XRC */
	struct vx_path path;
	struct told peer;
};

/* Functions of pingpong.c. */
struct options parse_options(int argc, char **argv);

/* A device, and a pool of buffers with room for a header before each message. */
struct end open_end(struct options options, uint32_t headroom, int access);

/* Tell the other side of a QP, and of what else is in mine; hear the same of there, and have the QP ready to send. */
void connect_end(struct end *end, struct vx_qp *qp, struct told mine, int access);

/* Wait until the other side is here as well. */
void meet(const struct end *end);

/* Messages are told apart by their number: each byte follows from that and its place. */
void fill_message(const struct end *end, char *message, uint32_t number);
void check_message(const struct end *end, const char *message, uint32_t number);

/* Take completions, at least one; -1 after 10 seconds ends the program. */
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

int64_t now_ns(void);

/*
 * What came of it, as text or JSON: percentiles of times in nanoseconds, and bandwidth over all.
 *
 * @param bytes  that were sent in all
 */
void report(const struct end *end, const char *name, int64_t *times, uint64_t bytes, int64_t total);

#endif
