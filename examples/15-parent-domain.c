/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A parent domain: its objects belong to one thread, and get their memory from the program. */

#include "example.h"

static int blocks;

static void *allocate(struct ibv_pd *pd, void *context, size_t size, size_t alignment, uint64_t type)
{
	(void)pd, (void)context, (void)type;
	blocks++;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(struct ibv_pd *pd, void *context, void *memory, uint64_t type)
{
	(void)pd, (void)context, (void)type;
	blocks--;
	free(memory);
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd, *domain;
	struct vx_td *td;
	struct vx_cq *cq;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_td_create(ctx, NULL, &td));
	must(vx_parent_domain_create(pd, &(struct vx_parent_domain_init){ .td = td, .alloc = allocate,
									    .free = release }, &domain));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .parent_domain = domain }, &cq));
	printf("the CQ took %s of ours\n", blocks ? "memory" : "no memory");
	vx_print(stdout, cq);

	must(vx_close(td));
	printf("%d blocks left\n", blocks);
	must(vx_close(ctx));
	return 0;
}
