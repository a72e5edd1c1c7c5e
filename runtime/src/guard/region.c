/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The memory regions that have handles, by their local keys. */

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include <verbsx/mr.h>

#include "kinds.h"
#include "object/make.h"
#include "refused.h"
#include "text/out.h"

/* What is known of one. */
struct region {
	struct region *older;		/* in the same list */
	const struct vx_node *node;
	const struct ibv_context *context;
	const struct ibv_device *device;
	const void *addr;		/* as its raw object says */
	uint32_t rkey, pd;		/* the number that the kernel has for its PD, which a parent domain has as well */
	struct vx_seen is;		/* where nobody knows from where and for what, of what was adopted, it lets all pass */
	bool is_known;
	bool is_elsewhere;		/* in what was found: of a context that shares nothing with the one that asked */
	bool is_bindable;		/* windows may be bound to it */
};

#define LISTS 1024

static struct region *lists[LISTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
uint32_t vx_region_generation = 1;

static struct region **list_of_key(uint32_t lkey)
{
	return &lists[(lkey ^ lkey >> 10 ^ lkey >> 20) % LISTS];
}

/* The handle keeps the key, as it outlives the raw object. */
static void fill_region(struct region *region, const struct vx_node *node)
{
	struct vx_kept_mr *kept = vx_node_extra(node);
	const struct ibv_mr *raw = node->object.raw;
	const bool is_known = kept->known && !kept->broken && raw->length; /* a null region has no length */

	kept->key = raw->lkey;
	*region = (struct region){
		.node = node, .context = raw->context, .device = raw->context->device, .addr = raw->addr, .rkey = raw->rkey, .pd = raw->pd->handle,
		.is = { .lkey = raw->lkey, .length = UINT64_MAX },
		.is_known = is_known,
		.is_bindable = kept->access & IBV_ACCESS_MW_BIND,
	};
	if (is_known) {
		region->is.start = kept->start;
		region->is.length = raw->length;
		region->is.not_for = kept->access & IBV_ACCESS_LOCAL_WRITE ? 0 : VX_DATA_WRITTEN;
	}
}

/* Without memory for it, it is one that nobody knows. */
static void add_region(const struct vx_node *node)
{
	struct region *region = malloc(sizeof(*region)), **list;

	if (!region)
		return;
	fill_region(region, node);
	list = list_of_key(region->is.lkey);
	region->older = *list;
	__atomic_store_n(list, region, __ATOMIC_RELAXED);
}

static void remove_region(const struct vx_node *node)
{
	const struct vx_kept_mr *kept = vx_node_extra(node);
	struct region **link = list_of_key(kept->key), *gone;

	while (*link && (*link)->node != node)
		link = &(*link)->older;
	gone = *link;
	if (gone)
		__atomic_store_n(link, gone->older, __ATOMIC_RELAXED);
	free(gone);
}

static void change_generation(uint32_t *generation)
{
	const uint32_t next = *generation + 1;

	__atomic_store_n(generation, next ? next : 1, __ATOMIC_RELEASE);
}

/* Under the lock of the graph. */
static void follow_objects(const struct vx_node *node, bool is_there)
{
	if (node->type == VX_OBJECT_AH && !is_there)
		change_generation(&vx_peer_generation);
	if (node->type != VX_OBJECT_MR)
		return;
	pthread_mutex_lock(&lock);
	if (is_there)
		add_region(node);
	else
		remove_region(node);
	change_generation(&vx_region_generation);
	pthread_mutex_unlock(&lock);
}

void vx_regions_begin(void)
{
	vx_registry_follow(follow_objects);
}

/* ---- entries ---- */

static bool is_past_end(const struct region *region, const struct ibv_sge *sge)
{
	const uint64_t offset = sge->addr - region->is.start;

	return sge->addr < region->is.start || offset > region->is.length || sge->length > region->is.length - offset;
}

/* How well one fits who has its key, from worst to best; of two that fit as well it is the newer. */
enum fit {
	NONE,
	ELSEWHERE,		/* of a context that shares nothing with theirs, and the entry would lie in it */
	OF_ANOTHER_PD,		/* and nobody knows from where */
	KNOWN_OF_ANOTHER_PD,
	OF_THEIR_PD,
	TO_BE_ASKED,		/* of another context, which may share all */
	KNOWN_OF_THEIR_PD,
};

/*
 * Contexts that share are looked through as one: who imports a region is not told where it begins, and whose it was knows. Null regions of all
 * PDs have one key with libmlx5. Of a context that shares nothing it has to be more than a key, as of memory that a program registers by
 * itself nobody knows more. Other devices give the same keys.
 */
static enum fit fit_of(const struct region *region, const struct ibv_pd *pd, const struct ibv_sge *sge, bool asks)
{
	const bool is_own = region->context == pd->context;

	if (!is_own && region->device != pd->context->device)
		return NONE;
	if (!is_own && !asks)
		return TO_BE_ASKED;
	if (!is_own && !vx_shares_objects(region->context, pd->context))
		return sge && region->is_known && !is_past_end(region, sge) ? ELSEWHERE : NONE;
	if (region->pd == pd->handle)
		return region->is_known ? KNOWN_OF_THEIR_PD : OF_THEIR_PD;
	return region->is_known ? KNOWN_OF_ANOTHER_PD : OF_ANOTHER_PD;
}

/* The kernel gives a key again before the handle of an older one is gone. */
static enum fit find_best(struct region *found, const struct ibv_pd *pd, uint32_t lkey, const struct ibv_sge *sge, bool asks)
{
	const struct region *region;
	enum fit best = NONE, fit;

	pthread_mutex_lock(&lock);
	for (region = *list_of_key(lkey); region; region = region->older) {
		fit = region->is.lkey == lkey ? fit_of(region, pd, sge, asks) : NONE;
		if (fit <= best)
			continue;
		best = fit;
		*found = *region;
	}
	pthread_mutex_unlock(&lock);
	return best;
}

/*
 * That of a key for a PD; of an entry, also one that lies elsewhere. Keys of what a program has registered by itself mostly are in no list:
 * that is found out without a lock, for which those who post would wait for each other.
 */
static bool find_region(struct region *found, const struct ibv_pd *pd, uint32_t lkey, const struct ibv_sge *sge)
{
	const uint32_t generation = __atomic_load_n(&vx_region_generation, __ATOMIC_ACQUIRE); /* before which it was not there */
	enum fit best = NONE;

	if (__atomic_load_n(list_of_key(lkey), __ATOMIC_RELAXED))
		best = find_best(found, pd, lkey, sge, false);
	if (best == TO_BE_ASKED) {
		vx_graph_lock();
		best = find_best(found, pd, lkey, sge, true);
		vx_graph_unlock();
	}
	if (best == NONE)
		found->is = (struct vx_seen){ .lkey = lkey, .length = UINT64_MAX };
	found->is.generation = generation;
	found->is_elsewhere = best == ELSEWHERE;
	return best;
}

static const char *name_region(char *name, const struct vx_node *node)
{
	struct vx_out out = vx_out_in(name, VX_LONGEST_NAME);

	if (!vx_put_name_of_handle(&out, node))
		vx_put_string(&out, "its region");
	vx_out_finish(&out);
	return name;
}

/* Not a byte too many, but an address of something else. */
static bool is_far(const struct region *region, const struct ibv_sge *sge)
{
	const uint64_t distance = sge->addr < region->is.start ? region->is.start - sge->addr : sge->addr - region->is.start;

	return distance / 2 > region->is.length;
}

static bool refuse_end(char *why, const struct region *region, const struct ibv_sge *sge)
{
	char name[VX_LONGEST_NAME];

	return vx_says(why, "ends at byte %" PRIu64 " of %s, which has %" PRIu64 " (addr = 0x%" PRIx64 ", length = %u, lkey = 0x%x)",
		       sge->addr - region->is.start + sge->length, name_region(name, region->node), region->is.length, sge->addr, sge->length, sge->lkey);
}

static bool refuse_entry(char *why, const struct region *region, const struct ibv_sge *sge)
{
	char name[VX_LONGEST_NAME];

	name_region(name, region->node);
	if (is_far(region, sge))
		return vx_says(why, "does not lie in %s, which has %" PRIu64 " bytes from 0x%" PRIx64 " on (addr = 0x%" PRIx64 ", lkey = 0x%x)",
			       name, region->is.length, region->is.start, sge->addr, sge->lkey);
	if (sge->addr < region->is.start)
		return vx_says(why, "begins %" PRIu64 " bytes before %s (addr = 0x%" PRIx64 ", lkey = 0x%x)", region->is.start - sge->addr, name,
			       sge->addr, sge->lkey);
	return refuse_end(why, region, sge);
}

static bool refuse_region(char *why, const struct region *region, const char *that)
{
	char name[VX_LONGEST_NAME];

	return vx_says(why, "is of %s (lkey = 0x%x), %s", name_region(name, region->node), region->is.lkey, that);
}

static bool wrong_in(char *why, const struct region *region, const struct ibv_pd *pd, const struct ibv_sge *sge, bool writes)
{
	if (region->is_elsewhere)
		return refuse_region(why, region, "which is of another context");
	if (region->pd != pd->handle)
		return refuse_region(why, region, "which is of another PD");
	if (!region->is_known)
		return false;
	if (is_past_end(region, sge))
		return refuse_entry(why, region, sge);
	return writes && region->is.not_for && refuse_region(why, region, "which lacks IBV_ACCESS_LOCAL_WRITE, and it is written to");
}

/* By ibv_rereg_mr(3), of which its handle knows nothing; or it is about to go. */
static bool is_another_now(const struct region *known)
{
	const struct region *region;
	const struct ibv_mr *raw;
	bool is_same;

	vx_graph_lock(); /* without which no list changes */
	region = *list_of_key(known->is.lkey);
	while (region && region->node != known->node)
		region = region->older;
	raw = region && vx_node_has_raw(region->node) ? region->node->object.raw : NULL;
	is_same = raw && raw->lkey == known->is.lkey && raw->addr == known->addr && raw->pd->handle == known->pd &&
		  (!known->is_known || raw->length == known->is.length);
	vx_graph_unlock();
	return !is_same;
}

static bool entry_wrong(char *why, struct vx_seen *seen, const struct ibv_pd *pd, const struct ibv_sge *sge, bool writes)
{
	struct region region;

	if (!sge->length || (vx_region_is_seen(seen, sge->lkey, sge->addr, sge->length) && !(writes && seen->not_for)))
		return false;
	if (find_region(&region, pd, sge->lkey, sge) && wrong_in(why, &region, pd, sge, writes))
		return !is_another_now(&region);
	*seen = region.is;
	return false;
}

bool vx_regions_wrong(char *why, struct vx_seen *seen, const struct ibv_pd *pd, const struct ibv_sge *list, long long count, bool writes)
{
	char entry[VX_LONGEST_REFUSAL];
	long long i;

	for (i = 0; i < count; i++)
		if (entry_wrong(entry, seen, pd, &list[i], writes))
			return vx_says(why, "entry %lld %.200s", i + 1, entry);
	return false;
}

static bool range_wrong(char *why, const char *which, const struct ibv_pd *pd, const struct ibv_sge *range, bool writes)
{
	struct vx_seen seen = { 0 };
	char range_is[VX_LONGEST_REFUSAL];

	return entry_wrong(range_is, &seen, pd, range, writes) && vx_says(why, "%s %.200s", which, range_is);
}

/* The device says how much it copies at once, which is less. */
bool vx_copy_wrong(char *why, const struct ibv_pd *pd, uint32_t to_key, uint64_t to, uint32_t from_key, uint64_t from, size_t length)
{
	const uint32_t bytes = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;

	return range_wrong(why, "the destination", pd, &(struct ibv_sge){ to, bytes, to_key }, true) ||
	       range_wrong(why, "the source", pd, &(struct ibv_sge){ from, bytes, from_key }, false);
}

/* ---- windows ---- */

/* Of more bytes than an entry has: their first and their last. What would wrap ends with memory. */
static bool is_outside(char *why, const struct region *region, const struct ibv_mw_bind_info *info)
{
	const uint64_t most = UINT64_MAX - info->addr, end = info->addr + (info->length - 1 > most ? most : info->length - 1);
	const struct ibv_sge first = { info->addr, 1, region->is.lkey }, last = { end, 1, region->is.lkey };

	return (is_past_end(region, &first) && refuse_entry(why, region, &first)) || (is_past_end(region, &last) && refuse_end(why, region, &last));
}

/* Which no provider looks at; local ones are without effect. */
static bool has_other_rights(char *why, const struct ibv_mw_bind_info *info)
{
	const unsigned int others = info->mw_access_flags & ~(unsigned int)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
									    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED);

	return others && vx_says(why, "mw_access_flags has 0x%x, and a window has IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ, "
				  "IBV_ACCESS_REMOTE_ATOMIC and IBV_ACCESS_ZERO_BASED alone", others);
}

static bool rights_wrong(char *why, const struct region *region, const struct ibv_mw_bind_info *info)
{
	const bool writes = info->mw_access_flags & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);

	if (!region->is_bindable)
		return refuse_region(why, region, "which lacks IBV_ACCESS_MW_BIND");
	return writes && region->is.not_for && refuse_region(why, region, "which lacks IBV_ACCESS_LOCAL_WRITE, and by mw_access_flags the peer may write");
}

bool vx_bind_wrong(char *why, const struct ibv_pd *pd, const struct ibv_mw *mw, const struct ibv_mw_bind_info *info)
{
	struct region region;

	if (!mw)
		return vx_says(why, "mw is NULL");
	if (vx_given_wrong(why, "mw", pd, mw, VX_OBJECT_MW))
		return true;
	if (!info || (!info->mr && info->length == UINT64_MAX && info->addr == UINT64_MAX))
		return vx_says(why, "bind_info is NULL"); /* vx_bind_info_given() */
	if (!info->mr)
		return (info->length || info->addr) &&
		       vx_says(why, "mr is NULL, and length = %" PRIu64 ", addr = 0x%" PRIx64, info->length, info->addr);
	if (vx_given_wrong(why, "mr", pd, info->mr, VX_OBJECT_MR))
		return true;
	if (!info->length)
		return false;
	if (has_other_rights(why, info))
		return true;
	if (!find_region(&region, pd, info->mr->lkey, NULL) || !region.is_known)
		return false;
	return is_outside(why, &region, info) || rights_wrong(why, &region, info);
}

bool vx_bind_request_wrong(char *why, const struct ibv_pd *pd, const struct ibv_mw *mw, const struct ibv_mw_bind_info *info)
{
	return vx_bind_wrong(why, pd, mw, info) ||
	       (mw->type == IBV_MW_TYPE_1 && vx_says(why, "mw is of type 1, which vx_qp_bind_mw() binds: it gives it its rkey"));
}

/* Regions have one key with those providers that have windows. */
bool vx_invalidate_wrong(char *why, const struct ibv_pd *pd, uint32_t rkey)
{
	char name[VX_LONGEST_NAME];
	struct region region;

	return find_region(&region, pd, rkey, NULL) && region.rkey == rkey &&
	       vx_says(why, "invalidate_rkey = 0x%x is of %s, and only a window of type 2 or a key that builders configured can be made invalid",
			rkey, name_region(name, region.node));
}
