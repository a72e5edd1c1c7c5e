/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completion queues. */
#ifndef EMU_CQ_H
#define EMU_CQ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/tm_types.h>
#include <linux/types.h>

#include "objects/object.h"

struct channel;

struct cq {
	struct object o;
	LIST_ENTRY(cq) link;
	uint8_t *buf; /* the program's memory, as is the doorbell record */
	__be32 *db; /* consumer index, arming */
	uint32_t size, cqe_size;
	uint32_t pi, solicited_pi; /* producer index: of all, of what is solicited */
	uint32_t notified; /* of what the last event was for: the PRM's last_notified_index */
	bool overrun, ignore_overrun;
	bool real_time; /* what its timestamps tell */
	int comp_events; /* completion events written minus those taken back */
	struct channel *channel;
	uint16_t event_count, event_period; /* moderation: so many entries, or so many us */
	uint64_t event_due; /* 0: nothing is held back */
	struct session *session; /* of one that compresses: what is kept back */
	struct object *umem[2]; /* of one made by a mailbox: where its doorbells and entries lie */
};

LIST_HEAD(cq_list, cq);
extern struct cq_list cq_list;

/* One without memory; NULL without room. */
struct cq *cq_new(struct context *ctx);

void cq_release(struct object *o);

/* A completion, before it becomes an entry */
struct completion {
	uint8_t opcode; /* MLX5_CQE_... */
	uint8_t wqe_opcode; /* of the requester's WQE */
	uint8_t syndrome; /* MLX5_CQE_SYNDROME_... or 0 */
	uint16_t wqe_counter;
	uint16_t slid;
	uint32_t byte_count, uidx, src_qpn;
	__be32 imm;
	bool has_grh, solicited;
	uint8_t l3_type; /* of a RoCE packet: 0 GRH, 1 IPv6, 2 IPv4; where InfiniBand has the SL */
	uint8_t app_op; /* of tag matching; 0: it has nothing to do with that */
	uint16_t app_info; /* the tag's index */
	union {
		struct mlx5_tm_cqe op; /* what came of an operation */
		struct ibv_tmh head; /* of a message that has found its tag */
	} tm;
	bool is_steered; /* by a flow: its tag is in the place of the QP */
	uint32_t flow_tag;
};

/* Write the next entry; @qpn is the QP it is for. Without room the CQ is in error. */
void cq_push(struct cq *cq, uint32_t qpn, const struct completion *c);

/* For who writes others: an entry's place, all of it but the last byte, which is in @format with the opcode, and that. */
struct mlx5_cqe64 *cq_entry(const struct cq *cq, uint32_t index);
void cq_fill_entry(const struct cq *cq, struct mlx5_cqe64 *e, uint32_t qpn, const struct completion *c);
void cq_hand_over(struct cq *cq, uint8_t format, uint32_t entries);

/* Write one about a signature. */
struct sig_error;
void cq_push_sig_error(struct cq *cq, const struct sig_error *error);

/* Send a completion event if the CQ is armed and has something new. */
void cq_notify(struct cq *cq);

/* End the buffer with an entry that tells libmlx5 to go on in the other one. */
void cq_push_resize(struct cq *cq);

/* Entries that the program has not yet consumed. */
uint32_t cq_used(const struct cq *cq);

/* What the arming half of the doorbell record holds when the CQ is not armed. */
#define CQ_NOT_ARMED 0xffffffff

/* Of moderation */
#define CQ_MAX_COUNT 0xffff
#define CQ_MAX_PERIOD 0xfff

#endif
