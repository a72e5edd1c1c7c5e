/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GUARD_H
#define VERBSX_SRC_GUARD_H

/*
 * What stands before a checked QP, CQ or SRQ. All that is posted is looked at before it goes on, by what lore says of builders and
 * setters; after the first thing that is wrong nothing of a list goes on, and vx_wr_complete() tells of it.
 *
 * A guard's lock is taken from vx_wr_start() to vx_wr_complete() or vx_wr_abort(), and by a post. Within it the lock of the provider
 * is taken, that of regions, and that of all graphs, which no guard is waited for under; of the first two nobody takes another one. That of
 * a CQ is taken around ibv_poll_cq(3), so nobody waits for it who has any other: whoever has the provider's, between ibv_start_poll(3) and
 * ibv_end_poll(3), may wait for a guard's.
 *
 * A QP or CQ of a parent domain with a thread domain, or a CQ that was made for one thread, is used by one thread at a time. Its lock is only
 * marked as taken, by plain stores: whoever finds that of a QP taken has broken the promise, and is told.
 */

#include <pthread.h>

#include "front/front.h"
#include "refused.h"

struct mlx5dv_qp_ex;
struct vx_qp;
struct vx_srq;

#define VX_BEFORE_DATAGRAM 40	/* bytes of what receives it, for a GRH, whether or not there is one */

#define VX_OP_MLX5(bit) ((uint64_t)(bit) << 32)	/* both enums begin at 1 */

/* Opcodes of the provider's own are those of its sends. */
static inline bool vx_is_of_a_receive(unsigned int opcode)
{
	return opcode >= IBV_WC_RECV && opcode < IBV_WC_DRIVER1;
}

/* What sums of fields of 32 bits in a list that a step is given have to go into. */
struct vx_guard_entries {
	size_t size;		/* of an entry */
	size_t offset[2];
	uint64_t most;
	uint8_t fields;
	bool in_all;		/* of all entries */
	uint16_t before;	/* the release that has room for more; 0: none has */
	char list[8];
	char name[32];		/* "bytes_count + bytes_skip" */
	char room[52];		/* "16 bits: at most 65535" */
};

#define VX_COUNTS_NOBODY UINT32_MAX

/*
 * How many requests of a QP have completed that have completions, which the guard before its CQ counts. Whoever polls looks for it without a
 * lock, so it stays where it is until the CQ is closed, and is that of another QP when this one is.
 */
struct vx_guard_count {
	struct vx_guard_count *next;
	uint32_t qp_num;		/* or VX_COUNTS_NOBODY */
	/* ever */
	uint32_t polled;		/* by ibv_poll_cq(3): written under the lock of the CQ's guard */
	uint32_t looked_at;		/* one by one: under that of the provider */
	uint32_t failed;		/* how many there were with the first that failed since RESET; 0: none did */
};

/* A request that was posted, by what its completion is known. */
struct vx_guard_request {
	uint64_t wr_id;
	uint32_t opcode;		/* of its completion; with VX_GUARD_POSTED its own */
};

#define VX_GUARD_POSTED 0x80000000u

#define VX_LONGEST_REQUEST 128

struct vx_guard_qp {
	struct vx_front_qp front;		/* what builders see */
	const struct ibv_qp *raw;
	uint64_t ops;				/* of send_ops_flags, those that can be begun */
	uint64_t open;				/* those that may be begun now: none outside of a list, nor while a request lacks something */
	const struct vx_guard_step *step;	/* that began the last request */
	const char *outside;			/* the function that was first called outside of a list */
	uintptr_t owner;			/* the thread that has the lock; 0: none */
	uint32_t lacks, setters;		/* what the last request lacks; of setters, so many */
	uint32_t given;				/* by setters of those, bit by bit */
	uint32_t address;			/* VX_LACKS_ADDRESS where data of this type of QP need one; VX_DATA_LOOKED_AT */
	uint32_t index;				/* of the last request in its list, from 1 */
	uint32_t always;			/* IBV_SEND_SIGNALED where all are */
	uint32_t no_flags;			/* those that its requests cannot have */
	uint32_t most;				/* bytes of a message, of which the port is known to send so many */
	int code;				/* of what was wrong first, with the last request, or with index 0 with the list; 0: nothing so far, and so
						   between lists */
	const struct vx_guard_step *setter;	/* that was given what is wrong, where what it is given is no matter of the request */
	bool began;				/* the next has begun its list as well */
	bool extended;				/* the next has builders */
	bool modifying;				/* the lock is held for that */
	uint32_t streams;			/* of a DCI; 0: nobody knows */
	bool alone;				/* a thread domain promises one thread at a time: nobody waits for the lock, which says whose it is */
	char why[VX_LONGEST_REFUSAL];		/* for _wrong() functions, under the lock, while there is no code */
	struct ibv_qp_cap cap;
	struct vx_seen seen;
	struct vx_seen part;			/* of that, no longer than a message: what lies in it is not too long either */
	/* slots of the send queue, all counted since the QP was in RESET */
	uint32_t posted;			/* how many were used */
	uint32_t marks, mask, *mark;		/* signaled requests, and for the last of them what was posted then: a ring, longer than the
						   queue, so that before the first it has 0 until that is done */
	uint32_t limit;				/* how many may be used until it is looked again what is done */
	struct vx_guard_request *request;		/* of each slot, as long a ring */
	uint64_t first_receive, last_receive;	/* the least and the greatest identity of what was posted to receive */
	uint32_t receives;			/* how many there were, about */
	uint32_t surplus;			/* completions beyond those of signaled requests */
	uint32_t before_posted, before_marks;	/* when the list was begun */
	uint32_t done_before;			/* of done, what is of before */
	struct vx_guard_cq *cq;			/* that counts; NULL: nobody does */
	struct vx_guard_count *count;
	struct vx_peers peers;
};

/* What is read of a completion. */
struct vx_guard_read {
	uint64_t flag;		/* of wc_flags, which a CQ must have been made with; 0: none */
	uint32_t statuses;	/* of completions that have it, a bit each */
	size_t pointer;		/* in struct ibv_cq_ex */
	char name[];
};

struct vx_guard_cq {
	struct vx_front_cq front;
	const struct vx_guard_read *misread;	/* the first that was read, and was not there: the next start or next tells */
	uint64_t misread_of;			/* the identity of the completion */
	uint64_t wc_flags;
	bool is_known;				/* with which wc_flags it was made */
	uintptr_t owner;			/* the thread that polls it; 0: none */
	bool alone;				/* one thread at a time is promised: the lock is only marked as taken */
	uintptr_t looking;			/* the thread between start_poll and end_poll; 0: none */
	uint32_t counted;			/* QPs */
	struct vx_guard_count *lists[64];	/* by number of QP */
};

struct vx_guard_srq {
	struct ibv_srq srq;
	struct ibv_context context;
	const struct ibv_pd *pd;	/* which libmlx5 does not tell of one of XRC */
	uint32_t max_sge;
};

/* ---- making (guard_new.c) ---- */

/* All that is made is to be checked: VERBSX_CHECKED. */
extern bool vx_checks_all;

/* Put a guard before what was just made. They return 0, or a negative errno that is recorded. */
int vx_check_new_qp(struct vx_qp *qp, const struct ibv_qp_init_attr_ex *attr) VX_SELDOM_CALLED;
int vx_check_new_cq(struct vx_cq *cq, const struct ibv_cq_init_attr_ex *attr) VX_SELDOM_CALLED;
int vx_check_new_srq(struct vx_srq *srq, const struct ibv_srq_init_attr_ex *attr) VX_SELDOM_CALLED;

/* Put a guard there; a CQ has one, however often. They return 0, or a negative errno that is recorded, or NULL. Of attr, cap, sq_sig_all and send_ops_flags count. */
int vx_guard_put_qp(struct vx_node *qp, const struct ibv_qp_init_attr_ex *attr, const char *call);
struct vx_guard_cq *vx_guard_put_cq(struct vx_node *cq, const char *call);
int vx_guard_put_srq(struct vx_node *srq, uint32_t max_sge, const char *call);

/* Whether it is a QP of a driver whose requests lore does not tell. */
bool vx_guard_is_foreign(const struct ibv_qp *raw);

/* Before and after a QP is modified, whether or not that fails: nobody else posts meanwhile. In RESET all of its queue is free. */
void vx_guard_modifying(struct vx_qp *qp);
void vx_guard_modified(struct vx_qp *qp);

/* The guard among the fronts of an object; NULL: it is not checked. */
struct vx_guard_qp *vx_guard_before_qp(const struct vx_node *qp);
bool vx_is_checked(const void *object);

/* ---- counting (guard_cq.c) ---- */

/* Whether it is of a parent domain with a thread domain. */
bool vx_is_of_one_thread(const struct vx_node *object);

struct vx_guard_cq *vx_guard_cq_new(struct vx_node *cq, const char *call);

/* One thread at a time is promised to poll it, which has not begun. */
void vx_guard_cq_leave_alone(struct vx_guard_cq *cq);

/* What is read of a completion, by way of the guard. Generated. */
void vx_guard_cq_reads(struct ibv_cq_ex *front);

/* Whether a completion that is looked at has what is read; else that is told later. */
bool vx_guard_may_read(struct ibv_cq_ex *front, const struct vx_guard_read *read);

/* Whether this thread has begun a list of a QP, or a loop over the completions of a CQ, whose lock providers hold meanwhile; or of one of a QP's. */
static inline bool vx_guard_is_inside(const void *object)
{
	return vx_fronts_inside(object, false);
}

static inline bool vx_guard_is_in_loop_of(const struct vx_qp *qp)
{
	return vx_node_used_inside((const struct vx_node *)qp);
}

/* Whether a guard has told of it already what a call returned: no provider has these codes. */
bool vx_guard_cq_told(const struct vx_node *cq, int rc) VX_COLD;

/* Whether a CQ is known to be none whose completions can be looked at where they are: who tries that would crash. */
bool vx_is_plain_cq(const struct vx_node *cq);

/* Whether completions that are looked at where they are cannot be counted, as they do not tell whose they are. */
bool vx_is_blind_cq(const struct vx_node *cq);

/* Have the requests of a QP counted; as its guard ends, no more. Returns 0, or -ENOMEM recorded. */
int vx_guard_count_begin(struct vx_guard_qp *guard, struct vx_guard_cq *cq, const char *call);
void vx_guard_count_end(void *guard);

/* How many of a QP have completed, ever. */
uint32_t vx_guard_counted(const struct vx_guard_qp *guard);

/* The opcode of a completion that failed, of a checked QP; VX_WC_UNKNOWN where it may be of several requests that differ, or of a receive. */
enum ibv_wc_opcode vx_guard_opcode_of(const struct vx_guard_qp *guard, const struct ibv_wc *wc) VX_SELDOM_CALLED;

/* ---- lists (guard.c) ---- */

/* Have lists begin and end here, once all else is known of the QP. */
void vx_guard_take_lists(struct vx_guard_qp *guard);

/* Take the lock; false: this thread has it, or one does where there is to be no other. */
bool vx_guard_lock(struct vx_guard_qp *guard);

/* Why a call could not take it: a negative errno, and in words. */
int vx_guard_locked_out(const struct vx_guard_qp *guard, const char **why) VX_COLD;

/* Let all be posted that fits by now. What a list has begun that is open is not posted yet. */
void vx_guard_refill(struct vx_guard_qp *guard);

/* Nothing of the list goes on after this, by what is in why. @return false */
bool vx_guard_latch(struct vx_guard_qp *guard, int code) VX_COLD;
/* The same of the list as a whole, unless something else was wrong before. */
void vx_guard_refuses(struct vx_guard_qp *guard, int code, const char *why) VX_COLD;
/* That a builder, a setter or another was called outside of a list: the next vx_wr_complete() tells. @return false */
bool vx_guard_outside(struct vx_guard_qp *guard, const char *name) VX_COLD;

/* ---- builders and setters that have to be looked at (guard_step.c) ---- */

/* Whether one may be called now. Then whether it may go on, by what it is given: a request has begun, of so many setters, or lacks less. Else it is told why not. */
bool vx_guard_may(struct vx_guard_qp *guard, const struct vx_guard_step *step);
bool vx_guard_goes_on(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint32_t setters, bool is_given_wrong);

/* That the last request lacks something. @return false */
bool vx_guard_lacking(struct vx_guard_qp *guard) VX_COLD;

/* What setters are given, and likewise posts: where they go, and data, of which the memory is what vx_data_wrong() does not look at. */
bool vx_guard_number_wrong(struct vx_guard_qp *guard, uint32_t number);
bool vx_guard_srq_wrong(struct vx_guard_qp *guard, uint32_t number);
bool vx_guard_peer_wrong(struct vx_guard_qp *guard, const struct ibv_ah *ah, uint32_t number);
bool vx_guard_stream_wrong(struct vx_guard_qp *guard, const struct ibv_ah *ah, uint32_t number, uint16_t stream);
bool vx_guard_memory_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct ibv_sge *list, long long count, bool is_inline);
bool vx_guard_list_wrong(struct vx_guard_qp *guard, size_t count, const struct ibv_sge *list);
bool vx_guard_sge_wrong(struct vx_guard_qp *guard, uint32_t lkey, uint64_t addr, uint32_t length);
bool vx_guard_buffers_wrong(struct vx_guard_qp *guard, size_t count, const struct ibv_data_buf *list);
bool vx_guard_inline_wrong(struct vx_guard_qp *guard, void *addr, size_t length);

/* A list that has more entries than none and is not there, or sums that have no room. */
bool vx_guard_sums_wrong(struct vx_guard_qp *guard, const struct vx_guard_entries *entries, size_t count, const void *list);

/*
 * Whether a message may have more bytes than the port was known to send: it is asked again. librdmacm may have brought the QP to RTS, where
 * the guard asks, and the MTU of RoCE is that of a network device, and grows with it.
 */
bool vx_guard_is_short(struct vx_guard_qp *guard, uint64_t length) VX_COLD;

/* Say that the queue is full, and what makes room in it, of so many slots that are posted, for a list that takes so many. @return the code for it */
int vx_guard_full(struct vx_guard_qp *guard, uint32_t posted, uint32_t slots) VX_COLD;

/* ---- posts (guard_post.c) ---- */

int vx_guard_post_send(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int vx_guard_post_recv(struct ibv_qp *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int vx_guard_post_srq_recv(struct ibv_srq *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/* ibv_bind_mw(3) of a QP that may be checked: what the guard itself tells is negative (guard_bind.c). */
int vx_guard_bind_mw(struct vx_qp *qp, struct ibv_qp *raw, struct ibv_mw *mw, struct ibv_mw_bind *bind);

/* Whether there is room for a request, after another look at what has completed. */
bool vx_guard_finds_room(struct vx_guard_qp *guard, uint32_t slots);

/* ---- builders and setters (generated) ---- */

void vx_guard_steps(struct ibv_qp_ex *front);

/* The setter of the address of a type of QPs; NULL: such a QP has its address. What a post has in its place. */
const char *vx_address_setter(unsigned int type);
bool vx_posted_address_wrong(struct vx_guard_qp *guard, const struct ibv_send_wr *wr);

/* Those of send_ops_flags that a QP has builders for, and that suit its type. */
uint64_t vx_guard_ops(const struct ibv_qp_ex *next, unsigned int type);

/* Bytes that mlx5's builders take behind a guard; those of a guard that go on to a QP's. */
extern const size_t vx_guard_mlx5_size;
struct mlx5dv_qp_ex *vx_guard_mlx5(struct vx_guard_qp *guard, struct mlx5dv_qp_ex *next);

/* ---- in line ---- */

/* A lock that knows its thread. Where one at a time is promised it is only marked as taken. */
static inline bool vx_turn_try(uintptr_t *owner, bool alone)
{
	uintptr_t nobody = 0;

	if (!alone)
		return __atomic_compare_exchange_n(owner, &nobody, (uintptr_t)pthread_self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	if (__atomic_load_n(owner, __ATOMIC_ACQUIRE))
		return false;
	__atomic_store_n(owner, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
	return true;
}

static inline bool vx_turn_is_mine(const uintptr_t *owner)
{
	return __atomic_load_n(owner, __ATOMIC_RELAXED) == (uintptr_t)pthread_self();
}

static inline void vx_turn_end(uintptr_t *owner)
{
	__atomic_store_n(owner, 0, __ATOMIC_RELEASE);
}

/* False: it is this thread's, which would wait for ever. */
bool vx_turn_wait(uintptr_t *owner, bool alone) VX_SELDOM_CALLED;

static inline struct vx_guard_qp *vx_guard_of(struct ibv_qp_ex *front)
{
	return (struct vx_guard_qp *)(void *)front;
}

static inline struct ibv_qp_ex *vx_guard_next(const struct vx_guard_qp *guard)
{
	return vx_front_next(guard);
}

static inline bool vx_guard_is_mine(const struct vx_guard_qp *guard)
{
	return vx_turn_is_mine(&guard->owner);
}

static inline void vx_guard_unlock(struct vx_guard_qp *guard)
{
	vx_turn_end(&guard->owner);
}

/* What the next has returned, which may be of either sign: what a guard itself tells is negative. */
static inline int vx_guard_passed(int rc)
{
	return rc < 0 ? -vx_code_returned(rc) : rc;
}

/* No more is ever posted than fits. */
static inline bool vx_guard_has_room(const struct vx_guard_qp *guard, uint32_t slots)
{
	return slots == 1 ? guard->limit != guard->posted : guard->limit - guard->posted >= slots;
}

/* A request takes its slots, in which it is remembered; one that has a completion says when these are free. */
static inline void vx_guard_count_request(struct vx_guard_qp *guard, uint32_t slots, uint64_t wr_id, uint32_t opcode, unsigned int flags)
{
	struct vx_guard_request *request;

	for (; slots; slots--) {
		request = &guard->request[guard->posted++ & guard->mask];
		request->wr_id = wr_id;
		request->opcode = opcode;
	}
	if ((flags | guard->always) & IBV_SEND_SIGNALED)
		guard->mark[guard->marks++ & guard->mask] = guard->posted;
}

/* What is counted from here on is not posted yet. */
static inline void vx_guard_begin_posts(struct vx_guard_qp *guard)
{
	guard->before_posted = guard->posted;
	guard->before_marks = guard->marks;
}

static inline void vx_guard_take_posts_back(struct vx_guard_qp *guard)
{
	guard->posted = guard->before_posted;
	guard->marks = guard->before_marks;
}

static inline void vx_guard_begin_request(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	struct ibv_qp_ex *next = vx_guard_next(guard);

	next->wr_id = guard->front.qp.wr_id;
	next->wr_flags = guard->front.qp.wr_flags;
	guard->step = step;
	guard->index++;
	guard->lacks = step->lacks & VX_LACKS_DATA ? step->lacks | guard->address : step->lacks;
	guard->open = guard->lacks ? 0 : guard->ops;
	vx_guard_count_request(guard, step->slots, guard->front.qp.wr_id, step->done, guard->front.qp.wr_flags);
}

static inline void vx_guard_given(struct vx_guard_qp *guard, uint32_t what)
{
	guard->lacks &= ~what;
	if (VX_USUALLY(!guard->lacks))
		guard->open = guard->ops;
}

/* Whether one entry is all right, without a further look. */
static inline bool vx_guard_knows_sge(const struct vx_guard_qp *guard, uint32_t lkey, uint64_t addr, uint32_t length)
{
	return (guard->lacks & (VX_LACKS_DATA | VX_DATA_LOOKED_AT | guard->part.not_for)) == VX_LACKS_DATA &&
	       vx_region_is_seen(&guard->part, lkey, addr, length);
}

#endif
