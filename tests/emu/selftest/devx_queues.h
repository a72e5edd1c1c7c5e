/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Queues by mailbox in memory of the test, with WQEs and CQEs that are built and read by hand. */
#ifndef DEVX_QUEUES_H
#define DEVX_QUEUES_H

#include "mailbox.h"

enum {
	CREATE_CQ = 0x400,
	CREATE_QP = 0x500,
	RST2INIT = 0x502,
	INIT2RTR = 0x503,
	RTR2RTS = 0x504,
	TO_ERR = 0x507,
	TO_RST = 0x50a,
	QUERY_QP = 0x50b,
	CREATE_DCT = 0x710,
	DRAIN_DCT = 0x712,
	CREATE_XRQ = 0x717,
	CREATE_RMP = 0x90c,
	EVENT_LAST_WQE = 0x13
};

/* Bytes of mailboxes; the QPC is at bit 192 of those that have it */
enum {
	LENGTH = 272,
	SHORT_LENGTH = 16,
	DCT_LENGTH = 128,
	XRQ_LENGTH = 336,
	XRQ_WQ = 512, /* so much further on, its queue has the fields of an RMP's */
	QPC = 192
};

/* Where the queues lie in the memory of the test */
enum {
	DOORBELLS = 0, /* of QP i at 64 * i, of the CQ and the RMP as below */
	CQ_DOORBELL = 1024,
	RMP_DOORBELL = 1088,
	CQES = 4096,
	RMP_WQES = 8192,
	WORK = 16384, /* of QP i, 8192 bytes each: 64 receive WQEs of 16 bytes, then 64 WQEBBs */
	WORK_SIZE = 8192,
	RQ_BYTES = 1024,
	MEMORY = 65536,
	LOG_ENTRIES = 6,
	RMP_STRIDE = 32,
	RMP_ENTRIES = 8
};

struct devx_queues {
	uint8_t *memory;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *cq;
	uint32_t cqn, consumed;
};

extern struct devx_queues queues;

struct queue_pair {
	struct mlx5dv_devx_obj *o;
	uint32_t number;
	int place;
	size_t send_queue; /* in the memory: after a receive queue of its own, if it has one */
	uint16_t sent, posted;
};

/* The .init and .fini of a suite: the memory, and the CQ of all queues */
void open_queues(void);
void close_queues(void);
struct mailbox cq_mailbox(void);
void make_cq(struct mailbox m);

/* QPs, whose receive queue is an RMP where that is not 0 */
struct mailbox qp_mailbox(int place, uint32_t rmp);
struct queue_pair make_pair_end(int place, uint32_t rmp);
int transit(const struct queue_pair *q, struct mailbox *m);
void start_end(const struct queue_pair *q, uint32_t peer);

/* Posting: a WQE is there, and then the device is told */
volatile __be32 *doorbell(size_t at);
void data_segment(struct mlx5_wqe_data_seg *s, size_t offset, uint32_t len);
void put_wqe(struct queue_pair *q, uint8_t opcode, uint8_t flags, size_t offset, uint32_t len);
void ring(const struct queue_pair *q);
void post_wqe(struct queue_pair *q, uint8_t opcode, size_t offset, uint32_t len);
void post_receive(struct queue_pair *q, size_t offset, uint32_t len);

/* Waiting */
struct mlx5_cqe64 next_cqe(void);
void expect_two(uint8_t opcode, uint8_t other);

#endif
