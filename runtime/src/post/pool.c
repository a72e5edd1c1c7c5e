/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Buffer pools: a stack of slots, which many threads may share, and receives that are posted with them. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <verbsx/pool.h>
#include <verbsx/post.h>
#include <verbsx/wc_error.h>

#include "error/fail.h"
#include "ids.h"
#include "kinds.h"
#include "object/make.h"

#define LINE 64			/* of a cache */
#define LIST 32			/* requests that are posted at once */
#define RECEIVE 0x80000000u	/* in a wr_id */

enum slot_state { IN, OUT, POSTED };

/* A buffer. Whoever has taken it out may write its next. */
struct slot {
	struct ibv_sge sge;	/* of a receive */
	uint32_t next;		/* in the stack, or among those that are to be posted: 1 + its index; 0: none */
	uint8_t state;
};

struct pool {
	struct vx_kept_pool kept;
	struct vx_mr *mr;
	struct slot *slots;
	uint32_t tag;		/* in each wr_id, where other requests of the program have none or another one */
	uint32_t left;		/* in the stack */
	uint64_t head;		/* of the stack: 1 + the index of a slot, and how often it changed in the upper half */
};

static struct pool *pool_of(const struct vx_pool *pool)
{
	return vx_node_extra((const struct vx_node *)pool);
}

static bool is_shared(const struct pool *p)
{
	return p->kept.flags & VX_POOL_SHARED;
}

/* ---- the stack ---- */

/* The count in the upper half tells a head that has come back from one that stayed. */
static bool swap_head(struct pool *p, uint64_t *old, uint32_t top)
{
	const uint64_t head = ((*old >> 32) + 1) << 32 | top;

	if (is_shared(p))
		return __atomic_compare_exchange_n(&p->head, old, head, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	p->head = head;
	return true;
}

static void count_left(struct pool *p, uint32_t more)
{
	if (is_shared(p))
		__atomic_fetch_add(&p->left, more, __ATOMIC_RELAXED);
	else
		p->left += more;
}

static void push(struct pool *p, uint32_t index)
{
	uint64_t old = __atomic_load_n(&p->head, __ATOMIC_RELAXED);

	do
		__atomic_store_n(&p->slots[index].next, (uint32_t)old, __ATOMIC_RELAXED);
	while (!swap_head(p, &old, index + 1));
	count_left(p, 1);
}

/* 1 + the index of a slot; 0: there is none. */
static uint32_t pop(struct pool *p, enum slot_state state)
{
	uint64_t old = __atomic_load_n(&p->head, __ATOMIC_ACQUIRE);
	uint32_t top;

	do
		top = (uint32_t)old;
	while (top && !swap_head(p, &old, __atomic_load_n(&p->slots[top - 1].next, __ATOMIC_RELAXED)));
	if (!top)
		return 0;
	__atomic_store_n(&p->slots[top - 1].state, (uint8_t)state, __ATOMIC_RELAXED);
	count_left(p, UINT32_MAX);
	return top;
}

/* Into the stack, if it is as it is said to be: of two who put it back one does. */
static bool put_back(struct pool *p, uint32_t index, enum slot_state state)
{
	uint8_t is = (uint8_t)state;

	if (is_shared(p)) {
		if (!__atomic_compare_exchange_n(&p->slots[index].state, &is, IN, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return false;
	} else if (p->slots[index].state != is) {
		return false;
	}
	__atomic_store_n(&p->slots[index].state, IN, __ATOMIC_RELAXED);
	push(p, index);
	return true;
}

/* ---- buffers ---- */

static VX_COLD int fail_of_index(const struct vx_pool *pool, uint32_t index, const char *call)
{
	static const char words[][20] = { "in the pool", "out", "posted as a receive" };
	const struct pool *p = pool_of(pool);

	if (index >= p->kept.count)
		return vx_fail(-EINVAL, call, VX_NAME(pool), "there is no buffer %" PRIu32 " of %" PRIu32, index, p->kept.count);
	return vx_fail(-EINVAL, call, VX_NAME(pool), "buffer %" PRIu32 " is %s", index,
		       words[__atomic_load_n(&p->slots[index].state, __ATOMIC_RELAXED)]);
}

int vx_pool_get(struct vx_pool *pool, uint32_t *index)
{
	uint32_t top;

	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_get", "pool"))
		return -EINVAL;
	if (!index)
		return vx_null_fail("vx_pool_get", "index");
	top = pop(pool_of(pool), OUT);
	if (!top)
		return -ENOBUFS;
	*index = top - 1;
	return 0;
}

int vx_pool_put(struct vx_pool *pool, uint32_t index)
{
	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_put", "pool"))
		return -EINVAL;
	if (index < pool_of(pool)->kept.count && put_back(pool_of(pool), index, OUT))
		return 0;
	return fail_of_index(pool, index, "vx_pool_put");
}

uint32_t vx_pool_left(const struct vx_pool *pool)
{
	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_left", "pool"))
		return 0;
	return __atomic_load_n(&pool_of(pool)->left, __ATOMIC_RELAXED);
}

uint64_t vx_pool_wr_id(const struct vx_pool *pool, uint32_t index)
{
	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_wr_id", "pool"))
		return 0;
	return index < pool_of(pool)->kept.count ? (uint64_t)pool_of(pool)->tag << 32 | index : 0;
}

/* Whether a wr_id is of the pool, and of which buffer. */
static bool is_of_pool(const struct pool *p, uint64_t wr_id, uint32_t *index)
{
	*index = (uint32_t)wr_id & ~RECEIVE;
	return wr_id >> 32 == p->tag && *index < p->kept.count;
}

static char *message_of(const struct pool *p, uint32_t index)
{
	return (char *)(uintptr_t)p->slots[index].sge.addr + p->kept.headroom;
}

void *vx_pool_at(const struct vx_pool *pool, uint64_t index_or_wr_id)
{
	const struct pool *p;
	uint32_t index;

	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_at", "pool"))
		return NULL;
	p = pool_of(pool);
	if (index_or_wr_id < p->kept.count)
		return message_of(p, (uint32_t)index_or_wr_id);
	return is_of_pool(p, index_or_wr_id, &index) ? message_of(p, index) : NULL;
}

int vx_pool_sge(const struct vx_pool *pool, uint32_t index, uint32_t length, struct ibv_sge *out)
{
	const struct pool *p;

	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_sge", "pool"))
		return -EINVAL;
	if (!out)
		return vx_null_fail("vx_pool_sge", "out");
	p = pool_of(pool);
	if (index >= p->kept.count)
		return fail_of_index(pool, index, "vx_pool_sge");
	if (length > p->kept.size)
		return vx_fail(-EINVAL, "vx_pool_sge", VX_NAME(pool), "length = %" PRIu32 ", and its buffers have %" PRIu32 " bytes",
			       length, p->kept.size);
	*out = (struct ibv_sge){ .addr = (uintptr_t)message_of(p, index), .length = length, .lkey = p->slots[index].sge.lkey };
	return 0;
}

const struct vx_mr *vx_pool_mr(const struct vx_pool *pool)
{
	return vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_mr", "pool") ? NULL : pool_of(pool)->mr;
}

/* ---- posting ---- */

/* A queue of receives: of a QP, or an SRQ. */
struct queue {
	void *object;
	int (*post)(void *object, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
};

static int post_to_qp(void *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return vx_qp_post_recv(qp, wr, bad);
}

static int post_to_srq(void *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return vx_srq_post_recv(srq, wr, bad);
}

/* Take slots out, the warmest first; 1 + the index of the first, which leads to the others. 0: there are not so many, or none. */
static uint32_t take_slots(struct pool *p, uint32_t count)
{
	uint32_t first = 0, last = 0, top;

	for (; count; count--) {
		top = pop(p, POSTED);
		if (!top)
			break;
		if (last)
			__atomic_store_n(&p->slots[last - 1].next, top, __ATOMIC_RELAXED);
		__atomic_store_n(&p->slots[top - 1].next, 0, __ATOMIC_RELAXED);
		first = first ? first : top;
		last = top;
	}
	for (; count && first; first = top) {
		top = p->slots[first - 1].next;
		put_back(p, first - 1, POSTED);
	}
	return first;
}

/*
 * Requests for slots that were taken, up to LIST of them; the slots that are left. They are copies, as another thread may have the
 * first one's completion, and its slot, before the last one is posted.
 */
static uint32_t fill(const struct pool *p, struct ibv_recv_wr *list, uint32_t first)
{
	struct ibv_recv_wr *wr;

	for (wr = list; first && wr < list + LIST; wr++, first = p->slots[first - 1].next)
		*wr = (struct ibv_recv_wr){
			.wr_id = (uint64_t)p->tag << 32 | RECEIVE | (first - 1), .next = wr + 1,
			.sg_list = &p->slots[first - 1].sge, .num_sge = 1,
		};
	wr[-1].next = NULL;
	return first;
}

/* What was not posted goes back. */
static void put_rest_back(struct pool *p, const struct ibv_recv_wr *bad, uint32_t first)
{
	uint32_t next;

	for (; bad; bad = bad->next)
		put_back(p, (uint32_t)bad->wr_id & ~RECEIVE, POSTED);
	for (; first; first = next) {
		next = p->slots[first - 1].next;
		put_back(p, first - 1, POSTED);
	}
}

static int post_all(struct vx_pool *pool, struct queue queue, uint32_t count)
{
	struct pool *p = pool_of(pool);
	struct ibv_recv_wr list[LIST], *bad;
	uint32_t first = count ? take_slots(p, count) : 0, rest;
	int rc = 0;

	if (count && !first)
		return vx_fail(-ENOBUFS, "vx_pool_post_recv", VX_NAME(pool), "%" PRIu32 " buffers are left of %" PRIu32 ", and %" PRIu32
			       " receives were to be posted", vx_pool_left(pool), p->kept.count, count);
	for (; first && rc == 0; first = rest) {
		rest = fill(p, list, first);
		rc = queue.post(queue.object, list, &bad);
		if (rc < 0)
			put_rest_back(p, bad, rest);
	}
	return rc;
}

int vx_pool_post_recv(struct vx_pool *pool, struct vx_qp *qp, uint32_t count)
{
	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_post_recv", "pool") || vx_wrong(qp, VX_OBJECT_QP, "vx_pool_post_recv", "qp"))
		return -EINVAL;
	if (vx_qp_raw(qp)->srq)
		return vx_fail(-EINVAL, "vx_pool_post_recv", VX_NAME(qp), "it has an SRQ, to which vx_pool_post_srq_recv() posts");
	return post_all(pool, (struct queue){ qp, post_to_qp }, count);
}

int vx_pool_post_srq_recv(struct vx_pool *pool, struct vx_srq *srq, uint32_t count)
{
	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_post_srq_recv", "pool") ||
	    vx_wrong(srq, VX_OBJECT_SRQ, "vx_pool_post_srq_recv", "srq"))
		return -EINVAL;
	return post_all(pool, (struct queue){ srq, post_to_srq }, count);
}

/* ---- completions ---- */

/* What a batch of completions has come to. */
struct batch {
	uint32_t receives;		/* that were with buffers of the pool */
	const struct ibv_wc *failed;	/* the first that was not flushed, or else the first */
	const struct ibv_wc *stray;	/* whose buffer is not where it should be */
};

static void take_back(struct pool *p, const struct ibv_wc *wc, struct batch *batch)
{
	const bool received = wc->wr_id & RECEIVE;
	uint32_t index;

	if (wc->status != IBV_WC_SUCCESS && (!batch->failed || (batch->failed->status == IBV_WC_WR_FLUSH_ERR &&
								 wc->status != IBV_WC_WR_FLUSH_ERR)))
		batch->failed = wc;
	if (!is_of_pool(p, wc->wr_id, &index))
		return;
	if (put_back(p, index, received ? POSTED : OUT))
		batch->receives += received;
	else
		batch->stray = batch->stray ? batch->stray : wc;
}

/* The handle of a QP's SRQ: the QP depends on it. */
static struct vx_node *srq_of(const struct vx_node *qp)
{
	struct vx_node *used;
	uint32_t i;

	for (i = 0; i < qp->uses; i++) {
		used = vx_node_used(qp, i);
		if (used->type == VX_OBJECT_SRQ)
			return used;
	}
	return NULL;
}

/* As many receives again as there were. */
static int replace(struct vx_pool *pool, struct vx_qp *qp, const struct batch *batch)
{
	const bool has_srq = qp && vx_qp_raw(qp)->srq;
	struct vx_node *srq = has_srq ? srq_of((const struct vx_node *)qp) : NULL;

	if (!qp || !batch->receives || (batch->failed && !has_srq))
		return 0;
	if (has_srq && !srq)
		return vx_fail(-EINVAL, "vx_pool_done", VX_NAME(qp), "its SRQ has no handle: vx_srq_adopt() gives one, before that of the QP");
	return post_all(pool, srq ? (struct queue){ srq, post_to_srq } : (struct queue){ qp, post_to_qp }, batch->receives);
}

static VX_COLD int fail_of_stray(const struct vx_pool *pool, const struct ibv_wc *wc)
{
	return vx_fail(-EINVAL, "vx_pool_done", VX_NAME(pool), "buffer %" PRIu32 ", of wr_id = 0x%" PRIx64 ", is not out: was this "
		       "completion given before?", (uint32_t)wc->wr_id & ~RECEIVE, wc->wr_id);
}

static VX_COLD int fail_of_completion(const struct vx_pool *pool, const struct vx_qp *qp, const struct ibv_wc *wc)
{
	char text[512];

	vx_wc_error(text, sizeof(text), wc, qp && vx_qp_raw(qp)->qp_num == wc->qp_num ? qp : NULL, VX_WC_UNKNOWN);
	return vx_fail(-EIO, "vx_pool_done", VX_NAME(pool), "%s", text);
}

int vx_pool_done(struct vx_pool *pool, struct vx_qp *qp, const struct ibv_wc *wc, int count)
{
	struct batch batch = { 0 };
	bool all;
	int i, rc;

	if (vx_wrong(pool, VX_OBJECT_POOL, "vx_pool_done", "pool") ||
	    (qp && vx_wrong(qp, VX_OBJECT_QP, "vx_pool_done", "qp")))
		return -EINVAL;
	if (count > 0 && !wc)
		return vx_null_fail("vx_pool_done", "wc");
	all = !qp || vx_qp_raw(qp)->srq;
	for (i = 0; i < count; i++)
		if (all || wc[i].qp_num == vx_qp_raw(qp)->qp_num)
			take_back(pool_of(pool), &wc[i], &batch);
	rc = replace(pool, qp, &batch);
	if (batch.failed)
		return fail_of_completion(pool, qp, batch.failed);
	return batch.stray ? fail_of_stray(pool, batch.stray) : rc;
}

/* ---- making and ending ---- */

static int end_pool(struct vx_node *node)
{
	free(((struct pool *)vx_node_extra(node))->slots);
	return 0;
}

static int check_pool(const struct vx_pool_init *init)
{
	const char *call = "vx_pool_create";

	if (init->comp_mask)
		return vx_unknown_bits(call, "comp_mask", init->comp_mask, 0);
	if (init->flags & ~(VX_POOL_SHARED | VX_POOL_HUGE))
		return vx_unknown_bits(call, "flags", init->flags & ~(VX_POOL_SHARED | VX_POOL_HUGE), 1 + ENUM_vx_pool_flags);
	if (!init->count || init->count >= RECEIVE)
		return vx_fail(-EINVAL, call, NULL, "count is %" PRIu32 ", and must be from 1 to 0x7fffffff", init->count);
	if (!init->size)
		return vx_fail(-EINVAL, call, NULL, "size is 0");
	if (init->headroom > UINT32_MAX - init->size)
		return vx_fail(-EINVAL, call, NULL, "headroom and size are %" PRIu64 " bytes, and an entry has at most 0xffffffff",
			       (uint64_t)init->headroom + init->size);
	return 0;
}

/* What comes before a message so that it begins at a line of the cache. */
static uint64_t room_before(const struct vx_pool_init *init)
{
	return ((uint64_t)init->headroom + LINE - 1) / LINE * LINE;
}

static uint64_t stride_of(const struct vx_pool_init *init)
{
	return room_before(init) + ((uint64_t)init->size + LINE - 1) / LINE * LINE;
}

static int new_region(struct vx_pd *parent, const struct vx_pool_init *init, struct vx_mr **out)
{
	const uint64_t length = stride_of(init) * init->count;

	if (stride_of(init) > SIZE_MAX / init->count)
		return vx_fail(-ENOMEM, "vx_pool_create", NULL, "%" PRIu32 " buffers of %" PRIu64 " bytes", init->count, stride_of(init));
	return vx_mr_create(parent, &(struct vx_mr_init){ .length = (size_t)length, .access = init->access,
							  .flags = init->flags & VX_POOL_HUGE ? VX_MR_HUGE : 0 }, out);
}

/* The first buffer goes out first. */
static void fill_pool(struct pool *p, const struct vx_pool_init *init)
{
	const uint64_t start = (uintptr_t)vx_mr_addr(p->mr) + room_before(init) - init->headroom;
	uint32_t i;

	p->kept = (struct vx_kept_pool){ true, init->count, init->size, init->headroom, init->flags };
	for (i = init->count; i--;) {
		p->slots[i].sge = (struct ibv_sge){ start + i * stride_of(init), init->headroom + init->size, vx_mr_lkey(p->mr) };
		push(p, i);
	}
}

/* Tags are scattered, as programs count from 0, and none of them is 0. */
static uint32_t new_tag(void)
{
	static uint32_t pools;
	uint32_t tag;

	do
		tag = __atomic_add_fetch(&pools, 1, __ATOMIC_RELAXED) * 0x9e3779b1u;
	while (!tag);
	return tag;
}

static int begin_pool(struct vx_node *node, struct vx_pd *parent, const struct vx_pool_init *init)
{
	struct pool *p = vx_node_extra(node);
	int rc;

	p->tag = new_tag();
	p->slots = calloc(init->count, sizeof(*p->slots));
	if (!p->slots)
		return vx_fail(-ENOMEM, "vx_pool_create", NULL, "%" PRIu32 " buffers", init->count);
	rc = new_region(parent, init, &p->mr);
	if (rc < 0)
		free(p->slots);
	else
		fill_pool(p, init);
	return rc;
}

int vx_pool_create_sized(struct vx_pd *parent, const struct vx_pool_init *init, size_t size, struct vx_pool **out)
{
	void *uses[] = { parent };
	struct vx_pool_init own;
	struct vx_node *node;
	int rc;

	rc = vx_take_in(&own, sizeof(own), init, size, "vx_pool_create", "init", "flags");
	if (rc < 0)
		return rc;
	if (vx_refuses(parent, VX_OBJECT_PD, out, "vx_pool_create") || check_pool(&own) < 0)
		return -EINVAL;
	node = vx_node_new(sizeof(struct pool), VX_OBJECT_POOL, end_pool, uses, 1, "vx_pool_create");
	if (!node)
		return vx_error()->code;
	rc = begin_pool(node, parent, &own);
	if (rc < 0) {
		vx_node_drop(node);
		return rc;
	}
	vx_node_move((struct vx_node *)((struct pool *)vx_node_extra(node))->mr, node); /* it ends with the pool, before it */
	return vx_node_link(node, vx_pd_raw(parent), out);
}
