/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_CM_ENDS_H
#define EMU_CM_ENDS_H

/* Both ends of a connection of librdmacm in one process, each with a channel of its own. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <rdma/rdma_cma.h>

#define CHECK(x) cr_assert((x), "%s (errno: %s)", #x, strerror(errno))

enum {
	PORT = 7471,
	PRIVATE_REQ = 56, /* what a REQ, a REP and a REJ have room for */
	PRIVATE_REP = 196,
	PRIVATE_REJ = 148,
	NO_SERVICE = 8,
	TIMEOUT_REJECT = 4,
	CONSUMER_REJECT = 28,
	PATIENCE = 10000, /* ms */
	A_WHILE = 20
};

/* One end of a connection */
struct end {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct rdma_cm_event *event; /* the last one, until the next is waited for */
};

extern struct end client, server;

struct sockaddr_in address(const char *ip, int port);
/* What the emulated device is to do wrong. */
void fail(const char *list);
bool is_readable(const struct end *e, int ms);
/* The next event of an end, which acknowledges the one before. */
struct rdma_cm_event *expect(struct end *e, enum rdma_cm_event_type type, int status);
void ack(struct end *e);
void open_ends(void);
void close_ends(void);
void listen_at(struct end *e, const char *ip);
void resolve(struct end *e, const char *ip);
void make_qp(struct rdma_cm_id *id);
struct rdma_conn_param param(const char *data);
void ask(const char *data);
/* The passive end's new id; it takes the listener's place in server. */
void accept_it(const char *data);
void connect_ends(void);
void disconnect_ends(void);
void expect_rejection_of(struct end *e, int reason);
void expect_rejection(int reason);
void drop_client_qp(void);

#endif
