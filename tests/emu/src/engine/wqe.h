/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Work queue elements of a send queue, taken apart. */
#ifndef EMU_WQE_H
#define EMU_WQE_H

#include <stdint.h>
#include <sys/uio.h>
#include <infiniband/mlx5dv.h>

#define LOG_WQEBB 6
#define WQEBB (1 << LOG_WQEBB)
#define SEGMENT 16
#define MAX_SEGMENTS 64 /* DS has six bits */

struct qp;
struct work_queue;

struct send_wqe {
	struct mlx5_wqe_ctrl_seg *ctrl;
	uint8_t opcode;
	uint16_t counter, stream;
	int ds, wqebbs; /* its length, in segments and in blocks */
	struct mlx5_wqe_av *av;
	struct mlx5_wqe_raddr_seg *raddr;
	struct mlx5_wqe_atomic_seg *atomic;
	const uint8_t *head; /* of RAW_PACKET: the headers of a frame that are in the WQE */
	uint32_t head_len;
	uint32_t xrc_srqn;
	struct mlx5_wqe_data_seg *seg[MAX_SEGMENTS];
	int nseg;
	uint8_t *data; /* gathered; NULL where there is none to send, or it is sent from where it is */
	uint32_t len;
	/* A copy in one piece: the queue is a ring */
	uint8_t raw[MAX_SEGMENTS * SEGMENT] __attribute__((aligned(WQEBB)));
};

/* Each returns 0 or a syndrome. */
typedef int local_fn(struct qp *q, struct send_wqe *w);

/* Copy the next WQE of a queue and read its control segment. */
void wqe_load(struct send_wqe *w, const struct work_queue *sq, const uint8_t *at);

/* Find the segments after it. */
int wqe_parse(const struct qp *q, struct send_wqe *w);

/* Collect the data of a request, unless they are already. */
int wqe_gather(const struct qp *q, struct send_wqe *w);

/* Of a part of the data, @offset bytes into them, the pieces where they are: how many, or -1 where they have to be collected. */
int wqe_pieces(const struct qp *q, const struct send_wqe *w, uint32_t offset, uint32_t len,
	       struct iovec pieces[MAX_SEGMENTS]);

/* Spread a part of a response, @offset bytes into it, over the local segments. */
int wqe_scatter_response(const struct qp *q, const struct send_wqe *w, uint32_t offset, const void *data,
			 uint32_t len);

#endif
