/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REFUSED_H
#define VERBSX_SRC_REFUSED_H

/* Why a provider refused a request: it gives one code for several reasons, so the list that was posted is looked at. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "error/fail.h"

struct vx_node;

#define VX_LONGEST_REFUSAL 256

/* What a request lacks. */
enum {
	VX_LACKS_DATA = 1,
	VX_LACKS_ADDRESS = 2,
	VX_LACKS_SETTERS = 4,	/* as many as struct vx_guard_qp says */
	/* of data that it lacks */
	VX_DATA_WRITTEN = 8,	/* they are memory of this side that is written to, and so not inline */
	VX_DATA_LOOKED_AT = 16,		/* their length matters: of a builder, it is 8 */
	VX_ABOUT_DATA = VX_LACKS_DATA | VX_DATA_WRITTEN | VX_DATA_LOOKED_AT,
};

/* A request of ibv_post_send(3) or one to receive: both begin with the identity and what is next. */
struct vx_request {
	uint64_t wr_id;
	struct vx_request *next;
};

_Static_assert(offsetof(struct ibv_send_wr, next) == offsetof(struct vx_request, next) &&
	       offsetof(struct ibv_recv_wr, next) == offsetof(struct vx_request, next), "both lists are linked alike");

/* A list of either, or one of it. */
union vx_list {
	struct vx_request *one;
	struct ibv_send_wr *send;
	struct ibv_recv_wr *receive;
};

/* What lore says of a builder, which is what it says of its opcode of ibv_post_send(3) as well, or of a setter. */
struct vx_guard_step {
	uint64_t op;		/* the bit of send_ops_flags that a builder needs; of setters that are counted, one each */
	uint16_t types;		/* of QPs that it is for: VX_WR_TYPE() of each */
	uint8_t lacks;		/* what a request lacks after a builder; what of it a setter gives */
	uint8_t slots;		/* of the queue; 0: it is a setter */
	uint32_t done;		/* the opcode of its completion */
	bool listed;		/* ibv_post_send(3) takes such a request */
	char name[];		/* releases bring functions whose names are longer than all before */
};

/* Those of enum ibv_qp_type are small, but for one. */
#define VX_WR_TYPE(type) (1u << ((type) < 15 ? (type) : 15))

/* Generated. */
extern const uint32_t vx_send_flags;	/* all of enum ibv_send_flags */

/* What lore says of an opcode; NULL: nothing. Generated. */
const struct vx_guard_step *vx_step_of(enum ibv_wr_opcode opcode);

/*
 * All that end in _wrong() tell whether something is, and why, in VX_LONGEST_REFUSAL bytes. They are the same for builders, for posts that are
 * checked, and for those that a provider has refused.
 */

/** Write what is wrong. @return true */
bool vx_says(char *why, const char *format, ...) VX_PRINTF(2, 3) VX_COLD;

/** A request, and the queue that it is posted to. */
bool vx_send_wrong(char *why, const struct ibv_qp *qp, const struct ibv_qp_cap *cap, const struct ibv_send_wr *wr, bool has_checksums);
bool vx_queue_wrong(char *why, const struct ibv_qp *qp, bool sends);

/** Of it, what lore has looked at of the arguments of its opcode's builder. Generated. */
bool vx_arguments_wrong(char *why, const struct ibv_pd *pd, const struct ibv_send_wr *wr);

/** The address at the peer of an atomic operation. */
bool vx_address_wrong(char *why, uint64_t addr);

/** That a QP of a type, which has a name, cannot do it. */
bool vx_type_wrong(char *why, const struct vx_guard_step *step, enum ibv_qp_type type);

/** Entries, of which the queue takes so many, as it was made: "the QP was made with max_send_sge". */
bool vx_entries_wrong(char *why, const struct ibv_sge *list, long long count, const char *made, uint32_t most);

/** The data of a request by its entries, or by how many bytes are inline. */
bool vx_data_wrong(char *why, const struct vx_guard_step *step, const struct ibv_qp_cap *cap, const struct ibv_sge *list, long long count, bool is_inline);
bool vx_inline_wrong(char *why, const struct vx_guard_step *step, const struct ibv_qp_cap *cap, uint64_t bytes);

/** Flags of a field that nobody knows, or that requests of a QP cannot have: IBV_SEND_IP_CSUM, as vx_has_checksums() was. */
bool vx_flags_wrong(char *why, const char *field, unsigned int flags, bool has_checksums, enum ibv_qp_type type);

/** A list of either kind whose last request is followed by one of its own: a provider posts it until the queue is full. */
bool vx_ring_wrong(char *why, const void *list);

/** How many bytes a list of entries has. */
uint64_t vx_bytes_of(const struct ibv_sge *list, long long count);

/** Whether IBV_SEND_IP_CSUM is for a QP, by its type and its device; which is asked. */
bool vx_has_checksums(const struct ibv_qp *qp);

/* Whether a QP spreads packets over WQs: it has no queues of its own, and its state is RESET for ever. */
bool vx_spreads_packets(const struct ibv_qp *qp);

/* Whether a QP is not yet in RTS. That of iWARP is brought there by the kernel, once it is connected: libibverbs knows it in INIT or RTR for ever. */
bool vx_sends_too_early(const struct ibv_qp *qp);

/**
 * Fail a post because of a request of a list of either kind: "request 2 of 3 (wr_id = 0x7, IBV_WR_SEND): ..." where it is there.
 *
 * @param node    what it was posted to
 * @param why     "" where nothing is known, nor said
 * @return what vx_error() is filled with: the code, or -EIO for one that is none
 */
int vx_fail_request(int code, const char *call, const void *node, const void *list, const void *bad, const char *opcode, const char *why);

#define VX_NOT_COUNTED "Those that rdma-core polls are not counted; without IBV_SEND_SIGNALED there are none"

/** The same as the send queue of a checked QP, of such a depth, is full of requests, or was made for none: in words once somebody asks. @return the code for it */
int vx_fail_checked_full(const void *node, const struct ibv_send_wr *list, const struct ibv_send_wr *bad, uint32_t depth) VX_COLD;

/** Whether builders of a QP that is full write over a request that was posted before, as libmlx5's do. */
bool vx_builders_overwrite(const struct ibv_qp *qp);

/** Whether a QP has builders by which keys of mlx5 get entries. Generated. */
bool vx_mlx5_gives_keys(const struct ibv_qp *qp);

/* ---- objects (given.c) ---- */

/*
 * What a request names by a pointer: AHs, windows, regions. Such a pointer may lead to what was closed, so it is looked up among the objects
 * that have handles, and not followed.
 *
 * One that has no handle, made by ibv_create_ah(3) itself, cannot be told from one that is no more. It is let pass, as it may be the
 * program's own, where what lies there begins as such an object does, with a context and a PD; the kernel reads that, for which a pointer that
 * leads nowhere is no crash. What is freed mostly begins with something else, but not with all allocators: of a handle that is no more the raw
 * object is VX_RAW_GONE. Where a filter of system calls forbids that, all others are let pass.
 */

/*
 * Whether what one has is the other's as well: it was imported from that, or may have been. Kernels count the handles of others anew. Under
 * the lock of the graph.
 */
bool vx_shares_objects(const struct ibv_context *a, const struct ibv_context *b) VX_SELDOM_CALLED;

/** That a field is a raw object of a kind that a PD, or a parent domain of it, which has the same number, cannot use. */
bool vx_given_wrong(char *why, const char *field, const struct ibv_pd *pd, const void *raw, uint32_t type) VX_SELDOM_CALLED;

/* Which changes with each AH that is closed; never 0. */
extern uint32_t vx_peer_generation __attribute__((visibility("hidden")));

/* The AHs that were looked up last, and are of the PD. */
struct vx_peers {
	uint32_t generation;
	const struct ibv_ah *seen[16];
};

/* The same of an AH, where one has to be. One that has a handle is remembered: nobody tells when another is gone. */
bool vx_peer_wrong(char *why, struct vx_peers *peers, const struct ibv_pd *pd, const struct ibv_ah *ah);

/* ---- memory (region.c) ---- */

/*
 * The memory regions that have handles, by their local keys: what an entry of a request must keep to. They are known from the time on
 * that something is checked. The lock of regions is the last that anybody takes.
 */

/* The region that somebody has looked up last, as far as it lets pass entries without a further look. */
struct vx_seen {
	uint32_t lkey;
	uint32_t generation;	/* of all regions; 0: none was looked up */
	uint64_t start, length;
	uint32_t not_for;	/* VX_DATA_WRITTEN where it may not be written to */
};

/* Which changes with each region that comes, goes or changes; never 0. */
extern uint32_t vx_region_generation __attribute__((visibility("hidden")));

/* Have regions known from now on. */
void vx_regions_begin(void);

/**
 * The entries of a request of a QP or an SRQ of a PD; nobody knows what is no key of a handle.
 *
 * @param seen    is looked at first, and filled
 * @param writes  they are written to
 */
bool vx_regions_wrong(char *why, struct vx_seen *seen, const struct ibv_pd *pd, const struct ibv_sge *list, long long count, bool writes);

/** The same of what a device copies by itself, which is told as an entry is. */
bool vx_copy_wrong(char *why, const struct ibv_pd *pd, uint32_t to_key, uint64_t to, uint32_t from_key, uint64_t from, size_t length);

/** The same of a window, and of what it is to be bound to. */
bool vx_bind_wrong(char *why, const struct ibv_pd *pd, const struct ibv_mw *mw, const struct ibv_mw_bind_info *info);

/** The same of a request, which is none for windows of type 1: their rkey is the provider's, which would not know of it. */
bool vx_bind_request_wrong(char *why, const struct ibv_pd *pd, const struct ibv_mw *mw, const struct ibv_mw_bind_info *info);

/** The same of a key that is to be made invalid. */
bool vx_invalidate_wrong(char *why, const struct ibv_pd *pd, uint32_t rkey);

/* Whether it lies in that; what it is for is not looked at. */
static inline bool vx_region_is_seen(const struct vx_seen *seen, uint32_t lkey, uint64_t addr, uint32_t length)
{
	uint64_t left;

	return seen->lkey == lkey && seen->generation == __atomic_load_n(&vx_region_generation, __ATOMIC_RELAXED) &&
	       !__builtin_sub_overflow(seen->length, addr - seen->start, &left) && length <= left;
}

#endif
