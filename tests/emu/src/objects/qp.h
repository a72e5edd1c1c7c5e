/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Queue pairs. */
#ifndef EMU_QP_H
#define EMU_QP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <linux/types.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "engine/rendezvous.h"
#include "engine/retry.h"
#include "engine/window.h"
#include "objects/cq.h"
#include "objects/object.h"
#include "objects/srq.h"
#include "packets/responder.h"
#include "packets/rss.h"

/* QP numbers are those of objects above the numbers that the architecture reserves */
#define QPN_BASE 0x100

/* Processes of one host share the numbers: the upper bits are the place of the process. */
#define QPN_PLACE_SHIFT 17
_Static_assert(QPN_BASE + MAX_OBJECTS <= 1 << QPN_PLACE_SHIFT, "one process has room for its own");

#define MAX_STREAMS 32
#define LOG_MAX_STREAMS 4 /* as is advertised */

/* One of the two queues in the program's memory */
struct work_queue {
	uint8_t *buf;
	__be32 *db; /* producer index */
	uint32_t count, shift; /* entries, and the logarithm of an entry's size */
	uint16_t ci;
	bool was_reset; /* and the doorbell record is still as it was then: */
	__be32 old_db;
};

/* A DCI can have streams: an error stops one of them, enough errors the QP */
struct streams {
	uint32_t count, max_errors, stopped;
};

struct qp {
	struct object o;
	LIST_ENTRY(qp) link;
	enum ibv_qp_type type;
	bool dci, dct; /* what an IBV_QPT_DRIVER is */
	bool sig_all, drain_sigerr;
	uint32_t qpn, uidx;
	uint16_t udp_sport; /* where one was asked for */
	uint64_t dc_key;
	struct work_queue sq, rq;
	struct cq *send_cq, *recv_cq;
	struct srq *srq;
	struct xrcd *xrcd;
	LIST_HEAD(, opened_qp) opened; /* its handles besides the first, see qp_open.h */
	bool closed; /* the first was destroyed */
	struct object *rwq_table;
	struct rss rss; /* how frames are spread over the table */
	struct ib_uverbs_modify_qp attr; /* all that was set so far */
	struct retry retry;
	struct window window;
	struct rendezvous_list rendezvous; /* requests of its own that are not under way */
	uint32_t psn; /* packets that were given a number so far */
	bool drain_event; /* to be sent when nothing is under way any more */
	struct responder responder;
	struct initiators initiators; /* of a DCT */
	struct streams streams;
	struct object *sched_leaf; /* by which it is held to a bandwidth, or NULL */
	uint8_t lag_port; /* by which it goes out, of ports that are bonded; 0: they are not */
	struct object *umem[2]; /* of one made by a mailbox: where its doorbells and queues lie */
};

LIST_HEAD(qp_list, qp);
extern struct qp_list qp_list;

/* One without queues, in RESET; NULL without room. */
struct qp *qp_new(struct context *ctx, struct object *pd);

struct qp *qp_by_number(uint32_t qpn);

/* The place of the process whose number it is, where QPs of several have the same address. */
unsigned int qp_number_place(uint32_t qpn);
bool qp_number_is_ours(uint32_t qpn);

/* Its retries and acknowledgements tell the requester what became of a request. */
bool qp_is_reliable(const struct qp *q);

/* It takes requests from others. */
bool qp_is_receiving(const struct qp *q);

/* The first WQE that was posted and not taken yet; NULL if there is none. */
uint8_t *work_queue_next(const struct work_queue *q);

void qp_release(struct object *o);

/* The attributes that a transition needs, and those that it allows besides; 0 where there is none. */
uint32_t qp_required(const struct qp *q, int from, int to);
uint32_t qp_allowed(const struct qp *q, int from, int to);

int qp_modify(struct qp *q, const struct ib_uverbs_modify_qp *m);

/* Go to the error state, with an async event where @event is not negative. */
#define NO_EVENT (-1)
void qp_error(struct qp *q, int event);

/* The data of a key that it configured are not what their signature says; NULL: nobody hears of it. */
struct sig_error;
void qp_signature_error(struct qp *q, const struct sig_error *e);

/* Stop a stream; true if the QP has to stop as well. */
bool qp_stream_error(struct qp *q, uint16_t stream);
bool qp_stream_stopped(const struct qp *q, uint16_t stream);

/* Let a stopped stream go on; -1 if it is none. */
int qp_stream_reset(struct qp *q, uint16_t stream);

#endif
