/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Buffer pools: what goes out and comes back, and how one is made. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <verbsx/pool.h>

#include "error/fail.h"
#include "ids.h"
#include "object/make.h"
#include "pool.h"

#define LINE 64			/* of a cache */

/* ---- the stack ---- */

static bool is_shared(const struct vx_pool_state *p)
{
	return p->kept.flags & VX_POOL_SHARED;
}

/* The count in the upper half tells a head that has come back from one that stayed. */
static bool swap_head(struct vx_pool_state *p, uint64_t *old, uint32_t top)
{
	const uint64_t head = ((*old >> 32) + 1) << 32 | top;

	if (is_shared(p))
		return __atomic_compare_exchange_n(&p->head, old, head, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	p->head = head;
	return true;
}

static void count_left(struct vx_pool_state *p, uint32_t more)
{
	if (is_shared(p))
		__atomic_fetch_add(&p->left, more, __ATOMIC_RELAXED);
	else
		p->left += more;
}

static void push(struct vx_pool_state *p, uint32_t index)
{
	uint64_t old = __atomic_load_n(&p->head, __ATOMIC_RELAXED);

	do
		__atomic_store_n(&p->slots[index].next, (uint32_t)old, __ATOMIC_RELAXED);
	while (!swap_head(p, &old, index + 1));
	count_left(p, 1);
}

uint32_t vx_slot_pop(struct vx_pool_state *p, enum vx_slot_state state)
{
	uint64_t old = __atomic_load_n(&p->head, __ATOMIC_ACQUIRE);
	uint32_t top;

	do
		top = (uint32_t)old;
	while (top && !swap_head(p, &old, __atomic_load_n(&p->slots[top - 1].next, __ATOMIC_RELAXED)));
	if (!top)
		return 0;
	vx_slot_becomes(p, top - 1, state);
	count_left(p, UINT32_MAX);
	return top;
}

/* Of two who do so one does. With what was posted, a turn ends. */
static bool change_state(struct vx_pool_state *p, uint32_t index, uint32_t is, enum vx_slot_state to)
{
	const bool was_posted = (is & VX_SLOT_STATE) == VX_SLOT_POSTED;
	const uint32_t next = ((is & ~VX_SLOT_STATE) | to) + (was_posted ? VX_SLOT_TURN : 0);

	if (is_shared(p))
		return __atomic_compare_exchange_n(&p->slots[index].state, &is, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&p->slots[index].state, next, __ATOMIC_RELAXED);
	return true;
}

bool vx_slot_take_back(struct vx_pool_state *p, uint32_t index, uint64_t wr_id)
{
	const uint32_t is = vx_slot_state(p, index);

	return (is & VX_SLOT_STATE) == VX_SLOT_POSTED && vx_slot_wr_id(p, index, is) == wr_id && change_state(p, index, is, VX_SLOT_BACK);
}

bool vx_slot_put_back(struct vx_pool_state *p, uint32_t index, enum vx_slot_state state)
{
	const uint32_t is = vx_slot_state(p, index);

	if ((is & VX_SLOT_STATE) != state || !change_state(p, index, is, VX_SLOT_IN))
		return false;
	push(p, index);
	return true;
}

/* ---- buffers ---- */

static VX_COLD int fail_of_index(const struct vx_pool *pool, uint32_t index, const char *call)
{
	static const char words[][20] = { "in the pool", "out", "posted as a receive", "being taken back" };
	const struct vx_pool_state *p = vx_pool_state_of(pool);

	if (index >= p->kept.count)
		return vx_fail(-EINVAL, call, VX_NAME(pool), "there is no buffer %" PRIu32 " of %" PRIu32, index, p->kept.count);
	return vx_fail(-EINVAL, call, VX_NAME(pool), "buffer %" PRIu32 " is %s", index,
		       words[vx_slot_state(p, index) & VX_SLOT_STATE]);
}

int vx_pool_get(struct vx_pool *pool, uint32_t *index)
{
	uint32_t top;

	if (vx_is_no_pool(pool, "vx_pool_get"))
		return -EINVAL;
	if (!index)
		return vx_null_fail("vx_pool_get", "index");
	top = vx_slot_pop(vx_pool_state_of(pool), VX_SLOT_OUT);
	if (!top)
		return -ENOBUFS;
	*index = top - 1;
	return 0;
}

int vx_pool_put(struct vx_pool *pool, uint32_t index)
{
	if (vx_is_no_pool(pool, "vx_pool_put"))
		return -EINVAL;
	if (index < vx_pool_state_of(pool)->kept.count && vx_slot_put_back(vx_pool_state_of(pool), index, VX_SLOT_OUT))
		return 0;
	return fail_of_index(pool, index, "vx_pool_put");
}

uint32_t vx_pool_left(const struct vx_pool *pool)
{
	if (vx_is_no_pool(pool, "vx_pool_left"))
		return 0;
	return __atomic_load_n(&vx_pool_state_of(pool)->left, __ATOMIC_RELAXED);
}

uint64_t vx_pool_wr_id(const struct vx_pool *pool, uint32_t index)
{
	if (vx_is_no_pool(pool, "vx_pool_wr_id"))
		return 0;
	return index < vx_pool_state_of(pool)->kept.count ? (uint64_t)vx_pool_state_of(pool)->tag << 32 | index : 0;
}

static char *message_of(const struct vx_pool_state *p, uint32_t index)
{
	return (char *)(uintptr_t)p->slots[index].sge.addr + p->kept.headroom;
}

void *vx_pool_at(const struct vx_pool *pool, uint64_t index_or_wr_id)
{
	const struct vx_pool_state *p;
	uint32_t index;

	if (vx_is_no_pool(pool, "vx_pool_at"))
		return NULL;
	p = vx_pool_state_of(pool);
	if (index_or_wr_id < p->kept.count)
		return message_of(p, (uint32_t)index_or_wr_id);
	return vx_pool_has(p, index_or_wr_id, &index) ? message_of(p, index) : NULL;
}

int vx_pool_sge(const struct vx_pool *pool, uint32_t index, uint32_t length, struct ibv_sge *out)
{
	const struct vx_pool_state *p;

	if (vx_is_no_pool(pool, "vx_pool_sge"))
		return -EINVAL;
	if (!out)
		return vx_null_fail("vx_pool_sge", "out");
	p = vx_pool_state_of(pool);
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
	return vx_is_no_pool(pool, "vx_pool_mr") ? NULL : vx_pool_state_of(pool)->mr;
}

/* ---- making and ending ---- */

static int end_pool(struct vx_node *node)
{
	free(((struct vx_pool_state *)vx_node_extra(node))->slots);
	return 0;
}

static int check_pool(const struct vx_pool_init *init)
{
	const char *call = "vx_pool_create";

	if (init->flags & ~(VX_POOL_SHARED | VX_POOL_HUGE))
		return vx_unknown_bits(call, "flags", init->flags & ~(VX_POOL_SHARED | VX_POOL_HUGE), 1 + ENUM_vx_pool_flags);
	if (!init->count || init->count >= VX_POOL_RECEIVE)
		return vx_fail(-EINVAL, call, NULL, "count is %" PRIu32 ", and must be from 1 to 2147483647", init->count);
	if (!init->size)
		return vx_fail(-EINVAL, call, NULL, "size is 0");
	if (init->access < 0)
		return vx_fail(-EINVAL, call, NULL, "access is below 0, and enum ibv_access_flags has no such flags; a pool is written to");
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
static void fill_pool(struct vx_pool_state *p, const struct vx_pool_init *init)
{
	const uint64_t start = (uintptr_t)vx_mr_addr(p->mr) + room_before(init) - init->headroom;
	uint32_t i;

	p->kept = (struct vx_kept_pool){ true, init->count, init->size, init->headroom, init->flags };
	p->indices = UINT32_MAX >> __builtin_clz(init->count);
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

/* It ends with the pool, before it, and not else. */
static void keep_region(struct vx_node *region, struct vx_node *pool)
{
	vx_node_move(region, pool);
	vx_graph_lock();
	region->given = VX_GIVEN_FOR_EVER;
	vx_graph_unlock();
}

static int begin_pool(struct vx_node *node, void *parent, const void *of)
{
	struct vx_pool_state *p = vx_node_extra(node);
	const struct vx_pool_init *init = of;
	int rc = check_pool(init);

	if (rc < 0)
		return rc;
	p->tag = new_tag();
	p->slots = calloc(init->count, sizeof(*p->slots));
	if (!p->slots)
		return vx_fail(-ENOMEM, "vx_pool_create", NULL, "%" PRIu32 " buffers", init->count);
	rc = new_region(parent, init, &p->mr);
	if (rc < 0) {
		free(p->slots);
		return rc;
	}
	fill_pool(p, init);
	keep_region((struct vx_node *)p->mr, node);
	return 0;
}

int vx_pool_create_sized(struct vx_pd *parent, const struct vx_pool_init *init, size_t size, struct vx_pool **out)
{
	struct vx_pool_init own;

	return vx_make_own(&(struct vx_own_making){ "vx_pool_create", "flags", &own, sizeof(own), VX_OBJECT_PD, VX_OBJECT_POOL,
						    sizeof(struct vx_pool_state), begin_pool, end_pool }, parent, init, size, out);
}
