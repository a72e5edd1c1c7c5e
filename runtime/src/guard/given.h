/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GIVEN_H
#define VERBSX_SRC_GIVEN_H

/*
 * What a request names by a pointer: AHs, windows, regions. Such a pointer may lead to what was closed, so it is looked up among the objects
 * that have handles, and not followed.
 *
 * One that has no handle, made by ibv_create_ah(3) itself, cannot be told from one that is no more. It is let pass, as it may be the
 * program's own, where what lies there begins as such an object does, with a context and a PD; the kernel reads that, for which a pointer that
 * leads nowhere is no crash. What is freed mostly begins with something else. Where a filter of system calls forbids that, all are let pass.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "error/fail.h"

/* Whether what one has is the other's as well: it was imported from that, or may have been. Kernels count the handles of others anew. */
bool vx_shares_objects(const struct ibv_context *a, const struct ibv_context *b) VX_SELDOM_CALLED;

/*
 * Whether a field is a raw object of a kind that a PD, or a parent domain of it, which has the same number, cannot use; and why, for
 * VX_LONGEST_REFUSAL bytes.
 */
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

#endif
