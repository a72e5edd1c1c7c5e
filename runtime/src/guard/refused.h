/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REFUSED_H
#define VERBSX_SRC_REFUSED_H

/* Why a provider refused a request: it gives one code for several reasons, so the list that was posted is looked at. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

struct vx_node;

#define VX_LONGEST_REFUSAL 256

/* What an opcode of ibv_post_send(3) is for. */
struct vx_wr_row {
	int32_t opcode;		/* of enum ibv_wr_opcode */
	bool takes_inline;
	bool is_atomic;		/* of 8 bytes */
	uint16_t types;		/* of QPs: VX_WR_TYPE() of each */
	enum ibv_wc_opcode done; /* that of its completion */
};

/* Those of enum ibv_qp_type are small, but for one. */
#define VX_WR_TYPE(type) (1u << ((type) < 15 ? (type) : 15))

/* Generated. */
extern const struct vx_wr_row vx_wr_rows[];
extern const unsigned int vx_wr_row_count;
extern const uint32_t vx_send_flags;	/* all of enum ibv_send_flags */

/**
 * What is wrong with a request, or with the queue that it was posted to.
 *
 * @param buf  for VX_LONGEST_REFUSAL bytes
 * @return whether there is a reason in it
 */
bool vx_send_wrong(char *buf, const struct ibv_qp *qp, const struct ibv_qp_cap *cap, const struct ibv_send_wr *wr);
bool vx_queue_wrong(char *buf, const struct ibv_qp *qp, bool sends);

/* Whether a QP spreads packets over WQs: it has no queues of its own, and its state is RESET for ever. */
bool vx_spreads_packets(const struct ibv_qp *qp);

/* Whether a QP is not yet in RTS. That of iWARP is brought there by the kernel, once it is connected: libibverbs knows it in INIT or RTR for ever. */
bool vx_sends_too_early(const struct ibv_qp *qp);

/** The same of a request to receive, where such have so many entries, as a field said. */
bool vx_recv_wrong(char *buf, const struct ibv_recv_wr *wr, const char *field, uint32_t max_sge);

/** How many bytes a list of entries has. */
uint64_t vx_bytes_of(const struct ibv_sge *list, int count);

/** Whether there are flags of a field that nobody knows, or that requests of a QP cannot have: IBV_SEND_IP_CSUM, as vx_has_checksums() was. */
bool vx_flags_wrong(char *buf, const char *field, unsigned int flags, bool has_checksums, enum ibv_qp_type type);

/** Whether IBV_SEND_IP_CSUM is for a QP, by its type and its device; which is asked. */
bool vx_has_checksums(const struct ibv_qp *qp);

/** A list of either kind whose last request is followed by one of its own: a provider posts it until the queue is full. */
bool vx_ring_wrong(char *buf, const void *list);

/** What lore says of an opcode; NULL: nothing. */
const struct vx_wr_row *vx_wr_row_of(enum ibv_wr_opcode opcode);

/** Where a request is in a list of either kind: "request 2 of 3 (wr_id = 0x7, IBV_WR_SEND): "; "" where it is not there. @return its length */
size_t vx_name_request(char *buf, size_t len, const void *list, const void *bad, const char *opcode);

/** The sizes of a QP: asked for the first time, and remembered; false where nobody can tell. */
bool vx_post_cap(const struct vx_node *node, struct ibv_qp_cap *cap);

/** The same of a QP that has no handle yet, asked for each time. */
bool vx_ask_cap(struct ibv_qp *qp, struct ibv_qp_cap *cap);

/** Whether builders of a QP that is full write over a request that was posted before, as libmlx5's do. */
bool vx_builders_overwrite(const struct ibv_qp *qp);

/** Whether a QP has builders by which keys of mlx5 get entries. Generated. */
bool vx_mlx5_gives_keys(const struct ibv_qp *qp);

#endif
