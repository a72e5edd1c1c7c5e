/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REGION_H
#define VERBSX_SRC_REGION_H

/*
 * The memory regions that have handles, by their local keys: what an entry of a request must keep to. They are known from the time on
 * that something is checked. The lock of regions is the last that anybody takes.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

/* The region that somebody has looked up last, as far as it lets pass entries without a further look. */
struct vx_seen {
	uint32_t lkey;
	uint32_t generation;	/* of all regions; 0: none was looked up */
	uint64_t start, length;
	uint32_t not_for;	/* VX_WRITTEN where it may not be written to */
};

#define VX_WRITTEN 8u		/* what an entry is for: a bit apart from those of guard.h */

/* Which changes with each region that comes, goes or changes; never 0. */
extern uint32_t vx_region_generation __attribute__((visibility("hidden")));

/* Have regions known from now on. */
void vx_regions_begin(void);

/**
 * What is wrong with the entries of a request of a QP or an SRQ of a PD; nobody knows what is no key of a handle.
 *
 * @param seen    is looked at first, and filled
 * @param writes  they are written to
 * @return whether something is, which is told in VX_LONGEST_REFUSAL bytes
 */
bool vx_regions_wrong(char *why, struct vx_seen *seen, const struct ibv_pd *pd, const struct ibv_sge *list, long long count, bool writes);

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
