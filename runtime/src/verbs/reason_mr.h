/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_MR_H
#define VERBSX_SRC_REASON_MR_H

/*
 * Why memory could not be registered. To be called right after the call has failed, while the memory still is as it was:
 *
 *	raw = ibv_reg_mr(pd, addr, length, access);
 *	if (!raw)
 *		return vx_mr_fail("ibv_reg_mr", node, &(struct vx_mr_request){
			.kind = VX_OBJECT_MR, .addr = addr, .length = length, .access = access, .has_range = true,
			.is_memory = true });
 */

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/verbs.h>

struct vx_node;

/* What was to be registered. */
struct vx_mr_request {
	int code;		/* negative errno */
	unsigned int kind;	/* VX_OBJECT_MR; 0 where a region that is there was to change */
	const void *addr;
	size_t length;
	int access;		/* enum ibv_access_flags */
	bool has_range;		/* addr and length count */
	bool is_memory;		/* they are a range of this process */
	bool has_iova;		/* iova counts */
	uint64_t iova;		/* where the region begins for its users */
	uint64_t offset;	/* in the dma-buf or device memory */
	const struct vx_dm *dm;	/* of which it is a part; NULL: of none */
	int fd;			/* of a dma-buf; 0: it is of none */
};

/**
 * Find the reason.
 *
 * @return its length, as snprintf(3); 0 where there is none
 */
size_t vx_mr_reason(const struct vx_mr_request *request, struct ibv_context *context, char *buf, size_t len);

/** As vx_create_fail(), with that reason. */
int vx_mr_fail(const char *call, struct vx_node *node, const struct vx_mr_request *request);

#endif
